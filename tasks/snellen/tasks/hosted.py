"""What a hosted exam says of itself, of submissions and of ranks, as JSON.

Its server writes it and clients read it; they ignore fields that a newer server adds.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Literal, NamedTuple

from pydantic import Field, JsonValue

from snellen.grading.models.base import Closed
from snellen.grading.models.reports import MeasureValue, Problem
from snellen.grading.models.scores import Outcome


class Who(StrEnum):
    """The audience of something."""

    HIDDEN = "hidden"
    """Organizers."""
    OWN = "own"
    """Each participant its own, and organizers."""
    PUBLIC = "public"
    """Anybody."""


class Counts(StrEnum):
    """The submissions of a participant that are on the leaderboard."""

    ALL = "all"
    BEST = "best"
    """The best one; with `public_share`, the best on the public part, also after the end."""
    LAST = "last"
    CHOSEN = "chosen"
    """The better of up to two that the participant chooses before the end; of all if none is."""


class JoinBy(StrEnum):
    """How people get a token by themselves."""

    CLOSED = "closed"
    """Not at all: organizers create every token."""
    INVITATION = "invitation"
    """By an organizer's invitation."""
    APPROVAL = "approval"
    """By an invitation, or by a request that an organizer approves."""


class SignUpRules(Closed):
    """The rules of sign-up.

    Attributes:
        by: How people get a token by themselves.
        teams: Whether they may form teams.
    """

    by: JoinBy = JoinBy.CLOSED
    teams: bool = False


class Source(StrEnum):
    """The source of a submission."""

    UPLOAD = "upload"
    ATTEMPT = "attempt"


class JobState(StrEnum):
    """The state of a submission's grading."""

    QUEUED = "queued"
    GRADING = "grading"
    GRADED = "graded"
    FAILED = "failed"
    """The answers can't be graded. The error says why, and the participant has to fix it."""
    STUCK = "stuck"
    """The server failed to grade it several times, and the organizer has to fix it."""


FORMS = {
    "application/x-ndjson": ".jsonl",
    "application/jsonl": ".jsonl",
    "application/gzip": ".jsonl.gz",
    "application/json": ".json",
    "text/csv": ".csv",
    "application/vnd.apache.parquet": ".parquet",
}
"""The ending of a file by its media type."""


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

    @property
    def words(self) -> str:
        """It as a line."""
        until = "" if self.end is None else f", until {self.end}"
        counts = [(self.left, "in all"), (self.left_today, "today")]
        known = ", ".join(f"{count} {when}" for count, when in counts if count is not None)
        return f"phase {self.phase}{until}" + (f"; uploads left: {known}" if known else "")


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

    @property
    def done(self) -> bool:
        """Whether its grading has ended."""
        return self.state not in (JobState.QUEUED, JobState.GRADING)


class BoardRow(Closed):
    """One row of the leaderboard.

    Attributes:
        best: The best possible rank, at the board's level; None: it is not ranked.
        worst: The worst possible rank.
        group: Rows of the same group do not differ significantly from the group's first row.
        submission: The submission's id.
        participant: The participant who submitted it.
        name: The submission's name.
        link: A URL with more information.
        source: Whether it was uploaded or is an attempt over MCP.
        at: The time of arrival.
        baseline: Whether it is a baseline, which is not ranked.
        value: The mean of its tasks' values; for one task, its value.
        low: The lower end of its 95 % interval; None: it has none.
        high: The upper end.
        tasks: Its score on each task.
        cost: Its cost, as far as known.
    """

    best: int | None
    worst: int | None
    group: int | None
    submission: str
    participant: str
    name: str
    link: str
    source: Source
    at: str
    baseline: bool
    value: float
    low: float | None
    high: float | None
    tasks: tuple[TaskScore, ...]
    cost: Mapping[str, JsonValue] = Field(default_factory=dict[str, JsonValue])

    @property
    def measures(self) -> Mapping["MeasureName", float]:
        """The mean of each measure over the answers of all tasks that have it."""
        found: dict[MeasureName, list[MeasureValue]] = {}
        for task in self.tasks:
            for name, one in task.measures.items():
                found.setdefault(MeasureName(name, one.unit, one.better), []).append(one)
        return {
            name: sum(one.mean * one.answers for one in several)
            / sum(one.answers for one in several)
            for name, several in found.items()
        }


class MeasureName(NamedTuple):
    """A measure's name, its unit, and whether the `lower` or the `higher` one is better."""

    name: str
    unit: str
    better: Literal["lower", "higher"]

    def __str__(self) -> str:
        return f"{self.name} ({self.unit}, {self.better} is better)"


class Board(Closed):
    """A leaderboard.

    Attributes:
        exam: The exam's name.
        phase: The phase.
        task: Its single task; None: the mean of all tasks.
        tasks: The tasks that a row needs.
        part: `all` items, or the `public` ones during the phase.
        level: With this probability no true rank lies outside its row's bounds.
        grading: The number of the grading that it shows.
        graded: The time of that grading.
        regrading: Whether a newer grading is in progress.
        rows: The rows, the highest value first, with unranked baselines among them.
        incomplete: The number of submissions without a row because they lack some of the tasks.
    """

    exam: str
    phase: str
    task: str | None
    tasks: tuple[str, ...]
    part: str
    level: float
    grading: int
    graded: str
    regrading: bool
    rows: tuple[BoardRow, ...]
    incomplete: int

    @property
    def measures(self) -> Sequence[MeasureName]:
        """The measures of its rows; rows are never ranked by them."""
        return list(dict.fromkeys(name for row in self.rows for name in row.measures))


class BoardPage(Board):
    """A page of a leaderboard.

    Attributes:
        total: The number of rows of all pages.
        next: The cursor of the next page; None: this is the last.
    """

    total: int
    next: str | None
