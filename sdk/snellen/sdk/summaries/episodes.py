"""Summaries of interactive tasks: success and EQA by what tasks are, and what it took."""

from snellen.grading.protocols.base import AnswerValue
from snellen.grading.protocols.mmbench_gui.automation import READINGS, Rate, Reading, losses
from snellen.grading.protocols.mmbench_gui.tables import losses_table
from snellen.grading.protocols.worlds.tables import Episodes, Record, episodes_of, episodes_tables
from snellen.grading.table import PartValue, Summary
from snellen.sdk.scored import ScoredReport
from snellen.sdk.summaries.cells import Cells, Options, cells_of
from snellen.tasks.benchmarks.table import task_of

_EQA = "eqa"


def played(report: ScoredReport, _: Options) -> Summary:
    """Summarize episodes whose tasks have limits of their own; attempts are averaged."""
    return _summary(report, _reading(report))


def played_on_pages(report: ScoredReport, _: Options) -> Summary:
    """Summarize episodes of MiniWoB++: whether one counts, and so its EQA, is the protocol's."""
    return _summary(report, None)


def from_level_to_level(lower: ScoredReport, upper: ScoredReport) -> Summary:
    """Say what is lost from tasks in one application to tasks across several.

    Args:
        lower: The report of the tasks in one application.
        upper: The one of the tasks across several.
    """
    reading = _reading(lower)
    rates = {
        name: Rate(report.value, {reading: report.metrics[_EQA].value}, report.provenance.items)
        for name, report in (("L3", lower), ("L4", upper))
    }
    found = losses(rates, reading=reading)
    same = _reading(upper) == reading
    benchmark = lower.task.partition("/")[0]
    note = "" if same else "The protocols differ, and so does what their EQA is."
    table = losses_table(f"{benchmark}, what is lost from L3 to L4", found, reading, note)
    return Summary(benchmark, found, (table,), ())


def _reading(report: ScoredReport) -> Reading:
    found: Reading | None = next(
        (one for one in READINGS if one == report.provenance.protocol), None
    )
    return found or "exact"


def _summary(report: ScoredReport, reading: Reading | None) -> Summary:
    cells = cells_of(report)
    found = episodes_of(_attempts(cells), report.tags, task_of(report.task).by, reading)
    return Summary(
        task=report.task,
        result=found,
        tables=episodes_tables(report.task, report.numbers.primary, found),
        values=(
            *(
                PartValue(report.task, key, "", metric.value, report.provenance.items)
                for key, metric in report.metrics.items()
            ),
            *_values(report, found),
        ),
    )


def _values(report: ScoredReport, found: Episodes) -> list[PartValue]:
    parts = [*found.wholes[:-1], *(part for parts in found.by.values() for part in parts)]
    values: list[PartValue] = []
    for part in parts:
        key = report.numbers.primary
        values.append(PartValue(report.task, key, part.name, part.value, part.tasks))
        area = None if found.reading is None else part.eqa.get(found.reading)
        if area is not None:
            values.append(PartValue(report.task, _EQA, part.name, area, part.tasks))
    return values


def _attempts(cells: Cells) -> list[list[Record]]:
    """Return each attempt's records, item by item."""
    limits = cells.tag_if_there("steps") or [None] * len(cells.values)
    rows = [
        _record(value, answer, None if limit is None else float(limit.split()[0]))
        for value, answer, limit in zip(cells.values.tolist(), cells.answers, limits, strict=True)
    ]
    return [rows[slot :: cells.attempts] for slot in range(cells.attempts)]


def _record(success: float, answer: AnswerValue | None, limit: float | None) -> Record:
    if answer is None:
        return Record(success, limit)
    return Record(
        success=success,
        limit=limit or answer.limit,
        there=True,
        steps=answer.cost,
        seconds=answer.seconds,
        image_tokens=answer.image_tokens,
    )
