import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from snellen.grading.errors import MetricError, UnknownNameError
from snellen.grading.stats.correlation import EXACT_PAIRS, Method, correlate

ROWS = st.lists(
    st.tuples(st.integers(-5, 5), st.integers(-5, 5)).map(lambda pair: (pair[0] / 2, pair[1] * 3)),
    min_size=4,
    max_size=12,
)
METHODS: list[Method] = ["pearson", "spearman", "kendall"]


def ranks_of(row: Sequence[int]) -> list[Fraction]:
    """The mean place of each among the sorted, by hand."""
    below = [sum(other < one for other in row) for one in row]
    return [b + Fraction(row.count(one) + 1, 2) for b, one in zip(below, row, strict=True)]


def share_as_far(x: Sequence[int], y: Sequence[int]) -> float:
    """Of all orders of y, the share whose Spearman's rho is as far from 0: in Fractions."""
    mine = ranks_of(x)
    theirs = ranks_of(y)
    middle = sum(mine) * sum(theirs) / len(mine)
    orders = [
        abs(sum(a * b for a, b in zip(mine, order, strict=True)) - middle)
        for order in permutations(theirs)
    ]
    return sum(far >= orders[0] for far in orders) / len(orders)


@given(ROWS)
def test_coefficients_and_p_are_scipys(rows: list[tuple[float, float]]) -> None:
    x, y = zip(*rows, strict=True)
    assume(len(set(x)) > 1 and len(set(y)) > 1)
    expected = [stats.pearsonr(x, y), stats.spearmanr(x, y), stats.kendalltau(x, y)]
    for method, one in zip(METHODS, expected, strict=True):
        found = correlate(x, y, method=method)
        assert found.coefficient == pytest.approx(one.statistic, abs=1e-9)
        if method != "spearman" or len(rows) > EXACT_PAIRS:
            assert found.p == pytest.approx(one.pvalue, abs=1e-6)
        assert found.n == len(rows)


@pytest.mark.parametrize(
    ("y", "p"),
    [
        ([1, 2, 3], 1 / 3),
        ([1, 2, 3, 4], 1 / 12),
        ([4, 3, 2, 1], 1 / 12),
        ([1, 2, 3, 4, 5], 1 / 60),
        # rho = 0.9: critical value of a two-sided test at 10 % in the tables of five pairs.
        ([1, 2, 3, 5, 4], 1 / 12),
    ],
)
def test_few_models_in_one_order_prove_little(y: list[int], p: float) -> None:
    found = correlate(range(len(y)), y, method="spearman")
    assert found.p == pytest.approx(p, abs=1e-12)


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=3, max_size=6),
)
def test_spearmans_p_is_the_share_of_all_orders_ties_or_not(rows: list[tuple[int, int]]) -> None:
    x, y = zip(*rows, strict=True)
    assume(len(set(x)) > 1 and len(set(y)) > 1)
    assert correlate(x, y, method="spearman").p == pytest.approx(share_as_far(x, y))


def rho(x: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    last: NDArray[np.float64] = np.moveaxis(x, axis, -1)
    places: NDArray[np.float64] = np.linspace(-1.0, 1.0, last.shape[-1])
    return np.asarray(np.argsort(np.argsort(last)) @ places)


@pytest.mark.slow
@pytest.mark.parametrize("n", [7, EXACT_PAIRS])
def test_spearmans_p_without_ties_is_scipys_permutation_test(n: int) -> None:
    y = np.random.default_rng(n).random(n) + np.arange(n) / 4
    expected = stats.permutation_test(
        (y,), rho, permutation_type="pairings", vectorized=True, n_resamples=10**6, batch=50_000
    )
    found = correlate(range(n), y, method="spearman").p
    assert found == pytest.approx(expected.pvalue, abs=1e-9)


def test_from_ten_pairs_on_t_is_close_to_all_orders() -> None:
    # Zar 1972, critical values of rho for ten pairs: 0.648 at 5 %, 0.794 at 1 %, two-sided.
    for y, p in (
        ([6, 4, 3, 2, 5, 1, 7, 8, 9, 10], 0.05),
        ([5, 3, 2, 4, 1, 6, 7, 8, 9, 10], 0.01),
    ):
        found = correlate(range(10), y, method="spearman")
        assert found.p == pytest.approx(p, abs=0.01)


def test_pearsons_interval_is_scipys() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.random(20), rng.random(20)
    found = correlate(x, y, level=0.9).interval
    expected = stats.pearsonr(x, y).confidence_interval(0.9)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert (found.level, found.method) == (0.9, "fisher z")


def test_worked_intervals_of_the_rank_coefficients() -> None:
    x, y = list(range(1, 11)), [2, 1, 4, 3, 6, 5, 8, 7, 10, 9]
    spearman, kendall = correlate(x, y, method="spearman"), correlate(x, y, method="kendall")
    # 1 - 6 * 10 / 990, and 5 discordant pairs of 45.
    assert spearman.coefficient == pytest.approx(93 / 99)
    assert kendall.coefficient == pytest.approx(35 / 45)
    assert spearman.interval is not None
    assert kendall.interval is not None
    z, error = math.atanh(93 / 99), math.sqrt((1 + (93 / 99) ** 2 / 2) / 7)
    assert spearman.interval.low == pytest.approx(math.tanh(z - 1.959964 * error))
    z, error = math.atanh(35 / 45), math.sqrt(0.437 / 6)
    assert kendall.interval.high == pytest.approx(math.tanh(z + 1.959964 * error))


@pytest.mark.parametrize(("method", "least"), [("pearson", 4), ("spearman", 4), ("kendall", 5)])
def test_few_pairs_have_a_coefficient_and_no_interval(method: Method, least: int) -> None:
    x, y = [1, 2, 3, 4, 5], [1, 3, 2, 5, 4]
    assert correlate(x[:least], y[:least], method=method).interval is not None
    assert correlate(x[: least - 1], y[: least - 1], method=method).interval is None


@pytest.mark.parametrize("method", METHODS)
def test_perfect_agreement_has_no_interval(method: Method) -> None:
    found = correlate([1, 2, 3, 4, 5, 6], [-1, -2, -3, -4, -5, -6], method=method)
    assert found.coefficient == pytest.approx(-1)
    assert found.interval is None


def test_two_pairs_have_no_p() -> None:
    found = correlate([1, 2], [3, 5])
    assert (found.coefficient, found.p, found.interval) == (pytest.approx(1), None, None)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_very_large_and_very_small_numbers_correlate_as_others(scale: float) -> None:
    x, y = np.array([1.0, 2, 3, 4]), np.array([2.0, 1, 4, 3])
    assert correlate(x * scale, y).coefficient == pytest.approx(0.6)


def test_what_does_not_correlate_is_an_error() -> None:
    with pytest.raises(MetricError, match="a constant row"):
        correlate([1, 1, 1], [1, 2, 3])
    with pytest.raises(MetricError, match="pairs, not 2 and 3"):
        correlate([1, 2], [1, 2, 3])
    with pytest.raises(MetricError, match="at least two pairs"):
        correlate([1], [1])
    with pytest.raises(MetricError, match="value 1 is nan"):
        correlate([1, math.nan], [1, 2])
    with pytest.raises(UnknownNameError, match="no correlation 'zz'"):
        correlate([1, 2, 3], [1, 3, 2], method="zz")  # pyright: ignore[reportArgumentType]  # the error
