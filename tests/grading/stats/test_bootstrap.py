import importlib
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from snellen.grading.errors import MetricError, UnknownNameError
from snellen.grading.models.estimates import Bounds
from snellen.grading.stats.bootstrap import (
    Method,
    bootstrap_difference,
    bootstrap_distribution,
    bootstrap_mean,
)
from snellen.grading.stats.proportions import constant_interval

# scipy's types know no method but by literal; as Any it does not spread unknown ones.
scipys: Any = importlib.import_module("scipy.stats").bootstrap

RNG = np.random.default_rng(0)
CODES = np.repeat(np.arange(300), RNG.integers(1, 6, 300))
VALUES = RNG.choice([0, 0.25, 0.5, 2 / 3, 1, 1, 1], len(CODES))


def by_hand(values: NDArray[np.float64], codes: NDArray[np.int64], draws: int) -> list[float]:
    """Resample clusters one by one in plain Python, from the same raw stream."""
    stream = np.random.PCG64(7)
    groups = [values[codes == code].tolist() for code in sorted(set(codes.tolist()))]
    means: list[float] = []
    for _ in range(draws):
        drawn: list[float] = []
        words = [int(stream.random_raw()) for _ in range((len(groups) + 1) // 2)]
        halves = [half for word in words for half in (word % 2**32, word // 2**32)]
        for half in halves[: len(groups)]:
            drawn += groups[half * len(groups) // 2**32]
        means.append(sum(drawn) / len(drawn))
    return means


@pytest.mark.slow
@pytest.mark.parametrize("clusters", [2, 3, 299, 300])
def test_the_draws_are_those_of_a_plain_loop_over_clusters(clusters: int) -> None:
    # 2,000 draws of 300 clusters come in three chunks; the loop knows of none.
    kept = clusters > CODES
    draws = 2000 if clusters == 300 else 50
    found = bootstrap_distribution(VALUES[kept], CODES[kept], draws=draws, seed=7)
    expected = by_hand(VALUES[kept], CODES[kept], draws)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)


def test_a_seed_means_these_numbers_for_ever() -> None:
    found = bootstrap_distribution([0.0, 0.25, 1.0, 1.0, 0.5], draws=6, seed=2026)
    assert found.tolist() == [0.35, 0.4, 0.6, 0.35, 0.65, 0.9]


def test_the_first_draws_of_a_long_run_are_those_of_a_short_one() -> None:
    long = bootstrap_distribution(VALUES, CODES, draws=3000)
    assert (bootstrap_distribution(VALUES, CODES, draws=10) == long[:10]).all()
    assert (bootstrap_distribution(VALUES, CODES, draws=10, seed=1) != long[:10]).any()


@pytest.mark.parametrize("method", ["percentile", "bca", "t"])
def test_the_order_of_items_does_not_change_a_bit(method: Method) -> None:
    order = np.random.default_rng(1).permutation(len(VALUES))
    one = bootstrap_mean(VALUES, CODES, draws=500, method=method)
    other = bootstrap_mean(VALUES[order], CODES[order], draws=500, method=method)
    assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-12)


@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_unclustered_intervals_are_scipys_but_for_its_other_draws(method: str) -> None:
    values = np.random.default_rng(5).beta(6, 1, 60)
    ours: Method = "percentile" if method == "percentile" else "bca"
    found = bootstrap_mean(values, draws=40_000, method=ours)
    expected = scipys(
        (values,), np.mean, n_resamples=40_000, method=method, rng=np.random.default_rng(1)
    ).confidence_interval
    width = expected.high - expected.low
    assert found.low == pytest.approx(expected.low, abs=0.02 * width)
    assert found.high == pytest.approx(expected.high, abs=0.02 * width)
    assert found.method == f"bootstrap {ours}"


def test_the_bootstrap_t_interval_is_that_of_a_plain_loop() -> None:
    values, codes = VALUES[CODES < 40], CODES[CODES < 40]
    sums = np.bincount(codes, values).astype(np.float64)
    sizes = np.bincount(codes).astype(np.float64)
    mean = sums.sum() / sizes.sum()

    def error(s: NDArray[np.float64], m: NDArray[np.float64]) -> float:
        residuals = s - m * s.sum() / m.sum()
        return float(np.sqrt(40 / 39 * residuals @ residuals) / m.sum())

    stream = np.random.PCG64(3)
    ts: list[float] = []
    for _ in range(999):
        raw = np.asarray(stream.random_raw(20), "<u8").view("<u4").astype(np.int64)
        drawn = raw * 40 // 2**32
        s, m = sums[drawn], sizes[drawn]
        ts.append((s.sum() / m.sum() - mean) / error(s, m))
    ts.sort()
    found = bootstrap_mean(values, codes, draws=999, seed=3, method="t")
    assert found.low == pytest.approx(mean - ts[974] * error(sums, sizes))
    assert found.high == pytest.approx(mean - ts[24] * error(sums, sizes))


def test_the_percentile_interval_is_two_of_the_draws() -> None:
    drawn = np.sort(bootstrap_distribution(VALUES, CODES, draws=999, seed=4))
    found = bootstrap_mean(VALUES, CODES, draws=999, seed=4)
    assert (found.low, found.high) == (drawn[24], drawn[974])


def test_a_paired_difference_is_the_mean_of_differences() -> None:
    other = 1 - VALUES
    found = bootstrap_difference(VALUES, other, CODES, draws=500, seed=2)
    assert found == bootstrap_mean(other - VALUES, CODES, draws=500, seed=2)


def test_its_spread_is_the_clustered_standard_error() -> None:
    from snellen.grading.stats.means import mean_estimate

    drawn = bootstrap_distribution(VALUES, CODES)
    assert drawn.std() == pytest.approx(mean_estimate(VALUES, CODES).standard_error, rel=0.03)


@settings(max_examples=30)
@given(st.lists(st.floats(0, 1), min_size=2, max_size=9), st.sampled_from(["percentile", "bca"]))
def test_an_interval_never_leaves_the_values(values: list[float], method: Method) -> None:
    assume(max(values) - min(values) > 1e-12)
    found = bootstrap_mean(values, draws=99, method=method)
    assert min(values) - 1e-12 <= found.low <= found.high <= max(values) + 1e-12


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("parts", [3, 5, 7])
def test_resamples_of_fractions_tie_as_those_of_whole_numbers_do(
    parts: int, method: Method
) -> None:
    for seed in range(40):
        whole = np.random.default_rng(seed).integers(0, parts + 1, 8)
        one = bootstrap_mean(whole / parts, draws=500, method=method)
        other = bootstrap_mean(whole, draws=500, method=method)
        assert (one.low, one.high) == pytest.approx((other.low / parts, other.high / parts))


def test_a_resample_of_one_value_only_has_no_spread_however_it_is_rounded() -> None:
    # Of 5 values of which 4 are 2/3, many resamples hold nothing else: t is infinite for them.
    # As whole numbers their sums have no rounding.
    for values in ([3, 2, 2, 2, 2], [1, 2 / 3, 2 / 3, 2 / 3, 2 / 3]):
        with pytest.raises(MetricError, match="no spread"):
            bootstrap_mean(values, draws=500, method="t")


@pytest.mark.parametrize("method", ["percentile", "bca", "t"])
@pytest.mark.parametrize("value", [0.0, 0.7, 1.0])
def test_values_all_equal_get_an_interval_with_width(value: float, method: Method) -> None:
    codes = np.arange(60) // 3
    found = bootstrap_mean([value] * 60, codes, method=method)
    assert found == constant_interval(value, 20, level=0.95, bounds=Bounds(0, 1))
    assert found.low < found.high
    assert found.method == "wilson, all equal"


def test_differences_all_equal_may_be_anything_from_minus_1_to_1() -> None:
    found = bootstrap_difference([0.5] * 40, [0.75] * 40)
    assert found == constant_interval(0.25, 40, level=0.95, bounds=Bounds(-1, 1))
    assert found.low < 0.25 * (1 - 0.0877) + 1e-4


def test_values_all_equal_beyond_0_to_1_are_an_error() -> None:
    with pytest.raises(MetricError, match="every value is 7, so a bootstrap has no spread"):
        bootstrap_mean([7.0] * 20)
    with pytest.raises(MetricError, match="every value is 7"):
        bootstrap_difference([0.0] * 20, [7.0] * 20)


def test_a_seed_that_is_none_is_an_error() -> None:
    for seed in (-1, 0.5):
        with pytest.raises(MetricError, match="a seed must"):
            bootstrap_mean(VALUES, seed=seed)  # pyright: ignore[reportArgumentType]  # the error
        with pytest.raises(MetricError, match="a seed must"):
            bootstrap_difference(VALUES, VALUES, seed=seed)  # pyright: ignore[reportArgumentType]  # the error
        with pytest.raises(MetricError, match="a seed must"):
            bootstrap_distribution(VALUES, seed=seed)  # pyright: ignore[reportArgumentType]  # the error


def test_an_unknown_method_is_an_error() -> None:
    with pytest.raises(UnknownNameError, match=r"no bootstrap method 'zz'.*percentile, bca, t"):
        bootstrap_mean(VALUES, method="zz")  # pyright: ignore[reportArgumentType]  # the error


def test_what_cant_be_resampled_is_an_error() -> None:
    with pytest.raises(MetricError, match="at least two clusters"):
        bootstrap_mean([0, 1], [1, 1])
    with pytest.raises(MetricError, match="at least two clusters"):
        bootstrap_distribution([1])
    with pytest.raises(MetricError, match="38 draws are too few"):
        bootstrap_mean([0, 1], draws=38)
    with pytest.raises(MetricError, match="0 draws are too few"):
        bootstrap_distribution([0, 1], draws=0)
    with pytest.raises(MetricError, match="no spread for a bootstrap t"):
        bootstrap_mean([0.0, 1.0, 1.0], draws=999, method="t")
