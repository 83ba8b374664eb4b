"""Two runs on the same items: the difference of their means, and tests of no difference.

All tests are two-sided and treat clusters as units, so any dependence between the items of a
cluster is allowed. The hypothesis of the t test is that the mean difference is 0. The hypothesis of
the other tests is stronger: the two runs are exchangeable, so that swapping their values in a whole
cluster changes no probability. Given the size of a cluster's difference, both signs are then
equally likely.
"""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snellen.grading.errors import MetricError
from snellen.grading.models.estimates import Bounds, Estimate
from snellen.grading.stats.clusters import (
    SAME,
    checked,
    cluster_sums,
    differences,
    is_binary,
    on_grid,
    tie_width,
)
from snellen.grading.stats.distributions import normal_two_sided, t_two_sided
from snellen.grading.stats.means import mean_estimate
from snellen.grading.stats.proportions import DIFFERENCE
from snellen.grading.stats.seeds import stream
from snellen.grading.stats.variance import mean_variance

_LONGEST = 20_000
"""The largest sum of counts whose distribution is computed; beyond, the normal one is as good."""

_CELLS = 2**18


def paired_difference(
    first: ArrayLike,
    second: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    level: float = 0.95,
    bounds: Bounds | None = DIFFERENCE,
) -> Estimate:
    """Estimate the mean of second - first over the items, with a clustered t interval.

    Pairing removes the variance that the items cause in both runs: Miller 2024, "Adding error bars
    to evals", section 4. See `mean_estimate` for the interval. Differences that are all equal, such
    as those of a run with itself, get `constant_interval`, not an interval of width 0.

    Unlike a mean's interval (`wilson_estimate`), this interval can be narrower than for independent
    items. t already corrects for a variance that few clusters underestimate, and coverage is
    nominal. A lower limit would cost one to four points of power if items are independent.

    Args:
        first: The first run's item values (n,).
        second: The second run's values of the same items in the same order.
        clusters: A cluster code for each item (n,); None: the items are independent.
        level: The confidence level.
        bounds: The smallest and the largest possible difference; None if there are none.

    Raises:
        MetricError: The runs have different numbers of values, there are none, or one is not
            finite.

    >>> found = paired_difference([0.0, 0.5, 1.0, 0.0], [1.0, 0.5, 1.0, 1.0])
    >>> found.value, round(found.standard_error, 3)
    (0.5, 0.289)
    """
    return mean_estimate(differences(first, second), clusters, level=level, bounds=bounds)


def t_test(first: ArrayLike, second: ArrayLike, clusters: ArrayLike | None = None) -> float:
    """Return the p-value of the hypothesis that the mean difference is 0.

    The statistic is the difference over its clustered standard error, compared with t with the
    degrees of freedom of `mean_variance`. Runs that are equal on every item have p = 1.

    Raises:
        MetricError: The runs can't be paired, there are fewer than two clusters, or the differences
            are all equal and not 0, so that their variance is unknown.

    >>> round(t_test([0.0, 0.5, 1.0, 0.0], [1.0, 0.5, 1.0, 1.0]), 3)
    0.182
    """
    apart = differences(first, second)
    if not apart.any():
        return 1.0
    sums = cluster_sums(apart, clusters)
    variance = mean_variance(apart, sums)
    if not variance.clustered:
        raise MetricError("a t test needs at least two clusters and differences that vary")
    return t_two_sided(sums.mean / math.sqrt(variance.clustered), variance.freedom)


def mcnemar(
    first: ArrayLike,
    second: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    mid_p: bool = True,
) -> float:
    """Return McNemar's p-value for two runs whose values are 0 and 1.

    The statistic is the number of items that only the second run answers correctly, minus those of
    the first run. Without clusters its null distribution is binomial: the exact test of McNemar
    1947. With mid-p the test keeps its level and is less conservative (Fagerland, Lydersen & Laake
    2013, BMC Medical Research Methodology 13). With clusters, each cluster's net count keeps its
    size and takes either sign with probability 1/2. That is the exact form of the tests of
    Obuchowski 1998 and of Yang, Sun & Hardin 2010, Biometrical Journal 52, whose variance under the
    hypothesis is the same, the sum of the squared net counts.

    Args:
        first: The first run's item values (n,).
        second: The second run's values of the same items in the same order.
        clusters: A cluster code for each item (n,); None: the items are independent.
        mid_p: Count half of the observed outcome's probability. If False, the error rate is never
            above the level and often far below it.

    Raises:
        MetricError: The runs can't be paired, or a value is neither 0 nor 1.

    >>> round(mcnemar([1, 1, 0, 0, 0, 0], [1, 0, 1, 1, 1, 1], mid_p=False), 6)
    0.375
    """
    if not (is_binary(checked(first)) and is_binary(checked(second))):
        raise MetricError("McNemar's test needs values of 0 and 1; the sign test takes any")
    return _sign_flips(differences(first, second), clusters, mid_p=mid_p)


