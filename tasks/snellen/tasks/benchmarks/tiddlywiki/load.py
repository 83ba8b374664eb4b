"""Loads tasks in TiddlyWiki, and writes them.

The file is `tiddlywiki.jsonl`, an object a line: `{id, goal, tiddlers, wiki, gold, tags}`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from snellen.tasks.benchmarks.worlds import WorldRow, Worlds
from snellen.tasks.models import TaskData
from snellen.tasks.prompts import Prompt

TASK = "tiddlywiki/l3"

PROMPTS = (
    Prompt(
        "snellen-tiddlywiki-1",
        "You work in a wiki; what it calls tiddlers are its notes. Do what the task asks for and"
        " change nothing else. A note that you edit is changed when you confirm it, and one that"
        " is still being edited at the end counts as a change; the wiki itself need not be saved."
        " If the task can't be done, leave everything as it is and say so.",
        "\n\nTask: {question}",
    ),
)


class Row(WorldRow, frozen=True, kw_only=True):
    """One task.

    Attributes:
        tiddlers: The wiki's notes at the beginning.
        wiki: The SHA-256 of the empty wiki's HTML.
    """

    tiddlers: list[dict[str, str]]
    wiki: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


WORLDS = Worlds(
    environment="tiddlywiki",
    row=Row,
    task=lambda row: TASK,
    start=lambda row: {"tiddlers": [dict(each) for each in row.tiddlers], "wiki": row.wiki},
    tags=("template", "difficulty", "feasible"),
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
    """Load the tasks of an exam.

    Args:
        task: `tiddlywiki/l3`.
        path: The file, or the folder that holds it; `snellen pack episodes tiddlywiki` makes
            packs, which can be loaded as well.
        split: There is one, `all`.
        images: There are none.
        prompt: The prompt's name; None: the default.

    Raises:
        DataError: A line is not as described, an id comes twice, or there is no such split.
        UnknownNameError: There is no such prompt.
    """
    return WORLDS.load(task, path, split, prompt)
