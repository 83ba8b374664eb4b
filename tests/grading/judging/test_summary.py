"""Verdicts added up: means with their denominators, and agreement with metric and people."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from snellen.grading.errors import MetricError
from snellen.grading.judging.rubrics import CORRECT, GRADED
from snellen.grading.judging.summary import (
    NONE,
    Ratings,
    Weights,
    cohen_kappa,
    contingency,
    kappa_estimate,
)
from snellen.grading.stats.summary import estimate

EIGHT = Ratings(
    rubric=CORRECT,
    levels=np.array([1, 1, 0, 0, 1, NONE, NONE, NONE]),
    asked=np.array([True, True, True, True, True, True, False, True]),
    selected=np.array([True, True, True, True, True, True, True, True]),
    labels=np.array([1, NONE, 0, 1, 1, 1, 0, NONE]),
    metric="f1",
    values=np.array([1.0, 0.5, 0.0, 1.0, 0.2, 1.0, 0.0, 0.0]),
    passing=1.0,
    lengths=np.array([2, 30, 2, 3, 40, 5, 0, 7]),
    clusters=np.array([0, 0, 1, 1, 2, 2, 3, 3]),
)
"""Judged: the first five. The sixth and the last have no verdict, the seventh has no response."""


def test_the_mean_leaves_out_what_has_no_verdict_and_counts_what_has_no_response_as_nothing() -> (
    None
):
    found = EIGHT.mean()
    assert found is not None
    assert found.value == 3 / 6
    assert found.items == 6
    assert found.clusters == 4
    assert found == estimate([1, 1, 0, 0, 1, 0], [0, 0, 1, 1, 2, 3])


def test_what_has_no_verdict_bounds_the_mean() -> None:
    lowest, highest = EIGHT.mean(0.0), EIGHT.mean(1.0)
    assert lowest is not None
    assert highest is not None
    assert (lowest.value, highest.value) == (3 / 8, 5 / 8)


def test_an_item_is_the_mean_of_its_attempts_and_counts_once() -> None:
    by_item = replace(EIGHT, attempts=2)
    found = by_item.mean()
    assert found is not None
    # (1 + 1) / 2, (0 + 0) / 2, 1 / 1 and 0 / 1.
    assert found.value == pytest.approx(2 / 4)
    assert found.items == 4


def test_items_that_were_not_selected_count_nowhere() -> None:
    chosen = EIGHT.selected.copy()
    chosen[2:] = False
    found = replace(EIGHT, selected=chosen, asked=EIGHT.asked & chosen).mean()
    assert found is not None
    assert (found.value, found.items) == (1.0, 2)


def test_levels_are_scaled_by_the_best() -> None:
    levels = np.array([4, 2, 0, 1, 4, NONE, NONE, NONE])
    found = replace(EIGHT, rubric=GRADED, levels=levels).mean()
    assert found is not None
    assert found.value == pytest.approx((1 + 0.5 + 0 + 0.25 + 1 + 0) / 6)


def test_without_any_verdict_or_missing_response_there_is_no_mean() -> None:
    nothing = replace(EIGHT, levels=np.full(8, NONE), asked=np.ones(8, dtype=np.bool_))
    assert nothing.mean() is None
    assert nothing.agreements()[0].first == "f1"


def test_the_three_agreements_are_over_what_both_have_rated() -> None:
    metric, people, both = EIGHT.agreements()
    assert (metric.first, metric.second, metric.responses) == ("judge", "f1", 5)
    assert (metric.both, metric.first_only, metric.second_only, metric.neither) == (1, 2, 1, 1)
    assert metric.raw.value == 2 / 5
    assert metric.raw.clusters == 3
    assert (people.first, people.second, people.responses) == ("judge", "labels", 4)
    assert (people.both, people.first_only, people.second_only, people.neither) == (2, 0, 1, 1)
    # Agreed 3/4; by chance 1/2 * 3/4 + 1/2 * 1/4 = 1/2.
    assert people.kappa is not None
    assert people.kappa.value == pytest.approx(0.5)
    assert people.weighted is None
    # A label of what has no response is passed over.
    assert (both.first, both.second, both.responses) == ("f1", "labels", 5)


def test_levels_are_compared_by_weighted_kappa_and_cut_for_right_and_wrong() -> None:
    graded = replace(
        EIGHT,
        rubric=GRADED,
        levels=np.array([4, 3, 0, 2, 4, NONE, NONE, NONE]),
        labels=np.array([4, 4, 0, 3, 3, NONE, NONE, NONE]),
    )
    _, people, _ = graded.agreements()
    # 3 and 4 are right: only the fourth response parts them.
    assert (people.both, people.first_only, people.second_only, people.neither) == (3, 0, 1, 1)
    assert people.weighted is not None
    assert people.weighted.value > 0.8


def test_without_labels_only_the_metric_is_compared() -> None:
    alone = replace(EIGHT, labels=np.full(8, NONE))
    assert [one.second for one in alone.agreements()] == ["f1"]


def test_a_judge_that_likes_length_shows() -> None:
    found = EIGHT.length_correlation()
    peer = spearmanr([2, 30, 2, 3, 40], [0.0, 0.5, 0.0, -1.0, 0.8]).statistic
    assert found == pytest.approx(peer)
    assert found is not None
    assert found > 0.6


def test_where_judge_and_metric_never_differ_length_says_nothing() -> None:
    same = replace(EIGHT, values=np.where(EIGHT.levels == 1, 1.0, 0.0))
    assert same.length_correlation() is None


def peer(first: Sequence[int], second: Sequence[int], weights: Weights = "none") -> float:
    """Return scikit-learn's kappa."""
    metrics: Any = pytest.importorskip("sklearn.metrics")
    named = None if weights == "none" else weights
    return metrics.cohen_kappa_score(first, second, labels=range(4), weights=named)


