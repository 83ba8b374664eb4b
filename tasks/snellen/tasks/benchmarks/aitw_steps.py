"""Steps in the keys of Android in the Wild: a file an episode, a folder a subset.

AITZ and CAGUI's agent part are published so, and public evaluations convert other sets to it.
Places count fractions of the screen, y first.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import hypot
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from snellen.grading.errors import DataError, UnknownNameError
from snellen.grading.models.actions import Action, ActionType, Point, swiped
from snellen.grading.protocols.golds import Node, StepGold
from snellen.tasks.benchmarks.steps import STEP_PROMPTS, StepRow, step_data
from snellen.tasks.data.pins import digest_of_files, pin
from snellen.tasks.data.release import Release
from snellen.tasks.io.files import checked, contents
from snellen.tasks.io.images import ImageFiles, image_folder, is_inside, size_of
from snellen.tasks.io.json_text import JsonText, read_json
from snellen.tasks.io.rows import SCREEN, Text, converted
from snellen.tasks.models import TaskData
from snellen.tasks.prompts import prompt_of

_TAP = 0.04
"""How far a finger may move in a tap, in fractions of the screen.

Source: Android in the Wild's `action_matching.py`; AgentCPM-GUI acbaf50 has the same.
"""
_TYPE, _TOUCH, _LONG, _WAIT, _OPEN = 3, 4, 0, 1, 12
_PLAIN = {
    5: Action(ActionType.NAVIGATE, button="back"),
    6: Action(ActionType.NAVIGATE, button="home"),
    7: Action(ActionType.KEY, button="enter"),
    10: Action(ActionType.FINISH, status="success"),
    11: Action(ActionType.FINISH, status="infeasible"),
    _WAIT: Action(ActionType.WAIT),
}


SPLIT = "test"


@dataclass(frozen=True, slots=True)
class StepSet:
    """A published set of such steps.

    Attributes:
        task: Its task's id.
        subsets: The names of its folders of episodes, in the order in which they are read.
        below: The folders in what is published that may hold the subsets.
        releases: The releases that are known of it.
    """

    task: str
    subsets: tuple[str, ...]
    below: tuple[str, ...]
    releases: tuple[Release, ...]

    def load(
        self,
        task: str,
        path: str | Path,
        split: str | None = None,
        images: str | Path | None = None,
        prompt: str | None = None,
    ) -> TaskData:
        """Load the test steps.

        Args:
            task: The set's task, which shows the goal.
            path: The published folder, or the one in it that holds the subsets.
            split: `test`, the only one.
            images: The folder that the paths of screenshots start from; None: that of the subsets.
            prompt: The name of one of the task's prompts; its first when None.

        Raises:
            DataError: A file can't be read or a step is not as published.
            UnknownNameError: There is no such task, split or prompt.
        """
        benchmark = self.task.partition("/")[0]
        if task != self.task:
            raise UnknownNameError(f"{benchmark} task", task, (self.task,))
        if split not in (None, SPLIT):
            raise UnknownNameError(f"split of {task}", str(split), (SPLIT,))
        asked = prompt_of(STEP_PROMPTS, prompt)
        found = self._find(Path(path))
        folder = found.root if images is None else image_folder(Path(images), "the screenshots")
        steps = tuple(step for file in found.files for step in _steps(file, folder))
        files = ImageFiles(folder, lambda index, _: [steps[index].image], "image_path")
        there = images is not None or bool(steps and files.file(0, SCREEN).is_file())
        sha256 = digest_of_files(found.files)
        return step_data(
            task,
            SPLIT,
            steps,
            pin=pin(benchmark, SPLIT, found.root, sha256, len(steps), self.releases),
            prompt=asked,
            images=files if there else None,
        )

    def _find(self, path: Path) -> "_Folder":
        checked(path, "the published folder or one episode's file")
        if path.is_file() and path.stem == path.absolute().parent.name:
            return _Folder(path.absolute().parents[2], (path,))
        for root in (path, *(path / name for name in self.below)):
            named = (file for one in self.subsets for file in sorted((root / one).glob("*/*.json")))
            files = tuple(file for file in named if file.stem == file.parent.name)
            if files:
                return _Folder(root, files)
        held = contents(path) if path.is_dir() else "it is a file"
        raise DataError(
            "there is no SUBSET/EPISODE/EPISODE.json in it, with a subset of"
            f" {', '.join(self.subsets)} ({held}): is it a folder of another benchmark?",
            file=str(path),
        )


class _Folder(NamedTuple):
    """The folder of the subsets, which the paths of images start from, and the episodes' files."""

    root: Path
    files: tuple[Path, ...]


