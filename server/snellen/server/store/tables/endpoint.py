"""The tables of an endpoint: submissions, their grading, and what was changed."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

from sqlalchemy import ForeignKey, Index

from snellen.server.store.tables.columns import CLUSTERED, INDEX, KEY, UNIQUE, Digest, Moment, table


class Source(StrEnum):
    """Where a submission came from."""

    UPLOAD = "upload"
    ATTEMPT = "attempt"


class JobState(StrEnum):
    """How far the grading of a submission is."""

    QUEUED = "queued"
    GRADING = "grading"
    GRADED = "graded"
    FAILED = "failed"
    """The answers can't be graded, and the error says why: the participant's to fix."""
    STUCK = "stuck"
    """The server could not grade it, several times over: the organizer's to fix."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionRow:
    """Predictions that were uploaded, or the answers of an attempt.

    Attributes:
        id: What it is called; nothing can be read from it.
        phase: The phase that it counts in.
        caller: Whose it is: a token's name.
        source: Where it came from.
        attempt: The number of its attempt; None: it was uploaded.
        task: The one task that its lines answer; None: each line says it.
        name: What the leaderboard calls it.
        link: Where more is said of it; empty: nowhere.
        form: The ending of its file, which says how it is read.
        digest: SHA-256 of its bytes.
        size: How many these are.
        at: When the upload began, or the attempt was closed.
        day: The date of that in the phase's zone.
        cost: What it took, as far as is known, as JSON.
        conditions: How it was made, as a part of its signature; empty: not known.
        baseline: Whether the leaderboard sets it apart, as a baseline.
        removed: Why it was taken off the leaderboard; None: it was not.
    """

    id: Annotated[str, KEY]
    phase: str
    caller: Annotated[str, INDEX]
    source: Source
    attempt: Annotated[int | None, UNIQUE]
    task: str | None
    name: str
    link: str
    form: str
    digest: Digest
    size: int
    at: Moment
    day: str
    cost: str = "{}"
    conditions: str = ""
    baseline: bool = False
    removed: str | None = None


_OF_SUBMISSION = ForeignKey("submissions.id", ondelete="CASCADE")
_OF_GRADING = ForeignKey("gradings.id", ondelete="CASCADE")


@dataclass(frozen=True, slots=True, kw_only=True)
class PartRow:
    """A part of a submission's file, compressed by zlib: every machine sees them, a backup has all.

    Attributes:
        number: Which part, from 0.
        body: Its bytes; empty where they are an object outside of the store.
        kept: SHA-256 of that object; None: there is none.
    """

    submission: Annotated[str, _OF_SUBMISSION, KEY]
    number: Annotated[int, KEY]
    body: bytes = field(repr=False)
    kept: Digest | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRow:
    """An idempotency key: the same upload sent again is the same submission."""

    caller: Annotated[str, KEY]
    key: Annotated[str, KEY]
    digest: Digest
    submission: Annotated[str, _OF_SUBMISSION]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaRow:
    """How many uploads of a caller a phase has taken on a day; a day that is empty: in all."""

    phase: Annotated[str, KEY]
    caller: Annotated[str, KEY]
    day: Annotated[str, KEY]
    used: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GradingRow:
    """What submissions of a phase are graded by; a phase's newest finished one is shown.

    Attributes:
        phase: The phase.
        references: SHA-256 of all references, and of the protocols.
        protocols: The protocol of each task, with its version, as JSON.
        snellen: The version that grades.
        at: When it was begun.
        why: Why; empty for a phase's first.
        shown: Since when the leaderboard is by it; None: it is not finished.
    """

    id: Annotated[int, KEY]
    phase: Annotated[str, INDEX]
    references: Digest
    protocols: str
    snellen: str
    at: Moment
    why: str
    shown: Moment | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """The grading of one submission, which is its own job: whoever has the latest try may write.

    Attributes:
        state: How far it is.
        tries: How often a worker took it.
        worker: Who did last.
        lease: Until when it is that worker's, by the database's clock.
        at: When it was queued, by the same clock.
        error: What went wrong; None: nothing.
    """

    submission: Annotated[str, _OF_SUBMISSION, KEY]
    grading: Annotated[int, _OF_GRADING, KEY]
    state: JobState
    at: Moment
    tries: int = 0
    worker: str | None = None
    lease: Moment | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreNumbers:
    """What a submission scores on a task in a grading, on a part of its items; it never changes.

    Attributes:
        part: `all`, or `public` and `private` where a phase parts its items.
        value: The primary metric.
        low: The lower end of its 95 % interval; None: it has none.
        high: The upper end.
        items: How many items.
        outcomes: How many items ended in each outcome, as JSON.
        signature: All that the value depends on.
        metrics: Every metric, EQA as well, as JSON; of a part of the items none.
    """

    submission: Annotated[str, _OF_SUBMISSION, KEY]
    grading: Annotated[int, _OF_GRADING, KEY]
    task: Annotated[str, KEY]
    part: Annotated[str, KEY]
    metric: str
    value: float
    low: float | None
    high: float | None
    items: int
    outcomes: str
    signature: str
    metrics: str = "{}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreValues(ScoreNumbers):
    """The same item by item.

    Attributes:
        item_values: Each item's value in the pack's order, float64, compressed by zlib.
        item_groups: The number of each item's independent group, int32, likewise.
    """

    item_values: bytes = field(repr=False)
    item_groups: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRow(ScoreValues):
    """The same with the saved report, compressed by zlib; a part of the items has none."""

    report: bytes | None = field(repr=False, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow:
    """What an organizer or a grading changed: the record that a leaderboard is defended with.

    Attributes:
        submission: What it is about; None: a whole phase.
        caller: Who did it.
        what: `removed`, `restored`, `rescored`, `same`, `retried`, `shown`, `baseline`, `ranked`,
            `token`, `revoked`, `annotation closed`, `annotation opened`, `annotation extended`.
        why: The reason given.
        detail: Before and after, as JSON.
    """

    id: Annotated[int, KEY]
    phase: Annotated[str, INDEX]
    submission: str | None
    at: Moment
    caller: str
    what: str
    why: str
    detail: str = "{}"


submissions = table(
    "submissions", SubmissionRow, Index("ix_submissions_phase", "phase", "at", "id")
)
parts = table("parts", PartRow)
keys = table("keys", KeyRow, options=CLUSTERED)
quotas = table("quotas", QuotaRow, options=CLUSTERED)
gradings = table("gradings", GradingRow)
jobs = table("jobs", JobRow, options=CLUSTERED)
# An idle worker asks every second: without this it would look at every job there ever was.
Index(
    "ix_jobs_open",
    jobs.c.at,
    postgresql_where=jobs.c.state.in_((JobState.QUEUED, JobState.GRADING)),
    sqlite_where=jobs.c.state.in_((JobState.QUEUED, JobState.GRADING)),
)
scores = table("scores", ScoreRow)
events = table("events", EventRow)
