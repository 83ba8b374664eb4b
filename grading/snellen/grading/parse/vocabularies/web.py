"""How evaluations of Mind2Web have an operation written: what is done, where, with which value."""

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Mapping
from typing import NamedTuple, cast

from snellen.grading.coordinates import PIXELS, UNIT
from snellen.grading.models.actions import Action, ActionType, Point
from snellen.grading.parse.vocabularies.base import Vocabulary, as_point, plain_number
from snellen.grading.parse.vocabularies.literals import json_fields, python_literal
from snellen.grading.parse.vocabularies.screensuite import called, clicked_at, typed_text
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


def operation_of(action: Action) -> str | None:
    """Return an operation's name as Mind2Web has it; None where it has no such operation."""
    return _NAMES.get(action.type)


# ---- UGround: a planner's operation and a grounder's point -------------------------------------


def _known(read: Callable[[str], Action | None]) -> Callable[[str], Action | None]:
    """Return a reader that leaves alone what a published one goes on with: unknown operations."""

    def known(text: str) -> Action | None:
        action = read(text)
        return None if action is None or action.type is ActionType.UNKNOWN else action

    return known


def read_plan(text: str) -> Action | None:
    """Read a planner's JSON, of any operation."""
    fields = json_fields(text)
    if fields is None or "action" not in fields:
        return None
    kind = _OPERATIONS.get(str(fields["action"]).upper(), ActionType.UNKNOWN)
    value = str(fields.get("value"))
    return Action(kind, point=grounded(fields), text="" if value.lower() == "none" else value)


def _write_plan(action: Action) -> str | None:
    name = operation_of(action)
    if name is None:
        return None
    fields: dict[str, object] = {"action": name, "value": action.text or "None"}
    if action.point:
        x, y = (plain_number(side) for side in action.point)
        fields["grounding"] = f"({x}, {y})"
    return json.dumps(fields, ensure_ascii=False)


UGROUND_WEB = Vocabulary("uground-web", PIXELS, _known(read_plan), _write_plan, "UGround 3a9b9f2")

# ---- SeeClick: a Python dictionary with numbers of operations ----------------------------------


def dictionary(text: str) -> Mapping[object, object]:
    """Return the Python dictionary that an answer is.

    Raises:
        ValueError: It is none.
    """
    value = python_literal(text)
    if not isinstance(value, dict):
        raise ValueError("no dictionary")
    return cast("Mapping[object, object]", value)


def read_dictionary(text: str) -> Action | None:
    """Read a dictionary, of any operation."""
    try:
        fields = dictionary(text)
    except ValueError:
        return None
    number = fields.get("action_type")
    kind = _IDS.get(number, ActionType.UNKNOWN) if isinstance(number, int) else ActionType.UNKNOWN
    point = as_point(fields.get("click_point"))
    return Action(kind, point=point, text=str(fields.get("value", "")))


def _pair(point: Point) -> str:
    return f"{plain_number(point[0])}, {plain_number(point[1])}"


def _write_seeclick(action: Action) -> str | None:
    number = _NUMBERS.get(action.type)
    if number is None or action.point is None:
        return None
    value = "" if number == 4 else f', "value": {json.dumps(action.text, ensure_ascii=False)}'
    return f'{{"action_type": {number}, "click_point": ({_pair(action.point)}){value}}}'


SEECLICK = Vocabulary(
    "seeclick", UNIT, _known(read_dictionary), _write_seeclick, "SeeClick 0ef37ac"
)

# ---- ShowUI: three fields in their order -------------------------------------------------------

_PLACE = r",\s*+'position':\s*+(None|\[([0-9.]++),\s*+([0-9.]++)\])"
_STARTS = re.compile(r"'action':\s*+'")
_VALUES = re.compile(r"',\s*+'value':\s*+")
_UNVALUED, _QUOTED = re.compile(rf"None{_PLACE}"), re.compile(rf"'{_PLACE}")


class Fields(NamedTuple):
    """An answer to ShowUI's prompt: `position` is None where it says so, and so is `value`."""

    action: str
    value: str | None
    position: Point | None


class _Lines:
    """The ends of a text's lines, to tell whether two indexes are on one."""

    def __init__(self, text: str) -> None:
        self.ends = [end.start() for end in re.finditer("\n", text)]

    def are_one(self, start: int, end: int) -> bool:
        return bisect_left(self.ends, start) == bisect_left(self.ends, end)


def showui_fields(text: str) -> Fields:
    """Return the three fields that stand one after the other, double quotes taken for single.

    It is what the published pattern finds, without its way of looking for an end from each
    beginning: the first action that any end fits, the first value behind it, and of each the
    nearest end on its line.

    Raises:
        ValueError: They don't stand there, or a coordinate is no number.

    Source: ShowUI 21ed7cb, `pred2json`.
    """
    said = text.replace('"', "'")
    lines, quotes = _Lines(said), list(_QUOTED.finditer(said))
    starts = [quote.start() for quote in quotes]
    found: dict[int, tuple[str | None, re.Match[str]]] = {}
    for mark in _VALUES.finditer(said):
        if none := _UNVALUED.match(said, mark.end()):
            found[mark.start()] = (None, none)
        elif said.startswith("'", mark.end()):
            start = mark.end() + 1
            index = bisect_left(starts, start)
            if index < len(starts) and lines.are_one(start, starts[index]):
                found[mark.start()] = (said[start : starts[index]], quotes[index])
    ends = [*found]
    for mark in _STARTS.finditer(said):
        index = bisect_left(ends, mark.end())
        if index < len(ends) and lines.are_one(mark.end(), ends[index]):
            value, position = found[ends[index]]
            return Fields(said[mark.end() : ends[index]], value, _position(position))
    raise ValueError("no action, value and position in their order")


def _position(found: re.Match[str]) -> Point | None:
    return None if found[1] == "None" else (float(found[2]), float(found[3]))


def read_three_fields(text: str) -> Action | None:
    """Read the three fields, of any operation."""
    try:
        fields = showui_fields(text)
    except ValueError:
        return None
    kind = _OPERATIONS.get(fields.action, ActionType.UNKNOWN)
    return Action(kind, point=fields.position, text=fields.value or "")


def _write_showui(action: Action) -> str | None:
    name = operation_of(action)
    if name is None or action.point is None:
        return None
    value = "None" if action.type is ActionType.CLICK else f"'{action.text}'"
    return f"{{'action': '{name}', 'value': {value}, 'position': [{_pair(action.point)}]}}"


SHOWUI = Vocabulary("showui", UNIT, _known(read_three_fields), _write_showui, "ShowUI 21ed7cb")

# ---- ScreenSuite: a click, and what is typed after it ------------------------------------------


def read_clicks(text: str) -> Action:
    """Read the first click and the first typed text, wherever they stand; neither need be there."""
    point, typed = clicked_at(text), typed_text(text)
    kind = ActionType.UNKNOWN if point is None else ActionType.CLICK
    return Action(ActionType.TYPE if typed is not None else kind, point=point, text=typed or "")


def _read_clicks(text: str) -> Action | None:
    action = read_clicks(text)
    return None if action.point is None or called(text) not in ("click", "longpress") else action


def _write_clicks(action: Action) -> str | None:
    if operation_of(action) is None or action.point is None:
        return None
    typed = f"\ntype({action.text!r})" if action.type is ActionType.TYPE else ""
    return f"click({_pair(action.point)}){typed}"


SCREENSUITE_WEB = Vocabulary(
    "screensuite-web", PIXELS, _read_clicks, _write_clicks, "ScreenSuite 0.0.1"
)
