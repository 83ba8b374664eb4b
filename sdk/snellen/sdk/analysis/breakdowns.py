"""The primary metric of a report by its informative tags, alone or crossed."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from snellen.grading.breakdown import break_down
from snellen.grading.models.estimates import LEAST, Breakdown
from snellen.grading.models.tags import TagColumn
from snellen.grading.protocols.grid import MOST_NAMES, Grid
from snellen.grading.report.heat_map import grid_markdown
from snellen.grading.report.population import population_markdown
from snellen.sdk.inputs.tags import ITEM
from snellen.sdk.scored import ScoredReport

MOST_VALUES = 60
"""Tags with more values than this name single items or screens: they are not broken down."""

_CROWDED = 4
_FEWEST = 2


class Breakdowns(NamedTuple):
    """The breakdowns, and the names of the tags without an informative one."""

    shown: tuple[Breakdown, ...] = ()
    left_out: tuple[str, ...] = ()


def breakdowns(report: ScoredReport) -> Breakdowns:
    """Break the primary metric down by every tag that groups items, then by crowding.

    A tag is left out if fewer than two of its values have enough items, or if it has more than
    `MOST_VALUES` values. The tag of the clusters is not considered: each of its values is one
    cluster, which has no interval. A report without scores has no breakdowns.
    """
    if not report.has_scores or report.numbers.primary not in report.scores.keys:
        return Breakdowns()
    shown: list[Breakdown] = []
    left_out: list[str] = []
    for tag, column in report.tags.items():
        values = set(column) - {None}
        if tag == report.numbers.clustered_by or len(values) < _FEWEST:
            continue
        found = report.by(tag, least=LEAST) if len(values) <= MOST_VALUES else None
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
    """Return for each item the number of items with its value; 1 without a value.

    >>> _crowds(["a", "b", "a", None])
    ['2', '1', '2', '1']
    """
    counts = Counter(column)
    sizes = [1 if value is None else counts[value] for value in column]
    return [str(size) if size < _CROWDED else f"{_CROWDED} or more" for size in sizes]


GRIDS = (("dimension", "level"), ("platform", "difficulty"))
"""Pairs of tags that are crossed, where the items have both: rows, then columns."""


def own_grid(report: ScoredReport) -> Grid | None:
    """Cross the tags of a report that belong together; None if the grid is not informative."""
    if not report.has_scores or report.numbers.primary not in report.scores.keys:
        return None
    for rows, columns in GRIDS:
        if rows not in report.tags or columns not in report.tags:
            continue
        if None in report.tags[rows] or None in report.tags[columns]:
            continue
        if any(len(set(report.tags[tag])) > MOST_NAMES for tag in (rows, columns)):
            continue
        found = report.grid(rows, columns)
        shown = sum(cell.estimate is not None for cells in found.cells for cell in cells)
        if shown >= _FEWEST and min(len(found.row_names), len(found.column_names)) >= _FEWEST:
            return found
    return None


def more_markdown(report: ScoredReport) -> Iterator[bytes]:
    """Yield the additional Markdown of a report on a sample, or on items in a grid."""
    yield from population_markdown(report)
    grid = own_grid(report)
    if grid is not None:
        yield from grid_markdown(grid)
