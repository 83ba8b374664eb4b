"""UI-TARS: `Action: click(start_box='(x,y)')`, in thousandths or in pixels of the resized image."""

import re

from snellen.grading.coordinates import THOUSAND, VIEW
from snellen.grading.models.actions import Action, ActionType, Point, direction_of
from snellen.grading.parse.vocabularies.base import Vocabulary, plain_number, point_of
from snellen.grading.parse.vocabularies.calls import Call, calls_in

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


def _box(call: Call, *names: str) -> Point | None:
    """Return a box's point; the middle of one of four numbers."""
    value = next((call.named[name] for name in names if name in call.named), None)
    if value is None and call.positional and names[0] == "start_box":
        value = call.positional[0]
    numbers = [float(number) for number in _NUMBERS.findall(str(value)[:400])]
    if len(numbers) == 4:
        return (numbers[0] + numbers[2]) / 2, (numbers[1] + numbers[3]) / 2
    return point_of(*numbers) if len(numbers) == 2 else None


def _action(call: Call) -> Action | None:
    start = _box(call, "start_box", "point", "start_point")
    match call.name:
        case name if name in _POINTED:
            return Action(_POINTED[name], point=start)
        case "drag" | "select":
            return Action(ActionType.DRAG, point=start, end=_box(call, "end_box", "end_point"))
        case "type":
            return Action(ActionType.TYPE, text=str(call.get("content", 0, "")))
        case "hotkey" | "press":
            keys = str(call.get("key", 0, "")).lower().split()
            return Action(ActionType.KEY, button="+".join(keys))
        case "scroll":
            known = direction_of(call.get("direction", 1))
            return Action(ActionType.SCROLL, point=start, direction=known)
        case "open_app":
            return Action(ActionType.OPEN_APP, app=str(call.get("app_name", 0, "")))
        case "press_home" | "press_back":
            return Action(ActionType.NAVIGATE, button=call.name.removeprefix("press_"))
        case "wait":
            return Action(ActionType.WAIT)
        case "finished":
            return Action(ActionType.FINISH, status="success", text=str(call.get("content", 0, "")))
        case "call_user":
            return Action(ActionType.FINISH, status="infeasible")
        case _:
            return None


def _read(text: str) -> Action | None:
    said = text.rpartition(_MARKER)[2]
    return next((action for call in calls_in(said) if (action := _action(call))), None)


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


UI_TARS = Vocabulary("ui-tars", THOUSAND, _read, _write, "UI-TARS 582f3a7")
UI_TARS_15 = Vocabulary("ui-tars-1.5", VIEW, _read, _write, "UI-TARS 582f3a7, version 1.5")
