"""What the service takes and returns beside the store's rows: plain values, no behavior."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, NotRequired, TypedDict

from pydantic import JsonValue

from snellen.grading.models.base import Closed
from snellen.grading.models.scores import Submission
from snellen.server.errors import ExamError
from snellen.server.exam.spec import Question
from snellen.server.store.tables.exams import Attempt, ItemRow, Progress

_LONGEST_NAME = 64


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
class NewAttempt:
    """An attempt that was just started."""

    handle: str
    attempt: Attempt
    count: int


@dataclass(frozen=True, slots=True)
class Lease:
    """An item that a client has been given.

    Attributes:
        client: Who has it.
        item: The item's row.
        question: The item as it is asked.
        until: When the lease ends.
        submissions_left: How many more answers are taken.
        views_left: How many more views may be taken; None: any number.
    """

    client: str
    item: ItemRow
    question: Question
    until: int
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
        more: Whether there is an open item that its client may have, now or later: the other halves
            of pairs that it has seen are for other clients.
    """

    item: str
    number: int
    stored: JsonValue
    again: bool
    progress: Progress
    submissions_left: int
    more: bool


@dataclass(frozen=True, slots=True)
class AnswerMeta:
    """How an item was looked at before it was answered: recorded with the answer."""

    space: str | None = None
    view: str | None = None


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


class Cost(Closed):
    """What an attempt took.

    Attributes:
        calls: Calls of the tools.
        image_bytes: Bytes of the images that were returned, before base64.
        image_tokens: What these cost a model, estimated.
        seconds: From the start to the end of the attempt.
        steps: Steps that were taken in interactive items.
    """

    calls: int
    image_bytes: int
    image_tokens: int
    seconds: float
    steps: int = 0


class Feedback(TypedDict):
    """What an answer was worth, as JSON: said in practice only.

    Attributes:
        metric: What the value is.
        value: 0..1.
        outcome: What became of the answer.
        note: What was guessed in reading it, or why nothing was read; left out if there is
            nothing to say.
    """

    metric: str
    value: float
    outcome: str
    note: NotRequired[str]


class TaskAnswers(NamedTuple):
    """The answers to one task that count.

    Attributes:
        task: The task's id.
        protocol: The protocol's id and version.
        items: The ids that were asked, in the pack's order.
        submissions: One an item, in the same order; empty if no answer came.
    """

    task: str
    protocol: str
    items: Sequence[str]
    submissions: Sequence[Submission]

    def lines(self) -> str:
        """Return the submissions as JSON, one a line, each with its task, for `snellen grade`."""
        task = json.dumps(self.task)
        return "".join(
            f'{{"task":{task},'
            + submission.model_dump_json(exclude_defaults=True, exclude={"response"})[1:-1]
            + f',"response":{json.dumps(submission.response, ensure_ascii=False)}}}\n'
            for submission in self.submissions
        )


@dataclass(frozen=True, slots=True)
class SweepResult:
    """How many attempts a sweep closed."""

    expired: int
    abandoned: int
