"""The framework's own code: its rules, and the faults that its description documents."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.models.scores import Outcome, Score
from snellen.grading.protocols.table import protocol_of
from snellen.grading.score_table import score_one
from snellen.tasks.benchmarks.matrix.rules import GOLD
from snellen.tasks.benchmarks.matrix.rules.published import set_f1_published


def published(response: object, **reference: object) -> Score:
    """Score a response as the framework's code does."""
    gold = GOLD.read(reference)
    return score_one(protocol_of("matrix/items", "published"), response, gold, GOLD.context(gold))


OPTIONS = ["Home", "Settings", "About"]


@pytest.mark.parametrize(
    ("response", "right"),
    [("B", 1), (" b\n", 1), ("B.", 0), ("(B)", 0), ("Settings", 0), ("The answer is B", 0)],
)
def test_accuracy_is_equality_after_trimming_and_upper_case(response: str, right: float) -> None:
    score = published(response, metric="accuracy", answer="B", options=OPTIONS)
    assert score.metrics == {"score": right, "correct": right}


@pytest.mark.parametrize(
    ("response", "value", "correct"),
    [
        ("a red car", 0.999999995, 1),
        ("A RED CAR", 0.999999995, 1),
        # 1 of 1 words, 1 of 3: precision 1, recall 1/3.
        ("red", 2 / 3 / (4 / 3 + 1e-8), 0),
        ("red red red", 2 / 3 / (4 / 3 + 1e-8), 0),
        # 2 of 2, 2 of 3.
        ("red car", 4 / 3 / (5 / 3 + 1e-8), 1),
        ("blue", 0, 0),
    ],
)
def test_f1_is_over_sets_of_words_and_correct_above_one_half(
    response: str, value: float, correct: float
) -> None:
    score = published(response, metric="f1", answer="a red car")
    assert score.metrics["score"] == pytest.approx(value, abs=1e-12)
    assert score.metrics["correct"] == correct


def test_two_empty_texts_score_0_in_f1() -> None:
    assert set_f1_published("", "") == 0


@given(st.text(max_size=30), st.text(max_size=30))
def test_f1_is_symmetric_and_never_reaches_1(one: str, other: str) -> None:
    assert set_f1_published(one, other) == pytest.approx(set_f1_published(other, one))
    assert 0 <= set_f1_published(one, other) < 1


@pytest.mark.parametrize("response", ["Q1, Q2, Q3, Q4", "Q30", "It is not Q3"])
def test_contains_accepts_hedges_prefixes_and_denials(response: str) -> None:
    assert published(response, metric="contains", answer="Q3").value == 1
    assert published("q3", metric="contains", answer="Q3").value == 0


def test_a_metric_that_the_code_lacks_scores_0_and_says_so() -> None:
    score = published("12", metric="numeric", answer=12)
    assert (score.value, score.outcome) == (0, Outcome.ANSWERED)
    assert "knows no metric 'numeric'" in score.note


def test_eval_is_not_reproduced_and_counts_as_an_error() -> None:
    settings = {"prints": "1"}
    score = published("print(1)", metric="code", answer="print(1)", settings=settings)
    assert score.outcome is Outcome.ERROR
    assert "not reproduced" in score.note
