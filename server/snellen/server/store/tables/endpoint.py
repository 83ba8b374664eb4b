"""The tables of an endpoint: submissions, their gradings, and the event log."""

from dataclasses import dataclass, field
from typing import Annotated

from sqlalchemy import ForeignKey, Index

from snellen.server.store.tables import columns
from snellen.tasks.hosted import JobState, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionRow:
    """A submission: uploaded predictions, or the answers of an attempt.

    Attributes:
        id: Its random id.
        phase: The phase in which it counts.
        caller: The owner: a token's name.
        source: Its source.
        attempt: The number of its attempt; None: it was uploaded.
        task: The single task that its lines answer; None: each line names its task.
        name: Its name on the leaderboard.
        link: A URL with more information; empty: none.
        form: The ending of its file, which determines its format.
        digest: SHA-256 of its bytes.
        size: The number of its bytes.
        at: The time when the upload began, or the attempt was closed.
        day: The date of that time in the phase's zone.
        cost: Its cost, as far as known, as JSON.
        conditions: The conditions of the answers, as a part of the signature; empty: unknown.
        baseline: Whether it is a baseline, which is not ranked.
        removed: The reason why it was removed from the leaderboard; None: it was not removed.
        chosen: The time when its participant chose it to count at the end; None: it was not chosen.
    """

    id: Annotated[str, columns.KEY]
    phase: str
    caller: Annotated[str, columns.INDEX]
    source: Source
    attempt: Annotated[int | None, columns.UNIQUE]
    task: str | None
    name: str
    link: str
    form: str
    digest: columns.Digest
    size: int
    at: columns.Moment
    day: str
    cost: str = "{}"
    conditions: str = ""
    baseline: bool = False
    removed: str | None = None
    chosen: columns.Moment | None = None


_OF_SUBMISSION = ForeignKey("submissions.id", ondelete="CASCADE")
_OF_GRADING = ForeignKey("gradings.id", ondelete="CASCADE")


