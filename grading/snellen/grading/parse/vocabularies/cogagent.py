"""CogAgent: `Grounded Operation: CLICK(box=[[l,t,r,b]], ...)`, in thousandths."""

from typing import cast

from snellen.grading.coordinates import THOUSAND
from snellen.grading.models.actions import Action, ActionType, Point, direction_of
from snellen.grading.parse.vocabularies.base import Vocabulary, as_number, whole
from snellen.grading.parse.vocabularies.calls import Call, calls_in

_MARKER = "Grounded Operation:"
_POINTED = {
    "CLICK": ActionType.CLICK,
    "DOUBLE_CLICK": ActionType.DOUBLE_CLICK,
    "RIGHT_CLICK": ActionType.RIGHT_CLICK,
    "HOVER": ActionType.HOVER,
    "LONG_PRESS": ActionType.LONG_PRESS,
}
_NAMES = {kind: name for name, kind in _POINTED.items()}


def _middle(call: Call) -> Point | None:
    box = call.get("box", 0)
    while isinstance(box, list) and len(cast("list[object]", box)) == 1:
        box = cast("list[object]", box)[0]
    if not isinstance(box, list):
        return None
    sides = [as_number(side) for side in cast("list[object]", box)]
    known = [side for side in sides if side is not None]
    if len(known) < len(sides):
        return None
    if len(known) == 4:
        return (known[0] + known[2]) / 2, (known[1] + known[3]) / 2
    return (known[0], known[1]) if len(known) == 2 else None


def _action(call: Call) -> Action | None:
    name = call.name
    if name in _POINTED:
        return Action(_POINTED[name], point=_middle(call))
    if name.startswith("SCROLL_"):
        way = direction_of(name.removeprefix("SCROLL_"))
        if way is None:
            return None
        return Action(ActionType.SCROLL, point=_middle(call), direction=way)
    match name:
        case "TYPE":
            return Action(ActionType.TYPE, text=str(call.get("text", 1, "")))
        case "KEY_PRESS":
            return Action(ActionType.KEY, button=str(call.get("key", 0, "")).lower())
        case "LAUNCH":
            return Action(ActionType.OPEN_APP, app=str(call.get("app", 0, "")))
        case "END":
            return Action(ActionType.FINISH, status="success")
        case _:
            return None


def _read(text: str) -> Action | None:
    said = text.rpartition(_MARKER)[2]
    if said.strip().startswith("END"):
        return Action(ActionType.FINISH, status="success")
    return next((action for call in calls_in(said) if (action := _action(call))), None)


def _operation(action: Action) -> str | None:
    box = ""
    if action.point:
        x, y = whole(action.point)
        box = f"box=[[{x},{y},{x},{y}]]"
    match action.type:
        case kind if kind in _NAMES:
            return f"{_NAMES[kind]}({box})" if box else None
        case ActionType.SCROLL if action.direction:
            return f"SCROLL_{action.direction.upper()}({box})"
        case ActionType.TYPE:
            return f"TYPE({', '.join(filter(None, (box, f'text={action.text!r}')))})"
        case ActionType.KEY:
            return f"KEY_PRESS(key={action.button!r})"
        case ActionType.OPEN_APP:
            return f"LAUNCH(app={action.app!r})"
        case ActionType.FINISH:
            return "END()"
        case _:
            return None


def _write(action: Action) -> str | None:
    operation = _operation(action)
    return None if operation is None else f"{_MARKER} {operation}"


COGAGENT = Vocabulary("cogagent", THOUSAND, _read, _write, "CogAgent")
