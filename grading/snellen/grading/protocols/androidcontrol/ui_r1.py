"""UI-R1: five actions by name, and the right clicks within 14 % of a screen that is 1080 wide.

A point is the first two whole numbers of the text, scaled by constants.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from snellen.grading.coordinates import PIXELS
from snellen.grading.models.actions import Action, ActionType, Point, direction_of
from snellen.grading.parse.vocabularies.base import Vocabulary
from snellen.grading.protocols.androidcontrol.qwen import QWEN_RULE
from snellen.grading.protocols.base import Denominator, PublishedCrashError
from snellen.grading.protocols.golds import StepGold
from snellen.grading.protocols.step_rules import KEYS, apart, drops
from snellen.grading.protocols.steps import ReadStep, step_metric, step_parser, text_in, writes_step

_REACH = 1080 * 0.14
_NAMES = {
    "open_app": ActionType.OPEN_APP,
    "click": ActionType.CLICK,
    "scroll": ActionType.SCROLL,
    "input_text": ActionType.TYPE,
    "navigate_back": ActionType.NAVIGATE,
}
_WRITTEN = {kind: name for name, kind in _NAMES.items()}
# What the image is taken to be resized from and to, whatever it is.
_ACROSS, _DOWN = 1080 / 644, 2400 / 1484
_WHOLE = re.compile(r"\d+")
_WAY = re.compile(r"'(up|down|left|right)'")
_TEXT = re.compile(r"'text': ['\"](.{0,2000}?)['\"], 'action'", re.DOTALL)


def clicked_at(text: str) -> tuple[int, int] | None:
    """Return the first two whole numbers of a text, scaled by constants; None if there are fewer.

    Raises:
        ValueError: Python reads no number of so many digits.
        OverflowError: No float holds one of them.

    Source: UI-R1 2fe9bf0, the evaluation of AndroidControl.
    """
    numbers = [int(found[0]) for found in islice(_WHOLE.finditer(text), 2)]
    return (int(_ACROSS * numbers[0]), int(_DOWN * numbers[1])) if len(numbers) == 2 else None


def _read(text: str) -> Action | None:
    """Read the last of the five names, in their order, that stands anywhere in the text.

    Source: UI-R1 2fe9bf0, the evaluation of AndroidControl.
    """
    named = [kind for name, kind in _NAMES.items() if name in text]
    if not named:
        return None
    kind = named[-1]
    way, typed = _WAY.search(text), _TEXT.search(text)
    said = typed[1] if typed else ""
    return Action(
        kind,
        point=_point(text) if kind is ActionType.CLICK else None,
        direction=direction_of(way[1]) if kind is ActionType.SCROLL and way else None,
        text=said if kind is ActionType.TYPE else "",
        app=said if kind is ActionType.OPEN_APP else "",
        button="back" if kind is ActionType.NAVIGATE else "",
    )


def _point(text: str) -> Point | None:
    try:
        found = clicked_at(text)
        return found and (float(found[0]), float(found[1]))
    except (ValueError, OverflowError):
        return None


def _write(action: Action) -> str | None:
    name = _WRITTEN.get(action.type)
    if name is None or (action.type is ActionType.NAVIGATE and action.button != "back"):
        return None
    text = action.text or action.app
    fields = f"'text': {text!r}, 'action': '{name}'" if text else f"'action': '{name}'"
    if action.type is ActionType.CLICK:
        if action.point is None:
            return None
        x, y = round(action.point[0] / _ACROSS), round(action.point[1] / _DOWN)
        fields += f", 'coordinate': [{x}, {y}]"
    elif action.direction:
        fields += f", 'direction': '{action.direction}'"
    return f"<answer>[{{{fields}}}]</answer>"


UI_R1 = Vocabulary("ui-r1", PIXELS, _read, _write, "UI-R1 2fe9bf0")


def _ui_r1(answer: ReadStep, gold: StepGold) -> Sequence[float]:
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
    special="only clicks can be right: nearer than 151.2 pixels, with coordinates scaled by"
    " constants; the action is the last of five names, in a fixed order, that the text contains",
    parser=step_parser("the last of five names, and the first two whole numbers", UI_R1),
    metric=step_metric("clicks nearer than 151.2 pixels", KEYS, _ui_r1),
    denominator=Denominator(
        "the clicks; one item that raises ends the run",
        stops_on_crash=True,
        keep=drops(lambda gold: gold.action.type is not ActionType.CLICK),
    ),
    write=writes_step(UI_R1),
)
