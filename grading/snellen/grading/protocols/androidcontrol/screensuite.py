"""ScreenSuite: a click graded by its distance."""

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt

from snellen.grading.coordinates import PIXELS, UNIT
from snellen.grading.models.actions import ActionType
from snellen.grading.parse.vocabularies.screensuite import SCREENSUITE, called
from snellen.grading.protocols.androidcontrol.qwen import QWEN_RULE
from snellen.grading.protocols.base import (
    Denominator,
    PublishedCrashError,
)
from snellen.grading.protocols.step_rules import ABSENT, KEYS, TAPS
from snellen.grading.protocols.steps import (
    Said,
    StepGold,
    moved,
    step_metric,
    step_parser,
    writes_step,
)

_PUBLISHED_NAMES = {
    ActionType.CLICK: "click",
    ActionType.LONG_PRESS: "click",
    ActionType.TYPE: "type",
    ActionType.SCROLL: "scroll",
    ActionType.WAIT: "wait",
}


def _screensuite(answer: Said, gold: StepGold) -> Sequence[float]:
    own = answer.format == SCREENSUITE.name
    text = answer.text if own else SCREENSUITE.write(answer.action) or ""
    # References such as open_app keep their underscore, which no answer has.
    if called(text) != _PUBLISHED_NAMES.get(gold.action.type):
        return 0.0, 0.0
    if gold.action.type in TAPS:
        return _graded_distance(answer, gold), 1.0
    if gold.action.type is ActionType.TYPE:
        return float(answer.action.text.lower() == gold.action.text.lower()), 1.0
    if gold.action.type is ActionType.SCROLL:
        if own and "(" not in text:
            raise PublishedCrashError
        return float((gold.action.direction or "") in text.lower().partition("(")[2]), 1.0
    return 1.0, 1.0


def _graded_distance(answer: Said, gold: StepGold) -> float:
    size = gold.image_size
    point, target = answer.at(UNIT, size), moved(gold.action.point, PIXELS, UNIT, size)
    if point is None or target is None:
        return 0.0
    across, down = point[0] - target[0], point[1] - target[1]
    return max(0.0, 1 - 2 * sqrt((across**2 + down**2) / 2))


SCREENSUITE_RULE = replace(
    QWEN_RULE,
    id="screensuite",
    source="ScreenSuite 0.0.1, android_control (the low level alone)",
    special="a click is graded by its distance; open_app, navigate_back and navigate_home are"
    " always wrong; steps without an answer are dropped",
    parser=step_parser("ScreenSuite's `click(x, y)`", SCREENSUITE),
    metric=step_metric(
        "1 - 2 x the root mean square distance; text equal in lower case", KEYS, _screensuite
    ),
    denominator=Denominator(
        "drops failed responses; one item that raises ends the run",
        drops=ABSENT,
        stops_on_crash=True,
    ),
    write=writes_step(SCREENSUITE),
)
