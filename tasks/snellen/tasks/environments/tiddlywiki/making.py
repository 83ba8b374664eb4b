"""Generate the tasks of an exam in a wiki."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from snellen.grading.protocols.golds import Changes, OutcomeGold
from snellen.tasks.benchmarks.tiddlywiki.load import Row, write_rows
from snellen.tasks.environments.tiddlywiki.build import build_wiki
from snellen.tasks.environments.tiddlywiki.tasks import Task, draw
from snellen.tasks.environments.tiddlywiki.templates import TEMPLATES

COUNT: Final = len(TEMPLATES)
"""One task of each template."""


def make_tasks(folder: Path, *, seed: int, count: int = COUNT) -> Path:
    """Write the file of an exam's tasks, which `tiddlywiki/l3` loads.

    Args:
        folder: The folder for the file.
        seed: The seed of wikis and tasks; with it anybody can compute the references.
        count: How many tasks.

    Returns:
        The file.

    Raises:
        InputError: TiddlyWiki is not installed, or no wiki can be made of it.
    """
    wiki = build_wiki()
    return write_rows(rows_of(draw([*TEMPLATES.values()], count, seed), wiki), folder)


def rows_of(tasks: Sequence[Task], wiki: str) -> list[Row]:
    """Return tasks as the lines of a file; ids reveal nothing about references.

    Args:
        tasks: The tasks.
        wiki: The SHA-256 of the empty wiki's HTML.
    """
    return [
        Row(
            id=f"wiki-{number:04}",
            goal=task.goal,
            tiddlers=[dict(each) for each in task.tiddlers],
            wiki=wiki,
            gold=OutcomeGold(
                limit=task.limit,
                changes=msgspec.convert(task.expected, Changes),
                answer=task.answer,
                reason=None if task.reason is None else task.reason.value,
            ),
            tags=task.tags,
        )
        for number, task in enumerate(tasks, 1)
    ]
