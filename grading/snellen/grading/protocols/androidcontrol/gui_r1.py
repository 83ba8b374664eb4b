"""GUI-R1: three scores apart, and categories without a hit left out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from snellen.grading.coordinates import VIEW
from snellen.grading.models.actions import POINTED, ActionType, Point
from snellen.grading.parse.vocabularies.gui_r1 import GUI_R1, listed, name_of, read_list, text_of
from snellen.grading.protocols.androidcontrol.qwen import QWEN_RULE
from snellen.grading.protocols.base import (
    AnswerValue,
    BoolArray,
    Denominator,
    FloatArray,
    Gold,
    PublishedCrashError,
)
from snellen.grading.protocols.step_rules import KEYS, words_f1
from snellen.grading.protocols.steps import (
    ReadStep,
    StepGold,
    judged,
    screen_of,
    step_metric,
    step_parser,
    text_in,
    writes_step,
)

_WITH_TEXT = (
    ActionType.OPEN_APP,
    ActionType.TYPE,
    ActionType.SCROLL,
    ActionType.SELECT,
)


def _gui_r1(answer: ReadStep, gold: StepGold) -> Sequence[float]:
    given = listed(text_in(GUI_R1, answer, gold.image_size))
    same = float(given.name == name_of(gold.action))
    # The point is scaled before anything is compared.
    point = _scaled(given.point, gold)
    if gold.action.type in POINTED:
        return float(_within_14(point, gold)), same
    if gold.action.type in _WITH_TEXT:
        return float(_shares_words(given.text, text_of(gold.action))), same
    return same, same


def _scaled(point: tuple[int, int], gold: StepGold) -> Point | None:
    """Return a point of the resized image in pixels of the original, whose size may be unknown."""
    size = gold.image_size
    seen = VIEW.extent(size)
    if size is None or seen is None:
        return None
    try:
        return point[0] * (size[0] / seen[0]), point[1] * (size[1] / seen[1])
    except OverflowError:
        raise PublishedCrashError from None


def _within_14(point: Point | None, gold: StepGold) -> bool:
    """Nearer than 14 % in fractions of the screen along each axis, whatever the type."""
    (width, height), target = screen_of(gold), gold.action.point
    if point is None or target is None:
        return False
    across, down = (target[0] - point[0]) / width, (target[1] - point[1]) / height
    try:
        return across**2 + down**2 < 0.14**2
    except OverflowError:
        raise PublishedCrashError from None


def _shares_words(text: str, other: str) -> bool:
    """Whether texts without square brackets share half their words, or are parts of one word."""
    words, others = (
        set(each.replace("[", "").replace("]", "").lower().split()) for each in (text, other)
    )
    if len(words) == 1 and len(others) == 1:
        (word,), (expected,) = words, others
        if word in expected or expected in word:
            return True
    return words_f1(words, others) >= 0.5


def _categories_with_a_hit(golds: Sequence[Gold], values: FloatArray) -> BoolArray:
    """Keep, by key, the categories (group, action) in which anything was right.

    Steps that have neither a point nor a text are in `type` alone. Without a hit among those that
    have a point the published code divides by 0 and prints nothing.
    """
    kept = np.zeros(values.shape, dtype=np.bool_)
    step, kind = (KEYS.index(key) for key in KEYS)
    indexes: dict[tuple[str, str], list[int]] = {}
    for index, gold in enumerate(golds):
        indexes.setdefault((gold.group, name_of(gold.action)), []).append(index)
    pointed = [index for index, gold in enumerate(golds) if gold.action.type in POINTED]
    if not values[pointed, step].any():
        return kept
    for rows in indexes.values():
        kept[rows, kind] = values[rows, kind].any()
        if golds[rows[0]].action.type in (*POINTED, *_WITH_TEXT):
            kept[rows, step] = values[rows, step].any()
    return kept


def _gui_r1_grounding(
    golds: Sequence[Gold], answers: Sequence[AnswerValue | None]
) -> Mapping[str, float]:
    hits: dict[tuple[str, str], list[float]] = {}
    for gold, value in zip(golds, judged(_gui_r1, answers, golds, len(KEYS)), strict=True):
        if gold.action.type in POINTED and value is not None:
            hits.setdefault((gold.group, name_of(gold.action)), []).append(value[0])
    kept = [value for values in hits.values() if any(values) for value in values]
    return {"grounding": sum(kept) / len(kept) if kept else 0.0}


GUI_R1_RULE = replace(
    QWEN_RULE,
    id="gui-r1",
    source="GUI-R1 d43eea2",
    special="the type need not be right: a point within 14 %, or text that shares half its words;"
    " a category without a hit leaves the denominator, and so do back, home and wait",
    parser=step_parser("GUI-R1's list in <answer>", GUI_R1, reads=read_list),
    metric=step_metric(
        "nearer than 14 % in fractions, or half the words, whatever the type",
        KEYS,
        _gui_r1,
        _gui_r1_grounding,
        ("grounding",),
    ),
    denominator=Denominator(
        "drops categories without a hit, and steps without point and text",
        keep=_categories_with_a_hit,
    ),
    write=writes_step(GUI_R1),
)
