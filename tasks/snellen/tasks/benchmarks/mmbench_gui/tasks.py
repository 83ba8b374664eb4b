"""The tasks of MMBench-GUI's L3 and L4, in a layout of our own: none was ever published.

`L3_tasks.jsonl` and `L4_tasks.jsonl` hold one JSON object a line, in the order in which EQA takes
the tasks:

    {"id": "linux/gimp-1", "instruction": "...", "platform": "os_linux", "apps": ["gimp"],
     "type": "single", "limit": 50}

`apps`, `type` and `limit` may be left out. What MMBench-GUI says of a task is in its section 3.3.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from snellen.grading.protocols.mmbench_gui_online import PLATFORMS
from snellen.tasks.benchmarks.mmbench_gui.format import find
from snellen.tasks.benchmarks.mmbench_gui.release import EPISODE_FILES
from snellen.tasks.io.json_text import JsonText, read_json
from snellen.tasks.io.rows import Text

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
    """One task for an agent.

    Attributes:
        id: Its name, unique in the file.
        instruction: What to do.
        platform: As reports write it: `linux`.
        apps: The applications that it is about.
        limit: The most steps allowed; None where the file does not say.
    """

    id: str
    instruction: str
    platform: str
    apps: tuple[str, ...] = ()
    limit: int | None = None


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
