"""GUI-R1: a list in <answer> tags, in pixels of the resized image."""

import re

from snellen.grading.coordinates import VIEW
from snellen.grading.models.actions import Action, ActionType, direction_of
from snellen.grading.parse.vocabularies.base import Vocabulary, whole

_ACTION = re.compile(r"'action': '(\w+)'")
_TEXT = re.compile(r"'input_text': '(.*?)'")
_PAIR = re.compile(r"\{[^{}]*\[(\d{1,300}), (\d{1,300})\][^{}]*\}")
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
    "wait": ActionType.WAIT,
    "complete": ActionType.FINISH,
    "impossible": ActionType.FINISH,
}
_NAMES = {kind: name for name, kind in reversed(_TYPES.items())}
_NO_TEXT = "no input text"


def _read(text: str) -> Action | None:
    """Read as the published code does: what it can't read is the point (0, 0) and no text.

    Source: GUI-R1 d43eea2, the readers of its evaluation.
    """
    # A pattern would look for the end again after each beginning.
    _, _, rest = text[:100_000].partition("<answer>")
    inside, ended, _ = rest.partition("</answer>")
    if not ended:
        inside = ""
    named = _ACTION.search(inside)
    kind = _TYPES.get(named[1]) if named else None
    pairs = _PAIR.findall(inside)
    said = _TEXT.search(inside)
    typed = said[1] if said else ""
    if kind is None:
        # Double quotes: the published code has the point all the same, and no action.
        return Action(ActionType.UNKNOWN, point=_point(pairs)) if pairs else None
    button = named[1].removeprefix("press_") if kind is ActionType.NAVIGATE and named else ""
    return Action(
        kind,
        point=_point(pairs),
        text=typed if kind in (ActionType.TYPE, ActionType.SELECT) else "",
        app=typed if kind is ActionType.OPEN_APP else "",
        direction=direction_of(typed) if kind is ActionType.SCROLL else None,
        button=button,
        status="infeasible" if named and named[1] == "impossible" else "",
    )


def _point(pairs: list[tuple[str, str]]) -> tuple[float, float]:
    return (float(pairs[-1][0]), float(pairs[-1][1])) if pairs else (0.0, 0.0)


def said(action: Action) -> str:
    """Return what an action has in the field of the text."""
    if action.type is ActionType.SCROLL:
        return action.direction or ""
    return action.app if action.type is ActionType.OPEN_APP else action.text


def _write(action: Action) -> str | None:
    name = _NAMES.get(action.type)
    if action.type is ActionType.NAVIGATE:
        name = f"press_{action.button}" if action.button in ("back", "home") else None
    elif action.type is ActionType.FINISH and action.status == "infeasible":
        name = "impossible"
    if name is None:
        return None
    x, y = whole(action.point or (0.0, 0.0))
    text = said(action) or _NO_TEXT
    return f"<answer>[{{'action': '{name}', 'point': [{x}, {y}], 'input_text': '{text}'}}]</answer>"


GUI_R1 = Vocabulary("gui-r1", VIEW, _read, _write, "GUI-R1 d43eea2")
