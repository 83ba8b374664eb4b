"""A primitive input: one thing that a mouse or a keyboard does."""

from enum import StrEnum
from typing import Literal, TypeAlias

import msgspec

from snellen.grading.models.actions import Point

Button: TypeAlias = Literal["left", "middle", "right"]


class InputKind(StrEnum):
    """What is done; each is one step."""

    CLICK = "click"
    MOVE = "move"
    DOWN = "down"
    UP = "up"
    DRAG = "drag"
    SCROLL = "scroll"
    TYPE = "type"
    KEY = "key"
    WAIT = "wait"


class Input(msgspec.Struct, frozen=True, omit_defaults=True):
    """One primitive input.

    Attributes:
        kind: What is done.
        path: Where, in pixels of the screenshot: one point, of a drag two or more. A press or a
            release without one happens where the pointer is, a scroll in the middle of the screen.
        button: Of a mouse.
        count: How often it is clicked, 1 to 3.
        keys: What is pressed together, or is held during a click, as Playwright names keys.
        text: What is typed, 2,000 characters at most.
        scroll: How far, in pixels of the screenshot, to the right and down.
        seconds: How long it waits, 5 at most.
    """

    kind: InputKind
    path: tuple[Point, ...] = ()
    button: Button = "left"
    count: int = 1
    keys: tuple[str, ...] = ()
    text: str = ""
    scroll: Point = (0.0, 0.0)
    seconds: float = 0.0
