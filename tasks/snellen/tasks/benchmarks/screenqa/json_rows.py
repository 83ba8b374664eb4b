"""Read ScreenQA's JSON files, as Google Research publishes them."""

from typing import Any

from snellen.grading.errors import DataError
from snellen.grading.models.geometry import Space
from snellen.grading.models.golds import Golds
from snellen.tasks.benchmarks.screenqa.format import (
    JsonRow,
    Layout,
    Rows,
    check_boxes,
    item_ids,
    screen,
)
from snellen.tasks.io.files import SplitFiles
from snellen.tasks.io.json_text import read_json


def read(layout: Layout, files: SplitFiles) -> Rows:
    """Read one split.

    Raises:
        DataError: The file can't be read, or a row is not as documented.
    """
    text = read_json(files.paths[0])
    rows: list[JsonRow[Any]] = text.rows(list[layout.row])
    if not rows:
        raise DataError("holds no questions", file=text.file)
    golds = [layout.gold(row.ground_truth) for row in rows]
    if layout.boxed:
        check_boxes(golds, text.file)
    image_ids = [str(row.image_id) for row in rows]
    return Rows(
        role=layout.folder,
        split=files.split,
        path=text.file,
        sha256=text.sha256,
        ids=item_ids(files.split, image_ids),
        image_ids=image_ids,
        questions=[row.question for row in rows],
        golds=Golds(golds),
        images=[screen(row.image_width, row.image_height) for row in rows],
        space=Space.PIXELS if layout.boxed else None,
    )
