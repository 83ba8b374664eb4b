"""The parsers, metrics and denominators that VisualWebBench's protocols are made of.

Source: VisualWebBench's `utils/eval_utils.py` and `model_adapters/`; ScreenSuite's copy of them.
"""

from collections.abc import Sequence
from math import inf
from sys import float_info
from typing import cast

import numpy as np

from snellen.grading.coordinates import Extent
from snellen.grading.errors import MetricError
from snellen.grading.metrics.boxes import Ltrb, iou, point_in_box
from snellen.grading.metrics.rouge101 import Rouge101References
from snellen.grading.metrics.squad import SquadReferences
from snellen.grading.models.scores import Outcome
from snellen.grading.parse import choice
from snellen.grading.parse.lead_ins import after_first_colon, meta_description
from snellen.grading.pointing.points import box_four_numbers, plain_point
from snellen.grading.protocols import base
from snellen.grading.protocols.spaces import placed, point_metric
from snellen.grading.protocols.texts import all_texts, equal, ours, text_parser

SAME_SPACE = "taken to be in the reference's coordinate space, as the published code does"

# JSON that is no text raises in the published code like a text of dots does.
DROP_RAISING = base.Denominator(
    "drops items that raise", drops=frozenset({Outcome.UNPARSED}), drops_crashed=True
)
DROP_FAILED_AND_RAISING = base.Denominator(
    "drops failed responses and items that raise",
    drops=base.DROP_FAILED.drops | DROP_RAISING.drops,
    drops_crashed=True,
)
DROP_FAILED_STOP_ON_CRASH = base.Denominator(
    "drops failed responses; one item that raises ends the run",
    drops=base.DROP_FAILED.drops,
    stops_on_crash=True,
)

META_DESCRIPTION = text_parser(
    "the content of a meta description tag", lambda text, _: meta_description(text)
)
AFTER_COLON = text_parser("what follows the first colon", lambda text, _: after_first_colon(text))

# F of a text and itself: 2 / (2 + 1e-8).
_BEST_F = 0.999999995


def rouge101(
    *,
    blank_up_to: int = 0,
    only_rouge1: bool = False,
    averaged: bool = False,
    blank_golds: bool = False,
) -> base.Metric:
    """Make the metric that the published code takes from the package rouge 1.0.1.

    Args:
        blank_up_to: Answers of at most so many characters are scored as a space.
        only_rouge1: Whether ROUGE-1 stands alone, as F1.
        averaged: Whether the mean of the three comes first.
        blank_golds: Whether an empty reference is scored as a space, too.
    """
    blank = " " if blank_golds else ""

    def prepare(golds: Sequence[base.Gold], normalizer: base.Normalizer) -> base.Judge:
        texts = [[normalizer.apply(text) or blank for text in all_texts(gold)] for gold in golds]
        prepared = Rouge101References(texts)

        def judge(items: base.IntArray, answers: Sequence[base.AnswerValue]) -> base.Judged:
            given = [
                normalizer.apply(answer) if len(answer) > blank_up_to else " " for answer in answers
            ]
            columns = prepared.score(items.tolist(), given)
            chosen = (
                (columns.rouge1,)
                if only_rouge1
                else (columns.rouge1, columns.rouge2, columns.rougeL)
            )
            values = np.nan_to_num(np.column_stack(chosen), nan=0.0)
            if averaged:
                values = np.column_stack((values.mean(axis=1), values))
            return base.Judged(values, columns.crashed)

        return judge

    if only_rouge1:
        return base.Metric(
            "ROUGE-1 of rouge 1.0.1, called F1", ("f1",), "f1", prepare, best=_BEST_F
        )
    blanked = "; a single character is a blank" if blank_up_to else ""
    blanked += "; an empty reference is a blank" if blank_golds else ""
    if averaged:
        return base.Metric(
            f"mean of ROUGE-1/2/L of rouge 1.0.1{blanked}",
            ("rouge_mean", "rouge1", "rouge2", "rougeL"),
            "rouge_mean",
            prepare,
            best=_BEST_F,
        )
    return base.Metric(
        f"ROUGE-1/2/L of rouge 1.0.1{blanked}",
        ("rouge1", "rouge2", "rougeL"),
        "rougeL",
        prepare,
        best=_BEST_F,
    )


def _prepare_squad_f1(golds: Sequence[base.Gold], normalizer: base.Normalizer) -> base.Judge:
    prepared = SquadReferences.prepare(golds, normalize=normalizer.apply)

    def judge(items: base.IntArray, answers: Sequence[base.AnswerValue]) -> base.Judged:
        return base.Judged(prepared.score(items, answers).f1.reshape(-1, 1))

    return judge


SQUAD_F1 = base.Metric("F1 over word counts", ("f1",), "f1", _prepare_squad_f1)


_OPTIONS = 8


