"""What a hosted exam says; fields that a newer server adds are left out."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from snellen.grading.models.items import Item


class TaskScore(msgspec.Struct, frozen=True):
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
    outcomes: dict[str, int]
    signature: str
    metrics: dict[str, float] = {}


class SubmissionStatus(msgspec.Struct, frozen=True):
    """How far a submission is, and what it scores.

    Attributes:
        id: What it is called.
        phase: The phase that it counts in.
        participant: Whose it is.
        name: What the leaderboard calls it.
        at: When it arrived, as ISO 8601 in UTC.
        state: `queued`, `grading`, `graded`, `failed` (the file is at fault) or `stuck` (the
            server is).
        error: Why it has no score; None: it has, or will have.
        removed: Why it was taken off the leaderboard; None: it was not.
        scores: What it scores, task by task; empty while that is not known, or not shown.
    """

    id: str
    phase: str
    participant: str
    name: str
    at: str
    state: Literal["queued", "grading", "graded", "failed", "stuck"]
    error: str | None = None
    removed: str | None = None
    scores: tuple[TaskScore, ...] = ()

    @property
    def done(self) -> bool:
        """Whether nothing more comes by itself."""
        return self.state not in ("queued", "grading")


class HostedTask(msgspec.Struct, frozen=True):
    """A task of a hosted exam: its id, how many items, and the protocol that grades it."""

    task: str
    items: int
    protocol: str


class Phase(msgspec.Struct, frozen=True):
    """A phase of a hosted exam.

    Attributes:
        name: What it is called.
        title: A line for people.
        state: `coming`, `open` or `over`.
        start: From when on it takes submissions; None: from the beginning.
        end: Until when; None: it has no end.
        uploads: How many uploads a participant has in all; None: any number.
        uploads_a_day: How many on one day.
        scores: Who sees values: `hidden`, `own` or `public`.
        reports: Who sees reports.
    """

    name: str
    title: str
    state: Literal["coming", "open", "over"]
    start: str | None
    end: str | None
    uploads: int | None
    uploads_a_day: int | None
    scores: str
    reports: str


class HostedExam(msgspec.Struct, frozen=True):
    """A hosted exam.

    Attributes:
        name: What it is called in addresses.
        title: A line for people.
        description: What it is about.
        tasks: Its tasks.
        phases: Its phases, in their order.
        longest_upload: The bytes of an upload at most.
    """

    name: str
    title: str
    description: str
    tasks: tuple[HostedTask, ...]
    phases: tuple[Phase, ...]
    longest_upload: int


class LeaderboardRow(msgspec.Struct, frozen=True):
    """One row of a leaderboard.

    Attributes:
        best: The best rank that it may have; None: it is not ranked.
        worst: The worst one.
        group: Rows of the same group can't be told apart from the group's first.
        submission: The submission's id.
        participant: Whose it is.
        name: What it is called.
        baseline: Whether it is set apart.
        value: The mean of its tasks' values; of one task: its value.
        low: The lower end of its 95 % interval, if the leaderboard is of one task.
        high: The upper end.
        tasks: What it scores on each.
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
    """A leaderboard.

    Attributes:
        exam: The exam's name.
        phase: The phase.
        tasks: The tasks that a row needs.
        part: `all` items, or the `public` ones while the phase lasts.
        rows: The rows, the highest value first.
    """

    exam: str
    phase: str
    tasks: tuple[str, ...]
    part: str
    rows: tuple[LeaderboardRow, ...]


class ItemPage(msgspec.Struct, frozen=True):
    """A page of items as JSON, and the cursor of the next page; None: this is the last."""

    items: Sequence[msgspec.Raw]
    next: str | None

    def parsed(self) -> list[Item]:
        """Return the items."""
        return [Item.model_validate_json(bytes(item)) for item in self.items]


class Problem(msgspec.Struct, frozen=True):
    """What went wrong, as the server says it."""

    detail: str = ""
    title: str = ""
