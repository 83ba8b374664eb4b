import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from snellen.grading.errors import MetricError
from snellen.tasks.benchmarks.webrssbench.rules.before_after import (
    Pairs,
    Responses,
    pair_up,
    shifts,
)

STATES = ("before", "after")


def pairs_of(count: int) -> Pairs:
    """Pairs of `count` pages, their items side by side."""
    pages = [f"p{page}" for page in range(count) for _ in STATES]
    return pair_up(pages, STATES * count)


def interleaved(before: list[float], after: list[float]) -> list[float]:
    return [value for both in zip(before, after, strict=True) for value in both]


def test_a_clean_page_is_the_other_half_of_each_of_its_perturbations() -> None:
    pages = ["a", "a", "a", "b", "b"]
    states = ["before", "after", "after", "after", "before"]
    modes = [None, "all", "partial", "all", "all"]
    found = pair_up(pages, states, modes)
    assert found == Pairs((0, 0, 4), (1, 2, 3), ("all", "partial", "all"))
    assert found.of_mode("all") == Pairs((0, 4), (1, 3), ("all", "all"))


@pytest.mark.parametrize(
    ("pages", "states", "modes", "message"),
    [
        ("ab", ["before", "after"], None, "2 items have no other half, before or after: 'a', 'b'"),
        ("a", ["before"], None, "1 items have no other half, before or after: 'a'"),
        ("aa", ["before", "after"], ["all", "partial"], "2 items have no other half"),
        ("aaa", ["before", "after", "after"], None, "the page 'a' has two items after"),
        ("aa", ["before", "During"], None, "item 1 of the page 'a' is neither before nor after"),
        ("aa", ["before", None], None, "is neither before nor after"),
    ],
)
def test_a_page_without_its_other_half_is_an_error(
    pages: str, states: list[str | None], modes: Any, message: str
) -> None:
    with pytest.raises(MetricError, match=message):
        pair_up(list(pages), states, modes)


def test_a_worked_example() -> None:
    before, after = [1.0, 1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 1.0, 0.0]
    (found,) = shifts(interleaved(before, after), pairs_of(5))
    assert found.mode == "pooled"
    assert (found.robustness.before, found.robustness.after) == (0.6, 0.4)
    assert found.delta.value == pytest.approx(0.2)
    assert found.robustness.r == pytest.approx(0)
    assert found.robustness.sensitivity == pytest.approx(1 / 3)
    assert found.flips is not None
    assert (found.flips.both_right, found.flips.broke) == (1, 2)
    assert (found.flips.fixed, found.flips.both_wrong) == (1, 1)
    # 2 against 1: the exact p is 1, and of 3 coins 1 shows heads 3 times in 8.
    assert found.p == pytest.approx(1 - 3 / 8, abs=1e-12)


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=40),
)
def test_mcnemars_p_is_the_binomial_one_with_half_of_what_was_seen(
    rows: list[tuple[int, int]],
) -> None:
    values = [float(value) for row in rows for value in row]
    (found,) = shifts(values, pairs_of(len(rows)))
    broke, fixed = rows.count((1, 0)), rows.count((0, 1))
    count, least = broke + fixed, min(broke, fixed)
    # Fagerland, Lydersen & Laake 2013: the exact p less the chance of what was seen, half of that
    # where both sides are seen equally often.
    seen = float(stats.binom.pmf(least, count, 0.5))
    exact = min(1.0, 2 * float(stats.binom.cdf(least, count, 0.5)))
    mid = exact - (seen / 2 if 2 * least == count else seen)
    assert found.p == pytest.approx(mid if count else 1.0, abs=1e-9)


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=20),
)
def test_the_drop_is_the_difference_of_the_means_and_swapping_turns_its_sign(
    rows: list[tuple[float, float]],
) -> None:
    before, after = [list(side) for side in zip(*rows, strict=True)]
    pairs = pairs_of(len(rows))
    (there,) = shifts(interleaved(before, after), pairs)
    (back,) = shifts(interleaved(after, before), pairs)
    assert there.robustness.delta == pytest.approx(np.mean(before) - np.mean(after), abs=1e-12)
    assert there.robustness.delta == pytest.approx(-back.robustness.delta, abs=1e-12)
    assert there.robustness.r == pytest.approx(back.robustness.r, abs=1e-9)
    assert there.robustness.drop == abs(there.robustness.delta)


