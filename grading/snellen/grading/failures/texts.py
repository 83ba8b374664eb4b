"""Rules on text: near misses of a short answer, and descriptions of one region only."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple

from snellen.grading.failures.clues import Failure
from snellen.grading.failures.opposites import are_opposites
from snellen.grading.failures.tags import FailureTag
from snellen.grading.failures.values import (
    NUMBER,
    have_other_units,
    is_same_time,
    numbers_contradict,
    valued_words,
)
from snellen.grading.failures.wordings import denies_answer
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
        words = valued_words(answer)
        opposite = any(are_opposites(words, valued_words(text)) for text in spoken)
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
    """The forms of a text for comparison: its letters and digits, its words, and its numbers.

    Attributes:
        text: The text, unchanged.
        letters: Its letters and digits.
        words: Its words, with numbers and units in canonical form.
        joined: The words as one text.
        blank: The words with 0 for each number.
        spaced: The words separated by spaces; single characters for scripts without spaces.
        numbers: The numbers in the words.
    """

    text: str
    letters: str
    words: Sequence[str]
    joined: str
    blank: str
    spaced: str
    numbers: Sequence[str]


def _form(text: str) -> _Form:
    words = valued_words(text)
    joined = " ".join(words)
    spaced = joined
    if not joined.isascii() and _UNSPACED.search(joined):
        spaced = " ".join(_UNSPACED.sub(r" \g<0> ", joined).split())
    numbers = NUMBER.findall(joined)
    blank = NUMBER.sub("0", joined) if numbers else joined
    return _Form(text, letters_of(text), words, joined, blank, f" {spaced} ", numbers)


def _nearness(given: _Form, expected: _Form) -> _Nearness | None:
    if given.letters and given.letters == expected.letters:
        if have_other_units(given.words, expected.words):
            return _Nearness.UNIT
        marked = numbers_contradict(given.numbers, expected.numbers)
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
    if is_same_time(given.joined, expected.joined):
        return _Nearness.VALUE
    if are_opposites(given.words, expected.words):
        return _Nearness.OPPOSITE
    if have_other_units(given.words, expected.words):
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
