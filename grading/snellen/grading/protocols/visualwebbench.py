"""How VisualWebBench's seven tasks, and their box and point variants, are scored.

Source: VisualWebBench (Liu et al., 2024) and its repository's `utils/eval_utils.py`, with the
post-processing of its OpenAI adapter.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import cast

import numpy as np

from snellen.grading.metrics.boxes import iou, point_in_box
from snellen.grading.metrics.rouge101 import Rouge101References
from snellen.grading.metrics.squad import SquadReferences
from snellen.grading.parse.choice import robust_choice, visualwebbench_index
from snellen.grading.parse.coordinates import box_four_numbers, robust_point
from snellen.grading.parse.lead_ins import after_first_colon, meta_description
from snellen.grading.protocols.base import (
    AS_IS,
    DROP_CRASHED,
    STOP_ON_CRASH,
    AnswerValue,
    Context,
    Gold,
    IntArray,
    Judge,
    Judged,
    Metric,
    Normaliser,
    Parsed,
    Parser,
    Protocol,
    pairwise,
    unparsed,
)
from snellen.grading.protocols.texts import AS_GIVEN, SQUAD, all_texts, not_text

_EVAL_UTILS = "VisualWebBench utils/eval_utils.py"
_SAME_SPACE = "taken to be in the reference's coordinate space, as the published code does"


def _after(post_process: Callable[[str], str]) -> Callable[[object, Context], Parsed]:
    def read(response: object, _: Context) -> Parsed:
        return Parsed(post_process(response)) if isinstance(response, str) else not_text(response)

    return read


META_DESCRIPTION = Parser("the content of a meta description tag", _after(meta_description))
AFTER_COLON = Parser("what follows the first colon", _after(after_first_colon))


def _rouge101(*, blank_up_to: int, only_rouge1: bool) -> Metric:
    def prepare(golds: Sequence[Gold], normaliser: Normaliser) -> Judge:
        texts = [[normaliser.apply(text) for text in all_texts(gold)] for gold in golds]
        prepared = Rouge101References(texts)

        def judge(items: IntArray, answers: Sequence[AnswerValue]) -> Judged:
            given = [
                normaliser.apply(answer) if len(answer) > blank_up_to else " " for answer in answers
            ]
            columns = prepared.score(items.tolist(), given)
            chosen = (
                (columns.rouge1,)
                if only_rouge1
                else (columns.rouge1, columns.rouge2, columns.rougeL)
            )
            return Judged(np.nan_to_num(np.column_stack(chosen), nan=0.0), columns.crashed)

        return judge

    if only_rouge1:
        return Metric("ROUGE-1 of rouge 1.0.1, called F1", ("f1",), "f1", prepare)
    return Metric("ROUGE-1/2/L of rouge 1.0.1", ("rouge1", "rouge2", "rougeL"), "rougeL", prepare)


def _prepare_squad_f1(golds: Sequence[Gold], normaliser: Normaliser) -> Judge:
    prepared = SquadReferences.prepare(golds, normalise=normaliser.apply)

    def judge(items: IntArray, answers: Sequence[AnswerValue]) -> Judged:
        return Judged(prepared.score(items, answers).f1.reshape(-1, 1))

    return judge


SQUAD_F1 = Metric("F1 over word counts", ("f1",), "f1", _prepare_squad_f1)


def _read_choice(response: object, _: Context) -> Parsed:
    if not isinstance(response, str):
        return not_text(response)
    index = visualwebbench_index(response)
    return unparsed("no option's letter in it") if index is None else Parsed(index)


def _read_choice_robustly(response: object, context: Context) -> Parsed:
    if not isinstance(response, str):
        return not_text(response)
    letter = robust_choice(response, context.options or 8)
    if letter is None:
        return unparsed("no single option's letter in it")
    return Parsed(ord(letter) - ord("A"))


CHOICE = Parser("VisualWebBench's letter parser", _read_choice)
ROBUST_CHOICE = Parser("the last explicit choice among the offered letters", _read_choice_robustly)

ACCURACY = pairwise(
    "the right option",
    ("accuracy",),
    "accuracy",
    lambda answer, gold, _: (float(answer == gold),),
)


def _numbers(response: object, count: int) -> tuple[float, ...] | None:
    if not isinstance(response, (list, tuple)):
        return None
    values: list[float] = []
    for value in cast("Sequence[object]", response):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return None
        values.append(float(value))
    return tuple(values) if len(values) == count and np.isfinite(values).all() else None


def _read_box(response: object, _: Context) -> Parsed:
    if isinstance(response, str):
        found = box_four_numbers(response)
        box = None if found is None else found.ltrb
    else:
        box = _numbers(response, 4)
    return unparsed("no four numbers in it") if box is None else Parsed(box, None, _SAME_SPACE)


def _read_point(response: object, _: Context) -> Parsed:
    if isinstance(response, str):
        found = robust_point(response)
        point = None if found is None else (found.x, found.y)
    else:
        point = _numbers(response, 2)
    return unparsed("no point in it") if point is None else Parsed(point, None, _SAME_SPACE)


def _box_hit(answer: AnswerValue, gold: Gold, _: object) -> tuple[float, float]:
    overlap = iou(answer, gold.bbox)
    return float(overlap >= 0.5), overlap


BOX_HIT = pairwise("IoU >= 0.5", ("accuracy", "iou"), "accuracy", _box_hit)
POINT_HIT = pairwise(
    "the point in the box, edges included",
    ("accuracy",),
    "accuracy",
    lambda answer, gold, _: (float(point_in_box(answer[0], answer[1], gold.bbox)),),
)


def _rouge_task(task: str, parser: Parser, *, blank_up_to: int = 0) -> tuple[Protocol, ...]:
    return (
        Protocol(
            task,
            "official",
            1,
            f"{_EVAL_UTILS}; rouge 1.0.1",
            "case counts, repeated words count once; a response of dots alone ends the run",
            parser,
            AS_IS,
            _rouge101(blank_up_to=blank_up_to, only_rouge1=False),
            STOP_ON_CRASH,
        ),
    )


def _choice_task(task: str) -> tuple[Protocol, ...]:
    return (
        Protocol(
            task,
            "official",
            1,
            f"{_EVAL_UTILS}, parse_multi_choice_response",
            "the last letter between spaces wins, the article A included; B) is no answer",
            CHOICE,
            AS_IS,
            ACCURACY,
        ),
        Protocol(
            task,
            "robust",
            1,
            "ours",
            "the last explicit choice; never the article; two choices are none",
            ROBUST_CHOICE,
            AS_IS,
            ACCURACY,
        ),
    )


def _box_task(task: str) -> tuple[Protocol, ...]:
    return (
        Protocol(
            task,
            "official",
            1,
            f"{_EVAL_UTILS} (box_iou >= 0.5)",
            "never asks which coordinate space a box is in",
            Parser("four numbers", _read_box),
            AS_IS,
            BOX_HIT,
        ),
    )


def _point_task(task: str) -> tuple[Protocol, ...]:
    return (
        Protocol(
            task,
            "official",
            1,
            f"{_EVAL_UTILS} (point variants)",
            "never asks which coordinate space a point is in",
            Parser("two numbers", _read_point),
            AS_IS,
            POINT_HIT,
        ),
    )


_WEBQA = (
    Protocol(
        "visualwebbench/webqa",
        "official",
        1,
        f"{_EVAL_UTILS}; rouge 1.0.1",
        "case counts; an item that raises, such as a response of dots, leaves the mean",
        AS_GIVEN,
        AS_IS,
        _rouge101(blank_up_to=0, only_rouge1=True),
        DROP_CRASHED,
    ),
    Protocol(
        "visualwebbench/webqa",
        "paper",
        1,
        "VisualWebBench §3 (SQuAD-style F1)",
        "the F1 that the paper describes, not the one that its code computes",
        AS_GIVEN,
        SQUAD,
        SQUAD_F1,
    ),
)

PROTOCOLS: Mapping[str, tuple[Protocol, ...]] = {
    "visualwebbench/web_caption": _rouge_task("visualwebbench/web_caption", META_DESCRIPTION),
    "visualwebbench/heading_ocr": _rouge_task("visualwebbench/heading_ocr", AS_GIVEN),
    "visualwebbench/webqa": _WEBQA,
    "visualwebbench/element_ocr": _rouge_task(
        "visualwebbench/element_ocr", AFTER_COLON, blank_up_to=1
    ),
    **{
        task: _choice_task(task)
        for task in (
            "visualwebbench/element_ground",
            "visualwebbench/action_prediction",
            "visualwebbench/action_ground",
        )
    },
    **{
        f"visualwebbench/{task}_ground_bbox": _box_task(f"visualwebbench/{task}_ground_bbox")
        for task in ("element", "action")
    },
    **{
        f"visualwebbench/{task}_ground_point": _point_task(f"visualwebbench/{task}_ground_point")
        for task in ("element", "action")
    },
}
