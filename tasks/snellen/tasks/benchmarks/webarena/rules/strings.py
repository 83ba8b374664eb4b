"""The answer as text, by the rules of WebArena and of VisualWebArena.

Sources: `evaluation_harness/evaluators.py` of web-arena-x/webarena f62e0b9 and of
web-arena-x/visualwebarena 89f5af2, whose copy of WebArena's tasks has the same references. Both
split words with NLTK's word_tokenize; its model of sentences is replaced by one rule, that a word
of two letters or more ends a sentence with its period.
"""

import math
import operator
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias, cast

import msgspec

from snellen.grading.protocols.base import UnjudgeableError

_Rule: TypeAlias = Callable[[str, str, bool], bool]

_SENTENCES = re.compile(r"(?<=[^\W\d_]{2}\.)\s+|(?<=[?!])\s+")
_APART = (
    (re.compile(r"([\"\u201c\u201d\u00ab\u00bb\u2019;@#$%&?!*()\[\]{}<>]|\.{2,}|--)"), r" \1 "),
    (re.compile(r"([:,])(?=\D|$)"), r" \1 "),
    (re.compile(r"([^.])\.([\])}>\"' ]*)\s*$"), r"\1 . \2 "),
    (re.compile(r"(?<=[^' ])('[smd]?|'(?:ll|re|ve)|n't)(?=\s|$)", re.IGNORECASE), r" \1 "),
    (re.compile(r"(?<!\S)'(?=\w)(?!(?:s|m|d|t|ll|re|ve|em|tis|twas)\b)", re.IGNORECASE), "' "),
    (re.compile(r"\b(can)(not)\b", re.IGNORECASE), r"\1 \2"),
)
_COMPARISONS: Mapping[str, Callable[[float, float], bool]] = MappingProxyType(
    {
        "<=": lambda one, two: one <= two + 1e-8,
        ">=": lambda one, two: one >= two - 1e-8,
        "==": lambda one, two: math.isclose(one, two, rel_tol=0, abs_tol=1e-8),
        "<": lambda one, two: operator.lt(one, two + 1e-8),
        ">": lambda one, two: operator.gt(one, two - 1e-8),
    }
)


class Original(msgspec.Struct, frozen=True, omit_defaults=True):
    """WebArena's own `eval` of a task (`config_files/test.raw.json`)."""

    eval_types: tuple[str, ...]  # what is compared: string_match, url_match, program_html
    reference_answers: dict[str, Any] | None = None  # of string_match, by rule


def words(text: str) -> list[str]:
    """Return the words and marks of a text, as Penn Treebank's rules split its sentences.

    >>> words("it's 1,000.50 (net), not 5%.")
    ['it', "'s", '1,000.50', '(', 'net', ')', ',', 'not', '5', '%', '.']
    """
    found: list[str] = []
    for sentence in _SENTENCES.split(text):
        for pattern, spaced in _APART:
            sentence = pattern.sub(spaced, sentence)
        found += sentence.split()
    return found


def cleaned(text: str, *, strip: bool) -> str:
    """Return a text in lower case without one pair of quotes around it."""
    text = text.strip() if strip else text
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        text = text[1:-1]
    return text.lower()


def webarena(answer: str, original: Original) -> float:
    """Return 1 if the answer has all that is asked for, by WebArena's rules, and 0 if not.

    Raises:
        UnjudgeableError: The task needs the last page, or a model as the judge.
    """

    def includes(reference: str, text: str, alone: bool) -> bool:
        short = alone and len(reference) == 1 and len(words(reference)) == 1
        return reference in (words(text) if short else text)

    return _judged(answer, original, includes, strip=True, alternatives=False)


def visualwebarena(answer: str, original: Original) -> float:
    """Return the same by VisualWebArena's rules: one word has to be a word of the answer.

    Raises:
        UnjudgeableError: The task needs the last page, or a model as the judge.
    """

    def includes(reference: str, text: str, _: bool) -> bool:
        return reference in (words(text) if len(words(reference)) == 1 else text)

    return _judged(answer, original, includes, strip=False, alternatives=True)


def _judged(
    answer: str, original: Original, includes: _Rule, *, strip: bool, alternatives: bool
) -> float:
    others = [kind for kind in original.eval_types if kind != "string_match"]
    if others or original.reference_answers is None:
        raise UnjudgeableError(
            f"the task is judged by {' and '.join(others) or 'no text'}, which needs the live site"
        )
    text = cleaned(answer, strip=strip)
    right = True
    doubt = ""
    for rule, value in original.reference_answers.items():
        several = cast("list[str]", value if isinstance(value, list) else [str(value)])
        golds = [cleaned(one, strip=strip) for one in several]
        if rule == "exact_match":
            right = right and text == golds[0]
        elif rule == "must_include":
            alone = len(golds) == 1
            for one in several:
                parts = one.split(" |OR| ") if alternatives else [one]
                right = right and any(
                    includes(cleaned(part, strip=strip), text, alone) for part in parts
                )
        elif rule == "fuzzy_match":
            if value != "N/A" or text != "n/a":
                doubt = "fuzzy_match asks a language model, and there is none here"
        elif rule == "must_exclude" and alternatives:
            right = right and not any(includes(one, text, True) for one in golds)
        elif rule == "one_of" and alternatives:
            right = right and any(one in text for one in golds)
        elif rule == "required_values" and alternatives:
            right = right and all(_in_range(text, one) for one in several)
        else:
            raise UnjudgeableError(f"there is no rule {rule!r}")
    if right and doubt:
        raise UnjudgeableError(doubt)
    return float(right)


def _in_range(text: str, wanted: str) -> bool:
    """Whether a whole number fulfils one of some comparisons, such as `>= 300 |OR| == 5`."""
    try:
        number = int(text.strip().replace(",", ""))
    except ValueError:
        return False
    for part in wanted.split(" |OR| "):
        sign = next((sign for sign in _COMPARISONS if sign in part), None)
        if sign is None:
            raise UnjudgeableError(f"{wanted!r} is no comparison")
        if _COMPARISONS[sign](number, float(part.split(sign)[1])):
            return True
    return False
