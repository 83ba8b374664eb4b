"""Read rows of parquet files, and their images when these are asked for.

An image column weighs a thousand times what the rest does: rows are read without it, images one
row group at a time.
"""

from bisect import bisect_right
from collections.abc import Collection, Sequence
from functools import lru_cache
from io import BytesIO
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from snellen.grading.errors import DataError, MissingExtraError
from snellen.tasks.data.pins import GZIP, read_bytes
from snellen.tasks.io.images import LFS_POINTER
from snellen.tasks.io.rows import FETCH_AGAIN, converted, row_error

if TYPE_CHECKING:
    from pyarrow import ChunkedArray
    from pyarrow.parquet import ParquetFile

GIVE_FOLDER = "give images=FOLDER"


class Part(NamedTuple):
    """One file of a split."""

    path: Path  # the file
    rows: Sequence[Any]
    columns: Sequence[str]  # the names of all its columns, those that were not read too
    groups: Sequence[int]  # how many rows each of its row groups has


def read_part(path: Path, row: type[Any], reads: str, images: Collection[str] = ()) -> Part:
    """Read one file's rows, of the columns that are fields of theirs.

    Args:
        path: The file.
        row: The msgspec type of a row; a column that it requires must be there.
        reads: What the task reads, for the message that a column is not there.
        images: The fields that hold images in parquet, and are not read.

    Raises:
        DataError: It can't be read, or a row is not of its type.
        MissingExtraError: pyarrow is not installed.
    """
    file = str(path)
    fields = [field for field in msgspec.structs.fields(row) if field.name not in images]
    with _open(path) as parquet:
        import pyarrow as pa

        columns: list[str] = parquet.schema_arrow.names
        for field in fields:
            if field.required and field.name not in columns:
                raise DataError(
                    f"there is no column {field.name!r}, only {', '.join(columns)}; this task"
                    f" reads {reads}",
                    file=file,
                )
        wanted = [field.name for field in fields if field.name in columns]
        groups = parquet.metadata
        counts = [groups.row_group(number).num_rows for number in range(groups.num_row_groups)]
        try:
            table = parquet.read(columns=wanted)  # pyright: ignore[reportUnknownMemberType]  # pyarrow's stubs leave list bare
            values = table.to_pylist()
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise DataError(f"is damaged: {_line(error)}; {FETCH_AGAIN}", file=file) from None
    try:
        return Part(path, converted(values, list[row]), columns, counts)
    except msgspec.ValidationError as error:
        raise row_error(error, file, list[row]) from None


class _Group(NamedTuple):
    path: Path
    number: int
    rows: int


class ParquetImages:
    """The images inside parquet files: what `TaskData.load_image` takes.

    Args:
        parts: The files of a split, in order.
        column: The column of structs {bytes, path}.
    """

    def __init__(self, parts: Sequence[Part], column: str) -> None:
        self._groups = [
            _Group(part.path, number, rows)
            for part in parts
            for number, rows in enumerate(part.groups)
        ]
        self._ends = list(accumulate(group.rows for group in self._groups))
        self._column = column
        # One group stays in memory, encoded: items asked for in order share it.
        self._images = lru_cache(maxsize=1)(self._read)

    def __call__(self, index: int, name: str) -> bytes:
        """Return the bytes of an item's one image, whatever its name.

        Raises:
            DataError: The row has none, or they can't be read.
        """
        position = bisect_right(self._ends, index)
        group = self._groups[position]
        data: object = self._images(position)[index - (self._ends[position] - group.rows)].as_py()
        if isinstance(data, bytes) and data:
            return data
        raise DataError(
            f"row {index + 1} of the split holds no bytes of an image; {GIVE_FOLDER}",
            file=str(group.path),
            field=self._column,
        )

    def _read(self, position: int) -> "ChunkedArray[Any]":
        import pyarrow as pa

        path, number, _ = self._groups[position]
        leaf = f"{self._column}.bytes"
        with _open(path) as parquet:
            try:
                table = parquet.read_row_group(number, columns=[leaf])  # pyright: ignore[reportUnknownMemberType]  # pyarrow's stubs leave list bare
                return table.flatten().column(leaf)
            except (pa.ArrowException, OSError, KeyError) as error:
                raise DataError(
                    f"its images can't be read: {_line(error)}; {GIVE_FOLDER}",
                    file=str(path),
                    field=self._column,
                ) from None


def columns_of(path: Path) -> Sequence[str]:
    """Return the names of a file's columns.

    Raises:
        DataError: It can't be read.
        MissingExtraError: pyarrow is not installed.
    """
    with _open(path) as parquet:
        return parquet.schema_arrow.names


def plain_part(path: Path) -> tuple[list[str], list[dict[str, Any]], list[str]]:
    """Return the columns of a file, its rows as they stand, and the columns that hold images.

    Raises:
        DataError: It can't be read.
        MissingExtraError: pyarrow is not installed.
    """
    with _open(path) as parquet:
        import pyarrow as pa

        schema = parquet.schema_arrow
        kinds = dict(zip(schema.names, map(str, schema.types), strict=True))
        # Bytes, or a struct {bytes, path} of them.
        pictures = [name for name, kind in kinds.items() if "binary" in kind]
        plain = [name for name in kinds if name not in pictures]
        try:
            rows = parquet.read(columns=plain).to_pylist()  # pyright: ignore[reportUnknownMemberType]  # pyarrow's stubs leave list bare
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise DataError(f"is damaged: {_line(error)}; {FETCH_AGAIN}", file=str(path)) from None
    return plain, rows, pictures


def _open(path: Path) -> "ParquetFile":
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtraError(f"reading {path.name}", "parquet") from None
    try:
        return pq.ParquetFile(BytesIO(read_bytes(path)) if path.suffix == GZIP else path)
    except (pa.ArrowException, OSError) as error:
        with path.open("rb") as file:
            pointer = file.read(len(LFS_POINTER)) == LFS_POINTER
        what = (
            "is a Git LFS pointer; run git lfs pull or fetch it again"
            if pointer
            else f"is no parquet: {_line(error)}; fetch it again"
        )
        raise DataError(what, file=str(path)) from None


def _line(error: Exception) -> str:
    """Return pyarrow's message, which may run over several lines, in one."""
    return " ".join(str(error).split())
