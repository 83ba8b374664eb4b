"""Rules on lists of UI elements, with and without their boxes."""

from collections import Counter
from collections.abc import Iterator, Sequence

from snellen.grading.failures.clues import Failure
from snellen.grading.failures.tags import FailureTag
from snellen.grading.failures.texts import letters_of
from snellen.grading.failures.wordings import denies_answer
from snellen.grading.metrics.ui_contents import BoxedText


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
    found = {_nearness(given, rater) for rater in listed}
    nearest = next((tag for tag in _NEAREST_FIRST if tag in found), None)
    if nearest is not None:
        yield nearest


_NEAREST_FIRST = (
    FailureTag.CASE_OR_PUNCTUATION,
    FailureTag.ORDER,
    FailureTag.MISSING_ELEMENTS,
    FailureTag.EXTRA_ELEMENTS,
)


def _nearness(given: Sequence[str], rater: Sequence[str]) -> FailureTag | None:
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
