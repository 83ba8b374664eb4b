"""pandas and polars frames, recognized by their types' names: neither library is imported here."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol, Self, cast

from snellen.grading.errors import SubmissionError
from snellen.sdk.submissions.arrow import is_stream, read_stream
from snellen.sdk.submissions.batch import Batch, Collector, Limits
from snellen.sdk.submissions.table import add_table, wanted_columns

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
