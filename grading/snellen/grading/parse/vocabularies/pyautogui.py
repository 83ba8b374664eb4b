"""Aguvis: pyautogui's and a phone's calls, in fractions of the image."""

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from snellen.grading.coordinates import UNIT
from snellen.grading.models.actions import Action, ActionType, Direction, Point, swiped
from snellen.grading.parse.vocabularies.base import (
    Vocabulary,
    as_number,
    as_point,
    plain_number,
    point_of,
)
from snellen.grading.parse.vocabularies.calls import Call, calls_in

_FINISHED = "terminate"


def _xy(call: Call) -> Point | None:
    return point_of(call.get("x", 0), call.get("y", 1))


def _at(kind: ActionType) -> Callable[[Call], Action]:
    return lambda call: Action(kind, point=_xy(call))


def _scroll(call: Call) -> Action | None:
    # Positive is up, as pyautogui has it.
    amount = as_number(call.get("clicks", 0, call.get("page")))
    if amount is None:
        return None
    across = call.name.endswith("hscroll")
    forward = amount < 0
    if across:
        return Action(ActionType.SCROLL, direction=Direction.LEFT if forward else Direction.RIGHT)
    return Action(ActionType.SCROLL, direction=Direction.DOWN if forward else Direction.UP)


def _swipe(call: Call) -> Action | None:
    start, end = as_point(call.get("from_coord", 0)), as_point(call.get("to_coord", 1))
    if start is None or end is None:
        return None
    return Action(ActionType.SCROLL, point=start, end=end, direction=swiped(start, end))


def _keys(call: Call) -> Action:
    given = call.get("keys", 0)
    keys: Sequence[object] = call.positional or (given,)
    if isinstance(given, list | tuple):
        keys = cast("Sequence[object]", given)
    return Action(ActionType.KEY, button="+".join(str(key).lower() for key in keys))


def _seconds(call: Call) -> Action:
    return Action(ActionType.WAIT, seconds=as_number(call.get("seconds", 0)))


def _ended(call: Call) -> Action:
    failed = str(call.get("status", 0, "success")).lower() in ("failure", "fail", "infeasible")
    return Action(ActionType.FINISH, status="infeasible" if failed else "success")


_READERS: Mapping[str, Callable[[Call], Action | None]] = {
    "click": _at(ActionType.CLICK),
    "doubleClick": _at(ActionType.DOUBLE_CLICK),
    "rightClick": _at(ActionType.RIGHT_CLICK),
    "moveTo": _at(ActionType.HOVER),
    "long_press": _at(ActionType.LONG_PRESS),
    "dragTo": lambda call: Action(ActionType.DRAG, end=_xy(call)),
    "write": lambda call: Action(ActionType.TYPE, text=str(call.get("message", 0, ""))),
    "typewrite": lambda call: Action(ActionType.TYPE, text=str(call.get("message", 0, ""))),
    "press": _keys,
    "hotkey": _keys,
    "scroll": _scroll,
    "hscroll": _scroll,
    "swipe": _swipe,
    "home": lambda _: Action(ActionType.NAVIGATE, button="home"),
    "back": lambda _: Action(ActionType.NAVIGATE, button="back"),
    "open_app": lambda call: Action(ActionType.OPEN_APP, app=str(call.get("app_name", 0, ""))),
    "wait": _seconds,
    _FINISHED: _ended,
    "answer": lambda call: Action(
        ActionType.FINISH, status="success", text=str(call.get("answer", 0, ""))
    ),
}


def _read(text: str) -> Action | None:
    for call in calls_in(text):
        reader = _READERS.get(call.name.rpartition(".")[2])
        action = None if reader is None else reader(call)
        if action is not None:
            return action
    return None


def _point(point: Point) -> str:
    return f"x={plain_number(point[0])}, y={plain_number(point[1])}"


def _write(action: Action) -> str | None:
    point = action.point
    match action.type:
        case ActionType.CLICK if point:
            return f"pyautogui.click({_point(point)})"
        case ActionType.DOUBLE_CLICK if point:
            return f"pyautogui.doubleClick({_point(point)})"
        case ActionType.RIGHT_CLICK if point:
            return f"pyautogui.rightClick({_point(point)})"
        case ActionType.HOVER if point:
            return f"pyautogui.moveTo({_point(point)})"
        case ActionType.LONG_PRESS if point:
            return f"mobile.long_press({_point(point)})"
        case ActionType.TYPE:
            return f"pyautogui.write(message={action.text!r})"
        case ActionType.KEY:
            return f"pyautogui.hotkey({', '.join(map(repr, action.button.split('+')))})"
        case ActionType.SCROLL if action.direction in (Direction.UP, Direction.DOWN):
            return f"pyautogui.scroll({5 if action.direction is Direction.UP else -5})"
        case ActionType.SCROLL if action.direction:
            return f"pyautogui.hscroll({5 if action.direction is Direction.RIGHT else -5})"
        case ActionType.OPEN_APP:
            return f"mobile.open_app(app_name={action.app!r})"
        case ActionType.NAVIGATE if action.button in ("back", "home"):
            return f"mobile.{action.button}()"
        case ActionType.WAIT:
            return f"mobile.wait(seconds={plain_number(action.seconds or 2)})"
        case ActionType.FINISH if action.text:
            return f"answer(answer={action.text!r})"
        case ActionType.FINISH:
            status = "failure" if action.status == "infeasible" else "success"
            return f"{_FINISHED}(status='{status}')"
        case _:
            return None


PYAUTOGUI = Vocabulary("pyautogui", UNIT, _read, _write, "aguvis 178c418")
