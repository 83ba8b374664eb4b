"""AgentCPM-GUI's and guievalkit's compact JSON, in thousandths."""

import json
from collections.abc import Mapping

from snellen.grading.coordinates import THOUSAND
from snellen.grading.models.actions import Action, ActionType, Point, direction_of, swiped
from snellen.grading.parse.vocabularies.base import Vocabulary, as_number, as_point, whole
from snellen.grading.parse.vocabularies.plain import json_object

_KEYS = frozenset({"thought", "POINT", "to", "duration", "PRESS", "TYPE", "STATUS"})
_ENDS = {
    "finish": "success",
    "satisfied": "success",
    "impossible": "infeasible",
    "interrupt": "infeasible",
    "need_feedback": "infeasible",
}
_LONG = 200


def _thousandths(value: object) -> Point | None:
    point = as_point(value)
    if point is None or not all(side.is_integer() and 0 <= side <= 1000 for side in point):
        return None
    return point


def _read_strictly(text: str) -> Action | None:
    """Read what the published schema allows, and nothing else."""
    fields = json_object(text)
    return None if fields is None or not fields.keys() <= _KEYS else _action(fields)


def _read_with_apps(text: str) -> Action | None:
    """Read the same, and OPEN_APP, which guievalkit adds."""
    fields = json_object(text)
    if fields is None or not fields.keys() <= _KEYS | {"OPEN_APP"}:
        return None
    app = fields.get("OPEN_APP")
    return Action(ActionType.OPEN_APP, app=app) if isinstance(app, str) else _action(fields)


def _action(fields: Mapping[str, object]) -> Action | None:
    duration = as_number(fields.get("duration"))
    seconds = None if duration is None else duration / 1000
    if "POINT" in fields:
        point = _thousandths(fields["POINT"])
        return None if point is None else _pointed(point, fields.get("to"), seconds)
    for key, kind in (("TYPE", ActionType.TYPE), ("PRESS", ActionType.NAVIGATE)):
        value = fields.get(key)
        if isinstance(value, str):
            return _typed(value) if kind is ActionType.TYPE else _pressed(value)
    status = fields.get("STATUS")
    if isinstance(status, str) and status in _ENDS:
        return Action(ActionType.FINISH, status=_ENDS[status])
    return None if seconds is None else Action(ActionType.WAIT, seconds=seconds)


def _typed(text: str) -> Action:
    return Action(ActionType.TYPE, text=text)


def _pressed(name: str) -> Action | None:
    if name in ("BACK", "HOME"):
        return Action(ActionType.NAVIGATE, button=name.lower())
    return Action(ActionType.KEY, button="enter") if name == "ENTER" else None


def _pointed(point: Point, to: object, seconds: float | None) -> Action | None:
    if to is None:
        long = seconds is not None and seconds * 1000 > _LONG
        return Action(ActionType.LONG_PRESS if long else ActionType.CLICK, point=point)
    if isinstance(to, str):
        # A finger's direction, the opposite of where the scroll leads.
        finger = direction_of(to)
        if finger is None:
            return None
        return Action(ActionType.SCROLL, point=point, direction=finger.opposite)
    end = _thousandths(to)
    if end is None:
        return None
    return Action(ActionType.SCROLL, point=point, end=end, direction=swiped(point, end))


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
        case ActionType.NAVIGATE if action.button in ("back", "home"):
            return {"PRESS": action.button.upper()}
        case ActionType.KEY if action.button == "enter":
            return {"PRESS": "ENTER"}
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
