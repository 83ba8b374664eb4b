"""Loads the episodes of an exam, and writes them.

The file is `miniwob.jsonl`, an object a line: `{id, page, seed, time, goal, limit}`. It holds what
the page asks for, which only the open page says, so a browser is needed to make it and none to
load it.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from snellen.grading.errors import DataError
from snellen.grading.models.golds import Golds
from snellen.grading.models.items import AnswerFormat, AnswerKind, Item
from snellen.grading.protocols.base import Context
from snellen.grading.protocols.golds import PageEpisodeGold
from snellen.tasks.benchmarks.miniwob.schedule import Start
from snellen.tasks.data.pins import pin
from snellen.tasks.io.files import checked, contents
from snellen.tasks.io.json_text import read_json
from snellen.tasks.models import TaskData, World
from snellen.tasks.prompts import Prompt, prompt_of

TASK = "miniwob/episode"
ENVIRONMENT = "miniwob"
FILE = "miniwob.jsonl"
LIMIT = 20

Time = Literal["stepped", "real"]

PROMPTS = (
    Prompt(
        "snellen-miniwob-1",
        "Do the task on the page that you see, by mouse and keyboard. The page ends the episode"
        " when the task is done, or done wrong.",
        "\n\nTask: {question}",
    ),
)


class Row(msgspec.Struct, frozen=True):
    """One episode."""

    id: Annotated[str, Meta(min_length=1)]  # of its own
    page: Annotated[str, Meta(min_length=1)]  # of MiniWoB++
    seed: Annotated[int, Meta(ge=0)]  # of all that the page draws
    time: Time  # whether the page's time passes as it does, or with inputs only
    goal: str  # what the page asks for
    limit: Annotated[int, Meta(gt=0)]  # inputs that are allowed


def rows_of(
    starts: Sequence[Start], goals: Sequence[str], time: Time = "stepped", limit: int = LIMIT
) -> list[Row]:
    """Return the rows of episodes; what comes twice is told apart by a number.

    Args:
        starts: Their pages and seeds.
        goals: What each page asks for, as `goals` of
            `snellen.worlds.miniwob.episodes.MiniWoB` returns it.
        time: How time passes.
        limit: Inputs that are allowed.
    """
    seen: dict[Start, int] = {}
    rows: list[Row] = []
    for start, goal in zip(starts, goals, strict=True):
        seen[start] = seen.get(start, 0) + 1
        again = f"/{seen[start]}" if seen[start] > 1 else ""
        name = f"{time}/{start.page}/{start.seed}{again}"
        rows.append(Row(name, start.page, start.seed, time, goal, limit))
    return rows


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
    """Load the episodes of an exam.

    Args:
        task: `miniwob/episode`.
        path: The file, or the folder that holds it.
        split: How time passes, `stepped` or `real`; None: as it does in all of them.
        images: There are none.
        prompt: The prompt's name; None: the default.

    Raises:
        DataError: A line is not as described, an id comes twice, or times are mixed.
        UnknownNameError: There is no such prompt.
    """
    found = Path(path)
    checked(found, f"a folder with {FILE}")
    file = found / FILE if found.is_dir() else found
    if not file.is_file():
        raise DataError(f"there is no {FILE} in it ({contents(found)})", file=str(path))
    text = read_json(file)
    rows: dict[str, Row] = {}
    for line in text.lines:
        row = line.decode(Row, "expected an episode {id, page, seed, time, goal, limit}")
        if row.id in rows:
            raise line.error(f"the episode {row.id!r} is there twice", "id")
        rows[row.id] = row
    times = sorted({row.time for row in rows.values()})
    if split is None and len(times) > 1:
        raise DataError(
            "time is stepped in some and real in others: choose one by split", file=str(file)
        )
    kept = [row for row in rows.values() if split in (None, row.time)]
    if not kept:
        raise DataError(
            f"it holds no episodes{'' if split is None else f' of the split {split!r}'}",
            file=str(file),
        )
    return _data(kept, file, text.sha256, prompt_of(PROMPTS, prompt))


def _data(rows: Sequence[Row], file: Path, sha256: str, prompt: Prompt) -> TaskData:
    found = pin(FILE.removesuffix(".jsonl"), rows[0].time, file, sha256, len(rows))
    return TaskData(
        task=TASK,
        split=rows[0].time,
        ids=[row.id for row in rows],
        golds=Golds([PageEpisodeGold(row.limit, row.page) for row in rows]),
        # No release of episodes is published; a number depends on how time passed.
        pin=found.model_copy(update={"release": rows[0].time}),
        contexts=[Context(limit=row.limit) for row in rows],
        build_item=lambda index: _item(rows[index], prompt),
        worlds=[
            World(
                environment=ENVIRONMENT,
                start={"page": row.page, "seed": row.seed, "time": row.time},
                limit=row.limit,
            )
            for row in rows
        ],
        tags={"page": [row.page for row in rows]},
        cluster="page",
    )


def _item(row: Row, prompt: Prompt) -> Item:
    return Item(
        id=row.id,
        task=TASK,
        prompt=prompt.ask(row.goal, hint=f" You may take {row.limit} steps."),
        answer_format=AnswerFormat(
            kind=AnswerKind.EPISODE, example='{"reward": 1, "ended": true, "cost": 3}'
        ),
        tags={"page": row.page, "prompt": prompt.name},
    )
