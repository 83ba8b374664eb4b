"""How ScreenQA's five tasks are scored: as published, as others score them, and fixed.

Sources: ScreenQA (Hsiao et al., 2022) and screen_qa `code/metrics.py`; MultiUI
`screenqa_short`; the lmms-eval fork of the Hugging Face mirror's author; ScreenSuite 0.0.1.
"""

from collections.abc import Mapping, Sequence
from typing import cast

import msgspec
import numpy as np

from snellen.grading.metrics.boxes import Ltrb, Matching, box_fault
from snellen.grading.metrics.ui_contents import (
    BoxedText,
    Element,
    UiBoxesRule,
    elements,
    score_elements,
    ui_contents,
)
from snellen.grading.parse.final_answers import short_answer
from snellen.grading.parse.lists import ui_texts
from snellen.grading.pointing.points import boxed_texts
from snellen.grading.protocols import base, golds
from snellen.grading.protocols.golds import GoldShape
from snellen.grading.protocols.texts import (
    ALPHANUMERIC,
    AS_GIVEN,
    CHARSET_F1,
    LOWER_STRIP,
    MULTIUI_F1,
    NO_ANSWER_SPELLINGS,
    SCREENQA_SHORT,
    SQUAD,
    SQUAD_OR_RAW,
    ours,
    rouge_metric,
)

_METRICS_PY = "screen_qa code/metrics.py"


def _short(task: str) -> tuple[base.Protocol, ...]:
    return (
        base.Protocol(
            task,
            "official",
            1,
            f"{_METRICS_PY} (SQA-S)",
            "texts that normalize to nothing match exactly, with F1 0",
            AS_GIVEN,
            SQUAD,
            SCREENQA_SHORT,
        ),
        base.Protocol(
            task,
            "robust",
            3,
            "ours",
            "compares punctuation-only texts without normalization; accepts any "
            "spelling of <no answer>",
            ours(NO_ANSWER_SPELLINGS, short_answer),
            SQUAD_OR_RAW,
            SCREENQA_SHORT,
        ),
        base.Protocol(
            task,
            "multiui",
            1,
            "neulab/MultiUI e261d8a, task screenqa_short",
            "sets of words, so repeated words count once; punctuation marks are tokens;"
            " no exact match",
            AS_GIVEN,
            LOWER_STRIP,
            MULTIUI_F1,
        ),
        base.Protocol(
            task,
            "charset",
            1,
            "hunterheiden/lmms-eval 83a989c, task screenqa",
            "distinct characters divided by lengths: listen and silent score 1, book and book 0.75",
            AS_GIVEN,
            ALPHANUMERIC,
            CHARSET_F1,
        ),
        base.Protocol(
            task,
            "screensuite",
            1,
            "ScreenSuite 0.0.1",
            "the official metrics; failed responses are omitted from the mean",
            AS_GIVEN,
            SQUAD,
            SCREENQA_SHORT,
            base.DROP_FAILED,
        ),
    )


_LONG = (
    base.Protocol(
        "screenqa/long",
        "official",
        1,
        "ScreenQA §5 (SQA-L); rouge-score 0.1.2, stemmer off",
        "lower-cased ASCII words only: text in another script scores 0",
        AS_GIVEN,
        base.AS_IS,
        rouge_metric("ROUGE-1/2/L of rouge-score", stemmer=False),
    ),
    base.Protocol(
        "screenqa/long",
        "stemmed",
        1,
        "rouge-score 0.1.2, stemmer on (the paper does not say)",
        "the official metric on Porter stems",
        AS_GIVEN,
        base.AS_IS,
        rouge_metric("ROUGE-1/2/L of rouge-score, stemmed", stemmer=True),
    ),
    base.Protocol(
        "screenqa/long",
        "robust",
        3,
        "ours",
        "<no answer> matches only itself, in any spelling; other answers match only"
        " other references",
        ours(NO_ANSWER_SPELLINGS),
        base.AS_IS,
        rouge_metric(
            "ROUGE-1/2/L of rouge-score; <no answer> is literal",
            stemmer=False,
            literal_no_answer=True,
        ),
    ),
)


def _read_ui_texts(response: object, _: base.Context) -> base.Parsed:
    if isinstance(response, str):
        texts = ui_texts(response)
        return base.unparsed("no list of texts in it") if texts is None else base.Parsed(texts)
    if isinstance(response, (list, tuple)):
        texts = list(cast("Sequence[object]", response))
        if all(isinstance(text, str) for text in texts):
            return base.Parsed(texts)
    return base.unparsed("expected a list of texts")


