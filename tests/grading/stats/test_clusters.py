import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.errors import MetricError
from snellen.grading.models.estimates import Bounds
from snellen.grading.stats import clusters

CODES = st.integers(-(2**40), 2**40) | st.integers(0, 3)
ITEMS = st.lists(st.tuples(st.floats(-10, 10), CODES), min_size=1, max_size=30)


@given(ITEMS)
def test_sums_and_sizes_are_those_of_a_plain_loop(items: list[tuple[float, int]]) -> None:
    expected: dict[int, list[float]] = {}
    for value, code in items:
        expected.setdefault(code, []).append(value)
    values, codes = zip(*items, strict=True)
    found = clusters.cluster_sums(clusters.checked(values), codes)
    assert found.sums.tolist() == pytest.approx([sum(expected[code]) for code in sorted(expected)])
    assert found.sizes.tolist() == [len(expected[code]) for code in sorted(expected)]
    assert found.clusters == len(expected)
    assert found.items == len(items)
    assert found.mean == pytest.approx(math.fsum(values) / len(values), abs=1e-12)


def test_without_clusters_every_item_is_one() -> None:
    found = clusters.cluster_sums(clusters.checked([0.5, 1.0]), None)
    assert found.sums.tolist() == [0.5, 1.0]
    assert found.sizes.tolist() == [1, 1]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50), st.randoms())
def test_sums_on_the_grid_are_exact_in_any_order(values: list[float], draw: object) -> None:
    grid = clusters.on_grid(clusters.checked(values), len(values))
    exact = sum(Fraction(value) for value in grid.tolist())
    for order in (grid, grid[::-1], np.sort(grid)):
        assert Fraction(float(np.cumsum(order)[-1])) == exact
        assert Fraction(float(order.sum())) == exact
    np.testing.assert_allclose(grid, values, rtol=0, atol=1e-14 * len(values) * 1e6)


def test_zeros_stay_zeros_on_the_grid() -> None:
    assert clusters.on_grid(np.zeros(3), 10).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([], "there are no item values"),
        ([[1.0]], r"one dimension, not shape \(1, 1\)"),
        ([1.0, math.nan], "item value 1 is nan"),
        ([math.inf], "item value 0 is inf"),
        ([0.5, None], "item value 1 is nan"),
    ],
)
def test_what_is_no_row_of_finite_numbers_is_an_error(values: list[float], said: str) -> None:
    with pytest.raises(MetricError, match=said):
        clusters.checked(values)


def test_values_outside_their_bounds_are_an_error() -> None:
    with pytest.raises(MetricError, match=r"item value 2 is 1.5, outside 0\.\.1"):
        clusters.checked([0, 1, 1.5], Bounds())


def test_clusters_must_be_one_integer_a_value() -> None:
    values = clusters.checked([1.0, 2.0])
    with pytest.raises(MetricError, match=r"2 item values need as many .* shape \(3,\)"):
        clusters.cluster_sums(values, [1, 2, 3])
    with pytest.raises(MetricError, match="must be integers, not float64"):
        clusters.cluster_sums(values, [1.0, 2.0])


def test_differences_need_the_same_items_twice() -> None:
    assert clusters.differences([0.25, 1], [0.5, 0]).tolist() == [0.25, -1]
    with pytest.raises(MetricError, match="the same items twice, not 1 and 2"):
        clusters.differences([1], [1, 2])


@given(st.lists(st.lists(st.floats(0, 1), min_size=7, max_size=7), min_size=1), st.randoms())
def test_the_same_attempts_in_another_order_do_not_differ(
    items: list[list[float]], draw: random.Random
) -> None:
    before = [sum(attempts) / 7 for attempts in items]
    after = [sum(draw.sample(attempts, 7)) / 7 for attempts in items]
    assert not clusters.differences(before, after).any()


def test_differences_equal_but_for_rounding_are_equal() -> None:
    assert 0.3 - 0.2 != 0.4 - 0.3
    apart = clusters.differences([0.2, 0.3], [0.3, 0.4])
    assert apart[0] == apart[1] == pytest.approx(0.1)
    assert clusters.differences([0, 0], [2 * clusters.SAME, 0]).tolist() == [2 * clusters.SAME, 0]


def test_rounding_alone_is_no_variation() -> None:
    assert not clusters.varies(np.array([0.1 + 0.2, 0.3]))
    assert clusters.varies(np.array([0.3, 0.3 + 2 * clusters.SAME]))


def test_only_zeros_and_ones_are_binary() -> None:
    assert clusters.is_binary(np.array([0.0, 1.0]))
    assert not clusters.is_binary(np.array([0.0, 0.5]))
