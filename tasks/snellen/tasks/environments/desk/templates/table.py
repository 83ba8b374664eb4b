"""The table of templates, and exams drawn from it."""

from collections import defaultdict
from itertools import zip_longest
from random import Random
from typing import Final

from snellen.tasks.environments.desk.tasks import DIFFICULTIES, Task, Template
from snellen.tasks.environments.desk.templates.across import ACROSS
from snellen.tasks.environments.desk.templates.calendar import CALENDAR
from snellen.tasks.environments.desk.templates.contacts import CONTACTS
from snellen.tasks.environments.desk.templates.mail import MAIL
from snellen.tasks.environments.desk.templates.office import OFFICE
from snellen.tasks.environments.desk.templates.projects import PROJECT
from snellen.tasks.environments.desk.templates.shop import SHOP
from snellen.tasks.environments.desk.templates.travel import TRAVEL

TEMPLATES: Final = {
    template.name: template
    for template in (*MAIL, *CALENDAR, *CONTACTS, *OFFICE, *SHOP, *TRAVEL, *ACROSS, *PROJECT)
}

ONE_INFEASIBLE_IN: Final = 10


def draw(count: int, seed: int) -> list[Task]:
    """Return tasks of all templates and difficulties in turn; one in ten is infeasible.

    Args:
        count: How many; fewer than there are templates are spread over applications and levels.
        seed: Of the first one; each has a world of its own. It also chooses the templates.
    """
    templates = list(TEMPLATES.values()) if count >= len(TEMPLATES) else _spread(count, seed)
    impossible = _impossible(count, seed)
    return [
        templates[index % len(templates)].make(
            seed + index,
            DIFFICULTIES[(index // len(templates) + index) % len(DIFFICULTIES)],
            feasible=index not in impossible,
        )
        for index in range(count)
    ]


def _spread(count: int, seed: int) -> list[Template]:
    """Return templates of both levels in proportion, and of one application after the other."""
    random = Random(f"templates {seed}")
    of_apps: defaultdict[tuple[str, ...], list[Template]] = defaultdict(list)
    several: list[Template] = []
    for template in random.sample(list(TEMPLATES.values()), len(TEMPLATES)):
        (several if template.level == 4 else of_apps[template.apps]).append(template)
    rounds = zip_longest(*random.sample(list(of_apps.values()), len(of_apps)))
    single = [template for each in rounds for template in each if template is not None]
    share = round(count * len(several) / len(TEMPLATES))
    if count > 1:
        share = max(share, 1)
    chosen = {template.name for template in (*several[:share], *single[: count - share])}
    return [template for name, template in TEMPLATES.items() if name in chosen]


def _impossible(count: int, seed: int) -> set[int]:
    """Return one index of each ten: one whose template has waited longest for its turn.

    The seed says from where in the ten on it is looked for.
    """
    last = [-1] * len(TEMPLATES)
    start = Random(f"impossible {seed}").randrange(ONE_INFEASIBLE_IN)
    chosen: set[int] = set()
    for first in range(0, count - ONE_INFEASIBLE_IN + 1, ONE_INFEASIBLE_IN):
        ten = [first + (start + each) % ONE_INFEASIBLE_IN for each in range(ONE_INFEASIBLE_IN)]
        index = min(ten, key=lambda each: last[each % len(last)])
        last[index % len(last)] = index
        chosen.add(index)
    return chosen
