"""AgentCPM-GUI's and guievalkit's common mode: their rule for every step set but AndroidControl."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from snellen.grading.coordinates import PIXELS, THOUSAND
from snellen.grading.metrics.boxes import point_in_box
from snellen.grading.metrics.taps import in_any, pushed_in
from snellen.grading.models.actions import ActionType, Point
from snellen.grading.parse.vocabularies.agentcpm import AGENTCPM, GUIEVALKIT
from snellen.grading.protocols import step_rules, steps
from snellen.grading.protocols.base import AS_IS, Denominator, Protocol

_REACH = 0.14
_STOPS = (ActionType.WAIT, ActionType.FINISH)


def thousandths(point: Point | None, gold: steps.StepGold) -> Point | None:
    """Return a reference's point in thousandths: whole numbers, where they were published so."""
    found = steps.moved(point, PIXELS, THOUSAND, gold.image_size)
    return found and (round(found[0], 6), round(found[1], 6))


def _on_target(answer: steps.ReadStep, gold: steps.StepGold) -> bool:
    """Whether a point is in an enlarged box that holds the reference, or within 14 %."""
    given, expected = answer.at(THOUSAND, gold.image_size), thousandths(gold.action.point, gold)
    if given is None or expected is None:
        return False
    point, target = (given[0] / 1000, given[1] / 1000), (expected[0] / 1000, expected[1] / 1000)
    if step_rules.apart(point, target) <= _REACH:
        return True
    if not gold.nodes:
        return False
    width, height = steps.screen_of(gold)
    boxes = [
        pushed_in((box[0] / width, box[1] / height, box[2] / width, box[3] / height), 1.2)
        for box in (node.box for node in gold.nodes)
    ]
    return in_any(point, [box for box in boxes if point_in_box(*target, box)])


def _common(same: Callable[[ActionType], ActionType]) -> steps.Compare:
    """Make the comparison.

    Args:
        same: From a kind of action to the one that stands for all that are the same.
    """

    def compare(answer: steps.ReadStep, gold: steps.StepGold) -> Sequence[float]:
        given, action = answer.action, gold.action
        if same(given.type) is not same(action.type):
            return 0.0, 0.0
        match action.type:
            case ActionType.CLICK | ActionType.LONG_PRESS:
                right = _on_target(answer, gold)
            case ActionType.TYPE:
                right = step_rules.contains(given.text, action.text)
            case ActionType.OPEN_APP:
                right = step_rules.contains(given.app, action.app)
            case ActionType.SCROLL:
                right = given.direction is action.direction
            case ActionType.NAVIGATE | ActionType.KEY:
                # References that press RECENT become HOME when GUI-Odyssey is converted.
                right = given.button == {"recent": "home"}.get(action.button, action.button)
            case _:
                right = True
        return float(right), 1.0

    return compare


def _stopped(kind: ActionType) -> ActionType:
    return ActionType.FINISH if kind in _STOPS else step_rules.pressed(kind)


_AGENTCPM, _GUIEVALKIT = _common(_stopped), _common(step_rules.pressed)


def common_mode(task: str, boxes: str, special: str = "") -> tuple[Protocol, Protocol]:
    """Return the protocols `agentcpm` and `guievalkit` of a step set.

    Args:
        task: The task's id.
        boxes: What the metric says of the boxes, before the distance.
        special: What is special about its references, after the rule.

    Source: AgentCPM-GUI acbaf50, `eval/utils/evaluator.py`; guievalkit d5e954e.
    """
    rule = Protocol(
        task,
        "agentcpm",
        1,
        "AgentCPM-GUI acbaf50, its common mode",
        f"a click {boxes}within 14 %; text by containment; a wait and the ways to end are one"
        f" class{special}; missing answers are dropped",
        steps.step_parser("AgentCPM-GUI's JSON, by its schema", AGENTCPM),
        AS_IS,
        steps.step_metric(
            f"{boxes}14 % in fractions; text contains",
            step_rules.KEYS,
            _AGENTCPM,
            step_rules.by_episode(_AGENTCPM),
            step_rules.EPISODES,
        ),
        Denominator("drops failed responses", drops=step_rules.ABSENT),
        write=steps.writes_step(AGENTCPM),
    )
    kit = replace(
        rule,
        id="guievalkit",
        source="guievalkit d5e954e, its common mode",
        special="as `agentcpm`, but a wait is no end; an answer that is none of its actions leaves"
        " every denominator",
        parser=steps.step_parser("guievalkit's JSON", GUIEVALKIT),
        metric=steps.step_metric(
            f"{boxes}14 % in fractions; text and apps contain",
            step_rules.KEYS,
            _GUIEVALKIT,
            step_rules.by_episode(_GUIEVALKIT, unread_loses=True, holes_lose=True),
            step_rules.EPISODES,
        ),
        denominator=Denominator(
            "drops answers that are no action, and steps without one",
            drops=step_rules.ABSENT | step_rules.UNREAD,
        ),
        write=steps.writes_step(GUIEVALKIT),
    )
    return rule, kit
