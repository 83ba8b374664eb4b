"""Rules on text: near misses of a short answer, descriptions of one region, and lists of texts."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple

from snellen.grading.failures import values
from snellen.grading.failures.clues import Failure
from snellen.grading.failures.tags import FailureTag
from snellen.grading.failures.wordings import denies_answer
from snellen.grading.metrics.ui_contents import BoxedText
from snellen.grading.normalize import squad_words
from snellen.grading.parse.refusals import names_button
from snellen.grading.protocols.base import NO_CONTEXT
from snellen.grading.protocols.texts import NO_ANSWER, NO_ANSWER_SPELLINGS, all_texts

_SPACE_OR_MARK = re.compile(r"[\W_]+")
# Scripts without spaces between words: Thai, Lao, Myanmar, Khmer, kana and Han.
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
    r"\U00020000-\U0003ffff]"
)
_CHARACTERS_AN_EDIT = 5


class _Nearness(IntEnum):
    """The similarity of a text to a reference, the closest first."""

    CASE = 0
    VALUE = 1
    OPPOSITE = 2
    UNIT = 3
    NUMBERS = 4
    ORDER = 5
    EXTRA = 6
    PART = 7
    SPELLING = 8


_TAGS = {
    _Nearness.CASE: FailureTag.CASE_OR_PUNCTUATION,
    _Nearness.VALUE: FailureTag.SAME_VALUE,
    _Nearness.OPPOSITE: FailureTag.OPPOSITE,
    _Nearness.UNIT: FailureTag.OTHER_UNIT,
    _Nearness.NUMBERS: FailureTag.NUMBERS_DIFFER,
    _Nearness.ORDER: FailureTag.ORDER,
    _Nearness.EXTRA: FailureTag.EXTRA_WORDS,
    _Nearness.PART: FailureTag.PART_OF_ANSWER,
    _Nearness.SPELLING: FailureTag.NEAR_TEXT,
}


def text_tags(failure: Failure) -> Iterator[FailureTag]:
    """Tag a short answer: no-answer mistakes, else its similarity to the closest reference."""
    answer = failure.answer
    if not isinstance(answer, str):
        return
    references = all_texts(failure.gold)
    spoken = [text for text in references if text != NO_ANSWER]
    if says_no_answer(answer):
        if len(spoken) == len(references):
            yield FailureTag.SAID_NO_ANSWER
    elif not spoken:
        yield FailureTag.ANSWERED_UNANSWERABLE
    elif denies_answer(answer) and not any(denies_answer(text) for text in references):
        # "Not available" negates "Available"; only otherwise does it mean that there is no answer.
        words = values.valued_words(answer)
        opposite = any(are_opposites(words, values.valued_words(text)) for text in spoken)
        if opposite:
            yield FailureTag.OPPOSITE
        elif len(spoken) == len(references):
            yield FailureTag.SAID_NO_ANSWER
    else:
        yield from near_text(answer, spoken)


def button_tags(failure: Failure) -> Iterator[FailureTag]:
    """Tag a button's name: the recolored one, none ("sorry"), or nearly the correct one."""
    if not isinstance(failure.answer, str):
        return
    if not failure.answer:
        yield FailureTag.SAID_NO_ANSWER
    elif names_button(failure.answer, failure.clues.distractors, match="tokens"):
        yield FailureTag.DISTRACTOR
    else:
        yield from near_text(failure.answer, all_texts(failure.gold))


def says_no_answer(text: str) -> bool:
    """Whether a text is `<no answer>` in any spelling.

    >>> says_no_answer("No answer."), says_no_answer("no answer key")
    (True, False)
    """
    return NO_ANSWER_SPELLINGS.read(text, NO_CONTEXT).answer == NO_ANSWER


def near_text(answer: str, references: Sequence[str]) -> Iterator[FailureTag]:
    """Tag the similarity of an answer to its closest reference; none if it is far from all.

    Words have SQuAD's form, without case, punctuation and articles; numbers and units have a
    canonical form. The checks in order are: equal letters and digits, equal values, opposites,
    other units, other numbers in the same words, the same words in another order, a reference
    within the answer, the answer within a reference, and an edit similarity (insertions and
    deletions over both lengths) of at least 0.8.

    >>> [tag.value for tag in near_text("13 exercises", ["12 exercises", "12"])]
    ['numbers-differ']
    """
    if answer in references:
        return
    given = _form(answer)
    found = [_nearness(given, _form(reference)) for reference in references]
    near = [nearness for nearness in found if nearness is not None]
    if near:
        yield _TAGS[min(near)]


