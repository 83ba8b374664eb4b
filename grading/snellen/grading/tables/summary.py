"""Summaries: the tables that a paper prints, and their numbers by name."""

from dataclasses import dataclass
from typing import NamedTuple

from snellen.grading.table import Table


class PartValue(NamedTuple):
    """One number of a summary, named as published numbers are.

    Attributes:
        task: The task's id, or what several tasks are of: `visualwebbench`, `mmbench-gui/l2`.
        metric: The metric's key.
        part: The part of the task that it is over, as in a breakdown: `easy x windows`.
        value: 0..1.
        n: How many items it is over.
    """

    task: str
    metric: str
    part: str
    value: float
    n: int


@dataclass(frozen=True, slots=True)
class Summary:
    """What a benchmark's paper prints of a run, or of several.

    Attributes:
        task: The task's id, or what several tasks are of.
        result: The numbers, by the benchmark's own dataclasses (`snellen.grading.tables`).
        tables: The same, laid out.
        values: The numbers that can be set beside published ones.
    """

    task: str
    result: object
    tables: tuple[Table, ...]
    values: tuple[PartValue, ...]

    def value(self, metric: str, part: str = "", *, task: str | None = None) -> PartValue | None:
        """Return one number by its name; None where the summary has none."""
        names = (task or self.task, metric, part)
        return next((one for one in self.values if one[:3] == names), None)
