"""What a vocabulary is: how one family of agents writes its actions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from snellen.grading.coordinates import CoordinateSpace
from snellen.grading.models.actions import Action, Point

_LARGEST = 1e300


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """How one family of agents writes its actions.

    Attributes:
        name: What an answer declares: {"format": name, "response": ...}.
        space: What its coordinates count.
        published: From a text to the action as published code reads it, with points in that space;
            None where it reads none. It takes any text and never raises. None for a vocabulary
            that no protocol's published code reads.
        write: From an action with points in that space to a text that `read` reads as the same
            action; None where the vocabulary has no such action.
        source: Whose it is.
    """

    name: str
    space: CoordinateSpace
    published: Callable[[str], Action | None] | None
    write: Callable[[Action], str | None]
    source: str

    def read(self, text: str) -> Action | None:
        """Read a text as published code does; as `understood` without such code."""
        return self.understood(text) if self.published is None else self.published(text)

    def understood(self, text: str) -> Action | None:
        """Read a text as a careful person would; None where it has no action."""
        # The reader of all formats writes and reads with this package's parts.
        from snellen.grading.actions.formats import format_of
        from snellen.grading.actions.reading import NoActionError, read_action

        try:
            return read_action(text, format_of(self.name)).action
        except NoActionError:
            return None


def whole(point: Point) -> tuple[int, int]:
    """Return a point in whole numbers, as most vocabularies write it."""
    return round(point[0]), round(point[1])


def plain_number(value: float) -> str:
    """Write a coordinate with up to six decimals.

    >>> plain_number(330.0), plain_number(0.25)
    ('330', '0.25')
    """
    return f"{value:.6f}".rstrip("0").rstrip(".")


def as_point(value: object) -> Point | None:
    """Return two finite numbers, in a list or a tuple, as a point; None for anything else."""
    if not isinstance(value, list | tuple):
        return None
    numbers = cast("Sequence[object]", value)
    return point_of(*numbers) if len(numbers) == 2 else None


def point_of(x: object, y: object) -> Point | None:
    """Return two finite numbers as a point; None for anything else."""
    across, down = as_number(x), as_number(y)
    return None if across is None or down is None else (across, down)


def as_number(value: object) -> float | None:
    """Return a finite number as a float; None for anything else, a truth value among them."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) <= _LARGEST else None