class _Form(NamedTuple):
    """The forms of a text for comparison: its letters and digits, its words, and its numbers."""

    text: str  # the text, unchanged
    letters: str  # its letters and digits
    words: Sequence[str]  # its words, with numbers and units in canonical form
    joined: str  # the words as one text
    blank: str  # the words with 0 for each number
    spaced: str  # the words separated by spaces; single characters for scripts without spaces
    numbers: Sequence[str]  # the numbers in the words


def _form(text: str) -> _Form:
    words = values.valued_words(text)
    joined = " ".join(words)
    spaced = joined
    if not joined.isascii() and _UNSPACED.search(joined):
        spaced = " ".join(_UNSPACED.sub(r" \g<0> ", joined).split())
    numbers = values.NUMBER.findall(joined)
    blank = values.NUMBER.sub("0", joined) if numbers else joined
    return _Form(text, letters_of(text), words, joined, blank, f" {spaced} ", numbers)


def _nearness(given: _Form, expected: _Form) -> _Nearness | None:
    if given.letters and given.letters == expected.letters:
        if values.have_other_units(given.words, expected.words):
            return _Nearness.UNIT
        marked = values.numbers_contradict(given.numbers, expected.numbers)
        return _Nearness.NUMBERS if marked else _Nearness.CASE
    if not given.words or not expected.words:
        return None
    by_value = _nearness_by_value(given, expected)
    return _nearness_by_words(given, expected) if by_value is None else by_value


def _nearness_by_value(given: _Form, expected: _Form) -> _Nearness | None:
    if given.words == expected.words:
        differ = squad_words(given.text) != squad_words(expected.text)
        # Without a number or a unit, they differ only in articles.
        return _Nearness.VALUE if differ else None
    if values.is_same_time(given.joined, expected.joined):
        return _Nearness.VALUE
    if are_opposites(given.words, expected.words):
        return _Nearness.OPPOSITE
    if values.have_other_units(given.words, expected.words):
        return _Nearness.UNIT
    # The words are not equal, so these differ in numbers only.
    return _Nearness.NUMBERS if given.blank == expected.blank else None


def _nearness_by_words(given: _Form, expected: _Form) -> _Nearness | None:
    if given.words == expected.words:
        longer = len(given.letters) > len(expected.letters)
        return _Nearness.EXTRA if longer else _Nearness.PART
    if len(given.joined) == len(expected.joined) and sorted(given.words) == sorted(expected.words):
        return _Nearness.ORDER
    if expected.spaced in given.spaced:
        return _Nearness.EXTRA
    if given.spaced in expected.spaced:
        return _Nearness.PART
    if _is_spelled_nearly(given.joined, expected.joined):
        both = given.numbers and expected.numbers and given.numbers != expected.numbers
        return _Nearness.NUMBERS if both else _Nearness.SPELLING
    return None


def letters_of(text: str) -> str:
    """Return a text's letters and digits, without case.

    >>> letters_of("Sign-in!") == letters_of("SIGN IN")
    True
    """
    return _SPACE_OR_MARK.sub("", text.casefold())


def _is_spelled_nearly(text: str, other: str) -> bool:
    from rapidfuzz.distance import Indel

    # Integers, because rounding would miss a similarity of exactly 0.8.
    most = (len(text) + len(other)) // _CHARACTERS_AN_EDIT
    return Indel.distance(text, other, score_cutoff=most) <= most


# ---- descriptions of a page --------------------------------------------------------------------

_CONTENT = re.compile(r"[^\W\d_]{3,}|\d+")
_COMMON = (
    "about above also and are been both but can each for from has have her here his how into its"
    " more most not now off our out over page section such than that the their them then there"
    " these they this those through under was web website were what when where which while who"
    " will with you your"
)
_STOP_WORDS = frozenset(_COMMON.split())
_FEWEST_WORDS = 10
_OF_THE_REGION = 0.5
_OF_THE_OTHERS = 0.2
_PRECISE = 0.6
_LITTLE = 0.3


