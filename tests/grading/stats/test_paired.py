from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from snellen.grading.errors import MetricError
from snellen.grading.stats.means import mean_estimate
from snellen.grading.stats.paired import (
    mcnemar,
    paired_difference,
    permutation_test,
    sign_test,
    t_test,
)

BINARY = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, 5)), min_size=1, max_size=30
)


def flipped(nets: NDArray[np.float64]) -> list[float]:
    """The distance from 0 of the sum under every choice of signs."""
    return [abs(float(nets @ signs)) for signs in product([-1, 1], repeat=len(nets))]


def mean_difference(
    one: NDArray[np.float64], other: NDArray[np.float64], axis: int
) -> NDArray[np.float64]:
    return np.asarray((one - other).mean(axis=axis))


def test_without_clusters_the_t_test_is_the_textbooks() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.random(40), rng.random(40) + 0.1
    expected = stats.ttest_rel(second, first)
    assert t_test(first, second) == pytest.approx(expected.pvalue)
    found = paired_difference(first, second, level=0.9, bounds=None)
    assert found.interval is not None
    ends = expected.confidence_interval(0.9)
    assert (found.interval.low, found.interval.high) == pytest.approx((ends.low, ends.high))


@given(st.integers(0, 2**32))
def test_the_interval_excludes_0_exactly_when_the_t_test_finds_a_difference(seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 8, 40)
    first, second = rng.random(40), np.clip(rng.random(40) + 0.1, 0, 1)
    interval = paired_difference(first, second, codes).interval
    assert interval is not None
    assert (t_test(first, second, codes) < 0.05) == (not interval.low <= 0 <= interval.high)


def test_a_difference_is_the_mean_of_differences() -> None:
    first, second, codes = [0.0, 0.5, 1.0, 0.5], [1.0, 0.5, 0.0, 1.0], [0, 0, 1, 2]
    assert paired_difference(first, second, codes, bounds=None) == mean_estimate(
        [1.0, 0.0, -1.0, 0.5], codes
    )


def test_a_run_does_not_differ_from_itself_but_the_interval_has_width() -> None:
    run = [0.5] * 20
    found = paired_difference(run, run)
    assert (found.value, found.standard_error) == (0, None)
    assert found.interval is not None
    assert found.interval.high == -found.interval.low == pytest.approx(0.1611, abs=1e-4)
    for test in (t_test, permutation_test, sign_test):
        assert test(run, run) == 1
    assert mcnemar([1, 0], [1, 0]) == 1


@given(BINARY)
def test_without_clusters_mcnemar_is_a_binomial_test_of_the_discordant(
    items: list[tuple[int, int, int]],
) -> None:
    first, second, _ = zip(*items, strict=True)
    won = sum(b > a for a, b in zip(first, second, strict=True))
    lost = sum(b < a for a, b in zip(first, second, strict=True))
    exact = mcnemar(first, second, mid_p=False)
    expected = stats.binomtest(won, won + lost).pvalue if won + lost else 1.0
    assert exact == pytest.approx(expected)
    assert sign_test(first, second) == pytest.approx(expected)
    here = float(stats.binom.pmf(won, won + lost, 0.5)) if won + lost else 0.0
    # Fagerland et al. 2013: the exact p less the probability of what was seen; of a tie, half.
    middle = exact - here if won != lost else 1 - here / 2
    assert mcnemar(first, second) == pytest.approx(middle)


def test_the_published_example_of_mcnemars_mid_p() -> None:
    # Bentur et al. 2009, as analysed by Fagerland, Lydersen & Laake 2013: 1 against 7 of 21.
    first = [1] * 2 + [0] * 7 + [0] * 12
    second = [0] * 1 + [1] * 1 + [1] * 7 + [0] * 12
    assert mcnemar(first, second, mid_p=False) == pytest.approx(0.0703, abs=5e-5)
    assert mcnemar(first, second) == pytest.approx(0.0391, abs=5e-5)


@given(BINARY)
def test_with_clusters_the_distribution_is_that_of_all_flips(
    items: list[tuple[int, int, int]],
) -> None:
    first, second, codes = (np.array(column, np.int64) for column in zip(*items, strict=True))
    nets = np.bincount(codes, second - first).astype(np.float64)
    sums = np.array(flipped(nets))
    seen = abs(nets.sum())
    exact = float((sums >= seen).mean())
    assert mcnemar(first, second, codes, mid_p=False) == pytest.approx(exact)
    assert sign_test(first, second, codes) == pytest.approx(exact)
    half = exact - float((sums == seen).mean()) / 2
    assert mcnemar(first, second, codes) == pytest.approx(half if nets.any() else 1.0)


