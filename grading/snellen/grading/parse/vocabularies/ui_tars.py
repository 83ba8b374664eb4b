"""UI-TARS: `Action: click(start_box='(x,y)')`, in thousandths or in pixels of the resized image."""

import re

from snellen.grading.coordinates import THOUSAND, VIEW
from snellen.grading.models.actions import Action, ActionType, Point
from snellen.grading.parse.vocabularies.base import Vocabulary, plain_number

_NUMBERS = re.compile(r"-?\d{1,12}(?:\.\d{1,12})?")
_MARKER = "Action:"
_POINTED = {
    "click": ActionType.CLICK,
    "left_single": ActionType.CLICK,
    "left_double": ActionType.DOUBLE_CLICK,
    "right_single": ActionType.RIGHT_CLICK,
    "hover": ActionType.HOVER,
    "long_press": ActionType.LONG_PRESS,
}
_NAMES = {kind: name for name, kind in reversed(_POINTED.items())}


def _boxed(point: Point) -> str:
    return f"'({plain_number(point[0])},{plain_number(point[1])})'"


def _call(action: Action) -> str | None:
    match action.type:
        case kind if kind in _NAMES:
            return action.point and f"{_NAMES[kind]}(start_box={_boxed(action.point)})"
        case ActionType.DRAG if action.point and action.end:
            return f"drag(start_box={_boxed(action.point)}, end_box={_boxed(action.end)})"
        case ActionType.TYPE:
            return f"type(content={action.text!r})"
        case ActionType.KEY:
            return f"hotkey(key={' '.join(action.button.split('+'))!r})"
        case ActionType.SCROLL if action.direction:
            box = f"start_box={_boxed(action.point)}, " if action.point else ""
            return f"scroll({box}direction='{action.direction}')"
        case ActionType.OPEN_APP:
            return f"open_app(app_name={action.app!r})"
        case ActionType.NAVIGATE if action.button in ("back", "home"):
            return f"press_{action.button}()"
        case ActionType.WAIT:
            return "wait()"
        case ActionType.FINISH if action.status == "infeasible":
            return "call_user()"
        case ActionType.FINISH:
            return f"finished(content={action.text!r})"
        case _:
            return None


def _write(action: Action) -> str | None:
    call = _call(action)
    return None if call is None else f"{_MARKER} {call}"


UI_TARS = Vocabulary("ui-tars", THOUSAND, None, _write, "UI-TARS 582f3a7")
UI_TARS_15 = Vocabulary("ui-tars-1.5", VIEW, None, _write, "UI-TARS 582f3a7, version 1.5")
