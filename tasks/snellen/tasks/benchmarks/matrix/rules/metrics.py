"""The metrics that an item of the matrix can name: what each takes, reads and compares."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from snellen.grading.metrics.captions import bleu
from snellen.grading.metrics.squad import exact_match
from snellen.grading.metrics.text import anls, contains
from snellen.grading.protocols import golds
from snellen.grading.protocols.base import AnswerValue, Normalize
from snellen.tasks.benchmarks.matrix.rules import comparisons as compare
from snellen.tasks.benchmarks.matrix.rules import reading as reading
from snellen.tasks.benchmarks.matrix.rules.comparisons import Accepted
from snellen.tasks.benchmarks.matrix.rules.golds import (
    AnlsSettings,
    CodeSettings,
    MatrixGold,
    NumberSettings,
    PlaceSettings,
    Settings,
    SpecSettings,
    unit_box,
)


@dataclass(frozen=True, slots=True)
class ItemMetric:
    """A metric that an item can name.

    Attributes:
        says: What it is, in a line.
        accept: Makes what answers are compared with out of a gold and its settings; raises
            DataError, with the field, where the gold does not fit.
        read: From a response to an answer.
        score: Compares an answer with what is accepted: 0..1.
        responses: The responses that a gold makes right, any of which should do.
        settings: The type of its settings.
        textual: Answers are texts; else a text among them was read by another protocol.
        passing: From which score on an item counts as correct, where it does not say.
    """

    says: str
    accept: Callable[[MatrixGold, Any], Accepted]
    read: reading.Read
    score: Callable[[AnswerValue, Accepted, Normalize], float]
    responses: Callable[[MatrixGold, Accepted], Sequence[object]]
    settings: type[Settings] = Settings
    textual: bool = False
    passing: float = 1.0


def _text_metric(
    says: str, score: Callable[[AnswerValue, Accepted, Normalize], float], read: reading.Read
) -> ItemMetric:
    return ItemMetric(says, compare.accept_texts, read, score, compare.all_accepted, textual=True)


METRICS: Mapping[str, ItemMetric] = MappingProxyType(
    {
        "accuracy": ItemMetric(
            "the right option, by its letter or its text; without options as exact_match",
            compare.accept_choice,
            reading.read_option,
            compare.choice,
            compare.right_choices,
            textual=True,
        ),
        "exact_match": _text_metric(
            "an accepted text, after normalization", exact_match, reading.read_final
        ),
        "f1": _text_metric(
            "F1 over word counts, after normalization", compare.word_f1, reading.read_final
        ),
        "contains": _text_metric(
            "an accepted text stands in the answer, as whole words",
            lambda answer, accepted, _: contains(answer, accepted),
            reading.read_text,
        ),
        "list_f1": ItemMetric(
            "F1 over the entries of a list, in any order, each after normalization",
            compare.accept_lists,
            reading.read_list,
            compare.list_f1,
            compare.as_lists,
        ),
        "anls": ItemMetric(
            "normalized Levenshtein similarity, 0 below `threshold` (0.5)",
            compare.accept_similar,
            reading.read_final,
            lambda answer, accepted, _: anls(answer, accepted.texts, threshold=accepted.threshold),
            lambda _, accepted: accepted.texts,
            AnlsSettings,
            textual=True,
        ),
        "bleu": _text_metric(
            "sentence BLEU of sacrebleu, all accepted texts as its references",
            lambda answer, accepted, _: bleu(answer, accepted).value,
            reading.read_text,
        ),
        "rougeL": _text_metric(
            "ROUGE-L F over words of any script, the best over the accepted texts",
            compare.rouge_l,
            reading.read_text,
        ),
        "numeric": ItemMetric(
            "the right number within `relative` and `absolute`, in `unit` or without one",
            compare.accept_numbers,
            reading.read_amount,
            compare.number,
            compare.as_numbers,
            NumberSettings,
        ),
        "relation": ItemMetric(
            "the share of pairs of regions whose relation is right",
            compare.accept_relations,
            reading.read_relations,
            compare.relation,
            lambda _, accepted: golds.RELATIONS.responses(accepted),
        ),
        "point": ItemMetric(
            "the point lies in the box, edges included",
            unit_box,
            reading.read_point,
            compare.point,
            compare.center,
            PlaceSettings,
        ),
        "box": ItemMetric(
            "intersection over union of the boxes; correct from 0.5",
            unit_box,
            reading.read_box,
            compare.box,
            lambda _, accepted: [list(accepted)],
            PlaceSettings,
            passing=0.5,
        ),
        "spec": ItemMetric(
            "agreeing leaves of two JSON documents, numbers within `relative` and `absolute`",
            compare.accept_document,
            reading.read_document,
            compare.spec,
            compare.whole,
            SpecSettings,
        ),
        "tool_call": ItemMetric(
            "F1 over a call's arguments; 0 for another tool",
            compare.accept_calls,
            reading.read_call,
            compare.call,
            compare.all_accepted,
        ),
        "code": ItemMetric(
            "the program passes `tests`, or prints `prints`",
            compare.accept_program,
            reading.read_program,
            compare.not_run,
            compare.whole,
            CodeSettings,
        ),
        "decisions": ItemMetric(
            "the share of steps that are right in their places; steps too many count",
            compare.accept_steps,
            reading.read_steps,
            compare.steps,
            compare.whole,
        ),
    }
)
"""Every metric by its name."""
