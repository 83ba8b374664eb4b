"""VisualWebBench's one number: the average of its seven tasks.

Source: VisualWebBench (Liu et al., 2024), table 1, whose last column it is. The published code
prints scores by task only.
"""

from collections.abc import Mapping
from math import fsum, isfinite

from snellen.grading.errors import MetricError, UnknownNameError
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

    >>> average_of_seven({task: place / 10 for place, task in enumerate(SEVEN)})
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


def seven_summary(values: Mapping[str, PartValue], note: str = "") -> Summary:
    """Lay out the tasks that were run, and their average where they are all there.

    Args:
        values: The primary value of each of the seven tasks by its id.
        note: What a reader must know.
    """
    missing = [task.rpartition("/")[2] for task in SEVEN if task not in values]
    average = None
    if not missing:
        average = average_of_seven({task: one.value for task, one in values.items()})
    rows: list[tuple[Cell, ...]] = [
        (task.rpartition("/")[2], values[task].metric, values[task].value, values[task].n)
        for task in SEVEN
        if task in values
    ]
    items = sum(one.n for one in values.values())
    rows.append(("average of seven", "", average, items))
    lacking = f"The average is over seven tasks; not given: {', '.join(missing)}."
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
                " ".join(filter(None, (lacking if missing else "", note))),
            ),
        ),
        values=tuple(found),
    )
