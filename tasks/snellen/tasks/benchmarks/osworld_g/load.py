"""Read OSWorld-G: instructions on desktop screenshots, a box, a polygon or a refusal each.

Source: Xie et al., 2025; the files are in `benchmark` of its repository.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from snellen.grading.errors import DataError, UnknownNameError
from snellen.grading.metrics.boxes import Ltrb
from snellen.grading.models.geometry import Space
from snellen.grading.protocols.golds import AreaTarget
from snellen.tasks.benchmarks import grounding
from snellen.tasks.benchmarks.declared import own
from snellen.tasks.benchmarks.osworld_g.rules import ORIGINAL, REFINED
from snellen.tasks.data.pins import pin
from snellen.tasks.io.files import checked, contents
from snellen.tasks.io.images import ImageFiles, image_folder, is_inside
from snellen.tasks.io.json_text import read_json
from snellen.tasks.io.rows import SCREEN, Text, misfit
from snellen.tasks.models import TaskData
from snellen.tasks.prompts import prompt_of

_FILES = {ORIGINAL: "OSWorld-G.json", REFINED: "OSWorld-G_refined.json"}
_GROUPS = "classification_result.json"
_REFUSAL = (
    "\n\nIf what the instruction means is not on the screenshot, reply with (-1, -1)."
    "\n\nInstruction: {question}"
)
PROMPTS = tuple(
    replace(prompt, question=_REFUSAL)
    for prompt in grounding.point_prompts("snellen-osworld-g", (Space.PIXELS, Space.UNIT))
)

_Pixels = Annotated[float, msgspec.Meta(gt=0, le=1e6)]


class _Row(msgspec.Struct):
    id: Text
    image_path: Text
    image_size: tuple[_Pixels, _Pixels]
    instruction: str
    box_type: Literal["bbox", "polygon", "refusal"]
    box_coordinates: list[float]
    GUI_types: list[str] = []  # msgspec copies it


class _Entry(msgspec.Struct):
    id: str


class _Classification(msgspec.Struct):
    classified: dict[str, list[_Entry]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Area(grounding.GroundingRow):
    polygon: tuple[float, ...] = ()
    refused: bool = False

    def target(self, size: grounding.Size | None) -> AreaTarget:
        return AreaTarget(self.box, size, self.polygon, self.refused)


def load(
    task: str,
    path: str | Path,
    split: str | None = None,
    images: str | Path | None = None,
    prompt: str | None = None,
) -> TaskData:
    """Load OSWorld-G with its original or its refined instructions.

    Args:
        task: `osworld-g/original` or `osworld-g/refined`.
        path: The repository's folder, its folder `benchmark`, or the task's file.
        split: `all`, or `targets` for the items that have something to point at.
        images: The folder of screenshots; None: `images` beside the file, if it is there.
        prompt: The name of one of the task's prompts; its first when None.

    Raises:
        DataError: A file can't be read or a row is not as published.
        UnknownNameError: There is no such task, split or prompt.
    """
    if task not in (ORIGINAL, REFINED):
        raise UnknownNameError("OSWorld-G task", task, (ORIGINAL, REFINED))
    if split not in (None, "all", "targets"):
        raise UnknownNameError(f"split of {task}", str(split), ("all", "targets"))
    asked = prompt_of(PROMPTS, prompt)
    file = _find(Path(path), _FILES[task])
    text = read_json(file)
    rows = tuple(_rows(text.rows(list[_Row]), _groups(file.parent), str(file)))
    count, release = len(rows), task.partition("/")[2]
    if split == "targets":
        rows = tuple(row for row in rows if not row.refused)
    folder = file.parent / "images" if images is None else image_folder(Path(images), "them")
    files = ImageFiles(folder, lambda index, _: [rows[index].image], "image_path")
    there = images is not None or bool(rows and files.file(0, SCREEN).is_file())
    return grounding.grounding_data(
        task,
        split or "all",
        rows,
        pin=pin(
            "osworld-g",
            release,
            file,
            text.sha256,
            count,
            own("osworld-g").releases,
        ),
        prompt=asked,
        asked_in=grounding.asked_space(asked),
        images=files if there else None,
        shown=(),
    )


def _find(path: Path, name: str) -> Path:
    if path.is_file():
        return path
    checked(path, "the published folder or one of its files")
    for file in (path / name, path / "benchmark" / name):
        if file.is_file():
            return file
    raise DataError(
        f"there is no {name} in it ({contents(path)}): is it a folder of another benchmark?",
        file=str(path),
    )


def _groups(folder: Path) -> Mapping[str, str]:
    """Return each item's groups, joined by a plus; nothing without the file."""
    if not (folder / _GROUPS).is_file():
        return {}
    found: dict[str, list[str]] = {}
    read = read_json(folder / _GROUPS).decode(
        _Classification, "expected {classified: {group: [..]}}"
    )
    for group, named in read.classified.items():
        for item in named:
            found.setdefault(item.id, []).append(group)
    return {item: " + ".join(groups) for item, groups in found.items()}


def _rows(rows: Sequence[_Row], groups: Mapping[str, str], file: str) -> Iterator[_Area]:
    for number, row in enumerate(rows):
        if not is_inside(row.image_path):
            what = f"item {row.id}: {row.image_path!r} is no path below the images"
            raise misfit(what, file, number, "image_path")
        box, polygon = _shape(row, file, number)
        area = _Area(
            id=row.id,
            image=row.image_path,
            box=box,
            instruction=row.instruction,
            size=row.image_size,
            tags={"kind": row.box_type, "groups": groups.get(row.id, "")},
            polygon=polygon,
            refused=row.box_type == "refusal",
        )
        if not area.refused:
            _ = list(grounding.checked_rows([area], file, boxes_in=Space.PIXELS))
        yield area


def _shape(row: _Row, file: str, number: int) -> tuple[Ltrb, tuple[float, ...]]:
    numbers = tuple(row.box_coordinates)
    if row.box_type == "refusal":
        return (0.0, 0.0, 0.0, 0.0), ()
    if row.box_type == "bbox":
        if len(numbers) != 4:
            what = f"item {row.id}: a box has x, y, width, height, not {len(numbers)} numbers"
            raise misfit(what, file, number, "box_coordinates")
        x, y, width, height = numbers
        return (x, y, x + width, y + height), ()
    if len(numbers) < 4 or len(numbers) % 2:
        what = f"item {row.id}: a polygon has x and y of each corner, not {len(numbers)} numbers"
        raise misfit(what, file, number, "box_coordinates")
    across, down = numbers[::2], numbers[1::2]
    return (min(across), min(down), max(across), max(down)), numbers