def test_many_discordant_items_get_the_same_p_by_the_normal_distribution() -> None:
    # 20,000 discordant items are the last to be counted out, 20,002 the first that are not.
    def runs(won: int, lost: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        second = np.repeat([1, 0], [won, lost])
        return 1 - second, second

    counted = mcnemar(*runs(10_150, 9_850))
    approximate = mcnemar(*runs(10_151, 9_851))
    assert counted == pytest.approx(stats.binomtest(10_150, 20_000).pvalue, rel=0.03)
    assert approximate == pytest.approx(counted, rel=0.001)


def test_few_clusters_are_flipped_in_every_way() -> None:
    rng = np.random.default_rng(1)
    first, second = rng.random(12), rng.random(12) + 0.2
    expected = stats.permutation_test(
        (second, first),
        mean_difference,
        permutation_type="samples",
        vectorized=True,
        n_resamples=2**12,
    )
    assert permutation_test(first, second) == pytest.approx(expected.pvalue)
    codes = np.arange(12) // 2
    nets = np.bincount(codes, second - first).astype(np.float64)
    sums = np.array(flipped(nets))
    exact = float((sums >= abs(nets.sum()) - 1e-12).mean())
    assert permutation_test(first, second, codes) == pytest.approx(exact)


def test_many_clusters_are_flipped_at_random_from_the_seed() -> None:
    rng = np.random.default_rng(2)
    first, second = rng.random(300), rng.random(300) + 0.03
    codes = np.arange(300) // 3
    found = permutation_test(first, second, codes, draws=20_000)
    assert found == permutation_test(first, second, codes, draws=20_000)
    assert found != permutation_test(first, second, codes, draws=20_000, seed=1)
    assert found == pytest.approx(t_test(first, second, codes), abs=0.015)
    assert (found * 20_001) == pytest.approx(round(found * 20_001))


def test_random_flips_agree_with_the_exact_ones() -> None:
    rng = np.random.default_rng(3)
    first, second = rng.random(14), rng.random(14) + 0.15
    exact = permutation_test(first, second, draws=2**14)
    assert permutation_test(first, second, draws=2**14 - 1) == pytest.approx(exact, abs=0.01)


def test_ties_of_tenths_count_as_ties() -> None:
    # 0.1 + 0.2 is not 0.3 in floats; of the 8 choices of signs 2 are as far out as all plus,
    # and with +0.3 alone as far out as -0.1 - 0.2 the sum is 0.
    first = [0.0, 0.0, 0.0]
    assert permutation_test(first, [0.1, 0.2, 0.3]) == 0.25
    assert permutation_test(first, [0.1, 0.2, -0.3]) == 1.0


@pytest.mark.slow
@given(
    st.sampled_from([3, 5, 7, 105]),
    st.lists(
        st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(0, 8)),
        min_size=1,
        max_size=20,
    ),
)
def test_ties_of_thirds_fifths_and_sevenths_count_as_ties(
    parts: int, items: list[tuple[int, int, int]]
) -> None:
    nets = [Fraction(0)] * 9
    for before, after, code in items:
        nets[code] += Fraction(after - before, parts)
    sums = [
        abs(sum(net * sign for net, sign in zip(nets, signs, strict=True)))
        for signs in product([-1, 1], repeat=len(nets))
    ]
    exact = Fraction(sum(one >= abs(sum(nets)) for one in sums), len(sums))
    first, second, codes = (np.array(column, np.int64) for column in zip(*items, strict=True))
    assert permutation_test(first / parts, second / parts, codes) == float(exact)


@given(st.sampled_from([3, 5, 7]), st.integers(0, 2**32))
def test_random_flips_of_fractions_tie_as_those_of_whole_numbers_do(parts: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, parts + 1, (2, 30))
    whole = permutation_test(first, second, draws=500, seed=seed)
    assert permutation_test(first / parts, second / parts, draws=500, seed=seed) == whole


def test_random_flips_of_thirds_agree_with_the_exact_ones() -> None:
    thirds = np.array([-2, 2, 3, 2, 3, 1, 3, 1, 2, 1, -1, 3, 2, -3])
    exact = permutation_test(np.zeros(14), thirds / 3, draws=2**14)
    sums = np.array(flipped(thirds.astype(np.float64)))
    assert exact == (sums >= abs(thirds.sum())).mean()
    # Four standard errors of 16,383 draws.
    sampled = permutation_test(np.zeros(14), thirds / 3, draws=2**14 - 1)
    assert sampled == pytest.approx(exact, abs=4 * (exact * (1 - exact) / 2**14) ** 0.5)


@given(BINARY)
def test_swapping_the_runs_changes_no_p(items: list[tuple[int, int, int]]) -> None:
    first, second, codes = zip(*items, strict=True)
    assert mcnemar(first, second, codes) == pytest.approx(mcnemar(second, first, codes))
    assert sign_test(first, second, codes) == pytest.approx(sign_test(second, first, codes))
    assert permutation_test(first, second, codes) == permutation_test(second, first, codes)
    assert 0 <= mcnemar(first, second, codes) <= 1


def test_what_cant_be_tested_is_an_error() -> None:
    with pytest.raises(MetricError, match="values of 0 and 1; the sign test takes any"):
        mcnemar([0, 0.5], [1, 1])
    with pytest.raises(MetricError, match="two clusters and differences that vary"):
        t_test([0, 0], [1, 1])
    with pytest.raises(MetricError, match="two clusters and differences that vary"):
        t_test([0, 0], [1, 0], [4, 4])
    with pytest.raises(MetricError, match="needs draws, not 0"):
        permutation_test([0], [1], draws=0)
    for seed in (-1, 2.5):
        with pytest.raises(MetricError, match="a seed must"):
            permutation_test([0], [1], seed=seed)  # pyright: ignore[reportArgumentType]  # the error
    with pytest.raises(MetricError, match="the same items twice"):
        sign_test([0], [1, 0])
    with pytest.raises(MetricError, match=r"item value 0 is 2\.0, outside -1\.\.1"):
        paired_difference([0, 0], [2, 0])
