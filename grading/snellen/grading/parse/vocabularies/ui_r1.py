"""UI-R1: five actions by name, and the first two whole numbers of the text, scaled by constants."""

import re

from snellen.grading.coordinates import PIXELS
from snellen.grading.models.actions import Action, ActionType, direction_of
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
_WHOLE = re.compile(r"\d{1,12}")
_WAY = re.compile(r"'(up|down|left|right)'")
_TEXT = re.compile(r"'text': ['\"](.{0,2000}?)['\"], 'action'", re.DOTALL)
_LONGEST = 20_000


def _read(text: str) -> Action | None:
    """Read the last of the five names that stands anywhere in the text.

    Source: UI-R1 2fe9bf0, the evaluation of AndroidControl.
    """
    said = text[:_LONGEST]
    places = {kind: said.rfind(name) for name, kind in _NAMES.items()}
    kind = max(places, key=lambda each: places[each])
    if places[kind] < 0:
        return None
    numbers = [int(number) for number in _WHOLE.findall(said)[:2]]
    point = (numbers[0] * _ACROSS, numbers[1] * _DOWN) if len(numbers) == 2 else None
    way, typed = _WAY.search(said), _TEXT.search(said)
    text = typed[1] if typed else ""
    return Action(
        kind,
        point=point if kind is ActionType.CLICK else None,
        direction=direction_of(way[1]) if kind is ActionType.SCROLL and way else None,
        text=text if kind is ActionType.TYPE else "",
        app=text if kind is ActionType.OPEN_APP else "",
        button="back" if kind is ActionType.NAVIGATE else "",
    )


def _write(action: Action) -> str | None:
    name = _WRITTEN.get(action.type)
    if name is None or (action.type is ActionType.NAVIGATE and action.button != "back"):
        return None
    # The text stands first: the last name in the whole answer is the action.
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
