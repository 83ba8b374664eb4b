"""Accuracy over the pairs of a page (WebRSSBench, task T1)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.errors import MetricError
from snellen.grading.metrics.relations import RelationScore, pair_accuracy

PAGE = {("a", "b"): "left", ("a", "c"): "top", ("b", "c"): "overlap"}
LABELS = st.sampled_from(["left", "right", "top", "bottom", "overlap"])
PAIRS = st.dictionaries(st.tuples(st.sampled_from("ab"), st.sampled_from("cdef")), LABELS)


def test_a_perfect_page_scores_one() -> None:
    assert pair_accuracy(PAGE, PAGE) == RelationScore(1.0, 1.0, 3, 3)


def test_a_missing_pair_is_wrong_and_a_foreign_one_counts_for_nothing() -> None:
    prediction = {("a", "b"): "left", ("a", "c"): "bottom", ("x", "y"): "left"}
    assert pair_accuracy(prediction, PAGE) == RelationScore(1 / 3, 0.0, 1, 3)


def test_an_empty_answer_scores_zero() -> None:
    assert pair_accuracy({}, PAGE) == RelationScore(0.0, 0.0, 0, 3)


def test_a_reference_without_pairs_has_no_score() -> None:
    with pytest.raises(MetricError, match="without pairs"):
        pair_accuracy(PAGE, {})


@given(PAIRS, PAIRS.filter(bool))
def test_accuracy_is_the_mean_of_the_pairs_that_agree(
    prediction: dict[tuple[str, str], str], reference: dict[tuple[str, str], str]
) -> None:
    score = pair_accuracy(prediction, reference)
    said = np.array([prediction.get(pair, "missing") for pair in reference])
    assert score.accuracy == np.mean(said == np.array(list(reference.values())))
    assert score.exact_page == float(score.accuracy == 1)
    assert score.accuracy == score.pairs_right / score.pairs
