"""ScreenSuite: a click graded by its distance."""

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt

from snellen.grading.coordinates import Extent
from snellen.grading.models.actions import ActionType, Point
from snellen.grading.parse.vocabularies.screensuite import (
    SCREENSUITE,
    called,
    clicked_at,
    typed_text,
)
from snellen.grading.protocols.androidcontrol.qwen import QWEN_RULE
from snellen.grading.protocols.base import (
    Denominator,
    PublishedCrashError,
)
from snellen.grading.protocols.step_rules import ABSENT, KEYS
from snellen.grading.protocols.steps import (
    ReadStep,
    StepGold,
    screen_of,
    step_metric,
    step_parser,
    text_in,
    writes_step,
)

_PUBLISHED_NAMES = {
    ActionType.CLICK: "click",
    ActionType.LONG_PRESS: "click",
    ActionType.TYPE: "type",
    ActionType.SCROLL: "scroll",
    ActionType.WAIT: "wait",
}


def _screensuite(answer: ReadStep, gold: StepGold) -> Sequence[float]:
    text = text_in(SCREENSUITE, answer, gold.image_size)
    # References such as open_app keep their underscore, which no answer has.
    if called(text).replace("longpress", "click") != _PUBLISHED_NAMES.get(gold.action.type):
        return 0.0, 0.0
    match gold.action.type:
        case ActionType.CLICK | ActionType.LONG_PRESS:
            return _graded_distance(clicked_at(text), gold), 1.0
        case ActionType.TYPE:
            # None, where nothing is typed, is no text.
            return float(typed_text(text) == gold.action.text.lower()), 1.0
        case ActionType.SCROLL:
            _, *inside = text.lower().split("(", 2)
            if not inside:
                raise PublishedCrashError
            return float((gold.action.direction or "") in inside[0]), 1.0
        case _:
            return 1.0, 1.0


def _graded_distance(point: Point | None, gold: StepGold) -> float:
    target = gold.action.point
    index = point and on_screen(point, screen_of(gold))
    if index is None or target is None:
        return 0.0
    aim = on_screen(target, screen_of(gold))
    if aim is None:
        raise PublishedCrashError
    return max(0.0, 1 - 2 * sqrt(((index[0] - aim[0]) ** 2 + (index[1] - aim[1]) ** 2) / 2))


def on_screen(point: Point, size: Extent) -> Point | None:
    """Return a point in fractions of the image; None for one that lies outside."""
    x, y = point[0] / size[0], point[1] / size[1]
    return (x, y) if 0 <= x <= 1 and 0 <= y <= 1 else None


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
