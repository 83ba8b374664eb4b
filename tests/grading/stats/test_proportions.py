import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from snellen.grading.errors import MetricError
from snellen.grading.models.estimates import Bounds
from snellen.grading.stats.proportions import (
    clopper_pearson,
    constant_interval,
    wilson,
    wilson_estimate,
)


@given(st.integers(1, 500), st.data(), st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_is_scipys(n: int, data: st.DataObject, level: float) -> None:
    successes = data.draw(st.integers(0, n))
    found = wilson(successes, n, level=level)
    expected = stats.binomtest(successes, n).proportion_ci(level, method="wilson")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert 0 <= found.low <= successes / n <= found.high <= 1


@given(st.integers(1, 500), st.data(), st.sampled_from([0.8, 0.95, 0.99]))
def test_clopper_pearson_is_scipys(n: int, data: st.DataObject, level: float) -> None:
    successes = data.draw(st.integers(0, n))
    found = clopper_pearson(successes, n, level=level)
    expected = stats.binomtest(successes, n).proportion_ci(level, method="exact")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_clopper_pearson_covers_the_mean_of_different_values_in_0_to_1() -> None:
    # A second witness by simulation: beta values of different means and widths.
    rng = np.random.default_rng(5)
    for n in (1, 3, 10):
        means = rng.uniform(0.1, 0.9, n)
        values = rng.beta(means * 0.5, (1 - means) * 0.5, (2000, n))
        found = [clopper_pearson(float(each.sum()), n) for each in values]
        covered = np.mean([one.low <= means.mean() <= one.high for one in found])
        assert covered >= 0.95


@pytest.mark.parametrize(("successes", "n"), [(-1, 3), (4, 3), (0, 0)])
def test_clopper_pearson_of_what_is_no_share_is_refused(successes: float, n: int) -> None:
    with pytest.raises(MetricError, match="not a share"):
        clopper_pearson(successes, n)


@pytest.mark.parametrize("n", [100, 400, 1000])
def test_the_exact_coverage_of_wilson_is_nominal(n: int) -> None:
    counts = np.arange(n + 1)
    intervals = [wilson(int(k), n) for k in counts]
    lows = np.array([one.low for one in intervals])
    highs = np.array([one.high for one in intervals])
    ps = np.linspace(0.2, 0.8, 301)
    coverage = [
        float(np.asarray(stats.binom.pmf(counts, n, p)) @ ((lows <= p) & (p <= highs))) for p in ps
    ]
    assert min(coverage) >= 0.935
    assert max(coverage) <= 0.965
    assert float(np.mean(coverage)) == pytest.approx(0.95, abs=0.002)


def test_independent_zeros_and_ones_are_a_proportion() -> None:
    found = wilson_estimate([1] * 9 + [0])
    assert found.interval == wilson(9, 10)
    assert found.standard_error == pytest.approx(np.sqrt(0.9 * 0.1 / 9))
    assert wilson_estimate([1] * 9 + [0], range(10)) == found


def test_whole_clusters_alike_count_as_one_item_each_with_ts_quantile() -> None:
    answers = np.random.default_rng(2).random(200) < 0.8
    alone = wilson_estimate(answers)
    copies = wilson_estimate(np.repeat(answers, 4), np.repeat(np.arange(200), 4))
    assert alone.interval is not None
    assert copies.interval is not None
    assert copies.items == 800
    assert copies.design_effect == pytest.approx(4, rel=0.02)
    assert copies.interval.low == pytest.approx(alone.interval.low, abs=1e-3)
    assert copies.interval.high == pytest.approx(alone.interval.high, abs=1e-3)


def test_clustered_wilson_solves_its_own_equation() -> None:
    # Its ends are the means m with (mean - m)^2 = t^2 V m (1 - m) / (mean (1 - mean)).
    rng = np.random.default_rng(3)
    codes, values = np.repeat(np.arange(25), 3), rng.choice([0, 0.3, 0.5, 1, 1, 1], 75)
    found = wilson_estimate(values, codes, level=0.9)
    assert found.standard_error is not None
    assert found.interval is not None
    t2 = stats.t.ppf(0.95, 24) ** 2
    for end in (found.interval.low, found.interval.high):
        spread = end * (1 - end) / (found.value * (1 - found.value))
        assert (found.value - end) ** 2 == pytest.approx(t2 * found.standard_error**2 * spread)


@pytest.mark.parametrize("values", [[0, 1, 0, 1, 0, 1], [0, 1, 0, 1, 0, 0.9999]])
def test_clusters_that_are_alike_by_chance_make_no_interval_narrower(values: list[float]) -> None:
    found = wilson_estimate(values, [0, 0, 1, 1, 2, 2])
    alone = wilson_estimate(values)
    assert found.interval is not None
    assert alone.interval is not None
    assert found.interval.low <= alone.interval.low < 0.19
    assert found.interval.high >= alone.interval.high > 0.81


@given(
    st.lists(st.sampled_from([0.0, 1.0]) | st.floats(0, 1), min_size=2, max_size=40),
    st.integers(2, 9),
    st.integers(0, 2**32),
)
def test_no_clusters_narrow_an_interval(values: list[float], groups: int, seed: int) -> None:
    codes = np.random.default_rng(seed).integers(0, groups, len(values))
    found, alone = wilson_estimate(values, codes).interval, wilson_estimate(values).interval
    if found is not None and alone is not None:
        assert found.low <= alone.low + 1e-12
        assert found.high >= alone.high - 1e-12


def test_zeros_and_ones_in_clusters_are_worth_their_number_at_most() -> None:
    # Nine groups with the same accuracy, such as a tag that does not matter.
    values, codes = np.tile([1, 1, 0, 1], 90), np.tile(np.repeat(np.arange(9), 4), 10)
    values[0] = 0
    assert wilson_estimate(values, codes).interval == wilson(269, 360)


def test_values_equal_but_for_rounding_are_all_equal() -> None:
    found = wilson_estimate([0.1 + 0.2, 0.3] * 10)
    assert found.interval is not None
    assert found.interval.method == "wilson, all equal"
    assert found.standard_error is None


def test_in_large_samples_away_from_the_bounds_it_is_the_t_interval() -> None:
    rng = np.random.default_rng(4)
    values = rng.choice([0, 0.4, 1], 9000)
    alike = rng.random(3000) < 0.3
    values[np.repeat(alike, 3)] = np.repeat(values[::3][alike], 3)
    found = wilson_estimate(values, np.arange(9000) // 3)
    assert found.standard_error is not None
    assert found.interval is not None
    assert found.interval.low == pytest.approx(found.value - 1.96 * found.standard_error, abs=1e-4)
    assert found.interval.high == pytest.approx(found.value + 1.96 * found.standard_error, abs=1e-4)


def test_other_bounds_move_and_stretch_everything() -> None:
    values, codes = np.array([0, 1, 0.5, 1, 1, 0.2, 1, 1]), [0, 0, 1, 1, 2, 2, 3, 3]
    unit = wilson_estimate(values, codes)
    moved = wilson_estimate(10 * values - 4, codes, bounds=Bounds(-4, 6))
    assert unit.interval is not None
    assert moved.interval is not None
    assert moved.value == pytest.approx(10 * unit.value - 4)
    assert moved.interval.low == pytest.approx(10 * unit.interval.low - 4)
    assert moved.interval.high == pytest.approx(10 * unit.interval.high - 4)


@pytest.mark.parametrize(("value", "low", "high"), [(1, 0.8389, 1), (0, 0, 0.1611)])
def test_all_right_or_all_wrong_is_an_interval_over_the_clusters(
    value: float, low: float, high: float
) -> None:
    found = wilson_estimate([value] * 60, np.repeat(np.arange(20), 3))
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high), abs=1e-4)
    assert found.interval.method == "wilson, all equal"
    assert found.standard_error is None


@given(st.floats(-1, 1), st.integers(2, 1000))
def test_a_constant_keeps_its_interval_within_the_bounds(value: float, clusters: int) -> None:
    found = constant_interval(value, clusters, level=0.95, bounds=Bounds(-1, 1))
    assert -1 <= found.low <= value <= found.high <= 1


def test_one_cluster_has_no_interval() -> None:
    assert wilson_estimate([1, 0, 1], [2, 2, 2]).interval is None
    assert wilson_estimate([1]).interval is None


@pytest.mark.parametrize(("successes", "n"), [(1, 0), (-1, 5), (6, 5), (0, float("inf"))])
def test_what_is_no_proportion_is_an_error(successes: float, n: float) -> None:
    with pytest.raises(MetricError, match="are not a proportion"):
        wilson(successes, n)


def test_values_outside_the_bounds_are_an_error() -> None:
    with pytest.raises(MetricError, match=r"item value 1 is 2\.0, outside"):
        wilson_estimate([0, 2])
