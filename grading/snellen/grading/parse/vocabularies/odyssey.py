"""GUI-Odyssey: `CLICK: (x, y)`, `SCROLL: UP` and its like, in thousandths."""

import re

from snellen.grading.coordinates import THOUSAND
from snellen.grading.models.actions import Action, ActionType, direction_of
from snellen.grading.parse.vocabularies.base import Vocabulary, whole

_POINT = re.compile(r"\s{0,9}\(\s{0,9}(\d{1,9}),\s{0,9}(\d{1,9})\s{0,9}\)\s{0,9}")
_POINTED = {"CLICK": ActionType.CLICK, "LONG_PRESS": ActionType.LONG_PRESS}
_PRESSED = {"PRESS_HOME": "home", "PRESS_BACK": "back", "PRESS_RECENT": "recent"}
_ENDED = {"COMPLETE": "success", "IMPOSSIBLE": "infeasible", "INCOMPLETE": "infeasible"}


def _read(text: str) -> Action | None:
    trimmed = text.strip()
    named = re.match(r"[A-Z_]{1,20}", trimmed)
    if named is None:
        return None
    name, rest = named[0], trimmed[named.end() :].removeprefix(":")
    if name in _POINTED:
        point = _POINT.fullmatch(rest)
        return Action(_POINTED[name], point=(float(point[1]), float(point[2]))) if point else None
    if name == "TYPE":
        return Action(ActionType.TYPE, text=rest.strip())
    if name == "SCROLL":
        # The finger's direction.
        finger = direction_of(rest)
        return Action(ActionType.SCROLL, direction=finger.opposite) if finger else None
    if name in _PRESSED:
        return Action(ActionType.NAVIGATE, button=_PRESSED[name])
    if name in _ENDED:
        return Action(ActionType.FINISH, status=_ENDED[name])
    return None


def _write(action: Action) -> str | None:
    match action.type:
        case ActionType.CLICK | ActionType.LONG_PRESS if action.point:
            x, y = whole(action.point)
            return f"{action.type.upper()}: ({x}, {y})"
        case ActionType.TYPE:
            return f"TYPE: {action.text}"
        case ActionType.SCROLL if action.direction:
            return f"SCROLL: {action.direction.opposite.upper()}"
        case ActionType.NAVIGATE if f"PRESS_{action.button.upper()}" in _PRESSED:
            return f"PRESS_{action.button.upper()}"
        case ActionType.FINISH:
            return "IMPOSSIBLE" if action.status == "infeasible" else "COMPLETE"
        case _:
            return None


ODYSSEY = Vocabulary("gui-odyssey", THOUSAND, _read, _write, "GUI-Odyssey fefcbe9")
