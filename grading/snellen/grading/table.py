"""The one form of a table: what its columns are and its rows, for every place that shows one.

A terminal (`snellen.cli.tables`), Markdown (`markdown_lines`) and a report's page (its
template) lay out the same value, so that a number is written in one way everywhere.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from html import escape
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from snellen.grading.markdown import plain_text, prose_text, table_lines
from snellen.grading.models.estimates import Interval

Cell: TypeAlias = str | float | None
"""A text, a number (shares lie in 0..1), or None where there is none."""

EMPTY = "\N{EN DASH}"
"""What stands if there is no number."""


class Kind(StrEnum):
    """What a column's numbers are, and so how they are written."""

    TEXT = "text"
    FIGURE = "figure"
    """Numbers that are written already; they stand on the right."""
    SHARE = "share"
    """0..1, written in percent."""
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
        Kind.FIGURE: "g",
    }
)


class Column(NamedTuple):
    """A column's name and what its numbers are."""

    name: str
    kind: Kind = Kind.SHARE


@dataclass(frozen=True, slots=True)
class Table:
    """One table."""

    title: str  # what it is of; empty where what stands above it says so
    columns: tuple[Column, ...]  # the first names the rows
    rows: tuple[tuple[Cell, ...], ...]  # a cell a column
    source: str = ""  # the paper's section or table that it follows; `ours` where there is none
    note: str = ""  # what a reader must know
    bold: tuple[int, ...] = ()  # the rows that stand out, by number

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(column.name for column in self.columns)

    def written(self) -> tuple[tuple[str, ...], ...]:
        """Return the rows as text."""
        return tuple(
            tuple(
                written(cell, column.kind) for cell, column in zip(row, self.columns, strict=True)
            )
            for row in self.rows
        )

    def is_text(self, index: int) -> bool:
        """Whether a column holds texts, which stand on the left."""
        return self.columns[index].kind is Kind.TEXT

    def text_lines(self) -> Iterator[str]:
        """Yield the table as lines of text, its title first."""
        if self.title:
            yield self.title
        rows = [self.names, *self.written()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            cells = (
                cell.ljust(width) if self.is_text(index) else cell.rjust(width)
                for index, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            yield "  ".join(cells).rstrip()

    def markdown_lines(self) -> Iterator[str]:
        """Yield the table alone as lines of Markdown."""
        texts = [index for index in range(len(self.columns)) if self.is_text(index)]
        return table_lines(self.names, self.written(), texts=texts)


def figures(
    names: Sequence[str], rows: Iterable[Sequence[str]], *, texts: Collection[int] = (0,)
) -> Table:
    """Make a table of cells that are written already.

    Args:
        names: The columns' names.
        rows: A cell a column.
        texts: The indexes of the columns that hold text.
    """
    columns = (
        Column(name, Kind.TEXT if index in texts else Kind.FIGURE)
        for index, name in enumerate(names)
    )
    return Table("", tuple(columns), tuple(map(tuple, rows)))


def interval_text(interval: Interval | None, form: str = ".2f", *, scale: float = 100.0) -> str:
    """Write an interval, of shares in percent; a dash where there is none.

    >>> interval_text(Interval(low=0.25, high=0.5, level=0.95, method="t"))
    '25.00 to 50.00'
    """
    if interval is None:
        return "-"
    return f"{scale * interval.low:{form}} to {scale * interval.high:{form}}"


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


def to_markdown(table: Table, *, level: int = 2) -> Iterator[str]:
    """Yield a table's lines as Markdown, its title as a heading."""
    yield f"{'#' * level} {plain_text(table.title)}\n"
    yield from table.markdown_lines()
    yield f"\nSource: {prose_text(table.source)}."
    if table.note:
        yield prose_text(table.note)
    yield ""


def to_plain(table: Table) -> Mapping[str, object]:
    """Return a table as JSON values: a row an object, its numbers as they are."""
    return {
        "title": table.title,
        "rows": [dict(zip(table.names, row, strict=True)) for row in table.rows],
        "kinds": {column.name: column.kind.value for column in table.columns},
        "source": table.source,
        "note": table.note,
    }


class Printable:
    """A result that prints as tables and sentences."""

    def pieces(self) -> Iterator[Table | str]:
        """Yield what is printed, in order: tables, and sentences between them."""
        raise NotImplementedError

    def __str__(self) -> str:
        return "\n".join(
            piece if isinstance(piece, str) else "\n".join(piece.text_lines())
            for piece in self.pieces()
        )

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return "\n".join(
            f"<div>{escape(piece)}</div>" if isinstance(piece, str) else _html(piece)
            for piece in self.pieces()
        )


def _html(table: Table) -> str:
    # Text stands on the left, numbers on the right, as in text.
    sides = ["left" if table.is_text(index) else "right" for index in range(len(table.names))]

    def row(cells: tuple[str, ...], tag: str) -> str:
        made = (
            f'<{tag} style="text-align: {side}">{escape(cell)}</{tag}>'
            for cell, side in zip(cells, sides, strict=True)
        )
        return f"<tr>{''.join(made)}</tr>"

    title = f"<caption>{escape(table.title)}</caption>" if table.title else ""
    body = "".join(row(cells, "td") for cells in table.written())
    head = row(table.names, "th")
    return f"<table>{title}<thead>{head}</thead><tbody>{body}</tbody></table>"


class PartValue(NamedTuple):
    """One number of a summary, named as published numbers are."""

    task: str  # the task's id, or what several tasks are of: `visualwebbench`, `mmbench-gui/l2`
    metric: str  # the metric's key
    part: str  # the part of the task that it is over, as in a breakdown: `easy x windows`
    value: float  # 0..1
    n: int  # how many items it is over


@dataclass(frozen=True, slots=True, repr=False)
class Summary(Printable):
    """What a benchmark's paper prints of a run, or of several."""

    task: str  # the task's id, or what several tasks are of
    result: object  # the numbers, by the benchmark's own dataclasses (each beside its protocols)
    tables: tuple[Table, ...]  # the same, laid out
    values: tuple[PartValue, ...]  # the numbers that can be set beside published ones

    def pieces(self) -> Iterator[Table | str]:
        """Yield the tables, each with its note."""
        for table in self.tables:
            yield table
            yield from filter(None, [table.note])

    def value(self, metric: str, part: str = "", *, task: str | None = None) -> PartValue | None:
        """Return one number by its name; None where the summary has none."""
        names = (task or self.task, metric, part)
        return next((one for one in self.values if one[:3] == names), None)