def description_tags(failure: Failure) -> Iterator[FailureTag]:
    """Tag a description of a page that covers only one region, and apply the rules for any text.

    If the regions' texts are known, the answer has at least half of one region's content words and
    less than a fifth of those of each other region. Otherwise at least 0.6 of the answer's content
    words are in the reference, which has ten or more, and they are less than 0.3 of the
    reference's.
    """
    if not isinstance(failure.answer, str):
        return
    regions = failure.clues.regions
    about = content_words(failure.answer)
    if len(regions) > 1:
        one = _is_of_one(about, [content_words(region) for region in regions])
    else:
        one = any(_is_little(about, content_words(text)) for text in all_texts(failure.gold))
    if one:
        yield FailureTag.ONE_REGION
    else:
        yield from text_tags(failure)


def content_words(text: str) -> Counter[str]:
    """Count a text's words of three letters or more and its numbers, without common words."""
    words = _CONTENT.findall(text.casefold())
    return Counter(word for word in words if word not in _STOP_WORDS)


def _is_of_one(about: Counter[str], regions: Sequence[Counter[str]]) -> bool:
    # A word in several regions does not identify one.
    known = Counter(word for region in regions for word in region)
    shares = sorted(
        len(own & about.keys()) / len(own)
        for own in ({word for word in region if known[word] == 1} for region in regions)
        if own
    )
    return len(shares) > 1 and shares[-1] >= _OF_THE_REGION and shares[-2] < _OF_THE_OTHERS


def _is_little(about: Counter[str], reference: Counter[str]) -> bool:
    if not about or reference.total() < _FEWEST_WORDS:
        return False
    shared = (about & reference).total()
    return shared >= _PRECISE * about.total() and shared < _LITTLE * reference.total()


# ---- Opposites -----------------------------------------------------------------------------------

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


# ---- Lists of texts ------------------------------------------------------------------------------


def list_tags(failure: Failure) -> Iterator[FailureTag]:
    """Tag a list of texts, compared with the closest rater."""
    if failure.answer is not None:
        yield from _against_raters(failure.answer, failure.gold)


def boxed_list_tags(failure: Failure) -> Iterator[FailureTag]:
    """Tag a list of texts with boxes: by its texts or, if these are correct, by its boxes."""
    if failure.answer is None:
        return
    given = [text for _, text in failure.answer]
    raters = [_texts_of(rater) for rater in failure.gold]
    if given and given in raters:
        yield FailureTag.BOXES_ELSEWHERE
    else:
        yield from _against_raters(given, raters)


def _texts_of(elements: Sequence[BoxedText]) -> list[str]:
    return [text for _, text in elements]


def _against_raters(given: Sequence[str], raters: Sequence[Sequence[str]]) -> Iterator[FailureTag]:
    listed = [rater for rater in raters if rater]
    if not given:
        if len(listed) == len(raters):
            yield FailureTag.SAID_NO_ANSWER
        return
    if not listed:
        yield FailureTag.ANSWERED_UNANSWERABLE
        return
    # A rater may have selected such words on the screen.
    marked = any(denies_answer(text) for rater in listed for text in rater)
    if len(given) == 1 and denies_answer(given[0]) and not marked:
        yield FailureTag.SAID_NO_ANSWER
        return
    found = {_list_nearness(given, rater) for rater in listed}
    nearest = next((tag for tag in _NEAREST_FIRST if tag in found), None)
    if nearest is not None:
        yield nearest


_NEAREST_FIRST = (
    FailureTag.CASE_OR_PUNCTUATION,
    FailureTag.ORDER,
    FailureTag.MISSING_ELEMENTS,
    FailureTag.EXTRA_ELEMENTS,
)


def _list_nearness(given: Sequence[str], rater: Sequence[str]) -> FailureTag | None:
    if list(given) == list(rater):
        return None
    mine, theirs = ([letters_of(text) or text for text in side] for side in (given, rater))
    if mine == theirs:
        return FailureTag.CASE_OR_PUNCTUATION
    counts, expected = Counter(mine), Counter(theirs)
    if counts == expected:
        return FailureTag.ORDER
    if counts < expected:
        return FailureTag.MISSING_ELEMENTS
    return FailureTag.EXTRA_ELEMENTS if counts > expected else None
