"""CoAT's JSON: the name of an API in `ACTION`, its arguments in `ARGS`, boxes in thousandths.

A scroll's direction is the finger's, as in the data: "up" opens the drawer of applications.
"""

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

from snellen.grading.coordinates import THOUSAND
from snellen.grading.models.actions import Action, ActionType, direction_of
from snellen.grading.parse.vocabularies.base import Vocabulary, as_number, whole
from snellen.grading.parse.vocabularies.literals import json_fields

KINDS = ("click", "scroll", "type", "press", "stop")
_TYPES = {
    "click": ActionType.CLICK,
    "scroll": ActionType.SCROLL,
    "type": ActionType.TYPE,
    "stop": ActionType.FINISH,
}
_BUTTONS = {"back": ActionType.NAVIGATE, "home": ActionType.NAVIGATE, "enter": ActionType.KEY}


class Call(NamedTuple):
    """What the published code takes from an answer.

    Attributes:
        kind: One of `KINDS`.
        given: The arguments.
        button: What is pressed; empty for another kind.
    """

    kind: str
    given: Mapping[str, object]
    button: str


def kind_of(name: str) -> str | None:
    """Return the kind of action that a name means; None for none.

    It is the first of `KINDS` that stands anywhere in the name, in lower case; "input" alone types.

    Source: CoAT 9ab1a9f, `ActionEvaluator.action_map`.

    >>> kind_of("CLICK_ELEMENT"), kind_of("input"), kind_of("input_text")
    ('click', 'type', None)
    """
    lower = name.lower()
    return "type" if lower == "input" else next((kind for kind in KINDS if kind in lower), None)


def box_of(given: Mapping[str, object]) -> Sequence[float] | None:
    """Return the first four numbers of `bbox`; None where there is none.

    Raises:
        ValueError: It is there and has no four finite numbers, on which the published code raises.
    """
    box = given.get("bbox")
    if box is None:
        return None
    sides = cast("list[object]", box)[:4] if isinstance(box, list) else []
    numbers = [float(side) if isinstance(side, bool) else as_number(side) for side in sides]
    if len(numbers) < 4 or None in numbers:
        raise ValueError("its bbox is no list of four numbers")
    return cast("list[float]", numbers)


def read_call(text: str) -> Call | None:
    """Read an answer as the published code does; None where it has no kind of action.

    Raises:
        ValueError: The published code raises, whatever the reference is.

    Source: CoAT 9ab1a9f, `ActionEvaluator._parse_action_`, for screens as text.
    """
    fields = json_fields(text)
    name = fields.get("ACTION") if fields else None
    if fields is None or not fields:
        return None
    if name and not isinstance(name, str):
        raise ValueError("its ACTION is no text")
    kind = kind_of(name) if isinstance(name, str) else None
    arguments = fields.get("ARGS")
    given = cast("Mapping[str, object]", arguments if isinstance(arguments, dict) else {})
    box_of(given)
    parts = name.split("_") if isinstance(name, str) else []
    if kind == "press" and len(parts) < 2:
        raise ValueError("its ACTION presses without an underscore")
    if kind is None:
        return None
    return Call(kind, given, parts[1].lower() if kind == "press" else "")


def crashes(text: str) -> str:
    """Say why the published code raises on an answer; empty: it does not."""
    try:
        read_call(text)
    except ValueError as error:
        return f"the published code raises on it: {error}"
    return ""


def _read(text: str) -> Action | None:
    try:
        call = read_call(text)
    except ValueError:
        return None
    if call is None:
        return None
    if call.kind == "press":
        return Action(_BUTTONS.get(call.button, ActionType.KEY), button=call.button)
    box, typed = box_of(call.given), call.given.get("text", "")
    finger = direction_of(call.given.get("direction"))
    return Action(
        _TYPES[call.kind],
        point=((box[0] + box[2]) / 2, (box[1] + box[3]) / 2) if box else None,
        direction=finger and finger.opposite,
        text=typed if call.kind == "type" and isinstance(typed, str) else "",
        status="success" if call.kind == "stop" else "",
    )


def _call(action: Action) -> tuple[str, Mapping[str, object]] | None:
    match action.type:
        case ActionType.CLICK if action.point:
            return "click_element", {"bbox": [*whole(action.point), *whole(action.point)]}
        case ActionType.SCROLL if action.direction:
            return "scroll", {"direction": action.direction.opposite.value}
        case ActionType.TYPE:
            return "input", {"text": action.text}
        case ActionType.NAVIGATE | ActionType.KEY if action.button in _BUTTONS:
            return f"press_{action.button}", {}
        case ActionType.FINISH:
            done = action.status != "infeasible"
            return "stop", {"task_status": "success" if done else "failure"}
        case _:
            return None


def _write(action: Action) -> str | None:
    found = _call(action)
    if found is None:
        return None
    return json.dumps({"ACTION": found[0], "ARGS": found[1]}, ensure_ascii=False)


COAT = Vocabulary("coat", THOUSAND, _read, _write, "CoAT 9ab1a9f")
