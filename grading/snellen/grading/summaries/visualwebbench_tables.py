"""VisualWebBench's table, laid out: the seven tasks and their average."""

from collections.abc import Mapping

from snellen.grading.summaries.tables import PartValue, Summary
from snellen.grading.summaries.visualwebbench import SEVEN, average_of_seven
from snellen.grading.table import Cell, Column, Kind, Table

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