def _read_choice_robustly(text: str, context: base.Context) -> int | None:
    letter = choice.robust_choice(text, context.options or _OPTIONS)
    return None if letter is None else ord(letter) - ord("A")


CHOICE = base.offered(
    text_parser(
        "VisualWebBench's letter parser",
        lambda text, _: choice.visualwebbench_index(text),
        "no option's letter in it",
    ),
    _OPTIONS,
)
FIRST_CHARACTER = base.offered(
    text_parser(
        "the first character, upper-cased",
        lambda text, _: choice.visualwebbench_index(choice.first_character_choice(text) or ""),
        "its first character is no option's letter",
    ),
    _OPTIONS,
)
FIRST_CHARACTER_OR_CRASH = base.Parser(
    "the first character, upper-cased; raises where there is none",
    # The published adapter takes the first character unasked.
    lambda response, context: FIRST_CHARACTER.read(response, context)._replace(
        crashed=response == ""
    ),
)
ROBUST_CHOICE = ours(
    text_parser(
        "the last explicit choice among the offered letters",
        _read_choice_robustly,
        "no single option's letter in it",
    )
)

ACCURACY = equal("the right option")


def _list(value: object) -> Sequence[object] | None:
    return cast("Sequence[object]", value) if isinstance(value, (list, tuple)) else None


def _numbers(value: object, count: int) -> tuple[float, ...] | None:
    values = _list(value) or ()
    # The comparison is false for NaN, and takes integers that no float can hold.
    numbers = tuple(
        float(number)
        for number in values
        if isinstance(number, (int, float)) and abs(number) <= float_info.max
    )
    return numbers if len(numbers) == len(values) == count else None


def _one_row(value: object) -> object:
    """Join lists in lists that form a grid of four numbers, as `view(-1, 4)` of a tensor does."""
    row = _list(value)
    while row and len(row) <= 4:
        rows = [_list(part) for part in row]
        lists = [part for part in rows if part]
        if len(lists) != len(row) or len({len(part) for part in lists}) != 1:
            return row
        row = [number for part in lists for number in part]
    return value


def _read_box(response: object, context: base.Context) -> base.Parsed:
    if isinstance(response, str):
        found = box_four_numbers(response)
        box = None if found is None else found.ltrb
    else:
        box = _numbers(_one_row(response), 4)
    if box is None:
        return base.unparsed("no four numbers in it")
    return placed(base.Parsed(box, None, SAME_SPACE), image_extent(context))


def _read_point(response: object, context: base.Context) -> base.Parsed:
    if isinstance(response, str):
        found = plain_point(response)
        point = None if found is None else (found.x, found.y)
    else:
        point = _numbers(response, 2)
    if point is None:
        pair = _list(response) or ()
        if len(pair) != 2:
            return base.unparsed("no point in it", crashed=True)
        return base.unparsed("no point in it", compared=tuple(pair))
    return placed(base.Parsed(point, None, SAME_SPACE), image_extent(context))


def image_extent(context: base.Context) -> Extent:
    """Return the image's size in pixels, as far as it is known."""
    return context.width or inf, context.height or inf


def _box_iou_float32(box: Ltrb, gold: Ltrb) -> np.float32:
    """IoU in the order of operations of torchvision's `box_iou`, which is given float32.

    It differs from `iou` in the last digits, which the threshold can see, and is NaN or 0 where
    an area exceeds what float32 holds.
    """
    with np.errstate(all="ignore"):
        a, b = np.array([box, gold], dtype=np.float32)
        area, area2 = (side[0] * side[1] for side in (a[2:] - a[:2], b[2:] - b[:2]))
        common = np.maximum(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]), np.float32(0))
        overlap = common[0] * common[1]
        return overlap / (area + area2 - overlap)


def _overlap(box: Ltrb, gold: Ltrb) -> float:
    try:
        return iou(box, gold)
    except MetricError:
        # A box whose area no float can hold; a response must not end a grade.
        return 0.0


def _box_hit(answer: base.AnswerValue, gold: base.Gold, _: object) -> tuple[float, float]:
    hit = bool(_box_iou_float32(answer, gold.bbox) >= 0.5)
    return float(hit), _overlap(answer, gold.bbox)


def _point_hit(answer: base.AnswerValue, gold: base.Gold, _: object) -> tuple[float]:
    try:
        x, y = answer
        return (float(point_in_box(x, y, gold.bbox)),)
    except TypeError:
        # The second of a pair is compared only where the first is within the box.
        raise base.PublishedCrashError from None


BOX = base.Parser("four numbers, in more lists or not", _read_box)
POINT = base.Parser("two numbers", _read_point)

BOX_HIT = base.pairwise("IoU >= 0.5", ("accuracy", "iou"), "accuracy", _box_hit)
POINT_HIT = point_metric("the point in the box, edges included", _point_hit)
