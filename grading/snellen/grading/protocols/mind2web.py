"""How Multimodal-Mind2Web's steps are scored, by each public implementation that could be run.

A step is right when its element and its operation are: the element by a point in a box, or by a
letter, the operation by the F1 of its words. They differ in which boxes count, in what a SELECT's
value is, and in what becomes of steps whose element has no box.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from string import punctuation

import numpy as np
from msgspec import structs

from snellen.grading.coordinates import PIXELS, UNIT
from snellen.grading.metrics.boxes import Ltrb, point_in_box
from snellen.grading.metrics.taps import in_any
from snellen.grading.models.actions import Action, ActionType
from snellen.grading.parse.responses import as_json_text
from snellen.grading.parse.vocabularies.base import Vocabulary
from snellen.grading.parse.vocabularies.web import (
    SCREENSUITE_WEB,
    SEECLICK,
    SHOWUI,
    UGROUND_WEB,
    operation_of,
)
from snellen.grading.protocols.base import (
    AS_IS,
    AnswerValue,
    BoolArray,
    Context,
    Corpus,
    Denominator,
    FloatArray,
    Gold,
    Parsed,
    Parser,
    Protocol,
    UnjudgeableError,
    unparsed,
)
from snellen.grading.protocols.golds import STEP, GoldShape, StepGold
from snellen.grading.protocols.robust_steps import robust_steps
from snellen.grading.protocols.step_rules import ABSENT, drops
from snellen.grading.protocols.steps import (
    Compare,
    Said,
    episodes,
    judged,
    said_in,
    screen_of,
    step_metric,
    step_parser,
    writes_step,
)

TASK, WEBSITE, DOMAIN = (f"mind2web/{split}" for split in ("task", "website", "domain"))
_KEYS = ("step", "element", "operation_f1")
_MACRO = ("macro_step", "macro_element", "macro_operation_f1", "episode_success")
_IDS = {ActionType.CLICK: "4", ActionType.SELECT: "2", ActionType.TYPE: "3"}

# ---- what they share ---------------------------------------------------------------------------


def _f1(words: Iterable[str], others: Iterable[str]) -> float:
    given, expected = set(words), set(others)
    if not given and not expected:
        return 1.0
    common = len(given & expected)
    return 2 * common / (len(given) + len(expected)) if common else 0.0


def _values(element: bool, f1: float) -> tuple[float, float, float]:
    return float(element and f1 == 1), float(element), f1


def _means(compare: Compare, more: Corpus | None = None) -> Corpus:
    """Make the means of episodes' means, and the share of episodes with every step right."""

    def corpus(golds: Sequence[Gold], answers: Sequence[AnswerValue | None]) -> Mapping[str, float]:
        rows = [value or (0.0, 0.0, 0.0) for value in judged(compare, answers, golds, len(_KEYS))]
        found: list[list[float]] = []
        for places in episodes(golds):
            steps = [rows[place] for place in places]
            means = [fmean(step[key] for step in steps) for key in range(len(_KEYS))]
            found.append([*means, float(all(step[0] == 1 for step in steps))])
        columns = [fmean(column) for column in zip(*found, strict=True)]
        whole = dict[str, float](zip(_MACRO, columns, strict=True))
        return {**whole, **(more(golds, answers) if more else {})}

    return corpus


_DROPS_LOST = Denominator(
    "drops steps whose element has no box", keep=drops(lambda gold: gold.lost)
)

# ---- uground -----------------------------------------------------------------------------------


def _plain_words(text: str) -> list[str]:
    return [word for word in text.lower().split() if word not in punctuation]


def _said(action: Action, value: str) -> str:
    return f"{operation_of(action) or action.type} {value}"


def _uground(answer: Said, gold: StepGold) -> Sequence[float]:
    point = answer.at(PIXELS, gold.image_size)
    element = point is not None and in_any(point, gold.boxes)
    given = _plain_words(_said(answer.action, answer.action.text))
    expected = _plain_words(_said(gold.action, gold.action.text))
    return _values(element, _f1(given, expected))


