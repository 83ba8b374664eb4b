"""MMBench-GUI's four levels: what is asked, in which form, and against what.

Source: MMBench-GUI (Wang et al., 2025, arXiv 2507.19478) section 3 and its repository,
github.com/open-compass/MMBench-GUI. L1 and L2 are read from the published files; the tasks of L3
and L4 were never released as files, so those are read from lists in a layout of our own
(`snellen.tasks.benchmarks.mmbench_gui.load`).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal

import msgspec

from snellen.grading.errors import DataError, UnknownNameError
from snellen.grading.models.geometry import Space
from snellen.grading.models.golds import Golds
from snellen.grading.models.items import AnswerFormat, AnswerKind, Image, Item
from snellen.grading.models.reports import DataPin, PinVerdict
from snellen.grading.models.tags import TagColumn
from snellen.grading.protocols.base import Context
from snellen.grading.protocols.golds import EpisodeGold
from snellen.tasks.benchmarks.declared import own
from snellen.tasks.benchmarks.grounding import EXAMPLES, GroundingRow, asked_space, grounding_data
from snellen.tasks.benchmarks.loading import task_in
from snellen.tasks.benchmarks.mmbench_gui.format import (
    DIFFICULTIES,
    EPISODE_FILES,
    Annotations,
    Element,
    Question,
    Shot,
    find,
    read_elements,
    read_questions,
    screenshots,
)
from snellen.tasks.benchmarks.mmbench_gui.rules.online import PLATFORMS
from snellen.tasks.data.pins import pin
from snellen.tasks.io.json_text import JsonText, read_json
from snellen.tasks.io.rows import SCREEN, Text
from snellen.tasks.models import TaskData
from snellen.tasks.prompts import Prompt, prompt_of

Level = Literal["l3", "l4"]

TYPES: dict[Level, Literal["single", "multi"]] = {"l3": "single", "l4": "multi"}


class _Row(msgspec.Struct, forbid_unknown_fields=True):
    id: Text
    instruction: Text
    platform: str
    apps: tuple[str, ...] = ()
    type: Literal["single", "multi"] | None = None
    limit: Annotated[int, msgspec.Meta(gt=0, le=1_000_000)] | None = None


@dataclass(frozen=True, slots=True)
class OnlineTask:
    """One task for an agent."""

    id: str  # its name, unique in the file
    instruction: str  # what to do
    platform: str  # as reports write it: `linux`
    apps: tuple[str, ...] = ()  # the applications that it is about
    limit: int | None = None  # the most steps allowed; None where the file does not say


@dataclass(frozen=True, slots=True)
class TaskList:
    """The tasks of one level, in file order, and the file's digest."""

    path: Path
    sha256: str
    tasks: tuple[OnlineTask, ...]


def read_tasks(path: Path, level: Level) -> TaskList:
    """Read the tasks of one level.

    Args:
        path: The file, or the folder that holds it.
        level: `l3` or `l4`.

    Raises:
        DataError: It can't be read, or a line is not as documented.
    """
    file = find(path, EPISODE_FILES[level])
    text = read_json(file)
    tasks: dict[str, OnlineTask] = {}
    for line in text.lines:
        task = _task(line, level)
        if task.id in tasks:
            raise line.error(f"the task {task.id!r} is there twice", "id")
        tasks[task.id] = task
    if not tasks:
        raise text.error("holds no tasks")
    return TaskList(file, text.sha256, tuple(tasks.values()))


def _task(line: JsonText, level: Level) -> OnlineTask:
    row = line.decode(_Row, "expected a task {id, instruction, platform, apps, type, limit}")
    platform = PLATFORMS.get(row.platform, row.platform)
    if platform not in PLATFORMS.values():
        raise line.error(
            f"the task {row.id!r} is for {row.platform!r}, which is none of {', '.join(PLATFORMS)}",
            "platform",
        )
    if row.type not in (None, TYPES[level]):
        other = "l4" if level == "l3" else "l3"
        raise line.error(
            f"the task {row.id!r} is of type {row.type!r}: that is mmbench-gui/{other}", "type"
        )
    return OnlineTask(row.id, row.instruction, platform, row.apps, row.limit)


