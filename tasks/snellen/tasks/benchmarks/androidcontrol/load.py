"""AndroidControl: the next action on a phone's screen, given the goal, or the step's instruction.

Source: Li et al., 2024, "On the Effects of Data Scale on UI Control Agents".

`android_control_test.json` (huggingface.co/datasets/Reallm-Labs/android_control_test) is a list of
episodes with the boxes that Qwen's rule checks; everything in pixels of the screenshot. UI-S1's
copy (`android_control_evaluation_std.jsonl`) has the same checks without the size of the screens.
UGround's sample (its `data/500_steps`) is a list of steps with the screen's accessibility nodes,
UI-R1's `ac_test.json` a list of steps with AndroidControl's own labels and without goals.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from snellen.grading.errors import DataError, UnknownNameError
from snellen.grading.metrics.boxes import Ltrb, box_fault
from snellen.grading.models.actions import Action, ActionType, direction_of
from snellen.grading.protocols.golds import Node, StepGold
from snellen.tasks.benchmarks.androidcontrol.rules import HIGH, LOW
from snellen.tasks.benchmarks.declared import own
from snellen.tasks.benchmarks.steps import STEP_PROMPTS, StepRow, step_data
from snellen.tasks.data.pins import pin
from snellen.tasks.io.files import checked, contents
from snellen.tasks.io.images import ImageFiles, image_folder, size_in
from snellen.tasks.io.json_text import JsonText, read_json
from snellen.tasks.io.rows import SCREEN, Text, converted, misfit
from snellen.tasks.models import TaskData
from snellen.tasks.prompts import prompt_of

PROMPTS = STEP_PROMPTS
FILE = "android_control_test.json"
UI_S1_FILE = "android_control_evaluation_std.jsonl"
SPLIT, OS_ATLAS = "test", "os-atlas"
_SPLITS = (SPLIT, OS_ATLAS)
_ANDROIDCONTROL = own("androidcontrol")
_LEFT_OUT = frozenset(map(str, _ANDROIDCONTROL.more["left_out"]))

_UI_R1_IMAGE = re.compile(r"episode_(\d+)-screenshot_(\d+)\.png")


def load(
    task: str,
    path: str | Path,
    split: str | None = None,
    images: str | Path | None = None,
    prompt: str | None = None,
) -> TaskData:
    """Load the steps of one level.

    Args:
        task: `androidcontrol/high`, which shows the goal alone, or `androidcontrol/low`, which
            shows what the step is for as well.
        path: `android_control_test.json`, the folder that holds it, UI-S1's or UI-R1's copy, or
            UGround's sample.
        split: `test`, all steps, or `os-atlas`, the 7,708 that OS-Atlas and GUI-R1 count; `test`
            when None.
        images: The folder of screenshots; None: the one beside the file, if they are there.
        prompt: The name of one of the task's prompts; its first when None.

    Raises:
        DataError: The file can't be read or a row is not as published.
        UnknownNameError: There is no such task, split or prompt.
    """
    if task not in (HIGH, LOW):
        raise UnknownNameError("AndroidControl task", task, (HIGH, LOW))
    chosen = split or SPLIT
    if chosen not in _SPLITS:
        raise UnknownNameError(f"split of {task}", chosen, _SPLITS)
    asked = prompt_of(PROMPTS, prompt)
    file, sha256, steps = read_steps(Path(path))
    if chosen == OS_ATLAS:
        steps = tuple(step for step in steps if step.gold.episode not in _LEFT_OUT)
    if task == HIGH:
        if not all(step.goal for step in steps):
            raise DataError(f"says what each step is for and no goals: load {LOW}", file=str(file))
        steps = tuple(replace(step, instruction="") for step in steps)
    folder = file.parent if images is None else image_folder(Path(images), "the screenshots")
    files = ImageFiles(folder, lambda index, name: _paths(steps[index], name), "screenshot_paths")
    there = images is not None or bool(steps and files.file(0, SCREEN).is_file())
    if there:
        steps = tuple(_sized(steps, files))
    copies = {one.sha256: one.role for one in _ANDROIDCONTROL.releases if one.sha256}
    releases = [release for release in _ANDROIDCONTROL.releases if release.split == chosen]
    pinned = pin(copies.get(sha256, "androidcontrol"), chosen, file, sha256, len(steps), releases)
    if chosen == OS_ATLAS:
        # One file holds both splits, so that its digest in a signature does not say which it was.
        pinned = pinned.model_copy(update={"release": f"{pinned.release}/{chosen}"})
    return step_data(
        task,
        chosen,
        steps,
        pin=pinned,
        prompt=asked,
        images=files if there else None,
    )


def _paths(step: StepRow, name: str) -> list[str]:
    if name != SCREEN:
        raise DataError(f"there is no image {name!r}, only {SCREEN!r}")
    return [step.image, f"images/{step.image}"]


def _sized(steps: Sequence[StepRow], files: ImageFiles) -> Iterator[StepRow]:
    """Yield the steps with the size of the screen: the screenshot's, if the data has none."""
    for index, step in enumerate(steps):
        size = None if step.gold.image_size else size_in(files, index, SCREEN)
        yield (
            replace(step, gold=msgspec.structs.replace(step.gold, image_size=size))
            if size
            else step
        )


