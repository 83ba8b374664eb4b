"""Read ScreenQA's Hugging Face mirrors: parquet with the screenshots inside.

The columns are screen_id, question, ground_truth, file_name and image {bytes, path}.
"""

from typing import Any

from snellen.grading.errors import DataError
from snellen.grading.models.golds import Golds
from snellen.tasks.benchmarks.screenqa.format import (
    Layout,
    Rows,
    check_boxes,
    item_ids,
    screen,
)
from snellen.tasks.data.pins import digest_of_files
from snellen.tasks.io.files import SplitFiles
from snellen.tasks.io.parquet import ParquetImages, read_part
from snellen.tasks.io.rows import SPACE_NOTES, space_of

_IMAGE = "image"


def read(layout: Layout, files: SplitFiles) -> Rows:
    """Read one split, all its parts, without the images.

    Boxes count pixels or fractions: the mirrors do not say. If every side of the split lies in
    0..1 they are fractions, else pixels; the note says which.

    Raises:
        DataError: A file can't be read, or a row is not as documented.
        MissingExtraError: pyarrow is not installed.
    """
    parts = [read_part(path, layout.mirror_row, layout.mirror) for path in files.paths]
    golds: list[list[Any]] = []
    for part in parts:
        of_part = [layout.gold(row.ground_truth) for row in part.rows]
        if layout.boxed:
            check_boxes(of_part, str(part.path))
        golds += of_part
    if not golds:
        raise DataError("holds no questions", file=files.name)
    space = None
    if layout.boxed:
        elements = (element for raters in golds for rater in raters for element in rater)
        space = space_of(side for bounds, _ in elements for side in bounds)
    image_ids = [row.screen_id for part in parts for row in part.rows]
    shown = all(_IMAGE in part.columns for part in parts)
    return Rows(
        role=layout.mirror,
        split=files.split,
        path=files.name,
        sha256=digest_of_files(files.paths),
        ids=item_ids(files.split, image_ids),
        image_ids=image_ids,
        questions=[row.question for part in parts for row in part.rows],
        golds=Golds(golds),
        images=[screen()] * len(golds),
        space=space,
        note=SPACE_NOTES[space] if space else "",
        load_image=ParquetImages(parts, _IMAGE) if shown else None,
    )
