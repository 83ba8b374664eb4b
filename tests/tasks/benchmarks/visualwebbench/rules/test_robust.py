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
BOXES = ("element_ground_bbox", "action_ground_bbox")
POINTS = ("element_ground_point", "action_ground_point")


def score(task: str, response: Any, reference: Any, protocol: str = "robust") -> Score:
    name = f"visualwebbench/{task}"
    gold = gold_shape(name).read(reference)
    context = gold_shape(name).context(gold)
    return score_one(protocol_of(name, protocol), response, gold, context)


def both(task: str, response: Any, reference: Any) -> tuple[float, float]:
    """Return the value under official and under robust, rounded to 4 digits."""
    official, robust = (
        round(score(task, response, reference, name).value, 4) for name in ("official", "robust")
    )
    return official, robust


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
@pytest.mark.parametrize(
    ("response", "reference", "expected"),
    [
        ("the cat sat", "the cat sat", (1, 1)),
        ("The Cat sat.", "the cat sat", (0.3333, 1)),
        ("Sign in", "Sign-in", (0, 1)),
        ("中文测试", "中文测试", (1, 1)),
        ("中文试验", "中文测试", (0, 0.75)),
        ("café", "CAFE\u0301", (0, 1)),
        # Repeated words count as often as they occur, and the end of a sentence is no end.
        ("a a a b", "a b", (1, 0.6667)),
        ("a. b. c", "c. b. a", (1, 0.3333)),
        # No phantom word of a blank.
        (" ", "Hello world. ", (0.5, 0)),
        ("running dogs", "run dog", (0, 0)),
        ("...", "...", (0, 1)),
        ("$", "$", (1, 1)),
        ("#", "$", (0, 0)),
    ],
)
def test_texts_are_compared_as_readers_would(
    response: str, reference: str, expected: tuple[float, float]
) -> None:
    assert both("heading_ocr", response, reference) == expected


@pytest.mark.parametrize(
    ("task", "response", "reference", "expected"),
    [
        ("element_ocr", "Open 10:30", "Open 10:30", (0, 1)),
        ("element_ocr", "7", "7", (0, 1)),
        ("element_ocr", "The text is: Open 10:30", "Open 10:30", (1, 1)),
        ("element_ocr", 'The text in the box is "Sign in".', "Sign in", (0.2, 1)),
        ("heading_ocr", "The heading is: Our story", "Our story", (0.5714, 1)),
        ("web_caption", "<meta content='Buy shoes' name='description'/>", "Buy shoes", (0, 1)),
        ("web_caption", '<meta name="description" content="Buy\nshoes">', "Buy shoes", (0, 1)),
        ("web_caption", '<meta name="description" content="Buy shoes', "Buy shoes", (0.3333, 1)),
        ("web_caption", "Meta Description: Buy shoes", "Buy shoes", (0.6667, 1)),
    ],
)
def test_what_stands_around_a_text_costs_nothing(
    task: str, response: str, reference: str, expected: tuple[float, float]
) -> None:
    assert both(task, response, reference) == expected


@pytest.mark.parametrize(
    ("response", "reference", "expected"),
    [
        ("yes", "Yes", (0, 1)),
        ("Yes, it is", "Yes", (0, 0.5)),
        ("$4", "4", (0, 1)),
        ("€4", "$4", (0, 1)),
        ("1,000", "1000", (0, 1)),
        ("4.30", "4.3", (0.5, 1)),
        ("3.4", "34", (0, 0)),
        ("-5", "5", (0, 0)),
        ("10km", "10 km", (0, 1)),
        ("4.3 stars", "4.3", (0.8, 0.6667)),
        ("the the the", "the cat", (0.6667, 0)),
        ("U.S. dollar", "US dollar", (0.4, 1)),
        ("Answer: 10:30", "10:30", (0.6667, 1)),
        ("The answer is Paris.", "Paris", (0.4, 1)),
        ("<think>London?</think> Paris", "Paris", (0.6667, 1)),
        ("$", "$", (1, 1)),
        ("the", "a", (0, 0)),
        ("...", "Paris", (0, 0)),
    ],
)
def test_short_answers_are_compared_by_words_and_numbers(
    response: str, reference: str, expected: tuple[float, float]
) -> None:
    assert both("webqa", response, ["something else", reference]) == expected


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


@pytest.mark.parametrize("task", [*TEXTS, "webqa"])
@pytest.mark.parametrize(
    "reference",
    ["...", "$", "the", "A", "é", "中文", "0", "1,000", "Sorry, no results", "Note: closed", "?!",
     "Open 10:30", "Text: yes", "He said \"no\"", "<b>", "{}", "½", "\u200b", ""],
)  # fmt: skip
def test_every_reference_is_right_when_given_as_the_answer(task: str, reference: str) -> None:
    assert score(task, reference, [reference] if task == "webqa" else reference).value == 1


