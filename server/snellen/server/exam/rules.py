"""Rules of an exam: what its organizer decides and no examinee can change."""

from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from snellen.grading.models.base import Closed


class Mode(StrEnum):
    """What an examinee hears of its answers."""

    EXAM = "exam"
    """Nothing until the attempt is finished."""
    PRACTICE = "practice"
    """Each answer's score at once; it never counts in an exam."""
    DEFERRED = "deferred"
    """Nothing: answers are recorded here and graded where the references are."""


class Contexts(StrEnum):
    """How many questions one context of an agent may see."""

    FRESH = "fresh"
    """One question a context, as published scores are made."""
    CONTINUOUS = "continuous"
    """Any number, but never both halves of a pair."""


class Counting(StrEnum):
    """Which of several submissions to one item counts."""

    FIRST = "first"
    LAST = "last"
    BEST = "best"
    """The one that scores highest; of equal ones the earliest."""


class Door(StrEnum):
    """How a world is acted in."""

    SCREEN = "screen"
    """By inputs to its page, which screenshots show."""
    TOOLS = "tools"
    """By calls of its applications' tools; no page is shown."""


class Rules(Closed):
    """What holds for every attempt.

    Attributes:
        mode: What an examinee hears of its answers.
        seed: Shuffles the order of items and of options.
        sample: How many items of each task, or one pair where that is more; None: all.
        attempts: How many attempts a caller may start; None: any number.
        minutes: How long an attempt lasts; None: until it is finished.
        views: How many views of an item's images an agent may take; None: any number.
        submissions: How many answers to one item are taken.
        counting: Which of them counts.
        contexts: How many questions a context may see; None: the client declares it.
        pairs_together: Whether one client may see both halves of a pair.
        lease_minutes: How long an item is kept for the client that took it.
        max_view_side: The longest side of a view, in pixels.
        shuffle_options: Whether lettered options are put in another order where the item allows.
        door: How interactive items are acted in.
    """

    mode: Mode = Mode.EXAM
    seed: int = 0
    sample: int | None = Field(default=None, gt=0)
    attempts: int | None = Field(default=None, gt=0)
    minutes: float | None = Field(default=None, gt=0)
    views: int | None = Field(default=None, gt=0)
    submissions: int = Field(default=1, gt=0)
    counting: Counting = Counting.LAST
    contexts: Contexts | None = None
    pairs_together: bool = False
    lease_minutes: float = Field(default=15, gt=0)
    max_view_side: int = Field(default=1568, ge=64, le=2000)
    shuffle_options: bool = True
    door: Door = Door.SCREEN

    @model_validator(mode="after")
    def _can_be_kept(self) -> Self:
        if self.mode is Mode.DEFERRED and self.counting is Counting.BEST:
            raise ValueError(
                "a deferred exam can't tell which answer is best: count the first or the last"
            )
        return self
