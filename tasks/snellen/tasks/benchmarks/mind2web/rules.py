"""How Multimodal-Mind2Web's steps are scored, by each public implementation that could be run.

A step is right when its element and its operation are: the element by a point in a box, or by a
letter, the operation by the F1 of its words. They differ in which boxes count, in what a SELECT's
value is, and in what becomes of steps whose element has no box.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from statistics import fmean
from string import punctuation
from typing import Any, cast

import numpy as np
from msgspec import structs

from snellen.grading.coordinates import PIXELS
from snellen.grading.metrics.boxes import Ltrb, point_in_box
from snellen.grading.metrics.taps import in_any
from snellen.grading.models.actions import Action, ActionType, Point
from snellen.grading.parse.responses import as_json_text
from snellen.grading.parse.vocabularies import web
from snellen.grading.parse.vocabularies.base import Vocabulary
from snellen.grading.parse.vocabularies.literals import json_fields
from snellen.grading.parse.vocabularies.screensuite import clicked_at, typed_text
from snellen.grading.parse.vocabularies.uground import numbers_of
from snellen.grading.protocols import base
from snellen.grading.protocols.golds import STEP, GoldShape, StepGold
from snellen.grading.protocols.robust_steps import robust_steps
from snellen.grading.protocols.step_rules import ABSENT, drops, on_screen, words_f1
from snellen.grading.protocols.steps import (
    Compare,
    ReadStep,
    episodes,
    judged,
    said_in,
    screen_of,
    step_metric,
    step_parser,
    text_in,
    writes_step,
)

TASK, WEBSITE, DOMAIN = (f"mind2web/{split}" for split in ("task", "website", "domain"))
_KEYS = ("step", "element", "operation_f1")
_MACRO = ("macro_step", "macro_element", "macro_operation_f1", "episode_success")
_IDS = {ActionType.CLICK: "4", ActionType.SELECT: "2", ActionType.TYPE: "3"}

# ---- what they share ---------------------------------------------------------------------------


def _f1(words: Iterable[str], others: Iterable[str]) -> float:
    given, expected = set(words), set(others)
    return words_f1(given, expected) if given or expected else 1.0


def _values(element: bool, f1: float) -> tuple[float, float, float]:
    return float(element and f1 == 1), float(element), f1


def _means(compare: Compare, more: base.Corpus | None = None) -> base.Corpus:
    """Make the means of episodes' means, and the share of episodes with every step right."""

    def corpus(
        golds: Sequence[base.Gold], answers: Sequence[base.AnswerValue | None]
    ) -> Mapping[str, float]:
        rows = [value or (0.0, 0.0, 0.0) for value in judged(compare, answers, golds, len(_KEYS))]
        found: list[list[float]] = []
        for indexes in episodes(golds):
            steps = [rows[index] for index in indexes]
            means = [fmean(step[key] for step in steps) for key in range(len(_KEYS))]
            found.append([*means, float(all(step[0] == 1 for step in steps))])
        columns = [fmean(column) for column in zip(*found, strict=True)]
        whole = dict[str, float](zip(_MACRO, columns, strict=True))
        return {**whole, **(more(golds, answers) if more else {})}

    return corpus


_DROPS_LOST = base.Denominator(
    "drops steps whose element has no box", keep=drops(lambda gold: gold.lost)
)

# ---- uground -----------------------------------------------------------------------------------


def _plain_words(text: str) -> list[str]:
    return [word for word in text.lower().split() if word not in punctuation]


def _said(action: Action, value: str) -> str:
    return f"{web.operation_of(action) or action.type} {value}"


def _uground(answer: ReadStep, gold: StepGold) -> Sequence[float]:
    plan = json_fields(text_in(web.UGROUND_WEB, answer, gold.image_size)) or {}
    operation, value = plan.get("action"), plan.get("value", "None")
    if not isinstance(operation, str) or not isinstance(value, str):
        raise base.PublishedCrashError
    given = operation if value.lower() == "none" else f"{operation} {value}"
    expected = _said(gold.action, gold.action.text)
    element = "grounding" in plan and in_any(_grounded(plan), gold.boxes)
    return _values(element, _f1(_plain_words(given), _plain_words(expected)))


