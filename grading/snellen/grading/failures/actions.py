"""Rules on actions: wrong type, wrong target, wrong direction, too early, too late."""

from collections.abc import Iterator

from snellen.grading.coordinates import PIXELS
from snellen.grading.failures.clues import Failure
from snellen.grading.failures.places import is_near
from snellen.grading.failures.tags import FailureTag
from snellen.grading.failures.texts import near_text
from snellen.grading.metrics.taps import in_any
from snellen.grading.models.actions import POINTED, ActionType
from snellen.grading.protocols.golds import StepGold
from snellen.grading.protocols.steps import Said


def action_tags(failure: Failure) -> Iterator[FailureTag]:
    """Tag a step by its first difference: its type, its target, its text."""
    answer: Said | None = failure.answer
    if answer is None:
        return
    gold: StepGold = failure.gold
    given, action = answer.action.type, gold.action.type
    if given is action:
        yield from _alike(answer, gold)
    elif given is ActionType.FINISH:
        yield FailureTag.FINISHED_EARLY
    elif action is ActionType.FINISH:
        yield FailureTag.NEVER_FINISHED
    else:
        yield FailureTag.OTHER_ACTION


def _alike(answer: Said, gold: StepGold) -> Iterator[FailureTag]:
    given, action = answer.action, gold.action
    if action.type in POINTED:
        yield from _placed(answer, gold)
    elif action.type is ActionType.SCROLL:
        if given.direction and given.direction.opposite is action.direction:
            yield FailureTag.SCROLL_REVERSED
    elif action.type is ActionType.OPEN_APP:
        yield from near_text(given.app, [action.app])
    elif action.type in (ActionType.TYPE, ActionType.SELECT):
        yield from near_text(given.text, [action.text])


def _placed(answer: Said, gold: StepGold) -> Iterator[FailureTag]:
    point = answer.at(PIXELS, gold.image_size)
    if point is None or in_any(point, gold.boxes):
        return
    near = any(is_near(point, box) for box in gold.boxes)
    yield FailureTag.NEAR_TARGET if near else FailureTag.WRONG_TARGET
