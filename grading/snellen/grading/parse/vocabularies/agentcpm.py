"""AgentCPM-GUI's and guievalkit's compact JSON, in thousandths."""

import json
from collections.abc import Callable, Mapping
from typing import cast

from snellen.grading.coordinates import THOUSAND
from snellen.grading.models.actions import Action, ActionType, Point, direction_of, swiped
from snellen.grading.parse.vocabularies.base import Vocabulary, whole
from snellen.grading.parse.vocabularies.literals import json_fields

_ACTIONS = frozenset({"POINT", "PRESS", "TYPE", "DEEP_LINK", "CLEAR"})
"""Of these at most one may stand in an answer."""
_MORE = frozenset({"thought", "to", "duration", "STATUS"})
_PRESSED = {"HOME": "home", "BACK": "back", "ENTER": "enter", "APPSELECT": "recent"}
_WAYS = frozenset({"up", "down", "left", "right"})
_ENDS = {
    "finish": "success",
    "satisfied": "success",
    "impossible": "infeasible",
    "interrupt": "infeasible",
    "need_feedback": "infeasible",
}
_GOES_ON = frozenset({"continue", "start"})
_USUAL = 200


def _is_whole(value: object, most: float = float("inf")) -> bool:
    """Whether a value is a whole number from 0 to a limit, as a schema has it: 5.0 is one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 <= value <= most and value % 1 == 0


def _is_place(value: object) -> bool:
    sides = cast("list[object]", value) if isinstance(value, list) else []
    return len(sides) == 2 and all(_is_whole(side, 1000) for side in sides)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_input(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    fields = cast("Mapping[str, object]", value)
    return set(fields) == {"point", "text"} and (
        _is_place(fields["point"]) and _is_text(fields["text"])
    )


_FITS: Mapping[str, Callable[[object], bool]] = {
    "thought": _is_text,
    "POINT": _is_place,
    "to": lambda value: _is_place(value) or (isinstance(value, str) and value in _WAYS),
    "duration": _is_whole,
    "PRESS": lambda value: isinstance(value, str) and value in _PRESSED,
    "TYPE": _is_text,
    "DEEP_LINK": lambda value: value is None,
    "CLEAR": lambda value: value is None,
    "INPUT": _is_input,
    "OPEN_APP": _is_text,
    "STATUS": lambda value: isinstance(value, str) and value in _ENDS.keys() | _GOES_ON,
}


def _valid(text: str, actions: frozenset[str], more: frozenset[str]) -> Mapping[str, object] | None:
    """Return the fields of JSON that the published schema allows; None for any other text."""
    fields = json_fields(text)
    if fields is None or not fields.keys() <= actions | more:
        return None
    acts = fields.keys() & actions
    ends = fields.get("STATUS") in _ENDS if _is_text(fields.get("STATUS")) else False
    if len(acts) > 1 or not (ends or acts or fields.keys() & {"duration", "OPEN_APP"}):
        return None
    if "to" in fields and "POINT" not in fields:
        return None
    return fields if all(_FITS[name](value) for name, value in fields.items()) else None


def _read_strictly(text: str) -> Action | None:
    """Read what the published schema allows, and nothing else.

    Source: AgentCPM-GUI acbaf50, its schema for extraction and `action_map`.
    """
    fields = _valid(text, _ACTIONS, _MORE)
    return None if fields is None else _action(fields)


def _read_with_apps(text: str) -> Action | None:
    """Read the same with guievalkit's two more actions, of which the evaluation knows OPEN_APP.

    Source: guievalkit d5e954e, its schema for extraction and `action_map`.
    """
    fields = _valid(text, _ACTIONS | {"INPUT"}, _MORE | {"OPEN_APP"})
    return None if fields is None else _action(fields)


def _action(fields: Mapping[str, object]) -> Action:
    """Return an action in the order of the published code, in which all that is left waits."""
    status, duration = fields.get("STATUS"), cast("float", fields.get("duration", _USUAL))
    if isinstance(status, str) and status in _ENDS:
        return Action(ActionType.FINISH, status=_ENDS[status])
    if "TYPE" in fields:
        return Action(ActionType.TYPE, text=str(fields["TYPE"]))
    if "OPEN_APP" in fields:
        return Action(ActionType.OPEN_APP, app=str(fields["OPEN_APP"]))
    if "POINT" in fields and duration >= _USUAL:
        return _pointed(fields, duration)
    if "PRESS" in fields:
        name = _PRESSED[str(fields["PRESS"])]
        kind = ActionType.KEY if name == "enter" else ActionType.NAVIGATE
        return Action(kind, button=name)
    return Action(ActionType.WAIT, seconds=_seconds(duration))


def _seconds(milliseconds: float) -> float | None:
    return milliseconds / 1000 if milliseconds < 1e300 else None


def _place(value: object) -> Point:
    x, y = cast("list[float]", value)
    return float(x), float(y)


def _pointed(fields: Mapping[str, object], duration: float) -> Action:
    point, to = _place(fields["POINT"]), fields.get("to")
    if duration > _USUAL:
        return Action(ActionType.LONG_PRESS, point=point, seconds=_seconds(duration))
    if "to" not in fields:
        return Action(ActionType.CLICK, point=point)
    if isinstance(to, str):
        # A finger's direction, the opposite of where the scroll leads.
        finger = direction_of(to)
        return Action(ActionType.SCROLL, point=point, direction=finger and finger.opposite)
    end = _place(to)
    # No movement has no direction.
    way = None if end == point else swiped(point, end)
    return Action(ActionType.SCROLL, point=point, end=end, direction=way)


# The data has no reference that asks for the recent applications.
_NAMES = {button: name for name, button in _PRESSED.items() if button != "recent"}


def _fields(action: Action) -> Mapping[str, object] | None:
    match action.type:
        case ActionType.CLICK if action.point:
            return {"POINT": whole(action.point)}
        case ActionType.LONG_PRESS if action.point:
            return {"POINT": whole(action.point), "duration": 1000}
        case ActionType.SCROLL if action.direction:
            point = (500.0, 500.0) if action.point is None else action.point
            return {"POINT": whole(point), "to": action.direction.opposite.value}
        case ActionType.TYPE:
            return {"TYPE": action.text}
        case ActionType.NAVIGATE | ActionType.KEY if action.button in _NAMES:
            return {"PRESS": _NAMES[action.button]}
        case ActionType.WAIT:
            return {"duration": round(1000 * (action.seconds or 2))}
        case ActionType.FINISH:
            return {"STATUS": "impossible" if action.status == "infeasible" else "finish"}
        case _:
            return None


def _write(action: Action) -> str | None:
    fields = _fields(action)
    return None if fields is None else json.dumps(fields, ensure_ascii=False)


def _write_with_apps(action: Action) -> str | None:
    if action.type is ActionType.OPEN_APP:
        return json.dumps({"OPEN_APP": action.app}, ensure_ascii=False)
    return _write(action)


AGENTCPM = Vocabulary("agentcpm", THOUSAND, _read_strictly, _write, "AgentCPM-GUI acbaf50")
GUIEVALKIT = Vocabulary(
    "guievalkit", THOUSAND, _read_with_apps, _write_with_apps, "guievalkit d5e954e"
)
