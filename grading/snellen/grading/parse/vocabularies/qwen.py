"""Qwen-VL's `mobile_use` calls in pixels of the resized image, read as published code does."""

import json
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import cast

from snellen.grading.coordinates import VIEW
from snellen.grading.models.actions import Action, ActionType, Point, swiped
from snellen.grading.parse.vocabularies.base import Vocabulary, as_number, plain_number

_OPEN, _CLOSE = "<tool_call>", "</tool_call>"
_BARE = '{"name": "mobile_use", "arguments":'
_CONCLUSION = "<conclusion>"


def call_arguments(text: str) -> Mapping[str, object] | None:
    """Return the arguments of the call that the published parser finds; None where it raises.

    It takes what follows the last `</think>`; of that what stands between the first two
    `<tool_call>`, else what follows the literal opening of a bare call; up to `</tool_call>`, or,
    where there is none, up to `<conclusion>` and then to the last `}}`. Arguments without an
    action, and coordinates that can't be divided by the image's size, raise later whatever the
    reference is.

    Source: InfiGUI-R1 d280ab8, adapted from what Qwen posted in Qwen2.5-VL's issue 904.
    """
    said = text.rpartition("</think>")[2]
    if _OPEN in said:
        after = said.split(_OPEN, 2)[1]
    else:
        _, bare, rest = said.partition(_BARE)
        if not bare:
            return None
        after = _BARE + rest
    call, closed, _ = after.partition(_CLOSE)
    if not closed:
        call = after.partition(_CONCLUSION)[0].rsplit("}}", 1)[0] + "}}"
    try:
        arguments: object = json.loads(call.strip())["arguments"]
    except (ValueError, RecursionError, TypeError, KeyError, IndexError):
        return None
    if not isinstance(arguments, dict):
        return None
    fields = cast("Mapping[str, object]", arguments)
    return fields if "action" in fields and _divides(fields) else None


def _divides(fields: Mapping[str, object]) -> bool:
    points = [fields[name] for name in ("coordinate", "coordinate2") if name in fields]
    if not all(_numbers(point, 2) for point in points):
        return False
    boxes = fields.get("candidate_bbox", ())
    # An empty text or object is gone through as an empty list is.
    return not boxes or (
        isinstance(boxes, list) and all(_numbers(box, 4) for box in cast("list[object]", boxes))
    )


def _numbers(value: object, count: int) -> bool:
    """Whether a list begins with numbers; a truth value is one, and what follows is not read."""
    if not isinstance(value, list):
        return False
    numbers = cast("list[object]", value)[:count]
    return len(numbers) == count and all(isinstance(number, int | float) for number in numbers)


def sides(arguments: Mapping[str, object], name: str = "coordinate") -> Sequence[float] | None:
    """Return the first two numbers of a coordinate of a call; None if it has no such one."""
    return cast("Sequence[float]", arguments[name])[:2] if name in arguments else None


def _point(arguments: Mapping[str, object], name: str) -> Point | None:
    try:
        x, y = map(float, sides(arguments, name) or ())
    except (ValueError, OverflowError):
        return None
    return (x, y) if isfinite(x) and isfinite(y) else None


def _text(arguments: Mapping[str, object], name: str) -> str:
    value = arguments.get(name, "")
    return value if isinstance(value, str) else str(value)


_POINTED = {
    "click": ActionType.CLICK,
    "left_click": ActionType.CLICK,
    "double_click": ActionType.DOUBLE_CLICK,
    "right_click": ActionType.RIGHT_CLICK,
    "mouse_move": ActionType.HOVER,
    "long_press": ActionType.LONG_PRESS,
}


def read_call(text: str) -> Action | None:
    """Read a call; one of an unknown action is unknown, and None stands for no call at all."""
    arguments = call_arguments(text)
    return None if arguments is None else _action(arguments)


def _read(text: str) -> Action | None:
    action = read_call(text)
    return None if action is None or action.type is ActionType.UNKNOWN else action


