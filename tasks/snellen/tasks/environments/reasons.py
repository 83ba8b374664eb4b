"""Why a task can't be done: the codes by which an agent says so."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class Reason(StrEnum):
    """Why a task can't be done."""

    NO_SUCH_ITEM = "no_such_item"
    AMBIGUOUS = "ambiguous"
    NOT_ALLOWED = "not_allowed"
    NOT_AVAILABLE = "not_available"
    CONFLICT = "conflict"


REASONS: Mapping[Reason, str] = MappingProxyType(
    {
        Reason.NO_SUCH_ITEM: "What the task speaks of is not there.",
        Reason.AMBIGUOUS: (
            "Several things fit the description, and the task says nothing to choose by."
        ),
        Reason.NOT_ALLOWED: "A rule of the application or of the task forbids it.",
        Reason.NOT_AVAILABLE: "It is there but sold out, fully booked or closed.",
        Reason.CONFLICT: "Something that is there already is in the way.",
    }
)
"""Each reason in a sentence, for those who are given a task."""
