"""UI-R1: the number of right clicks, within 14 % of a screen that is 1080 wide."""

from collections.abc import Sequence
from dataclasses import replace

from snellen.grading.models.actions import ActionType
from snellen.grading.parse.vocabularies.ui_r1 import UI_R1, clicked_at
from snellen.grading.protocols.androidcontrol.qwen import QWEN_RULE
from snellen.grading.protocols.base import Denominator, PublishedCrashError
from snellen.grading.protocols.golds import StepGold
from snellen.grading.protocols.step_rules import KEYS, apart, drops
from snellen.grading.protocols.steps import Said, step_metric, step_parser, text_in, writes_step

_REACH = 1080 * 0.14


def _ui_r1(answer: Said, gold: StepGold) -> Sequence[float]:
    same = answer.action.type is gold.action.type
    if gold.action.type is not ActionType.CLICK or not same:
        return 0.0, float(same)
    target = gold.action.point
    try:
        point = clicked_at(text_in(UI_R1, answer, gold.image_size))
        # A coordinate of 0 is taken for none.
        right = point and target and all(point) and apart(point, target) < _REACH
    except (ValueError, OverflowError):
        raise PublishedCrashError from None
    return float(bool(right)), 1.0


UI_R1_RULE = replace(
    QWEN_RULE,
    id="ui-r1",
    source="UI-R1 2fe9bf0, the evaluation of AndroidControl",
    special="right clicks alone: nearer than 151.2 pixels, of coordinates scaled by constants; of"
    " five names in a fixed order the last that stands anywhere in the text is the action",
    parser=step_parser("the last of five names, and the first two whole numbers", UI_R1),
    metric=step_metric("clicks nearer than 151.2 pixels", KEYS, _ui_r1),
    denominator=Denominator(
        "the clicks; one item that raises ends the run",
        stops_on_crash=True,
        keep=drops(lambda gold: gold.action.type is not ActionType.CLICK),
    ),
    write=writes_step(UI_R1),
)
