"""Read Multimodal-Mind2Web: parquet rows of a task, a page's screenshot and its candidates.

Source: Deng et al., 2023; Zheng et al., 2024; huggingface.co/datasets/osunlp/Multimodal-Mind2Web.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from snellen.grading.errors import DataError, UnknownNameError
from snellen.grading.metrics.boxes import Ltrb, box_fault
from snellen.grading.models.actions import Action, ActionType
from snellen.grading.protocols.golds import StepGold
from snellen.tasks.benchmarks.declared import own
from snellen.tasks.benchmarks.mind2web.rules import DOMAIN, TASK, WEBSITE
from snellen.tasks.benchmarks.steps import STEP_PROMPTS, StepRow, step_data
from snellen.tasks.data.pins import digest_of_files, pin
from snellen.tasks.io.files import find_parquet
from snellen.tasks.io.images import ImageFiles, image_folder, size_in
from snellen.tasks.io.parquet import ParquetImages, read_part
from snellen.tasks.io.rows import SCREEN, Text, decoded, misfit
from snellen.tasks.models import TaskData
from snellen.tasks.prompts import prompt_of

PROMPTS = STEP_PROMPTS
_SPLITS = {TASK: "test_task", WEBSITE: "test_website", DOMAIN: "test_domain"}
_TYPES = {"CLICK": ActionType.CLICK, "TYPE": ActionType.TYPE, "SELECT": ActionType.SELECT}


class _Row(msgspec.Struct):
    annotation_id: Text
    action_uid: Text
    confirmed_task: Text
    operation: str
    pos_candidates: list[str]
    website: str = ""
    domain: str = ""
    action_reprs: list[str] = []  # msgspec copies it
    target_action_index: int | str | None = None


class _Operation(msgspec.Struct):
    op: Literal["CLICK", "TYPE", "SELECT"]
    value: str = ""


class _Candidate(msgspec.Struct):
    attributes: str


class _Attributes(msgspec.Struct):
    bounding_box_rect: str | None = None


def load(
    task: str,
    path: str | Path,
    split: str | None = None,
    images: str | Path | None = None,
    prompt: str | None = None,
) -> TaskData:
    """Load one of the three test splits.

    The sizes of the screenshots are read of the images inside the files.

    Args:
        task: `mind2web/` and one of task, website, domain.
        path: The repository's folder, its folder `data`, or one parquet file.
        split: The split of the files; None: the task's own, such as `test_task`.
        images: A folder of images ANNOTATION-ACTION.jpg, where the files hold none.
        prompt: The name of one of the task's prompts; its first when None.

    Raises:
        DataError: A file can't be read or a row is not as published.
        MissingExtraError: pyarrow is not installed.
        UnknownNameError: There is no such task, split or prompt.
    """
    if task not in _SPLITS:
        raise UnknownNameError("Mind2Web task", task, _SPLITS)
    asked = prompt_of(PROMPTS, prompt)
    wanted = None if Path(path).is_file() else split or _SPLITS[task]
    files = find_parquet(Path(path), wanted, "osunlp/Multimodal-Mind2Web")
    reads = "annotation_id, action_uid, confirmed_task, operation, pos_candidates"
    parts = [read_part(part, _Row, reads, images=("screenshot",)) for part in files.paths]
    rows = [row for part in parts for row in part.rows]
    shown = ParquetImages(parts, "screenshot") if images is None else _folder(images, rows)
    return step_data(
        task,
        files.split,
        tuple(_steps(rows, shown, str(files.paths[0]))),
        pin=pin(
            "mind2web",
            files.split,
            files.paths[0].parent,
            digest_of_files(files.paths),
            len(rows),
            own("mind2web").releases,
        ),
        prompt=asked,
        images=shown,
    )


def _folder(images: str | Path, rows: Sequence[_Row]) -> ImageFiles:
    def paths(index: int, _: str) -> list[str]:
        name = f"{rows[index].annotation_id}-{rows[index].action_uid}"
        return [f"{name}.jpg", f"{name}.png"]

    return ImageFiles(image_folder(Path(images), "the screenshots"), paths, "screenshot")


def _steps(
    rows: Sequence[_Row], images: Callable[[int, str], bytes], file: str
) -> Iterator[StepRow]:
    done: dict[str, tuple[Action, ...]] = {}
    counted = Counter[str]()
    for number, row in enumerate(rows):
        size = size_in(images, number, SCREEN)
        action, boxes = _reference(row, file, number)
        yield StepRow(
            id=f"{row.annotation_id}/{row.action_uid}",
            goal=row.confirmed_task,
            before=done.get(row.annotation_id, ()),
            gold=StepGold(
                action,
                None if size is None else (float(size.width), float(size.height)),
                boxes=boxes,
                episode=row.annotation_id,
                step=counted[row.annotation_id],
                group=row.domain,
                name=_name(row),
                lost=not boxes,
            ),
            tags={"website": row.website, "domain": row.domain},
        )
        counted[row.annotation_id] += 1
        done[row.annotation_id] = (*done.get(row.annotation_id, ()), action)


def _reference(row: _Row, file: str, number: int) -> tuple[Action, tuple[Ltrb, ...]]:
    name = f"{row.annotation_id}/{row.action_uid}"
    try:
        operation = decoded(row.operation, _Operation)
        boxes = tuple(box for box in map(_box, row.pos_candidates) if box is not None)
    except (msgspec.DecodeError, ValueError) as error:
        raise misfit(f"{name}: {error}", file, number, "operation, pos_candidates") from None
    for box in boxes:
        if fault := box_fault(box):
            raise misfit(f"{name}: {fault}", file, number, "pos_candidates")
    point = None
    if boxes:
        left, top, right, bottom = boxes[0]
        point = ((left + right) / 2, (top + bottom) / 2)
    return Action(_TYPES[operation.op], point=point, text=operation.value), boxes


def _box(text: str) -> Ltrb | None:
    candidate = decoded(text, _Candidate)
    rectangle = decoded(candidate.attributes, _Attributes).bounding_box_rect
    if not rectangle:
        return None
    sides = [float(side) for side in rectangle.split(",")]
    if len(sides) != 4:
        raise DataError(f"bounding_box_rect is {rectangle!r}, not x,y,width,height")
    x, y, width, height = sides
    # A candidate that is nowhere on the page has negative sides.
    return None if width <= 0 or height <= 0 else (x, y, x + width, y + height)


def _name(row: _Row) -> str:
    index = int(row.target_action_index) if row.target_action_index not in (None, "") else -1
    shown = row.action_reprs[index] if 0 <= index < len(row.action_reprs) else ""
    return shown.partition(" ->")[0].strip()
