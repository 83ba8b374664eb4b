"""How the steps of AITZ (Android in the Zoo) are scored: by its released code, and by AgentCPM's.

The released code sets the reference's point for scrolls alone, so that it compares a click with
the screen's top left corner. The field reports AgentCPM-GUI's rule, which is the default here.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rapidfuzz.distance import Indel

from snellen.grading.metrics.boxes import Ltrb, point_in_box
from snellen.grading.metrics.taps import enlarged
from snellen.grading.models.actions import Action, ActionType
from snellen.grading.parse.vocabularies.coat import COAT, box_of, crashes, kind_of, read_call
from snellen.grading.protocols.agentcpm_steps import common_mode
from snellen.grading.protocols.base import AS_IS, STOP_ON_CRASH, Protocol, PublishedCrashError
from snellen.grading.protocols.golds import STEP, GoldShape
from snellen.grading.protocols.robust_steps import robust_steps
from snellen.grading.protocols.step_rules import EPISODES, KEYS, by_episode
from snellen.grading.protocols.steps import (
    Said,
    StepGold,
    screen_of,
    step_metric,
    step_parser,
    text_in,
    writes_step,
)

HIGH = "aitz/high"
_CORNER = (0.0, 0.0)


class _Reference(NamedTuple):
    """What the released code takes from `coat_action_desc`.

    Attributes:
        kind: The kind of action that its first word means.
        word: Its second word, of a scroll the direction; None: there is none.
        button: The first of enter, back, home in it; empty for none.
    """

    kind: str
    word: str | None
    button: str


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


def _reference(gold: StepGold) -> _Reference:
    text = gold.name or described(gold.action)
    words = text.split(" ")
    kind = kind_of(words[0])
    if kind is None:
        raise PublishedCrashError
    button = next((name for name in ("enter", "back", "home") if name in text), "")
    return _Reference(kind, words[1].strip() if len(words) > 1 else None, button)


def _official(answer: Said, gold: StepGold) -> Sequence[float]:
    try:
        call = read_call(text_in(COAT, answer, gold.image_size))
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


def _clicked(sides: Sequence[float] | None, gold: StepGold) -> bool:
    """Whether a box reaches to the corner, or covers half of a node's that does."""
    if sides is None:
        return False
    width, height = screen_of(gold)
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
    step_parser("CoAT's ACTION and ARGS, as JSON", COAT, crashes),
    AS_IS,
    step_metric(
        "boxes x 1.2 at (0, 0); text contains, or is alike above 0.8",
        KEYS,
        _official,
        by_episode(_official),
        EPISODES,
    ),
    STOP_ON_CRASH,
    write=writes_step(COAT),
)
_AGENTCPM, _GUIEVALKIT = common_mode(HIGH, "in a node x 1.2 that holds the reference, or ")

PROTOCOLS: Mapping[str, tuple[Protocol, ...]] = {
    HIGH: (_AGENTCPM, robust_steps(HIGH), _GUIEVALKIT, _OFFICIAL)
}
GOLDS: Mapping[str, GoldShape] = {HIGH: STEP}