def _grounded(plan: Mapping[str, object]) -> Point:
    """Return the grounder's point; an empty one is (0, 0), and so is what is no text."""
    output, scale = plan["grounding"], plan.get("scale", 1.0)
    numbers: Sequence[float] = (0.0, 0.0)
    try:
        if output and isinstance(output, str):
            numbers = numbers_of(output)
        if not isinstance(scale, int | float):
            raise base.PublishedCrashError
        return numbers[0] / scale, numbers[1] / scale
    except (ValueError, LookupError, ArithmeticError):
        raise base.PublishedCrashError from None


UGROUND_RULE = base.Protocol(
    TASK,
    "uground",
    2,
    "UGround 3a9b9f2, the evaluation of Multimodal-Mind2Web",
    "a point in any positive box, edges included; the operation's words in lower case and without"
    " punctuation, as sets; a step without an answer counts 0",
    step_parser(
        "a planner's operation and a grounder's `(x, y)`", web.UGROUND_WEB, reads=web.read_plan
    ),
    base.AS_IS,
    step_metric(
        "any positive box; words of the operation as sets",
        _KEYS,
        _uground,
        _means(_uground),
        _MACRO,
    ),
    base.STOP_ON_CRASH,
    write=writes_step(web.UGROUND_WEB),
)

# ---- seeclick, showui --------------------------------------------------------------------------


def _rounded(gold: StepGold) -> Ltrb | None:
    """Return the one published box in fractions with three decimals."""
    if not gold.boxes:
        return None
    width, height = screen_of(gold)
    left, top, right, bottom = gold.boxes[0]
    sides = (left / width, top / height, right / width, bottom / height)
    return tuple(round(side, 3) for side in sides)  # type: ignore[return-value]  # four sides


def _in_the_box(value: object, gold: StepGold) -> bool:
    """Whether a value lies in the one box as Python compares it.

    Of what lies left or right of the box the second coordinate is not looked at.

    Raises:
        TypeError: It is no point.
        LookupError: The same.
    """
    point: Any = value
    box = _rounded(gold)
    if box is None:
        return False
    return bool(box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3])


def _numbered(action: Action, value: str) -> list[str]:
    number = _IDS.get(action.type, "")
    return [number] if number == "4" else f"{number} {value}".lower().split()


_RAISED = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError)
"""What a comparison raises that takes an answer's values as they are; what was scored stays."""


def _seeclick(answer: ReadStep, gold: StepGold) -> Sequence[float]:
    element, f1 = False, 0.0
    with suppress(*_RAISED):
        fields: Mapping[Any, Any] = web.dictionary(text_in(web.SEECLICK, answer, gold.image_size))
        kind = fields["action_type"]
        element = _in_the_box(fields["click_point"], gold)
        given = str(kind)
        if kind in (2, 3):
            given += f" {fields['value'].lower()}"
        f1 = _f1(given.split(), _numbered(gold.action, gold.action.text))
    return _values(element, f1)


def _by_type(
    golds: Sequence[base.Gold], answers: Sequence[base.AnswerValue | None]
) -> Mapping[str, float]:
    """Return the mean over the three operations of the mean F1 of each."""
    values: dict[ActionType, list[float]] = {}
    for gold, value in zip(golds, judged(_seeclick, answers, golds, len(_KEYS)), strict=True):
        values.setdefault(gold.action.type, []).append(value[2] if value else 0.0)
    return {"operation_f1_by_type": fmean(map(fmean, values.values()))}


_SEECLICK = replace(
    UGROUND_RULE,
    id="seeclick",
    source="SeeClick 0ef37ac",
    special="the one published box, in fractions with three decimals; steps without a box are"
    " dropped; its operation F1 is the mean of the means of the three operations",
    parser=step_parser(
        "a dictionary with `action_type` and `click_point`", web.SEECLICK, reads=web.read_dictionary
    ),
    metric=step_metric(
        "the one box; number and value of the operation as sets",
        _KEYS,
        _seeclick,
        _means(_seeclick, _by_type),
        (*_MACRO, "operation_f1_by_type"),
    ),
    denominator=_DROPS_LOST,
    write=writes_step(web.SEECLICK),
)


def _showui(answer: ReadStep, gold: StepGold) -> Sequence[float]:
    select = gold.action.type is ActionType.SELECT
    expected = _numbered(gold.action, gold.name if select else gold.action.text)
    element, f1 = False, 0.0
    with suppress(*_RAISED):
        fields = web.showui_fields(text_in(web.SHOWUI, answer, gold.image_size))
        element = _in_the_box(fields.position, gold)
        given = _IDS[_TYPES[fields.action]]
        # A value that is None ends the comparison of the two that have one; an empty one is a text.
        if given != "4":
            given += f" {cast('str', fields.value).lower()}"
        f1 = _f1(given.split(), expected)
    return _values(element, f1)


