"""How we score VisualWebBench's texts: the official rules, fixed.

`official` repeats the published code with its mistakes, for comparing with published numbers;
`robust` is for comparing models. What is fixed, and why:

- What models put around an answer costs nothing: a tag with other quotes, a lead-in, thoughts.
  Where the official rule cuts a text at any colon, this one cuts a sentence that only introduces.
- Case, punctuation and script do not decide, and F of equal texts is 1.
- No word consists of an empty text, and no answer is too short to count.
- Nothing that a model can say ends a run or leaves the mean.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from snellen.grading.metrics.rouge_words import word_rouge
from snellen.grading.metrics.squad import SquadReferences
from snellen.grading.parse.final_answers import described, short_answer, without_lead_in
from snellen.grading.protocols import base
from snellen.grading.protocols.texts import all_texts, ours, text_parser
from snellen.grading.words import answer_words, words

WORDS = base.Normalizer("lower-case words of any script", words)
ANSWER_WORDS = base.Normalizer("SQuAD's for any script; numbers by value", answer_words)

_DESCRIPTION = text_parser(
    "a description tag's content, in any form, or the text behind a lead-in",
    lambda text, _: described(text),
)
_UNINTRODUCED = text_parser(
    "the text, without what introduces it", lambda text, _: without_lead_in(text)
)
_SHORT = text_parser("what follows the last 'Answer:'", lambda text, _: short_answer(text))


def _prepare_word_rouge(golds: Sequence[base.Gold], normalizer: base.Normalizer) -> base.Judge:
    accepted: list[list[list[str]]] = [
        [normalizer.apply(text).split() for text in all_texts(gold)] for gold in golds
    ]

    def judge(items: base.IntArray, answers: Sequence[base.AnswerValue]) -> base.Judged:
        values = np.zeros((len(answers), len(_ROUGE)), dtype=np.float64)
        indexes: list[int] = items.tolist()
        for row, (item, answer) in enumerate(zip(indexes, answers, strict=True)):
            said = normalizer.apply(answer).split()
            each = [word_rouge(said, reference) for reference in accepted[item]]
            values[row] = each[0] if len(each) == 1 else np.max(each, axis=0)
        return base.Judged(values)

    return judge


_ROUGE = ("rouge1", "rouge2", "rougeL")
WORD_ROUGE = base.Metric("ROUGE-1/2/L of words, exact F", _ROUGE, "rougeL", _prepare_word_rouge)


def _prepare_answer_f1(golds: Sequence[base.Gold], normalizer: base.Normalizer) -> base.Judge:
    prepared = SquadReferences.prepare(golds, normalize=normalizer.apply)

    def judge(items: base.IntArray, answers: Sequence[base.AnswerValue]) -> base.Judged:
        found = prepared.score(items, answers)
        return base.Judged(np.maximum(found.f1, found.exact_match).reshape(-1, 1))

    return judge


ANSWER_F1 = base.Metric("F1 over word counts; equal texts are 1", ("f1",), "f1", _prepare_answer_f1)


_CASELESS = "ignores case, punctuation and script; words count as often as they occur"
_READ = (f"only a sentence that introduces the text is cut; {_CASELESS}", _UNINTRODUCED)

_PARTS: Mapping[str, tuple[str, base.Parser, base.Normalizer, base.Metric]] = MappingProxyType(
    {
        "web_caption": (
            f"reads the tag in any form, whole or broken off, or a lead-in; {_CASELESS}",
            _DESCRIPTION,
            WORDS,
            WORD_ROUGE,
        ),
        "heading_ocr": (*_READ, WORDS, WORD_ROUGE),
        "element_ocr": (*_READ, WORDS, WORD_ROUGE),
        "webqa": (
            '"1,000" equals "1000", "3.4" differs from "34", "10km" equals "10 km"; '
            "ignores currency and percent signs; an exact match is 1",
            _SHORT,
            ANSWER_WORDS,
            ANSWER_F1,
        ),
    }
)


def robust(task: str) -> base.Protocol:
    """Return our protocol of one of the text tasks, by the task's full name."""
    special, parser, normalizer, metric = _PARTS[task.partition("/")[2]]
    return base.Protocol(task, "robust", 3, "ours", special, ours(parser), normalizer, metric)
