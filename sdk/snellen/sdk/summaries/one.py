"""The summary of one report."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from snellen.grading.models.estimates import Breakdown
from snellen.grading.protocols.table import protocol_of
from snellen.grading.table import Cell, Column, Kind, PartValue, Summary, Table
from snellen.sdk.scored import ScoredReport
from snellen.sdk.summaries import episodes, grids, mmbench_gui, webrssbench
from snellen.sdk.summaries.cells import DEFAULT, Options, of_sample
from snellen.tasks.benchmarks.table import task_of

PLAYED: Mapping[str, Callable[[ScoredReport, Options], Summary]] = MappingProxyType(
    {
        "desk/l3": episodes.played,
        "desk/l4": episodes.played,
        "tiddlywiki/l3": episodes.played,
        "miniwob/episode": episodes.played_on_pages,
    }
)
"""The interactive tasks on this server; no paper prints these tables of them."""

SUMMARIES: Mapping[str, Callable[[ScoredReport, Options], Summary]] = MappingProxyType(
    {
        "mmbench-gui/l1": mmbench_gui.level_1,
        "mmbench-gui/l2_basic": mmbench_gui.level_2,
        "mmbench-gui/l2_advanced": mmbench_gui.level_2,
        "mmbench-gui/l3": mmbench_gui.online,
        "mmbench-gui/l4": mmbench_gui.online,
        "webrssbench/position": webrssbench.positions,
        "webrssbench/ui_grouping": webrssbench.groups,
        "webrssbench/form_filling": webrssbench.by_difficulty,
        "webrssbench/color": webrssbench.perturbed,
        "webrssbench/text": webrssbench.perturbed,
        "webrssbench/layout": webrssbench.perturbed,
        "webrssbench/safety": webrssbench.dangers,
        "screenspot-v2/point": grids.screenspot,
        "screenspot-pro/point": grids.screenspot,
        **PLAYED,
    }
)
"""The tasks of which papers print more than a mean of each metric, and those that are acted in."""


def summary_of(report: ScoredReport, options: Options = DEFAULT) -> Summary:
    """Return what the benchmark's paper prints of a report; see `Report.summary`."""
    if report.task == grids.MATRIX and report.has_scores and {*grids.TAGS} <= report.tags.keys():
        # No paper prints it; a page shows the same as a heat map. Its numbers are a sample's own.
        return grids.matrix(report)
    own = SUMMARIES.get(report.task)
    found = plain_summary(report) if own is None else own(report, options)
    return of_sample(found, [report])


def metric_values(report: ScoredReport) -> tuple[PartValue, ...]:
    """Return a report's metrics over all of its items."""
    return tuple(
        PartValue(report.task, key, "", metric.value, report.provenance.items)
        for key, metric in report.metrics.items()
    )


def plain_summary(report: ScoredReport) -> Summary:
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
