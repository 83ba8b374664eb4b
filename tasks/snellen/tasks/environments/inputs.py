"""Primitive inputs of mouse and keyboard."""

import math
import re
from enum import StrEnum
from typing import Final, Literal, TypeAlias

import msgspec

from snellen.grading.errors import InputError
from snellen.grading.models.actions import Point

LONGEST_TEXT: Final = 2000
"""The maximum number of characters that one input types."""

LONGEST_WAIT: Final = 5.0
"""The maximum number of seconds that one input waits."""

Button: TypeAlias = Literal["left", "middle", "right"]


class InputKind(StrEnum):
    """The kinds of inputs; each input is one step."""

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
        kind: The kind of input.
        path: Points in pixels of the screenshot: one point, or two or more for a drag. Without a
            point, a press or release happens at the pointer, a scroll in the middle of the screen.
        button: The mouse button.
        count: The number of clicks, 1 to 3.
        keys: Keys that are pressed together, or held during a click, a drag or a scroll; named as
            in Playwright.
        text: The text to type, at most 2,000 characters.
        scroll: The distance to the right and down, in pixels of the screenshot.
        seconds: The time to wait, at most 5.
        element: The element at whose middle it happens, instead of at `path`: which child it is at
            each depth below <html>, counted over elements only. It is scrolled into view before.
        onto: The element where a drag from `element` ends; else it ends at the point of `path`.
    """

    kind: InputKind
    path: tuple[Point, ...] = ()
    button: Button = "left"
    count: int = 1
    keys: tuple[str, ...] = ()
    text: str = ""
    scroll: Point = (0.0, 0.0)
    seconds: float = 0.0
    element: tuple[int, ...] = ()
    onto: tuple[int, ...] = ()


_AT_NO_PLACE: Final = frozenset({InputKind.TYPE, InputKind.KEY, InputKind.WAIT})


def check_input(given: Input, size: tuple[int, int]) -> None:
    """Check that an input can be done on a screen.

    Args:
        given: The input.
        size: Width and height of the screen, in pixels.

    Raises:
        InputError: It can't; the message says why.
    """
    width, height = size
    for x, y in given.path:
        if not (0 <= x < width and 0 <= y < height):
            raise InputError(f"({x:g}, {y:g}) is outside the screen of {width} x {height} pixels")
    drags = given.kind is InputKind.DRAG
    if given.element and (given.kind in _AT_NO_PLACE or (given.path and not drags)):
        raise InputError(f"{given.kind} can't have an element{' and a path' * bool(given.path)}")
    if bool(given.onto) + len(given.path) != 1 if given.element and drags else given.onto:
        raise InputError("a drag from an element ends at another one, or at a point")
    if given.kind in {InputKind.DRAG, InputKind.MOVE} and not (given.path or given.element):
        raise InputError(f"{given.kind} needs a point")
    if given.kind is InputKind.KEY and not given.keys:
        raise InputError("no key is named")
    for key in given.keys:
        last = given.kind is InputKind.KEY and key is given.keys[-1]
        if not is_key(key) and not (last and len(key) == 1):
            raise InputError(f"there is no key {key!r}; keys are named as in Playwright")
    if not 1 <= given.count <= 3:
        raise InputError(f"a click is single, double or triple, not {given.count} clicks")
    if not all(map(math.isfinite, given.scroll)):
        raise InputError(f"can't scroll by {given.scroll}")
    if not 0 <= given.seconds <= LONGEST_WAIT:
        raise InputError(f"can't wait {given.seconds:g} s; the limit is {LONGEST_WAIT:g} s")
    if len(given.text) > LONGEST_TEXT:
        raise InputError(
            f"the text has {len(given.text):,} characters; the limit is {LONGEST_TEXT:,}"
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
    """Whether Playwright's keyboard, a US one, has a key of this name."""
    return (
        (len(name) == 1 and name.isascii() and name.isprintable())
        or name in _NAMED
        or _NUMBERED.fullmatch(name) is not None
    )
