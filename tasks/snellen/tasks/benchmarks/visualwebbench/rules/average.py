"""VisualWebBench's one number: the average of its seven tasks.

Source: VisualWebBench (Liu et al., 2024), table 1, whose last column it is. The published code
prints scores by task only.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import fsum, isfinite

from snellen.grading.errors import MetricError, UnknownNameError
from snellen.grading.models.reports import Report
from snellen.grading.protocols.summaries import SHOWN, Cells, Joint, Options, Summaries
from snellen.grading.table import Cell, Column, Kind, PartValue, Summary, Table

SEVEN = (
    "visualwebbench/web_caption",
    "visualwebbench/heading_ocr",
    "visualwebbench/webqa",
    "visualwebbench/element_ocr",
    "visualwebbench/element_ground",
    "visualwebbench/action_prediction",
    "visualwebbench/action_ground",
)
"""The tasks that the average is over."""


def average_of_seven(values: Mapping[str, float]) -> float:
    """Return the mean of the seven tasks' values, each task counted once whatever its size.

    The paper takes ROUGE-L of the texts, F1 of the questions and the accuracy of the choices,
    which are the tasks' primary metrics; the values must be of one protocol. A task that was not
    run is not 0, and the mean of fewer tasks is no average of this benchmark.

    Args:
        values: The value of each of the seven tasks by its id, 0..1.

    Raises:
        MetricError: A task is missing, or a value is not within 0..1.
        UnknownNameError: A task is none of the seven; the box and point variants are not.

    >>> average_of_seven({task: index / 10 for index, task in enumerate(SEVEN)})
    0.3
    """
    for task in values:
        if task not in SEVEN:
            raise UnknownNameError("task of VisualWebBench's seven", task, SEVEN)
    missing = [task for task in SEVEN if task not in values]
    if missing:
        raise MetricError(f"the average is over seven tasks; not given: {', '.join(missing)}")
    for task, value in values.items():
        if not (isfinite(value) and 0 <= value <= 1):
            raise MetricError(f"{task} is {value}, not within 0..1")
    return fsum(values.values()) / len(SEVEN)


BENCHMARK = "visualwebbench"


def summaries() -> Summaries:
    """Return how reports of its tasks are summarized."""
    return Summaries(joint=(Joint(SEVEN, seven, replaces=True),))


def seven(runs: Sequence[Cells], _: Options) -> Summary:
    """Summarize reports of the seven tasks: their average, where they are all there."""
    reports = {cells.report.task: cells.report for cells in runs}
    values = {
        task: PartValue(task, one.numbers.primary, "", one.value, one.provenance.items)
        for task, one in reports.items()
    }
    missing = [_short(task) for task in SEVEN if task not in values]
    average = None
    if not missing:
        average = average_of_seven({task: one.value for task, one in values.items()})
    rows: list[tuple[Cell, ...]] = [
        (_short(task), values[task].metric, values[task].value, values[task].n)
        for task in SEVEN
        if task in values
    ]
    items = sum(one.n for one in values.values())
    rows.append(("average of seven", "", average, items))
    lacking = f"The average is over seven tasks; not given: {', '.join(missing)}."
    notes = [lacking if missing else "", *_notes(reports)]
    found = list(values.values())
    if average is not None:
        found.append(PartValue(BENCHMARK, "average", "", average, items))
    return Summary(
        task=BENCHMARK,
        result=average,
        tables=(
            Table(
                "VisualWebBench",
                (
                    Column("task", Kind.TEXT),
                    Column("metric", Kind.TEXT),
                    Column("value"),
                    Column("items", Kind.COUNT),
                ),
                tuple(rows),
                "VisualWebBench table 1: the mean of the seven, each counted once",
                " ".join(filter(None, notes)),
            ),
        ),
        values=tuple(found),
    )


def _notes(reports: Mapping[str, Report]) -> Iterator[str]:
    # WebQA alone has a protocol `paper`, which goes with the official ones of the other tasks.
    rules = {
        "official" if one.provenance.protocol == "paper" else one.provenance.protocol
        for one in reports.values()
    }
    if len(rules) > 1:
        yield f"The protocols differ: {', '.join(sorted(rules))}."
    if printed := as_published_note(reports):
        yield f"{printed}."


def as_published_note(reports: Mapping[str, Report]) -> str:
    """Say what the published code would print of the seven tasks where that is another average.

    Args:
        reports: A report for each task of the seven that was run, by its id.

    Returns:
        A sentence without its full stop; empty where the code would print the same.
    """
    values = {task: one.value for task, one in reports.items()}
    printed = {task: one.metrics[one.numbers.primary].as_published for task, one in reports.items()}
    there = {task: value for task, value in printed.items() if value is not None}
    stopped = [task for task in printed if task not in there]
    other = [task for task in there if abs(there[task] - values[task]) >= SHOWN]
    if stopped:
        names = " and ".join(map(_short, stopped))
        return f"The published code would print no average: an answer ends its run of {names}"
    if not other:
        return ""
    names = ", ".join(
        f"{100 * there[task]:.2f} for {_short(task)}, not {100 * values[task]:.2f}"
        for task in other
    )
    detail = f"Of these answers the published code would print {names}: it leaves some out"
    if set(reports) != set(SEVEN):
        return detail
    return (
        f"{detail}. The average of what it would print is {100 * average_of_seven(there):.2f}, not"
        f" {100 * average_of_seven(values):.2f}"
    )


def _short(task: str) -> str:
    return task.rpartition("/")[2]
