"""The table of applications, in the order of the dock."""

from typing import Final

from snellen.worlds.desk.apps.calendar import CALENDAR
from snellen.worlds.desk.apps.contacts import CONTACTS
from snellen.worlds.desk.apps.files import FILES
from snellen.worlds.desk.apps.kanban import KANBAN
from snellen.worlds.desk.apps.mail import MAIL
from snellen.worlds.desk.apps.notes import NOTES
from snellen.worlds.desk.apps.settings import SETTINGS
from snellen.worlds.desk.apps.sheet import SHEET
from snellen.worlds.desk.apps.shop import SHOP
from snellen.worlds.desk.apps.travel import TRAVEL
from snellen.worlds.desk.kit.verbs import UNDO

APPS: Final = {
    app.name: app
    for app in (
        MAIL, CALENDAR, CONTACTS, FILES, SHEET, KANBAN, NOTES, SHOP, TRAVEL, SETTINGS,
    )
}  # fmt: skip
VERBS: Final = {
    verb.name: verb for verb in (*(verb for app in APPS.values() for verb in app.verbs), UNDO)
}
