"""UI-R1: five actions by name, and the first two whole numbers of the text, scaled by constants."""

import re
from itertools import islice

from snellen.grading.coordinates import PIXELS
from snellen.grading.models.actions import Action, ActionType, Point, direction_of
from snellen.grading.parse.vocabularies.base import Vocabulary

_NAMES = {
    "open_app": ActionType.OPEN_APP,
    "click": ActionType.CLICK,
    "scroll": ActionType.SCROLL,
    "input_text": ActionType.TYPE,
    "navigate_back": ActionType.NAVIGATE,
}
_WRITTEN = {kind: name for name, kind in _NAMES.items()}
# What the image is taken to be resized from and to, whatever it is.
_ACROSS, _DOWN = 1080 / 644, 2400 / 1484
_WHOLE = re.compile(r"\d+")
_WAY = re.compile(r"'(up|down|left|right)'")
_TEXT = re.compile(r"'text': ['\"](.{0,2000}?)['\"], 'action'", re.DOTALL)


def clicked_at(text: str) -> tuple[int, int] | None:
    """Return the first two whole numbers of a text, scaled by constants; None if there are fewer.

    Raises:
        ValueError: Python reads no number of so many digits.
        OverflowError: No float holds one of them.

    Source: UI-R1 2fe9bf0, the evaluation of AndroidControl.
    """
    numbers = [int(found[0]) for found in islice(_WHOLE.finditer(text), 2)]
    return (int(_ACROSS * numbers[0]), int(_DOWN * numbers[1])) if len(numbers) == 2 else None


def _read(text: str) -> Action | None:
    """Read the last of the five names, in their order, that stands anywhere in the text.

    Source: UI-R1 2fe9bf0, the evaluation of AndroidControl.
    """
    named = [kind for name, kind in _NAMES.items() if name in text]
    if not named:
        return None
    kind = named[-1]
    way, typed = _WAY.search(text), _TEXT.search(text)
    said = typed[1] if typed else ""
    return Action(
        kind,
        point=_point(text) if kind is ActionType.CLICK else None,
        direction=direction_of(way[1]) if kind is ActionType.SCROLL and way else None,
        text=said if kind is ActionType.TYPE else "",
        app=said if kind is ActionType.OPEN_APP else "",
        button="back" if kind is ActionType.NAVIGATE else "",
    )


def _point(text: str) -> Point | None:
    try:
        found = clicked_at(text)
        return found and (float(found[0]), float(found[1]))
    except (ValueError, OverflowError):
        return None


def _write(action: Action) -> str | None:
    name = _WRITTEN.get(action.type)
    if name is None or (action.type is ActionType.NAVIGATE and action.button != "back"):
        return None
    text = action.text or action.app
    fields = f"'text': {text!r}, 'action': '{name}'" if text else f"'action': '{name}'"
    if action.type is ActionType.CLICK:
        if action.point is None:
            return None
        x, y = round(action.point[0] / _ACROSS), round(action.point[1] / _DOWN)
        fields += f", 'coordinate': [{x}, {y}]"
    elif action.direction:
        fields += f", 'direction': '{action.direction}'"
    return f"<answer>[{{{fields}}}]</answer>"


UI_R1 = Vocabulary("ui-r1", PIXELS, _read, _write, "UI-R1 2fe9bf0")
