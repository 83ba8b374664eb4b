"""The parsers, normalisers and metrics on text that several benchmarks share."""

import re
from collections.abc import Sequence

import numpy as np

from snellen.grading.metrics.rouge import RougeReferences
from snellen.grading.metrics.squad import SquadReferences
from snellen.grading.metrics.text import charset_f1, multiui_f1
from snellen.grading.normalise import alphanumeric, lower_strip, squad, squad_or_raw
from snellen.grading.protocols.base import (
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
    pairwise,
    unparsed,
)

NO_ANSWER = "<no answer>"

SQUAD = Normaliser("SQuAD v1.1", squad)
SQUAD_OR_RAW = Normaliser(
    "SQuAD v1.1, or the text itself where nothing would be left", squad_or_raw
)
LOWER_STRIP = Normaliser("lower case, stripped", lower_strip)
ALPHANUMERIC = Normaliser("letters and digits only", alphanumeric)

_NO_ANSWER = re.compile(r"[\s\"'`*]*[<(\[]?\s*no[\s_-]?answer\s*[>)\]]?[\s\"'`*.]*", re.IGNORECASE)


def _read_text(response: object, _: Context) -> Parsed:
    if isinstance(response, str):
        return Parsed(response)
    return not_text(response)


def not_text(response: object) -> Parsed:
    """Say that a response should have been text."""
    return unparsed(f"expected text, got {type(response).__name__}")


def _read_no_answer(response: object, context: Context) -> Parsed:
    if isinstance(response, str) and len(response) < 64 and _NO_ANSWER.fullmatch(response):
        return Parsed(NO_ANSWER)
    return _read_text(response, context)


AS_GIVEN = Parser("text as given", _read_text, plain=True)
NO_ANSWER_SPELLINGS = Parser("text; any spelling of <no answer> is one", _read_no_answer)


def _prepare_short(golds: Sequence[Gold], normaliser: Normaliser) -> Judge:
    prepared = SquadReferences.prepare(golds, normalise=normaliser.apply, screenqa=True)

    def judge(items: IntArray, answers: Sequence[AnswerValue]) -> Judged:
        columns = prepared.score(items, answers)
        return Judged(np.column_stack((columns.exact_match, columns.f1)))

    return judge


SCREENQA_SHORT = Metric(
    "exact match and F1 over word counts; <no answer> is literal",
    ("exact_match", "f1"),
    "f1",
    _prepare_short,
)
MULTIUI_F1 = pairwise(
    "F1 over the set of words and punctuation marks",
    ("f1",),
    "f1",
    lambda answer, gold, normalise: (multiui_f1(answer, gold, normalise),),
)
CHARSET_F1 = pairwise(
    "F1 of distinct characters over text lengths",
    ("f1",),
    "f1",
    lambda answer, gold, normalise: (charset_f1(answer, gold, normalise),),
)


def rouge_metric(name: str, *, stemmer: bool, literal_no_answer: bool = False) -> Metric:
    """ROUGE-1/2/L with rouge-score's semantics, the best reference for each.

    Args:
        name: What protocol tables call it.
        stemmer: Whether tokens are Porter-stemmed.
        literal_no_answer: Whether `<no answer>` matches only itself, not the words in it.
    """

    def prepare(golds: Sequence[Gold], normaliser: Normaliser) -> Judge:
        texts = [[normaliser.apply(text) for text in all_texts(gold)] for gold in golds]
        prepared = RougeReferences(texts, stemmer=stemmer)

        def judge(items: IntArray, answers: Sequence[AnswerValue]) -> Judged:
            columns = prepared.score(items, [normaliser.apply(answer) for answer in answers])
            values = np.column_stack((columns.rouge1, columns.rouge2, columns.rougeL))
            if literal_no_answer:
                for row, (item, answer) in enumerate(zip(items.tolist(), answers, strict=True)):
                    references = all_texts(golds[item])
                    if answer == NO_ANSWER or set(references) == {NO_ANSWER}:
                        values[row] = float(answer == NO_ANSWER and NO_ANSWER in references)
            return Judged(values)

        return judge

    return Metric(name, ("rouge1", "rouge2", "rougeL"), "rougeL", prepare)


def all_texts(gold: Gold) -> Sequence[str]:
    """Return a gold's accepted texts, whether its shape is one text or a list."""
    return [gold] if isinstance(gold, str) else gold
