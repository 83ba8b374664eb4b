"""Responses of a hosted exam; unknown fields of a newer server are ignored."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from snellen.grading.models.items import Item


class Measured(msgspec.Struct, frozen=True):
    """A measure: its unit, whether `lower` or `higher` is better, and its mean over answers."""

    unit: str
    better: Literal["lower", "higher"]
    over: str
    answers: int
    mean: float
    median: float


class TaskScore(msgspec.Struct, frozen=True):
    """A submission's score on a task.

    Attributes:
        task: The task's id.
        metric: The primary metric.
        value: The metric over all items, in 0..1; an item without an answer counts 0.
        low: The lower end of its 95 % interval; None: it has none.
        high: The upper end.
        items: The number of items.
        outcomes: The number of items by outcome.
        signature: Everything that the value depends on.
        metrics: All metrics over all items; empty if only a part of the items is shown.
        measures: All measures over all items, such as a mean distance; empty until they are shown.
    """

    task: str
    metric: str
    value: float
    low: float | None
    high: float | None
    items: int
    outcomes: dict[str, int]
    signature: str
    metrics: dict[str, float] = {}
    measures: dict[str, Measured] = {}


class LineProblem(msgspec.Struct, frozen=True):
    """What is wrong with a line of a submission's file."""

    kind: str  # the kind of problem, as in a report
    message: str  # what is wrong, and what became of the line
    line: int | None = None  # the line of the file, from 1; None: no line of its own
    field: str | None = None  # the field; None: the whole line


class SubmissionStatus(msgspec.Struct, frozen=True):
    """A submission's status and scores.

    Attributes:
        id: The submission's id.
        phase: The phase that it counts in.
        participant: The participant who submitted it.
        name: Its name on the leaderboard.
        at: The time of arrival, as ISO 8601 in UTC.
        state: `queued`, `grading`, `graded`, `failed` (a fault of the file) or `stuck` (a fault of
            the server).
        error: The reason why it has no score; None: it has one, or will have one.
        removed: The reason why it was removed from the leaderboard; None: it was not.
        chosen: Whether its participant chose it to count at the end of the phase.
        scores: Its scores, task by task; empty if not yet known, or not visible. In an open phase
            a task with few items has no score of its own.
        value: The mean of all tasks' values; None: not yet known, not visible, or some tasks have
            no answer.
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
    name: str
    at: str
    state: Literal["queued", "grading", "graded", "failed", "stuck"]
    error: str | None = None
    removed: str | None = None
    chosen: bool = False
    scores: tuple[TaskScore, ...] = ()
    value: float | None = None
    low: float | None = None
    high: float | None = None
    problems: tuple[LineProblem, ...] = ()
    problem_count: int = 0
    note: str | None = None

    @property
    def done(self) -> bool:
        """Whether the status is final."""
        return self.state not in ("queued", "grading")


class HostedTask(msgspec.Struct, frozen=True):
    """A task of a hosted exam: its id, its number of items, and its protocol."""

    task: str
    items: int
    protocol: str


class Phase(msgspec.Struct, frozen=True):
    """A phase of a hosted exam.

    Attributes:
        name: The phase's name.
        title: A title for people.
        state: `coming`, `open` or `over`.
        start: The time from which it accepts submissions; None: from the beginning.
        end: The time at which it ends; None: it has no end.
        final: The time from which final scores are visible; None: never.
        uploads: The number of uploads per participant in total; None: no limit.
        uploads_a_day: The number of uploads per participant and day.
        scores: The visibility of values: `hidden`, `own` or `public`.
        reports: The visibility of reports.
    """

    name: str
    title: str
    state: Literal["coming", "open", "over"]
    start: str | None
    end: str | None
    final: str | None
    uploads: int | None
    uploads_a_day: int | None
    scores: str
    reports: str


class Quota(msgspec.Struct, frozen=True):
    """The uploads that a participant has left."""

    phase: str  # the phase that takes an upload now
    end: str | None  # the time until which it does, as ISO 8601 in UTC; None: it has no end
    left: int | None  # the uploads left in all; None: no limit
    left_today: int | None  # the uploads left on this day of the phase's zone; None: no limit

    @property
    def words(self) -> str:
        """It as a line."""
        until = "" if self.end is None else f", until {self.end}"
        counts = [(self.left, "in all"), (self.left_today, "today")]
        known = ", ".join(f"{count} {when}" for count, when in counts if count is not None)
        return f"phase {self.phase}{until}" + (f"; uploads left: {known}" if known else "")


class HostedExam(msgspec.Struct, frozen=True):
    """A hosted exam."""

    name: str  # the exam's name in URLs
    title: str  # a title for people
    description: str
    tasks: tuple[HostedTask, ...]
    phases: tuple[Phase, ...]  # its phases, in order
    longest_upload: int  # the maximum size of an upload, in bytes


class LeaderboardRow(msgspec.Struct, frozen=True):
    """One row of a leaderboard.

    Attributes:
        best: The best possible rank; None: it is not ranked.
        worst: The worst possible rank.
        group: Rows of the same group do not differ significantly from the group's first row.
        submission: The submission's id.
        participant: The participant who submitted it.
        name: The submission's name.
        baseline: Whether it is a baseline.
        value: The mean of its tasks' values; for one task, its value.
        low: The lower end of its 95 % interval, if the leaderboard is of one task.
        high: The upper end.
        tasks: Its score on each task.
    """

    best: int | None
    worst: int | None
    group: int | None
    submission: str
    participant: str
    name: str
    baseline: bool
    value: float
    low: float | None
    high: float | None
    tasks: tuple[TaskScore, ...]


class Leaderboard(msgspec.Struct, frozen=True):
    """A leaderboard."""

    exam: str  # the exam's name
    phase: str
    tasks: tuple[str, ...]  # the tasks that a row needs
    part: str  # `all` items, or the `public` ones during the phase
    rows: tuple[LeaderboardRow, ...]  # the rows, the highest value first


class LeaderboardPage(Leaderboard, frozen=True):
    """A page of a leaderboard, and the cursor of the next page; None: this is the last."""

    next: str | None = None


class ItemPage(msgspec.Struct, frozen=True):
    """A page of items as JSON, and the cursor of the next page; None: this is the last."""

    items: Sequence[msgspec.Raw]
    next: str | None

    def parsed(self) -> list[Item]:
        """Return the items."""
        return [Item.model_validate_json(bytes(item)) for item in self.items]


class Problem(msgspec.Struct, frozen=True):
    """The server's description of an error."""

    detail: str = ""
    title: str = ""
