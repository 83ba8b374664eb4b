"""Summaries of reports whose items lie in a grid: ScreenSpot's cells, and the 4 x 4 matrix."""

from snellen.grading.report.heat_map import grid_note
from snellen.grading.table import Cell, Column, Kind, Table
from snellen.grading.tables.matrix import Grid
from snellen.grading.tables.screenspot import cell_scores, screenspot_summary
from snellen.grading.tables.summary import PartValue, Summary
from snellen.sdk.scored import ScoredReport
from snellen.sdk.summaries.cells import Options, cells_of

_V2 = "screenspot-v2/point"
MATRIX = "matrix/items"
TAGS = ("dimension", "level")
"""What items of the matrix lie by: rows, then columns."""


def screenspot(report: ScoredReport, _: Options) -> Summary:
    """Summarise ScreenSpot-v2 by platform, Pro by group, and both by element."""
    cells = cells_of(report)
    tag = "platform" if report.task == _V2 else "group"
    found = cell_scores(cells.values, cells.tag(tag), cells.tag("data_type"))
    return cells.of_items(screenspot_summary(report.task, tag, found))


def matrix(report: ScoredReport) -> Summary:
    """Summarise items of the matrix: dimensions by levels."""
    grid = report.grid(*TAGS)
    return Summary(report.task, grid, (_table(report, grid),), _values(report, grid))


def _table(report: ScoredReport, grid: Grid) -> Table:
    names = (*grid.row_names, "all")
    rows: list[tuple[Cell, ...]] = []
    lines = ((*grid.cells, grid.column_totals), (*grid.row_totals, grid.total))
    for name, cells, total in zip(names, *lines, strict=True):
        values = (None if one.estimate is None else one.estimate.value for one in (*cells, total))
        rows.append((name, *values, total.items))
    columns = (Column(grid.rows, Kind.TEXT), *map(Column, grid.column_names), Column("all"))
    return Table(
        f"{report.task}, {grid.metric} by {grid.rows} and {grid.columns}",
        (*columns, Column("items", Kind.COUNT)),
        tuple(rows),
        "the framework of four dimensions and four levels, which prints no numbers",
        grid_note(grid),
    )


def _values(report: ScoredReport, grid: Grid) -> tuple[PartValue, ...]:
    whole = (
        PartValue(report.task, key, "", metric.value, report.provenance.items)
        for key, metric in report.metrics.items()
    )
    cells = (
        PartValue(report.task, grid.metric, f"{row} x {column}", cell.estimate.value, cell.items)
        for row, cells in zip(grid.row_names, grid.cells, strict=True)
        for column, cell in zip(grid.column_names, cells, strict=True)
        if cell.estimate is not None
    )
    return (*whole, *cells)