@pytest.mark.parametrize(
    ("task", "reference"),
    [("heading_ocr", "Heading: news"), ("web_caption", "Description: news"),
     ("element_ocr", "The text is: news"), ("webqa", "Answer: news")],
)  # fmt: skip
def test_a_reference_that_reads_like_a_lead_in_is_the_exception(task: str, reference: str) -> None:
    assert 0 < score(task, reference, [reference] if task == "webqa" else reference).value < 1


# ---- boxes and points

GOLD = [10, 20, 30, 40]


@pytest.mark.parametrize("task", BOXES)
@pytest.mark.parametrize(
    "response",
    [
        GOLD,
        "[10, 20, 30, 40]",
        "The button is at [10, 20, 30, 40].",
        '```json\n{"bbox_2d": [10, 20, 30, 40]}\n```',
        {"bbox": GOLD},
        {"left": 10, "top": 20, "right": 30, "bottom": 40},
        [GOLD],
        [[10, 20], [30, 40]],
        "Step 1, 2: (10, 20), (30, 40)",
    ],
    ids=str,
)
def test_a_box_is_read_in_any_form(task: str, response: Any) -> None:
    assert score(task, response, GOLD).metrics == {"accuracy": 1.0, "iou": 1.0}


def test_a_box_is_compared_in_double_precision() -> None:
    # Half of the reference; in float32 it is less (test_visualwebbench.py).
    found = score("element_ground_bbox", [0, 0, 0.07, 1], [0, 0, 0.14, 1])
    assert found.metrics == {"accuracy": 1.0, "iou": 0.5}
    less = [0.1, 0.1, 0.17, 0.3]
    assert score("element_ground_bbox", less, [0.1, 0.1, 0.24000000000000002, 0.3]).value == 0


def test_the_reference_itself_is_right_even_without_an_area() -> None:
    assert score("element_ground_bbox", [5, 5, 5, 9], [5, 5, 5, 9]).value == 1
    assert score("element_ground_bbox", [5, 5, 5, 8], [5, 5, 5, 9]).value == 0


@pytest.mark.parametrize("task", POINTS)
@pytest.mark.parametrize(
    ("response", "value"),
    [
        ([20, 30], 1),
        ([30, 40], 1),
        ("click(x=20, y=30)", 1),
        ({"x": 20, "y": 30}, 1),
        ({"point_2d": [20, 30]}, 1),
        ("<point>20 30</point>", 1),
        (GOLD, 1),
        ("[0, 0, 20, 30]", 0),
        ([20, 40.01], 0),
    ],
    ids=str,
)
def test_a_point_is_read_in_any_form(task: str, response: Any, value: float) -> None:
    found = score(task, response, GOLD)
    assert (found.outcome, found.metrics) == (Outcome.ANSWERED, {"accuracy": value})


def test_percent_are_fractions_and_decimals_are_taken_for_them() -> None:
    found = score("element_ground_point", "(50%, 30%)", [0.4, 0.2, 0.6, 0.4])
    assert (found.value, found.note) == (1.0, "")
    plain = score("element_ground_point", "(0.5, 0.3)", [0.4, 0.2, 0.6, 0.4])
    assert (plain.value, plain.note) == (1.0, "taken for fractions")


def test_fractions_of_an_image_of_unknown_size_are_no_answers_fault() -> None:
    assert score("element_ground_point", [0.2, 0.3], GOLD).outcome is Outcome.ERROR


UNREADABLE: list[Any] = [
    "", "nowhere", [], {}, 7, True, [1, 2, 3], ["a", 1], [10**400, 1], {"x": 20},
    {"x": None, "y": []}, [[[[]]]],
]  # fmt: skip


@pytest.mark.parametrize("task", [*BOXES, *POINTS])
@pytest.mark.parametrize("response", UNREADABLE, ids=str)
def test_what_cannot_be_read_is_wrong_and_ends_nothing(task: str, response: Any) -> None:
    found = score(task, response, GOLD)
    assert found.outcome in {Outcome.UNPARSED, Outcome.EMPTY}
    assert (found.value, found.crashed) == (0.0, False)


@pytest.mark.parametrize("task", POINTS)
def test_a_point_that_cannot_be_read_stays_in_the_mean(task: str) -> None:
    found = primary(task, ["nowhere", [20, 30], None], [GOLD] * 3)
    assert found.value == found.as_published == pytest.approx(1 / 3)
