"""The table of templates, exams drawn from it, and the file of their tasks."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import Final

import msgspec

from snellen.grading.protocols.golds import Changes, OutcomeGold
from snellen.tasks.benchmarks.desk.load import L3, L4, Row, write_rows
from snellen.tasks.environments.desk.tasks import DIFFICULTIES, Task, Template
from snellen.tasks.environments.desk.templates.across import ACROSS
from snellen.tasks.environments.desk.templates.calendar import CALENDAR
from snellen.tasks.environments.desk.templates.contacts import CONTACTS
from snellen.tasks.environments.desk.templates.direct import DIRECT
from snellen.tasks.environments.desk.templates.mail import MAIL
from snellen.tasks.environments.desk.templates.office import OFFICE
from snellen.tasks.environments.desk.templates.shop import SHOP
from snellen.tasks.environments.desk.templates.travel import TRAVEL

TEMPLATES: Final = {
    template.name: template
    for template in (*MAIL, *CALENDAR, *CONTACTS, *OFFICE, *SHOP, *TRAVEL, *ACROSS)
}

SETS: Final = {1: TEMPLATES, 2: {**TEMPLATES, **{each.name: each for each in DIRECT}}}
"""The templates by the version of the desk. A set that packs were made of never changes."""

ONE_INFEASIBLE_IN: Final = 10


def draw(count: int, seed: int, version: int = 1) -> list[Task]:
    """Return tasks of all templates and difficulties in turn; one in ten is infeasible.

    Args:
        count: How many.
        seed: Of the first one; each has a world of its own.
        version: The version of the desk.
    """
    templates = list(SETS[version].values()) if version == 1 else _mixed(SETS[version])
    impossible = _impossible(count, seed, len(templates))
    return [
        templates[index % len(templates)].make(
            seed + index,
            DIFFICULTIES[(index // len(templates) + index) % len(DIFFICULTIES)],
            feasible=index not in impossible,
            version=version,
        )
        for index in range(count)
    ]


def _mixed(templates: Mapping[str, Template]) -> list[Template]:
    """Return templates so that also the first few are of many applications and of both levels."""
    groups: dict[str, list[Template]] = {}
    for template in templates.values():
        groups.setdefault(template.apps[0] if template.level == 3 else "several", []).append(
            template
        )
    turns = zip_longest(*(reversed(group) for group in groups.values()))
    return [template for turn in turns for template in turn if template is not None]


def _impossible(count: int, seed: int, kinds: int) -> set[int]:
    """Return one index of each ten: one whose template has waited longest for its turn.

    The seed says from where in the ten on it is looked for.
    """
    last = [-1] * kinds
    start = Random(f"impossible {seed}").randrange(ONE_INFEASIBLE_IN)
    chosen: set[int] = set()
    for first in range(0, count - ONE_INFEASIBLE_IN + 1, ONE_INFEASIBLE_IN):
        ten = [first + (start + each) % ONE_INFEASIBLE_IN for each in range(ONE_INFEASIBLE_IN)]
        index = min(ten, key=lambda each: last[each % len(last)])
        last[index % len(last)] = index
        chosen.add(index)
    return chosen


def make_tasks(folder: Path, *, seed: int, count: int | None = None, version: int = 1) -> Path:
    """Write the file of an exam's tasks, which `desk/l3` and `desk/l4` load.

    Args:
        folder: The folder for the file.
        seed: The seed of worlds and tasks; with it anybody can compute the references.
        count: How many tasks; None: one of each template.
        version: The version of the desk.

    Returns:
        The file.
    """
    tasks = draw(count or len(SETS[version]), seed, version)
    return write_rows(rows_of(tasks), folder)


def rows_of(tasks: Sequence[Task]) -> list[Row]:
    """Return tasks as the lines of a file; ids reveal nothing about references."""
    return [
        Row(
            id=f"{'l4' if task.tags['level'] == 'L4' else 'l3'}-{number:04}",
            task=L4 if task.tags["level"] == "L4" else L3,
            goal=task.goal,
            state=task.state,
            gold=OutcomeGold(
                limit=task.limit,
                changes=msgspec.convert(task.expected, Changes),
                answer=None if task.answer is None else task.answer.value,
                reason=None if task.reason is None else task.reason.value,
            ),
            tags=task.tags,
        )
        for number, task in enumerate(tasks, 1)
    ]
