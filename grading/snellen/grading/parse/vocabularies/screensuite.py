"""ScreenSuite: `click(x, y)` and its like, in pixels of the image."""

import re

from snellen.grading.coordinates import PIXELS
from snellen.grading.models.actions import Action, ActionType, Point, direction_of
from snellen.grading.parse.vocabularies.base import Vocabulary, plain_number

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
_NUMBER = re.compile(r"[\d.]+")
_QUOTED = re.compile(r"[\"'](.+?)[\"']")
_WAY = re.compile(r"up|down|left|right")


def called(text: str) -> str:
    """Return what stands before the first bracket, without underscores, in lower case.

    A blank before it is kept, so that no action has this name.
    """
    return text.lower().partition("(")[0].replace("_", "")


def clicked_at(text: str) -> Point | None:
    """Return the first two numbers in the brackets of the first `click(...)` on one line.

    A minus is no part of a number.

    Source: ScreenSuite 0.0.1, `parse_click_action`.

    >>> clicked_at("I click(3, -4.5)")
    (3.0, 4.5)
    """
    said = text.lower()
    index = said.find("click(")
    while index >= 0:
        line = said.find("\n", index)
        line = len(said) if line < 0 else line
        end = said.find(")", index, line)
        if end >= 0:
            return _numbers(said[index + len("click(") : end])
        index = said.find("click(", line)
    return None


def _numbers(text: str) -> Point | None:
    numbers = _NUMBER.findall(text)[:2]
    try:
        x, y = map(float, numbers)
    except ValueError:
        return None
    return x, y


def typed_text(text: str) -> str | None:
    """Return what stands in the first `type(...)` that holds anything, in lower case.

    Of that what stands in the first quotes, of either kind; without blanks around it.

    Returns:
        None where nothing is typed.

    Source: ScreenSuite 0.0.1, `parse_type_action`.

    >>> typed_text("type('New York')"), typed_text("type(5)")
    ('new york', '5')
    """
    said = text.lower()
    index = said.find("type(")
    while index >= 0:
        start = index + len("type(")
        end = said.find(")", start)
        if end < 0:
            return None
        if end > start:
            quoted = _QUOTED.search(said[start:end])
            return (quoted[1] if quoted else said[start:end]).strip()
        index = said.find("type(", end)
    return None


def _read(text: str) -> Action | None:
    name = called(text)
    kind = _TYPES.get(name)
    if kind is None:
        return None
    match kind:
        case ActionType.CLICK | ActionType.LONG_PRESS:
            return Action(
                kind, point=clicked_at(text.replace("_", "").replace("longpress", "click"))
            )
        case ActionType.SCROLL:
            way = _WAY.search(text.lower().partition("(")[2])
            return Action(kind, direction=direction_of(way[0]) if way else None)
        case ActionType.NAVIGATE:
            return Action(kind, button=name.removeprefix("navigate"))
        case ActionType.OPEN_APP:
            return Action(kind, app=_argument(text))
        case ActionType.TYPE:
            return Action(kind, text=typed_text(text) or "")
        case _:
            return Action(kind)


def _argument(text: str) -> str:
    return text.partition("(")[2].rpartition(")")[0].strip().strip("\"'")


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