def sign_test(first: ArrayLike, second: ArrayLike, clusters: ArrayLike | None = None) -> float:
    """Return the exact p-value of the sign test: items won against items lost, without ties.

    It counts how often the second run is better, not by how much. Without clusters the number of
    items won is binomial: Dixon & Mood 1946. With clusters, each cluster's net count of items won
    keeps its size and takes either sign with probability 1/2, as in `mcnemar`.

    Raises:
        MetricError: The runs can't be paired.

    >>> round(sign_test([0.1, 0.2, 0.3, 0.4, 0.5], [0.2, 0.3, 0.3, 0.9, 0.6]), 6)
    0.125
    """
    return _sign_flips(np.sign(differences(first, second)), clusters, mid_p=False)


def permutation_test(
    first: ArrayLike,
    second: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    draws: int = 10_000,
    seed: int = 0,
) -> float:
    """Return the p-value of the mean difference under sign flips of whole clusters.

    If there are at most `draws` flips, all are used and p is exact. Otherwise p is (1 + c) / (1 +
    draws), where c draws are at least as far from 0 as the observed difference: Phipson & Smyth
    2010, Statistical Applications in Genetics and Molecular Biology 9. A seed gives the same p on
    every machine.

    Args:
        first: The first run's item values (n,).
        second: The second run's values of the same items in the same order.
        clusters: A cluster code for each item (n,); None: the items are independent.
        draws: The number of random flips.
        seed: The seed: a non-negative integer.

    Raises:
        MetricError: The runs can't be paired, there are no draws, or the seed is not a non-negative
            integer.

    >>> permutation_test([0.0, 0.5, 1.0, 0.0], [0.4, 0.6, 1.0, 0.3])
    0.25
    """
    if draws < 1:
        raise MetricError(f"a permutation test needs draws, not {draws}")
    source = stream(seed)
    sums = cluster_sums(differences(first, second), clusters).sums
    sums = sums[np.abs(sums) > SAME]
    count = len(sums)
    if not count:
        return 1.0
    # Twice the sum is formed below, which needs one more bit than the sum.
    apart = on_grid(sums, 2 * count)
    total = apart.sum()
    # Flips that tie with the observed difference count, also if rounding moves them below it.
    observed = abs(total) - count * tie_width(sums, 2 * count)
    exact = 2**count <= draws
    extreme = 0
    for kept in _all_flips(count) if exact else _random_flips(count, draws, source):
        flipped = 2 * (kept.astype(np.float64) @ apart) - total
        extreme += int(np.count_nonzero(np.abs(flipped) >= observed))
    return extreme / 2**count if exact else (1 + extreme) / (1 + draws)


def _all_flips(count: int) -> Iterator[NDArray[np.uint8]]:
    """Yield all choices of the clusters that keep their sign, 0 or 1, (2 ** count, count)."""
    yield _bits(np.arange(2**count, dtype="<u8").reshape(-1, 1), count)


def _random_flips(count: int, draws: int, source: np.random.PCG64) -> Iterator[NDArray[np.uint8]]:
    """Yield random choices, (rows, count) at a time, `draws` rows in all."""
    words = -(-count // 64)
    rows = max(1, _CELLS // count)
    for start in range(0, draws, rows):
        now = min(rows, draws - start)
        raw = np.asarray(source.random_raw(now * words), "<u8")
        yield _bits(raw.reshape(now, words), count)


def _bits(words: NDArray[np.uint64], count: int) -> NDArray[np.uint8]:
    """Return the lowest bits of each row of little-endian words, (rows, count)."""
    return np.unpackbits(words.view(np.uint8), axis=1, bitorder="little", count=count)


def _sign_flips(signs: NDArray[np.float64], clusters: ArrayLike | None, *, mid_p: bool) -> float:
    """Return the p-value of a sum of integers if each cluster's sum takes either sign."""
    net = cluster_sums(signs, clusters).sums
    sizes = np.abs(net[net != 0]).astype(np.int64)
    observed = abs(int(net.sum()))
    if not len(sizes):
        return 1.0
    if sizes.sum() > _LONGEST:
        return normal_two_sided(observed / math.sqrt(float((sizes**2).sum())))
    pmf = _pmf_of_kept(sizes)
    # The kept sum x and the observed one, 2 x - total, are symmetric around total / 2.
    at = (int(sizes.sum()) + observed) // 2
    beyond, here = float(pmf[at + 1 :].sum()), float(pmf[at])
    if not observed:
        return 1 - here / 2 if mid_p else 1.0
    return min(1.0, 2 * beyond + here * (1 if mid_p else 2))


def _pmf_of_kept(sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the probability of each sum if every size is kept with probability 1/2."""
    from scipy.special import gammaln

    pmf = np.ones(1)
    counts = np.bincount(sizes)
    for size in np.flatnonzero(counts).tolist():
        count = int(counts[size])
        kept = np.arange(count + 1)
        logs = gammaln(count + 1) - gammaln(kept + 1) - gammaln(count - kept + 1)
        spaced = np.zeros(size * count + 1)
        spaced[::size] = np.exp(logs - count * math.log(2))
        pmf = np.convolve(pmf, spaced)
    return pmf
