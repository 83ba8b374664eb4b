"""What a challenge takes and returns: plain values that travel as JSON."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from pydantic import Field, JsonValue

from snellen.grading.models.base import Closed
from snellen.grading.models.scores import Outcome
from snellen.server.challenge.queries import Listed
from snellen.server.exam.file import Counts, Who
from snellen.server.store.tables.endpoint import EventRow, JobState, ScoreNumbers, Source

ALL, PUBLIC, PRIVATE = "all", "public", "private"
"""The parts of a phase's items."""

_OUR_FAULT = "it could not be graded yet through no fault of yours; the organizer sees why"

FORMS = {
    "application/x-ndjson": ".jsonl",
    "application/jsonl": ".jsonl",
    "application/gzip": ".jsonl.gz",
    "application/json": ".json",
    "text/csv": ".csv",
    "application/vnd.apache.parquet": ".parquet",
}
"""The ending of a file by its media type."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file of predictions as it came, and what was said of it.

    Attributes:
        caller: Whose it is.
        body: Its bytes, in parts compressed by zlib.
        digest: SHA-256 of the bytes.
        size: How many they are.
        form: Its ending, one of `FORMS`.
        at: When its first byte arrived, in milliseconds since 1970.
        name: What the leaderboard is to call it.
        link: Where more is said of it.
        task: The one task that it answers; None: its lines say it, or the exam has only one.
        phase: The phase; None: the one that is open.
        key: The idempotency key; None: there is none.
    """

    caller: str
    body: Sequence[bytes] = field(repr=False)
    digest: bytes
    size: int
    form: str
    at: int
    name: str = ""
    link: str = ""
    task: str | None = None
    phase: str | None = None
    key: str | None = None


class TaskCard(Closed):
    """A task of an exam.

    Attributes:
        task: Its id.
        items: How many items a submission is graded over.
        protocol: What it is graded by, where a phase names no other.
        acted: Whether its items are acted in: over MCP, and by no upload.
    """

    task: str
    items: int
    protocol: str
    acted: bool = False


class PhaseCard(Closed):
    """A phase, as everybody may read it; moments as ISO 8601 in UTC.

    Attributes:
        name: What it is called.
        title: A line for people.
        state: `coming`, `open` or `over`.
        start: From when on it takes submissions; None: from the beginning.
        end: Until when; None: it has no end.
        zone: The time zone in which a day of `uploads_a_day` begins.
        uploads: How many uploads a participant has in all; None: any number.
        uploads_a_day: How many on one day.
        attempts: Whether attempts over MCP stand on the leaderboard.
        counts: Which of a participant's submissions do.
        scores: Who sees values and the leaderboard.
        reports: Who sees reports.
        part: Which items are shown now: `all`, or the `public` ones while the phase lasts.
        protocols: The protocol of each task.
    """

    name: str
    title: str
    state: Literal["coming", "open", "over"]
    start: str | None
    end: str | None
    zone: str
    uploads: int | None
    uploads_a_day: int | None
    attempts: bool
    counts: Counts
    scores: Who
    reports: Who
    part: str
    protocols: Mapping[str, str]


class ExamCard(Closed):
    """An exam, as everybody may read it.

    Attributes:
        name: What it is called in addresses.
        title: A line for people.
        description: What it is about, in plain text.
        id: Its packs' names and the digest of all that is asked.
        tasks: Its tasks.
        phases: Its phases, in their order.
        items: Who reads items and images here.
        longest_upload: The bytes of an upload at most.
        forms: The media types of files that are taken.
    """

    name: str
    title: str
    description: str
    id: str
    tasks: tuple[TaskCard, ...]
    phases: tuple[PhaseCard, ...]
    items: Who
    longest_upload: int
    forms: tuple[str, ...] = tuple(FORMS)


class EventCard(Closed):
    """What an organizer or a grading changed.

    Attributes:
        id: Its number: they are in this order.
        phase: The phase; empty: it is about none.
        submission: What it is about; None: a whole phase.
        at: When.
        caller: Who did it.
        what: What was done.
        why: The reason given.
        detail: Before and after.
    """

    id: int
    phase: str
    submission: str | None
    at: str
    caller: str
    what: str
    why: str
    detail: Mapping[str, JsonValue]

    @classmethod
    def of(cls, row: EventRow) -> "EventCard":
        """Return what a row of the store says."""
        return cls(
            id=row.id,
            phase=row.phase.rpartition("/")[2],
            submission=row.submission,
            at=iso(row.at),
            caller=row.caller,
            what=row.what,
            why=row.why,
            detail=json.loads(row.detail),
        )


class TaskScore(Closed):
    """What a submission scores on a task.

    Attributes:
        task: The task's id.
        metric: The primary metric.
        value: It over all items, in 0..1; an item without an answer adds 0.
        low: The lower end of its 95 % interval; None: it has none.
        high: The upper end.
        items: How many items.
        outcomes: How many items ended in each outcome.
        signature: All that the value depends on.
        metrics: Every metric over all items; empty where a part of them is shown.
    """

    task: str
    metric: str
    value: float
    low: float | None
    high: float | None
    items: int
    outcomes: dict[Outcome, int]
    signature: str
    metrics: dict[str, float] = Field(default_factory=dict[str, float])

    @classmethod
    def of(cls, row: ScoreNumbers) -> "TaskScore":
        """Return what a row of the store says."""
        return cls(
            task=row.task,
            metric=row.metric,
            value=row.value,
            low=row.low,
            high=row.high,
            items=row.items,
            outcomes=json.loads(row.outcomes),
            signature=row.signature,
            metrics=json.loads(row.metrics),
        )


class SubmissionStatus(Closed):
    """A submission, as its participant sees it; times as ISO 8601 in UTC.

    Attributes:
        id: What it is called.
        phase: The phase that it counts in.
        participant: Whose it is.
        source: Whether it was uploaded or is an attempt over MCP.
        name: What the leaderboard calls it.
        link: Where more is said of it.
        at: When it arrived.
        size: The bytes of its file.
        sha256: Their digest.
        state: How far its grading is.
        tries: How often a worker took it up.
        error: Why it has no score; None: it has, or will have.
        removed: Why it was taken off the leaderboard; None: it was not.
        baseline: Whether it is set apart as a baseline.
        scores: What it scores, task by task; empty while that is not known, or not shown.
    """

    id: str
    phase: str
    participant: str
    source: Source
    name: str
    link: str
    at: str
    size: int
    sha256: str
    state: JobState
    tries: int
    error: str | None = None
    removed: str | None = None
    baseline: bool = False
    scores: tuple[TaskScore, ...] = Field(default=())

    @classmethod
    def of(
        cls, row: Listed, scores: Sequence[ScoreNumbers] = (), *, organizer: bool = False
    ) -> "SubmissionStatus":
        """Return what the rows of the store say.

        Why it failed is for its participant to read. What the program complained of when the fault
        was its own may quote a reference, and is for organizers.
        """
        ours = row.error is not None and row.state is not JobState.FAILED and not organizer
        return cls(
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
            scores=tuple(map(TaskScore.of, scores)),
        )

    @property
    def done(self) -> bool:
        """Whether nothing more comes by itself."""
        return self.state not in (JobState.QUEUED, JobState.GRADING)


def iso(milliseconds: int) -> str:
    """Write a moment as ISO 8601 in UTC, with milliseconds."""
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
