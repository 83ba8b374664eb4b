"""Summaries of one report, and of several: the tables of the benchmarks' papers.

A benchmark's own summaries are named by its `Benchmark` object and stand beside its protocols.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from snellen.grading.errors import InputError
from snellen.grading.grade import read_response
from snellen.grading.metrics.eqa import Missing, Reading
from snellen.grading.models.estimates import Breakdown
from snellen.grading.models.scores import Outcome
from snellen.grading.models.tags import TagColumn
from snellen.grading.protocols.base import NO_CONTEXT, AnswerValue, FloatArray
from snellen.grading.protocols.grid import Grid, joined, make_grid
from snellen.grading.protocols.summaries import (
    DEFAULT,
    Cells,
    Joint,
    Options,
    Summaries,
    metric_values,
    of_sample,
)
from snellen.grading.protocols.table import protocol_of
from snellen.grading.report.heat_map import grid_note
from snellen.grading.score_table import ScoreTable
from snellen.grading.table import Cell, Column, Kind, PartValue, Summary, Table
from snellen.sdk.saved import read_report
from snellen.sdk.scored import ScoredReport, intake_of
from snellen.tasks.benchmarks.table import TASKS, benchmark_of, task_of

_MATRIX = "matrix/items"
_TAGS = ("dimension", "level")
"""What items of the matrix lie by: rows, then columns."""


def summary_of(report: ScoredReport, options: Options = DEFAULT) -> Summary:
    """Return what the benchmark's paper prints of a report; see `Report.summary`."""
    if report.task == _MATRIX and report.has_scores and {*_TAGS} <= report.tags.keys():
        # No paper prints it; a page shows the same as a heat map. Its numbers are a sample's own.
        return _matrix(report)
    own = summaries_of(report.task).by_task.get(report.task)
    if own is None:
        return of_sample(_plain(report), [report])
    _scores(report)  # Before tags that may be missing, too.
    return of_sample(own(_cells(report), options), [report])


def summaries_of(task: str) -> Summaries:
    """Return how a task's benchmark summarizes reports; without own summaries it is empty."""
    own = benchmark_of(task).summaries if task in TASKS else None
    return Summaries() if own is None else own()


def summarise(
    reports: Iterable[ScoredReport | str | Path],
    *,
    limit: float | None = None,
    missing: Missing | None = None,
    reading: Reading | None = None,
) -> tuple[Summary, ...]:
    """Summarize the reports of one model, over several tasks if the papers do.

    VisualWebBench's seven tasks give its average. Basic and advanced instructions give L2, with the
    mean of the two and all answers pooled. L3 and L4, with one step limit or several, give the
    table of losses, and so do the two tasks of the desk. With a report of the matrix, interactive
    tasks count in its cells of action. Any other report gets its own summary.

    Args:
        reports: Reports, or files saved as JSON, of different tasks; L3 and L4 may occur once per
            limit.
        limit: As for `Report.summary`.
        missing: As for `Report.summary`.
        reading: As for `Report.summary`.

    Raises:
        InputError: There are no reports, two are of the same task, they are of several models, a
            file is not a report, or a report lacks data for its summary.
    """
    options = Options(limit, missing, reading)
    given = [one if isinstance(one, ScoredReport) else read_report(one) for one in reports]
    models = sorted({one.model for one in given if one.model is not None})
    if not given or len(models) > 1:
        detail = f"they are of several models ({', '.join(models)})" if models else "there are none"
        raise InputError(f"give the reports of one model: {detail}")
    joint = _joint(given)
    replaced = {task for each in joint if each.replaces for task in each.tasks}
    acted = [one for one in given if task_of(one.task).cell and one.has_scores]
    return (
        *_together(given, [each for each in joint if each.replaces], options),
        *(summary_of(one, options) for one in given if one.task not in replaced),
        *_together(given, [each for each in joint if not each.replaces], options),
        *(_with_episodes(one, acted) for one in given if acted and one.task == _MATRIX),
    )


def _joint(reports: Sequence[ScoredReport]) -> Sequence[Joint]:
    """Return what is made of several of the reports; a task counts once, if not told otherwise."""
    tasks = [report.task for report in reports]
    benchmarks = {task.partition("/")[0]: task for task in tasks}
    joint = [each for task in benchmarks.values() for each in summaries_of(task).joint]
    repeated = {task for each in joint if each.repeats for task in each.tasks}
    for index, task in enumerate(tasks):
        if task in tasks[:index] and task not in repeated:
            raise InputError(f"two reports are of {task}: give one")
    return [each for each in joint if sum(task in each.tasks for task in tasks) > 1]


def _together(
    reports: Sequence[ScoredReport], joint: Iterable[Joint], options: Options
) -> Iterator[Summary]:
    for each in joint:
        several = [report for report in reports if report.task in each.tasks]
        summary = each.make([_cells(report) for report in several], options)
        if summary is not None:
            yield of_sample(summary, several) if each.replaces else summary


