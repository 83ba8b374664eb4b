"""Opposites: texts that differ in a "not", a prefix or one of a pair such as on and off."""

import re
from collections.abc import Sequence

_PAIRED = (
    "on off, yes no, am pm, true false, in out, up down, left right, top bottom, open closed,"
    " open close, opened closed, set unset, enable disable, enabled disabled, enables disables,"
    " male female, before after, above below, over under, more less, most least, more fewer,"
    " min max, minimum maximum, high low, higher lower, highest lowest, first last,"
    " earliest latest, newest oldest, increase decrease, increased decreased, start end,"
    " start stop, started stopped, show hide, shown hidden, visible hidden, add remove,"
    " added removed, allow deny, allowed denied, allow block, allowed blocked, accept decline,"
    " accepted declined, accepted rejected, pass fail, passed failed, online offline,"
    " public private, expanded collapsed, expand collapse, ascending descending, light dark,"
    " north south, east west, incoming outgoing, sent received, buy sell, with without,"
    " full empty, connected offline, include exclude, included excluded, always never"
)
_PAIRS = frozenset(frozenset(pair.split()) for pair in _PAIRED.split(","))
_NEGATING = (
    "not no never without cannot cant isnt arent wasnt werent dont doesnt didnt wont wouldnt"
    " couldnt shouldnt hasnt havent hadnt mustnt"
)
_AUXILIARY = "is are was were do does did can could will would should has have had must be"
_NEGATIONS, _AUXILIARIES = frozenset(_NEGATING.split()), frozenset(_AUXILIARY.split())
# A negation with its auxiliary.
_MOST_ADDED = 2
_NEGATED = re.compile(
    r"(?:un|non)(?!less$)(?=\w{4})"
    r"|dis(?=abled|able$|agree|allow|appear|approv|arm|connect|continu|engag|honest|lik|mount"
    r"|qualif|satisf|similar|trust)"
    r"|in(?=activ|accura|compatib|complet|correct|direct|effectiv|eligib|frequent|secur|sensitiv"
    r"|suffici|valid|visib)"
    r"|im(?=perfect|possib|patient|proper)"
    r"|ir(?=regular|relevant|responsib)"
    r"|il(?=legal|legib|logical)"
)


def are_opposites(words: Sequence[str], others: Sequence[str]) -> bool:
    """Whether one text is the negation of the other, word for word.

    Either all differing words are pairs of opposites, or one text has one more negation than the
    other (with its auxiliary: "does not"), or a double one, and nothing else differs. The words are
    English, in SQuAD's form: without case and punctuation.

    >>> are_opposites(["not", "logged", "in"], ["logged", "in"])
    True
    >>> are_opposites(["unchecked"], ["checked"]), are_opposites(["unit"], ["it"])
    (True, False)
    """
    if len(words) == len(others):
        differing = [(a, b) for a, b in zip(words, others, strict=True) if a != b]
        if differing and all(_is_pair(a, b) for a, b in differing):
            return True
    if abs(len(words) - len(others)) > _MOST_ADDED:
        return False
    if _NEGATIONS.isdisjoint(words) and _NEGATIONS.isdisjoint(others):
        return False
    negations, rest = _without_negations(words)
    others_negations, others_rest = _without_negations(others)
    return bool(rest) and rest == others_rest and (negations - others_negations) % 2 == 1


def _is_pair(word: str, other: str) -> bool:
    return frozenset((word, other)) in _PAIRS or _negates(word, other) or _negates(other, word)


def _negates(word: str, other: str) -> bool:
    prefix = _NEGATED.match(word)
    return prefix is not None and word[prefix.end() :] == other


def _without_negations(words: Sequence[str]) -> tuple[int, list[str]]:
    """Count the negations; return the other words without auxiliaries."""
    negations, rest = 0, list[str]()
    following = [*words[1:], ""]
    for word, after in zip(words, following, strict=True):
        # "No. 5" is a number, not a negation.
        if word in _NEGATIONS and not (word == "no" and after[:1].isdigit()):
            negations += 1
        elif word not in _AUXILIARIES:
            rest.append(word)
    return negations, rest
