"""OS-Atlas: `actions:` and then CLICK <point>[[x,y]]</point> and its like, in thousandths."""

import re
from itertools import islice

import msgspec

from snellen.grading.coordinates import THOUSAND
from snellen.grading.models.actions import Action, ActionType, Point, direction_of
from snellen.grading.parse.vocabularies.base import Vocabulary, whole

_MARKER = "actions:\n"
# The published code strips these characters from both ends, where a suffix was meant.
_STRIPPED = "<|im_end|>"
_DIGITS = re.compile(r"\d+")
_POINTED = {"CLICK": ActionType.CLICK, "LONG_PRESS": ActionType.LONG_PRESS}
_PRESSED = "PRESS_"
_ENDED = {"COMPLETE": "success", "IMPOSSIBLE": "infeasible"}


def written_after_marker(text: str) -> str | None:
    r"""Return what stands between the first two markers, without the end's characters.

    Returns:
        None without a marker, which the published code calls an invalid action.

    Source: OS-Atlas bad0840, the evaluation of AndroidControl and GUI-Odyssey.

    >>> written_after_marker("thoughts:\nx\nactions:\nWAIT<|im_end|>")
    'WAIT'
    """
    _, *after = text.split(_MARKER, 2)
    return after[0].strip(_STRIPPED) if after else None


def runs_of_digits(text: str, count: int) -> list[int]:
    """Return the first whole numbers of a text, so that 12.5 is 12 and 5.

    Raises:
        ValueError: Python reads no number of so many digits.
    """
    return [int(found[0]) for found in islice(_DIGITS.finditer(text), count)]


def _point(text: str) -> Point | None:
    try:
        x, y = map(float, runs_of_digits(text, 2))
    except (ValueError, OverflowError):
        return None
    return x, y


def _read(text: str) -> Action | None:
    tokens = (written_after_marker(text) or "").split(maxsplit=1)
    return _action(tokens[0], tokens[1] if len(tokens) > 1 else "") if tokens else None


def _action(name: str, rest: str) -> Action | None:
    start, end = rest.find("["), rest.rfind("]")
    inside = rest[start + 1 : end] if 0 <= start < end else rest
    match name:
        case "CLICK" | "LONG_PRESS":
            return Action(_POINTED[name], point=_point(rest))
        case "TYPE":
            return Action(ActionType.TYPE, text=inside)
        case "OPEN_APP":
            return Action(ActionType.OPEN_APP, app=inside)
        case "SCROLL":
            return Action(ActionType.SCROLL, direction=direction_of(inside))
        case "ENTER":
            return Action(ActionType.KEY, button="enter")
        case "WAIT":
            return Action(ActionType.WAIT)
        case _ if name in _ENDED:
            return Action(ActionType.FINISH, status=_ENDED[name])
        case _ if name.startswith(_PRESSED):
            button = name.removeprefix(_PRESSED).lower()
            return Action(ActionType.NAVIGATE, button=button)
        case _:
            return None


def _read_fingers(text: str) -> Action | None:
    """Read as the evaluation of GUI-Odyssey does: up to a blank, and a colon is no part of it."""
    name, _, rest = (written_after_marker(text) or "").strip().partition(" ")
    action = _action(name.strip(":"), rest)
    return action and _turned(action)


def _turned(action: Action) -> Action:
    way = action.direction
    return msgspec.structs.replace(action, direction=way.opposite) if way else action


def written(action: Action) -> str | None:
    """Write an action with a point in thousandths, without the marker."""
    match action.type:
        case ActionType.CLICK | ActionType.LONG_PRESS if action.point:
            x, y = whole(action.point)
            return f"{action.type.upper()} <point>[[{x},{y}]]</point>"
        case ActionType.TYPE:
            return f"TYPE [{action.text}]"
        case ActionType.OPEN_APP:
            return f"OPEN_APP [{action.app}]"
        case ActionType.SCROLL if action.direction:
            return f"SCROLL [{action.direction.upper()}]"
        case ActionType.NAVIGATE:
            return f"PRESS_{action.button.upper()}"
        case ActionType.KEY if action.button == "enter":
            return "ENTER"
        case ActionType.WAIT:
            return "WAIT"
        case ActionType.FINISH:
            return "IMPOSSIBLE" if action.status == "infeasible" else "COMPLETE"
        case _:
            return None


def _write(action: Action) -> str | None:
    text = written(action)
    return None if text is None else f"{_MARKER}{text}"


def _write_fingers(action: Action) -> str | None:
    return _write(_turned(action))


OS_ATLAS = Vocabulary("os-atlas", THOUSAND, _read, _write, "OS-Atlas bad0840")
OS_ATLAS_FINGERS = Vocabulary(
    "os-atlas", THOUSAND, _read_fingers, _write_fingers, "OS-Atlas bad0840, of GUI-Odyssey"
)
"""The same on GUI-Odyssey, whose scrolls say where the finger moves."""
