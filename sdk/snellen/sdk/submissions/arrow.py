"""Arrow's record batches, from parquet or from whatever exports a stream of them."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard, cast

from snellen.grading.errors import MissingExtraError, SubmissionError
from snellen.sdk.submissions.batch import Batch, Collector, Limits
from snellen.sdk.submissions.files import display, open_binary, size_of
from snellen.sdk.submissions.table import add_table, wanted_columns

if TYPE_CHECKING:
    import pyarrow as pa


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
