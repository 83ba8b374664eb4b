"""How the steps of AITZ (Android in the Zoo) are scored: by its released code, and by AgentCPM's.

The released code sets the reference's point for scrolls alone, so that it compares a click with
the screen's top left corner. An answer is CoAT's JSON: the name of an API in `ACTION`, its
arguments in `ARGS`, boxes in thousandths; a scroll's direction is the finger's, as in the data
("up" opens the drawer of applications).

The field reports AgentCPM-GUI's rule, which is the default here.
"""

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

from rapidfuzz.distance import Indel

from snellen.grading.coordinates import THOUSAND
from snellen.grading.metrics.boxes import Ltrb, point_in_box
from snellen.grading.metrics.taps import enlarged
from snellen.grading.models.actions import Action, ActionType, direction_of
from snellen.grading.parse.vocabularies.base import Vocabulary, as_number, whole
from snellen.grading.parse.vocabularies.literals import json_fields
from snellen.grading.protocols import steps
from snellen.grading.protocols.agentcpm_steps import common_mode
from snellen.grading.protocols.base import AS_IS, STOP_ON_CRASH, Protocol, PublishedCrashError
from snellen.grading.protocols.golds import STEP, GoldShape
from snellen.grading.protocols.robust_steps import robust_steps
from snellen.grading.protocols.step_rules import EPISODES, KEYS, by_episode

# ---- Answers -------------------------------------------------------------------------------------

KINDS = ("click", "scroll", "type", "press", "stop")
_TYPES = {
    "click": ActionType.CLICK,
    "scroll": ActionType.SCROLL,
    "type": ActionType.TYPE,
    "stop": ActionType.FINISH,
}
_BUTTONS = {"back": ActionType.NAVIGATE, "home": ActionType.NAVIGATE, "enter": ActionType.KEY}


class Call(NamedTuple):
    """What the published code takes from an answer."""

    kind: str  # one of `KINDS`
    given: Mapping[str, object]  # the arguments
    button: str  # what is pressed; empty for another kind


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


HIGH = "aitz/high"
_CORNER = (0.0, 0.0)


class _Reference(NamedTuple):
    """What the released code takes from `coat_action_desc`."""

    kind: str  # the kind of action that its first word means
    word: str | None  # its second word, of a scroll the direction; None: there is none
    button: str  # the first of enter, back, home in it; empty for none


def described(action: Action) -> str:
    """Return an action in words, as the data's `coat_action_desc` begins."""
    match action.type:
        case ActionType.SCROLL if action.direction:
            return f"scroll {action.direction.opposite.value}"
        case ActionType.TYPE:
            return f'input text "{action.text}"'
        case ActionType.NAVIGATE | ActionType.KEY:
            return f"press the {action.button} button"
        case ActionType.FINISH:
            return "stop and set the query as completed"
        case kind:
            return kind.value


def _reference(gold: steps.StepGold) -> _Reference:
    text = gold.name or described(gold.action)
    words = text.split(" ")
    kind = kind_of(words[0])
    if kind is None:
        raise PublishedCrashError
    button = next((name for name in ("enter", "back", "home") if name in text), "")
    return _Reference(kind, words[1].strip() if len(words) > 1 else None, button)


def _official(answer: steps.ReadStep, gold: steps.StepGold) -> Sequence[float]:
    try:
        call = read_call(steps.text_in(COAT, answer, gold.image_size))
    except ValueError:
        raise PublishedCrashError from None
    reference = _reference(gold)
    if reference.kind == "scroll" and reference.word is None:
        raise PublishedCrashError
    if call is None or call.kind != reference.kind:
        return 0.0, 0.0
    match call.kind:
        case "click":
            right = _clicked(box_of(call.given), gold)
        case "scroll":
            right = call.given.get("direction") == reference.word
        case "type":
            right = _typed(call.given.get("text", ""), gold.action.text)
        case "press":
            right = call.button == reference.button
        case _:
            right = True
    return float(right), 1.0


def _clicked(sides: Sequence[float] | None, gold: steps.StepGold) -> bool:
    """Whether a box reaches to the corner, or covers half of a node's that does."""
    if sides is None:
        return False
    width, height = steps.screen_of(gold)
    try:
        left, top, right, bottom = (
            float(round(side / 1000 * size))
            for side, size in zip(sides, (width, height) * 2, strict=True)
        )
    except OverflowError:
        raise PublishedCrashError from None
    box = enlarged((left, top, right, bottom), 1.2)
    if point_in_box(*_CORNER, box):
        return True
    if not gold.nodes:
        raise PublishedCrashError
    nodes = [enlarged(node.box, 1.2) for node in gold.nodes]
    return any(_overlap(box, node) > 0.5 for node in nodes if point_in_box(*_CORNER, node))


def _overlap(box: Ltrb, other: Ltrb) -> float:
    """Return the IoU of two boxes, each of an area of 1 at least, whatever their corners' order."""
    across = max(0.0, min(box[2], other[2]) - max(box[0], other[0]))
    down = max(0.0, min(box[3], other[3]) - max(box[1], other[1]))
    areas = [max((one[2] - one[0]) * (one[3] - one[1]), 1.0) for one in (box, other)]
    return across * down / (sum(areas) - across * down)


def _typed(text: object, expected: str) -> bool:
    if not isinstance(text, str):
        raise PublishedCrashError
    near = Indel.normalized_similarity(text, expected) > 0.8
    return text in expected or expected in text or near


_OFFICIAL = Protocol(
    HIGH,
    "official",
    1,
    "CoAT 9ab1a9f, `coat/evaluate.py`",
    "a click is compared with the screen's top left corner, because the released code sets the"
    " reference's point for scrolls alone; text by containment or four fifths of its letters, case"
    " counts; an answer or a step on which the code raises ends the run",
    steps.step_parser("CoAT's ACTION and ARGS, as JSON", COAT, crashes),
    AS_IS,
    steps.step_metric(
        "boxes x 1.2 at (0, 0); text contains, or is alike above 0.8",
        KEYS,
        _official,
        by_episode(_official),
        EPISODES,
    ),
    STOP_ON_CRASH,
    write=steps.writes_step(COAT),
)
_AGENTCPM, _GUIEVALKIT = common_mode(HIGH, "in a node x 1.2 that holds the reference, or ")

PROTOCOLS: Mapping[str, tuple[Protocol, ...]] = {
    HIGH: (robust_steps(HIGH), _AGENTCPM, _GUIEVALKIT, _OFFICIAL)
}
GOLDS: Mapping[str, GoldShape] = {HIGH: STEP}
