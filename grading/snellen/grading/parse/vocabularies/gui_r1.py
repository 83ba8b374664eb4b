"""GUI-R1: a list in <answer> tags, in pixels of the resized image."""

import re
from typing import NamedTuple

from snellen.grading.coordinates import VIEW
from snellen.grading.models.actions import Action, ActionType, Point, direction_of
from snellen.grading.parse.vocabularies.base import Vocabulary, whole

_ACTION = re.compile(r"'action':\s*'(\w+)'")
_TEXT = re.compile(r"'input_text':\s*'(.*?)'")
_PAIR = re.compile(r"\[(\d++),\s*+(\d++)\]\s*+")
_TYPES = {
    "click": ActionType.CLICK,
    "long_press": ActionType.LONG_PRESS,
    "doubleclick": ActionType.DOUBLE_CLICK,
    "rightclick": ActionType.RIGHT_CLICK,
    "moveto": ActionType.HOVER,
    "type": ActionType.TYPE,
    "select": ActionType.SELECT,
    "scroll": ActionType.SCROLL,
    "open_app": ActionType.OPEN_APP,
    "press_back": ActionType.NAVIGATE,
    "press_home": ActionType.NAVIGATE,
    "press_recent": ActionType.NAVIGATE,
    "wait": ActionType.WAIT,
    "complete": ActionType.FINISH,
    "impossible": ActionType.FINISH,
}
_NAMES = {kind: name for name, kind in reversed(_TYPES.items())}
_NO_TEXT = "no input text"


class Listed(NamedTuple):
    """An answer as the published code reads it."""

    name: str  # the action; empty if there is none
    text: str  # whatever the action is; a default if there is none
    point: tuple[int, int]  # (0, 0) if there is none


def listed(text: str) -> Listed:
    """Read an answer: what can't be read has the value that stands for none.

    Source: GUI-R1 d43eea2, the readers of its inference on AndroidControl.
    """
    inside, ended, _ = text.partition("<answer>")[2].partition("</answer>")
    if not ended:
        return Listed("", _NO_TEXT, (0, 0))
    name, said = _ACTION.search(inside), _TEXT.search(inside)
    return Listed(name[1] if name else "", said[1] if said else _NO_TEXT, _last_pair(inside))


def _last_pair(text: str) -> tuple[int, int]:
    """Return the last pair of the first line that has one in braces.

    What closes the brace stands on the line on which the blanks behind the pair end.
    """
    found: tuple[str, str] | None = None
    end = -1
    for pair in _PAIR.finditer(text):
        if found and pair.start() > end:
            break
        line = text.rfind("\n", 0, pair.start()) + 1
        after = _end_of_line(text, pair.end())
        if text.find("{", line, pair.start()) >= 0 and text.find("}", pair.end(), after) >= 0:
            found, end = (pair[1], pair[2]), _end_of_line(text, pair.start())
    try:
        return (int(found[0]), int(found[1])) if found else (0, 0)
    except ValueError:
        return 0, 0


def _end_of_line(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def read_list(text: str) -> Action:
    """Read a list; what is none is an unknown action at the point (0, 0)."""
    found = listed(text)
    kind = _TYPES.get(found.name, ActionType.UNKNOWN)
    typed = found.text
    return Action(
        kind,
        point=_as_floats(found.point),
        text=typed if kind in (ActionType.TYPE, ActionType.SELECT) else "",
        app=typed if kind is ActionType.OPEN_APP else "",
        direction=direction_of(typed) if kind is ActionType.SCROLL else None,
        button=found.name.removeprefix("press_") if kind is ActionType.NAVIGATE else "",
        status="infeasible" if found.name == "impossible" else "",
    )


def _read(text: str) -> Action | None:
    action = read_list(text)
    nothing = action.type is ActionType.UNKNOWN and action.point == (0, 0)
    return None if nothing else action


def _as_floats(point: tuple[int, int]) -> Point | None:
    try:
        return float(point[0]), float(point[1])
    except OverflowError:
        return None


def name_of(action: Action) -> str:
    """Return the name of an action; empty if it has none."""
    if action.type is ActionType.NAVIGATE:
        return f"press_{action.button}"
    if action.type is ActionType.FINISH and action.status == "infeasible":
        return "impossible"
    return _NAMES.get(action.type, "")


def text_of(action: Action) -> str:
    """Return what a reference has in the field of the text."""
    if action.type is ActionType.SCROLL:
        return action.direction or ""
    return action.app if action.type is ActionType.OPEN_APP else action.text


def _write(action: Action) -> str | None:
    name = name_of(action)
    if not name:
        return None
    x, y = whole(action.point or (0.0, 0.0))
    text = text_of(action) or _NO_TEXT
    return f"<answer>[{{'action': '{name}', 'point': [{x}, {y}], 'input_text': '{text}'}}]</answer>"


GUI_R1 = Vocabulary("gui-r1", VIEW, _read, _write, "GUI-R1 d43eea2")
