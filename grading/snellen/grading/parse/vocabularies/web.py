"""How evaluations of Mind2Web have an operation written: what is done, where, with which value."""

import ast
import json
import re
from collections.abc import Mapping
from typing import cast

from snellen.grading.coordinates import PIXELS, UNIT
from snellen.grading.models.actions import Action, ActionType, Point
from snellen.grading.parse.vocabularies.base import Vocabulary, as_point, plain_number
from snellen.grading.parse.vocabularies.calls import calls_in
from snellen.grading.parse.vocabularies.plain import json_object
from snellen.grading.parse.vocabularies.screensuite import SCREENSUITE
from snellen.grading.parse.vocabularies.uground import grounded

_OPERATIONS = {
    "CLICK": ActionType.CLICK,
    "HOVER": ActionType.CLICK,
    "ENTER": ActionType.CLICK,
    "TYPE": ActionType.TYPE,
    "SELECT": ActionType.SELECT,
}
_NAMES = {kind: name for name, kind in reversed(_OPERATIONS.items())}
_IDS = {4: ActionType.CLICK, 2: ActionType.SELECT, 3: ActionType.TYPE}
_NUMBERS = {kind: number for number, kind in _IDS.items()}
_LONGEST = 20_000


def operation_of(action: Action) -> str | None:
    """Return an operation's name as Mind2Web has it; None where it has no such operation."""
    return _NAMES.get(action.type)


# ---- UGround: a planner's operation and a grounder's point -------------------------------------


def _read_plan(text: str) -> Action | None:
    fields = json_object(text)
    kind = _OPERATIONS.get(str(fields.get("action", "")).upper()) if fields else None
    if fields is None or kind is None:
        return None
    value = fields.get("value")
    said = "" if value is None or str(value).lower() == "none" else str(value)
    return Action(kind, point=grounded(fields), text=said)


def _write_plan(action: Action) -> str | None:
    name = operation_of(action)
    if name is None:
        return None
    fields: dict[str, object] = {"action": name, "value": action.text or "None"}
    if action.point:
        x, y = (plain_number(side) for side in action.point)
        fields["grounding"] = f"({x}, {y})"
    return json.dumps(fields, ensure_ascii=False)


UGROUND_WEB = Vocabulary("uground-web", PIXELS, _read_plan, _write_plan, "UGround 3a9b9f2")

# ---- SeeClick: a Python dictionary with numbers of operations ----------------------------------


def _literal(text: str) -> Mapping[str, object] | None:
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start or end - start > _LONGEST:
        return None
    try:
        value: object = ast.literal_eval(text[start : end + 1])
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        return None
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else None


def _read_seeclick(text: str) -> Action | None:
    fields = _literal(text)
    number = None if fields is None else fields.get("action_type")
    kind = _IDS.get(number) if isinstance(number, int) else None
    if fields is None or kind is None:
        return None
    value = str(fields.get("value", ""))
    return Action(kind, point=as_point(fields.get("click_point")), text=value)


def _pair(point: Point) -> str:
    return f"{plain_number(point[0])}, {plain_number(point[1])}"


def _write_seeclick(action: Action) -> str | None:
    number = _NUMBERS.get(action.type)
    if number is None or action.point is None:
        return None
    value = "" if number == 4 else f', "value": {json.dumps(action.text, ensure_ascii=False)}'
    return f'{{"action_type": {number}, "click_point": ({_pair(action.point)}){value}}}'


SEECLICK = Vocabulary("seeclick", UNIT, _read_seeclick, _write_seeclick, "SeeClick 0ef37ac")

# ---- ShowUI: three fields in their order -------------------------------------------------------

_SHOWUI = re.compile(
    r"'action':\s{0,9}'(\w{1,40})',\s{0,9}'value':\s{0,9}(None|'.{0,2000}?'),\s{0,9}"
    r"'position':\s{0,9}\[\s{0,9}(\d[\d.]{0,30}),\s{0,9}(\d[\d.]{0,30})\s{0,9}\]"
)


def _read_showui(text: str) -> Action | None:
    found = _SHOWUI.search(text[:_LONGEST].replace('"', "'"))
    kind = _OPERATIONS.get(found[1]) if found else None
    if found is None or kind is None:
        return None
    try:
        point = (float(found[3]), float(found[4]))
    except ValueError:
        return None
    return Action(kind, point=point, text="" if found[2] == "None" else found[2][1:-1])


def _write_showui(action: Action) -> str | None:
    name = operation_of(action)
    if name is None or action.point is None:
        return None
    value = "None" if action.type is ActionType.CLICK else f"'{action.text}'"
    return f"{{'action': '{name}', 'value': {value}, 'position': [{_pair(action.point)}]}}"


SHOWUI = Vocabulary("showui", UNIT, _read_showui, _write_showui, "ShowUI 21ed7cb")

# ---- ScreenSuite: a click, and what is typed after it ------------------------------------------


def _read_clicks(text: str) -> Action | None:
    clicked = SCREENSUITE.read(text)
    if clicked is None or clicked.type is not ActionType.CLICK:
        return None
    typed = [str(call.get("text", 0, "")) for call in calls_in(text) if call.name == "type"]
    kind = ActionType.TYPE if typed else ActionType.CLICK
    return Action(kind, point=clicked.point, text=typed[0] if typed else "")


def _write_clicks(action: Action) -> str | None:
    if operation_of(action) is None or action.point is None:
        return None
    typed = f"\ntype({action.text!r})" if action.type is ActionType.TYPE else ""
    return f"click({_pair(action.point)}){typed}"


SCREENSUITE_WEB = Vocabulary(
    "screensuite-web", PIXELS, _read_clicks, _write_clicks, "ScreenSuite 0.0.1"
)