def _plain(report: ScoredReport) -> Summary:
    """Return a report's metrics, and its primary one by the tags that its task names for it."""
    parts = [
        report.by(tag, least=1)
        for tag in task_of(report.task).by
        if tag in report.tags and report.has_scores
    ]
    rows: list[tuple[Cell, ...]] = []
    for key, metric in report.metrics.items():
        estimate = report.numbers.estimates.get(key)
        interval = None if estimate is None else estimate.interval
        low, high = (None, None) if interval is None else (interval.low, interval.high)
        rows.append((key, metric.value, low, high, metric.as_published, report.provenance.items))
    return Summary(
        task=report.task,
        result=report.metrics,
        tables=(
            Table(
                report.task,
                (
                    Column("metric", Kind.TEXT),
                    Column("value"),
                    Column("from"),
                    Column("to"),
                    Column("as published"),
                    Column("items", Kind.COUNT),
                ),
                tuple(rows),
                protocol_of(report.task, report.provenance.protocol).source,
            ),
            *(_part_table(report.task, part) for part in parts),
        ),
        values=(
            *metric_values(report),
            *(
                PartValue(report.task, part.metric, cell.name, cell.estimate.value, cell.items)
                for part in parts
                for cell in part.cells
                if cell.estimate is not None
            ),
        ),
    )


def _part_table(task: str, part: Breakdown) -> Table:
    """Lay a metric out by the values of a tag."""
    rows = tuple(
        (cell.name, None if cell.estimate is None else cell.estimate.value, cell.items)
        for cell in part.cells
    )
    return Table(
        f"{task}, {part.metric} by {part.tag}",
        (Column(part.tag, Kind.TEXT), Column(part.metric), Column("items", Kind.COUNT)),
        rows,
        "ours",
    )


# ---- Items that lie in a grid --------------------------------------------------------------------


def _matrix(report: ScoredReport) -> Summary:
    """Summarize items of the matrix: dimensions by levels."""
    grid = report.grid(*_TAGS)
    title = f"{report.task}, {grid.metric} by {grid.rows} and {grid.columns}"
    values = (*metric_values(report), *_cell_values(report.task, grid))
    return Summary(report.task, grid, (_grid_table(title, grid),), values)


def _with_episodes(report: ScoredReport, acted: Sequence[ScoredReport]) -> Summary:
    """Summarize items of the matrix together with interactive tasks, each in its cell.

    An item counts by its score, an episode by whether it succeeded.

    Args:
        report: The matrix's own; its items have the two tags.
        acted: Reports of tasks that have a cell.

    Raises:
        InputError: The matrix's report kept no scores.
        UnknownNameError: Its items lack a tag.
    """
    columns: list[list[str | None]] = [list(report.tags.get(tag, ())) for tag in _TAGS]
    for column in columns:
        column += [None] * (report.provenance.items - len(column))
    for each in acted:
        for column, name in zip(columns, task_of(each.task).cell or (), strict=True):
            column += [name] * each.provenance.items
    items = joined([each.grid_items() for each in (report, *acted)])
    tags: dict[str, TagColumn] = dict(zip(_TAGS, columns, strict=True))
    grid = make_grid(items, tags, metric=report.numbers.primary)
    counted = " and ".join(f"{each.numbers.primary} of {each.task}" for each in acted)
    table = _grid_table(f"{report.task} with {counted}, by dimension and level", grid)
    return Summary("matrix", grid, (table,), tuple(_cell_values("matrix", grid)))


def _grid_table(title: str, grid: Grid) -> Table:
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


def _cell_values(task: str, grid: Grid) -> Iterator[PartValue]:
    for row, cells in zip(grid.row_names, grid.cells, strict=True):
        for column, cell in zip(grid.column_names, cells, strict=True):
            if cell.estimate is not None:
                name = f"{row} x {column}"
                yield PartValue(task, grid.metric, name, cell.estimate.value, cell.items)


# ---- A report's columns --------------------------------------------------------------------------


def _cells(report: ScoredReport) -> Cells:
    intake = intake_of(report)
    selection = None if intake is None else intake.selection
    return Cells(
        report=report,
        item_tags=report.tags,
        by=task_of(report.task).by,
        golds=None if selection is None else (selection.whole or selection).golds,
        load=lambda: _values(report),
        read=lambda: _answers(report),
    )


def _scores(report: ScoredReport) -> ScoreTable:
    if not report.has_scores:
        raise InputError(
            f"the summary of {report.task} is made of the items' scores, which this report did not"
            " keep: grade with keep_scores=True"
        )
    return report.scores


def _values(report: ScoredReport) -> FloatArray:
    columns = _scores(report).columns()
    return columns.values[:, columns.keys.index(report.numbers.primary)]


def _answers(report: ScoredReport) -> Sequence[AnswerValue | None]:
    protocol = protocol_of(report.task, report.provenance.protocol)
    intake = intake_of(report)
    contexts = () if intake is None else intake.selection.contexts
    attempts = report.provenance.attempts
    found: list[AnswerValue | None] = []
    for number, row in enumerate(_scores(report).rows()):
        lost = row["outcome"] in (Outcome.MISSING, Outcome.ERROR)
        context = contexts[number // attempts] if contexts else NO_CONTEXT
        said = None if lost else row.get("response")
        found.append(None if said is None else read_response(protocol, said, context).answer)
    return found
