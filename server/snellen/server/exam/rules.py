"""The rules of an exam: the organizer sets them, and examinees can't change them."""

from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from snellen.grading.models.base import Closed


class Mode(StrEnum):
    """The feedback that an examinee gets on its answers."""

    EXAM = "exam"
    """No feedback until the attempt is finished."""
    PRACTICE = "practice"
    """The score of each answer at once; such an attempt never counts in an exam."""
    DEFERRED = "deferred"
    """No feedback: answers are recorded here and graded where the references are."""


class Contexts(StrEnum):
    """The number of questions that one context of an agent may see."""

    FRESH = "fresh"
    """One question per context, as in published scores."""
    CONTINUOUS = "continuous"
    """Any number; the attempt has one item of each pair."""


class Counting(StrEnum):
    """The answer to an item that counts, if there are several."""

    FIRST = "first"
    LAST = "last"
    BEST = "best"
    """The answer with the highest score; the earliest of equal ones."""


class Door(StrEnum):
    """The interface through which an agent acts in a world."""

    SCREEN = "screen"
    """Inputs to its page, which screenshots show."""
    MARKS = "marks"
    """Inputs to the controls of its page, which have numbers on the screenshots."""
    TREE = "tree"
    """Inputs to the controls of its page, which the browser's accessibility tree names, as text."""
    TOOLS = "tools"
    """Calls of its applications' tools, without screenshots."""
    URL = "url"
    """Its page at an address, in a browser that is not the server's: the agent's, or a person's."""
    WEBMCP = "webmcp"
    """Its applications' tools as WebMCP tools of a page at an address."""


ON_STAGE = frozenset({Door.SCREEN, Door.MARKS, Door.TREE})
"""The doors to a page in the server's browser."""
AT_ADDRESS = frozenset({Door.URL, Door.WEBMCP})
"""The doors to a page in another browser."""


class Format(StrEnum):
    """The encoding of a view."""

    AUTO = "auto"
    """PNG where a palette holds all colors; else lossless WebP, or JPEG if that is too large."""
    PNG = "png"
    """PNG, or JPEG if that is too large; for clients that can't read WebP, such as llama.cpp."""
    WEBP = "webp"
    JPEG = "jpeg"


class Rules(Closed):
    """The rules of every attempt.

    Attributes:
        mode: The feedback that an examinee gets on its answers.
        seed: The seed of the sample and of the order of items.
        sample: The number of items of each task, but at least one pair; None: all.
        attempts: The number of attempts that a caller may start; None: any number.
        minutes: The duration of an attempt, in minutes; None: until it is finished.
        views: The number of views of an item's images that an agent may take; None: any number.
        submissions: The number of answers to one item that are accepted.
        rewrites: How often an answer that can't be read may be written again; the next is kept.
        counting: The answer that counts.
        contexts: The number of questions that a context may see; None: the client declares it.
        pairs_together: Whether a `continuous` attempt has both items of a pair.
        lease_minutes: The time for which an item is leased to a client, in minutes.
        max_view_side: The longest side of a view, in pixels.
        format: The encoding of views, unless the agent asks for another.
        shuffle_options: Whether lettered options are shuffled if the item allows it.
        door: The interface of interactive items.
        episode_minutes: The time for an episode, in minutes; None: only its steps are limited.
    """

    mode: Mode = Mode.EXAM
    seed: int = 0
    sample: int | None = Field(default=None, gt=0)
    attempts: int | None = Field(default=None, gt=0)
    minutes: float | None = Field(default=None, gt=0)
    views: int | None = Field(default=None, gt=0)
    submissions: int = Field(default=1, gt=0)
    rewrites: int = Field(default=1, ge=0, le=100)
    counting: Counting = Counting.LAST
    contexts: Contexts | None = None
    pairs_together: bool = False
    lease_minutes: float = Field(default=15, gt=0)
    max_view_side: int = Field(default=1568, ge=64, le=2000)
    format: Format = Format.AUTO
    shuffle_options: bool = True
    door: Door = Door.SCREEN
    episode_minutes: float | None = Field(default=60, gt=0)

    @model_validator(mode="after")
    def _can_be_kept(self) -> Self:
        if self.mode is Mode.DEFERRED and self.counting is Counting.BEST:
            raise ValueError(
                "a deferred exam can't count the best answer: count the first or the last"
            )
        return self
