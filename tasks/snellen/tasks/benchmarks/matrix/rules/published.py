"""The matrix as the framework's own evaluation code scores it, faults included."""

from collections.abc import Sequence

import numpy as np

from snellen.grading.models.scores import Outcome
from snellen.grading.protocols import base
from snellen.grading.protocols.texts import not_text
from snellen.tasks.benchmarks.matrix.rules.golds import MatrixGold, letters_of, texts_of

TASK = "matrix/items"
KEYS = ("score", "correct")

_NAMED = frozenset({"accuracy", "f1", "contains"})
_EVAL = (
    "the published code evaluates the response as Python (metric execution) and compares the value"
    " with the text execution_pass, which nothing equals; that is not reproduced"
)


def _read_published(response: object, context: base.Context) -> base.Parsed:
    if context.form == "code":
        return base.Parsed(None, Outcome.ERROR, _EVAL)
    if not isinstance(response, str):
        return not_text(response)
    known = not context.form or context.form in _NAMED
    note = "" if known else f"the published code knows no metric {context.form!r}: it scores 0"
    return base.Parsed(response, None, note)


def set_f1_published(prediction: str, reference: str) -> float:
    """Score the shared distinct lower-cased words as the framework's code does.

    A perfect answer scores 0.999999995, because 1e-8 is added to the denominator; two empty texts
    score 0.

    >>> set_f1_published("A red car", "a red car")
    0.999999995
    """
    given, wanted = set(prediction.lower().split()), set(reference.lower().split())
    shared = len(given & wanted)
    if not shared:
        return 0.0
    precision, recall = shared / len(given), shared / len(wanted)
    return 2 * precision * recall / (precision + recall + 1e-8)


def _published(answer: str, gold: MatrixGold) -> tuple[float, float]:
    match gold.metric:
        case "accuracy":
            accepted = letters_of(gold) if gold.options else texts_of(gold)
            right = any(answer.strip().upper() == text.strip().upper() for text in accepted)
            return float(right), float(right)
        case "f1":
            score = max(set_f1_published(answer, text) for text in texts_of(gold))
            return score, float(score > 0.5)
        case "contains":
            right = any(text in answer for text in texts_of(gold))
            return float(right), float(right)
        case _:
            return 0.0, 0.0


def _prepare_published(references: Sequence[base.Gold], normalizer: base.Normalizer) -> base.Judge:
    def judge(items: base.IntArray, answers: Sequence[base.AnswerValue]) -> base.Judged:
        values = np.zeros((len(answers), 2), dtype=np.float64)
        for row, (index, answer) in enumerate(zip(items.tolist(), answers, strict=True)):
            if isinstance(answer, str):
                values[row] = _published(normalizer.apply(answer), references[index])
        return base.Judged(values)

    return judge


PUBLISHED = base.Protocol(
    TASK,
    "published",
    1,
    "the evaluation code of the framework of four dimensions and four levels",
    "accuracy: the response, trimmed and upper-cased, is the letter; f1: sets of lower-cased"
    " words, perfect at 0.999999995, correct above 0.5; contains: any substring; every other"
    " metric scores 0; execution (eval) is not reproduced",
    base.Parser("text as given", _read_published),
    base.AS_IS,
    base.Metric(
        "accuracy, f1 and contains of the published code", KEYS, "score", _prepare_published
    ),
)
