"""Loads tasks on the desk, and writes them.

The file is `desk.jsonl`, an object a line: `{id, goal, gold, tags, task, state}`. `state` is the
world as it is at the beginning; `gold` is how it should end:
`{changes, answer, kind, reason, limit}`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from snellen.tasks.benchmarks.worlds import WorldRow, Worlds
from snellen.tasks.models import TaskData
from snellen.tasks.prompts import Prompt

L3, L4 = "desk/l3", "desk/l4"

PROMPTS = (
    Prompt(
        "snellen-desk-1",
        "You work at a computer with applications such as mail, a calendar and a shop. Do what the"
        " task asks for and change nothing else. If it can't be done, leave everything as it is"
        " and say so.",
        "\n\nTask: {question}",
    ),
)


class Row(WorldRow, frozen=True, kw_only=True):
    """One task."""

    task: Literal["desk/l3", "desk/l4"]  # its level's task
    state: dict[str, Any]  # the world at the beginning


WORLDS = Worlds(
    environment="desk",
    row=Row,
    task=lambda row: row.task,
    start=lambda row: {"state": row.state},
    tags=("template", "apps", "difficulty", "feasible", "look"),
    prompts=PROMPTS,
)


def write_rows(rows: Sequence[Row], folder: Path) -> Path:
    """Write the file that is loaded, and return its path."""
    return WORLDS.write(rows, folder)


def load(
    task: str,
    path: str | Path,
    split: str | None = None,
    images: str | Path | None = None,
    prompt: str | None = None,
) -> TaskData:
    """Load the tasks of one level.

    Args:
        task: `desk/l3` or `desk/l4`.
        path: The file, or the folder that holds it; `snellen pack episodes desk` makes packs,
            which can be loaded as well.
        split: There is one, `all`.
        images: There are none.
        prompt: The prompt's name; None: the default.

    Raises:
        DataError: A line is not as described, an id comes twice, or there is no task of the level.
        UnknownNameError: There is no such prompt or split.
    """
    return WORLDS.load(task, path, split, prompt)