class _Row(msgspec.Struct):
    episode_id: str | int
    step_id: int
    instruction: Text
    image_path: str
    result_action_type: int
    result_action_text: str = ""
    result_action_app_name: str = ""
    result_touch_yx: str | list[float] = "[-1.0, -1.0]"
    result_lift_yx: str | list[float] = "[-1.0, -1.0]"
    ui_positions: str | list[Any] = "[]"
    ui_text: str | list[Any] = "[]"
    image_width: float | None = None
    image_height: float | None = None
    coat_action_desc: str = ""


def _steps(file: Path, images: Path) -> Iterator[StepRow]:
    text = read_json(file)
    before: tuple[Action, ...] = ()
    for index, row in enumerate(text.rows(list[_Row])):
        step = _step(row, index, before, images, text)
        yield step
        before = (*before, step.gold.action)


def _step(
    row: _Row, index: int, before: tuple[Action, ...], images: Path, text: JsonText
) -> StepRow:
    subset = row.image_path.partition("/")[0]
    size, positions = _size(row, images, text), _listed(row, "ui_positions", text)
    # Evaluations divide the boxes by the size that they add to a row.
    scale = size if row.image_width else (1.0, 1.0)
    words = _listed(row, "ui_text", text)
    try:
        boxes = converted(positions, list[tuple[float, float, float, float]])
    except msgspec.ValidationError as error:
        raise _fault(row, f"{error}", "ui_positions", text) from None
    nodes = tuple(
        Node(
            (x * scale[0], y * scale[1], (x + w) * scale[0], (y + h) * scale[1]),
            str(words[number]) if number < len(words) else "",
        )
        for number, (y, x, h, w) in enumerate(boxes)
    )
    return StepRow(
        id=f"{row.episode_id}/{row.step_id}",
        goal=row.instruction,
        before=before,
        gold=StepGold(
            _action(row, size, text),
            size,
            nodes=nodes,
            episode=str(row.episode_id),
            step=index,
            group=subset,
            name=row.coat_action_desc,
        ),
        image=row.image_path,
        tags={"subset": subset},
    )


def _fault(row: _Row, what: str, field: str, text: JsonText) -> DataError:
    return text.error(f"step {row.step_id}: {what}", field)


def _size(row: _Row, images: Path, text: JsonText) -> Point:
    if row.image_width and row.image_height:
        return row.image_width, row.image_height
    found = size_of(images / row.image_path) if is_inside(row.image_path) else None
    if found is None:
        raise _fault(
            row,
            f"no image_width and image_height, and no screenshot {row.image_path!r} to read them"
            " from: put the screenshots beside the file, as they are published",
            "image_width",
            text,
        )
    return found.width, found.height


def _listed(row: _Row, field: str, text: JsonText) -> list[Any]:
    value: object = getattr(row, field)
    if isinstance(value, list):
        return value  # pyright: ignore[reportUnknownVariableType]  # JSON
    try:
        return msgspec.json.decode(str(value), type=list[Any])
    except msgspec.DecodeError:
        raise _fault(row, f"{value!r} is no list", field, text) from None


def _place(row: _Row, field: str, text: JsonText) -> Point:
    """Return a place as x and y, in fractions."""
    try:
        y, x = converted(_listed(row, field, text), tuple[float, float])
    except msgspec.ValidationError:
        y = x = -1.0
    if x < 0 or y < 0:
        raise _fault(row, f"{getattr(row, field)!r} is no place on the screen", field, text)
    return x, y


def _action(row: _Row, size: Point, text: JsonText) -> Action:
    kind = row.result_action_type
    if kind in _PLAIN:
        return _PLAIN[kind]
    if kind == _TYPE:
        return Action(ActionType.TYPE, text=row.result_action_text)
    if kind == _OPEN:
        return Action(ActionType.OPEN_APP, app=row.result_action_app_name)
    if kind not in (_TOUCH, _LONG):
        raise _fault(row, f"no action {kind}", "result_action_type", text)
    touch = _place(row, "result_touch_yx", text)
    point = touch[0] * size[0], touch[1] * size[1]
    if kind == _LONG:
        return Action(ActionType.LONG_PRESS, point=point)
    lift = _place(row, "result_lift_yx", text)
    if hypot(touch[0] - lift[0], touch[1] - lift[1]) <= _TAP:
        return Action(ActionType.CLICK, point=point)
    end = lift[0] * size[0], lift[1] * size[1]
    # In fractions, where the published code takes the larger axis.
    return Action(ActionType.SCROLL, point, end, swiped(touch, lift))
