"""Read WebClick: parquet rows of an image, an instruction, a box and where it comes from.

The boxes are in fractions in some loaders and in pixels in others: a file whose boxes all lie
within 0..1 is read in fractions, one with none in pixels, and a mixture is refused.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from snellen.grading.errors import DataError, UnknownNameError
from snellen.grading.metrics.boxes import Ltrb
from snellen.grading.models.geometry import Space
from snellen.grading.protocols.golds import is_in_fractions
from snellen.grading.protocols.webclick import POINT
from snellen.tasks.benchmarks.grounding import (
    GroundingRow,
    asked_space,
    checked_rows,
    grounding_data,
    point_prompts,
)
from snellen.tasks.benchmarks.webclick import RELEASES
from snellen.tasks.data.pins import digest_of_files, pin
from snellen.tasks.io.boxes import outside_note
from snellen.tasks.io.files import find_parquet
from snellen.tasks.io.images import ImageFiles, image_folder
from snellen.tasks.io.parquet import ParquetImages, read_part
from snellen.tasks.models import TaskData
from snellen.tasks.prompts import Prompt, prompt_of

_CLICK = Prompt(
    "snellen-webclick-click-1",
    "You see a screenshot. Click the one element of the user interface that the instruction means."
    " Reply with Click(x, y) alone, x from the left and y from the top, in pixels of the original"
    " image",
    "\n\nInstruction: {question}",
)
PROMPTS = (_CLICK, *point_prompts("snellen-webclick"))
"""The first asks for what `paper` reads."""


class _Row(msgspec.Struct):
    instruction: str
    bbox: Ltrb
    bucket: str = ""


def load(
    task: str,
    path: str | Path,
    split: str | None = None,
    images: str | Path | None = None,
    prompt: str | None = None,
) -> TaskData:
    """Load WebClick.

    Args:
        task: `webclick/point`.
        path: The repository's folder, its folder `data`, or one parquet file.
        split: The split's name; None: `test` when there, else the only one.
        images: A folder of images named after the items' numbers; None: those inside the file.
        prompt: The name of one of the task's prompts; its first when None.

    Raises:
        DataError: A file can't be read, a row is not as published, or boxes in fractions and in
            pixels are in one split.
        MissingExtraError: pyarrow is not installed.
        UnknownNameError: There is no such task, split or prompt.
    """
    if task != POINT:
        raise UnknownNameError("WebClick task", task, (POINT,))
    asked = prompt_of(PROMPTS, prompt)
    files = find_parquet(Path(path), split, "Hcompany/WebClick")
    parts = [read_part(part, _Row, "image, instruction, bbox, bucket") for part in files.paths]
    rows = [row for part in parts for row in part.rows]
    name = str(files.paths[0])
    space = _space_of(rows, name)
    elements = tuple(_elements(rows, files.split, space))
    release = pin(
        "webclick",
        files.split,
        files.paths[0].parent,
        digest_of_files(files.paths),
        len(rows),
        RELEASES,
    )
    clipped = outside_note(
        [element.id for element, row in zip(elements, rows, strict=True) if element.box != row.bbox]
    )
    note = "; ".join(filter(None, (release.note, clipped)))
    shown = ParquetImages(parts, "image") if images is None else _folder(Path(images))
    return grounding_data(
        task,
        files.split,
        tuple(checked_rows(elements, name, boxes_in=space)),
        pin=release.model_copy(update={"note": note}),
        prompt=asked,
        asked_in=Space.PIXELS if asked is _CLICK else asked_space(asked),
        example="Click(480, 661)" if asked is _CLICK else "",
        images=shown,
        shown=(),
    )


def _folder(path: Path) -> ImageFiles:
    folder = image_folder(path, "the screenshots")
    return ImageFiles(folder, lambda place, _: [f"{place}.png", f"{place}.jpg"], "image")


def _space_of(rows: Sequence[_Row], file: str) -> Space:
    within = [_nearly_in_fractions(row.bbox) for row in rows]
    if any(within) and not all(within):
        odd = within.index(not within[0])
        raise DataError(
            f"row {odd + 1} has its box in another space than row 1: {list(rows[odd].bbox)} and"
            f" {list(rows[0].bbox)}",
            file=file,
            field="bbox",
        )
    return Space.UNIT if all(within) else Space.PIXELS


def _nearly_in_fractions(box: Ltrb) -> bool:
    # A box in fractions may reach a little outside its image.
    return is_in_fractions(box) or (max(box) < 1.5 and min(box) > -0.5)


def _elements(rows: Sequence[_Row], split: str, space: Space) -> Iterator[GroundingRow]:
    for number, row in enumerate(rows):
        box = row.bbox
        if space is Space.UNIT:
            # No answer lies outside the image, so what is cut off decides nothing.
            left, top, right, bottom = (min(1.0, max(0.0, side)) for side in box)
            box = (left, top, right, bottom)
        yield GroundingRow(
            id=f"{split}/{number}",
            instruction=row.instruction,
            box=box,
            tags={"bucket": row.bucket},
        )
