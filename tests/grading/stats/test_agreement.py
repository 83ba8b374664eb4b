"""Cohen's kappa against worked values and scikit-learn, its interval against simulation."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from snellen.grading.errors import MetricError
from snellen.grading.stats.agreement import Weights, cohen_kappa, contingency, kappa_estimate


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
