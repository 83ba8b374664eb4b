"""How we score VisualWebBench's texts, boxes and points: the official rules, fixed.

`official` repeats the published code with its mistakes, for comparing with published numbers;
`robust` is for comparing models. What is fixed, and why:

- What models put around an answer costs nothing: a tag with other quotes, a lead-in, thoughts.
  Where the official rule cuts a text at any colon, this one cuts a sentence that only introduces.
- Case, punctuation and script do not decide, and F of equal texts is 1.
- No word consists of an empty text, and no answer is too short to count.
- Nothing that a model can say ends a run or leaves the mean.
- The numbers of a box or point are read wherever they stand, and compared in double precision.
  They count what the prompt asks for, the reference's space; percent is a fraction.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from snellen.grading.errors import MetricError
from snellen.grading.metrics.boxes import iou
from snellen.grading.metrics.rouge_words import word_rouge
from snellen.grading.metrics.squad import SquadReferences
from snellen.grading.models.geometry import Space
from snellen.grading.parse.final_answers import described, short_answer, without_lead_in
from snellen.grading.parse.responses import as_json_text
from snellen.grading.pointing.points import robust_box, robust_point
from snellen.grading.protocols.base import (
    AS_IS,
    AnswerValue,
    Context,
    Gold,
    IntArray,
    Judge,
    Judged,
    Metric,
    Normalizer,
    Parsed,
    Parser,
    Protocol,
    pairwise,
    unparsed,
)
from snellen.grading.protocols.spaces import placed
from snellen.grading.protocols.texts import all_texts, ours, text_parser
from snellen.grading.protocols.visualwebbench.parts import POINT_HIT, SAME_SPACE, image_extent
from snellen.grading.words import answer_words, words

WORDS = Normalizer("lower-case words of any script", words)
ANSWER_WORDS = Normalizer("SQuAD's for any script; numbers by value", answer_words)

_DESCRIPTION = text_parser(
    "a description tag's content, in any form, or the text behind a lead-in",
    lambda text, _: described(text),
)
_UNINTRODUCED = text_parser(
    "the text, without what introduces it", lambda text, _: without_lead_in(text)
)
_SHORT = text_parser("what follows the last 'Answer:'", lambda text, _: short_answer(text))


def _prepare_word_rouge(golds: Sequence[Gold], normalizer: Normalizer) -> Judge:
    accepted: list[list[list[str]]] = [
        [normalizer.apply(text).split() for text in all_texts(gold)] for gold in golds
    ]

    def judge(items: IntArray, answers: Sequence[AnswerValue]) -> Judged:
        values = np.zeros((len(answers), len(_ROUGE)), dtype=np.float64)
        indexes: list[int] = items.tolist()
        for row, (item, answer) in enumerate(zip(indexes, answers, strict=True)):
            said = normalizer.apply(answer).split()
            each = [word_rouge(said, reference) for reference in accepted[item]]
            values[row] = each[0] if len(each) == 1 else np.max(each, axis=0)
        return Judged(values)

    return judge


_ROUGE = ("rouge1", "rouge2", "rougeL")
WORD_ROUGE = Metric("ROUGE-1/2/L of words, exact F", _ROUGE, "rougeL", _prepare_word_rouge)


def _prepare_answer_f1(golds: Sequence[Gold], normalizer: Normalizer) -> Judge:
    prepared = SquadReferences.prepare(golds, normalize=normalizer.apply)

    def judge(items: IntArray, answers: Sequence[AnswerValue]) -> Judged:
        found = prepared.score(items, answers)
        return Judged(np.maximum(found.f1, found.exact_match).reshape(-1, 1))

    return judge


ANSWER_F1 = Metric("F1 over word counts; equal texts are 1", ("f1",), "f1", _prepare_answer_f1)


def _note(space: Space | None) -> str:
    return SAME_SPACE if space is None else "percent, taken for fractions of the image"


def _read_box(response: object, context: Context) -> Parsed:
    text = as_json_text(response)
    found = None if text is None else robust_box(text)
    if found is None:
        return unparsed("no box in it")
    return placed(Parsed(found.ltrb, None, _note(found.space)), image_extent(context))


def _read_point(response: object, context: Context) -> Parsed:
    text = as_json_text(response)
    found = None if text is None else robust_point(text)
    if found is None:
        return unparsed("no point in it")
    return placed(Parsed((found.x, found.y), None, _note(found.space)), image_extent(context))


def _box_hit(answer: AnswerValue, gold: Gold, _: object) -> tuple[float, float]:
    if answer == gold.bbox:
        # Also where the reference has no area, or one that no float can hold.
        return 1.0, 1.0
    try:
        overlap = iou(answer, gold.bbox)
    except MetricError:
        overlap = 0.0
    return float(overlap >= 0.5), overlap


_BOX = Parser("four numbers, wherever they stand", _read_box)
_POINT = Parser("two numbers, or the middle of a box, wherever they stand", _read_point)
_BOX_HIT = pairwise("IoU >= 0.5, in double precision", ("accuracy", "iou"), "accuracy", _box_hit)

_CASELESS = "ignores case, punctuation and script; words count as often as they occur"
_DRAWN = "reads JSON and text in any form; every item counts, and no answer stops the run"
_BOXES = (f"{_DRAWN}; compares in double precision", _BOX, AS_IS, _BOX_HIT)
_POINTS = (f"{_DRAWN}; a box is read as its center", _POINT, AS_IS, POINT_HIT)
_READ = (f"only a sentence that introduces the text is cut; {_CASELESS}", _UNINTRODUCED)

_PARTS: Mapping[str, tuple[str, Parser, Normalizer, Metric]] = MappingProxyType(
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
        "element_ground_bbox": _BOXES,
        "action_ground_bbox": _BOXES,
        "element_ground_point": _POINTS,
        "action_ground_point": _POINTS,
    }
)


def robust(task: str) -> Protocol:
    """Return our protocol of one of the text, box and point tasks, by the task's full name."""
    special, parser, normalizer, metric = _PARTS[task.partition("/")[2]]
    plain = parser in (_BOX, _POINT)
    reader = ours(parser, str) if plain else ours(parser)
    return Protocol(task, "robust", 3, "ours", special, reader, normalizer, metric)
