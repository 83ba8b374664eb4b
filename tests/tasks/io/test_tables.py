import csv
import gzip
import json
from collections.abc import Sequence
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from snellen.grading.errors import DataError
from snellen.tasks.io.tables import read_table


class Row(msgspec.Struct):
    name: str
    width: int
    share: float
    note: str = ""


class Other(msgspec.Struct):
    title: str


VALUES: list[dict[str, Any]] = [
    {"name": "a, b", "width": 3, "share": 0.5, "note": "x\ny"},
    {"name": "Ω", "width": 4, "share": 1.0, "note": None},
]
ROWS = [Row("a, b", 3, 0.5, "x\ny"), Row("Ω", 4, 1.0)]


def as_csv(values: Sequence[dict[str, Any]]) -> bytes:
    text = StringIO(newline="")
    rows = csv.DictWriter(text, list(values[0]))
    rows.writeheader()
    rows.writerows(values)
    return text.getvalue().encode("utf-8-sig")


def as_parquet(values: Sequence[dict[str, Any]]) -> bytes:
    file = BytesIO()
    pq.write_table(pa.Table.from_pylist(list(values)), file)  # pyright: ignore[reportUnknownMemberType]  # pyarrow's stubs leave list bare
    return file.getvalue()


def as_json(values: Sequence[dict[str, Any]]) -> bytes:
    return json.dumps(values).encode()


def as_lines(values: Sequence[dict[str, Any]]) -> bytes:
    return "\n".join(map(json.dumps, values)).encode()


FORMATS = {
    ".json": as_json,
    ".jsonl": as_lines,
    ".csv": as_csv,
    ".parquet": as_parquet,
}


def put(folder: Path, name: str, data: bytes) -> Path:
    (folder / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return folder / name


@pytest.mark.parametrize("compressed", ["", ".gz"])
@pytest.mark.parametrize("ending", FORMATS)
def test_the_same_rows_are_read_of_every_format(
    tmp_path: Path, ending: str, compressed: str
) -> None:
    file = put(tmp_path, f"rows{ending}{compressed}", FORMATS[ending](VALUES))
    part = read_table(file, (Row,))
    assert part.rows == ROWS
    assert list(part.columns) == ["name", "width", "share", "note"]
    assert list(part.groups) == [2]


@pytest.mark.parametrize("ending", FORMATS)
def test_the_type_of_rows_is_the_first_that_fits_the_columns(tmp_path: Path, ending: str) -> None:
    file = put(tmp_path, f"rows{ending}", FORMATS[ending]([{"title": "t", "more": "m"}]))
    assert read_table(file, (Row, Other)).rows == [Other("t")]


@pytest.mark.parametrize("ending", FORMATS)
def test_a_column_that_is_not_there_is_named(tmp_path: Path, ending: str) -> None:
    file = put(tmp_path, f"rows{ending}", FORMATS[ending]([{"name": "a", "width": 3}]))
    message = r"no column 'share', only name, width; this task reads name, width, share"
    with pytest.raises(DataError, match=message):
        read_table(file, (Row,))


@pytest.mark.parametrize("ending", FORMATS)
def test_a_value_of_another_type_is_named_with_its_row_and_field(
    tmp_path: Path, ending: str
) -> None:
    values = [{**row, "width": "wide"} for row in VALUES]
    file = put(tmp_path, f"rows{ending}", FORMATS[ending](values))
    with pytest.raises(DataError, match=r"field 'width': row 1 \(counted from 1\)"):
        read_table(file, (Row,))


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("rows.txt", b"", r"ends with \.json, \.jsonl, \.csv, \.parquet"),
        ("rows.csv", b"name,width,share\na,3,0.5,more\n", r"row 1 .* more cells than the header"),
        ("rows.csv", b'name,width,share\n"a,3,0.5\n', "is no CSV"),
        ("rows.csv", b"name,width,share,name\na,3,0.5,b\n", "the column 'name' is there twice"),
        ("rows.csv", "name\nä".encode("latin-1"), "is not UTF-8"),
        ("rows.csv", b"name,width,share\na,,0.5\n", "missing required field `width`"),
        ("rows.json", b"[{", "is no whole JSON file"),
        ("rows.json", b"[3]", "expected `object`"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_table(put(tmp_path, name, data), (Row,))


@pytest.mark.parametrize("ending", FORMATS)
def test_a_compressed_file_that_was_cut_off_is_refused(tmp_path: Path, ending: str) -> None:
    whole = gzip.compress(FORMATS[ending](VALUES))
    for data in (whole[:-9], b"plain"):
        file = tmp_path / f"rows{ending}.gz"
        file.write_bytes(data)
        with pytest.raises(DataError, match="is no whole gzip file"):
            read_table(file, (Row,))


@pytest.mark.parametrize("ending", FORMATS)
def test_a_table_without_rows_has_none(tmp_path: Path, ending: str) -> None:
    empty = {".csv": b"name,width,share\n", ".json": b"[]", ".jsonl": b"[]"}
    table = pa.table({name: pa.array([], pa.string()) for name in ("name", "width", "share")})
    file = BytesIO()
    pq.write_table(table, file)  # pyright: ignore[reportUnknownMemberType]  # pyarrow's stubs leave list bare
    data = empty.get(ending, file.getvalue())
    assert read_table(put(tmp_path, f"rows{ending}", data), (Row,)).rows == []
