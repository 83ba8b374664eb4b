"""Read ScreenQA's Hugging Face mirrors: parquet with the screenshots inside.

The columns are screen_id, question, ground_truth, file_name and image {bytes, path}. The images
weigh a thousand times what the rest does, so they are read one row group at a time, when asked
for.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec

from snellen.grading.errors import DataError, MissingExtraError
from snellen.grading.models.geometry import Space
from snellen.tasks.pins import digest_of_files
from snellen.tasks.sources.screenqa_files import SplitFiles
from snellen.tasks.sources.screenqa_rows import (
    FETCH_AGAIN,
    Layout,
    Rows,
    check_boxes,
    misfit,
    row_error,
    screen,
)

if TYPE_CHECKING:
    from pyarrow import ChunkedArray
    from pyarrow.parquet import ParquetFile

_COLUMNS = ("screen_id", "question", "ground_truth")
_LFS_POINTER = b"version https://git-lfs"
_Questions = list[Annotated[str, msgspec.Meta(min_length=1)]]


class _Group(NamedTuple):
    path: Path
    number: int
    rows: int


def read(layout: Layout, files: SplitFiles) -> Rows:
    """Read one split, all its parts, without the images.

    Boxes count pixels or fractions: the mirrors do not say. If every bound of the split lies in
    0..1 they are fractions, else pixels; the note says which.

    Raises:
        DataError: A file can't be read, or a row is not as documented.
        MissingExtraError: pyarrow is not installed.
    """
    image_ids: list[str] = []
    questions: list[str] = []
    golds: list[list[Any]] = []
    groups: list[_Group] = []
    images = True
    for path in files.paths:
        file = str(path)
        with _open(path) as parquet:
            columns = _columns(parquet, file)
            groups += _groups(parquet, path)
            images = images and "image" in parquet.schema_arrow.names
        image_ids += _image_ids(columns["screen_id"], file)
        questions += _checked(columns["question"], _Questions, "question", file)
        truths = _checked(columns["ground_truth"], layout.truths, "ground_truth", file)
        part = [layout.gold(truth) for truth in truths]
        if layout.boxed:
            check_boxes(part, file)
        golds += part
    if not golds:
        raise DataError("holds no questions", file=files.name)
    space = _space(golds) if layout.boxed else None
    return Rows(
        role=layout.mirror,
        split=files.split,
        path=files.name if len(files.paths) == 1 else str(files.paths[0].parent),
        sha256=digest_of_files(files.paths),
        image_ids=image_ids,
        questions=questions,
        golds=golds,
        images=[screen()] * len(golds),
        space=space,
        note=_SPACE_NOTES[space] if space else "",
        load_image=_image_loader(groups) if images else None,
    )


def _open(path: Path) -> "ParquetFile":
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtraError(f"reading {path.name}", "parquet") from None
    try:
        return pq.ParquetFile(path)
    except (pa.ArrowException, OSError) as error:
        with path.open("rb") as file:
            pointer = file.read(len(_LFS_POINTER)) == _LFS_POINTER
        what = (
            "is a Git LFS pointer; run git lfs pull"
            if pointer
            else f"is no parquet: {_line(error)}"
        )
        raise DataError(f"{what} (or fetch it again)", file=str(path)) from None


def _line(error: Exception) -> str:
    """Return pyarrow's message, which may run over several lines, in one."""
    return " ".join(str(error).split())


def _groups(parquet: "ParquetFile", path: Path) -> list[_Group]:
    metadata = parquet.metadata
    return [
        _Group(path, number, metadata.row_group(number).num_rows)
        for number in range(metadata.num_row_groups)
    ]


def _columns(parquet: "ParquetFile", file: str) -> dict[str, list[Any]]:
    import pyarrow as pa

    names = parquet.schema_arrow.names
    missing = [column for column in _COLUMNS if column not in names]
    if missing:
        raise DataError(f"there is no column {missing[0]!r}, only {', '.join(names)}", file=file)
    try:
        table = parquet.read(columns=list(_COLUMNS))  # pyright: ignore[reportUnknownMemberType]  # pyarrow's stubs leave list bare
        return table.to_pydict()
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(f"is damaged: {_line(error)}; {FETCH_AGAIN}", file=file) from None


def _checked(values: Sequence[Any], type_: object, column: str, file: str) -> list[Any]:
    try:
        return msgspec.convert(values, type_)
    except msgspec.ValidationError as error:
        raise row_error(error, file, column) from None


def _image_ids(values: Sequence[object], file: str) -> list[str]:
    for row, value in enumerate(values):
        if not (isinstance(value, str) and value.isascii() and value.isdigit()):
            raise misfit(f"{value!r} is not the number of a screenshot", file, row, "screen_id")
    return [str(value) for value in values]


_SPACE_NOTES = {
    Space.UNIT: "boxes taken as fractions of the image: every bound lies in 0..1",
    Space.PIXELS: "boxes taken as pixels: not every bound lies in 0..1",
}


def _space(golds: Iterable[Sequence[Any]]) -> Space:
    bounds = (bounds for raters in golds for elements in raters for bounds, _ in elements)
    fractions = all(0 <= bound <= 1 for four in bounds for bound in four)
    return Space.UNIT if fractions else Space.PIXELS


def _image_loader(groups: Sequence[_Group]) -> Callable[[int], bytes]:
    ends = list(accumulate(group.rows for group in groups))

    # One group stays in memory: items asked for in order, and questions on one screen, share it.
    @lru_cache(maxsize=1)
    def images(place: int) -> "ChunkedArray[Any]":
        return _image_bytes(groups[place])

    def load(index: int) -> bytes:
        place = bisect_right(ends, index)
        group = groups[place]
        data: object = images(place)[index - (ends[place] - group.rows)].as_py()
        if not isinstance(data, bytes) or not data:
            raise DataError(
                f"there are no image bytes in row {index + 1} of the split; give images=FOLDER",
                file=str(group.path),
                field="image",
            )
        return data

    return load


def _image_bytes(group: _Group) -> "ChunkedArray[Any]":
    import pyarrow as pa

    with _open(group.path) as parquet:
        try:
            table = parquet.read_row_group(group.number, columns=["image"])  # pyright: ignore[reportUnknownMemberType]  # pyarrow's stubs leave list bare
            return table.flatten().column("image.bytes")
        except (pa.ArrowException, OSError, KeyError) as error:
            raise DataError(
                f"its images can't be read: {_line(error)}; give images=FOLDER",
                file=str(group.path),
            ) from None
