"""A set of elements to point at, whatever its columns are called.

What the columns are is told by their names, as people publish such sets: ScreenSpot-Pro's, v2's,
OSWorld-G's, lmms-eval's and their like. What the four numbers of a box are is told by all of them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from statistics import median
from typing import Any, cast

from snellen.grading.errors import DataError
from snellen.tasks.benchmarks import point_rows
from snellen.tasks.benchmarks.point_table import Columns, PointTable
from snellen.tasks.io.files import DATA, find_files
from snellen.tasks.io.tables import PlainRows, plain_rows
from snellen.tasks.models import TaskData

POINT = "points/point"
_ALL = "all"
_FILES = tuple(f"{folder}*{ending}" for folder in ("", "annotations/", "data/") for ending in DATA)
# fmt: off
_BOX = (
    "bbox", "box", "bounding_box", "box_coordinates", "gt_bbox", "gt_box", "target_box", "bbox_2d",
    "absolute_bbox", "abs_box", "abs_position", "rect", "polygon", "region",
)
_INSTRUCTION = (
    "instruction", "prompt_to_evaluate", "question", "query", "prompt", "command", "expression",
    "referring_expression", "description", "text", "goal", "task",
)
_ID = ("id", "item_id", "sample_id", "question_id", "data_id", "uid", "key", "index", "idx")
_IMAGE = (
    "img_filename", "image", "image_path", "file_name", "img_path", "image_file", "img",
    "filename", "screenshot", "screenshot_path", "img_url",
)
_SIZE = (
    "img_size", "image_size", "size", "resolution", ("img_width", "img_height"),
    ("image_width", "image_height"), ("width", "height"),
)
# fmt: on
_REFUSED = {"bbox", "polygon", "refusal"}
_FEW_VALUES = 100
_SHORT = 60
_FEWEST = 2
"""A single inverted box is a fault of its row, and not the order of all."""
_REFUSAL = """


If what the instruction means is not on the screenshot, reply with (-1, -1).