pairs = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=40)


def test_a_worked_value() -> None:
    # 50 grants, 70 % agreement, 50 % expected by chance: (0.7 - 0.5) / (1 - 0.5).
    assert cohen_kappa(np.array([[20.0, 5.0], [10.0, 15.0]])) == pytest.approx(0.4, abs=1e-15)


def test_a_worked_value_with_weights() -> None:
    # Cost seen: 5 of 10 pairs one level apart. Expected, by hand: 57/10 linear, 69/10 quadratic.
    table = np.array([[3.0, 2.0, 0.0], [0.0, 1.0, 2.0], [0.0, 1.0, 1.0]])
    rows, columns = np.array([5, 3, 2]), np.array([3, 4, 3])
    powers: dict[Weights, int] = {"linear": 1, "quadratic": 2}
    for weights, power in powers.items():
        expected = sum(
            abs(i - j) ** power * rows[i] * columns[j] / 10 for i in range(3) for j in range(3)
        )
        assert cohen_kappa(table, weights) == pytest.approx(1 - 5 / expected)


@pytest.mark.slow
@given(pairs)
@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_kappa_is_that_of_scikit_learn(weights: Weights, found: list[tuple[int, int]]) -> None:
    first, second = zip(*found, strict=True)
    assume(len({*first, *second}) > 1)
    kappa = cohen_kappa(contingency(first, second, 4), weights)
    assert kappa == pytest.approx(peer(first, second, weights), abs=1e-12)


@given(pairs)
def test_kappa_does_not_care_who_is_first_and_is_at_most_one(found: list[tuple[int, int]]) -> None:
    first, second = zip(*found, strict=True)
    table = contingency(first, second, 4)
    kappa = cohen_kappa(table)
    assert kappa == cohen_kappa(table.T) or kappa == pytest.approx(cohen_kappa(table.T))
    assert kappa is None or -1 <= kappa <= 1


def test_full_agreement_is_one_and_has_no_interval() -> None:
    found = kappa_estimate([0, 1, 1, 0], [0, 1, 1, 0], range(4), levels=2)
    assert found is not None
    assert (found.value, found.items, found.clusters) == (1.0, 4, 4)
    assert found.standard_error is None
    assert found.interval is None


def test_kappa_is_not_defined_where_both_always_say_the_same() -> None:
    assert cohen_kappa(contingency([1, 1], [1, 1], 2)) is None
    assert kappa_estimate([1, 1], [1, 1], [0, 1], levels=2) is None


def test_one_always_saying_the_same_is_worth_nothing() -> None:
    assert cohen_kappa(contingency([1, 1, 1], [1, 0, 1], 2)) == 0.0


def test_the_standard_error_is_the_jackknife_of_the_clusters() -> None:
    first = np.array([0, 1, 1, 0, 1, 0, 0, 1, 1, 0])
    second = np.array([0, 1, 0, 0, 1, 1, 0, 1, 0, 0])
    clusters = np.array([3, 3, 3, 8, 8, 9, 9, 2, 2, 2])
    left: list[float] = []
    for cluster in set(clusters.tolist()):
        stays = clusters != cluster
        left.append(peer(first[stays].tolist(), second[stays].tolist()))
    slow = np.sqrt(3 / 4 * ((np.array(left) - np.mean(left)) ** 2).sum())
    found = kappa_estimate(first, second, clusters, levels=2)
    assert found is not None
    assert found.clusters == 4
    assert found.standard_error == pytest.approx(slow)
    assert found.interval is not None
    assert found.interval.method == "jackknife t"
    assert -1 <= found.interval.low < found.value < found.interval.high <= 1


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 3])
def test_the_interval_holds_the_true_kappa_about_as_often_as_it_says(size: int) -> None:
    # Both raters see a truth (60 % right, alike within a cluster) and err on 15 % of responses:
    # they agree on 0.85^2 + 0.15^2 = 0.745. A margin is 0.6 * 0.85 + 0.4 * 0.15 = 0.57.
    chance = 0.57**2 + 0.43**2
    truth = (0.745 - chance) / (1 - chance)
    stream = np.random.default_rng(7)
    held = 0
    for _ in range(600):
        clusters = np.repeat(np.arange(120 // size), size)
        right = (stream.random(120 // size) < 0.6)[clusters]
        first, second = ((right ^ (stream.random(120) < 0.15)).astype(int) for _ in range(2))
        found = kappa_estimate(first, second, clusters, levels=2)
        assert found is not None
        assert found.interval is not None
        held += found.interval.low <= truth <= found.interval.high
    assert 0.925 <= held / 600 <= 0.975


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ([], [], "no pairs"),
        ([0, 1], [0], "needs pairs, not shapes"),
        ([0, 2], [0, 1], "from 0 to 1"),
        ([0, -1], [0, 1], "from 0 to 1"),
        ([0.0, 1.0], [0, 1], "whole numbers"),
    ],
)
def test_what_is_no_rating_is_refused(
    first: list[float], second: list[float], message: str
) -> None:
    with pytest.raises(MetricError, match=message):
        contingency(first, second, 2)


def test_clusters_must_be_as_many_as_pairs() -> None:
    with pytest.raises(MetricError, match="need as many cluster codes"):
        kappa_estimate([0, 1], [0, 1], [0], levels=2)
