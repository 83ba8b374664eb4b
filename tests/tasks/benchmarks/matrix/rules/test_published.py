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


def test_two_empty_texts_score_0_in_f1() -> None:
    assert set_f1_published("", "") == 0


@given(st.text(max_size=30), st.text(max_size=30))
def test_f1_is_symmetric_and_never_reaches_1(one: str, other: str) -> None:
    assert set_f1_published(one, other) == pytest.approx(set_f1_published(other, one))
    assert 0 <= set_f1_published(one, other) < 1


def test_a_metric_that_the_code_lacks_scores_0_and_says_so() -> None:
    score = published("12", metric="numeric", answer=12)
    assert (score.value, score.outcome) == (0, Outcome.ANSWERED)
    assert "knows no metric 'numeric'" in score.note


def test_eval_is_not_reproduced_and_counts_as_an_error() -> None:
    settings = {"prints": "1"}
    score = published("print(1)", metric="code", answer="print(1)", settings=settings)
    assert score.outcome is Outcome.ERROR
    assert "not reproduced" in score.note
