"""Frames of pandas and polars, parquet, and whatever else exports a stream of Arrow batches.

Frames are recognized by their types' names: neither library is imported here.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeGuard, cast

from snellen.grading.errors import MissingExtraError, SubmissionError
from snellen.sdk.submissions.batch import Batch, Collector, Limits
from snellen.sdk.submissions.files import display, open_binary, size_of
from snellen.sdk.submissions.tabular import add_table, wanted_columns

if TYPE_CHECKING:
    import pyarrow as pa


_KINDS = ("DataFrame", "LazyFrame", "Series")


class _Cells(Protocol):
    """A column of pandas: what is used of it."""

    @property
    def iloc(self) -> Mapping[slice, Self]: ...
    def tolist(self) -> list[object]: ...
    def isna(self) -> Self: ...
    def any(self) -> bool: ...


class _Pandas(Protocol):
    """A frame of pandas."""

    columns: Iterable[object]

    def __len__(self) -> int: ...
    def __getitem__(self, name: str, /) -> _Cells: ...


class _Column(Protocol):
    """A column of polars."""

    def to_list(self) -> list[object]: ...


class _Polars(Protocol):
    """A frame of polars."""

    columns: Iterable[object]

    def __len__(self) -> int: ...
    def slice(self, start: int, length: int, /) -> Self: ...
    def get_column(self, name: str, /) -> _Column: ...


def read_frame(source: object, limits: Limits) -> Iterator[Batch] | None:
    """Read a frame or an Arrow stream; return None for what is neither.

    Raises:
        SubmissionError: It is a part of a frame, or a frame that was not collected.
    """
    match _kind(source):
        case "pandas.DataFrame":
            return _read_pandas(cast("_Pandas", source), limits)
        case "polars.DataFrame":
            return _read_polars(cast("_Polars", source), limits)
        case "polars.LazyFrame":
            raise SubmissionError("a LazyFrame has no rows yet; give its .collect()")
        case "pandas.Series" | "polars.Series":
            raise SubmissionError("a Series is one column; give a frame with item_id and response")
        case _:
            return read_stream(source, limits) if is_stream(source) else None


def _kind(source: object) -> str:
    """Return which of the two libraries' types a value is of, as `pandas.DataFrame`, or nothing."""
    for kind in type(source).__mro__:
        library = kind.__module__.partition(".")[0]
        if library in ("pandas", "polars") and kind.__name__ in _KINDS:
            return f"{library}.{kind.__name__}"
    return ""


def _read_pandas(frame: _Pandas, limits: Limits) -> Iterator[Batch]:
    collector = Collector(limits)
    names = wanted_columns(collector, list(frame.columns))
    for start in range(0, len(frame), limits.chunk):
        columns = {
            field: _pandas_cells(frame[name].iloc[start : start + limits.chunk])
            for field, name in names.items()
        }
        stop = start + len(next(iter(columns.values())))
        add_table(collector, columns, range(start + 1, stop + 1))
        yield from collector.ready()
    yield from collector.rest()


def _pandas_cells(series: _Cells) -> list[object]:
    cells = series.tolist()
    missing = series.isna()
    if not missing.any():
        return cells
    return [None if gone else cell for cell, gone in zip(cells, missing.tolist(), strict=True)]


def _read_polars(frame: _Polars, limits: Limits) -> Iterator[Batch]:
    collector = Collector(limits)
    names = wanted_columns(collector, list(frame.columns))
    for start in range(0, len(frame), limits.chunk):
        part = frame.slice(start, limits.chunk)
        columns = {field: part.get_column(name).to_list() for field, name in names.items()}
        add_table(collector, columns, range(start + 1, start + len(part) + 1))
        yield from collector.ready()
    yield from collector.rest()


def read_parquet(path: str, limits: Limits) -> Iterator[Batch]:
    """Read the columns of a parquet file that matter, and no others.

    Raises:
        SubmissionError: It is no parquet file, or a damaged one.
        MissingExtraError: pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtraError("reading parquet", "parquet") from error
    file = display(path)
    with open_binary(path) as raw:
        size = size_of(raw) or 0
        collector = Collector(limits, file, size)
        try:
            with pq.ParquetFile(raw) as parquet:
                names = wanted_columns(collector, parquet.schema_arrow.names)
                rows = 0
                for batch in parquet.iter_batches(  # pyright: ignore[reportUnknownMemberType]  # stubs: bare list
                    batch_size=limits.chunk, columns=list(names.values())
                ):
                    _add(collector, batch, names, rows + 1)
                    rows += batch.num_rows
                    collector.bytes_read = size * rows // max(parquet.metadata.num_rows, 1)
                    yield from collector.ready()
        except (OSError, pa.ArrowException) as error:
            raise SubmissionError(
                f"it is not a parquet file, or is truncated ({str(error).splitlines()[0]});"
                " write or copy it again",
                file=file,
            ) from error
        yield from collector.rest()


class Stream(Protocol):
    """Anything that exports an Arrow stream."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return a capsule of the stream."""
        ...


def is_stream(source: object) -> TypeGuard[Stream]:
    """Whether a value exports an Arrow stream."""
    return hasattr(source, "__arrow_c_stream__")


def read_stream(source: Stream, limits: Limits) -> Iterator[Batch]:
    """Read anything that exports an Arrow stream, such as a pyarrow Table.

    Raises:
        SubmissionError: It has not the right columns.
        MissingExtraError: pyarrow is not installed.
    """
    try:
        import pyarrow as pa
    except ImportError as error:
        raise MissingExtraError("reading an Arrow stream", "parquet") from error
    collector = Collector(limits)
    rows = 0
    with pa.RecordBatchReader.from_stream(source) as reader:
        names = wanted_columns(collector, reader.schema.names)
        for whole in reader:
            for start in range(0, whole.num_rows, limits.chunk):
                batch = whole.slice(start, limits.chunk)
                _add(collector, batch, names, rows + 1)
                rows += batch.num_rows
                yield from collector.ready()
    yield from collector.rest()


def _add(
    collector: Collector, batch: "pa.RecordBatch", names: Mapping[str, str], first: int
) -> None:
    columns = {
        field: _cells(cast("pa.Array[Any]", batch.column(name))) for field, name in names.items()
    }
    add_table(collector, columns, range(first, first + batch.num_rows))


def _cells(column: "pa.Array[Any]") -> list[object]:
    try:
        return list(column.to_pylist())
    except UnicodeDecodeError:
        # Parquet's writers need not check text. The check of records refuses the surrogates.
        import pyarrow as pa

        raw: list[bytes | None] = column.cast(pa.binary()).to_pylist()
        return [cell and cell.decode("utf-8", "surrogateescape") for cell in raw]
