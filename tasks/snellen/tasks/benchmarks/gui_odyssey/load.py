"""Read GUI-Odyssey: a file an episode, and lists of the episodes of each split.

Source: Lu et al., 2024; huggingface.co/datasets/hflqf88888/GUIOdyssey. Points count thousandths.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from snellen.grading.errors import DataError, UnknownNameError
from snellen.grading.metrics.boxes import Ltrb, box_fault
from snellen.grading.models.actions import Action, ActionType, Direction, Point, swiped
from snellen.grading.protocols.golds import StepGold
from snellen.tasks.benchmarks.gui_odyssey.rules import HIGH, LOW
from snellen.tasks.benchmarks.steps import STEP_PROMPTS, StepRow, step_data
from snellen.tasks.data.pins import digest_of_files, pin
from snellen.tasks.io.files import checked, contents
from snellen.tasks.io.images import ImageFiles, image_folder
from snellen.tasks.io.json_text import JsonText, read_json
from snellen.tasks.io.rows import SCREEN, Text
from snellen.tasks.models import TaskData
from snellen.tasks.prompts import prompt_of

PROMPTS = STEP_PROMPTS
SPLITS = ("random", "task", "device", "app")
_KEYS = {"KEY_HOME": "home", "KEY_BACK": "back", "KEY_APPSELECT": "recent"}


class _Device(msgspec.Struct):
    w: float
    h: float
    device_name: str = ""


class _About(msgspec.Struct):
    instruction: Text
    category: str = ""


class _Step(msgspec.Struct):
    step: int
    action: str
    info: Any = ""
    screenshot: str = ""
    low_level_instruction: str = ""
    sam2_bbox: list[float] | None = None


class _Episode(msgspec.Struct):
    episode_id: int | str
    device_info: _Device
    task_info: _About
    steps: list[_Step]


class _Split(msgspec.Struct):
    test: list[str]


class _EpisodeFiles(NamedTuple):
    folder: Path
    files: tuple[Path, ...]


def load(
    task: str,
    path: str | Path,
    split: str | None = None,
    images: str | Path | None = None,
    prompt: str | None = None,
) -> TaskData:
    """Load the test steps of one split.

    Args:
        task: `gui-odyssey/high`, which shows the goal alone, or `gui-odyssey/low`, which shows
            what the step is for as well.
        path: The repository's folder, with `annotations` and `splits`.
        split: `random`, `task`, `device` or `app`; `random` when None.
        images: The folder of screenshots; None: `screenshots`, if it is there.
        prompt: The name of one of the task's prompts; its first when None.

    Raises:
        DataError: A file can't be read or a step is not as published.
        UnknownNameError: There is no such task, split or prompt.
    """
    if task not in (HIGH, LOW):
        raise UnknownNameError("GUI-Odyssey task", task, (HIGH, LOW))
    chosen = split or SPLITS[0]
    if chosen not in SPLITS:
        raise UnknownNameError(f"split of {task}", chosen, SPLITS)
    asked = prompt_of(PROMPTS, prompt)
    found = _find(Path(path), chosen)
    steps = tuple(step for file in found.files for step in _steps(file, low=task == LOW))
    folder = found.folder / "screenshots" if images is None else image_folder(Path(images), "them")
    files = ImageFiles(folder, lambda index, _: [steps[index].image], "screenshot")
    there = images is not None or bool(steps and files.file(0, SCREEN).is_file())
    return step_data(
        task,
        chosen,
        steps,
        pin=pin("gui-odyssey", chosen, found.folder, digest_of_files(found.files), len(steps), ()),
        prompt=asked,
        images=files if there else None,
    )


def _find(path: Path, split: str) -> _EpisodeFiles:
    checked(path, "the published folder, with annotations and splits")
    if not path.is_dir():
        raise DataError("is a file: give the folder with annotations and splits", file=str(path))
    listed = path / "splits" / f"{split}_split.json"
    if not listed.is_file():
        raise DataError(
            f"there is no splits/{split}_split.json in it ({contents(path)}): is it a folder of"
            " another benchmark?",
            file=str(path),
        )
    names = read_json(listed).decode(_Split, "expected {train, test}, lists of episodes").test
    files = tuple(path / "annotations" / f"{name.removesuffix('.json')}.json" for name in names)
    for name, file in zip(names, files, strict=True):
        if Path(name).name != name:
            raise DataError(f"{name!r} is no episode's name", file=str(listed), field="test")
        if not file.is_file():
            raise DataError(f"there is no annotations/{file.name}", file=str(listed), field="test")
    return _EpisodeFiles(path, files)


def _steps(file: Path, *, low: bool) -> Iterator[StepRow]:
    text = read_json(file)
    episode = text.decode(_Episode, "expected an episode {episode_id, task_info, steps, ...}")
    size = (episode.device_info.w, episode.device_info.h)
    if min(size) <= 0:
        raise text.error(f"a screen of {size[0]:g} x {size[1]:g}", "device_info")
    before: tuple[Action, ...] = ()
    for index, step in enumerate(episode.steps):
        action = _action(step, size, text)
        yield StepRow(
            id=f"{episode.episode_id}/{step.step}",
            goal=episode.task_info.instruction,
            instruction=step.low_level_instruction if low else "",
            before=before,
            gold=StepGold(
                action,
                size,
                boxes=_boxes(step, size, text),
                episode=str(episode.episode_id),
                step=index,
                group=episode.task_info.category,
            ),
            image=step.screenshot,
            tags={
                "category": episode.task_info.category,
                "device": episode.device_info.device_name,
            },
        )
        before = (*before, action)


def _in_pixels(point: Point, size: tuple[float, float]) -> Point:
    return point[0] / 1000 * size[0], point[1] / 1000 * size[1]


def _points(step: _Step, size: tuple[float, float], count: int, text: JsonText) -> list[Point]:
    try:
        given = msgspec.convert(step.info, list[tuple[float, float]])
    except msgspec.ValidationError:
        given = []
    if len(given) < count:
        raise text.error(f"step {step.step}: {step.action} needs {count} points", "info")
    return [_in_pixels(point, size) for point in given[:count]]


def _action(step: _Step, size: tuple[float, float], text: JsonText) -> Action:
    match step.action:
        case "CLICK" | "LONG_PRESS" if step.info in list(_KEYS):
            return Action(ActionType.NAVIGATE, button=_KEYS[step.info])
        case "CLICK" | "LONG_PRESS":
            return Action(ActionType(step.action.lower()), point=_points(step, size, 1, text)[0])
        case "SCROLL":
            start, end = _points(step, size, 2, text)
            return Action(ActionType.SCROLL, start, end, _direction(step))
        case "TYPE" | "TEXT":
            return Action(ActionType.TYPE, text="" if step.info is None else str(step.info))
        case "COMPLETE":
            return Action(ActionType.FINISH, status="success")
        case "INCOMPLETE" | "IMPOSSIBLE":
            return Action(ActionType.FINISH, status="infeasible")
        case _:
            raise text.error(f"step {step.step}: no action {step.action!r}", "action")


def _direction(step: _Step) -> Direction:
    # In thousandths, where the published converter takes the larger axis.
    start, end = msgspec.convert(step.info[:2], list[tuple[float, float]])
    return swiped(start, end)


def _boxes(step: _Step, size: tuple[float, float], text: JsonText) -> tuple[Ltrb, ...]:
    sides = step.sam2_bbox
    if not sides:
        return ()
    if len(sides) != 4 or box_fault((sides[0], sides[1], sides[2], sides[3])):
        raise text.error(f"step {step.step}: {sides} is no box", "sam2_bbox")
    left, top = _in_pixels((sides[0], sides[1]), size)
    right, bottom = _in_pixels((sides[2], sides[3]), size)
    return ((left, top, right, bottom),)
