"""What the service hands out: an attempt, its items, receipts. Plain values, no behaviour."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NotRequired, TypedDict

from pydantic import JsonValue

from snellen.grading.models.base import Closed
from snellen.server.errors import ExamError
from snellen.server.exam.rules import Contexts, Rules
from snellen.server.exam.spec import Asked, Place

_LONGEST_NAME = 64


class State(StrEnum):
    """Where an attempt is in its life."""

    OPEN = "open"
    FINISHED = "finished"
    EXPIRED = "expired"
    ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls, as the transport knows it, and which of its clients.

    Attributes:
        name: `local` on stdio and without tokens; a token's name otherwise.
        client: What the agent calls the context that it is in.

    Raises:
        ExamError: The client's name is empty, too long or not printable.
    """

    name: str = "local"
    client: str = "main"

    def __post_init__(self) -> None:
        if not 0 < len(self.client) <= _LONGEST_NAME or not self.client.isprintable():
            raise ExamError(
                f"a client's name is 1 to {_LONGEST_NAME} printable characters", field="client"
            )


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt as the store has it.

    Attributes:
        id: Its number in the store.
        secret: What its items are named and its options are shuffled by.
        caller: Whose it is.
        exam: The exam's name and digest.
        tasks: What is taken.
        rules: The rules that it began under.
        contexts: How many questions a context may see.
        model: Who answers, as declared.
        opened: When, in milliseconds since 1970.
        deadline: Likewise; None: there is none.
        closed: Likewise; None: it is open.
        state: Where it is in its life.
        progress: How far it is.
        report: Its report as JSON, once it is made.
    """

    id: int
    secret: bytes = field(repr=False)
    caller: str
    exam: str
    tasks: tuple[str, ...]
    rules: Rules
    contexts: Contexts
    model: str | None
    opened: int
    deadline: int | None
    closed: int | None
    state: State
    progress: "Progress"
    report: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Started:
    """A new attempt."""

    handle: str
    attempt: Attempt
    count: int


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an attempt is."""

    answered: int
    open: int


@dataclass(frozen=True, slots=True)
class Listed:
    """One item of a list: `id` is its opaque one, `leased_to` another client while it holds it."""

    place: int
    id: str
    task: str
    answered: bool
    leased_to: str | None


@dataclass(frozen=True, slots=True)
class Leased:
    """An item that a client has been given.

    Attributes:
        client: Who has it.
        place: Where it stands in the attempt.
        asked: The item as it is asked.
        until: When the lease ends.
        answered: Whether it has an answer.
        submissions_left: How many more answers are taken.
        views_left: How many more views may be taken; None: any number.
    """

    client: str
    place: Place
    asked: Asked
    until: int
    answered: bool
    submissions_left: int
    views_left: int | None


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was stored.

    Attributes:
        item: The item's id.
        number: Which answer to it this is, counted from 1.
        stored: The answer as it was given.
        again: Whether the same answer had been stored before: nothing changed.
        progress: How far the attempt is now.
        submissions_left: How many more answers to this item are taken.
    """

    item: str
    number: int
    stored: JsonValue
    again: bool
    progress: Progress
    submissions_left: int


@dataclass(frozen=True, slots=True)
class Seen:
    """How an item was looked at before it was answered: recorded with the answer."""

    space: str | None = None
    view: str | None = None

    def meta(self) -> dict[str, JsonValue]:
        """Return what is known, as it is stored."""
        known = {"space": self.space, "view": self.view}
        return {name: value for name, value in known.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Call:
    """One call, as it is kept in the trace.

    Attributes:
        tool: What was called.
        microseconds: How long it took.
        place: Which item it was about.
        image_bytes: The bytes of the images that it returned, before base64.
        image_tokens: What these cost a model, roughly.
        detail: What else is worth keeping: the region looked at, the size delivered.
    """

    tool: str
    microseconds: int
    place: int | None = None
    image_bytes: int = 0
    image_tokens: int = 0
    detail: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])

    def columns(self) -> dict[str, Any]:
        """Return it as a row."""
        return {
            "tool": self.tool,
            "microseconds": self.microseconds,
            "place": self.place,
            "image_bytes": self.image_bytes,
            "image_tokens": self.image_tokens,
            "detail": json.dumps(self.detail, sort_keys=True) if self.detail else "{}",
        }


class Cost(Closed):
    """What an attempt took.

    Attributes:
        calls: Calls of the tools.
        image_bytes: Bytes of the images that were returned, before base64.
        image_tokens: What these cost a model, estimated.
        seconds: From the start to the end of the attempt.
    """

    calls: int
    image_bytes: int
    image_tokens: int
    seconds: float


class Feedback(TypedDict):
    """What an answer was worth, as JSON: said in practice only.

    Attributes:
        metric: What the value is.
        value: 0..1.
        outcome: What became of the answer.
        note: What was guessed in reading it, or why nothing was read; left out where there is
            nothing to say.
    """

    metric: str
    value: float
    outcome: str
    note: NotRequired[str]


@dataclass(frozen=True, slots=True)
class Exported:
    """The answers to one task that count, for grading elsewhere.

    Attributes:
        task: The task's id.
        protocol: The protocol's id and version.
        items: The ids that were asked, in the pack's order.
        lines: A submission a line, as JSON: one an item, whose response is null where none came.
    """

    task: str
    protocol: str
    items: tuple[str, ...]
    lines: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Swept:
    """How many attempts a sweep closed."""

    expired: int
    abandoned: int
