"""Rules on options, classes, relations and episodes: answers from a fixed set."""

from collections.abc import Iterator, Mapping

from snellen.grading.failures.clues import Failure
from snellen.grading.failures.tags import FailureTag
from snellen.grading.parse.choice import robust_choice
from snellen.grading.parse.regions import Region
from snellen.grading.parse.relations import Pair, Relation, invert, undirected

_MIRROR = {"left": "right", "right": "left", "top": "bottom", "bottom": "top"}
_EARLY = 0.5
_EIGHT = 8


def choice_tags(failure: Failure) -> Iterator[FailureTag]:
    """Tag an option by its index: next to the correct one, or beyond the item's last."""
    answer, right = failure.answer, failure.gold
    # VisualWebBench's golds are indices, and its items have eight options.
    options = failure.context.options or (_EIGHT if isinstance(right, int) else None)
    chosen = _chosen(failure)
    if chosen is None:
        return
    if options is not None and chosen >= options:
        yield FailureTag.OUT_OF_RANGE
    elif answer is not None and abs(chosen - _place(right)) == 1:
        yield FailureTag.NEIGHBOUR


def _chosen(failure: Failure) -> int | None:
    """Return the index of the chosen option, or None if the text has no clear choice.

    Published parsers take letters from words, and those that know the options do not read other
    letters. So the choice of a text must also be read by the robust parser.
    """
    answer = None if failure.answer is None else _place(failure.answer)
    if not isinstance(failure.response, str):
        return answer
    letter = robust_choice(failure.response)
    seen = None if letter is None else _place(letter)
    return seen if answer is None or answer == seen else None


def _place(option: int | str) -> int:
    """Return an option's index, given as a letter or as an index."""
    return option if isinstance(option, int) else ord(option) - ord("A")


def region_tags(failure: Failure) -> Iterator[FailureTag]:
    """Tag a class of the page's regions that is the opposite of the correct one."""
    gold = failure.gold
    if isinstance(failure.answer, Region) and _MIRROR.get(failure.answer) == gold:
        yield FailureTag.MIRRORED


def relation_tags(failure: Failure) -> Iterator[FailureTag]:
    """Tag properties shared by at least half of the wrong pairs, and pairs without a relation."""
    said: Mapping[Pair, Relation] = failure.answer or {}
    missing = inverted = mirrored = wrong = 0
    for pair, right in failure.gold.items():
        given = said.get(pair)
        if given is None:
            missing += 1
        elif undirected(given) is not undirected(right):
            wrong += 1
            inverted += given is invert(right)
            mirrored += given is not invert(right) and given in _mirrored(right)
    if said and missing:
        yield FailureTag.MISSING_PAIRS
    if wrong and 2 * inverted >= wrong:
        yield FailureTag.INVERTED
    if wrong and 2 * mirrored >= wrong:
        yield FailureTag.MIRRORED


def _mirrored(relation: Relation) -> set[str]:
    """Return the relations with one axis reversed."""
    sides = relation.split("-")
    return {
        "-".join(_MIRROR.get(other, other) if other == side else other for other in sides)
        for side in sides
        if side in _MIRROR
    }


def episode_tags(failure: Failure) -> Iterator[FailureTag]:
    """Tag a failed episode by the share of its limit that it used; none without limit or cost."""
    run = failure.answer
    if run is None:
        return
    limit = failure.gold.limit or run.limit
    if run.success >= 1:
        # It succeeded but scored 0: only a protocol that truncates runs does that.
        yield FailureTag.OUT_OF_STEPS
    elif run.cost is not None and limit is not None:
        if run.cost >= limit:
            yield FailureTag.OUT_OF_STEPS
        elif run.cost < _EARLY * limit:
            yield FailureTag.GAVE_UP_EARLY
