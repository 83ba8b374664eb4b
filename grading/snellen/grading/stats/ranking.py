"""Ranks of several runs over the same items, with simultaneous bounds."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.grading.errors import MetricError
from snellen.grading.stats.clusters import SAME

_BLOCK = 512
"""The number of runs that are compared at once with all others, which bounds the memory."""


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
    """The values of several runs and their possible ranks."""

    values: NDArray[np.float64]  # each run's value (runs,)
    best: NDArray[np.int64]  # the best possible rank of each run (runs,), from 1
    worst: NDArray[np.int64]  # the worst possible rank
    better: NDArray[np.bool_]  # whether run a is significantly better than run b (runs, runs)


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
    better = np.zeros((runs, runs), np.bool_)
    # The variance of a single group's value is unknown, so it shows nothing.
    if runs > 1 and all(len(part.sizes) > 1 for part in parts):
        for first, shown in _significant(parts, mean, 1 - level):
            last = first + len(shown)
            rows, columns = mean[first:last, None], mean[first:]
            better[first:last, first:] |= shown & (rows > columns)
            better[first:, first:last] |= (shown & (rows < columns)).T
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


def _significant(
    parts: Sequence[Stratum], mean: NDArray[np.float64], alpha: float
) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """Yield the number of each block's first run, and which of its pairs differ significantly.

    The pairs are of the block's runs (rows) with its first run and all later ones (columns).
    """
    from scipy.special import ndtri

    runs = len(mean)
    tests = runs * (runs - 1) // 2
    smallest = 2.0 ** (1 - sum(len(part.sizes) for part in parts))
    factors = _factors(parts)
    blocks = [(first, _pair_zs(factors, mean, first)) for first in range(0, runs, _BLOCK)]
    # Holm's steps without a sort: if k tests are rejected, so are all that pass the next step.
    rejected, least = 0, np.inf
    while rejected < tests and smallest * (tests - rejected) < alpha:
        least = -float(ndtri(alpha / (tests - rejected) / 2))
        passed = sum(np.count_nonzero(zs > least) for _, zs in blocks)
        if passed == rejected:
            break
        rejected = passed
    for first, zs in blocks:
        yield first, zs > least


def _factors(parts: Sequence[Stratum]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return two matrices whose product is the variance of the difference of each pair of runs.

    It is the sum of both runs' variances less twice their covariance.
    """
    residuals = np.concatenate([_residuals(part) for part in parts]) / len(parts)
    own = np.square(residuals).sum(0)[None]
    ones = np.ones_like(own)
    return np.concatenate([-2 * residuals, own, ones]).T, np.concatenate([residuals, ones, own])


def _residuals(stratum: Stratum) -> NDArray[np.float64]:
    """Return the runs' residuals (groups, runs), whose products are the covariances of means."""
    sums, sizes = stratum
    groups = len(sizes)
    rest = sums - sizes[:, None] * stratum.means
    return rest * (np.sqrt(groups / (groups - 1)) / sizes.sum())


def _pair_zs(
    factors: tuple[NDArray[np.float64], NDArray[np.float64]],
    mean: NDArray[np.float64],
    first: int,
) -> NDArray[np.float64]:
    """Return |z| of the differences between a block's runs and all runs from its first one on.

    It is not a number for pairs without a difference or a variance, and 0 for a run with itself or
    with an earlier one.
    """
    rows = slice(first, first + _BLOCK)
    error = factors[0][rows] @ factors[1][:, first:]
    np.sqrt(np.maximum(error, 0, out=error), out=error)
    error[error <= SAME] = 0
    zs = np.subtract(mean[rows, None], mean[first:])
    np.abs(zs, out=zs)
    zs[zs <= SAME] = 0
    with np.errstate(divide="ignore", invalid="ignore"):
        np.divide(zs, error, out=zs)
    zs[:, : len(zs)] = np.triu(zs[:, : len(zs)], 1)
    return zs
