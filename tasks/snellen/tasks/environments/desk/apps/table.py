"""The table of applications, in the order of the dock."""

from typing import Final

from snellen.tasks.environments.desk.apps.calendar import CALENDAR
from snellen.tasks.environments.desk.apps.contacts import CONTACTS
from snellen.tasks.environments.desk.apps.files import FILES
from snellen.tasks.environments.desk.apps.kanban import KANBAN
from snellen.tasks.environments.desk.apps.mail import MAIL
from snellen.tasks.environments.desk.apps.notes import NOTES
from snellen.tasks.environments.desk.apps.settings import SETTINGS
from snellen.tasks.environments.desk.apps.sheet import SHEET
from snellen.tasks.environments.desk.apps.shop import SHOP
from snellen.tasks.environments.desk.apps.travel import TRAVEL
from snellen.tasks.environments.desk.kit.verbs import UNDO

APPS: Final = {
    app.name: app
    for app in (
        MAIL, CALENDAR, CONTACTS, FILES, SHEET, KANBAN, NOTES, SHOP, TRAVEL, SETTINGS,
    )
}  # fmt: skip
VERBS: Final = {
    verb.name: verb for verb in (*(verb for app in APPS.values() for verb in app.verbs), UNDO)
}
