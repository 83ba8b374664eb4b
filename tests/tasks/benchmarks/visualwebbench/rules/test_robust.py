"""VisualWebBench's robust protocols: each mistake of the official rule, and what became of it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.grade import MAX_TEXT, Answers, Grader
from snellen.grading.models.reports import MetricValue
from snellen.grading.models.scores import Outcome, Score
from snellen.grading.protocols.base import ALL_ITEMS
from snellen.grading.protocols.table import PROTOCOLS, gold_shape, protocol_of
from snellen.grading.score_table import score_one
from snellen.grading.tally import Tally

TEXTS = ("web_caption", "heading_ocr", "element_ocr")
POINTS = ("element_ground_point", "action_ground_point")


def score(task: str, response: Any, reference: Any, protocol: str = "robust") -> Score:
    name = f"visualwebbench/{task}"
    gold = gold_shape(name).read(reference)
    context = gold_shape(name).context(gold)
    return score_one(protocol_of(name, protocol), response, gold, context)


def primary(task: str, responses: Sequence[Any], references: Sequence[Any]) -> MetricValue:
    name = f"visualwebbench/{task}"
    protocol = protocol_of(name, "robust")
    golds = [gold_shape(name).read(reference) for reference in references]
    answers = Answers(np.arange(len(responses)), [0] * len(responses), responses)
    tally = Tally(protocol, golds)
    tally.add(answers, Grader.of(protocol, golds).batch(answers))
    return tally.metrics(1)[protocol.metric.primary]


@pytest.mark.parametrize("task", [task for task in PROTOCOLS if task.startswith("visualwebbench/")])
def test_every_task_has_a_robust_protocol_that_drops_nothing(task: str) -> None:
    robust = protocol_of(task, "robust")
    assert robust.denominator == ALL_ITEMS
    assert robust.metric.best == 1.0


# Response, reference, official, robust.


def test_the_papers_f1_takes_one_number_for_another_and_robust_does_not() -> None:
    assert score("webqa", "3.4", ["34"], "paper").value == 1
    assert score("webqa", "3.4", ["34"]).value == 0


@pytest.mark.parametrize("task", [*TEXTS, "webqa"])
def test_nothing_crashes_or_leaves_the_mean(task: str) -> None:
    given: list[Any] = [["Buy shoes"]] * 6 if task == "webqa" else ["Buy shoes"] * 6
    found = primary(task, ["Buy shoes", "...", ".", "", None, 7], given)
    assert found.value == found.as_published == pytest.approx(1 / 6, abs=1e-12)


@pytest.mark.parametrize("task", [*TEXTS, "webqa"])
def test_a_refusal_is_recognized_and_scored_like_any_text(task: str) -> None:
    reference: Any = ["Sorry, no results"] if task == "webqa" else "Sorry, no results"
    assert score(task, "I'm sorry, I can't read it.", reference).outcome is Outcome.REFUSED
    found = score(task, "Sorry, no results", reference)
    assert (found.outcome, found.value) == (Outcome.REFUSED, 1.0)


@pytest.mark.slow
@given(st.text(min_size=1).filter(lambda text: not text.isspace() and len(text) < MAX_TEXT))
def test_a_text_scores_one_against_what_is_read_of_it(text: str) -> None:
    for task in (*TEXTS, "webqa"):
        name = f"visualwebbench/{task}"
        read = protocol_of(name, "robust").parser.read(text, gold_shape(name).context("")).answer
        assert score(task, text, [read] if task == "webqa" else read).value == 1


@pytest.mark.parametrize(
    ("task", "reference"),
    [("heading_ocr", "Heading: news"), ("web_caption", "Description: news"),
     ("element_ocr", "The text is: news"), ("webqa", "Answer: news")],
)  # fmt: skip
def test_a_reference_that_reads_like_a_lead_in_is_the_exception(task: str, reference: str) -> None:
    assert 0 < score(task, reference, [reference] if task == "webqa" else reference).value < 1


# ---- boxes and points

GOLD = [10, 20, 30, 40]


def test_a_box_is_compared_in_double_precision() -> None:
    # Half of the reference; in float32 it is less (test_visualwebbench.py).
    found = score("element_ground_bbox", [0, 0, 0.07, 1], [0, 0, 0.14, 1])
    assert found.metrics == {"accuracy": 1.0, "iou": 0.5}
    less = [0.1, 0.1, 0.17, 0.3]
    assert score("element_ground_bbox", less, [0.1, 0.1, 0.24000000000000002, 0.3]).value == 0


def test_the_reference_itself_is_right_even_without_an_area() -> None:
    assert score("element_ground_bbox", [5, 5, 5, 9], [5, 5, 5, 9]).value == 1
    assert score("element_ground_bbox", [5, 5, 5, 8], [5, 5, 5, 9]).value == 0


def test_percent_are_fractions_and_decimals_are_taken_for_them() -> None:
    found = score("element_ground_point", "(50%, 30%)", [0.4, 0.2, 0.6, 0.4])
    assert (found.value, found.note) == (1.0, "")
    plain = score("element_ground_point", "(0.5, 0.3)", [0.4, 0.2, 0.6, 0.4])
    assert (plain.value, plain.note) == (1.0, "taken for fractions")


def test_fractions_of_an_image_of_unknown_size_are_no_answers_fault() -> None:
    assert score("element_ground_point", [0.2, 0.3], GOLD).outcome is Outcome.ERROR


@pytest.mark.parametrize("task", POINTS)
def test_a_point_that_cannot_be_read_stays_in_the_mean(task: str) -> None:
    found = primary(task, ["nowhere", [20, 30], None], [GOLD] * 3)
    assert found.value == found.as_published == pytest.approx(1 / 3)