UGROUND_RULE = Protocol(
    TASK,
    "uground",
    1,
    "UGround 3a9b9f2, the evaluation of Multimodal-Mind2Web",
    "a point in any positive box, edges included; the operation's words in lower case and without"
    " punctuation, as sets; a step without an answer counts 0",
    step_parser("a planner's operation and a grounder's `(x, y)`", UGROUND_WEB),
    AS_IS,
    step_metric(
        "any positive box; words of the operation as sets",
        _KEYS,
        _uground,
        _means(_uground),
        _MACRO,
    ),
    write=writes_step(UGROUND_WEB),
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


def _in_the_box(answer: Said, gold: StepGold) -> bool:
    box, point = _rounded(gold), answer.at(UNIT, gold.image_size)
    return box is not None and point is not None and point_in_box(*point, box)


def _numbered(action: Action, value: str) -> list[str]:
    number = _IDS.get(action.type, "")
    return [number] if number == "4" else f"{number} {value}".lower().split()


def _seeclick(answer: Said, gold: StepGold) -> Sequence[float]:
    given = _numbered(answer.action, answer.action.text)
    return _values(_in_the_box(answer, gold), _f1(given, _numbered(gold.action, gold.action.text)))


def _by_type(golds: Sequence[Gold], answers: Sequence[AnswerValue | None]) -> Mapping[str, float]:
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
    parser=step_parser("a dictionary with `action_type` and `click_point`", SEECLICK),
    metric=step_metric(
        "the one box; number and value of the operation as sets",
        _KEYS,
        _seeclick,
        _means(_seeclick, _by_type),
        (*_MACRO, "operation_f1_by_type"),
    ),
    denominator=_DROPS_LOST,
    write=writes_step(SEECLICK),
)


def _showui(answer: Said, gold: StepGold) -> Sequence[float]:
    select = gold.action.type is ActionType.SELECT
    expected = _numbered(gold.action, gold.name if select else gold.action.text)
    given = _numbered(answer.action, answer.action.text)
    # Its reader takes an empty value for none, which ends the comparison.
    f1 = 0.0 if answer.action.type in _VALUED and not answer.action.text else _f1(given, expected)
    return _values(_in_the_box(answer, gold), f1)


_VALUED = (ActionType.TYPE, ActionType.SELECT)


def _as_micro(golds: Sequence[Gold], answers: Sequence[AnswerValue | None]) -> Mapping[str, float]:
    """Return the numbers that it calls macro, which group every step by itself."""
    rows = [value or (0.0, 0.0, 0.0) for value in judged(_showui, answers, golds, len(_KEYS))]
    step, element, f1 = (fmean(column) for column in zip(*rows, strict=True))
    return dict(zip(_MACRO, (step, element, f1, step), strict=True))


def _write_showui(gold: StepGold) -> Sequence[object]:
    if gold.action.type is not ActionType.SELECT:
        return writes_step(SHOWUI)(gold)
    named = structs.replace(gold.action, text=gold.name)
    return writes_step(SHOWUI)(structs.replace(gold, action=named))


_SHOWUI = replace(
    _SEECLICK,
    id="showui",
    source="ShowUI 21ed7cb",
    special="as `seeclick`, but a SELECT's value is the element's name; every step is an episode of"
    " its own, so that macro is micro and episode success is step success",
    parser=step_parser("`'action', 'value', 'position'` in that order", SHOWUI),
    metric=step_metric(
        "the one box; a SELECT by its element's name", _KEYS, _showui, _as_micro, _MACRO
    ),
    write=_write_showui,
)

# ---- screensuite -------------------------------------------------------------------------------


def _entries(answer: AnswerValue | None, gold: StepGold) -> tuple[float, ...]:
    """Return the scores of a step's entries: a click, and for a TYPE the typing as well."""
    if answer is None:
        return (0.0, 0.0) if gold.action.type is ActionType.TYPE else (0.0,)
    point = answer.at(PIXELS, gold.image_size)
    click = float(point is not None and bool(gold.boxes) and in_any(point, gold.boxes[:1]))
    if gold.action.type is not ActionType.TYPE:
        return (click,)
    text = answer.action.text.lower()
    typed = float(bool(text) and text == gold.action.text.lower())
    return click, (click + typed) / 2


def _screensuite(answer: Said, gold: StepGold) -> Sequence[float]:
    entries = _entries(answer, gold)
    return fmean(entries), entries[0], float(answer.action.type is gold.action.type)


