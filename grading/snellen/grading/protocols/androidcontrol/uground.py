"""UGround: the smallest accessibility node around the target."""

from collections.abc import Sequence
from dataclasses import replace

from snellen.grading.coordinates import PIXELS
from snellen.grading.metrics.taps import (
    in_any,
    smallest_around,
)
from snellen.grading.models.actions import Action, ActionType, Point
from snellen.grading.parse.vocabularies.plain import json_object
from snellen.grading.parse.vocabularies.uground import UGROUND
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
    writes_step,
)

_GROUNDED = (ActionType.CLICK, ActionType.LONG_PRESS, ActionType.TYPE)


def _under(point: Point | None, gold: StepGold) -> int | None:
    if gold.nodes is None:
        raise UnjudgeableError(NO_NODES)
    return point and smallest_around(point, [node.box for node in gold.nodes])


def _says(answer: Said, gold: StepGold, name: str) -> bool:
    """Whether the node under the answer's point has a name in its text or description."""
    point = answer.at(PIXELS, gold.image_size)
    if point is None:
        raise PublishedCrashError
    node = _under(point, gold)
    if node is None or gold.nodes is None:
        return False
    texts = (gold.nodes[node].text.lower(), gold.nodes[node].description.lower())
    return any(text and name.lower() in text for text in texts)


def _uground(answer: Said, gold: StepGold) -> Sequence[float]:
    given, action = answer.action, gold.action
    pair = (given.type, action.type)
    if pair == (ActionType.CLICK, ActionType.OPEN_APP):
        right = _says(answer, gold, action.app)
        return float(right), float(right)
    if pair == (ActionType.OPEN_APP, ActionType.CLICK):
        # The reference names no app, and every text holds an empty one.
        right = _says(answer, gold, "")
        return float(right), float(right)
    if set(pair) == {ActionType.CLICK, ActionType.NAVIGATE} and "back" in (
        given.button,
        action.button,
    ):
        right = _says(answer, gold, "back")
        return float(right), float(right)
    if given.type is not action.type:
        return 0.0, 0.0
    if action.type in _GROUNDED and action.point is not None:
        target = _under(action.point, gold)
        if given.point is None:
            raise PublishedCrashError
        hit = target is not None and in_any(
            answer.at(PIXELS, gold.image_size) or (-1.0, -1.0),
            [node.box for node in (gold.nodes or ())][target : target + 1],
        )
        texts = action.type is not ActionType.TYPE or given.text == action.text
        return float(hit and texts), 1.0
    return float(_same_fields(given, action)), 1.0


def _same_fields(given: Action, action: Action) -> bool:
    names = ("direction", "text", "app", "button")
    return all(getattr(given, name) == getattr(action, name) for name in names)


def _uground_crash(text: str) -> str:
    fields = json_object(text)
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
