import math

import numpy as np
import pytest
from numpy.typing import NDArray

from snellen.grading.errors import MetricError
from snellen.grading.stats.clusters import SAME
from snellen.grading.stats.multiplicity import holm
from snellen.grading.stats.ranking import Stratum, groups_by_head, rank_bounds


def screens(values: NDArray[np.float64]) -> Stratum:
    """Items (items, runs), each a group of its own."""
    return Stratum(values, np.ones(len(values)))


def test_two_runs_that_differ_on_every_item_are_ordered() -> None:
    ranks = rank_bounds([screens(np.array([[1.0, 0.0]] * 20))])
    assert ranks.best.tolist() == [1, 2]
    assert ranks.worst.tolist() == [1, 2]


def test_a_p_value_is_never_smaller_than_sign_flips_could_give() -> None:
    # Four items can't show anything at 5 %: the smallest p-value of 16 sign flips is 1/8.
    ranks = rank_bounds([screens(np.array([[1.0, 0.0]] * 4))])
    assert ranks.worst.tolist() == [2, 2]


def test_a_pair_agrees_with_the_paired_z_test() -> None:
    rng = np.random.default_rng(3)
    values = (rng.random((400, 2)) < [0.62, 0.5]).astype(float)
    differences = values[:, 0] - values[:, 1]
    z = float(differences.mean()) / (float(differences.std(ddof=1)) / 20)
    p = math.erfc(z / math.sqrt(2))
    assert rank_bounds([screens(values)], level=1 - 1.001 * p).best.tolist() == [1, 2]
    assert rank_bounds([screens(values)], level=1 - 0.999 * p).best.tolist() == [1, 1]


def test_bounds_hold_the_true_ranks_of_runs_that_are_nearly_tied() -> None:
    rng = np.random.default_rng(5)
    true = np.linspace(0.5, 0.53, 8)
    held = 0
    for _ in range(200):
        values = (rng.random((300, 8)) < true).astype(float)
        ranks = rank_bounds([screens(values)])
        order = np.arange(8, 0, -1)
        held += bool(((ranks.best <= order) & (order <= ranks.worst)).all())
    assert held >= 190


def test_strata_count_the_same_whatever_their_sizes() -> None:
    small = Stratum(np.array([[1.0, 0.0]] * 10), np.ones(10))
    large = Stratum(np.array([[0.0, 1.0]] * 1000), np.ones(1000))
    assert rank_bounds([small, large]).values.tolist() == [0.5, 0.5]


def test_whole_screens_are_the_groups_so_repeated_items_show_nothing_more() -> None:
    rng = np.random.default_rng(7)
    values = (rng.random((30, 2)) < [0.8, 0.6]).astype(float)
    once = rank_bounds([screens(values)])
    tenfold = rank_bounds([Stratum(values * 10, np.full(30, 10.0))])
    assert np.array_equal(once.better, tenfold.better)
    assert np.allclose(once.values, tenfold.values)


def test_one_group_shows_nothing() -> None:
    ranks = rank_bounds([Stratum(np.array([[9.0, 1.0]]), np.array([10.0]))])
    assert ranks.best.tolist() == [1, 1]


def test_a_group_ends_where_its_head_is_shown_to_be_better() -> None:
    better = np.zeros((4, 4), np.bool_)
    better[0, 2] = better[0, 3] = better[1, 3] = True
    assert groups_by_head([0, 1, 2, 3], better) == [1, 1, 2, 2]


@pytest.mark.parametrize(
    "strata",
    [
        [],
        [Stratum(np.zeros((3, 2)), np.zeros(3))],
        [Stratum(np.zeros((3, 2)), np.ones(2))],
        [Stratum(np.zeros((3, 2)), np.ones(3)), Stratum(np.zeros((3, 1)), np.ones(3))],
    ],
)
def test_what_can_not_be_ranked_is_refused(strata: list[Stratum]) -> None:
    with pytest.raises(MetricError):
        rank_bounds(strata)


def better_pair_by_pair(strata: list[Stratum], level: float) -> NDArray[np.bool_]:
    """A second witness: a p-value for each pair, and Holm's correction of all of them by a sort."""
    means = np.mean([part.sums.sum(0) / part.sizes.sum() for part in strata], axis=0)
    runs = len(means)
    smallest = 2.0 ** (1 - sum(len(part.sizes) for part in strata))
    pairs = [(one, other) for one in range(runs) for other in range(one + 1, runs)]
    ps: list[float] = []
    for one, other in pairs:
        error = 0.0
        for sums, sizes in strata:
            groups, apart = len(sizes), sums[:, one] - sums[:, other]
            rest = apart - sizes * apart.sum() / sizes.sum()
            weight = math.inf if groups < 2 else groups / (groups - 1) / sizes.sum() ** 2
            error += np.inf if groups < 2 else float(rest @ rest) * weight
        error = math.sqrt(error) / len(strata)
        apart = abs(means[one] - means[other])
        z = apart / error if error > SAME else math.inf if apart > SAME else 0.0
        ps.append(1.0 if math.isinf(error) else max(math.erfc(z / math.sqrt(2)), smallest))
    better = np.zeros((runs, runs), np.bool_)
    for (one, other), p in zip(pairs, holm(ps), strict=True):
        if p < 1 - level:
            better[one, other] = means[one] > means[other]
            better[other, one] = means[other] > means[one]
    return better


def drawn_strata(rng: np.random.Generator, runs: int) -> list[Stratum]:
    """Runs of any spread on one to three tasks, some of them equal, or apart by a constant."""
    spread, found = rng.choice([0.0, 0.05, 0.3]), list[Stratum]()
    for _ in range(rng.integers(1, 4)):
        groups = int(rng.choice([1, 2, 12, 80], p=[0.05, 0.1, 0.35, 0.5]))
        sizes = rng.integers(1, 4, groups)
        true = np.clip(0.5 + spread * rng.normal(size=runs), 0, 1)
        sums = rng.binomial(sizes[:, None], true).astype(float)
        if runs > 4:
            sums[:, 1] = sums[:, 0]
            sums[:, 2], sums[:, 3] = 0, sizes
        found.append(Stratum(sums, sizes.astype(float)))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("runs", [1, 2, 5, 12, 40])
def test_all_pairs_together_are_as_pair_by_pair(runs: int) -> None:
    rng = np.random.default_rng(runs)
    for level in (0.5, 0.95, 0.999) * (4 if runs > 12 else 20):
        strata = drawn_strata(rng, runs)
        ranks, better = rank_bounds(strata, level=level), better_pair_by_pair(strata, level)
        assert np.array_equal(ranks.better, better)
        assert np.array_equal(ranks.best, 1 + better.sum(0))
        assert np.array_equal(ranks.worst, runs - better.sum(1))


@pytest.mark.slow
def test_runs_of_several_blocks_are_as_pair_by_pair() -> None:
    # 600 runs are more than are compared at once.
    rng = np.random.default_rng(11)
    values = (rng.random((200, 600)) < np.linspace(0.2, 0.8, 600)).astype(float)
    ranks = rank_bounds([screens(values)])
    assert np.array_equal(ranks.better, better_pair_by_pair([screens(values)], 0.95))
    assert ranks.worst[-1] < 300
    assert ranks.best[0] > 300
