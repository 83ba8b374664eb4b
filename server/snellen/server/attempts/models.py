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

    Raises:
        ExamError: The client's name is empty, too long or not printable.
    """

    name: str = "local"  # `local` on stdio and without tokens; a token's name otherwise
    client: str = "main"  # the agent's name of its context

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
    """An item that a client holds."""

    client: str
    item: ItemRow  # the item's row
    question: "Question"  # the item as this attempt asks it
    until: int  # the end of the lease
    submissions_left: int  # the number of answers still accepted
    views_left: int | None  # the number of views left; None: no limit


@dataclass(frozen=True, slots=True)
class Receipt:
    """The result of a submitted answer."""

    item: str  # the item's id
    number: int  # the answer's number for this item, from 1
    stored: JsonValue  # the answer, unchanged
    again: bool  # whether the same answer was stored before, so that nothing changed
    progress: Progress  # the attempt's progress
    submissions_left: int  # the number of answers to this item still accepted


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
    """The answers to one task that count."""

    task: str  # the task's id
    protocol: str  # the protocol's id and version
    items: Sequence[str]  # the ids of the items, in the pack's order
    submissions: Sequence[Submission]  # one per item, in the same order; empty without an answer
    rewritten: int = 0  # the number of items with an answer that could not be read and was refused

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