def _read_boxed_texts(response: object, _: base.Context) -> base.Parsed:
    if isinstance(response, str):
        found = boxed_texts(response)
        if found is None:
            return base.unparsed("no list of boxes with texts in it")
        elements = [(box, text) for box, text in found]
    else:
        try:
            elements = msgspec.convert(response, list[tuple[Ltrb, str]])
        except msgspec.ValidationError as error:
            return base.unparsed(f"expected a list of [[left, top, right, bottom], text]; {error}")
    for number, (box, _text) in enumerate(elements):
        fault = box_fault(box)
        if fault:
            # Such a box overlaps nothing and the others count, as in the published code.
            return base.Parsed(elements, None, f"element {number} can match nothing: {fault}")
    return base.Parsed(elements)


UI_TEXTS = base.Parser(
    "a list of texts, or text that holds one; an empty text holds none", _read_ui_texts
)
BOXED_TEXTS = base.Parser(
    "a list of [[left, top, right, bottom], text], or text that holds one; a box that is inverted"
    " or NaN matches nothing",
    _read_boxed_texts,
)

_UI_CONTENTS = (
    base.Protocol(
        "screenqa/ui_contents",
        "official",
        1,
        f"{_METRICS_PY} (SQA-UIC)",
        "exact match requires the published order; parsing of lists in text is snellen's own",
        UI_TEXTS,
        base.AS_IS,
        base.pairwise(
            "exact match in order, F1 over texts",
            ("exact_match", "f1"),
            "f1",
            lambda answer, gold, normalize: ui_contents(answer, gold, normalize=normalize),
        ),
    ),
    base.Protocol(
        "screenqa/ui_contents",
        "robust",
        3,
        "ours",
        "exact match in any order; ignores case and outer spaces",
        ours(UI_TEXTS),
        LOWER_STRIP,
        base.pairwise(
            "exact match in any order, F1 over texts",
            ("exact_match", "f1"),
            "f1",
            lambda answer, gold, normalize: ui_contents(
                answer, gold, ordered=False, normalize=normalize
            ),
        ),
    ),
)


def _boxes_metric(name: str, matching: Matching, *, ordered: bool) -> base.Metric:
    def prepare(golds: Sequence[base.Gold], normalizer: base.Normalizer) -> base.Judge:
        rule = UiBoxesRule(matching=matching, ordered=ordered, normalize=normalizer.apply)
        raters: list[list[list[Element]]] = [
            [elements(each, rule.normalize) for each in gold] for gold in golds
        ]

        def judge(items: base.IntArray, answers: Sequence[base.AnswerValue]) -> base.Judged:
            scores = [
                score_elements(cast("Sequence[BoxedText]", answer), raters[item], rule)
                for item, answer in zip(map(int, items), answers, strict=True)
            ]
            return base.Judged(np.array(scores, np.float64).reshape(-1, 3))

        return judge

    return base.Metric(name, ("bbox_f1", "exact_match", "f1"), "f1", prepare)


_UI_CONTENTS_BOXES = (
    base.Protocol(
        "screenqa/ui_contents_boxes",
        "official",
        1,
        f"{_METRICS_PY} (SQA-UIC-BB)",
        "IoU >= 0.1, matched by the sum of IoU, which can miss matches; parsing of "
        "text is snellen's own",
        BOXED_TEXTS,
        base.AS_IS,
        _boxes_metric("boxes matched by the sum of IoU", "iou", ordered=True),
    ),
    base.Protocol(
        "screenqa/ui_contents_boxes",
        "robust",
        3,
        "ours",
        "boxes are matched to maximize the number of matches; any order; ignores case",
        ours(BOXED_TEXTS),
        LOWER_STRIP,
        _boxes_metric("boxes matched by the number of matches", "count", ordered=False),
    ),
)

PROTOCOLS: Mapping[str, tuple[base.Protocol, ...]] = {
    "screenqa/short": _short("screenqa/short"),
    "screenqa/long": _LONG,
    "screenqa/ui_contents": _UI_CONTENTS,
    "screenqa/ui_contents_boxes": _UI_CONTENTS_BOXES,
    "screenqa/complex": _short("screenqa/complex"),
}

GOLDS: Mapping[str, GoldShape] = {
    "screenqa/short": golds.TEXTS,
    "screenqa/long": golds.TEXTS,
    "screenqa/ui_contents": golds.RATER_TEXTS,
    "screenqa/ui_contents_boxes": golds.RATER_BOXES,
    "screenqa/complex": golds.TEXTS,
}