_Point = tuple[float, float]


class _Check(msgspec.Struct):
    action: str
    coordinate: _Point | None = None
    candidate_bbox: tuple[Ltrb, ...] = ()
    text: str = ""
    direction: str = ""
    button: str = ""
    time: float | None = None


class _Episode(msgspec.Struct):
    episode_id: int | str
    goal: Text
    step_instructions: list[str]
    screenshot_paths: list[str]


class _EpisodeRow(msgspec.Struct):
    width: float
    height: float
    episode: _Episode
    step_check_pams: list[_Check]


class _CheckedStep(msgspec.Struct):
    screenshot: str
    check_options: _Check
    step_instruction: str = ""


class _EpisodeLine(msgspec.Struct):
    episode_id: int | str
    goal: Text
    steps: list[_CheckedStep]


class _LabelRow(msgspec.Struct):
    image: str
    gt: dict[str, Any]
    # Ten of 7,868 are empty.
    task: str


class _Box(msgspec.Struct):
    x_min: float
    y_min: float
    x_max: float
    y_max: float


class _Node(msgspec.Struct):
    bbox_pixels: _Box
    text: str | None = ""
    content_description: str | None = ""


class _StepRow(msgspec.Struct):
    episode_id: int | str
    step: int
    goal: Text
    action: dict[str, Any]
    step_instruction: str = ""
    previous_actions: list[Any] = []  # msgspec copies it
    screenshot: str = ""
    accessibility_tree: list[Any] = []  # msgspec copies it


def read_steps(path: Path) -> tuple[Path, str, tuple[StepRow, ...]]:
    """Read every step of a file.

    Args:
        path: The file, or the folder that holds `android_control_test.json` or UI-S1's copy.

    Returns:
        The file, its digest, and the steps; instructions of the steps are there in both levels.

    Raises:
        DataError: The file can't be read, or a row is not as published.
    """
    file = path / FILE if path.is_dir() else path
    if path.is_dir() and not file.is_file() and (path / UI_S1_FILE).is_file():
        file = path / UI_S1_FILE
    if not file.is_file():
        checked(path, "the published folder or one of its files")
        raise DataError(
            f"there is no {FILE} in it ({contents(path)}): is it a folder of another benchmark?",
            file=str(path),
        )
    text = read_json(file)
    first = _fields(text)
    if "accessibility_tree" in first:
        rows = _from_sample(text, str(file))
    elif {"image", "gt", "task"} <= first:
        rows = _from_labels(text, str(file))
    else:
        rows = _from_episodes(text, str(file))
    return file, text.sha256, tuple(rows)


def _fields(text: JsonText) -> frozenset[str]:
    """Return the names of the first row's fields."""
    return frozenset[str]().union(*text.rows(list[dict[str, Any]])[:1])


def _episodes(
    text: JsonText,
) -> Iterator[tuple[_Episode, list[_Check], tuple[float, float] | None]]:
    """Yield each episode, its checks and the size of its screens, which UI-S1's copy lacks."""
    if "steps" not in _fields(text):
        for row in text.rows(list[_EpisodeRow]):
            yield row.episode, row.step_check_pams, (row.width, row.height)
        return
    for row in text.rows(list[_EpisodeLine]):
        instructions = [step.step_instruction for step in row.steps]
        images = [step.screenshot.rpartition("/")[2] for step in row.steps]
        checks = [step.check_options for step in row.steps]
        yield _Episode(row.episode_id, row.goal, instructions, images), checks, None


def _from_episodes(text: JsonText, file: str) -> Iterator[StepRow]:
    for number, (episode, checks, size) in enumerate(_episodes(text)):
        if not len(checks) == len(episode.step_instructions) <= len(episode.screenshot_paths):
            raise misfit(
                f"episode {episode.episode_id} has {len(checks)} checks,"
                f" {len(episode.step_instructions)} instructions and"
                f" {len(episode.screenshot_paths)} screenshots",
                file,
                number,
                "step_check_pams",
            )
        before: tuple[Action, ...] = ()
        for step, check in enumerate(checks):
            action = _checked_action(check, f"step {step} of {episode.episode_id}", file, number)
            yield StepRow(
                id=f"{episode.episode_id}/{step}",
                goal=episode.goal,
                instruction=episode.step_instructions[step],
                before=before,
                gold=StepGold(
                    action,
                    size,
                    boxes=check.candidate_bbox,
                    episode=str(episode.episode_id),
                    step=step,
                ),
                image=episode.screenshot_paths[step],
            )
            before = (*before, action)


