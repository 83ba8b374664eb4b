"""GUI-R1: three scores apart, and categories without a hit left out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from snellen.grading.coordinates import PIXELS, UNIT
from snellen.grading.metrics.text import set_f1
from snellen.grading.models.actions import POINTED, ActionType
from snellen.grading.parse.vocabularies.gui_r1 import GUI_R1, said
from snellen.grading.protocols.androidcontrol.qwen import QWEN_RULE
from snellen.grading.protocols.base import (
    AnswerValue,
    BoolArray,
    Denominator,
    FloatArray,
    Gold,
)
from snellen.grading.protocols.step_rules import KEYS
from snellen.grading.protocols.steps import (
    Said,
    StepGold,
    judged,
    moved,
    step_metric,
    step_parser,
    writes_step,
)

_WITH_TEXT = (
    ActionType.OPEN_APP,
    ActionType.TYPE,
    ActionType.SCROLL,
    ActionType.SELECT,
)


def _gui_r1(answer: Said, gold: StepGold) -> Sequence[float]:
    same = float(answer.action.type is gold.action.type)
    if gold.action.type in POINTED:
        return float(_within_14(answer, gold)), same
    if gold.action.type in _WITH_TEXT:
        return float(_shares_words(said(answer.action), said(gold.action))), same
    return same, same


def _within_14(answer: Said, gold: StepGold) -> bool:
    """Nearer than 14 % in fractions of the screen along each axis, whatever the type."""
    size = gold.image_size
    point, target = answer.at(UNIT, size), moved(gold.action.point, PIXELS, UNIT, size)
    if point is None or target is None:
        return False
    return (point[0] - target[0]) ** 2 + (point[1] - target[1]) ** 2 < 0.14**2


def _shares_words(text: str, other: str) -> bool:
    first, second = (one.replace("[", "").replace("]", "").lower() for one in (text, other))
    words, others = first.split(), second.split()
    if len(words) == 1 and len(others) == 1:
        return first.strip() in second or second.strip() in first
    return set_f1(words, others) >= 0.5


def _categories_with_a_hit(golds: Sequence[Gold], values: FloatArray) -> BoolArray:
    """Keep, by key, the categories (group, action) in which anything was right.

    Steps that have neither a point nor a text are in `type` alone. Without a hit among those that
    have a point the published code divides by 0 and prints nothing.
    """
    kept = np.zeros(values.shape, dtype=np.bool_)
    step, kind = (KEYS.index(key) for key in KEYS)
    places: dict[tuple[str, ActionType], list[int]] = {}
    for place, gold in enumerate(golds):
        places.setdefault((gold.group, gold.action.type), []).append(place)
    pointed = [place for place, gold in enumerate(golds) if gold.action.type in POINTED]
    if not values[pointed, step].any():
        return kept
    for (_, action), rows in places.items():
        kept[rows, kind] = values[rows, kind].any()
        if action in POINTED or action in _WITH_TEXT:
            kept[rows, step] = values[rows, step].any()
    return kept


def _gui_r1_grounding(
    golds: Sequence[Gold], answers: Sequence[AnswerValue | None]
) -> Mapping[str, float]:
    hits: dict[tuple[str, ActionType], list[float]] = {}
    for gold, value in zip(golds, judged(_gui_r1, answers, golds, len(KEYS)), strict=True):
        if gold.action.type in POINTED and value is not None:
            hits.setdefault((gold.group, gold.action.type), []).append(value[0])
    kept = [value for values in hits.values() if any(values) for value in values]
    return {"grounding": sum(kept) / len(kept) if kept else 0.0}


GUI_R1_RULE = replace(
    QWEN_RULE,
    id="gui-r1",
    source="GUI-R1 d43eea2",
    special="the step needs no right type: a point within 14 %, or text that shares half its words;"
    " a category without a hit leaves the denominator, and so do back, home and wait",
    parser=step_parser("GUI-R1's list in <answer>", GUI_R1),
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
