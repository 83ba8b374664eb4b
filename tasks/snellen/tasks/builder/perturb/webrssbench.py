"""All changes that WebRSSBench's tasks ask about."""

from snellen.tasks.builder.perturb.colour import COLOUR_CHANGES
from snellen.tasks.builder.perturb.fields import HINT_CHANGES
from snellen.tasks.builder.perturb.layout import LAYOUT_CHANGES
from snellen.tasks.builder.perturb.text import TEXT_CHANGES

CHANGES = (*COLOUR_CHANGES, *TEXT_CHANGES, *LAYOUT_CHANGES, *HINT_CHANGES)
