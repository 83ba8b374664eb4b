"""GUI-R1's rule for steps: three scores apart, and categories without a hit left out."""

import re
from collections.abc import Mapping, Sequence

import numpy as np

from snellen.grading.coordinates import VIEW
from snellen.grading.models.actions import POINTED
from snellen.grading.models.actions import ActionType as A
from snellen.grading.parse.vocabularies import gui_r1 as guir1
from snellen.grading.protocols import step_rules as rules
from snellen.grading.protocols import steps
from snellen.grading.protocols.base import (
    AnswerValue,
    BoolArray,
    Denominator,
    FloatArray,
    Gold,
)
from snellen.grading.protocols.golds import StepGold
from snellen.grading.protocols.steps import ReadStep, screen_of, text_in

Value = Sequence[float]
WITH_TEXT = (A.OPEN_APP, A.TYPE, A.SCROLL, A.SELECT)


@rules.published
def _gui_r1(answer: ReadStep, gold: StepGold) -> Value:
    given = guir1.listed(text_in(guir1.GUI_R1, answer, gold.image_size))
    same, size = float(given.name == guir1.name_of(gold.action)), gold.image_size
    seen, point = VIEW.extent(size), None
    if size and seen:
        # The point is scaled before anything is compared.
        point = (given.point[0] * (size[0] / seen[0]), given.point[1] * (size[1] / seen[1]))
    if gold.action.type in WITH_TEXT:
        return float(_shares_words(given.text, guir1.text_of(gold.action))), same
    if gold.action.type not in POINTED:
        return same, same
    (width, height), target = screen_of(gold), gold.action.point
    if point is None or target is None:
        return 0.0, same
    across, down = (target[0] - point[0]) / width, (target[1] - point[1]) / height
    return float(across**2 + down**2 < 0.14**2), same


def _shares_words(*texts: str) -> bool:
    """Whether texts without square brackets share half their words, or are parts of one word."""
    words, others = ({*re.sub(r"[\[\]]", "", text).lower().split()} for text in texts)
    if len(words) == len(others) == 1:
        (word,), (expected,) = words, others
        if word in expected or expected in word:
            return True
    return rules.words_f1(words, others) >= 0.5


def _categories_with_a_hit(golds: Sequence[Gold], values: FloatArray) -> BoolArray:
    """Keep, by key, the categories (group, action) in which anything was right.

    Without a hit among the steps that have a point the published code prints nothing.
    """
    kept = np.zeros(values.shape, dtype=np.bool_)
    indexes: dict[tuple[str, str], list[int]] = {}
    for index, gold in enumerate(golds):
        indexes.setdefault((gold.group, guir1.name_of(gold.action)), []).append(index)
    if values[[gold.action.type in POINTED for gold in golds], 0].any():
        for rows in indexes.values():
            kept[rows, 1] = values[rows, 1].any()
            if golds[rows[0]].action.type in (*POINTED, *WITH_TEXT):
                kept[rows, 0] = values[rows, 0].any()
    return kept


def _gui_r1_grounding(
    golds: Sequence[Gold], answers: Sequence[AnswerValue | None]
) -> Mapping[str, float]:
    hits: dict[object, list[float]] = {}
    for gold, value in zip(golds, steps.judged(_gui_r1, answers, golds, 2), strict=True):
        if gold.action.type in POINTED and value is not None:
            hits.setdefault((gold.group, guir1.name_of(gold.action)), []).append(value[0])
    kept = [value for values in hits.values() if any(values) for value in values]
    return {"grounding": sum(kept) / len(kept) if kept else 0.0}


GUI_R1 = rules.rule("gui-r1", "GUI-R1 d43eea2", "the type need not be right: a point within 14 %,"
    " or text that shares half its words; a category without a hit leaves the denominator, and so"
    " do back, home and wait", "GUI-R1's list in <answer>", guir1.GUI_R1,
    "nearer than 14 % in fractions, or half the words, whatever the type", _gui_r1,
    _gui_r1_grounding, ("grounding",), Denominator("drops categories without a hit, and steps"
    " without point and text", keep=_categories_with_a_hit), read=guir1.read_list,
    task="androidcontrol/high", version=2)  # fmt: skip