L1, L2_BASIC, L2_ADVANCED, L3, L4 = TASKS = (
    "mmbench-gui/l1",
    "mmbench-gui/l2_basic",
    "mmbench-gui/l2_advanced",
    "mmbench-gui/l3",
    "mmbench-gui/l4",
)
_MMBENCH_GUI = own("mmbench-gui")
ALL = "all"
"""The split of everything: L1 in its three difficulties, L3 and L4 under the tasks' own limits."""

_LETTERS = "ABCDEF"
PUBLISHED_MD5 = MappingProxyType(
    {
        "L1_annotations": "a9a4fd9eb1e4ae0355fee057bd55cbec",
        "L2_annotations": "a2e042302ac389299873a857b7370a35",
    }
)
"""What utils/download.py of the repository checks the files against."""


def load(
    task: str,
    path: str | Path,
    split: str | None = None,
    images: str | Path | None = None,
    prompt: str | None = None,
) -> TaskData:
    """Load one split of one level of MMBench-GUI.

    Args:
        task: `mmbench-gui/` and one of l1, l2_basic, l2_advanced, l3, l4.
        path: The folder with `L1_annotations.json` and `L2_annotations.json` (or the one above),
            or one of these files. For l3 and l4: `L3_tasks.jsonl`, `L4_tasks.jsonl`, or a folder
            with them.
        split: l1: `easy`, `medium`, `hard` or `all`. l2_basic and l2_advanced: `basic` and
            `advanced`, their only ones. l3 and l4: `all` (each task's own limit of steps), or a
            limit for all such as `15 steps`. None: `all`, or the only one. An item's id is the
            same in every split.
        images: The folder of screenshots, by platform; None: the one beside the annotations,
            where there is one.
        prompt: The name of one of the task's prompts; its first when None.

    Raises:
        DataError: A file can't be read or a row is not as documented: references are never
            guessed, so a single bad row stops the load.
        UnknownNameError: There is no such task, split or prompt.
    """
    asked = prompt_of(task_in(_MMBENCH_GUI.prompts, task, "MMBench-GUI"), prompt)
    if task == L1:
        return _load_questions(Path(path), split, _path(images), asked)
    if task in (L2_BASIC, L2_ADVANCED):
        return _load_elements(task, Path(path), split, _path(images), asked)
    return _load_tasks(task, Path(path), split, asked)


# ---- L1 ----------------------------------------------------------------------------------------


def _load_questions(path: Path, split: str | None, images: Path | None, prompt: Prompt) -> TaskData:
    split = split or ALL
    if split not in (*DIFFICULTIES, ALL):
        raise UnknownNameError(f"split of {L1}", split, (*DIFFICULTIES, ALL))
    file = read_questions(path)
    rows = [row for row in file.rows if split in (ALL, row.difficulty)]
    return TaskData(
        task=L1,
        split=split,
        ids=[row.id for row in rows],
        golds=Golds([row.answer for row in rows]),
        pin=_pin("L1_annotations", file),
        build_item=lambda index: _ask(rows[index], prompt),
        load_image=screenshots(file.path, images, rows),
        contexts=[_context(row.shot, len(row.options)) for row in rows],
        tags={
            "difficulty": [row.difficulty for row in rows],
            **_shot_tags([row.shot for row in rows]),
            "options": [str(len(row.options)) for row in rows],
        },
        cluster="image",
    )


def _ask(row: Question, prompt: Prompt) -> Item:
    lines = [f"{letter}. {text}" for letter, text in zip(_LETTERS, row.options, strict=False)]
    return Item(
        id=row.id,
        task=L1,
        prompt=prompt.ask("\n".join([row.text, "Options:", *lines])),
        images=(_image(row.shot),),
        answer_format=AnswerFormat(kind=AnswerKind.CHOICE, example="B", options=row.options),
        tags={"difficulty": row.difficulty, "platform": row.shot.platform, "prompt": prompt.name},
    )


# ---- L2 ----------------------------------------------------------------------------------------


