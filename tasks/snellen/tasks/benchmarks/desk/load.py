"""Loads tasks on the desk, and writes them.

The file is `desk.jsonl`, an object a line: `{id, task, goal, state, gold, tags}`. `state` is the
world as it is at the beginning; `gold` is how it should end: `{changes, answer, reason, limit}`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from snellen.grading.errors import DataError
from snellen.grading.models.answers import AnswerFormat, AnswerKind
from snellen.grading.models.golds import Golds
from snellen.grading.models.items import Item
from snellen.grading.protocols.base import Context
from snellen.grading.protocols.golds import OutcomeGold
from snellen.tasks.data.pins import pin
from snellen.tasks.io.files import checked, contents
from snellen.tasks.io.json_text import read_json
from snellen.tasks.models import TaskData, World
from snellen.tasks.prompts import Prompt, prompt_of

L3, L4 = "desk/l3", "desk/l4"
ENVIRONMENT = "desk"
FILE = "desk.jsonl"

PROMPTS = (
    Prompt(
        "snellen-desk-1",
        "You work at a computer with applications such as mail, a calendar and a shop. Do what the"
        " task asks for and change nothing else. If it can't be done, leave everything as it is"
        " and say so.",
        "\n\nTask: {question}",
    ),
)


class Row(msgspec.Struct, frozen=True):
    """One task.

    Attributes:
        id: Of its own.
        task: Its level's task.
        goal: What is to be done.
        state: The world at the beginning.
        gold: How it should end, with the most steps.
        tags: What it can be grouped by.
    """

    id: Annotated[str, Meta(min_length=1)]
    task: Literal["desk/l3", "desk/l4"]
    goal: Annotated[str, Meta(min_length=1)]
    state: dict[str, Any]
    gold: OutcomeGold
    tags: Mapping[str, str]


def write_rows(rows: Sequence[Row], folder: Path) -> Path:
    """Write the file that is loaded, and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / FILE
    file.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    return file


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
    found = Path(path)
    checked(found, f"a folder with {FILE}")
    file = found / FILE if found.is_dir() else found
    if not file.is_file():
        raise DataError(f"there is no {FILE} in it ({contents(found)})", file=str(path))
    if split not in (None, "all"):
        raise DataError(f"there is no split {split!r} of {task}, only 'all'", file=str(path))
    text = read_json(file)
    rows: dict[str, Row] = {}
    for line in text.lines:
        row = line.decode(Row, "expected a task {id, task, goal, state, gold, tags}")
        if row.id in rows:
            raise line.error(f"the task {row.id!r} is there twice", "id")
        if row.gold.limit is None:
            raise line.error(f"the task {row.id!r} has no limit", "gold")
        rows[row.id] = row
    kept = [row for row in rows.values() if row.task == task]
    if not kept:
        raise DataError(f"it holds no task of {task}", file=str(file))
    return _data(task, kept, file, text.sha256, prompt_of(PROMPTS, prompt))


def _data(task: str, rows: Sequence[Row], file: Path, sha256: str, prompt: Prompt) -> TaskData:
    return TaskData(
        task=task,
        split="all",
        ids=[row.id for row in rows],
        golds=Golds([row.gold for row in rows]),
        pin=pin(FILE.removesuffix(".jsonl"), "all", file, sha256, len(rows)),
        contexts=[Context(limit=row.gold.limit) for row in rows],
        build_item=lambda index: _item(rows[index], prompt),
        worlds=[
            World(environment=ENVIRONMENT, start={"state": row.state}, limit=_limit(row))
            for row in rows
        ],
        tags={
            name: [row.tags.get(name) for row in rows]
            for name in ("template", "apps", "difficulty", "feasible")
        },
        cluster="template",
    )


def _limit(row: Row) -> int:
    return int(row.gold.limit or 1)


def _item(row: Row, prompt: Prompt) -> Item:
    return Item(
        id=row.id,
        task=row.task,
        prompt=prompt.ask(row.goal, hint=f" You may take {_limit(row)} steps."),
        answer_format=AnswerFormat(
            kind=AnswerKind.EPISODE, example='{"status": "done", "changes": {}, "cost": 3}'
        ),
        tags={"prompt": prompt.name},
    )
