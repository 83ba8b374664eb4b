"""A typed action: what an agent does on a screen, whatever vocabulary it said it in."""

from enum import StrEnum
from typing import TypeAlias

import msgspec

Point: TypeAlias = tuple[float, float]
"""x from the left and y from the top."""


class ActionType(StrEnum):
    """What is done."""

    CLICK = "click"
    DOUBLE_CLICK = "double_click"
    RIGHT_CLICK = "right_click"
    MIDDLE_CLICK = "middle_click"
    TRIPLE_CLICK = "triple_click"
    LONG_PRESS = "long_press"
    HOVER = "hover"
    TYPE = "type"
    SELECT = "select"
    SCROLL = "scroll"
    DRAG = "drag"
    KEY = "key"
    OPEN_APP = "open_app"
    NAVIGATE = "navigate"
    WAIT = "wait"
    FINISH = "finish"
    UNKNOWN = "unknown"
    """An answer that does not say what is done, and may say where; never a reference."""


POINTED = frozenset(
    {
        ActionType.CLICK,
        ActionType.DOUBLE_CLICK,
        ActionType.RIGHT_CLICK,
        ActionType.MIDDLE_CLICK,
        ActionType.TRIPLE_CLICK,
        ActionType.LONG_PRESS,
        ActionType.HOVER,
    }
)
"""The actions that are nothing without a point."""


class Direction(StrEnum):
    """Where a scroll leads: `down` shows what is below, for which a finger moves up."""

    UP = "up"
    DOWN = "down"
    LEFT = "left"
    RIGHT = "right"

    @property
    def opposite(self) -> "Direction":
        """The other way: how the finger moves for a scroll, and the scroll of a finger's move."""
        return _OPPOSITE[self]


_OPPOSITE = {
    Direction.UP: Direction.DOWN,
    Direction.DOWN: Direction.UP,
    Direction.LEFT: Direction.RIGHT,
    Direction.RIGHT: Direction.LEFT,
}
_DIRECTIONS = {direction.value: direction for direction in Direction}


def direction_of(text: object) -> Direction | None:
    """Return the direction that a text names, in any case; None where it names none.

    >>> direction_of(" Down ")
    <Direction.DOWN: 'down'>
    """
    return _DIRECTIONS.get(text.strip().lower()) if isinstance(text, str) else None


class Action(msgspec.Struct, frozen=True, omit_defaults=True):
    """One action.

    Attributes:
        type: What is done.
        point: Where, in whatever space the holder says; in a reference in pixels of the
            screenshot.
        end: Where a drag ends, or a swipe.
        direction: Where a scroll leads.
        text: What is typed, which option is selected, or what a final answer says.
        app: The application that is opened.
        button: `back`, `home`, `recent` to navigate; keys such as `enter` or `ctrl+a`.
        status: How the agent says that it ended: `success` or `infeasible`.
        seconds: How long it waits or presses.
    """

    type: ActionType
    point: Point | None = None
    end: Point | None = None
    direction: Direction | None = None
    text: str = ""
    app: str = ""
    button: str = ""
    status: str = ""
    seconds: float | None = None


def swiped(start: Point, end: Point) -> Direction:
    """Return where a finger's move leads; ties are vertical, and no movement counts as up.

    >>> swiped((5, 9), (5, 2))
    <Direction.DOWN: 'down'>
    """
    across, down = end[0] - start[0], end[1] - start[1]
    if abs(across) > abs(down):
        finger = Direction.RIGHT if across > 0 else Direction.LEFT
    else:
        finger = Direction.DOWN if down > 0 else Direction.UP
    return finger.opposite
