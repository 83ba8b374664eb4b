"""A primitive input: one thing that a mouse or a keyboard does."""

import math
import re
from enum import StrEnum
from typing import Final, Literal, TypeAlias

import msgspec

from snellen.grading.errors import InputError
from snellen.grading.models.actions import Point

LONGEST_TEXT: Final = 2000
"""Characters that one input may type."""

LONGEST_WAIT: Final = 5.0
"""Seconds that one input may wait."""

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


def check_input(given: Input, size: tuple[int, int]) -> None:
    """Check that an input can be done on a screen.

    Args:
        given: The input.
        size: Width and height of the screen, in pixels.

    Raises:
        InputError: It can't, with what is wrong of it.
    """
    width, height = size
    for x, y in given.path:
        if not (0 <= x < width and 0 <= y < height):
            raise InputError(f"({x:g}, {y:g}) is outside the screen of {width} x {height} pixels")
    if given.kind in {InputKind.DRAG, InputKind.MOVE} and not given.path:
        raise InputError(f"{given.kind} says no point")
    if given.kind is InputKind.KEY and not given.keys:
        raise InputError("no key is named")
    for key in given.keys:
        last = given.kind is InputKind.KEY and key is given.keys[-1]
        if not is_key(key) and not (last and len(key) == 1):
            raise InputError(f"there is no key {key!r}; keys are named as in Playwright")
    if not 1 <= given.count <= 3:
        raise InputError(f"a click can be single, double or triple, not of {given.count}")
    if not all(map(math.isfinite, given.scroll)):
        raise InputError(f"it can't be scrolled by {given.scroll}")
    if not 0 <= given.seconds <= LONGEST_WAIT:
        raise InputError(f"it can't wait {given.seconds:g} s; {LONGEST_WAIT:g} at most")
    if len(given.text) > LONGEST_TEXT:
        raise InputError(
            f"a text of {len(given.text):,} characters is too long: {LONGEST_TEXT:,} at most"
        )
    if not given.text.isascii():
        _check_unicode(given.text)


def _check_unicode(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"the text is not Unicode: {error.reason}") from None


_NAMED: Final = frozenset(
    {
        "Escape",
        "Backquote",
        "Minus",
        "Equal",
        "Backslash",
        "Backspace",
        "Tab",
        "Delete",
        "Enter",
        "NumpadEnter",
        "Insert",
        "Home",
        "End",
        "PageUp",
        "PageDown",
        "ArrowLeft",
        "ArrowUp",
        "ArrowRight",
        "ArrowDown",
        "Space",
        "CapsLock",
        "NumLock",
        "ScrollLock",
        "Pause",
        "PrintScreen",
        "ContextMenu",
        "Shift",
        "ShiftLeft",
        "ShiftRight",
        "Control",
        "ControlLeft",
        "ControlRight",
        "Alt",
        "AltLeft",
        "AltRight",
        "AltGraph",
        "Meta",
        "MetaLeft",
        "MetaRight",
        "Clear",
        "BracketLeft",
        "BracketRight",
        "Semicolon",
        "Quote",
        "Comma",
        "Period",
        "Slash",
        "NumpadMultiply",
        "NumpadSubtract",
        "NumpadAdd",
        "NumpadDivide",
        "NumpadDecimal",
        "ControlOrMeta",
    }
)
_NUMBERED: Final = re.compile(r"F([1-9]|1\d|2[0-4])|Numpad[0-9]|Digit[0-9]|Key[A-Z]")


def is_key(name: str) -> bool:
    """Whether Playwright, whose keyboard is that of the United States, knows a key."""
    return (
        (len(name) == 1 and name.isascii() and name.isprintable())
        or name in _NAMED
        or _NUMBERED.fullmatch(name) is not None
    )
