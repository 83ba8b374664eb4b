"""Qwen-VL's `mobile_use` and `computer_use` tool calls, in pixels of the resized image."""

import json
from collections.abc import Callable, Mapping
from typing import cast

from snellen.grading.coordinates import VIEW
from snellen.grading.models.actions import Action, ActionType, swiped
from snellen.grading.parse.vocabularies.base import Vocabulary, as_number, as_point, plain_number

_OPEN, _CLOSE = "<tool_call>", "</tool_call>"
_BARE = '{"name": "mobile_use", "arguments":'
_CONCLUSION = "<conclusion>"
_LONGEST = 100_000


def call_arguments(text: str) -> Mapping[str, object] | None:
    """Return the arguments of the call that the published parser finds; None where it raises.

    It takes what follows the last `</think>`; of that what follows the first `<tool_call>`, else
    from the literal opening of a bare call on; up to `</tool_call>`, or up to `<conclusion>` and
    then to the last `}}`.

    Source: InfiGUI-R1 d280ab8, adapted from what Qwen posted in Qwen2.5-VL's issue 904.
    """
    said = text.rpartition("</think>")[2][:_LONGEST]
    _, opened, after = said.partition(_OPEN)
    if not opened:
        start = said.find(_BARE)
        if start < 0:
            return None
        after = said[start:]
    call, closed, _ = after.partition(_CLOSE)
    if not closed and _CONCLUSION in after:
        call = after.partition(_CONCLUSION)[0]
        call = call[: call.rfind("}}") + 2]
    try:
        value = json.loads(call.strip().removeprefix("```json").strip("`\n "))
        arguments = value["arguments"]
    except (ValueError, RecursionError, TypeError, KeyError, IndexError):
        return None
    return cast("Mapping[str, object]", arguments) if isinstance(arguments, dict) else None


def _text(arguments: Mapping[str, object], name: str) -> str:
    value = arguments.get(name, "")
    return value if isinstance(value, str) else str(value)


def _pointed(kind: ActionType) -> Callable[[Mapping[str, object]], Action | None]:
    def read(arguments: Mapping[str, object]) -> Action | None:
        point = as_point(arguments.get("coordinate"))
        return None if point is None else Action(kind, point=point)

    return read


def _swipe(arguments: Mapping[str, object]) -> Action | None:
    start, end = (as_point(arguments.get(name)) for name in ("coordinate", "coordinate2"))
    if start is None or end is None:
        return None
    return Action(ActionType.SCROLL, point=start, end=end, direction=swiped(start, end))


def _button(arguments: Mapping[str, object]) -> Action:
    return Action(ActionType.NAVIGATE, button=_text(arguments, "button").strip().lower())


def _key(arguments: Mapping[str, object]) -> Action:
    keys = arguments.get("keys", arguments.get("text", ""))
    named = cast("list[object]", keys) if isinstance(keys, list) else [keys]
    return Action(ActionType.KEY, button="+".join(map(str, named)).lower())


def _wait(arguments: Mapping[str, object]) -> Action:
    return Action(ActionType.WAIT, seconds=as_number(arguments.get("time")))


def _terminate(arguments: Mapping[str, object]) -> Action:
    failed = _text(arguments, "status").lower() in ("failure", "fail", "infeasible")
    return Action(ActionType.FINISH, status="infeasible" if failed else "success")


_READERS: Mapping[str, Callable[[Mapping[str, object]], Action | None]] = {
    "click": _pointed(ActionType.CLICK),
    "left_click": _pointed(ActionType.CLICK),
    "double_click": _pointed(ActionType.DOUBLE_CLICK),
    "right_click": _pointed(ActionType.RIGHT_CLICK),
    "mouse_move": _pointed(ActionType.HOVER),
    "long_press": _pointed(ActionType.LONG_PRESS),
    "swipe": _swipe,
    "type": lambda given: Action(ActionType.TYPE, text=_text(given, "text")),
    "open": lambda given: Action(ActionType.OPEN_APP, app=_text(given, "text")),
    "system_button": _button,
    "key": _key,
    "wait": _wait,
    "terminate": _terminate,
    "answer": lambda given: Action(ActionType.FINISH, text=_text(given, "text"), status="success"),
}


def _read(text: str) -> Action | None:
    arguments = call_arguments(text)
    reader = None if arguments is None else _READERS.get(str(arguments.get("action")))
    return None if arguments is None or reader is None else reader(arguments)


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


QWEN = Vocabulary("qwen", VIEW, _read, _write, "Qwen2.5-VL issue 904; InfiGUI-R1 d280ab8")
