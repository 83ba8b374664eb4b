"""UGround: a planner's JSON with a grounder's "(x, y)" beside it, in pixels of the image."""

import json
from collections.abc import Mapping, Sequence
from math import isfinite

from snellen.grading.coordinates import PIXELS
from snellen.grading.models.actions import Action, ActionType, Point, direction_of
from snellen.grading.parse.vocabularies.base import Vocabulary, plain_number
from snellen.grading.parse.vocabularies.literals import json_fields

_NAVIGATED = {"navigate_back": "back", "navigate_home": "home"}
_ENDED = {"successful": "success", "infeasible": "infeasible"}
_STATUSES = {status: name for name, status in _ENDED.items()}


def numbers_of(output: str) -> Sequence[float]:
    """Return the numbers of a grounder's text: one blank after each comma, brackets or not.

    Raises:
        ValueError: One is none.

    Source: UGround 3a9b9f2.

    >>> numbers_of("(1, 2.5)"), numbers_of("1, 2.5")
    ([1.0, 2.5], [1.0, 2.5])
    """
    return [float(number) for number in output.strip("()").split(", ")]


def point_of(fields: Mapping[str, object]) -> Point:
    """Return the grounder's point in pixels of the original image.

    Raises:
        ValueError: It has none, or no scale to divide it by.
    """
    output, scale = fields.get("grounding"), fields.get("scale", 1)
    if not isinstance(output, str) or not isinstance(scale, int | float) or not scale:
        raise ValueError("no point, or no scale")
    x, y, *_ = numbers_of(output)
    return x / scale, y / scale


def grounded(fields: Mapping[str, object]) -> Point | None:
    """Return the grounder's point in pixels of the original image; None where it has none."""
    try:
        x, y = point_of(fields)
    except (ValueError, OverflowError):
        return None
    return (x, y) if isfinite(x) and isfinite(y) else None


def _read(text: str) -> Action | None:
    fields = json_fields(text)
    if fields is None:
        return None
    point = grounded(fields)
    match fields.get("action_type"):
        case "click" | "long_press" as kind:
            return Action(ActionType(kind), point=point)
        case "type_text":
            return Action(ActionType.TYPE, point=point, text=str(fields.get("text", "")))
        case "scroll":
            return Action(ActionType.SCROLL, direction=direction_of(fields.get("direction")))
        case "open_app":
            return Action(ActionType.OPEN_APP, point=point, app=str(fields.get("app_name", "")))
        case "navigate_back" | "navigate_home" as kind:
            return Action(ActionType.NAVIGATE, point=point, button=_NAVIGATED[str(kind)])
        case "wait":
            return Action(ActionType.WAIT)
        case "status":
            status = _ENDED.get(str(fields.get("goal_status")), "")
            return Action(ActionType.FINISH, status=status)
        case _:
            return None


def plan_of(action: Action) -> dict[str, object] | None:
    """Return an action without its point as a planner's JSON; None if it has no such action."""
    match action.type:
        case ActionType.CLICK | ActionType.LONG_PRESS:
            return {"action_type": action.type.value}
        case ActionType.TYPE:
            return {"action_type": "type_text", "text": action.text}
        case ActionType.SCROLL if action.direction:
            return {"action_type": "scroll", "direction": action.direction.value}
        case ActionType.OPEN_APP:
            return {"action_type": "open_app", "app_name": action.app}
        case ActionType.NAVIGATE if action.button in ("back", "home"):
            return {"action_type": f"navigate_{action.button}"}
        case ActionType.WAIT:
            return {"action_type": "wait"}
        case ActionType.FINISH:
            status = _STATUSES.get(action.status, "successful")
            return {"action_type": "status", "goal_status": status}
        case _:
            return None


def _write(action: Action) -> str | None:
    fields = plan_of(action)
    if fields is None:
        return None
    if action.point is not None:
        x, y = (plain_number(side) for side in action.point)
        fields["grounding"] = f"({x}, {y})"
    return json.dumps(fields, ensure_ascii=False)


UGROUND = Vocabulary("uground", PIXELS, _read, _write, "UGround 3a9b9f2")