Instruction: {question}"""


def load(
    task: str,
    path: str | Path,
    split: str | None = None,
    images: str | Path | None = None,
    prompt: str | None = None,
) -> TaskData:
    """Load a set of elements to point at.

    Args:
        task: `points/point`.
        path: A file of JSON, JSON Lines, CSV or parquet, or a folder of files that are one set.
        split: `all`, or `targets`, without refusals.
        images: As for `point_rows.load`.
        prompt: As for `point_rows.load`.

    Raises:
        DataError: A file can't be read, it has no column of boxes or of instructions, or a row's
            box is none.
        MissingExtraError: It is parquet, and pyarrow is not installed.
        UnknownNameError: There is no such split or prompt.
    """
    files = find_files(Path(path), _FILES, "a set of elements to point at")
    read = plain_rows(files[0])
    rows = [*read.rows, *(row for file in files[1:] for row in plain_rows(file).rows)]
    columns = columns_of(read._replace(rows=rows), str(files[0]))
    refusals = any(not any(point_rows.numbers_of(row.get(str(columns.box))) or ()) for row in rows)
    table = PointTable(
        task=task,
        title="",
        layouts=[columns],
        files=_FILES,
        split=_ALL,
        whole=True,
        above=int(files[0].parent.name in ("annotations", "data")),
        images=("images", "imgs", "screenshots", "image", "data/test"),
        images_in=next(iter(read.pictures), ""),
        question=_REFUSAL if refusals else "",
        shown=(),
    )
    return point_rows.load([table], None, (), task, path, split, images, prompt)


def columns_of(read: PlainRows, file: str) -> Columns:
    """Return what the columns of a table are.

    Raises:
        DataError: None is a box, or none says what to point at.
    """
    rows, names = read.rows, read.columns
    if not rows:
        raise DataError("holds no rows", file=file)
    box = _box_column(names)
    asked = next((name for name in _INSTRUCTION if name in names), "")
    for found, what, known in ((box, "a box", _BOX), (asked, "an instruction", _INSTRUCTION)):
        if not found:
            raise DataError(
                f"no column is known as {what}: it has {', '.join(names)}; rename one to"
                f" {known[0]!r}",
                file=file,
            )
    shape = next((name for name in ("box_type",) if _values(rows, name) <= _REFUSED), "")
    shape = shape if shape in names else ""
    image = next((name for name in _IMAGE if _all_texts(rows, name)), "")
    size = next((one for one in _SIZE if _measures(rows, one) and not _within(one, box)), ())
    used = {asked, image, shape, *_names(box), *_names(size), "instruction_cn"}
    columns = Columns(
        box=box,
        shape=shape,
        loose=not shape,
        instruction=asked,
        id=next((name for name in _ID if _tells_apart(rows, name)), ""),
        image=image,
        size=size,
        tags=tuple(
            name for name in names if name not in used and name not in _ID and _groups(rows, name)
        ),
    )
    return columns if shape else _ordered(columns, read)


def _names(columns: str | tuple[str, ...]) -> tuple[str, ...]:
    return (columns,) if isinstance(columns, str) else columns


def _box_column(names: Sequence[str]) -> Any:  # noqa: ANN401  # a column, or four of them
    alone = next((name for name in _BOX if name in names), None)
    four = (*point_rows.CORNERS, *point_rows.EXTENTS)
    return alone or next((one for one in four if set(one) <= set(names)), None)


def _within(size: str | tuple[str, ...], box: str | tuple[str, ...]) -> bool:
    """Whether what might be the image's size is the box's."""
    return not isinstance(box, str) and bool(set(_names(size)) & set(box))


def _values(rows: Iterable[Mapping[str, Any]], name: str) -> set[str]:
    return {str(row.get(name)) for row in rows}


def _all_texts(rows: Iterable[Mapping[str, Any]], name: str) -> bool:
    return all(isinstance(row.get(name), str) and row[name] for row in rows)


def _tells_apart(rows: Sequence[Mapping[str, Any]], name: str) -> bool:
    values = [row.get(name) for row in rows]
    if not all(isinstance(value, str | int) and value != "" for value in values):
        return False
    return len(set(values)) == len(values)


def _measures(rows: Sequence[Mapping[str, Any]], size: str | tuple[str, ...]) -> bool:
    def fits(row: Mapping[str, Any]) -> bool:
        values = row.get(size) if isinstance(size, str) else [row.get(name) for name in size]
        if not isinstance(values, list):
            return False
        sides = cast("list[object]", values)
        try:
            return len(sides) == 2 and all(float(cast("str", side)) > 0 for side in sides)
        except (TypeError, ValueError):
            return False

    return all(map(fits, rows))


def _groups(rows: Sequence[Mapping[str, Any]], name: str) -> bool:
    """Whether a column is a tag: few short values."""
    values = [row.get(name) for row in rows if row.get(name) is not None]
    lists = [cast("list[object]", value) for value in values if isinstance(value, list)]
    if any(not isinstance(value, str | int | list) for value in values) or any(
        not isinstance(each, str) for found in lists for each in found
    ):
        return False
    texts = set(map(str, values))
    return 0 < len(texts) <= _FEW_VALUES and max(map(len, texts)) <= _SHORT


def _ordered(columns: Columns, read: PlainRows) -> Columns:
    """Return columns with how the four numbers of a box are to be read, by all of them.

    Corners, unless a third of the boxes would be inverted: then the numbers are corners in any
    order, or a corner and an extent where that stays within the images and makes smaller boxes.
    """
    box, size = columns.box, columns.size
    if box in point_rows.EXTENTS:
        return replace(columns, extents=True)
    boxes: list[list[float]] = []
    fitting = True
    for row in read.rows:
        numbers = point_rows.numbers_of([row.get(name) for name in _names(box)])
        if not numbers or len(numbers) != 4:
            continue
        boxes.append(numbers)
        x, y, width, height = numbers
        sides = point_rows.numbers_of([row.get(name) for name in _names(size)]) or (inf, inf)
        inside = x + width <= sides[0] + 1 and y + height <= sides[1] + 1
        fitting = fitting and min(width, height) >= 0 and inside
    if {"img_filename", "data_type", "data_source"} <= set(read.columns):
        # As ScreenSpot and v2 are published, which say no sizes.
        return replace(columns, extents=max(map(max, boxes), default=0) > 1)
    inverted = sum(right < left or bottom < top for left, top, right, bottom in boxes)
    if inverted < _FEWEST or 3 * inverted < len(boxes):
        return columns
    corners = median(abs((right - left) * (bottom - top)) for left, top, right, bottom in boxes)
    extents = median(width * height for _, _, width, height in boxes)
    smaller = fitting and extents < corners
    return replace(columns, extents=smaller, any_order=not smaller)
