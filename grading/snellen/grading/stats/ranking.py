"""Ranks of several runs over the same items, with simultaneous bounds."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.grading.errors import MetricError
from snellen.grading.stats.clusters import SAME
from snellen.grading.stats.multiplicity import holm


class Stratum(NamedTuple):
    """The scores of several runs on the same items.

    Attributes:
        sums: The sum of each independent group's values in each run (groups, runs).
        sizes: The number of items of each group (groups,).
    """

    sums: NDArray[np.float64]
    sizes: NDArray[np.float64]

    @property
    def means(self) -> NDArray[np.float64]:
        """Each run's mean over the items (runs,)."""
        return self.sums.sum(0) / self.sizes.sum()


class Ranks(NamedTuple):
    """The values of several runs and their possible ranks.

    Attributes:
        values: Each run's value (runs,).
        best: The best possible rank of each run (runs,), from 1.
        worst: The worst possible rank.
        better: Whether run a is significantly better than run b (runs, runs).
    """

    values: NDArray[np.float64]
    best: NDArray[np.int64]
    worst: NDArray[np.int64]
    better: NDArray[np.bool_]


def rank_bounds(strata: Sequence[Stratum], *, level: float = 0.95) -> Ranks:
    """Return the possible ranks of each run, with simultaneous bounds at the level.

    A run's value is the mean of its strata's means; with one stratum it is the mean over items.
    Every pair of runs is compared by a z-test of their difference. The variance is that of a ratio
    of sums over independent groups of items (Cochran 1977, 6.3), added over the strata. No p-value
    is smaller than the smallest one of a sign-flip test of the groups (2 ** (1 - groups)). The
    tests of all pairs are corrected together (Holm 1979). A run's best rank is one more than the
    number of runs that are significantly better. Its worst rank is the number of runs minus the
    number of runs that it is significantly better than.

    Args:
        strata: The runs' scores on each part, such as a task; the runs in the same order.
        level: With this probability no run's true rank lies outside its bounds.

    Raises:
        MetricError: There is no stratum, one has no items, or the shapes do not match.
    """
    parts = [_checked(stratum) for stratum in strata]
    if not parts or len({part.sums.shape[1] for part in parts}) != 1:
        raise MetricError("ranks need at least one stratum, and the same runs in each")
    runs = parts[0].sums.shape[1]
    mean = np.mean([part.means for part in parts], axis=0)
    first, second = np.triu_indices(runs, 1)
    better = np.zeros((runs, runs), np.bool_)
    if len(first):
        covariance = sum(_covariance(part) for part in parts) / len(parts) ** 2
        groups = sum(len(part.sizes) for part in parts)
        ps = _pair_ps(np.asarray(covariance), mean, groups, (first, second))
        shown = holm(ps) < 1 - level
        better[first[shown], second[shown]] = True
        better = (better | better.T) & (mean[:, None] > mean)
    return Ranks(mean, 1 + better.sum(0), runs - better.sum(1), better)


def groups_by_head(order: Sequence[int], better: NDArray[np.bool_]) -> list[int]:
    """Number the groups of runs that do not differ significantly from the first of their group.

    "Not significantly different" is not transitive, so comparing neighbors is not enough. A new
    group begins with the first run that is significantly worse than the first run of its group.

    Args:
        order: The runs, the best first.
        better: As in `Ranks`.

    Returns:
        The number of each run's group, from 1, in the order given.

    >>> better = np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], bool)
    >>> groups_by_head([0, 1, 2], better)
    [1, 1, 2]
    """
    groups: list[int] = []
    head = None
    for run in order:
        if head is None or better[head, run]:
            head = run
            groups.append(groups[-1] + 1 if groups else 1)
        else:
            groups.append(groups[-1])
    return groups


def _checked(stratum: Stratum) -> Stratum:
    sums = np.asarray(stratum.sums, np.float64)
    sizes = np.asarray(stratum.sizes, np.float64)
    if sums.ndim != 2 or sizes.shape != sums.shape[:1]:
        raise MetricError(f"sums of shape {sums.shape} do not fit sizes of shape {sizes.shape}")
    if not sizes.sum() > 0:
        raise MetricError("there are no items to rank by")
    return Stratum(sums, sizes)


def _covariance(stratum: Stratum) -> NDArray[np.float64]:
    """Return the covariance of the runs' means (runs, runs); infinite for a single group."""
    sums, sizes = stratum
    groups, runs = sums.shape
    if groups < 2:
        return np.full((runs, runs), np.inf)
    rest = sums - sizes[:, None] * stratum.means
    return rest.T @ rest * groups / (groups - 1) / sizes.sum() ** 2


def _pair_ps(
    covariance: NDArray[np.float64],
    mean: NDArray[np.float64],
    groups: int,
    pairs: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> NDArray[np.float64]:
    """Return the two-sided p-value of each pair's difference."""
    from scipy.special import ndtr

    first, second = pairs
    own = np.diag(covariance)
    if not np.isfinite(own).all():
        return np.ones(len(first))
    variance = own[first] + own[second] - 2 * covariance[first, second]
    error = np.sqrt(np.maximum(variance, 0))
    difference = np.abs(mean[first] - mean[second])
    z = np.where(difference > SAME, np.inf, 0.0)
    np.divide(difference, error, out=z, where=error > SAME)
    return np.minimum(np.maximum(2 * ndtr(-z), 2.0 ** (1 - groups)), 1)
