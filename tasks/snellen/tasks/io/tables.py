"""Rows of a table in any of the formats that tables are published in.

JSON (a list of objects), JSON Lines, CSV with a header, and parquet; each may be compressed with
gzip (`.gz`).
"""

import csv
from collections.abc import Collection, Sequence
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec

from snellen.grading.errors import DataError
from snellen.grading.models.base import NO_JSON
from snellen.tasks.data.pins import read_bytes
from snellen.tasks.io.files import DATA, format_of
from snellen.tasks.io.json_text import JsonText
from snellen.tasks.io.parquet import Part, columns_of, plain_part, read_part
from snellen.tasks.io.rows import FETCH_AGAIN, converted, misfit, row_error

Kind = type[msgspec.Struct]


def read_table(path: Path, kinds: Sequence[Kind], images: Collection[str] = ()) -> Part:
    """Read the rows of a file.

    Args:
        path: The file. Its name says its format.
        kinds: The types that a row may have, of which one is the type of all: the first whose
            required fields the table has as columns, else the first.
        images: The columns of parquet that hold images, and are not read.

    Returns:
        The file, its rows, the names of its columns, and how many rows its groups have.

    Raises:
        DataError: It can't be read, its name has another ending, a column is not there, or a row
            is not of its type.
        MissingExtraError: It is parquet, and pyarrow is not installed.
    """
    ending = format_of(path)
    if ending not in DATA:
        raise DataError(f"expected a file that ends with {', '.join(DATA)}", file=str(path))
    if ending == ".parquet":
        kind = _kind(kinds, columns_of(path))
        return read_part(path, kind, ", ".join(_required(kind)), images)
    columns, values = _from_csv(path) if ending == ".csv" else _from_json(path)
    kind = _kind(kinds, columns)
    for name in _required(kind):
        if columns and not any(name in row for row in (dict.fromkeys(columns), *values)):
            raise DataError(
                f"there is no column {name!r}, only {', '.join(columns)}; this task reads"
                f" {', '.join(_required(kind))}",
                file=str(path),
            )
    try:
        rows = converted(values, list[kind], strict=ending != ".csv")
    except msgspec.ValidationError as error:
        raise row_error(error, str(path), list[kind]) from None
    return Part(path, rows, columns, (len(rows),))


class PlainRows(NamedTuple):
    """A table as it stands."""

    columns: Sequence[str]  # those of the first row, without pictures
    rows: Sequence[dict[str, Any]]
    pictures: Sequence[str] = ()  # columns of parquet that hold images


def plain_rows(path: Path) -> PlainRows:
    """Read the rows of a file as they stand, without images; errors are those of `read_table`."""
    ending = format_of(path)
    if ending not in DATA:
        raise DataError(f"expected a file that ends with {', '.join(DATA)}", file=str(path))
    if ending == ".parquet":
        return PlainRows(*plain_part(path))
    columns, rows = _from_csv(path) if ending == ".csv" else _from_json(path)
    return PlainRows(columns, rows)


def _required(kind: Kind) -> list[str]:
    return [field.name for field in msgspec.structs.fields(kind) if field.required]


def _kind(kinds: Sequence[Kind], columns: Sequence[str]) -> Kind:
    fitting = (kind for kind in kinds if set(_required(kind)) <= set(columns))
    return next(fitting, kinds[0])


_Rows = list[dict[str, Any]]


def _from_json(path: Path) -> tuple[list[str], _Rows]:
    """Return the names of the columns, which are the first row's, and the rows."""
    text = JsonText(read_bytes(path), str(path))
    lines = list(text.lines)
    if format_of(path) == ".jsonl" and len(lines) == 1 and lines[0].data.lstrip()[:1] == b"{":
        # One line of a file of lines is one row.
        rows = [lines[0].rows(dict[str, Any])]
    else:
        rows = _inside(text) or text.rows(_Rows)
    return list(rows[0]) if rows else [], rows


def _inside(text: JsonText) -> _Rows | None:
    """Return the rows of an object that holds one list of them; None if it is something else."""
    if len(text.data) > 1 and text.data.lstrip()[:1] != b"{":
        return None
    try:
        lists = [value for value in msgspec.json.decode(text.data).values() if _is_rows(value)]
    except NO_JSON:
        return None
    return lists[0] if len(lists) == 1 else None


def _is_rows(value: object) -> bool:
    rows = cast("list[object]", value) if isinstance(value, list) else []
    return bool(rows) and all(isinstance(one, dict) for one in rows)


def _from_csv(path: Path) -> tuple[list[str], _Rows]:
    """Return the header and the rows of a table of texts, in which an empty cell is no value."""
    try:
        text = read_bytes(path).decode("utf-8-sig")
        reader = csv.DictReader(StringIO(text, newline=""), strict=True)
        rows = list(reader)
    except UnicodeDecodeError as error:
        what = f"is not UTF-8 ({error.reason}); {FETCH_AGAIN}"
        raise DataError(what, file=str(path)) from None
    except csv.Error as error:
        raise DataError(f"is no CSV: {error}; {FETCH_AGAIN}", file=str(path)) from None
    columns = list(reader.fieldnames or ())
    if twice := [name for name in columns if columns.count(name) > 1]:
        raise DataError(f"the column {twice[0]!r} is there twice", file=str(path))
    for number, row in enumerate(rows):
        if None in row:
            raise misfit("has more cells than the header", str(path), number, None)
    filled = [{name: cell for name, cell in row.items() if cell} for row in rows]
    return columns, filled
