"""The inputs and results of a challenge: plain values, sent as JSON."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BeforeValidator, Field, JsonValue

from snellen.grading.models.base import Closed
from snellen.grading.models.reports import MeasureValue, Problem, Problems
from snellen.grading.models.scores import Outcome
from snellen.server.challenge.queries import Listed
from snellen.server.exam.file import Counts, Instant, SignUpRules, Who
from snellen.server.store.tables.endpoint import JobState, ScoreNumbers, Source

if TYPE_CHECKING:
    from snellen.server.exam.rounding import Numbers

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


class TaskCard(Closed):
    """A task of an exam.

    Attributes:
        task: Its id.
        items: The number of graded items of a submission.
        protocol: The protocol that grades it, if a phase names no other.
        acted: Whether its items are interactive: answered over MCP, not by an upload.
    """

    task: str
    items: int
    protocol: str
    acted: bool = False


class PhaseCard(Closed):
    """The public description of a phase; times are in ISO 8601, UTC.

    Attributes:
        name: Its name.
        title: A title for people.
        state: `coming`, `open` or `over`.
        start: The time from which it accepts submissions; None: at once.
        end: The time of its end; None: never.
        zone: The time zone in which a day of `uploads_a_day` begins.
        uploads: The number of uploads per participant in total; None: no limit.
        uploads_a_day: The number of uploads per participant and day; None: no limit.
        attempts: Whether attempts over MCP are on the leaderboard.
        counts: The submissions of a participant that are on it.
        scores: Who sees values and the leaderboard.
        reports: Who sees reports.
        final: The time from which final scores are visible: a while after its end, and after that
            of all phases over the same items that hide scores; None: one of them has no end.
        part: The part of the items whose values are visible now: `all`, or `public` during the
            phase.
        protocols: The protocol of each task.
        changes: What an organizer changed since the exam file was written, in words.
    """

    name: str
    title: str
    state: Literal["coming", "open", "over"]
    start: str | None
    end: str | None
    final: str | None
    zone: str
    uploads: int | None
    uploads_a_day: int | None
    attempts: bool
    counts: Counts
    scores: Who
    reports: Who
    part: str
    protocols: Mapping[str, str]
    changes: tuple[str, ...] = ()


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


class QuotaCard(Closed):
    """The uploads that a participant has left in a phase.

    Attributes:
        phase: The phase that takes an upload now.
        end: The time until which it does, in ISO 8601, UTC; None: it has no end.
        left: The uploads left in all; None: no limit.
        left_today: The uploads left on this day of the phase's zone; None: no limit.
    """

    phase: str
    end: str | None
    left: int | None
    left_today: int | None


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


class ExamCard(Closed):
    """The public description of an exam.

    Attributes:
        name: Its name in URLs.
        title: A title for people.
        description: A description, in plain text.
        id: The names of its packs and the digest of its items.
        tasks: Its tasks.
        phases: Its phases, in their order.
        items: Who may read items and images over REST.
        longest_upload: The maximum size of an upload, in bytes.
        signup: How people get tokens by themselves.
        forms: The accepted media types of files.
    """

    name: str
    title: str
    description: str
    id: str
    tasks: tuple[TaskCard, ...]
    phases: tuple[PhaseCard, ...]
    items: Who
    longest_upload: int
    signup: SignUpRules
    forms: tuple[str, ...] = tuple(FORMS)


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


class TaskScore(Closed):
    """A submission's score on a task.

    Attributes:
        task: The task's id.
        metric: The primary metric.
        value: The metric over all items, in 0..1; an item without an answer adds 0.
        low: The lower end of its 95 % interval; None: it has none.
        high: The upper end.
        items: The number of items.
        outcomes: The number of items with each outcome.
        signature: Everything on which the value depends.
        metrics: Every metric over all items; empty if only a part of the items is visible.
        measures: Every measure over all items; none until the phase is over, unless item results
            are visible.
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
    measures: dict[str, MeasureValue] = Field(
        default_factory=dict[str, MeasureValue], exclude_if=lambda found: not found
    )

    @classmethod
    def of(cls, row: ScoreNumbers) -> "TaskScore":
        """Return the score of a row of the store."""
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
            measures=json.loads(row.measures or "{}"),
        )

    def without_measures(self) -> "TaskScore":
        """Return it as it is shown until its phase is over."""
        return self.model_copy(update={"measures": {}}) if self.measures else self


class SubmissionStatus(Closed):
    """A submission, as its participant sees it; times are in ISO 8601, UTC.

    Attributes:
        id: Its id.
        phase: The phase in which it counts.
        participant: The participant who submitted it.
        source: Whether it was uploaded or is an attempt over MCP.
        name: Its name on the leaderboard.
        link: A URL with more information.
        at: The time of arrival.
        size: The size of its file, in bytes.
        sha256: SHA-256 of its file, as hexadecimal digits.
        state: The state of its grading.
        tries: The number of times that a worker took it.
        error: The reason why it has no score; None: it has one, or will have one.
        removed: The reason why it was removed from the leaderboard; None: it was not removed.
        baseline: Whether it is a baseline, which is not ranked.
        chosen: Whether its participant chose it to count at the end of the phase.
        scores: Its score on each task; empty if they are not known yet, or not visible. In an open
            phase a task with few items has no score of its own.
        value: The mean of all tasks' values, as on the leaderboard; None: it is not known yet, not
            visible, or some tasks have no answer.
        low: The lower end of its 95 % interval; None: it has none.
        high: The upper end.
        problems: What is wrong with the lines of its file, the first 20 by line.
        problem_count: The number of all problems.
        note: After an upload that became an earlier submission: why, and what of it does not
            apply; or why scores are not shown; None: nothing.
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
    chosen: bool = False
    scores: tuple[TaskScore, ...] = Field(default=())
    value: float | None = None
    low: float | None = None
    high: float | None = None
    problems: tuple[Problem, ...] = Field(default=())
    problem_count: int = 0
    note: str | None = None

    @classmethod
    def of(
        cls,
        row: Listed,
        scores: Sequence[TaskScore] = (),
        mean: "Numbers | None" = None,
        *,
        organizer: bool = False,
    ) -> "SubmissionStatus":
        """Return the submission of the rows of the store.

        The participant sees the error if the answers can't be graded. Only organizers see the error
        of a server fault, because its text may quote a reference.
        """
        found = Problems.model_validate_json(row.problems) if row.problems else Problems()
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
            chosen=row.chosen is not None,
            scores=tuple(scores),
            value=None if mean is None else mean.value,
            low=None if mean is None else mean.low,
            high=None if mean is None else mean.high,
            problems=found.first,
            problem_count=found.count,
        )

    @property
    def done(self) -> bool:
        """Whether its grading has ended."""
        return self.state not in (JobState.QUEUED, JobState.GRADING)
