"""Reading the printed tables: whole, or what they say of one task."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Literal

import msgspec

from snellen.grading.errors import DataError, MetricError, UnknownNameError
from snellen.grading.models.base import NO_JSON
from snellen.grading.protocols.table import protocols_of

_DIGITS = 6
"""Decimals of a stored value. Papers print two of a percentage; dividing adds digits of noise."""


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One number that a paper prints.

    Attributes:
        task: The task's id.
        model: The model's name, as printed.
        metric: The metric's key; `drop`, `unchanged` and `weighted_accuracy` are of the papers
            and no metric of a report.
        value: 0..1.
        part: The part of the task that it is over, tags joined by ` x ` as in a breakdown:
            `easy`, `15 steps x linux`; empty: all of it.
        n: How many items the paper says it is over; None where it does not say.
        source: The paper and the table.
        protocols: Which of the task's protocols give numbers that compare with it, the closest
            first: `official@1`.
        note: What is not known of it, or is not as the paper says.
    """

    task: str
    model: str
    metric: str
    value: float
    part: str = ""
    n: int | None = None
    source: str = ""
    protocols: tuple[str, ...] = ()
    note: str = ""


class PublishedColumn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a column of a printed table holds.

    Attributes:
        name: Its name, unique in the table.
        task: The task's id; None for what is no number of one task (an average over several), or
            repeats another table.
        metric: As in `PublishedRow`; empty where neither a task nor `of` is given.
        part: As in `PublishedRow`.
        n: As in `PublishedRow`.
        protocols: As in `PublishedRow`.
        note: As in `PublishedRow`.
        of: What an average over several tasks is of, such as `visualwebbench`; None for others.
    """

    name: str
    task: str | None = None
    metric: str = ""
    part: str = ""
    n: int | None = None
    protocols: tuple[str, ...] = ()
    note: str = ""
    of: str | None = None


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """One printed table, its values in 0..1.

    Attributes:
        benchmark: The benchmark's id, or several joined by ` x `.
        name: `table 1`, or what it is about where its number is not on record.
        source: The paper and the table.
        url: Where the paper is.
        columns: What each column holds.
        cells: Model to the column's name to the value; an empty cell has no entry.
    """

    benchmark: str
    name: str
    source: str
    url: str
    columns: tuple[PublishedColumn, ...]
    cells: Mapping[str, Mapping[str, float]]

    def rows(self) -> tuple[PublishedRow, ...]:
        """Return each number of a task, model by model."""
        return tuple(self._rows(lambda column: column.task))

    def averages(self) -> tuple[PublishedRow, ...]:
        """Return each average over several tasks; `task` says what it is of."""
        return tuple(self._rows(lambda column: column.of))

    def _rows(self, named: Callable[[PublishedColumn], str | None]) -> Iterator[PublishedRow]:
        for model, values in self.cells.items():
            for column in self.columns:
                task = named(column)
                if task is not None and column.name in values:
                    yield PublishedRow(
                        task=task,
                        model=model,
                        metric=column.metric,
                        value=values[column.name],
                        part=column.part,
                        n=column.n,
                        source=self.source,
                        protocols=column.protocols,
                        note=column.note,
                    )


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a value stands among published ones."""

    above: PublishedRow | None  # the nearest row with a larger value; None where it is the best
    equal: tuple[PublishedRow, ...]  # the rows with the same value
    below: PublishedRow | None  # the nearest row with a smaller value; None where it is the worst
    rank: int  # 1 where nothing is larger; equal values share a rank
    of: int  # how many rows there are, without this value


@cache
def published_tables() -> tuple[PublishedTable, ...]:
    """Return every printed table that ships, source by source.

    >>> sorted({table.source.partition(" ")[0] for table in published_tables()})[-1]
    'WebRSSBench'
    """
    folder = files(__package__ or "snellen.tasks.published")
    found = sorted(
        (entry for entry in folder.iterdir() if entry.name.endswith(".json")),
        key=lambda entry: entry.name,
    )
    return tuple(
        table for entry in found for table in read_tables(entry.read_bytes(), file=entry.name)
    )


def published_table(source: str) -> PublishedTable:
    """Return one printed table by its source, such as `VisualWebBench table 1`.

    Raises:
        UnknownNameError: There is no such table.
    """
    by_source = {table.source: table for table in published_tables()}
    try:
        return by_source[source]
    except KeyError:
        raise UnknownNameError("published table", source, by_source) from None


