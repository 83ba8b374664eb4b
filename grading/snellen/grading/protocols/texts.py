"""The parsers, normalizers and metrics on text that several benchmarks share."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from snellen.grading.metrics.rouge import RougeReferences
from snellen.grading.metrics.squad import SquadReferences
from snellen.grading.metrics.text import charset_f1, multiui_f1
from snellen.grading.normalize import alphanumeric, lower_strip, squad, squad_or_raw
from snellen.grading.parse.envelope import Opened, opened
from snellen.grading.parse.final_answers import CUT_OFF, unwrapped, without_reasoning
from snellen.grading.protocols import base

NO_ANSWER = "<no answer>"

SQUAD = base.Normalizer("SQuAD v1.1", squad)
SQUAD_OR_RAW = base.Normalizer(
    "SQuAD v1.1, or the text itself where nothing would be left", squad_or_raw
)
LOWER_STRIP = base.Normalizer("lower case, stripped", lower_strip)
ALPHANUMERIC = base.Normalizer("letters and digits only", alphanumeric)

_NO_ANSWER = re.compile(r"[\s\"'`*]*[<(\[]?\s*no[\s_-]?answer\s*[>)\]]?[\s\"'`*.]*", re.IGNORECASE)


def not_text(response: object) -> base.Parsed:
    """Say that a response should have been text."""
    return base.unparsed(f"expected text, got {type(response).__name__}")


def text_parser(
    name: str, read: Callable[[str, base.Context], base.AnswerValue | None], absent: str = ""
) -> base.Parser:
    """Make a parser of text; a response of any other type counts as unparsed.

    Args:
        name: What protocol tables call it.
        read: Takes the text and what may be known of the item, and returns the answer or None.
        absent: Says why nothing was read where `read` returns None.
    """

    def parse(response: object, context: base.Context) -> base.Parsed:
        if not isinstance(response, str):
            return not_text(response)
        answer = read(response, context)
        return base.unparsed(absent) if answer is None else base.Parsed(answer)

    return base.Parser(name, parse)


def equal(name: str, key: str = "accuracy") -> base.Metric:
    """Make the metric that is 1 where the answer is the gold and 0 elsewhere."""
    return base.pairwise(name, (key,), key, lambda answer, gold, _: (float(answer == gold),))


def _one_spelling(text: str, _: base.Context) -> str:
    return NO_ANSWER if len(text) < 64 and _NO_ANSWER.fullmatch(text) else text


AS_GIVEN = replace(text_parser("text as given", lambda text, _: text), plain=True)
NO_ANSWER_SPELLINGS = text_parser("text; any spelling of <no answer> is one", _one_spelling)


def _prepare_short(golds: Sequence[base.Gold], normalizer: base.Normalizer) -> base.Judge:
    prepared = SquadReferences.prepare(golds, normalize=normalizer.apply, screenqa=True)

    def judge(items: base.IntArray, answers: Sequence[base.AnswerValue]) -> base.Judged:
        columns = prepared.score(items, answers)
        return base.Judged(np.column_stack((columns.exact_match, columns.f1)))

    return judge


SCREENQA_SHORT = base.Metric(
    "exact match and F1 over word counts; <no answer> is literal",
    ("exact_match", "f1"),
    "f1",
    _prepare_short,
)
MULTIUI_F1 = base.pairwise(
    "F1 over the set of words and punctuation marks",
    ("f1",),
    "f1",
    lambda answer, gold, normalize: (multiui_f1(answer, gold, normalize),),
)
CHARSET_F1 = base.pairwise(
    "F1 of distinct characters over text lengths",
    ("f1",),
    "f1",
    lambda answer, gold, normalize: (charset_f1(answer, gold, normalize),),
)


def rouge_metric(name: str, *, stemmer: bool, literal_no_answer: bool = False) -> base.Metric:
    """ROUGE-1/2/L with rouge-score's semantics, the best reference for each.

    Args:
        name: What protocol tables call it.
        stemmer: Whether tokens are Porter-stemmed.
        literal_no_answer: Whether `<no answer>` matches only itself, not the words in it: an
            answer is then compared with the other references.
    """

    def prepare(golds: Sequence[base.Gold], normalizer: base.Normalizer) -> base.Judge:
        accepted = [all_texts(gold) for gold in golds]
        compared = [_spoken(texts) for texts in accepted] if literal_no_answer else accepted
        prepared = RougeReferences(
            [[normalizer.apply(text) for text in texts] for texts in compared], stemmer=stemmer
        )

        def judge(items: base.IntArray, answers: Sequence[base.AnswerValue]) -> base.Judged:
            columns = prepared.score(items, [normalizer.apply(answer) for answer in answers])
            values = np.column_stack((columns.rouge1, columns.rouge2, columns.rougeL))
            if literal_no_answer:
                for row, (item, answer) in enumerate(zip(items.tolist(), answers, strict=True)):
                    if answer == NO_ANSWER or NO_ANSWER in compared[item]:
                        values[row] = float(answer == NO_ANSWER and NO_ANSWER in accepted[item])
            return base.Judged(values)

        return judge

    return base.Metric(name, ("rouge1", "rouge2", "rougeL"), "rougeL", prepare)


def _spoken(texts: Sequence[str]) -> Sequence[str]:
    """Leave `<no answer>` out, unless nothing else is accepted."""
    return [text for text in texts if text != NO_ANSWER] or texts


def all_texts(gold: base.Gold) -> Sequence[str]:
    """Return a gold's accepted texts, whether its shape is one text or a list."""
    return [gold] if isinstance(gold, str) else gold


# ---- the first stages of our own readers, for every task alike ---------------------------------

_ANSWER_FIELDS = ("answer", "text", "content", "response", "value")


def ours(parser: base.Parser, take_off: Callable[[str], str] = unwrapped) -> base.Parser:
    """Let a parser read what is left of a response without its envelope, thoughts and wrapping.

    Args:
        parser: Reads the form that is asked for.
        take_off: What takes the wrapping off a text.
    """

    def read(response: object, context: base.Context) -> base.Parsed:
        said = opened(response)
        if said is not None:
            response = spoken(said)
        if not isinstance(response, str):
            parsed = parser.read(response, context)
            said_in = _field_of(response) if parsed.answer is None else None
            if said_in is None:
                return parsed
            response = said_in
        text = without_reasoning(response)
        return base.unparsed(CUT_OFF) if text is None else parser.read(take_off(text), context)

    return replace(parser, read=read, plain=False)


def _field_of(response: object) -> str | None:
    """Return the text of an object's answer, such as C in {"answer": "C"}; None for none."""
    if not isinstance(response, dict):
        return None
    given = cast("dict[str, object]", response)
    values = (given[name] for name in _ANSWER_FIELDS if name in given)
    return next((value for value in values if isinstance(value, str)), None)


def spoken(said: Opened) -> str:
    """Return what was said to a user, or given to the last tool that was called as an answer."""
    if said.text.strip() or not said.calls:
        return said.text
    given = said.calls[-1].arguments
    values = [given[name] for name in _ANSWER_FIELDS if name in given]
    return str(values[0]) if values else ""
