"""The table of templates, exams drawn from it, and the file of their tasks."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import Final

import msgspec

from snellen.grading.protocols.golds import Changes, OutcomeGold
from snellen.tasks.benchmarks.desk.load import L3, L4, Row, write_rows
from snellen.worlds.desk.kit.look import looks_of
from snellen.worlds.desk.tasks import DIFFICULTIES, Task, Template
from snellen.worlds.desk.templates.across import ACROSS
from snellen.worlds.desk.templates.calendar import CALENDAR
from snellen.worlds.desk.templates.contacts import CONTACTS
from snellen.worlds.desk.templates.direct import DIRECT
from snellen.worlds.desk.templates.long import LONG
from snellen.worlds.desk.templates.mail import MAIL
from snellen.worlds.desk.templates.office import OFFICE
from snellen.worlds.desk.templates.pointer import POINTER
from snellen.worlds.desk.templates.shop import SHOP
from snellen.worlds.desk.templates.travel import TRAVEL

TEMPLATES: Final = {
    template.name: template
    for template in (
        *(*MAIL, *CALENDAR, *CONTACTS, *OFFICE, *SHOP, *TRAVEL, *ACROSS),
        *(*DIRECT, *POINTER),
    )
}
"""The templates. A set that packs were made of never changes."""

LONG_TEMPLATES: Final = {template.name: template for template in LONG}
"""The templates of long tasks."""

ONE_INFEASIBLE_IN: Final = 10


def draw(
    count: int, seed: int, looks: int = 0, known: Mapping[str, Template] = TEMPLATES
) -> list[Task]:
    """Return tasks of all templates and difficulties in turn; one in ten is infeasible.

    Args:
        count: How many; fewer than there are templates are spread over applications and levels.
        seed: Of the first one; each has a world of its own. It also chooses the templates.
        looks: In how many looks each of them comes, one look after the other; 0: once, in the look
            of its world's seed.
        known: The templates by name.
    """
    templates = [*known.values()] if count >= len(known) else _spread(count, seed, known)
    impossible = _impossible(count, seed, len(templates))
    return [
        templates[index % len(templates)].make(
            seed + index,
            DIFFICULTIES[(index // len(templates) + index) % len(DIFFICULTIES)],
            feasible=index not in impossible,
            look=look,
        )
        for look in (looks_of(seed, looks) if looks else (None,))
        for index in range(count)
    ]


def _spread(count: int, seed: int, known: Mapping[str, Template]) -> list[Template]:
    """Return templates of both levels in proportion, and of one application after the other."""
    random = Random(f"templates {seed}")
    of_apps: defaultdict[tuple[str, ...], list[Template]] = defaultdict(list)
    several: list[Template] = []
    for template in random.sample(list(known.values()), len(known)):
        (several if template.level == 4 else of_apps[template.apps]).append(template)
    rounds = zip_longest(*random.sample(list(of_apps.values()), len(of_apps)))
    single = [template for each in rounds for template in each if template is not None]
    share = round(count * len(several) / len(known))
    if count > 1:
        share = max(share, 1)
    chosen = {template.name for template in (*several[:share], *single[: count - share])}
    return [template for name, template in known.items() if name in chosen]


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


def make_tasks(
    folder: Path,
    *,
    seed: int,
    count: int | None = None,
    looks: int = 0,
    known: Mapping[str, Template] = TEMPLATES,
) -> Path:
    """Write the file of an exam's tasks, which `desk/l3` and `desk/l4` load.

    Args:
        folder: The folder for the file.
        seed: The seed of worlds and tasks; with it anybody can compute the references.
        count: How many tasks; None: one of each template.
        looks: In how many looks each task comes; 0: once, in the look of its world's seed.
        known: The templates by name.

    Returns:
        The file.
    """
    tasks = draw(count or len(known), seed, looks, known)
    return write_rows(rows_of(tasks), folder)


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
