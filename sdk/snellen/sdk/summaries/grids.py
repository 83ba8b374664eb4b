"""Summaries of reports whose items lie in a grid: ScreenSpot's cells, and the 4 x 4 matrix."""

from collections.abc import Iterator, Mapping, Sequence

from snellen.grading.models.tags import TagColumn
from snellen.grading.protocols.matrix.grid import Grid, joined, make_grid
from snellen.grading.protocols.screenspot.tables import cell_scores, screenspot_summary
from snellen.grading.report.heat_map import grid_note
from snellen.grading.table import Cell, Column, Kind, PartValue, Summary, Table
from snellen.sdk.scored import ScoredReport
from snellen.sdk.summaries.cells import Options, cells_of
from snellen.tasks.benchmarks.table import task_of

_V2 = "screenspot-v2/point"
MATRIX = "matrix/items"
TAGS = ("dimension", "level")
"""What items of the matrix lie by: rows, then columns."""


def screenspot(report: ScoredReport, _: Options) -> Summary:
    """Summarize ScreenSpot-v2 by platform, Pro by group, and both by element."""
    cells = cells_of(report)
    tag = "platform" if report.task == _V2 else "group"
    found = cell_scores(cells.values, cells.tag(tag), cells.tag("data_type"))
    return cells.of_items(screenspot_summary(report.task, tag, found))


def matrix(report: ScoredReport) -> Summary:
    """Summarize items of the matrix: dimensions by levels."""
    grid = report.grid(*TAGS)
    title = f"{report.task}, {grid.metric} by {grid.rows} and {grid.columns}"
    return Summary(report.task, grid, (_table(title, grid),), _values(report, grid))


def acted(reports: Mapping[str, ScoredReport]) -> Sequence[ScoredReport]:
    """Return the reports, by task, whose items count in a cell of the matrix beside its own."""
    return [report for task, report in reports.items() if task_of(task).cell and report.has_scores]


def with_episodes(report: ScoredReport, acted: Sequence[ScoredReport]) -> Summary:
    """Summarize items of the matrix together with interactive tasks, each in its cell.

    An item counts by its score, an episode by whether it succeeded.

    Args:
        report: The matrix's own; its items have the two tags.
        acted: Reports of tasks that have a cell.

    Raises:
        InputError: The matrix's report kept no scores.
        UnknownNameError: Its items lack a tag.
    """
    columns: list[list[str | None]] = [list(report.tags.get(tag, ())) for tag in TAGS]
    for column in columns:
        column += [None] * (report.provenance.items - len(column))
    for each in acted:
        for column, name in zip(columns, task_of(each.task).cell or (), strict=True):
            column += [name] * each.provenance.items
    items = joined([each.grid_items() for each in (report, *acted)])
    tags: dict[str, TagColumn] = dict(zip(TAGS, columns, strict=True))
    grid = make_grid(items, tags, metric=report.numbers.primary)
    counted = " and ".join(f"{each.numbers.primary} of {each.task}" for each in acted)
    table = _table(f"{report.task} with {counted}, by dimension and level", grid)
    return Summary("matrix", grid, (table,), tuple(_cell_values("matrix", grid)))


def _table(title: str, grid: Grid) -> Table:
    names = (*grid.row_names, "all")
    rows: list[tuple[Cell, ...]] = []
    lines = ((*grid.cells, grid.column_totals), (*grid.row_totals, grid.total))
    for name, cells, total in zip(names, *lines, strict=True):
        values = (None if one.estimate is None else one.estimate.value for one in (*cells, total))
        rows.append((name, *values, total.items))
    columns = (Column(grid.rows, Kind.TEXT), *map(Column, grid.column_names), Column("all"))
    return Table(
        title,
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
    return (*whole, *_cell_values(report.task, grid))


def _cell_values(task: str, grid: Grid) -> Iterator[PartValue]:
    for row, cells in zip(grid.row_names, grid.cells, strict=True):
        for column, cell in zip(grid.column_names, cells, strict=True):
            if cell.estimate is not None:
                name = f"{row} x {column}"
                yield PartValue(task, grid.metric, name, cell.estimate.value, cell.items)