@cache
def published_rows(task: str) -> tuple[PublishedRow, ...]:
    """Return what papers print of a task; nothing where none is on record.

    >>> len(published_rows("visualwebbench/web_caption")), published_rows("screenqa/complex")
    (23, ())

    Raises:
        UnknownNameError: There is no such task.
    """
    protocols_of(task)
    return tuple(row for table in published_tables() for row in table.rows() if row.task == task)


@cache
def published_averages(of: str) -> tuple[PublishedRow, ...]:
    """Return the printed averages over several tasks: of `visualwebbench` or `mmbench-gui/l2`.

    >>> published_averages("visualwebbench")[0].metric
    'average'
    """
    return tuple(row for table in published_tables() for row in table.averages() if row.task == of)


def standing(rows: Iterable[PublishedRow], value: float) -> Standing:
    """Say between which published numbers a value stands.

    Args:
        rows: Numbers of one task, metric and part.
        value: 0..1.

    >>> where = standing(published_rows("visualwebbench/web_caption"), 0.3)
    >>> where.rank, where.of, where.below.model, where.above.model
    (3, 23, 'Claude-Sonnet', 'Gemini-1.5-Pro')

    Raises:
        MetricError: The rows are of several tasks, metrics or parts, which no value is among.
    """
    known = sorted(rows, key=lambda row: row.value)
    kinds = {(row.task, row.metric, row.part) for row in known}
    if len(kinds) > 1:
        named = "; ".join(" ".join(filter(None, kind)) for kind in sorted(kinds)[:3])
        raise MetricError(
            f"a value stands among numbers of one task, metric and part, not of {len(kinds)}:"
            f" {named}"
        )
    larger = [row for row in known if row.value > value]
    smaller = [row for row in known if row.value < value]
    return Standing(
        above=larger[0] if larger else None,
        equal=tuple(row for row in known if row.value == value),
        below=smaller[-1] if smaller else None,
        rank=len(larger) + 1,
        of=len(known),
    )


class _Table(msgspec.Struct, forbid_unknown_fields=True):
    """A table in a file; in `rows`, null is an empty cell."""

    name: str
    unit: Literal["percent", "fraction"]
    columns: tuple[PublishedColumn, ...]
    rows: dict[str, list[float | None]]


class _File(msgspec.Struct, forbid_unknown_fields=True):
    """A file of tables, all of one paper."""

    benchmark: str
    paper: str
    url: str
    tables: list[_Table]


def read_tables(data: bytes, *, file: str) -> tuple[PublishedTable, ...]:
    """Read a file of printed tables.

    Args:
        data: JSON: benchmark, paper, url and tables, each with its name, its unit (`percent` or
            `fraction`), its columns and its rows, model to one value or null a column.
        file: Its name, for messages.

    Raises:
        DataError: It is not of this form, a row is not as long as the columns are many, a column
            stands there twice, or a value is not within 0..1.
    """
    try:
        read = msgspec.json.decode(data, type=_File)
    except NO_JSON as error:
        raise DataError(f"expected a file of published tables; {error}", file=file) from error
    return tuple(_table(read, table, file) for table in read.tables)


def _table(read: _File, table: _Table, file: str) -> PublishedTable:
    names = [column.name for column in table.columns]
    if len(set(names)) != len(names):
        raise DataError("two columns have one name", file=file, field=table.name)
    scale = 100 if table.unit == "percent" else 1
    return PublishedTable(
        benchmark=read.benchmark,
        name=table.name,
        source=f"{read.paper} {table.name}",
        url=read.url,
        columns=table.columns,
        cells=MappingProxyType(
            {
                model: _cells(names, values, scale, place=(file, f"{table.name}: {model}"))
                for model, values in table.rows.items()
            }
        ),
    )


def _cells(
    names: Sequence[str], values: Sequence[float | None], scale: int, place: tuple[str, str]
) -> Mapping[str, float]:
    file, field = place
    if len(values) != len(names):
        raise DataError(
            f"the row has {len(values)} values for {len(names)} columns", file=file, field=field
        )
    cells = {
        name: round(value / scale, _DIGITS)
        for name, value in zip(names, values, strict=True)
        if value is not None
    }
    for name, value in cells.items():
        if not 0 <= value <= 1:
            raise DataError(f"{name} is {value}, not within 0..1", file=file, field=field)
    return MappingProxyType(cells)
