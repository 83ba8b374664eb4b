"""Qwen's rule as InfiGUI-R1 published it, and as UI-S1 altered it."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from snellen.grading.coordinates import PIXELS, UNIT, VIEW
from snellen.grading.metrics.boxes import Ltrb
from snellen.grading.metrics.taps import (
    enlarged,
    in_any,
)
from snellen.grading.models.actions import ActionType, Point
from snellen.grading.parse.vocabularies.qwen import QWEN, call_arguments
from snellen.grading.protocols.androidcontrol.parts import HIGH
from snellen.grading.protocols.base import (
    AS_IS,
    AnswerValue,
    Protocol,
    PublishedCrashError,
)
from snellen.grading.protocols.step_rules import (
    EPISODES,
    KEYS,
    apart,
    by_episode,
    contains,
    is_click,
    share,
)
from snellen.grading.protocols.steps import (
    Compare,
    Said,
    StepGold,
    moved,
    screen_of,
    step_metric,
    step_parser,
    writes_step,
)


def _in_boxes(answer: Said, gold: StepGold) -> bool:
    point = answer.at(VIEW, gold.image_size)
    return point is not None and in_any(
        point, [enlarged(_box_in_view(box, gold), 1.2) for box in gold.boxes]
    )


def _box_in_view(box: Ltrb, gold: StepGold) -> Ltrb:
    size = gold.image_size
    corners = (moved(corner, PIXELS, VIEW, size) for corner in (box[:2], box[2:]))
    (left, top), (right, bottom) = (corner or (0.0, 0.0) for corner in corners)
    return left, top, right, bottom


def _near_in_view(answer: Said, gold: StepGold, target: Point | None) -> bool:
    """Within 4 % of the longer side of the resized image, in its pixels."""
    size = gold.image_size
    point, target = answer.at(VIEW, size), moved(target, PIXELS, VIEW, size)
    extent = VIEW.extent(screen_of(gold))
    if point is None or target is None or extent is None:
        return False
    return apart(point, target) <= 0.04 * max(extent)


def _near_in_unit(answer: Said, gold: StepGold, target: Point | None) -> bool:
    """Within 4 % in fractions of the screen along each axis."""
    size = gold.image_size
    point, target = answer.at(UNIT, size), moved(target, PIXELS, UNIT, size)
    return point is not None and target is not None and apart(point, target) <= 0.04


_Near = Callable[[Said, StepGold, Point | None], bool]


def _qwen(near: _Near, *, any_swipe: bool) -> Compare:
    def opened_by_click(answer: Said, gold: StepGold) -> Sequence[float]:
        if not gold.boxes:
            return 0.0, 0.0
        left, top, right, bottom = gold.boxes[0]
        middle = ((left + right) / 2, (top + bottom) / 2)
        return float(_in_boxes(answer, gold) or near(answer, gold, middle)), 1.0

    def compare(answer: Said, gold: StepGold) -> Sequence[float]:
        given, action = answer.action, gold.action
        if (given.type, action.type) == (ActionType.CLICK, ActionType.OPEN_APP):
            return opened_by_click(answer, gold)
        same = given.type is action.type
        match action.type:
            case ActionType.CLICK | ActionType.LONG_PRESS:
                right = same and (_in_boxes(answer, gold) or near(answer, gold, action.point))
            case ActionType.TYPE:
                right = contains(given.text, action.text)
            case ActionType.OPEN_APP:
                right = contains(given.app, action.app)
            case ActionType.NAVIGATE:
                right = given.button.lower().strip() == action.button.lower().strip()
            case ActionType.SCROLL:
                right = any_swipe or given.direction is action.direction
            case ActionType.WAIT:
                right = True
            case _:
                raise PublishedCrashError
        return float(same and right), float(same)

    return compare


_COMPARE = _qwen(_near_in_view, any_swipe=False)
_UI_S1_COMPARE = _qwen(_near_in_unit, any_swipe=True)


def _clicked(answer: AnswerValue | None, _: StepGold, value: Sequence[float]) -> bool:
    return answer is not None and answer.action.type is ActionType.CLICK and value[0] == 1


QWEN_RULE = Protocol(
    HIGH,
    "qwen",
    1,
    "InfiGUI-R1 d280ab8, after the file that Qwen posted for Qwen2.5-VL (its issue 904)",
    "a click in a candidate box enlarged 1.2 times, or within 4 % of the longer side; text by"
    " containment, so that an empty one matches all; a click for `open` counts where boxes are"
    " known",
    step_parser("the call after <tool_call>, or a bare one", QWEN),
    AS_IS,
    step_metric(
        "boxes x 1.2 or 4 % of the longer side; text contains; swipes by axis",
        KEYS,
        _COMPARE,
        share(
            _COMPARE,
            lambda answer, gold, value: answer is not None and is_click(answer, gold, value),
            _clicked,
        ),
        ("grounding",),
    ),
    write=writes_step(QWEN),
)


def _no_call(text: str) -> str:
    return "" if call_arguments(text) else "no call in it: the published code raises"


UI_S1_RULE = replace(
    QWEN_RULE,
    id="ui-s1",
    source="UI-S1 (X-PLUG MobileAgent 11cea57)",
    special="as `qwen`, but 4 % in fractions along each axis, and every swipe is right; an episode"
    " stops at its first miss; a step that ends the task raises, which loses its episode",
    parser=step_parser("the call after <tool_call>; without one it raises", QWEN, _no_call),
    metric=step_metric(
        "boxes x 1.2 or 4 % in fractions; text contains; any swipe",
        KEYS,
        _UI_S1_COMPARE,
        by_episode(_UI_S1_COMPARE, unread_loses=True),
        EPISODES,
    ),
)
