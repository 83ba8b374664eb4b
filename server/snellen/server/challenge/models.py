"""What a challenge takes and returns: plain values that travel as JSON."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from pydantic import Field

from snellen.grading.models.base import Closed
from snellen.grading.models.scores import Outcome
from snellen.server.challenge.queries import Listed
from snellen.server.store.tables import JobState, ScoreValues, Source

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
    """

    task: str
    metric: str
    value: float
    low: float | None
    high: float | None
    items: int
    outcomes: dict[Outcome, int]
    signature: str

    @classmethod
    def of(cls, row: ScoreValues) -> "TaskScore":
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
    def of(cls, row: Listed, scores: Sequence[ScoreValues] = ()) -> "SubmissionStatus":
        """Return what the rows of the store say."""
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
            error=row.error,
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
