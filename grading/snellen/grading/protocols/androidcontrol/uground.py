"""UGround: the smallest accessibility node around the target."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from snellen.grading.metrics.taps import (
    in_any,
    smallest_around,
)
from snellen.grading.models.actions import ActionType, Point
from snellen.grading.parse.vocabularies.literals import json_fields
from snellen.grading.parse.vocabularies.uground import UGROUND, plan_of, point_of
from snellen.grading.protocols.androidcontrol.parts import NO_NODES
from snellen.grading.protocols.androidcontrol.qwen import QWEN_RULE
from snellen.grading.protocols.base import (
    Denominator,
    PublishedCrashError,
    UnjudgeableError,
)
from snellen.grading.protocols.step_rules import KEYS
from snellen.grading.protocols.steps import (
    Said,
    StepGold,
    step_metric,
    step_parser,
    text_in,
    writes_step,
)

_GROUNDED = ("click", "long_press", "type_text")


def _under(point: Point, gold: StepGold) -> int | None:
    if gold.nodes is None:
        raise UnjudgeableError(NO_NODES)
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


def _uground(answer: Said, gold: StepGold) -> Sequence[float]:
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
