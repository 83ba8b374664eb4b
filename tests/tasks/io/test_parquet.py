from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from snellen.grading.errors import DataError
from snellen.tasks.io.parquet import ParquetImages, read_part

IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])


class Row(msgspec.Struct):
    id: int
    note: str | None = None
    image: str | None = None


def write(path: Path, columns: dict[str, Any], group: int | None = None) -> Path:
    pq.write_table(pa.table(columns), path, row_group_size=group)  # pyright: ignore[reportUnknownMemberType]  # pyarrow's stubs leave list bare
    return path


def shown(*names: str) -> "pa.Array[Any]":
    return pa.array([{"bytes": name.encode(), "path": None} for name in names], IMAGE)


def test_only_the_columns_that_are_fields_are_read(tmp_path: Path) -> None:
    columns = {"id": [1, 2, 3], "image": shown("a", "b", "c"), "other": [[1], [], [2]]}
    part = read_part(write(tmp_path / "a.parquet", columns, 2), Row, "a task", ["image"])
    assert part.rows == [Row(1), Row(2), Row(3)]
    assert list(part.columns) == ["id", "image", "other"]
    assert list(part.groups) == [2, 1]


def test_a_required_column_must_be_there_and_another_need_not(tmp_path: Path) -> None:
    assert read_part(write(tmp_path / "a.parquet", {"id": [1]}), Row, "a").rows == [Row(1)]
    path = write(tmp_path / "b.parquet", {"note": ["x"]})
    with pytest.raises(DataError, match="no column 'id', only note; this task reads webqa"):
        read_part(path, Row, "webqa")


def test_a_row_of_another_type_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", {"id": [1, None]})
    with pytest.raises(DataError, match=r"field 'id': row 2 \(counted from 1\): expected `int`"):
        read_part(path, Row, "a")


def test_images_are_found_across_parts_and_groups(tmp_path: Path) -> None:
    names = [str(place) for place in range(7)]
    bounds = [(0, 3), (3, 3), (3, 7)]
    parts = [
        read_part(
            write(
                tmp_path / f"{number}.parquet",
                {"id": list(range(start, end)), "image": shown(*names[start:end])},
                2,
            ),
            Row,
            "a",
            ["image"],
        )
        for number, (start, end) in enumerate(bounds)
    ]
    load = ParquetImages(parts, "image")
    for place in (*range(7), 6, 0, 3):
        assert load(place, "screen") == names[place].encode()


def test_a_row_without_bytes_is_named_by_its_number_in_the_split(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", {"id": [1, 2], "image": shown("a", "")})
    load = ParquetImages([read_part(path, Row, "a", ["image"])], "image")
    with pytest.raises(DataError, match=r"row 2 of the split .*; give images=FOLDER") as caught:
        load(1, "screen")
    assert (caught.value.file, caught.value.field) == (str(path), "image")
