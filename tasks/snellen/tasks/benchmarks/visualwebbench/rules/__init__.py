"""How VisualWebBench's seven tasks, and their box and point variants, are scored.

Source: VisualWebBench (Liu et al., 2024) and its repository's `utils/eval_utils.py`, by default
with the post-processing of its OpenAI adapter, which its LLaVA adapter shares.
"""

from collections.abc import Mapping
from dataclasses import replace

from snellen.grading.protocols import base, golds
from snellen.grading.protocols.golds import GoldShape
from snellen.grading.protocols.pointing import declared_points, robust_pointing
from snellen.grading.protocols.spaces import declared_boxes, robust_boxing
from snellen.grading.protocols.texts import AS_GIVEN, SQUAD
from snellen.tasks.benchmarks.visualwebbench.rules import parts
from snellen.tasks.benchmarks.visualwebbench.rules.adapters import by_adapter, screensuite
from snellen.tasks.benchmarks.visualwebbench.rules.robust import robust

_EVAL_UTILS = "VisualWebBench utils/eval_utils.py"
_LMMS_EVAL = "lmms-eval 0.7.3, tasks/visualwebbench/utils.py"


def _rouge_task(
    task: str, parser: base.Parser, *, blank_up_to: int = 0
) -> tuple[base.Protocol, ...]:
    metric = parts.rouge101(blank_up_to=blank_up_to)
    official = base.Protocol(
        task,
        "official",
        1,
        f"{_EVAL_UTILS}; rouge 1.0.1",
        "case-sensitive; repeated words count once; a response with only dots stops the run",
        parser,
        base.AS_IS,
        metric,
        base.STOP_ON_CRASH,
    )
    return (
        official,
        *by_adapter(official),
        robust(task),
        _as_given(task, metric, "the official metric on the unchanged text"),
        screensuite(
            official, parts.rouge101(blank_up_to=blank_up_to, averaged=True, blank_golds=True)
        ),
    )


def _as_given(task: str, metric: base.Metric, special: str) -> base.Protocol:
    return base.Protocol(
        task, "lmms-eval", 1, _LMMS_EVAL, special, AS_GIVEN, base.AS_IS, metric, base.STOP_ON_CRASH
    )


def _choice_task(task: str) -> tuple[base.Protocol, ...]:
    official = base.Protocol(
        task,
        "official",
        1,
        f"{_EVAL_UTILS}, parse_multi_choice_response",
        "reads the last letter between spaces, also the article A; B) is not an answer",
        parts.CHOICE,
        base.AS_IS,
        parts.ACCURACY,
    )
    return (
        base.Protocol(
            task,
            "robust",
            3,
            "ours",
            "reads the last explicit choice, never the article; two choices are not an answer",
            parts.ROBUST_CHOICE,
            base.AS_IS,
            parts.ACCURACY,
        ),
        official,
        *by_adapter(official),
        base.Protocol(
            task,
            "lmms-eval",
            1,
            _LMMS_EVAL,
            "scores as official does",
            parts.CHOICE,
            base.AS_IS,
            parts.ACCURACY,
        ),
        screensuite(official, parts.ACCURACY),
    )


def _box_task(task: str) -> tuple[base.Protocol, ...]:
    return (
        robust_boxing(task),
        base.Protocol(
            task,
            "official",
            1,
            f"{_EVAL_UTILS} (box_iou >= 0.5), where the key is `precision`",
            "compares in float32 without checking the space; parsing of text is snellen's own",
            parts.BOX,
            base.AS_IS,
            parts.BOX_HIT,
        ),
        *declared_boxes(task),
    )


def _point_task(task: str) -> tuple[base.Protocol, ...]:
    return (
        # A reference is written as it is: its space is that of the data.
        replace(robust_pointing(task), write=None),
        base.Protocol(
            task,
            "official",
            1,
            f"{_EVAL_UTILS} (point variants)",
            "never checks the space; parsing of text is snellen's own; anything "
            "but pairs stops the run",
            parts.POINT,
            base.AS_IS,
            parts.POINT_HIT,
            base.STOP_ON_CRASH,
        ),
        *declared_points(task),
    )


def _webqa(task: str) -> tuple[base.Protocol, ...]:
    metric = parts.rouge101(only_rouge1=True)
    official = base.Protocol(
        task,
        "official",
        1,
        f"{_EVAL_UTILS}; rouge 1.0.1",
        "case-sensitive; an item that raises, such as a response with only dots, is"
        " omitted from the mean",
        AS_GIVEN,
        base.AS_IS,
        metric,
        parts.DROP_RAISING,
    )
    return (
        official,
        *by_adapter(official),
        base.Protocol(
            task,
            "paper",
            1,
            "VisualWebBench §3 (SQuAD-style F1)",
            "the F1 that the paper describes, not the one that its code computes",
            AS_GIVEN,
            SQUAD,
            parts.SQUAD_F1,
        ),
        robust(task),
        _as_given(
            task,
            metric,
            "the official metric item by item; an item that raises stops the run",
        ),
        screensuite(official, metric),
    )


_PROTOCOLS = (
    _rouge_task("visualwebbench/web_caption", parts.META_DESCRIPTION),
    _rouge_task("visualwebbench/heading_ocr", AS_GIVEN),
    _webqa("visualwebbench/webqa"),
    _rouge_task("visualwebbench/element_ocr", parts.AFTER_COLON, blank_up_to=1),
    _choice_task("visualwebbench/element_ground"),
    _choice_task("visualwebbench/action_prediction"),
    _choice_task("visualwebbench/action_ground"),
    _box_task("visualwebbench/element_ground_bbox"),
    _box_task("visualwebbench/action_ground_bbox"),
    _point_task("visualwebbench/element_ground_point"),
    _point_task("visualwebbench/action_ground_point"),
)

PROTOCOLS: Mapping[str, tuple[base.Protocol, ...]] = {
    protocols[0].task: protocols for protocols in _PROTOCOLS
}

GOLDS: Mapping[str, GoldShape] = {
    "visualwebbench/web_caption": golds.TEXT,
    "visualwebbench/heading_ocr": golds.TEXT,
    "visualwebbench/webqa": golds.TEXTS,
    "visualwebbench/element_ocr": golds.TEXT,
    "visualwebbench/element_ground": golds.INDEX,
    "visualwebbench/action_prediction": golds.INDEX,
    "visualwebbench/action_ground": golds.INDEX,
    "visualwebbench/element_ground_bbox": golds.TARGET_BOX,
    "visualwebbench/element_ground_point": golds.TARGET_POINT,
    "visualwebbench/action_ground_bbox": golds.TARGET_BOX,
    "visualwebbench/action_ground_point": golds.TARGET_POINT,
}