def _action(arguments: Mapping[str, object]) -> Action:
    start, end = (_point(arguments, name) for name in ("coordinate", "coordinate2"))
    match arguments["action"]:
        case str() as name if name in _POINTED:
            return Action(_POINTED[name], point=start)
        case "swipe":
            way = swiped(start, end) if start and end else None
            return Action(ActionType.SCROLL, point=start, end=end, direction=way)
        case "type":
            return Action(ActionType.TYPE, text=_text(arguments, "text"))
        case "open":
            return Action(ActionType.OPEN_APP, app=_text(arguments, "text"))
        case "system_button":
            button = _text(arguments, "button").strip().lower()
            return Action(ActionType.NAVIGATE, button=button)
        case "key":
            keys = arguments.get("keys", arguments.get("text", ""))
            named = cast("list[object]", keys) if isinstance(keys, list) else [keys]
            return Action(ActionType.KEY, button="+".join(map(str, named)).lower())
        case "wait":
            return Action(ActionType.WAIT, seconds=as_number(arguments.get("time")))
        case "terminate":
            failed = _text(arguments, "status").lower() in ("failure", "fail", "infeasible")
            return Action(ActionType.FINISH, status="infeasible" if failed else "success")
        case "answer":
            answer = _text(arguments, "text")
            return Action(ActionType.FINISH, text=answer, status="success")
        case _:
            return Action(ActionType.UNKNOWN, point=start)


_NAMES = {
    ActionType.CLICK: "click",
    ActionType.LONG_PRESS: "long_press",
    ActionType.DOUBLE_CLICK: "double_click",
    ActionType.RIGHT_CLICK: "right_click",
    ActionType.HOVER: "mouse_move",
}


def _arguments(action: Action) -> Mapping[str, object] | None:
    match action.type:
        case kind if kind in _NAMES:
            return action.point and {"action": _NAMES[kind], "coordinate": _pair(action.point)}
        case ActionType.SCROLL if action.direction:
            start, end = action.point, action.end
            if start is None or end is None or swiped(start, end) is not action.direction:
                start, end = _swipes(action)
            return {"action": "swipe", "coordinate": _pair(start), "coordinate2": _pair(end)}
        case ActionType.TYPE:
            return {"action": "type", "text": action.text}
        case ActionType.OPEN_APP:
            return {"action": "open", "text": action.app}
        case ActionType.NAVIGATE | ActionType.KEY:
            return {"action": "system_button", "button": action.button.capitalize()}
        case ActionType.WAIT:
            return {"action": "wait", "time": 2 if action.seconds is None else action.seconds}
        case ActionType.FINISH if action.text:
            return {"action": "answer", "text": action.text}
        case ActionType.FINISH:
            status = "failure" if action.status == "infeasible" else "success"
            return {"action": "terminate", "status": status}
        case _:
            return None


def _pair(point: tuple[float, float]) -> list[float]:
    return [float(plain_number(number)) for number in point]


def _swipes(action: Action) -> tuple[tuple[float, float], tuple[float, float]]:
    x, y = action.point or (500.0, 500.0)
    way = action.direction
    across = {"left": 300.0, "right": -300.0}.get(way or "", 0.0)
    down = {"up": 300.0, "down": -300.0}.get(way or "", 0.0)
    return (x, y), (x + across, y + down)


def _write(action: Action) -> str | None:
    arguments = _arguments(action)
    if arguments is None:
        return None
    call = json.dumps({"name": "mobile_use", "arguments": arguments}, ensure_ascii=False)
    return f"{_OPEN}\n{call}\n{_CLOSE}"


QWEN = Vocabulary("qwen", VIEW, None, _write, "Qwen2.5-VL")
INFIGUI_QWEN = Vocabulary(
    "qwen-infigui", VIEW, _read, _write, "Qwen2.5-VL issue 904; InfiGUI-R1 d280ab8"
)
"""The part of it that the published evaluation of AndroidControl reads."""
