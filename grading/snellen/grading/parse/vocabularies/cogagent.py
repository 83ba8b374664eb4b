"""CogAgent: `Grounded Operation: CLICK(box=[[l,t,r,b]], ...)`, in thousandths."""

from snellen.grading.coordinates import THOUSAND
from snellen.grading.models.actions import Action, ActionType
from snellen.grading.parse.vocabularies.base import Vocabulary, whole

_MARKER = "Grounded Operation:"
_POINTED = {
    "CLICK": ActionType.CLICK,
    "DOUBLE_CLICK": ActionType.DOUBLE_CLICK,
    "RIGHT_CLICK": ActionType.RIGHT_CLICK,
    "HOVER": ActionType.HOVER,
    "LONG_PRESS": ActionType.LONG_PRESS,
}
_NAMES = {kind: name for name, kind in _POINTED.items()}


def _operation(action: Action) -> str | None:
    box = ""
    if action.point:
        x, y = whole(action.point)
        box = f"box=[[{x},{y},{x},{y}]]"
    match action.type:
        case kind if kind in _NAMES:
            return f"{_NAMES[kind]}({box})" if box else None
        case ActionType.SCROLL if action.direction:
            return f"SCROLL_{action.direction.upper()}({box})"
        case ActionType.TYPE:
            return f"TYPE({', '.join(filter(None, (box, f'text={action.text!r}')))})"
        case ActionType.KEY:
            return f"KEY_PRESS(key={action.button!r})"
        case ActionType.OPEN_APP:
            return f"LAUNCH(app={action.app!r})"
        case ActionType.FINISH:
            return "END()"
        case _:
            return None


def _write(action: Action) -> str | None:
    operation = _operation(action)
    return None if operation is None else f"{_MARKER} {operation}"


COGAGENT = Vocabulary("cogagent", THOUSAND, None, _write, "CogAgent")
