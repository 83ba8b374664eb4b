"""The primary metric of a report by those of its tags that show something."""

from collections import Counter
from typing import NamedTuple

from snellen.grading.breakdown import break_down
from snellen.grading.models.estimates import Breakdown
from snellen.grading.models.tags import TagColumn
from snellen.sdk.scored import ScoredReport
from snellen.sdk.tagging import ITEM

MOST_VALUES = 60
"""Tags with more values than this name single items or screens: they are not broken down."""

_CROWDED = 4
_FEWEST = 2


class Breakdowns(NamedTuple):
    """What is shown, and the names of the tags that would show nothing."""

    shown: tuple[Breakdown, ...] = ()
    left_out: tuple[str, ...] = ()


def breakdowns(report: ScoredReport) -> Breakdowns:
    """Break the primary metric down by every tag that groups items, then by crowding.

    A tag is left out where fewer than two of its values have items enough to be shown, or where it
    has more than `MOST_VALUES`. The tag whose values are the clusters is neither: each value is one
    cluster, of which no interval can be had. A report that kept no scores has none at all.
    """
    if not report.has_scores or report.numbers.primary not in report.scores.keys:
        return Breakdowns()
    shown: list[Breakdown] = []
    left_out: list[str] = []
    for tag, column in report.tags.items():
        values = set(column) - {None}
        if tag == report.numbers.clustered_by or len(values) < _FEWEST:
            continue
        found = report.by(tag) if len(values) <= MOST_VALUES else None
        if found is not None and _tells(found):
            shown.append(found)
        else:
            left_out.append(tag)
    crowding = _crowding(report)
    if crowding is not None and _tells(crowding):
        shown.append(crowding)
    return Breakdowns(tuple(shown), tuple(left_out))


def _tells(found: Breakdown) -> bool:
    """Whether there are two values to compare."""
    return sum(cell.estimate is not None for cell in found.cells) >= _FEWEST


def _crowding(report: ScoredReport) -> Breakdown | None:
    if report.numbers.clustered_by == ITEM or report.numbers.clustered_by not in report.tags:
        return None
    return break_down(
        report.item_values(),
        {
            f"items with the same {report.numbers.clustered_by}": _crowds(
                report.tags[report.numbers.clustered_by]
            )
        },
        metric=report.numbers.primary,
        clusters=report.clusters(),
    )


def _crowds(column: TagColumn) -> list[str]:
    """Say of each item how many items share its value; one without a value stands alone.

    >>> _crowds(["a", "b", "a", None])
    ['2', '1', '2', '1']
    """
    counts = Counter(column)
    sizes = [1 if value is None else counts[value] for value in column]
    return [str(size) if size < _CROWDED else f"{_CROWDED} or more" for size in sizes]
