"""UGround: a planner's JSON with a grounder's "(x, y)" beside it, in pixels of the image."""

import json
import re
from collections.abc import Mapping

from snellen.grading.coordinates import PIXELS
from snellen.grading.models.actions import Action, ActionType, Point, direction_of
from snellen.grading.parse.vocabularies.base import Vocabulary, as_number, plain_number
from snellen.grading.parse.vocabularies.plain import json_object

# One space after the comma, or the published code raises.
_POINT = re.compile(r"\((-?\d{1,12}(?:\.\d{1,12})?), (-?\d{1,12}(?:\.\d{1,12})?)\)")
_NAVIGATED = {"navigate_back": "back", "navigate_home": "home"}


def grounded(fields: Mapping[str, object]) -> Point | None:
    """Return the grounder's point in pixels of the original image; None where it has none."""
    found = _POINT.search(str(fields.get("grounding", ""))[:400])
    scale = as_number(fields.get("scale", 1))
    if found is None or not scale:
        return None
    return float(found[1]) / scale, float(found[2]) / scale


def _read(text: str) -> Action | None:
    fields = json_object(text)
    if fields is None:
        return None
    kind = fields.get("action_type")
    match kind:
        case "click" | "long_press":
            return Action(ActionType(kind), point=grounded(fields))
        case "type_text" | "input_text":
            typed = str(fields.get("text", ""))
            return Action(ActionType.TYPE, point=grounded(fields), text=typed)
        case "scroll":
            return Action(ActionType.SCROLL, direction=direction_of(fields.get("direction")))
        case "open_app":
            app = str(fields.get("app_name", ""))
            return Action(ActionType.OPEN_APP, point=grounded(fields), app=app)
        case str() if kind in _NAVIGATED:
            button = _NAVIGATED[kind]
            return Action(ActionType.NAVIGATE, point=grounded(fields), button=button)
        case "wait":
            return Action(ActionType.WAIT)
        case "status" | "finish":
            return Action(ActionType.FINISH, status="success")
        case _:
            return None


def _fields(action: Action) -> dict[str, object] | None:
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
            return {"action_type": "finish"}
        case _:
            return None


def _write(action: Action) -> str | None:
    fields = _fields(action)
    if fields is None:
        return None
    if action.point is not None:
        x, y = (plain_number(side) for side in action.point)
        fields["grounding"] = f"({x}, {y})"
    return json.dumps(fields, ensure_ascii=False)


UGROUND = Vocabulary("uground", PIXELS, _read, _write, "UGround 3a9b9f2")
