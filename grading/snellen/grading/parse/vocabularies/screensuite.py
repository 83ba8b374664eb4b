"""ScreenSuite: `click(x, y)` and its like, in pixels of the image."""

import re

from snellen.grading.coordinates import PIXELS
from snellen.grading.models.actions import Action, ActionType, direction_of
from snellen.grading.parse.vocabularies.base import Vocabulary, plain_number
from snellen.grading.parse.vocabularies.calls import calls_in

_TYPES = {
    "click": ActionType.CLICK,
    "longpress": ActionType.LONG_PRESS,
    "type": ActionType.TYPE,
    "scroll": ActionType.SCROLL,
    "openapp": ActionType.OPEN_APP,
    "navigateback": ActionType.NAVIGATE,
    "navigatehome": ActionType.NAVIGATE,
    "wait": ActionType.WAIT,
}
_NUMBER = re.compile(r"-?\d{1,12}(?:\.\d{1,12})?")
_WAY = re.compile(r"up|down|left|right")


def called(text: str) -> str:
    """Return what stands before the first bracket, without underscores, in lower case."""
    return text.lower().partition("(")[0].replace("_", "").strip()


def _read(text: str) -> Action | None:
    name = called(text[:20_000])
    kind = _TYPES.get(name)
    if kind is None:
        return None
    after = text.partition("(")[2]
    if kind in (ActionType.CLICK, ActionType.LONG_PRESS):
        numbers = [float(number) for number in _NUMBER.findall(after[:400])]
        return Action(kind, point=(numbers[0], numbers[1])) if len(numbers) > 1 else Action(kind)
    if kind is ActionType.SCROLL:
        way = _WAY.search(after.lower())
        return Action(kind, direction=direction_of(way[0]) if way else None)
    if kind is ActionType.NAVIGATE:
        return Action(kind, button=name.removeprefix("navigate"))
    said = next((str(call.get("text", 0, "")) for call in calls_in(text)), "")
    if kind is ActionType.OPEN_APP:
        return Action(kind, app=said)
    return Action(kind, text=said if kind is ActionType.TYPE else "")


def _write(action: Action) -> str | None:
    match action.type:
        case ActionType.CLICK | ActionType.LONG_PRESS if action.point:
            x, y = (plain_number(side) for side in action.point)
            return f"{action.type}({x}, {y})"
        case ActionType.TYPE:
            return f"type({action.text!r})"
        case ActionType.SCROLL if action.direction:
            return f"scroll('{action.direction}')"
        case ActionType.OPEN_APP:
            return f"open_app({action.app!r})"
        case ActionType.NAVIGATE if action.button in ("back", "home"):
            return f"navigate_{action.button}()"
        case ActionType.WAIT:
            return "wait()"
        case _:
            return None


SCREENSUITE = Vocabulary("screensuite", PIXELS, _read, _write, "ScreenSuite 0.0.1")
