"""Generate the tasks of an exam on the desk."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from snellen.grading.protocols.golds import Changes, OutcomeGold
from snellen.tasks.benchmarks.desk.load import L3, L4, Row, write_rows
from snellen.tasks.environments.desk.tasks import Task
from snellen.tasks.environments.desk.templates.table import TEMPLATES, draw

COUNT = len(TEMPLATES)
"""One task of each template."""


def make_tasks(folder: Path, *, seed: int, count: int = COUNT) -> Path:
    """Write the file of an exam's tasks, which `desk/l3` and `desk/l4` load.

    Args:
        folder: The folder for the file.
        seed: The seed of worlds and tasks; with it anybody can compute the references.
        count: How many tasks.

    Returns:
        The file.
    """
    return write_rows(rows_of(draw(count, seed)), folder)


def rows_of(tasks: Sequence[Task]) -> list[Row]:
    """Return tasks as the lines of a file; ids reveal nothing about references."""
    return [
        Row(
            id=f"{'l4' if task.tags['level'] == 'L4' else 'l3'}-{number:04}",
            task=L4 if task.tags["level"] == "L4" else L3,
            goal=task.goal,
            state=task.state,
            gold=gold_of(task),
            tags=task.tags,
        )
        for number, task in enumerate(tasks, 1)
    ]


def gold_of(task: Task) -> OutcomeGold:
    """Return a task's reference."""
    return OutcomeGold(
        limit=task.limit,
        changes=msgspec.convert(task.expected, Changes),
        answer=None if task.answer is None else task.answer.value,
        reason=None if task.reason is None else task.reason.value,
        kind=None if task.answer is None else task.answer.kind,
    )
