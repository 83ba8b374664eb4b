"""Rules by the screen's accessibility nodes.

AgentCPM-GUI and guievalkit want a click in one of the five nodes nearest to the target, UGround in
the smallest one around it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from snellen.grading.coordinates import PIXELS, UNIT
from snellen.grading.metrics.taps import (
    in_any,
    in_nearest,
    pushed_in,
    smallest_around,
)
from snellen.grading.models.actions import ActionType, Point
from snellen.grading.parse.vocabularies.agentcpm import AGENTCPM, GUIEVALKIT
from snellen.grading.parse.vocabularies.literals import json_fields
from snellen.grading.parse.vocabularies.uground import UGROUND, plan_of, point_of
from snellen.grading.protocols.androidcontrol.qwen import QWEN_RULE
from snellen.grading.protocols.base import (
    Denominator,
    PublishedCrashError,
    UnjudgeableError,
)
from snellen.grading.protocols.step_rules import (
    ABSENT,
    EPISODES,
    KEYS,
    UNREAD,
    apart,
    by_episode,
    contains,
    drops,
    pressed,
)
from snellen.grading.protocols.steps import (
    ReadStep,
    StepGold,
    moved,
    screen_of,
    step_metric,
    step_parser,
    text_in,
    writes_step,
)

_NO_NODES = (
    "the click's tolerance rests on the screen's accessibility nodes, which this data does not have"
)


def _in_nodes(answer: ReadStep, gold: StepGold) -> bool:
    if gold.nodes is None:
        raise UnjudgeableError(_NO_NODES)
    size = gold.image_size
    point, target = answer.at(UNIT, size), moved(gold.action.point, PIXELS, UNIT, size)
    if point is None or target is None:
        return False
    if apart(point, target) <= 0.04:
        return True
    width, height = screen_of(gold)
    boxes = [
        pushed_in((box[0] / width, box[1] / height, box[2] / width, box[3] / height), 1.2)
        for box in (node.box for node in gold.nodes)
    ]
    return in_nearest(point, target, boxes)


_STOPS = (ActionType.WAIT, ActionType.FINISH)


def _agentcpm(answer: ReadStep, gold: StepGold) -> Sequence[float]:
    given, action = answer.action, gold.action
    if action.type in _STOPS:
        stops = float(given.type in _STOPS)
        return stops, stops
    kind = ActionType.CLICK if action.type is ActionType.LONG_PRESS else action.type
    return _by_nodes(answer, gold, kind)


def _guievalkit(answer: ReadStep, gold: StepGold) -> Sequence[float]:
    return _by_nodes(answer, gold, gold.action.type)


def _by_nodes(answer: ReadStep, gold: StepGold, kind: ActionType) -> Sequence[float]:
    given, action = answer.action, gold.action
    if pressed(given.type) is not pressed(kind):
        return 0.0, 0.0
    match kind:
        case ActionType.CLICK | ActionType.LONG_PRESS:
            right = _in_nodes(answer, gold)
        case ActionType.TYPE:
            right = contains(given.text, action.text)
        case ActionType.OPEN_APP:
            right = contains(given.app, action.app)
        case ActionType.SCROLL:
            right = given.direction is action.direction
        case ActionType.NAVIGATE | ActionType.KEY:
            right = given.button == action.button
        case _:
            right = True
    return float(right), 1.0


AGENTCPM_RULE = replace(
    QWEN_RULE,
    id="agentcpm",
    source="AgentCPM-GUI acbaf50, --eval_android_control",
    special="a click in one of the five nodes nearest to the target, enlarged 1.2 times, or within"
    " 4 %; open_app is dropped, a long press is a click, wait and finish are one",
    parser=step_parser("AgentCPM-GUI's JSON, by its schema", AGENTCPM),
    metric=step_metric(
        "the five nearest nodes x 1.2 or 4 % in fractions; text contains",
        KEYS,
        _agentcpm,
        by_episode(_agentcpm),
        EPISODES,
    ),
    denominator=Denominator(
        "drops open_app and steps without an answer",
        drops=ABSENT,
        keep=drops(lambda gold: gold.action.type is ActionType.OPEN_APP),
    ),
    write=writes_step(AGENTCPM),
)


GUIEVALKIT_RULE = replace(
    AGENTCPM_RULE,
    id="guievalkit",
    source="guievalkit d5e954e, androidcontrol",
    special="as `agentcpm`, but apps by containment, wait and finish apart, long presses kept;"
    " an answer that is none of its eight actions leaves every denominator",
    parser=step_parser("guievalkit's JSON", GUIEVALKIT),
    metric=step_metric(
        "the five nearest nodes x 1.2 or 4 % in fractions; text and apps contain",
        KEYS,
        _guievalkit,
        by_episode(_guievalkit, unread_loses=True, holes_lose=True),
        EPISODES,
    ),
    denominator=Denominator(
        "drops answers that are no action, and steps without one", drops=ABSENT | UNREAD
    ),
    write=writes_step(GUIEVALKIT),
)


# ---- UGround -------------------------------------------------------------------------------------

_GROUNDED = ("click", "long_press", "type_text")


def _under(point: Point, gold: StepGold) -> int | None:
    if gold.nodes is None:
        raise UnjudgeableError(_NO_NODES)
    return smallest_around(point, [node.box for node in gold.nodes])


def _point(plan: Mapping[str, object]) -> Point:
    try:
        return point_of(plan)
    except (ValueError, OverflowError):
        raise PublishedCrashError from None


def _says(plan: Mapping[str, object], gold: StepGold, name: str) -> bool:
    """Whether the node under the answer's point has a name in its text or description."""
    node = _under(_point(plan), gold)
    if node is None or gold.nodes is None:
        return False
    texts = (gold.nodes[node].text.lower(), gold.nodes[node].description.lower())
    return any(text and name.lower() in text for text in texts)


