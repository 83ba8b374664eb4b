"""Small external tables, whole in memory: rows of named cells, each with its line.

For data in addition to a run (tags of items, numbers of other benchmarks). Unlike for submissions,
nothing is skipped: a fault raises an error that names the file, line and column.
"""

import csv
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias, cast

import msgspec

from snellen.grading.errors import InputError
from snellen.grading.models.base import NO_JSON

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_LINES = (".jsonl", ".ndjson")
_TO_RECORDS: tuple[tuple[str, dict[str, str]], ...] = (
    ("to_dicts", {}),  # polars
    ("to_pylist", {}),  # Arrow
    ("to_dict", {"orient": "records"}),  # pandas
)
_MISSING_OF_PANDAS = frozenset(("NAType", "NaTType"))


class Frame(Protocol):
    """A pandas, polars or Arrow table, for the type checker."""

    @property
    def columns(self) -> object:
        """The columns, or their names."""
        ...


Records: TypeAlias = str | os.PathLike[str] | Iterable[Mapping[str, object]] | Frame
"""Where a table can come from: a path, dicts, or a frame."""


class Row(NamedTuple):
    """The cells of one row by column, and its line in the file (or its number, from 1)."""

    line: int
    cells: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class SmallTable:
    """A table."""

    names: tuple[str, ...]  # its columns, in order
    rows: tuple[Row, ...]  # its rows; an empty cell is None or has no entry
    file: str | None = None  # the file; None for a table in memory

    def text(self, row: Row, name: str, advice: str = "") -> str | None:
        """Return a cell as text; None if it is empty.

        Args:
            row: The row.
            name: The cell's column.
            advice: Ends the error's message.

        Raises:
            InputError: It is a list or an object, or not a JSON value.
        """
        try:
            return cell_text(row.cells.get(name))
        except ValueError as error:
            raise self.fault(row, name, f"{error}{advice}") from error

    def fault(self, row: Row, name: str, message: str) -> InputError:
        """Return the error of a cell, with its file, line and column."""
        return InputError(message, file=self.file, line=row.line, field=name)


def read_small_table(source: Records) -> SmallTable:
    """Read a table.

    Args:
        source: A path to a `.csv` or `.tsv` (UTF-8, a header, double quotes) or to a `.jsonl` (one
            object per line); dicts; or a pandas, polars or Arrow table.

    Returns:
        The table. Cells of a file with a header are text without surrounding space; other cells are
        the values of the JSON or the frame. Blank lines are skipped.

    Raises:
        InputError: It can't be read, a row does not fit the header, a column occurs twice, or there
            are no rows.
    """
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        table = _read_path(path)
    else:
        table = _of_records(_records(source), None)
    if not table.rows:
        raise InputError("it has no rows", file=table.file)
    return table


def cell_text(value: object) -> str | None:
    """Return a cell as text; None if it is empty.

    An integer is written without a point, because frames store integer columns with gaps as floats.

    >>> cell_text(3.0), cell_text(" "), cell_text(True), cell_text(0.5)
    ('3', None, 'true', '0.5')

    Raises:
        ValueError: It is a list or an object, or not a JSON value.
    """
    if value is None or (isinstance(value, float) and value != value):
        return None
    if type(value).__name__ in _MISSING_OF_PANDAS:
        return None
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, int | float):
        return str(value)
    raise ValueError(f"a value of type {type(value).__name__} is not one text or number")


def _read_path(path: Path) -> SmallTable:
    ending = path.suffix.lower()
    if ending not in (*_DELIMITERS, *_LINES):
        known = ", ".join((*_DELIMITERS, *_LINES))
        shown = f"a file that ends in {ending!r}" if ending else "a file without an ending"
        raise InputError(f"can't read a table from {shown}; known: {known}", file=str(path))
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"it can't be read: {error.strerror}", file=str(path)) from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"not UTF-8 (byte {error.start + 1}); save the file as UTF-8", file=str(path)
        ) from error
    if ending in _LINES:
        return _read_lines(text, str(path))
    return _read_cells(text, _DELIMITERS[ending], str(path))


def _read_cells(text: str, delimiter: str, file: str) -> SmallTable:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header: tuple[str, ...] | None = None
    rows: list[Row] = []
    while True:
        line = reader.line_num + 1
        try:
            cells = [cell.strip() for cell in next(reader)]
        except StopIteration:
            return SmallTable(header or (), tuple(rows), file)
        except csv.Error as error:
            raise InputError(
                f"{error}; check the double quotes from here on", file=file, line=line
            ) from error
        if not any(cells):
            continue
        if header is None:
            header = _header(cells, file, line)
            continue
        if len(cells) != len(header):
            raise InputError(
                f"the row has {len(cells)} cells, the header {len(header)}; put a cell that has"
                " a separator in it in double quotes",
                file=file,
                line=line,
            )
        rows.append(Row(line, dict(zip(header, (cell or None for cell in cells), strict=True))))


def _header(names: Sequence[str], file: str | None, line: int | None) -> tuple[str, ...]:
    for number, name in enumerate(names, 1):
        if not name:
            raise InputError(f"column {number} has no name", file=file, line=line)
        if names.index(name) + 1 != number:
            raise InputError(
                "there are two columns of that name; keep one", file=file, line=line, field=name
            )
    return tuple(names)


def _read_lines(text: str, file: str) -> SmallTable:
    names: dict[str, None] = {}
    rows: list[Row] = []
    for line, record in enumerate(text.split("\n"), 1):
        if not record.strip():
            continue
        try:
            cells = msgspec.json.decode(record, type=dict[str, object])
        except NO_JSON as error:
            raise InputError(f"not one JSON object: {error}", file=file, line=line) from error
        names |= dict.fromkeys(cells)
        rows.append(Row(line, cells))
    return SmallTable(tuple(names), tuple(rows), file)


def _records(source: object) -> Iterable[object]:
    """Return the rows of a frame or of an iterable as dicts."""
    kind = type(source).__name__
    if kind == "LazyFrame":
        raise InputError("a LazyFrame has no rows yet; give its .collect()")
    if kind == "Series":
        raise InputError("a Series is one column; give a frame that has the key, too")
    if not isinstance(source, Mapping):
        for method, options in _TO_RECORDS:
            convert = getattr(source, method, None)
            if callable(convert):
                return cast("Iterable[object]", convert(**options))
        if isinstance(source, Iterable):
            return cast("Iterable[object]", source)
    raise InputError(f"can't read a table from a value of type {kind}")


def _of_records(records: Iterable[object], file: str | None) -> SmallTable:
    names: dict[str, None] = {}
    rows: list[Row] = []
    for line, record in enumerate(records, 1):
        if not isinstance(record, Mapping):
            raise InputError(
                f"expected a dict, column to value, not {type(record).__name__}",
                file=file,
                line=line,
            )
        cells = {str(name): cell for name, cell in cast("Mapping[object, object]", record).items()}
        names |= dict.fromkeys(cells)
        rows.append(Row(line, cells))
    return SmallTable(tuple(names), tuple(rows), file)
