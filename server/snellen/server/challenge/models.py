"""The inputs and results of a challenge: plain values, sent as JSON."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated

from pydantic import BeforeValidator, Field, JsonValue

from snellen.grading.models.base import Closed
from snellen.grading.models.reports import Problems
from snellen.server.challenge.queries import Listed
from snellen.server.exam.file import Instant
from snellen.server.store.tables.endpoint import ScoreNumbers
from snellen.tasks.hosted import (
    JobState,
    SubmissionStatus,
    TaskScore,
)

if TYPE_CHECKING:
    from snellen.server.exam.rounding import Numbers

_OUR_FAULT = "it could not be graded yet through no fault of yours; the organizer sees why"


def iso(milliseconds: int) -> str:
    """Write a time as ISO 8601 in UTC, with milliseconds."""
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


IsoTime = Annotated[str, BeforeValidator(lambda at: None if at is None else iso(at))]
"""A time of the store in a model, written as `iso` writes it."""


@dataclass(frozen=True, slots=True)
class UploadBody:
    """The bytes of an uploaded file."""

    parts: Sequence[bytes] = field(repr=False)  # they, in parts compressed by zlib
    digest: bytes  # their SHA-256
    size: int  # their number


@dataclass(frozen=True, slots=True)
class Upload:
    """An uploaded file of predictions, with its metadata.

    Attributes:
        caller: The participant who uploads it.
        body: Its bytes.
        form: The file's ending, one of `FORMS`.
        at: The time when its first byte arrived, in milliseconds since 1970; it must be complete
            when the phase ends, unless it was announced.
        name: Its name on the leaderboard.
        link: A URL with more information.
        task: The single task that it answers; None: its lines name it, or the exam has only one.
        phase: The phase; None: the open one.
        key: The idempotency key; None: none.
    """

    caller: str
    body: UploadBody
    form: str
    at: int
    name: str = ""
    link: str = ""
    task: str | None = None
    phase: str | None = None
    key: str | None = None


class PhaseChange(Closed):
    """New settings of a phase; None: as before.

    Attributes:
        start: A new start; the phase must not have begun.
        end: A new end, which must be in the future.
        uploads: The number of uploads per participant in total.
        uploads_a_day: The number of uploads per participant and day.
    """

    start: Instant | None = None
    end: Instant | None = None
    uploads: int | None = Field(default=None, ge=0)
    uploads_a_day: int | None = Field(default=None, ge=0)


class Announcement(Closed):
    """A file that is still to arrive when its phase ends.

    Attributes:
        sha256: SHA-256 of its bytes, as 64 hexadecimal digits.
        phase: The phase; None: the open one.
    """

    sha256: str = Field(pattern=r"^[0-9a-fA-F]{64}$", examples=[sha256(b"").hexdigest()])
    phase: str | None = None


class AnnouncementCard(Closed):
    """An announced file.

    Attributes:
        sha256: SHA-256 of its bytes, as hexadecimal digits.
        phase: The phase in which it will count.
        until: The time until which it is accepted, in ISO 8601, UTC; None: the phase has no end.
    """

    sha256: str
    phase: str
    until: str | None


class EventCard(Closed):
    """An event: a change by an organizer or a grading.

    Attributes:
        id: Its number; events are in this order.
        phase: The phase; empty: none.
        submission: The changed submission; None: a whole phase.
        at: The time of the change.
        caller: The caller who made the change.
        what: The kind of the change.
        why: The reason given.
        detail: The values before and after.
    """

    id: int
    phase: Annotated[str, BeforeValidator(lambda key: key.rpartition("/")[2])]
    submission: str | None
    at: IsoTime
    caller: str
    what: str
    why: str
    detail: Annotated[Mapping[str, JsonValue], BeforeValidator(json.loads)]


def score_of(row: ScoreNumbers) -> TaskScore:
    """Return the score of a row of the store."""
    return TaskScore(
        task=row.task,
        metric=row.metric,
        value=row.value,
        low=row.low,
        high=row.high,
        items=row.items,
        outcomes=json.loads(row.outcomes),
        signature=row.signature,
        metrics=json.loads(row.metrics),
        measures=json.loads(row.measures or "{}"),
    )


def status_of(
    row: Listed,
    scores: Sequence[TaskScore] = (),
    mean: "Numbers | None" = None,
    *,
    organizer: bool = False,
) -> SubmissionStatus:
    """Return the submission of the rows of the store.

    The participant sees the error if the answers can't be graded. Only organizers see the error
    of a server fault, because its text may quote a reference.
    """
    found = Problems.model_validate_json(row.problems) if row.problems else Problems()
    ours = row.error is not None and row.state is not JobState.FAILED and not organizer
    return SubmissionStatus(
        id=row.id,
        phase=row.phase.rpartition("/")[2],
        participant=row.caller,
        source=row.source,
        name=row.name,
        link=row.link,
        at=iso(row.at),
        size=row.size,
        sha256=row.digest.hex(),
        state=row.state,
        tries=row.tries,
        error=_OUR_FAULT if ours else row.error,
        removed=row.removed,
        baseline=row.baseline,
        chosen=row.chosen is not None,
        scores=tuple(scores),
        value=None if mean is None else mean.value,
        low=None if mean is None else mean.low,
        high=None if mean is None else mean.high,
        problems=found.first,
        problem_count=found.count,
    )