def test_scores_that_are_not_right_or_wrong_have_no_flips() -> None:
    (found,) = shifts([0.5, 1.0, 1.0, 1.0], pairs_of(2))
    assert found.flips is None
    assert found.p is None


def test_modes_are_told_apart_and_pooled() -> None:
    pages, states = ["a"] * 3 + ["b"] * 3, ["before", "after", "after"] * 2
    modes = [None, "partial", "all"] * 2
    values = [1.0, 1.0, 0.0, 1.0, 0.0, 0.0]
    partial, whole, pooled = shifts(values, pair_up(pages, states, modes))
    assert [one.mode for one in (partial, whole, pooled)] == ["partial", "all", "pooled"]
    assert [one.robustness.delta for one in (partial, whole, pooled)] == [0.5, 1.0, 0.75]
    assert [one.robustness.n for one in (partial, whole, pooled)] == [2, 2, 4]
    # The two pairs of one clean page hang together.
    assert (partial.delta.clusters, pooled.delta.clusters) == (2, 2)


def test_one_mode_alone_is_not_pooled() -> None:
    pairs = pair_up(["a", "a"], STATES, ["partial", "partial"])
    assert [one.mode for one in shifts([1.0, 1.0], pairs)] == ["partial"]


def test_pages_of_one_site_are_one_cluster() -> None:
    sites = ["x", "x", "x", "x", None, None, None, None]
    values = [1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0]
    (found,) = shifts(values, pairs_of(4), sites=sites)
    assert found.delta.clusters == 3
    # One cluster lost two, and no other lost or won: its sign is a coin, the seen side counts half.
    assert found.p_by_site == pytest.approx(0.5)
    # As if the pairs were independent, two broke and none was fixed.
    assert found.p == pytest.approx(0.25)
    (apart,) = shifts(values, pairs_of(4))
    assert apart.delta.clusters == 4
    assert apart.p == apart.p_by_site == pytest.approx(0.25)


def test_the_unchanged_share_needs_the_responses() -> None:
    texts = ["Buy now", "“BUY NOW”", "Help", "Buy now", None, None]
    values = [1.0, 1.0, 0.0, 1.0, 0.0, 0.0]
    (without,) = shifts(values, pairs_of(3))
    assert without.robustness.unchanged is None
    (found,) = shifts(values, pairs_of(3), responses=Responses(texts))
    # Two answers that are not there are not the same answer.
    assert found.robustness.unchanged == pytest.approx(1 / 3)
    assert found.likeness is None
    exact = Responses(texts, same=str.__eq__, likeness=lambda a, b: float(a[0] == b[0]))
    (strict,) = shifts(values, pairs_of(3), responses=exact)
    assert strict.robustness.unchanged == 0
    assert strict.likeness == 0


def test_likeness_is_the_mean_over_all_pairs() -> None:
    texts = ["abc", "abd", "x", None]
    like = Responses(texts, likeness=lambda a, b: len(set(a) & set(b)) / len(set(a) | set(b)))
    (found,) = shifts([0.0] * 4, pairs_of(2), responses=like)
    assert found.likeness == pytest.approx(0.25)


def test_there_is_no_robustness_of_nothing() -> None:
    with pytest.raises(MetricError, match="no items"):
        shifts([], Pairs((), (), ()))
    with pytest.raises(MetricError, match="scores lie in"):
        shifts([math.nan, 1.0], pairs_of(1))
