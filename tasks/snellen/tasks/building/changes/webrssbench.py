"""All changes that WebRSSBench's tasks ask about."""

from snellen.tasks.building.changes.colour import COLOUR_CHANGES
from snellen.tasks.building.changes.fields import HINT_CHANGES
from snellen.tasks.building.changes.layout import LAYOUT_CHANGES
from snellen.tasks.building.changes.text import TEXT_CHANGES

CHANGES = (*COLOUR_CHANGES, *TEXT_CHANGES, *LAYOUT_CHANGES, *HINT_CHANGES)
