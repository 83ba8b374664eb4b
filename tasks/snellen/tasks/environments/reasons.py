"""The reason codes of infeasible tasks."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class Reason(StrEnum):
    """The reason why a task is infeasible."""

    NO_SUCH_ITEM = "no_such_item"
    AMBIGUOUS = "ambiguous"
    NOT_ALLOWED = "not_allowed"
    NOT_AVAILABLE = "not_available"
    CONFLICT = "conflict"


REASONS: Mapping[Reason, str] = MappingProxyType(
    {
        Reason.NO_SUCH_ITEM: "The item that the task names does not exist.",
        Reason.AMBIGUOUS: (
            "Several items fit the description, and the task gives no way to choose."
        ),
        Reason.NOT_ALLOWED: "A rule of the application or of the task forbids it.",
        Reason.NOT_AVAILABLE: "The item exists but is sold out, fully booked or closed.",
        Reason.CONFLICT: "It would conflict with something that exists already.",
    }
)
"""A sentence for each reason, which agents read in the rules."""
