"""AgentCPM-GUI and guievalkit: a click in one of the five nearest nodes of the screen."""

from collections.abc import Sequence
from dataclasses import replace

from snellen.grading.coordinates import PIXELS, UNIT
from snellen.grading.metrics.taps import (
    in_nearest,
    pushed_in,
)
from snellen.grading.models.actions import ActionType
from snellen.grading.parse.vocabularies.agentcpm import AGENTCPM, GUIEVALKIT
from snellen.grading.protocols.androidcontrol.parts import NO_NODES
from snellen.grading.protocols.androidcontrol.qwen import QWEN_RULE
from snellen.grading.protocols.base import (
    Denominator,
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
    Said,
    StepGold,
    moved,
    screen_of,
    step_metric,
    step_parser,
    writes_step,
)


def _in_nodes(answer: Said, gold: StepGold) -> bool:
    if gold.nodes is None:
        raise UnjudgeableError(NO_NODES)
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


def _agentcpm(answer: Said, gold: StepGold) -> Sequence[float]:
    given, action = answer.action, gold.action
    if action.type in _STOPS:
        stops = float(given.type in _STOPS)
        return stops, stops
    kind = ActionType.CLICK if action.type is ActionType.LONG_PRESS else action.type
    return _by_nodes(answer, gold, kind)


def _guievalkit(answer: Said, gold: StepGold) -> Sequence[float]:
    return _by_nodes(answer, gold, gold.action.type)


def _by_nodes(answer: Said, gold: StepGold, kind: ActionType) -> Sequence[float]:
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
