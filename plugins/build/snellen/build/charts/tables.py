"""Random tables for charts about which every question has one answer.

The values of a series differ enough to be distinguished by eye. They are drawn from one
distribution for every label and series, so that each is equally likely to be the largest.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple, TypeAlias

from snellen.build.charts.subjects import TIMES, Subject

Kind: TypeAlias = str

KINDS: tuple[Kind, ...] = ("bars", "rows", "line", "pie", "grouped", "stacked", "lines")
"""Vertical bars, horizontal bars, one line, a pie; grouped bars, stacked bars, several lines."""

SINGLE: tuple[Kind, ...] = ("bars", "rows", "line", "pie")
"""The kinds with one series."""

SEVERAL: tuple[Kind, ...] = ("grouped", "stacked", "lines")
"""The kinds with several series."""

NAMES = {
    "bars": "upright bars",
    "rows": "lying bars",
    "line": "one line",
    "pie": "a cut circle",
    "grouped": "grouped bars",
    "stacked": "stacked bars",
    "lines": "several lines",
}
"""A description of each kind, all of one form and almost one length."""

LARGEST = 5
"""The number of steps of a chart's axis."""

_SLOT = 0.25
_JITTER = 0.05
_STEPS = (20, 40, 50, 100, 200, 500)
_SMALL_STEPS = (2, 5, 10)
_COUNTS = {
    "bars": (5, 9), "rows": (5, 7), "line": (6, 10), "pie": (4, 6),
    "grouped": (4, 5), "stacked": (4, 6), "lines": (5, 8),
}  # fmt: skip
_ORDERED = {"line": True, "lines": True, "pie": False}
_READABLE = 0.08
_NUMBERS = 12
"""The maximum number of values that fit beside bars in groups."""


class Series(NamedTuple):
    """One series: its name, and a value for each label."""

    name: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """The content of a chart."""

    kind: Kind  # one of `KINDS`
    title: str  # the quantity
    unit: str
    over: str  # the category of the labels
    labels: tuple[str, ...]  # the labels, in the displayed order
    series: tuple[Series, ...]  # one or several series, each with a value for each label
    ordered: bool  # whether labels are in the order of time
    labelled: bool  # whether each value is written beside its mark; else it is read from the axis
    step: float  # the distance of two lines of the axis

    @property
    def top(self) -> float:
        """The end of the axis; it starts at 0."""
        if self.kind != "stacked":
            return LARGEST * self.step
        highest = max(map(sum, zip(*(series.values for series in self.series), strict=True)))
        return self.step * -(-highest // self.step)

    @property
    def slack(self) -> float:
        """The tolerance of a value: 0 if all values are written."""
        # For several lines, only the first has its values written: others would cover the lines.
        written = self.labelled and self.kind != "lines"
        return 0.0 if written else self.step * _SLOT

    def value(self, series: str, label: str) -> float:
        """Return the value of a series at a label."""
        values = next(candidate.values for candidate in self.series if candidate.name == series)
        return values[self.labels.index(label)]


def spec_of(table: Table) -> dict[str, object]:
    """Return a chart as JSON: its kind, its labels, and the values of each series."""
    return {
        "kind": table.kind,
        "labels": list(table.labels),
        "series": {series.name: list(series.values) for series in table.series},
    }


def written(value: float) -> str:
    """Write a number as in charts and questions.

    >>> written(40.0), written(7.3), written(1250)
    ('40', '7.3', '1250')
    """
    return f"{round(value, 2):.12g}"


def draw_table(
    random: Random,
    subjects: Sequence[Subject],
    kinds: Sequence[Kind] = KINDS,
    *,
    labelled: bool | None = None,
    ordered: bool | None = None,
) -> Table:
    """Draw a table and the kind of its chart.

    Args:
        random: The source of random choices.
        subjects: The possible subjects.
        kinds: The possible kinds.
        labelled: Whether values are written; None for a random choice if they can be read.
        ordered: Whether labels must be in the order of time, or must not; None if the kind decides.
    """
    kind = random.choice(list(kinds))
    wanted = _ORDERED.get(kind) if ordered is None else ordered
    fitting = [candidate for candidate in subjects if wanted is None or candidate.ordered is wanted]
    subject = random.choice(fitting or list(subjects))
    labels = _labels(random, subject, random.randint(*_COUNTS[kind]))
    names = [subject.title]
    if kind in SEVERAL:
        count = 3 if kind == "stacked" else random.randint(2, 3)
        names = random.sample(subject.series, min(count, len(subject.series)))
    if kind == "grouped" and labelled:
        labels = labels[: _NUMBERS // len(names)]
    crowded = kind == "lines" or (kind == "grouped" and len(names) * len(labels) > _NUMBERS)
    written_out = labelled if labelled is not None else not crowded and random.random() < 0.6
    step = random.choice(_SMALL_STEPS if subject.measured and random.random() < 0.5 else _STEPS)
    return Table(
        kind,
        subject.title,
        subject.unit,
        subject.over,
        labels,
        tuple(Series(name, _values(random, len(labels), step, kind)) for name in names),
        subject.ordered,
        written_out or kind in {"pie", "stacked"},
        step,
    )


def draw_value(random: Random, table: Table) -> float:
    """Draw a value from the distribution of a table."""
    return _values(random, 1, table.step, table.kind)[0]


def apart(table: Table, one: float, other: float) -> bool:
    """Whether two values of a chart can be distinguished by eye."""
    return abs(one - other) >= (_READABLE if table.labelled else 2 * _SLOT) * table.step


def _labels(random: Random, subject: Subject, count: int) -> tuple[str, ...]:
    if not subject.ordered:
        return tuple(random.sample(subject.labels, min(count, len(subject.labels))))
    times = TIMES[subject.over]
    count = min(count, len(times))
    first = random.randint(0, len(times) - count)
    return times[first : first + count]


def _values(random: Random, count: int, step: float, kind: Kind) -> tuple[float, ...]:
    # A thin slice, or a thin part of a bar, has no space for its number.
    low, high = (4, 14) if kind == "stacked" else (5, 18) if kind == "pie" else (2, 19)
    slots = random.sample(range(low, high + 1), count)
    digits = 1 if step < 20 else 0
    return tuple(
        round((slot * _SLOT + random.uniform(-_JITTER, _JITTER)) * step, digits) for slot in slots
    )
