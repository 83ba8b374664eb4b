import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.errors import MetricError
from snellen.grading.stats.clusters import cluster_sums
from snellen.grading.stats.means import mean_estimate
from snellen.grading.stats.proportions import wilson
from snellen.grading.stats.summary import estimate
from snellen.grading.stats.variance import mean_variance
from snellen.grading.stats.weighted import weighted_estimate, weighted_mean_estimate

VALUES = st.lists(st.floats(0, 1), min_size=2, max_size=30)


def plainly(values: np.ndarray, weights: np.ndarray, codes: np.ndarray) -> tuple[float, float]:
    """Return the variance and its degrees of freedom with whole matrices, cluster by cluster."""
    share = weights / weights.sum()
    groups = np.unique(codes)
    member = (codes[None, :] == groups[:, None]).astype(float)
    # Residual sums are a linear map of the values; rows: clusters.
    residual_map = (
        member @ np.diag(share) @ (np.eye(len(values)) - np.outer(np.ones(len(values)), share))
    )
    scale = np.diag(1 / np.sqrt(1 - member @ share))
    spread = scale @ residual_map
    covariance = spread @ spread.T
    freedom = np.trace(covariance) ** 2 / np.trace(covariance @ covariance)
    return float(((spread @ values) ** 2).sum()), float(freedom)


@pytest.mark.parametrize("groups", [3, 8, 40])
def test_variance_and_freedom_are_those_of_the_whole_matrices(groups: int) -> None:
    rng = np.random.default_rng(groups)
    values, weights = rng.random(40), rng.choice([1.0, 3.5, 12.0], 40)
    codes = np.arange(40) if groups == 40 else rng.integers(0, groups, 40)
    found = weighted_estimate(values, weights, codes)
    variance, freedom = plainly(values, weights, codes)
    assert found.value == pytest.approx(np.average(values, weights=weights))
    assert found.standard_error == pytest.approx(math.sqrt(variance))
    alone, alone_freedom = plainly(values, weights, np.arange(40))
    assert found.design_effect == pytest.approx(variance / alone)
    # The interval is Wilson's on the smaller of the two effective sizes.
    from scipy import stats

    sizes = [
        found.value * (1 - found.value) / v * (stats.norm.ppf(0.975) / stats.t.ppf(0.975, f)) ** 2
        for v, f in ((variance, freedom), (alone, alone_freedom))
    ]
    interval = wilson(found.value * min(sizes), min(sizes))
    assert found.interval is not None
    assert found.interval.low == pytest.approx(interval.low)
    assert found.interval.high == pytest.approx(interval.high)


@pytest.mark.parametrize("groups", [8, 40])
def test_a_weighted_mean_has_the_t_interval_of_the_same_variance(groups: int) -> None:
    from scipy import stats

    rng = np.random.default_rng(groups)
    values, weights = rng.random(40) - 0.5, rng.choice([1.0, 3.5, 12.0], 40)
    codes = np.arange(40) if groups == 40 else rng.integers(0, groups, 40)
    found, freedom = weighted_mean_estimate(values, weights, codes, level=0.9)
    variance, expected = plainly(values, weights, codes)
    assert freedom == pytest.approx(expected)
    assert found.standard_error == pytest.approx(math.sqrt(variance))
    half = stats.t.ppf(0.95, expected) * math.sqrt(variance)
    assert found.interval is not None
    ends = (found.interval.low, found.interval.high)
    mean = np.average(values, weights=weights)
    assert ends == pytest.approx((mean - half, mean + half))
    assert found.clusters == len(np.unique(codes))
    # Equal weights give the mean's own.
    plain, same = mean_estimate(values, codes), weighted_mean_estimate(values, [3] * 40, codes)
    assert same.estimate.standard_error == pytest.approx(plain.standard_error)
    assert plain.interval is not None
    assert same.estimate.interval is not None
    assert same.estimate.interval.high == pytest.approx(plain.interval.high)


def test_a_weighted_mean_without_spread_has_no_interval() -> None:
    for values, codes in (([0.5, 0.5], [0, 1]), ([0.0, 1.0], [0, 0])):
        with pytest.raises(MetricError, match="two clusters or more, and values that vary"):
            weighted_mean_estimate(values, [1, 2], codes)


@given(VALUES, st.floats(0.1, 50))
def test_equal_weights_change_nothing(values: list[float], weight: float) -> None:
    codes = np.arange(len(values)) // 2
    assert weighted_estimate(values, [weight] * len(values), codes) == estimate(values, codes)


def test_nearly_equal_weights_come_close_to_the_estimate_without() -> None:
    rng = np.random.default_rng(3)
    values, codes = rng.random(60), np.arange(60) // 3
    weights = 1 + 1e-9 * rng.random(60)
    ours, plain = weighted_estimate(values, weights, codes), estimate(values, codes)
    assert ours.standard_error == pytest.approx(plain.standard_error)
    assert ours.interval is not None
    assert plain.interval is not None
    assert ours.interval.low == pytest.approx(plain.interval.low)
    variance = mean_variance(values, cluster_sums(values, codes))
    assert ours.design_effect == pytest.approx(variance.design_effect)


@given(VALUES, st.data())
def test_an_interval_holds_the_mean_and_stays_in_bounds(
    values: list[float], data: st.DataObject
) -> None:
    weights = data.draw(st.lists(st.floats(0.5, 99), min_size=len(values), max_size=len(values)))
    found = weighted_estimate(values, weights)
    assert found.interval is not None
    assert -1e-9 <= found.interval.low <= found.value + 1e-9
    assert found.value - 1e-9 <= found.interval.high <= 1 + 1e-9


def test_one_cluster_has_a_mean_and_no_interval() -> None:
    found = weighted_estimate([0.0, 1.0], [1, 3], [5, 5])
    assert (found.value, found.interval, found.standard_error) == (0.75, None, None)


def test_values_all_equal_get_the_interval_of_all_right() -> None:
    found = weighted_estimate([1.0] * 20, [1, 2] * 10)
    assert found.interval is not None
    assert (found.value, found.interval.method) == (1.0, "wilson, all equal")
    assert found.interval.low == pytest.approx(0.839, abs=5e-4)


@pytest.mark.parametrize("weights", [[1.0], [1.0, 0.0], [1.0, math.inf], [1.0, -2.0]])
def test_weights_must_be_positive_and_as_many(weights: list[float]) -> None:
    with pytest.raises(MetricError, match="weight"):
        weighted_estimate([0.0, 1.0], weights)


def test_cluster_codes_must_be_as_many() -> None:
    with pytest.raises(MetricError, match="cluster codes"):
        weighted_estimate([0.0, 1.0], [1, 2], [1])


@pytest.mark.slow
@pytest.mark.parametrize(("clustered", "mean"), [(False, 0.5), (False, 0.8), (True, 0.6)])
def test_the_interval_covers_what_it_promises(clustered: bool, mean: float) -> None:
    rng = np.random.default_rng(int(100 * mean))
    codes = np.repeat(np.arange(40), 3)
    weights = np.repeat(rng.choice([1.0, 4.0], 40), 3)
    hits = 0
    for _ in range(2000):
        page = rng.beta(4 * mean, 4 * (1 - mean), 40) if clustered else np.full(40, mean)
        values = (rng.random(120) < np.repeat(page, 3)) * 1.0
        interval = weighted_estimate(values, weights, codes).interval
        assert interval is not None
        hits += interval.low <= mean <= interval.high
    print(f"weighted, clustered {clustered}, mean {mean}: {100 * hits / 2000:.1f} %")
    assert 0.93 <= hits / 2000 <= 0.975
