"""Qwen's rule as InfiGUI-R1 published it, and as UI-S1 altered it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import sqrt
from typing import NamedTuple

import msgspec

from snellen.grading.coordinates import VIEW, Extent
from snellen.grading.metrics.boxes import Ltrb
from snellen.grading.metrics.taps import enlarged, in_any
from snellen.grading.models.actions import Action, ActionType, Point, swiped
from snellen.grading.parse.vocabularies.qwen import INFIGUI_QWEN, call_arguments, read_call, sides
from snellen.grading.protocols.androidcontrol.parts import HIGH
from snellen.grading.protocols.base import (
    AS_IS,
    AnswerValue,
    Protocol,
    PublishedCrashError,
    UnjudgeableError,
)
from snellen.grading.protocols.step_rules import (
    EPISODES,
    KEYS,
    by_episode,
    contains,
    is_click,
    share,
)
from snellen.grading.protocols.steps import (
    Compare,
    ReadStep,
    StepGold,
    screen_of,
    step_metric,
    step_parser,
    text_in,
    writes_step,
)

_REACH = 0.04


class _Screen(NamedTuple):
    """A reference in fractions of its screenshot, and the size of the image that was seen."""

    boxes: Sequence[Ltrb]
    seen: Extent


def _screen(gold: StepGold) -> _Screen:
    width, height = screen_of(gold)
    seen = VIEW.extent((width, height))
    if seen is None:
        raise UnjudgeableError("no image of this shape can be resized for the model")
    boxes = [
        (box[0] / width, box[1] / height, box[2] / width, box[3] / height) for box in gold.boxes
    ]
    return _Screen(boxes, seen)


def _fractions(pair: Sequence[float] | None, screen: _Screen) -> Point:
    """Return two numbers in fractions of the image that was seen.

    Raises:
        PublishedCrashError: There are none, or they are too large to be divided.
    """
    if pair is None:
        raise PublishedCrashError
    try:
        return pair[0] / screen.seen[0], pair[1] / screen.seen[1]
    except OverflowError:
        raise PublishedCrashError from None


def _near_in_view(point: Point, target: Point, seen: Extent) -> bool:
    """Within 4 % of the longer side of the resized image, in its pixels.

    Raises:
        PublishedCrashError: No float holds the square of a distance.
    """
    across, down = (target[0] - point[0]) * seen[0], (target[1] - point[1]) * seen[1]
    try:
        return sqrt(across**2 + down**2) <= _REACH * max(seen)
    except OverflowError:
        raise PublishedCrashError from None


def _near_in_unit(point: Point, target: Point, _: Extent) -> bool:
    """Within 4 % in fractions of the screen along each axis."""
    across, down = target[0] - point[0], target[1] - point[1]
    return sqrt(across * across + down * down) <= _REACH


_Near = Callable[[Point, Point, Extent], bool]


def _said_text(fields: Mapping[str, object], name: str) -> str:
    """Return a text of a call.

    Raises:
        PublishedCrashError: It has no such field, or one that is no text.
    """
    text = fields.get(name)
    if not isinstance(text, str):
        raise PublishedCrashError
    return text


_NAMES = {
    ActionType.CLICK: "click",
    ActionType.LONG_PRESS: "long_press",
    ActionType.TYPE: "type",
    ActionType.OPEN_APP: "open",
    ActionType.NAVIGATE: "system_button",
    ActionType.SCROLL: "swipe",
    ActionType.WAIT: "wait",
}


def _qwen(near: _Near, *, any_swipe: bool) -> Compare:
    def hits(fields: Mapping[str, object], gold: StepGold, target: Point | None) -> bool:
        screen = _screen(gold)
        point = _fractions(sides(fields), screen)
        if in_any(point, [enlarged(box, 1.2) for box in screen.boxes]):
            return True
        if target is None:
            left, top, right, bottom = screen.boxes[0]
            return near(point, ((left + right) / 2, (top + bottom) / 2), screen.seen)
        width, height = screen_of(gold)
        return near(point, (target[0] / width, target[1] / height), screen.seen)

    def right(fields: Mapping[str, object], gold: StepGold) -> bool:
        action = gold.action
        match action.type:
            case ActionType.CLICK | ActionType.LONG_PRESS:
                return hits(fields, gold, action.point)
            case ActionType.TYPE:
                return contains(_said_text(fields, "text"), action.text)
            case ActionType.OPEN_APP:
                return contains(_said_text(fields, "text"), action.app)
            case ActionType.NAVIGATE:
                button = _said_text(fields, "button")
                return button.lower().strip() == action.button.lower().strip()
            case ActionType.SCROLL if not any_swipe:
                screen = _screen(gold)
                start, end = (
                    _fractions(sides(fields, name), screen)
                    for name in ("coordinate", "coordinate2")
                )
                # The published rule holds the finger's axis against the file's word, which is
                # where the content leads: a finger that moves up is wrong for `down`.
                return swiped(start, end).opposite is action.direction
            case _:
                return True

    def compare(answer: ReadStep, gold: StepGold) -> Sequence[float]:
        name = _NAMES.get(gold.action.type)
        fields = call_arguments(text_in(INFIGUI_QWEN, answer, gold.image_size))
        if name is None or fields is None:
            raise PublishedCrashError
        if gold.image_size is not None:
            # Every coordinate is divided, whatever the actions are.
            for coordinate in fields.keys() & {"coordinate", "coordinate2"}:
                _fractions(sides(fields, coordinate), _screen(gold))
        if fields["action"] == name:
            return float(right(fields, gold)), 1.0
        if name == "open" and fields["action"] == "click" and gold.boxes:
            return float(hits(fields, gold, None)), 1.0
        return 0.0, 0.0

    return compare


def _caught(compare: Compare) -> Compare:
    """Return a comparison in which what raises is a wrong step of a wrong type."""

    def caught(answer: ReadStep, gold: StepGold) -> Sequence[float]:
        try:
            return compare(answer, gold)
        except PublishedCrashError:
            return 0.0, 0.0

    return caught


def _by_finger(gold: StepGold) -> Sequence[object]:
    action = gold.action
    if action.direction is not None:
        finger = Action(ActionType.SCROLL, direction=action.direction.opposite)
        gold = msgspec.structs.replace(gold, action=finger)
    return writes_step(INFIGUI_QWEN)(gold)


_COMPARE = _qwen(_near_in_view, any_swipe=False)
_UI_S1_COMPARE = _qwen(_near_in_unit, any_swipe=True)


def _clicked(answer: AnswerValue | None, _: StepGold, value: Sequence[float]) -> bool:
    return answer is not None and answer.action.type is ActionType.CLICK and value[0] == 1


QWEN_RULE = Protocol(
    HIGH,
    "qwen",
    2,
    "InfiGUI-R1 d280ab8, after the file that Qwen posted for Qwen2.5-VL (its issue 904)",
    "a click in a candidate box enlarged 1.2 times, or within 4 % of the longer side; text by"
    " containment, so that an empty one matches all; a click for `open` counts where boxes are"
    " known; a swipe is right if the finger moves as the file's direction says, which is where the"
    " content leads",
    step_parser("the call after <tool_call>, or a bare one", INFIGUI_QWEN, reads=read_call),
    AS_IS,
    step_metric(
        "boxes x 1.2 or 4 % of the longer side; text contains; swipes by the finger's axis",
        KEYS,
        _caught(_COMPARE),
        share(
            _COMPARE,
            lambda answer, gold, value: answer is not None and is_click(answer, gold, value),
            _clicked,
        ),
        ("grounding",),
    ),
    write=_by_finger,
)


def _no_call(text: str) -> str:
    return "" if call_arguments(text) else "no call in it: the published code raises"


UI_S1_RULE = replace(
    QWEN_RULE,
    id="ui-s1",
    source="UI-S1 (X-PLUG MobileAgent 11cea57)",
    special="as `qwen`, but 4 % in fractions along each axis, and every swipe is right; an episode"
    " stops at its first miss; a step that ends the task raises, which loses its episode",
    parser=step_parser(
        "the call after <tool_call>; without one it raises", INFIGUI_QWEN, _no_call, read_call
    ),
    metric=step_metric(
        "boxes x 1.2 or 4 % in fractions; text contains; any swipe",
        KEYS,
        _UI_S1_COMPARE,
        by_episode(_UI_S1_COMPARE, unread_loses=True),
        EPISODES,
    ),
)