@dataclass(frozen=True, slots=True, kw_only=True)
class PartRow:
    """A part of a submission's file, compressed by zlib.

    The store holds it, so that every machine can read it and a backup contains it.

    Attributes:
        number: Its number, from 0.
        body: Its bytes; empty if they are in an object outside of the store.
        kept: The name of that object; None: the bytes are in `body`.
    """

    submission: Annotated[str, _OF_SUBMISSION, columns.KEY]
    number: Annotated[int, columns.KEY]
    body: bytes = field(repr=False)
    kept: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRow:
    """An idempotency key: a repeated upload with the same key is the same submission."""

    caller: Annotated[str, columns.KEY]
    key: Annotated[str, columns.KEY]
    digest: columns.Digest
    submission: Annotated[str, _OF_SUBMISSION]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnouncementRow:
    """A file that a participant announced, by its SHA-256, before the end of a phase."""

    phase: Annotated[str, columns.KEY]
    caller: Annotated[str, columns.KEY]
    digest: Annotated[columns.Digest, columns.KEY]
    at: columns.Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaRow:
    """The number of a caller's uploads in a phase on a day; an empty day: in total."""

    phase: Annotated[str, columns.KEY]
    caller: Annotated[str, columns.KEY]
    day: Annotated[str, columns.KEY]
    used: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GradingRow:
    """A grading of a phase's submissions. The leaderboard shows the newest finished one."""

    id: Annotated[int, columns.KEY]
    phase: Annotated[str, columns.INDEX]
    references: columns.Digest  # SHA-256 of all references and the protocols
    protocols: str  # the protocol of each task, with its version, as JSON
    snellen: str  # the version of snellen that grades
    at: columns.Moment  # the time of its start
    why: str  # the reason for it; empty for a phase's first grading
    shown: (
        columns.Moment | None
    )  # the time since when the leaderboard shows it; None: it is not finished


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """A job: the grading of one submission. Only the worker of the latest try may write to it.

    Attributes:
        state: Its state.
        tries: The number of times that a worker took it.
        worker: The last worker that took it.
        lease: The end of that worker's lease, by the database's clock.
        at: The time when it was queued, by the same clock.
        error: The error; None: none.
        problems: What is wrong with the lines of its file, as JSON (`Problems`); None: nothing.
    """

    submission: Annotated[str, _OF_SUBMISSION, columns.KEY]
    grading: Annotated[int, _OF_GRADING, columns.KEY]
    state: JobState
    at: columns.Moment
    tries: int = 0
    worker: str | None = None
    lease: columns.Moment | None = None
    error: str | None = None
    problems: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreNumbers:
    """A submission's score on a task in a grading, over a part of the items; it never changes.

    Attributes:
        part: `all`; or `public` or `private` if the phase splits its items.
        value: The primary metric.
        low: The lower end of its 95 % interval; None: it has none.
        high: The upper end.
        items: The number of items.
        outcomes: The number of items with each outcome, as JSON.
        signature: Everything on which the value depends.
        metrics: Every metric, including EQA, as JSON; without metrics for `public` and `private`.
        measures: Every measure, as JSON; None: it has none, as for `public` and `private`.
    """

    submission: Annotated[str, _OF_SUBMISSION, columns.KEY]
    grading: Annotated[int, _OF_GRADING, columns.KEY]
    task: Annotated[str, columns.KEY]
    part: Annotated[str, columns.KEY]
    metric: str
    value: float
    low: float | None
    high: float | None
    items: int
    outcomes: str
    signature: str
    metrics: str = "{}"
    measures: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreValues(ScoreNumbers):
    """The score item by item.

    Attributes:
        item_values: Each item's value in the pack's order, float64, compressed by zlib.
        item_groups: The number of each item's independent group, in the same order, int32,
            compressed by zlib.
        item_episodes: The items' successes, costs and limits, attempt by attempt, float64,
            compressed by zlib: what EQA is made of. None without EQA.
    """

    item_values: bytes = field(repr=False)
    item_groups: bytes = field(repr=False)
    item_episodes: bytes | None = field(repr=False, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRow(ScoreValues):
    """The score with its report, compressed by zlib; `public` and `private` have no report."""

    report: bytes | None = field(repr=False, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow:
    """An event: a change by an organizer or a grading, as evidence for the leaderboard.

    Attributes:
        submission: The changed submission; None: a whole phase.
        caller: The caller who made the change.
        what: `removed`, `restored`, `rescored`, `same`, `retried`, `shown`, `baseline`, `ranked`,
            `chosen`, `not chosen`, `withdrawn`, `token`, `revoked`, `annotation closed`,
            `annotation opened`, `annotation extended`, `moved`, `invitation`,
            `invitation revoked`, `joined`, `asked to join`, `approved`, `refused`, `file read`,
            `answers read`, `forgotten`.
        why: The reason given.
        detail: The values before and after, as JSON.
    """

    id: Annotated[int, columns.KEY]
    phase: Annotated[str, columns.INDEX]
    submission: str | None
    at: columns.Moment
    caller: str
    what: str
    why: str
    detail: str = "{}"


submissions = columns.table(
    "submissions", SubmissionRow, Index("ix_submissions_phase", "phase", "at", "id")
)
parts = columns.table("parts", PartRow)
keys = columns.table("keys", KeyRow, options=columns.CLUSTERED)
announcements = columns.table("announcements", AnnouncementRow, options=columns.CLUSTERED)
quotas = columns.table("quotas", QuotaRow, options=columns.CLUSTERED)
gradings = columns.table("gradings", GradingRow)
jobs = columns.table("jobs", JobRow, options=columns.CLUSTERED)
# An idle worker queries every second; without this index it would read all jobs.
Index(
    "ix_jobs_open",
    jobs.c.at,
    postgresql_where=jobs.c.state.in_((JobState.QUEUED, JobState.GRADING)),
    sqlite_where=jobs.c.state.in_((JobState.QUEUED, JobState.GRADING)),
)
scores = columns.table("scores", ScoreRow)
events = columns.table("events", EventRow)
# Each request reads what organizers moved.
Index(
    "ix_events_moved",
    events.c.id,
    postgresql_where=events.c.what == "moved",
    sqlite_where=events.c.what == "moved",
)
