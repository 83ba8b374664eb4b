"""pass@k and pass^k against exact binomials and against counting all draws."""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.errors import MetricError
from snellen.grading.metrics.attempts import mean_success, pass_at_k, pass_hat_k


@st.composite
def draws(draw: st.DrawFn, most: int = 200) -> tuple[int, int, int]:
    n = draw(st.integers(1, most))
    return n, draw(st.integers(0, n)), draw(st.integers(1, n))


@given(draws())
def test_both_are_their_binomial_quotients(case: tuple[int, int, int]) -> None:
    n, c, k = case
    at = 1 - Fraction(comb(n - c, k), comb(n, k))
    hat = Fraction(comb(c, k), comb(n, k))
    assert pass_at_k(n, c, k) == pytest.approx(float(at), rel=1e-12, abs=0)
    assert pass_hat_k(n, c, k) == pytest.approx(float(hat), rel=1e-12, abs=0)


@pytest.mark.parametrize(("n", "c", "k"), [(5, 2, 3), (6, 1, 2), (4, 4, 4), (5, 0, 1)])
def test_both_count_the_draws_of_k_attempts(n: int, c: int, k: int) -> None:
    attempts = [True] * c + [False] * (n - c)
    drawn = list(combinations(attempts, k))
    assert pass_at_k(n, c, k) == pytest.approx(sum(map(any, drawn)) / len(drawn))
    assert pass_hat_k(n, c, k) == pytest.approx(sum(map(all, drawn)) / len(drawn))


def test_a_tiny_chance_keeps_its_digits() -> None:
    # 1 - (1 - x) would lose ten of them.
    assert pass_at_k(10**12, 1, 1) == 1e-12


def test_huge_binomials_do_not_overflow() -> None:
    assert pass_at_k(10_000, 5_000, 5_000) == 1.0
    assert pass_hat_k(10_000, 9_999, 5_000) == pytest.approx(0.5)


@given(draws())
def test_reliability_stays_below_the_mean_and_the_mean_below_luck(
    case: tuple[int, int, int],
) -> None:
    n, c, k = case
    rate = mean_success(n, c)
    assert 0 <= pass_hat_k(n, c, k) <= rate + 1e-12
    assert rate - 1e-12 <= pass_at_k(n, c, k) <= 1


@given(draws())
def test_all_failing_is_the_opposite_of_one_passing(case: tuple[int, int, int]) -> None:
    n, c, k = case
    assert pass_at_k(n, c, k) == pytest.approx(1 - pass_hat_k(n, n - c, k), abs=1e-12)


@given(draws())
def test_one_draw_is_the_mean(case: tuple[int, int, int]) -> None:
    n, c, _ = case
    assert pass_at_k(n, c, 1) == pass_hat_k(n, c, 1) == mean_success(n, c) == c / n


def test_arrays_give_one_value_per_task() -> None:
    right = np.array([0, 1, 5, 10])
    expected = [pass_at_k(10, int(c), 3) for c in right]
    assert pass_at_k(10, right, 3).tolist() == expected
    assert pass_at_k([10] * 4, right, 3).tolist() == expected
    assert pass_hat_k([4, 8], [2, 2], 2).tolist() == [pass_hat_k(4, 2, 2), pass_hat_k(8, 2, 2)]
    assert mean_success([4, 8], 2).tolist() == [0.5, 0.25]
    assert pass_at_k(np.array([4, 8]), np.array([[1], [2]]), 2).shape == (2, 2)


def test_scalars_give_a_plain_float() -> None:
    assert type(pass_at_k(4, 2, 2)) is float
    assert type(pass_hat_k(4, 2, 2)) is float


@pytest.mark.parametrize("estimate", [pass_at_k, pass_hat_k])
@pytest.mark.parametrize(
    ("n", "c", "k", "message"),
    [
        ([4, 3], [1, 1], 4, "k = 4 needs as many attempts at every task; one has 3"),
        ([4], [1], 0, "k must be at least 1, not 0"),
        ([4], [5], 1, "c must lie in 0..n for every task"),
        ([4], [-1], 1, "c must lie in 0..n for every task"),
        ([0], [0], 1, "k = 1 needs as many attempts"),
        ([], [], 1, "pass rates of no tasks are not defined"),
        ([4], [0.5], 1, "c must be whole numbers, not float64"),
    ],
)
def test_what_cannot_be_drawn_is_an_error(
    estimate: Callable[..., object], n: list[int], c: list[int], k: int, message: str
) -> None:
    with pytest.raises(MetricError, match=message):
        estimate(n, c, k)
