"""The one form in which summaries are shown: tables of plain values, and what they are of.

A summary's numbers stand in the dataclasses of its benchmark's module; here is how they are laid
out, for a terminal, for Markdown and for a report's page alike.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from snellen.grading.markdown import plain_text, prose_text, table_lines

Cell: TypeAlias = str | float | None
"""A text, a number (shares lie in 0..1), or None where there is none."""

EMPTY = "\N{EN DASH}"
"""What stands where there is no number."""


class Kind(StrEnum):
    """What a column's numbers are, and so how they are written."""

    TEXT = "text"
    SHARE = "share"
    """0..1, written in per cent."""
    POINTS = "points"
    """A difference of shares, written in percentage points with its sign."""
    INDEX = "index"
    """A number on a scale of its own, such as R."""
    COUNT = "count"
    P = "p"
    """A probability, written to three significant digits."""


_HUNDREDTHS = frozenset({Kind.SHARE, Kind.POINTS})
_FORMS: Mapping[Kind, str] = MappingProxyType(
    {
        Kind.SHARE: ".2f",
        Kind.POINTS: "+.2f",
        Kind.INDEX: ".1f",
        Kind.COUNT: ",.0f",
        Kind.P: ".3g",
        Kind.TEXT: "g",
    }
)


class Column(NamedTuple):
    """A column's name and what its numbers are."""

    name: str
    kind: Kind = Kind.SHARE


@dataclass(frozen=True, slots=True)
class SummaryTable:
    """One table of a summary.

    Attributes:
        title: What it is of.
        columns: The first names the rows.
        rows: A cell a column.
        source: The paper's section or table that it follows; `ours` where there is none.
        note: What a reader must know.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    source: str
    note: str = ""

    def written(self) -> tuple[tuple[str, ...], ...]:
        """Return the rows as text."""
        return tuple(
            tuple(
                written(cell, column.kind) for cell, column in zip(row, self.columns, strict=True)
            )
            for row in self.rows
        )


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
    tables: tuple[SummaryTable, ...]
    values: tuple[PartValue, ...]

    def value(self, metric: str, part: str = "", *, task: str | None = None) -> PartValue | None:
        """Return one number by its name; None where the summary has none."""
        names = (task or self.task, metric, part)
        return next((one for one in self.values if one[:3] == names), None)


def written(cell: Cell, kind: Kind) -> str:
    """Write a cell.

    >>> written(0.4567, Kind.SHARE), written(0.0123, Kind.POINTS), written(1200, Kind.COUNT)
    ('45.67', '+1.23', '1,200')
    """
    if cell is None:
        return EMPTY
    if isinstance(cell, str):
        return cell
    return format(100 * cell if kind in _HUNDREDTHS else cell, _FORMS[kind]).replace(
        "-", "\N{MINUS SIGN}"
    )


def to_markdown(table: SummaryTable, *, level: int = 2) -> Iterator[str]:
    """Yield a table's lines as Markdown, its title as a heading."""
    yield f"{'#' * level} {plain_text(table.title)}\n"
    yield from table_lines(
        [column.name for column in table.columns],
        table.written(),
        texts=[place for place, one in enumerate(table.columns) if one.kind is Kind.TEXT],
    )
    yield f"\nSource: {prose_text(table.source)}."
    if table.note:
        yield prose_text(table.note)
    yield ""


def to_plain(table: SummaryTable) -> Mapping[str, object]:
    """Return a table as JSON values: a row an object, its numbers as they are."""
    names = [column.name for column in table.columns]
    return {
        "title": table.title,
        "rows": [dict(zip(names, row, strict=True)) for row in table.rows],
        "kinds": {column.name: column.kind.value for column in table.columns},
        "source": table.source,
        "note": table.note,
    }
