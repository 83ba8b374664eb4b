"""Guesses: how one would answer a task without looking; `chance` works out what that scores."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

NO_ANSWER = "<no answer>"
"""What ScreenQA's references say where a screen does not hold the answer."""


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of so many options at random, the right one among them: 1 / options.

    It holds for an average over parts of an answer, such as the pairs of a page, as well. Where
    the items' contexts count other numbers of options, an item's own counts.
    """

    options: int

    @property
    def words(self) -> str:
        """The guess in a few words."""
        return f"one of {self.options} options at random"


@dataclass(frozen=True, slots=True)
class OneOfItsOptions:
    """One of each item's own options at random: the mean over items of 1 / options."""

    @property
    def words(self) -> str:
        """The guess in a few words."""
        return "one of each item's options at random"


@dataclass(frozen=True, slots=True)
class OptionOrNothing:
    """One of an item's options at random where it has some, as the protocol grades it; else 0."""

    @property
    def words(self) -> str:
        """The guess in a few words."""
        return "one of an item's options at random, nothing where it has none"


@dataclass(frozen=True, slots=True)
class RandomPoint:
    """A point of the image at random: the mean over items of the target's share of its area."""

    @property
    def words(self) -> str:
        """The guess in a few words."""
        return "a point of the image at random"


@dataclass(frozen=True, slots=True)
class RandomBox:
    """A box whose opposite corners are two points of the image at random, to reach an IoU.

    Next to nothing for small targets: by `chance._box_share` under 5.07 times the square of the
    target's share of the image, so 0.0005 for a hundredth of it.
    """

    iou: float = 0.5

    @property
    def words(self) -> str:
        """The guess in a few words."""
        return "a box with two corners at random"


@dataclass(frozen=True, slots=True)
class Constant:
    """The same response to every item, graded by the protocol itself; `name` says it in words."""

    response: str
    name: str = ""

    @property
    def words(self) -> str:
        """The guess in a few words."""
        return f"{self.name or self.response} to every item"


@dataclass(frozen=True, slots=True)
class NoGuess:
    """Nothing that is worth guessing, so 0; `why` says it in a few words."""

    why: str

    @property
    def words(self) -> str:
        """The guess in a few words."""
        return f"no guess: {self.why}"


@dataclass(frozen=True, slots=True)
class Idle:
    """Leaving the world of every item as it is: the task is done, or can't be, for one reason.

    The protocol itself grades it; the reasons are those of the items' references.
    """

    @property
    def words(self) -> str:
        """The guess in a few words."""
        return "doing nothing, or the same reason why it can't be done for every item"


@dataclass(frozen=True, slots=True)
class NullAgents:
    """The best of some agents that understand nothing, by episodes that they played.

    Attributes:
        episodes: Gives, by agent and by the page that a reference names, what each episode left
            as a response; every one is graded by the protocol itself.
    """

    episodes: Callable[[], Mapping[str, Mapping[str, Sequence[object]]]]

    @property
    def words(self) -> str:
        """The guess in a few words."""
        return "the best of some agents that understand nothing"


Guess: TypeAlias = (
    OneOf
    | OneOfItsOptions
    | OptionOrNothing
    | RandomPoint
    | RandomBox
    | Constant
    | Idle
    | NullAgents
    | NoGuess
)