def _stands_for(kind: object, expected: Mapping[str, object]) -> str | None:
    """Return what the node under the point has to say where one action stands for another."""
    kinds = {kind, expected["action_type"]} if isinstance(kind, str) else set[object]()
    if kinds == {"click", "open_app"}:
        # A reference that is a click names no app, and every text holds an empty one.
        return str(expected.get("app_name", ""))
    return "back" if kinds == {"click", "navigate_back"} else None


def _uground(answer: ReadStep, gold: StepGold) -> Sequence[float]:
    plan = json_fields(text_in(UGROUND, answer, gold.image_size))
    expected = plan_of(gold.action)
    if expected is None:
        raise UnjudgeableError(f"UGround has no action {gold.action.type.value}")
    if plan is None or "action_type" not in plan:
        raise PublishedCrashError
    kind = plan["action_type"]
    name = _stands_for(kind, expected)
    if name is not None:
        right = _says(plan, gold, name)
        return float(right), float(right)
    if kind != expected["action_type"]:
        return 0.0, 0.0
    if kind in _GROUNDED and gold.action.point is not None:
        return float(_on_target(plan, gold, gold.action.point)), 1.0
    return float(all(plan.get(key) == value for key, value in expected.items())), 1.0


def _on_target(plan: Mapping[str, object], gold: StepGold, target: Point) -> bool:
    """Whether the point lies in the smallest node around the target, and typed text is equal."""
    point, node = _point(plan), _under(target, gold)
    if node is None or gold.nodes is None or not in_any(point, [gold.nodes[node].box]):
        return False
    if gold.action.type is not ActionType.TYPE:
        return True
    if "text" not in plan:
        raise PublishedCrashError
    return plan["text"] == gold.action.text


def _uground_crash(text: str) -> str:
    fields = json_fields(text)
    if fields is None or "action_type" not in fields:
        return "no action_type: the published code raises"
    return ""


UGROUND_RULE = replace(
    QWEN_RULE,
    id="uground",
    source="UGround 3a9b9f2, the evaluation of AndroidControl on 500 steps",
    special="a click in the smallest accessibility node around the target; typed text equal; a"
    " click on an app's name stands for opening it, and opening any app for a click on any text",
    parser=step_parser("a planner's JSON and a grounder's `(x, y)`", UGROUND, _uground_crash),
    metric=step_metric(
        "the smallest node around the target; every field equal; app and back by their names",
        KEYS,
        _uground,
    ),
    denominator=Denominator("one item that raises ends the run", stops_on_crash=True),
    write=writes_step(UGROUND),
)
