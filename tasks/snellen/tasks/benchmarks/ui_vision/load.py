"""Read UI-Vision: element grounding in three ways of asking, and layout grounding.

Source: Nayak et al., 2025; files of huggingface.co/datasets/ServiceNow/ui-vision.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec

from snellen.grading.errors import DataError, UnknownNameError
from snellen.grading.metrics.boxes import Ltrb
from snellen.grading.models.geometry import Space
from snellen.grading.models.items import AnswerKind
from snellen.grading.protocols.golds import Target
from snellen.tasks.benchmarks import grounding
from snellen.tasks.benchmarks.declared import own
from snellen.tasks.benchmarks.ui_vision.rules import LAYOUT
from snellen.tasks.data.pins import pin
from snellen.tasks.io.files import checked, contents
from snellen.tasks.io.images import ImageFiles, image_folder, is_inside
from snellen.tasks.io.json_text import JsonText, read_json
from snellen.tasks.io.rows import SCREEN, Text, misfit
from snellen.tasks.models import TaskData
from snellen.tasks.prompts import Prompt, prompt_of

_WAYS = ("basic", "functional", "spatial")
_FILES = {
    **{f"ui-vision/{way}": f"element_grounding_{way}.json" for way in _WAYS},
    "ui-vision/layout": "layout_grounding.json",
}
ALL = "all"
PROMPTS = grounding.point_prompts("snellen-ui-vision", (Space.THOUSAND, Space.UNIT, Space.PIXELS))
LAYOUT_PROMPTS = (
    Prompt(
        "snellen-ui-vision-box-1",
        "You see a screenshot. Give the box of the one region that is described, as [left, top,"
        " right, bottom] in thousandths of the image's width and height from 0 to 1000. Reply with"
        " the box alone.",
        "\n\nRegion: {question}",
    ),
)

_Pixels = Annotated[float, msgspec.Meta(gt=0, le=1e6)]


class _Element(msgspec.Struct):
    image_path: Text
    image_size: tuple[_Pixels, _Pixels]
    prompt_to_evaluate: str
    bbox: Ltrb
    platform: str = ""
    category: str = ""
    element_type: str = ""


class _Region(msgspec.Struct):
    image_path: Text
    image_size: tuple[_Pixels, _Pixels]
    bbox: Ltrb
    name: Text
    explanation: str = ""
    platform: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _BoxRow(grounding.GroundingRow):
    def target(self, size: grounding.Size | None) -> Target:
        return Target(self.box, size)


def load(
    task: str,
    path: str | Path,
    split: str | None = None,
    images: str | Path | None = None,
    prompt: str | None = None,
) -> TaskData:
    """Load one task of UI-Vision.

    Args:
        task: `ui-vision/` and one of basic, functional, spatial, layout.
        path: The repository's folder, one above the task's file, or that file.
        split: `all`, the only one.
        images: The folder of screenshots; None: `images` beside `annotations`, if it is there.
        prompt: The name of one of the task's prompts; its first when None.

    Raises:
        DataError: A file can't be read or a row is not as published.
        UnknownNameError: There is no such task, split or prompt.
    """
    if task not in _FILES:
        raise UnknownNameError("UI-Vision task", task, _FILES)
    if split not in (None, ALL):
        raise UnknownNameError(f"split of {task}", str(split), (ALL,))
    layout = task == LAYOUT
    asked = prompt_of(LAYOUT_PROMPTS if layout else PROMPTS, prompt)
    file = _find(Path(path), _FILES[task])
    text = read_json(file)
    release = task.partition("/")[2]
    found = _regions(text, str(file)) if layout else _elements(text, str(file), release)
    rows = tuple(grounding.checked_rows(found, str(file), boxes_in=Space.PIXELS))
    folder = _images_of(file) if images is None else image_folder(Path(images), "the screenshots")
    files = ImageFiles(folder, lambda index, _: [rows[index].image], "image_path")
    there = images is not None or bool(rows and files.file(0, SCREEN).is_file())
    return grounding.grounding_data(
        task,
        ALL,
        rows,
        pin=pin(
            "ui-vision",
            release,
            file,
            text.sha256,
            len(rows),
            own("ui-vision").releases,
        ),
        prompt=asked,
        asked_in=Space.THOUSAND if layout else grounding.asked_space(asked),
        images=files if there else None,
        example="[120, 80, 640, 300]" if layout else "",
        kind=AnswerKind.BOX if layout else AnswerKind.POINT,
    )


def _find(path: Path, name: str) -> Path:
    if path.is_file():
        return path
    checked(path, "the published folder or one of its files")
    found = sorted(path.rglob(name))
    if len(found) == 1:
        return found[0]
    there = "several of them" if found else f"no {name}"
    raise DataError(
        f"there is {there} in it ({contents(path)}): give the file itself", file=str(path)
    )


def _images_of(file: Path) -> Path:
    for folder in file.parents:
        if folder.name == "annotations":
            return folder.parent / "images"
    return file.parent / "images"


def _elements(text: JsonText, file: str, kind: str) -> Iterator[grounding.GroundingRow]:
    for number, row in enumerate(text.rows(list[_Element])):
        left, right = sorted((row.bbox[0], row.bbox[2]))
        top, bottom = sorted((row.bbox[1], row.bbox[3]))
        yield grounding.GroundingRow(
            id=f"{kind}/{number}",
            image=_path(row.image_path, file, number),
            box=(left, top, right, bottom),
            instruction=row.prompt_to_evaluate,
            size=row.image_size,
            tags={
                "platform": row.platform,
                "category": row.category,
                "element type": row.element_type,
            },
        )


def _regions(text: JsonText, file: str) -> Iterator[grounding.GroundingRow]:
    for number, row in enumerate(text.rows(list[_Region])):
        yield _BoxRow(
            id=f"layout/{number}",
            image=_path(row.image_path, file, number),
            box=row.bbox,
            instruction=": ".join(filter(None, (row.name, row.explanation))),
            size=row.image_size,
            tags={"platform": row.platform},
        )


def _path(path: str, file: str, number: int) -> str:
    if not is_inside(path):
        raise misfit(
            f"item {number}: {path!r} is no path below the images", file, number, "image_path"
        )
    return path
