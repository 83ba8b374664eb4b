"""Read VisualWebBench's parquet files, as the Hugging Face hub publishes them."""

from collections.abc import Callable
from typing import Any

from snellen.grading.errors import DataError
from snellen.tasks.benchmarks.visualwebbench.format import (
    Layout,
    Rows,
    check,
    item_ids,
    note_of,
    space_in,
)
from snellen.tasks.data.pins import digest_of_files
from snellen.tasks.io.files import SplitFiles
from snellen.tasks.io.parquet import GIVE_FOLDER, ParquetImages, read_part

# In JSON these are the names of files; here they hold the images.
_IMAGES = ("image", "raw_image")


def read(layout: Layout, files: SplitFiles) -> Rows:
    """Read one split, all its parts, without the images.

    Raises:
        DataError: A file can't be read, or a row is not as documented.
        MissingExtraError: pyarrow is not installed.
    """
    parts = [read_part(path, layout.row, layout.config, _IMAGES) for path in files.paths]
    for part in parts:
        check(layout, part.rows, str(part.path))
    rows: list[Any] = [row for part in parts for row in part.rows]
    space = space_in(layout, rows)
    shown = all(layout.image in part.columns for part in parts)
    return Rows(
        role=layout.config,
        split=files.split,
        path=files.name,
        sha256=digest_of_files(files.paths),
        ids=item_ids(files.split, rows),
        rows=rows,
        load_image=ParquetImages(parts, layout.image) if shown else _no_column(layout, files),
        space=space,
        note=note_of(rows, space),
    )


def _no_column(layout: Layout, files: SplitFiles) -> Callable[[int, str], bytes] | None:
    if layout.image == "image":
        return None

    def refuse(_: int, __: str) -> bytes:
        raise DataError(
            f"there is no column {layout.image!r}, and the other image shows the candidates;"
            f" {GIVE_FOLDER} with {layout.image}/ID.png",
            file=files.name,
            field=layout.image,
        )

    return refuse