def _checked_action(check: _Check, name: str, file: str, number: int) -> Action:
    action = _of_check(check)
    if action is None:
        raise misfit(f"{name}: no action {check.action!r}", file, number, "action")
    if action.type in (ActionType.CLICK, ActionType.LONG_PRESS) and action.point is None:
        raise misfit(f"{name}: a {check.action} without a coordinate", file, number, "coordinate")
    if action.type is ActionType.SCROLL and action.direction is None:
        raise misfit(f"{name}: no direction {check.direction!r}", file, number, "direction")
    for box in check.candidate_bbox:
        if fault := box_fault(box):
            raise misfit(f"{name}: {fault}", file, number, "candidate_bbox")
    return action


def _of_check(check: _Check) -> Action | None:
    match check.action:
        case "click" | "long_press":
            return Action(ActionType(check.action), point=check.coordinate)
        case "type":
            return Action(ActionType.TYPE, text=check.text)
        case "open":
            return Action(ActionType.OPEN_APP, app=check.text)
        case "swipe":
            # The file's direction is where the content leads: it is AndroidControl's own label in
            # all 1,211 scrolls of the test steps.
            return Action(ActionType.SCROLL, direction=direction_of(check.direction))
        case "system_button":
            return Action(ActionType.NAVIGATE, button=check.button.strip().lower())
        case "wait":
            return Action(ActionType.WAIT, seconds=check.time)
        case _:
            return None


def _from_sample(text: JsonText, file: str) -> Iterator[StepRow]:
    for number, row in enumerate(text.rows(list[_StepRow])):
        name = f"{row.episode_id}/{row.step}"
        nodes = tuple(_nodes(row.accessibility_tree, file, number))
        if not nodes:
            raise misfit(f"{name}: no accessibility node", file, number, "accessibility_tree")
        action = _of_sample(row.action)
        if action is None:
            raise misfit(f"{name}: no action {row.action!r}", file, number, "action")
        # The sample does not say the screen's size, which the outermost node has.
        size = (max(node.box[2] for node in nodes), max(node.box[3] for node in nodes))
        before = [_of_sample(done) for done in row.previous_actions if isinstance(done, dict)]  # type: ignore[reportUnknownArgumentType]
        yield StepRow(
            id=name,
            goal=row.goal,
            instruction=row.step_instruction,
            before=tuple(done for done in before if done is not None),
            gold=StepGold(action, size, nodes=nodes, episode=str(row.episode_id), step=row.step),
            image=row.screenshot,
        )


def _from_labels(text: JsonText, file: str) -> Iterator[StepRow]:
    for number, row in enumerate(text.rows(list[_LabelRow])):
        named = _UI_R1_IMAGE.fullmatch(row.image)
        if named is None:
            raise misfit(f"{row.image!r} is not episode_E-screenshot_S.png", file, number, "image")
        episode, step = named[1], int(named[2])
        action = _of_sample(row.gt)
        if action is None:
            raise misfit(f"{episode}/{step}: no action {row.gt!r}", file, number, "gt")
        yield StepRow(
            id=f"{episode}/{step}",
            goal="",
            instruction=row.task,
            gold=StepGold(action, episode=episode, step=step),
            image=row.image,
        )


def _nodes(tree: list[Any], file: str, number: int) -> Iterator[Node]:
    for node in tree:
        if isinstance(node, list):
            yield from _nodes(node, file, number)  # type: ignore[reportUnknownArgumentType]
            continue
        try:
            found = converted(node, _Node)
        except msgspec.ValidationError as error:
            raise misfit(
                f"a node is not as published: {error}", file, number, "accessibility_tree"
            ) from None
        box = found.bbox_pixels
        yield Node(
            (box.x_min, box.y_min, box.x_max, box.y_max),
            found.text or "",
            found.content_description or "",
        )


def _of_sample(fields: Mapping[str, Any]) -> Action | None:
    x, y = fields.get("x"), fields.get("y")
    point = (float(x), float(y)) if x is not None and y is not None else None
    match fields.get("action_type"):
        case "click" | "long_press" as kind:
            return Action(ActionType(kind), point=point) if point else None
        case "type_text" | "input_text":
            return Action(ActionType.TYPE, point=point, text=_text(fields, "text"))
        case "scroll":
            way = direction_of(fields.get("direction"))
            return Action(ActionType.SCROLL, direction=way) if way else None
        case "open_app":
            return Action(ActionType.OPEN_APP, app=_text(fields, "app_name"))
        case "navigate_back" | "navigate_home" as name:
            return Action(ActionType.NAVIGATE, button=name.removeprefix("navigate_"))
        case "wait":
            return Action(ActionType.WAIT)
        case "status" | "finish":
            return Action(ActionType.FINISH, status="success")
        case _:
            return None


def _text(fields: Mapping[str, Any], name: str) -> str:
    text = fields.get(name)
    return "" if text is None else str(text)
