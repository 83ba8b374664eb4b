"""Read Multimodal-Mind2Web: parquet rows of a task, a page's screenshot and its candidates.

Source: Deng et al., 2023; Zheng et al., 2024; huggingface.co/datasets/osunlp/Multimodal-Mind2Web.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from snellen.grading.errors import DataError, UnknownNameError
from snellen.grading.metrics.boxes import Ltrb, box_fault
from snellen.grading.models.actions import Action, ActionType
from snellen.grading.protocols.golds import StepGold
from snellen.tasks.benchmarks.declared import own
from snellen.tasks.benchmarks.mind2web.rules import DOMAIN, TASK, WEBSITE
from snellen.tasks.benchmarks.steps import STEP_PROMPTS, StepRow, step_data
from snellen.tasks.data.pins import digest_of_files, pin
from snellen.tasks.io.files import SplitFiles, find_parquet, format_of
from snellen.tasks.io.images import ImageFiles, image_folder, size_in
from snellen.tasks.io.parquet import ParquetImages, read_part
from snellen.tasks.io.rows import SCREEN, Text, decoded, misfit
from snellen.tasks.io.tables import read_table
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


class _Block(msgspec.Struct):
    """A row of UGround's evaluation: the boxes of its target as x, y, width, height."""

    annotation_id: Text
    action_uid: Text
    task: Text
    operation: Literal["CLICK", "TYPE", "SELECT"]
    value: str
    bbox: list[tuple[float, float, float, float]]
    website: str = ""
    domain: str = ""


class _Step(NamedTuple):
    """What a row says of its step."""

    episode: str
    action: str
    goal: str
    done: Action
    boxes: tuple[Ltrb, ...]
    website: str
    domain: str
    name: str = ""


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
        path: The repository's folder, its folder `data`, or one parquet file; or a file of
            UGround's evaluation, `samples_cross_website_blocks.jsonl`, which knows no sizes.
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
    file = Path(path)
    if file.is_file() and format_of(file) != ".parquet":
        rows = read_table(file, [_Block]).rows
        found = SplitFiles(_SPLITS[task], (file,))
        steps = [_of_block(row, file, number) for number, row in enumerate(rows)]
        shown = None if images is None else _folder(images, rows)
    else:
        wanted = None if file.is_file() else split or _SPLITS[task]
        found = find_parquet(file, wanted, "osunlp/Multimodal-Mind2Web")
        reads = "annotation_id, action_uid, confirmed_task, operation, pos_candidates"
        parts = [read_part(part, _Row, reads, images=("screenshot",)) for part in found.paths]
        rows = [row for part in parts for row in part.rows]
        steps = [_of_row(row, found.paths[0], number) for number, row in enumerate(rows)]
        shown = ParquetImages(parts, "screenshot") if images is None else _folder(images, rows)
    return step_data(
        task,
        found.split,
        tuple(_rows(steps, shown)),
        pin=pin(
            "mind2web",
            found.split,
            found.paths[0].parent,
            digest_of_files(found.paths),
            len(rows),
            () if rows and isinstance(rows[0], _Block) else own("mind2web").releases,
        ),
        prompt=asked,
        images=shown,
    )


def _folder(images: str | Path, rows: Sequence[_Row | _Block]) -> ImageFiles:
    def paths(index: int, _: str) -> list[str]:
        name = f"{rows[index].annotation_id}-{rows[index].action_uid}"
        return [f"{name}.jpg", f"{name}.png"]

    return ImageFiles(image_folder(Path(images), "the screenshots"), paths, "screenshot")


def _rows(steps: Sequence[_Step], images: Callable[[int, str], bytes] | None) -> Iterator[StepRow]:
    done: dict[str, tuple[Action, ...]] = {}
    for number, step in enumerate(steps):
        size = None if images is None else size_in(images, number, SCREEN)
        before = done.get(step.episode, ())
        yield StepRow(
            id=f"{step.episode}/{step.action}",
            goal=step.goal,
            before=before,
            gold=StepGold(
                step.done,
                None if size is None else (float(size.width), float(size.height)),
                boxes=step.boxes,
                episode=step.episode,
                step=len(before),
                group=step.domain,
                name=step.name,
                lost=not step.boxes,
            ),
            tags={"website": step.website, "domain": step.domain},
        )
        done[step.episode] = (*before, step.done)


def _of_block(row: _Block, file: Path, number: int) -> _Step:
    boxes = tuple((x, y, x + width, y + height) for x, y, width, height in row.bbox)
    done = _done(row.operation, row.value, boxes, str(file), number, "bbox")
    return _Step(row.annotation_id, row.action_uid, row.task, done, boxes, row.website, row.domain)


def _of_row(row: _Row, file: Path, number: int) -> _Step:
    name = f"{row.annotation_id}/{row.action_uid}"
    try:
        operation = decoded(row.operation, _Operation)
        boxes = tuple(box for box in map(_box, row.pos_candidates) if box is not None)
    except (msgspec.DecodeError, ValueError) as error:
        raise misfit(f"{name}: {error}", str(file), number, "operation, pos_candidates") from None
    done = _done(operation.op, operation.value, boxes, str(file), number, "pos_candidates")
    episode, action, goal = row.annotation_id, row.action_uid, row.confirmed_task
    return _Step(episode, action, goal, done, boxes, row.website, row.domain, _name(row))


def _done(
    operation: str, value: str, boxes: tuple[Ltrb, ...], file: str, number: int, field: str
) -> Action:
    for box in boxes:
        if fault := box_fault(box):
            raise misfit(fault, file, number, field)
    point = None
    if boxes:
        left, top, right, bottom = boxes[0]
        point = ((left + right) / 2, (top + bottom) / 2)
    return Action(_TYPES[operation], point=point, text=value)


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
