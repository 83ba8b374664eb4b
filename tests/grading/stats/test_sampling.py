import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.errors import MetricError
from snellen.grading.stats.sampling import draw, fixed, neyman, proportional

SIZES = st.dictionaries(
    st.sampled_from("abcdefgh"), st.integers(1, 60), min_size=1, max_size=8
).filter(lambda sizes: sum(sizes.values()) > 0)


def by_hand(sizes: dict[str, int], total: int) -> dict[str, int]:
    """Share out by largest remainders, where no stratum is at a bound."""
    whole = sum(sizes.values())
    exact = {name: Fraction(total * size, whole) for name, size in sizes.items()}
    found = {name: int(value) for name, value in exact.items()}
    order = sorted(sizes, key=lambda name: (-(exact[name] - found[name]), -sizes[name], name))
    for name in order[: total - sum(found.values())]:
        found[name] += 1
    return found


@pytest.mark.slow
@given(SIZES, st.data())
def test_proportional_shares_add_up_within_every_stratum_s_bounds(
    sizes: dict[str, int], data: st.DataObject
) -> None:
    least = data.draw(st.integers(0, 3))
    floors = {name: min(size, least) for name, size in sizes.items()}
    total = data.draw(st.integers(sum(floors.values()), sum(sizes.values())))
    found = proportional(sizes, total, least=least)
    assert sum(found.values()) == total
    assert all(floors[name] <= found[name] <= sizes[name] for name in sizes)
    assert proportional(dict(reversed(sizes.items())), total, least=least) == found
    if least == 0:
        assert found == by_hand(sizes, total)


@pytest.mark.slow
@given(SIZES, st.data())
def test_no_other_allocation_beats_neyman_s(sizes: dict[str, int], data: st.DataObject) -> None:
    deviations = {name: data.draw(st.floats(0.05, 0.5)) for name in sizes}
    lowest = sum(min(size, 2) for size in sizes.values())
    total = data.draw(st.integers(lowest, sum(sizes.values())))
    found = neyman(sizes, deviations, total)
    assert sum(found.values()) == total

    def variance(drawn: dict[str, float]) -> float:
        return sum(
            sizes[name] ** 2 * deviations[name] ** 2 * (1 / drawn[name] - 1 / sizes[name])
            for name in sizes
        )

    # Moving two items, more than rounding does, never helps.
    for give in sizes:
        for take in sizes:
            moved: dict[str, float] = {**found}
            moved[give] -= 2
            moved[take] += 2
            if give != take and moved[give] >= min(2, sizes[give]) and moved[take] <= sizes[take]:
                assert variance(moved) >= variance({**found}) * (1 - 1e-9)


def test_a_small_stratum_still_gets_two_items() -> None:
    assert proportional({"big": 980, "small": 20}, 20) == {"big": 18, "small": 2}
    assert proportional({"big": 980, "tiny": 1}, 20) == {"big": 19, "tiny": 1}


def test_neyman_fills_a_stratum_up_and_gives_the_rest_to_others() -> None:
    found = neyman({"wild": 10, "calm": 1000}, {"wild": 40.0, "calm": 0.1}, 50)
    assert found == {"wild": 10, "calm": 40}


def test_neyman_spends_what_no_stratum_with_a_spread_can_take() -> None:
    assert neyman({"wild": 10, "still": 90}, {"wild": 0.5, "still": 0.0}, 50) == {
        "wild": 10,
        "still": 40,
    }


@pytest.mark.parametrize(
    ("total", "message"),
    [(3, "the minimum is 4"), (31, "the maximum 30")],
)
def test_totals_that_cannot_be_met_are_refused(total: int, message: str) -> None:
    with pytest.raises(MetricError, match=message):
        proportional({"a": 10, "b": 20}, total)


def test_strata_without_items_quotas_of_none_and_missing_deviations_are_refused() -> None:
    with pytest.raises(MetricError, match="'a' has no items"):
        fixed({"a": 0}, 1)
    with pytest.raises(MetricError, match="at least one item"):
        fixed({"a": 3}, 0)
    with pytest.raises(MetricError, match="no standard deviation for stratum 'b'"):
        neyman({"a": 3, "b": 4}, {"a": 0.1}, 5)
    with pytest.raises(MetricError, match="can't be nan"):
        neyman({"a": 3}, {"a": math.nan}, 3)


NAMES = st.lists(st.text(max_size=5), unique=True, max_size=30)


@pytest.mark.slow
@given(NAMES, st.integers(0, 99), st.data())
def test_a_draw_ignores_the_order_and_holds_every_smaller_one(
    names: list[str], seed: int, data: st.DataObject
) -> None:
    count = data.draw(st.integers(0, len(names)))
    found = draw(names, count, seed)
    assert len(found) == len(set(found)) == count
    assert set(found) <= set(names)
    assert draw(data.draw(st.permutations(names)), count, seed) == found
    assert set(draw(names, count // 2, seed)) <= set(found)


def test_another_seed_draws_others_and_every_name_equally_often() -> None:
    names = [f"test/{number}/0" for number in range(20)]
    drawn = np.zeros(20)
    together = 0
    for seed in range(4000):
        found = draw(names, 5, seed)
        drawn[[names.index(name) for name in found]] += 1
        together += names[0] in found and names[1] in found
    # Each is in a quarter of the draws, each pair in 5/20 * 4/19 of them: four standard errors.
    assert np.abs(drawn / 4000 - 0.25).max() < 4 * math.sqrt(0.25 * 0.75 / 4000)
    assert abs(together / 4000 - 1 / 19) < 4 * math.sqrt(1 / 19 / 4000)


def test_more_than_there_are_and_names_given_twice_are_refused() -> None:
    with pytest.raises(MetricError, match="3 can't be drawn from 2"):
        draw(["a", "b"], 3, 0)
    with pytest.raises(MetricError, match="'a' occurs twice"):
        draw(["a", "b", "a"], 1, 0)