def _average(golds: Sequence[Gold], answers: Sequence[AnswerValue | None]) -> Mapping[str, float]:
    scores = [
        score
        for gold, answer in zip(golds, answers, strict=True)
        for score in _entries(answer, gold)
    ]
    return {"average": fmean(scores)} if scores else {}


def _before_the_cut(golds: Sequence[Gold], values: FloatArray) -> BoolArray:
    """Keep an episode's steps up to the first without a box, or with one that leaves the image."""
    kept = np.zeros(values.shape, dtype=np.bool_)
    for places in episodes(golds):
        for place in places:
            if _is_cut(golds[place]):
                break
            kept[place] = True
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
    " counts it again; a SELECT's value is not looked at; an episode is cut where a step has no"
    " box",
    parser=step_parser("ScreenSuite's `click(x, y)` and `type(text)`", SCREENSUITE_WEB),
    metric=step_metric(
        "the first positive box, and typed text equal in lower case",
        _KEYS,
        _screensuite,
        _average,
        ("average",),
    ),
    denominator=Denominator(
        "cuts an episode at a step without a box; drops failed responses",
        drops=ABSENT,
        keep=_before_the_cut,
    ),
    write=writes_step(SCREENSUITE_WEB),
)

# ---- official: a choice of elements ------------------------------------------------------------

_ANSWER = re.compile(r"Answer: ([A-F])")
_ACTION = re.compile(r"Action: (CLICK|SELECT|TYPE)")
_VALUE = re.compile(r"Value: (.*)")
_TYPES = {"CLICK": ActionType.CLICK, "SELECT": ActionType.SELECT, "TYPE": ActionType.TYPE}


def _read_letter(text: str) -> Action:
    action, value = _ACTION.search(text), _VALUE.search(text)
    return Action(
        _TYPES[action[1]] if action else ActionType.UNKNOWN,
        text=value[1].strip() if value else "",
        button=_letter_of(text),
    )


def _letter_of(text: str) -> str:
    chosen = _ANSWER.search(text)
    return chosen[1] if chosen else text.strip()[:1]


_LETTERS = Vocabulary("mind2web-letters", PIXELS, _read_letter, lambda _: None, "Mind2Web 1b7c323")


def _read_choice(response: object, _: Context) -> Parsed:
    text = as_json_text(response)
    if text is None or not text.strip():
        return unparsed("empty: the published code raises", crashed=True)
    action = _read_letter(text)
    return Parsed(said_in(_LETTERS, action, text))


def _official(answer: Said, gold: StepGold) -> Sequence[float]:
    if gold.lost:
        return 0.0, 0.0, 0.0
    if not gold.letters:
        raise UnjudgeableError("a choice needs the letters of the elements that were shown")
    if answer.format != _LETTERS.name:
        raise UnjudgeableError("a point is no choice of an element that was shown")
    operation = operation_of(answer.action) or ""
    given = f"{operation} {answer.action.text}".split()
    expected = _said(gold.action, gold.action.text).split()
    return _values(answer.action.button in gold.letters, _f1(given, expected))


def _write_choice(gold: StepGold) -> list[object]:
    value = f"\nValue: {gold.action.text}" if gold.action.text else ""
    return [f"{gold.letters[:1] or 'A'}.\nAction: {operation_of(gold.action)}{value}"]


_OFFICIAL = replace(
    UGROUND_RULE,
    id="official",
    source="Mind2Web 1b7c323, and SeeAct 2434627",
    special="a letter of the elements that are shown, of which any positive one is right; the"
    " operation's words as sets, case counts; references without letters can't be held against it",
    parser=Parser("a letter, `Action:` and `Value:`", _read_choice),
    metric=step_metric(
        "the letter; words of the operation as sets, case counts",
        _KEYS,
        _official,
        _means(_official),
        _MACRO,
    ),
    write=_write_choice,
)

_ALL = (UGROUND_RULE, robust_steps(TASK), _SEECLICK, _SHOWUI, _SCREENSUITE, _OFFICIAL)
PROTOCOLS: Mapping[str, tuple[Protocol, ...]] = {
    task: tuple(replace(protocol, task=task) for protocol in _ALL)
    for task in (TASK, WEBSITE, DOMAIN)
}
GOLDS: Mapping[str, GoldShape] = dict.fromkeys((TASK, WEBSITE, DOMAIN), STEP)
