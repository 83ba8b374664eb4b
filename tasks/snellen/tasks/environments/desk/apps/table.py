"""The table of applications, in the order of the dock."""

from typing import Final

from snellen.tasks.environments.desk.apps.calendar import CALENDAR
from snellen.tasks.environments.desk.apps.contacts import CONTACTS
from snellen.tasks.environments.desk.apps.mail import MAIL
from snellen.tasks.environments.desk.apps.shop import SHOP

APPS: Final = {app.name: app for app in (MAIL, CALENDAR, CONTACTS, SHOP)}
VERBS: Final = {verb.name: verb for app in APPS.values() for verb in app.verbs}
