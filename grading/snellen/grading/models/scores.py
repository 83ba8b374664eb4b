"""Submission, Response and Score: what came in, what was read in it, what it was worth."""

from enum import Enum, StrEnum
from typing import Any, Final

from pydantic import Field, JsonValue

from snellen.grading.models.base import Closed


class Outcome(StrEnum):
    """What became of one item in one attempt.

    Only `missing` and `error` keep a response from the protocol (they add 0). The other labels
    never alter the protocol's number.
    """

    ANSWERED = "answered"
    UNPARSED = "unparsed"
    EMPTY = "empty"
    REFUSED = "refused"
    MISSING = "missing"
    ERROR = "error"


class TooLong(Enum):
    """The type of `TOO_LONG`; an enum, so that it stays itself in another process."""

    TOO_LONG = "too long"


TOO_LONG: Final = TooLong.TOO_LONG
"""Stands where a response over the limit was, which is not kept: it counts as unparsed."""


class Submission(Closed):
    """One answer to one item, as it comes in.

    `response` is text, or JSON in the task's shape. `error` says that there is no answer because
    something broke (an API, a time-out): it is counted apart and never parsed.
    """

    item_id: str
    response: JsonValue = None
    attempt: int = Field(default=0, ge=0)
    model: str | None = None
    error: str | None = None
    meta: dict[str, JsonValue] = Field(default_factory=dict)


class Response(Closed):
    """What a protocol's parser read in a submission.

    `answer` is what the metric compares: text, an option, a list, a box. `note` records what the
    parser had to guess, because the published code does, or why it read nothing.
    """

    raw: JsonValue
    answer: Any = None
    outcome: Outcome
    note: str = ""


class Score(Closed):
    """What one submission was worth under one protocol; every number lies in 0..1.

    `value` is the metric that the task names as primary. `note` records what the parser guessed
    or why nothing could be read. `crashed` says that the published code raises on this item.
    `measures` has what is told beside the metrics, in units of its own, where it is defined.
    """

    item_id: str | None = None
    attempt: int = 0
    model: str | None = None
    outcome: Outcome
    value: float
    metrics: dict[str, float]
    measures: dict[str, float] = Field(default_factory=dict[str, float])
    response: JsonValue = None
    error: str | None = None
    note: str = ""
    crashed: bool = False
