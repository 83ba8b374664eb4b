"""OS-Atlas: `actions:` and then CLICK <point>[[x,y]]</point> and its like, in thousandths."""

import re

from snellen.grading.coordinates import THOUSAND
from snellen.grading.models.actions import Action, ActionType, direction_of
from snellen.grading.parse.vocabularies.base import Vocabulary, whole

_MARKER = "actions:\n"
# The published code strips these characters from both ends, where a suffix was meant.
_STRIPPED = "<|im_end|>"
_DIGITS = re.compile(r"\d+")
_BRACKETED = re.compile(r"\[(.*)\]", re.DOTALL)
_POINTED = {"CLICK": ActionType.CLICK, "LONG_PRESS": ActionType.LONG_PRESS}
_PRESSED = {"PRESS_BACK": "back", "PRESS_HOME": "home", "PRESS_RECENT": "recent"}
_ENDED = {"COMPLETE": "success", "IMPOSSIBLE": "infeasible"}


def written_after_marker(text: str) -> str | None:
    r"""Return what stands after the first marker, without the end's characters.

    Returns:
        None without a marker, which the published code calls an invalid action.

    Source: OS-Atlas bad0840, the evaluation of AndroidControl and GUI-Odyssey.

    >>> written_after_marker("thoughts:\nx\nactions:\nWAIT<|im_end|>")
    'WAIT'
    """
    _, marker, after = text.partition(_MARKER)
    return after.strip(_STRIPPED) if marker else None


def first_point(text: str) -> tuple[float, float] | None:
    """Return the first two runs of digits as a point, so that 12.5 is 12 and 5."""
    digits = _DIGITS.findall(text[:10_000])
    if len(digits) < 2 or max(map(len, digits[:2])) > 300:
        return None
    return float(digits[0]), float(digits[1])


def _read(text: str) -> Action | None:
    written = written_after_marker(text)
    tokens = (written or "").split(maxsplit=1)
    if not tokens:
        return None
    name, rest = tokens[0], tokens[1] if len(tokens) > 1 else ""
    bracketed = _BRACKETED.search(rest)
    inside = bracketed[1] if bracketed else rest
    if name in _POINTED:
        return Action(_POINTED[name], point=first_point(rest))
    if name == "TYPE":
        return Action(ActionType.TYPE, text=inside)
    if name == "OPEN_APP":
        return Action(ActionType.OPEN_APP, app=inside)
    if name == "SCROLL":
        return Action(ActionType.SCROLL, direction=direction_of(inside))
    if name in _PRESSED:
        return Action(ActionType.NAVIGATE, button=_PRESSED[name])
    if name == "ENTER":
        return Action(ActionType.KEY, button="enter")
    if name == "WAIT":
        return Action(ActionType.WAIT)
    if name in _ENDED:
        return Action(ActionType.FINISH, status=_ENDED[name])
    return None


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


OS_ATLAS = Vocabulary("os-atlas", THOUSAND, _read, _write, "OS-Atlas bad0840")