def _as_micro(
    golds: Sequence[base.Gold], answers: Sequence[base.AnswerValue | None]
) -> Mapping[str, float]:
    """Return the numbers that it calls macro, which group every step by itself."""
    rows = [value or (0.0, 0.0, 0.0) for value in judged(_showui, answers, golds, len(_KEYS))]
    step, element, f1 = (fmean(column) for column in zip(*rows, strict=True))
    return dict(zip(_MACRO, (step, element, f1, step), strict=True))


def _write_showui(gold: StepGold) -> Sequence[object]:
    if gold.action.type is not ActionType.SELECT:
        return writes_step(web.SHOWUI)(gold)
    named = structs.replace(gold.action, text=gold.name)
    return writes_step(web.SHOWUI)(structs.replace(gold, action=named))


_SHOWUI = replace(
    _SEECLICK,
    id="showui",
    source="ShowUI 21ed7cb",
    special="as `seeclick`, but a SELECT's value is the element's name; every step is an episode of"
    " its own, so that macro is micro and episode success is step success",
    parser=step_parser(
        "`'action', 'value', 'position'` in that order", web.SHOWUI, reads=web.read_three_fields
    ),
    metric=step_metric(
        "the one box; a SELECT by its element's name", _KEYS, _showui, _as_micro, _MACRO
    ),
    write=_write_showui,
)

# ---- screensuite -------------------------------------------------------------------------------


def _entries(answer: ReadStep | None, gold: StepGold) -> tuple[float, ...]:
    """Return the scores of a step's entries: a click, and for a TYPE the typing as well."""
    text = "" if answer is None else text_in(web.SCREENSUITE_WEB, answer, gold.image_size)
    click = float(_in_first_box(clicked_at(text), gold))
    if gold.action.type is not ActionType.TYPE:
        return (click,)
    # None, where nothing is typed, is no text.
    return click, (click + float(typed_text(text) == gold.action.text.lower())) / 2


def _in_first_box(point: Point | None, gold: StepGold) -> bool:
    """Whether a point is in the first box, whose far sides are sums of fractions of the image."""
    if point is None or not gold.boxes:
        return False
    (width, height), (left, top, right, bottom) = screen_of(gold), gold.boxes[0]
    place = on_screen(point, (width, height))
    if place is None:
        return False
    x, y = left / width, top / height
    return point_in_box(*place, (x, y, x + (right - left) / width, y + (bottom - top) / height))


def _screensuite(answer: ReadStep, gold: StepGold) -> Sequence[float]:
    entries = _entries(answer, gold)
    return fmean(entries), entries[0], float(answer.action.type is gold.action.type)


def _average(
    golds: Sequence[base.Gold], answers: Sequence[base.AnswerValue | None]
) -> Mapping[str, float]:
    scores = [
        score
        for gold, answer in zip(golds, answers, strict=True)
        for score in _entries(answer, gold)
    ]
    return {"average": fmean(scores)} if scores else {}


def _before_the_cut(golds: Sequence[base.Gold], values: base.FloatArray) -> base.BoolArray:
    """Keep an episode's steps up to the first without a box, or with one that leaves the image."""
    kept = np.zeros(values.shape, dtype=np.bool_)
    for indexes in episodes(golds):
        for index in indexes:
            if _is_cut(golds[index]):
                break
            kept[index] = True
    return kept


def _is_cut(gold: StepGold) -> bool:
    if not gold.boxes:
        return True
    if gold.image_size is None:
        return False
    (left, top, right, bottom), (width, height) = gold.boxes[0], gold.image_size
    return left < 0 or top < 0 or right > width or bottom > height


_SCREENSUITE = replace(
    UGROUND_RULE,
    id="screensuite",
    source="ScreenSuite 0.0.1, Multimodal-Mind2Web (the websites alone)",
    special="a click in the first positive box; a TYPE is two entries, a click and a typing that"
    " counts it again; a SELECT's value is ignored; an episode is cut where a step has no"
    " box",
    parser=step_parser(
        "ScreenSuite's `click(x, y)` and `type(text)`", web.SCREENSUITE_WEB, reads=web.read_clicks
    ),
    metric=step_metric(
        "the first positive box, and typed text equal in lower case",
        _KEYS,
        _screensuite,
        _average,
        ("average",),
    ),
    denominator=base.Denominator(
        "cuts an episode at a step without a box; drops failed responses",
        drops=ABSENT,
        keep=_before_the_cut,
    ),
    write=writes_step(web.SCREENSUITE_WEB),
)

