"""The grid that a report shows unasked, where its items have two tags that belong together."""

from collections.abc import Iterator

from snellen.grading.report.heat_map import grid_markdown
from snellen.grading.report.population import population_markdown
from snellen.grading.summaries.matrix import MOST_NAMES, Grid
from snellen.sdk.scored import ScoredReport

GRIDS = (("dimension", "level"), ("platform", "difficulty"))
"""Pairs of tags that are crossed, where the items have both: rows, then columns."""

_FEWEST = 2


def own_grid(report: ScoredReport) -> Grid | None:
    """Cross the tags of a report that belong together; None where that would show nothing."""
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
    """Yield what a report of a sample, or of items in a grid, adds to its Markdown."""
    yield from population_markdown(report)
    grid = own_grid(report)
    if grid is not None:
        yield from grid_markdown(grid)
