"""GUI-Odyssey: `CLICK: (x, y)`, `SCROLL: UP` and its like, in thousandths."""

from typing import NamedTuple

from snellen.grading.coordinates import THOUSAND
from snellen.grading.models.actions import Action, ActionType, direction_of
from snellen.grading.parse.vocabularies.base import Vocabulary, as_point, whole
from snellen.grading.parse.vocabularies.literals import python_literal

_POINTED = {"CLICK": ActionType.CLICK, "LONG_PRESS": ActionType.LONG_PRESS}
_PRESSED = {"PRESS_HOME": "home", "PRESS_BACK": "back", "PRESS_RECENT": "recent"}
_ENDED = {"COMPLETE": "success", "IMPOSSIBLE": "infeasible", "INCOMPLETE": "infeasible"}


class Decoded(NamedTuple):
    """An answer as the published code decodes it: its kind, and a text or a Python value."""

    name: str
    info: object


def decoded(text: str) -> Decoded:
    """Return the part before the first colon, and the one up to the next.

    What follows a click's colon is a Python expression, which the published code evaluates; here
    it has to be a literal.

    Raises:
        ValueError: A click's is none.

    Source: GUI-Odyssey fefcbe9, `simple_decode`.

    >>> decoded("CLICK: (1, 2)"), decoded("TYPE: 10:45")
    (Decoded(name='CLICK', info=(1, 2)), Decoded(name='TYPE', info='10'))
    """
    name, *parts = text.split(":", 2)
    name, info = name.strip(), parts[0].strip() if parts else ""
    return Decoded(name, python_literal(info) if parts and name in _POINTED else info)


def read_kind(text: str) -> Action | None:
    """Read an action of which the kind alone has to be known."""
    name = text.partition(":")[0].strip()
    if name in _POINTED:
        # One whose point is none has a right type, whatever the reference is.
        try:
            point = as_point(decoded(text).info)
        except ValueError:
            point = None
        return Action(_POINTED[name], point=point)
    after = text.partition(":")[2].strip()
    if name == "TYPE":
        return Action(ActionType.TYPE, text=after)
    if name == "SCROLL":
        # The finger's direction.
        finger = direction_of(after)
        return Action(ActionType.SCROLL, direction=finger and finger.opposite)
    if name in _PRESSED:
        return Action(ActionType.NAVIGATE, button=_PRESSED[name])
    if name in _ENDED:
        return Action(ActionType.FINISH, status=_ENDED[name])
    return None


def _read(text: str) -> Action | None:
    action = read_kind(text)
    if action is None or action.type not in (*_POINTED.values(), ActionType.SCROLL):
        return action
    return None if action.point is None and action.direction is None else action


def _write(action: Action) -> str | None:
    match action.type:
        case ActionType.CLICK | ActionType.LONG_PRESS if action.point:
            x, y = whole(action.point)
            return f"{action.type.upper()}: ({x}, {y})"
        case ActionType.TYPE:
            return f"TYPE: {action.text}"
        case ActionType.SCROLL if action.direction:
            return f"SCROLL: {action.direction.opposite.upper()}"
        case ActionType.NAVIGATE if f"PRESS_{action.button.upper()}" in _PRESSED:
            return f"PRESS_{action.button.upper()}"
        case ActionType.FINISH:
            return "IMPOSSIBLE" if action.status == "infeasible" else "COMPLETE"
        case _:
            return None


ODYSSEY = Vocabulary("gui-odyssey", THOUSAND, _read, _write, "GUI-Odyssey fefcbe9")
