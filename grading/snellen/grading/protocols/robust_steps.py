"""Our own rule of steps: any vocabulary, the type and the target right."""

import re
from collections.abc import Sequence
from math import hypot

from snellen.grading.coordinates import PIXELS
from snellen.grading.metrics.taps import (
    in_any,
)
from snellen.grading.metrics.text import anls
from snellen.grading.models.actions import POINTED, Action, ActionType
from snellen.grading.normalize import folded
from snellen.grading.protocols import steps
from snellen.grading.protocols.base import AS_IS, Protocol
from snellen.grading.protocols.step_rules import EPISODES, KEYS, by_episode

_DIGITS = re.compile(r"\d+")
_NEARLY = 0.8


def _robust(answer: steps.ReadStep, gold: steps.StepGold) -> Sequence[float]:
    given, action = answer.action, gold.action
    if _kind(given) is not _kind(action):
        return 0.0, 0.0
    match action.type:
        case kind if kind in POINTED:
            right = _on_target(answer, gold)
        case ActionType.TYPE | ActionType.SELECT:
            right = _same_text(given.text, action.text)
            right = right and (not gold.boxes or _on_target(answer, gold))
        case ActionType.OPEN_APP:
            right = _same_text(given.app, action.app)
        case ActionType.SCROLL:
            right = given.direction is not None and given.direction is action.direction
        case ActionType.NAVIGATE | ActionType.KEY:
            right = folded(given.button) == folded(action.button)
        case ActionType.DRAG:
            right = _on_target(answer, gold)
        case _:
            right = (given.status or "success") == (action.status or "success")
    return float(right), 1.0


def _kind(action: Action) -> ActionType:
    # A key of the system is a key in some vocabularies and a way to navigate in others.
    return ActionType.KEY if action.type is ActionType.NAVIGATE else action.type


def _on_target(answer: steps.ReadStep, gold: steps.StepGold) -> bool:
    point = answer.at(PIXELS, gold.image_size)
    if point is None:
        return False
    if gold.boxes:
        return in_any(point, gold.boxes)
    target = gold.action.point
    if target is None:
        return False
    reach = 0.14 * min(steps.screen_of(gold))
    return hypot(point[0] - target[0], point[1] - target[1]) <= reach


def _same_text(text: str, other: str) -> bool:
    given, expected = folded(text), folded(other)
    if _DIGITS.findall(given) != _DIGITS.findall(expected):
        return False
    return bool(given) and (given == expected or anls(given, [expected]) >= _NEARLY)


_METRIC = steps.step_metric(
    "in the box, or 14 % of the shorter side; text nearly equal",
    KEYS,
    _robust,
    by_episode(_robust),
    EPISODES,
)


def robust_steps(task: str) -> Protocol:
    """Return the protocol `robust` of a task that asks for the next action."""
    return Protocol(
        task,
        "robust",
        3,
        "ours",
        "any vocabulary; the type must match; a click in the reference's box, or within 14 % of the"
        " shorter side where it has none; text that is nearly equal; every step counts",
        steps.ANY_VOCABULARY,
        AS_IS,
        _METRIC,
    )
