"""The table of templates, and exams drawn from it."""

from typing import Final

from snellen.tasks.environments.desk.tasks import DIFFICULTIES, Task
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
    """Return tasks of all templates and difficulties in turn; one in ten can't be done.

    Args:
        count: How many.
        seed: Of the first one; each has a world of its own.
    """
    templates = list(TEMPLATES.values())
    return [
        templates[index % len(templates)].make(
            seed + index,
            DIFFICULTIES[(index // len(templates) + index) % len(DIFFICULTIES)],
            feasible=index % ONE_INFEASIBLE_IN != ONE_INFEASIBLE_IN - 1,
        )
        for index in range(count)
    ]