# ---- official: a choice of elements ------------------------------------------------------------

_ANSWER = re.compile(r"Answer: ([A-F])")
_ACTION = re.compile(r"Action: (CLICK|SELECT|TYPE)")
_VALUE = re.compile(r"Value: (.*)")
_TYPES = {"CLICK": ActionType.CLICK, "SELECT": ActionType.SELECT, "TYPE": ActionType.TYPE}


def _first_letter(text: str) -> str:
    return text.strip()[:1]


def _answered_letter(text: str) -> str:
    chosen = _ANSWER.search(text)
    return chosen[1] if chosen else "A"


def _letters(letter_of: Callable[[str], str]) -> Vocabulary:
    def read(text: str) -> Action:
        action, value = _ACTION.search(text), _VALUE.search(text)
        return Action(
            _TYPES[action[1]] if action else ActionType.UNKNOWN,
            text=value[1].strip() if value else "",
            button=letter_of(text),
        )

    return Vocabulary(_LETTERS, PIXELS, read, lambda _: None, "Mind2Web 1b7c323")


_LETTERS = "mind2web-letters"


def _choice_parser(name: str, vocabulary: Vocabulary, *, empty_raises: bool) -> base.Parser:
    def read(response: object, _: base.Context) -> base.Parsed:
        text = as_json_text(response)
        if text is None or (empty_raises and not text.strip()):
            return base.unparsed("empty: the published code raises", crashed=True)
        action = vocabulary.read(text)
        return (
            base.Parsed(said_in(vocabulary, action, text)) if action else base.unparsed("no choice")
        )

    return base.Parser(name, read)


def _official(answer: ReadStep, gold: StepGold) -> Sequence[float]:
    if gold.lost:
        return 0.0, 0.0, 0.0
    if not gold.letters:
        raise base.UnjudgeableError("a choice needs the letters of the elements that were shown")
    if answer.format != _LETTERS:
        raise base.UnjudgeableError("a point is no choice of an element that was shown")
    operation = web.operation_of(answer.action) or ""
    given = f"{operation} {answer.action.text}".split()
    expected = _said(gold.action, gold.action.text).split()
    return _values(answer.action.button in gold.letters, _f1(given, expected))


def _write_choice(before: str) -> Callable[[base.Gold], list[object]]:
    def write(gold: StepGold) -> list[object]:
        value = f"\nValue: {gold.action.text}" if gold.action.text else ""
        letter, operation = gold.letters[:1] or "A", web.operation_of(gold.action)
        return [f"{before}{letter}.\nAction: {operation}{value}"]

    return write


_OFFICIAL = replace(
    UGROUND_RULE,
    id="official",
    source="Mind2Web 1b7c323, the choice of a fine-tuned model",
    special="the answer's first letter, of the elements that are shown, of which any positive one"
    " is right; the operation's words as sets, case counts; references without letters can't be"
    " held against it",
    parser=_choice_parser(
        "the first letter, `Action:` and `Value:`", _letters(_first_letter), empty_raises=True
    ),
    metric=step_metric(
        "the letter; words of the operation as sets, case counts",
        _KEYS,
        _official,
        _means(_official),
        _MACRO,
    ),
    write=_write_choice(""),
)
_CHAT = replace(
    _OFFICIAL,
    id="official-chat",
    version=1,
    source="Mind2Web 1b7c323, the choice of a chat model",
    special="as `official`, but the letter follows `Answer: `; without one it is A, none of"
    " the elements",
    parser=_choice_parser(
        "`Answer: ` and a letter, `Action:` and `Value:`",
        _letters(_answered_letter),
        empty_raises=False,
    ),
    denominator=base.ALL_ITEMS,
    write=_write_choice("Answer: "),
)

_ALL = (robust_steps(TASK), UGROUND_RULE, _SEECLICK, _SHOWUI, _SCREENSUITE, _OFFICIAL, _CHAT)
PROTOCOLS: Mapping[str, tuple[base.Protocol, ...]] = {
    task: tuple(replace(protocol, task=task) for protocol in _ALL)
    for task in (TASK, WEBSITE, DOMAIN)
}
GOLDS: Mapping[str, GoldShape] = dict.fromkeys((TASK, WEBSITE, DOMAIN), STEP)
