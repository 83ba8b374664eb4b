"""Arguments and results of the service, in addition to the store's rows: plain values."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, NotRequired, TypedDict

from pydantic import JsonValue

from snellen.grading.models.base import Closed
from snellen.grading.models.scores import Submission
from snellen.server.errors import ExamError
from snellen.server.store.tables.exams import Attempt, ItemRow, Progress

if TYPE_CHECKING:
    from snellen.server.exam.spec import Question

_LONGEST_NAME = 64


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller, as identified by the transport, and its client.

    Attributes:
        name: `local` on stdio and without tokens; a token's name otherwise.
        client: The agent's name of its context.

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
    """An item that a client holds.

    Attributes:
        client: The client.
        item: The item's row.
        question: The item as this attempt asks it.
        until: The end of the lease.
        submissions_left: The number of answers still accepted.
        views_left: The number of views left; None: no limit.
    """

    client: str
    item: ItemRow
    question: "Question"
    until: int
    submissions_left: int
    views_left: int | None


@dataclass(frozen=True, slots=True)
class Receipt:
    """The result of a submitted answer.

    Attributes:
        item: The item's id.
        number: The answer's number for this item, from 1.
        stored: The answer, unchanged.
        again: Whether the same answer was stored before, so that nothing changed.
        progress: The attempt's progress.
        submissions_left: The number of answers to this item still accepted.
    """

    item: str
    number: int
    stored: JsonValue
    again: bool
    progress: Progress
    submissions_left: int


@dataclass(frozen=True, slots=True)
class AnswerMeta:
    """The views of an item before its answer; recorded with the answer."""

    space: str | None = None
    view: str | None = None


@dataclass(frozen=True, slots=True)
class CallTrace:
    """One call, as recorded in the trace.

    Attributes:
        tool: The tool.
        microseconds: The duration.
        place: The index of its item.
        image_bytes: The bytes of the returned images, before base64.
        image_tokens: The estimated tokens of these images.
        detail: Further data: the region viewed, the size delivered.
    """

    tool: str
    microseconds: int
    place: int | None = None
    image_bytes: int = 0
    image_tokens: int = 0
    detail: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])


class Cost(Closed):
    """The cost of an attempt.

    Attributes:
        calls: The number of tool calls.
        image_bytes: The bytes of the returned images, before base64.
        image_tokens: The estimated tokens of these images.
        seconds: The time from the start to the end of the attempt.
        steps: The number of steps in interactive items.
    """

    calls: int
    image_bytes: int
    image_tokens: int
    seconds: float
    steps: int = 0


class Feedback(TypedDict):
    """The score of an answer, as JSON; only in practice mode.

    Attributes:
        metric: The metric of the value.
        value: 0..1.
        outcome: The outcome of the answer.
        note: The parser's guess, or the reason why it could not read the answer; omitted if empty.
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
        items: The ids of the items, in the pack's order.
        submissions: One per item, in the same order; empty without an answer.
        rewritten: The number of items with an answer that could not be read and was refused.
    """

    task: str
    protocol: str
    items: Sequence[str]
    submissions: Sequence[Submission]
    rewritten: int = 0

    def lines(self) -> str:
        """Return the submissions as JSON lines, each with its task, for `snellen grade`."""
        task = json.dumps(self.task)
        return "".join(
            f'{{"task":{task},'
            + submission.model_dump_json(exclude_defaults=True, exclude={"response"})[1:-1]
            + f',"response":{json.dumps(submission.response, ensure_ascii=False)}}}\n'
            for submission in self.submissions
        )


@dataclass(frozen=True, slots=True)
class SweepResult:
    """The number of attempts that a sweep closed."""

    expired: int
    abandoned: int