def _load_elements(
    task: str, path: Path, split: str | None, images: Path | None, prompt: Prompt
) -> TaskData:
    kind = "basic" if task == L2_BASIC else "advanced"
    if split not in (None, kind):
        raise UnknownNameError(f"split of {task}", split, (kind,))
    file = read_elements(path)
    rows = [row for row in file.rows if row.kind == kind]
    if not rows:
        raise DataError(f"holds no row of grounding_type {kind!r}", file=str(file.path))
    return grounding_data(
        task,
        kind,
        [_element(row) for row in rows],
        pin=_pin("L2_annotations", file),
        prompt=prompt,
        asked_in=(space := asked_space(prompt)),
        images=screenshots(file.path, images, rows),
        # A prompt that does not say the space is answered in pixels.
        example=EXAMPLES[space or Space.PIXELS],
    )


def _element(row: Element) -> GroundingRow:
    return GroundingRow(
        id=row.id,
        instruction=row.instruction,
        box=row.box,
        image=row.shot.path,
        size=(row.shot.size.width, row.shot.size.height),
        tags={"data_type": row.element, "platform": row.shot.platform, "app_name": row.shot.app},
    )


# ---- L3 and L4 ---------------------------------------------------------------------------------

_STEPS = re.compile(r"([1-9]\d{0,5})(?: steps)?")


def _load_tasks(task: str, path: Path, split: str | None, prompt: Prompt) -> TaskData:
    level: Level = "l3" if task == L3 else "l4"
    split = split or ALL
    found = _STEPS.fullmatch(split)
    if split != ALL and found is None:
        raise UnknownNameError(f"split of {task}", split, (ALL, "15 steps", "50 steps"))
    file = read_tasks(path, level)
    rows = file.tasks
    limits = [int(found[1]) if found else row.limit for row in rows]
    role = EPISODE_FILES[level].removesuffix(".jsonl")
    return TaskData(
        task=task,
        split=f"{found[1]} steps" if found else ALL,
        ids=[row.id for row in rows],
        golds=Golds([EpisodeGold(limit) for limit in limits]),
        pin=pin(role, ALL, file.path, file.sha256, len(rows), _MMBENCH_GUI.releases),
        contexts=[
            Context(limit=limit, platform=row.platform)
            for row, limit in zip(rows, limits, strict=True)
        ],
        build_item=lambda index: _do(rows[index], task, prompt, limits[index]),
        tags={
            "steps": [None if limit is None else f"{limit} steps" for limit in limits],
            "platform": [row.platform for row in rows],
            "apps": [" + ".join(row.apps) or None for row in rows],
        },
    )


def _do(row: OnlineTask, task: str, prompt: Prompt, limit: int | None) -> Item:
    hint = "" if limit is None else f" You may take {limit} steps."
    return Item(
        id=row.id,
        task=task,
        prompt=prompt.ask(row.instruction, hint=hint),
        answer_format=AnswerFormat(
            kind=AnswerKind.EPISODE, example='{"success": 1, "cost": 7, "limit": 15}'
        ),
        tags={"platform": row.platform, "prompt": prompt.name},
    )


# ---- all levels --------------------------------------------------------------------------------


def _image(shot: Shot) -> Image:
    return Image(name=SCREEN, width=int(shot.size.width), height=int(shot.size.height))


def _context(shot: Shot, options: int | None = None) -> Context:
    return Context(options=options, width=shot.size.width, height=shot.size.height)


def _shot_tags(found: Sequence[Shot]) -> dict[str, TagColumn]:
    return {
        "platform": [shot.platform for shot in found],
        "app_name": [shot.app or None for shot in found],
        "image": [shot.path for shot in found],
    }


def _path(images: str | Path | None) -> Path | None:
    return None if images is None else Path(images)


def _pin(role: str, file: Annotations[Question] | Annotations[Element]) -> DataPin:
    """Say which release a file is: its MD5 is published, its SHA-256 is not."""
    found = pin(role, ALL, file.path, file.sha256, len(file.rows), _MMBENCH_GUI.releases)
    if file.md5 != PUBLISHED_MD5[role]:
        return found
    return found.model_copy(
        update={
            "verdict": PinVerdict.KNOWN,
            "release": "2025-06",
            "note": "its MD5 is the one in MMBench-GUI's utils/download.py",
        }
    )
