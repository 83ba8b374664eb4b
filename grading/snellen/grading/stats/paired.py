"""Two runs on the same items: the difference of their means, and tests that there is none.

Every test here is two-sided and takes clusters as wholes, so dependence between the items of one
cluster, of whatever kind, does not disturb it. The t test asks whether the mean difference is 0.
The others ask more: whether the two runs are exchangeable, so that swapping their values
throughout a cluster changes no probability. Given how large each cluster's difference is, its sign
is then a fair coin.
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

    Pairing removes what the items have in common: Miller 2024, "Adding error bars to evals",
    section 4. See `mean_estimate` for the interval. Differences that are all equal, such as those
    of a run with itself, get `constant_interval`, not one without width.

    The interval may come out narrower than independent items would give, unlike a mean's
    (`wilson_estimate`): t allows for a variance that few clusters understate, coverage is nominal,
    and the same floor would take one to four points of power where items are independent.

    Args:
        first: The first run's item values (n,).
        second: The second's, of the same items in the same order.
        clusters: A cluster code for each item (n,); None: the items are independent.
        level: The confidence level.
        bounds: The smallest and the largest possible difference; None where there are none.

    Raises:
        MetricError: The runs have not equally many values, there are none, or one is not finite.

    >>> found = paired_difference([0.0, 0.5, 1.0, 0.0], [1.0, 0.5, 1.0, 1.0])
    >>> found.value, round(found.standard_error, 3)
    (0.5, 0.289)
    """
    return mean_estimate(differences(first, second), clusters, level=level, bounds=bounds)


def t_test(first: ArrayLike, second: ArrayLike, clusters: ArrayLike | None = None) -> float:
    """Return the p-value of the mean difference's being 0.

    The difference over its clustered standard error is held against t, with the degrees of freedom
    that `mean_variance` gives. Runs that are equal on every item have p = 1.

    Raises:
        MetricError: The runs can't be paired, there are fewer than two clusters, or the
            differences are all equal and not 0, so that nothing says how they vary.

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

    Statistic: the items that only the second run has right, less those that only the first has.
    Without clusters its null distribution is binomial, which is the exact test of McNemar 1947;
    with mid-p it holds its level and is less conservative (Fagerland, Lydersen & Laake 2013, BMC
    Medical Research Methodology 13). With clusters each cluster's net count keeps its size and
    takes either sign with probability 1/2. That is the exact form of the tests of Obuchowski 1998
    and of Yang, Sun & Hardin 2010, Biometrical Journal 52, whose variance under the hypothesis is
    the same, the sum of the squared net counts.

    Args:
        first: The first run's item values (n,).
        second: The second's, of the same items in the same order.
        clusters: A cluster code for each item (n,); None: the items are independent.
        mid_p: Count the observed outcome by half. False: never above the level, and often far
            below it.

    Raises:
        MetricError: The runs can't be paired, or a value is neither 0 nor 1.

    >>> round(mcnemar([1, 1, 0, 0, 0, 0], [1, 0, 1, 1, 1, 1], mid_p=False), 6)
    0.375
    """
    if not (is_binary(checked(first)) and is_binary(checked(second))):
        raise MetricError("McNemar's test needs values of 0 and 1; the sign test takes any")
    return _sign_flips(differences(first, second), clusters, mid_p=mid_p)


def sign_test(first: ArrayLike, second: ArrayLike, clusters: ArrayLike | None = None) -> float:
    """Return the exact p-value of the sign test: items won against items lost, ties left out.

    It asks how often the second run is better, not by how much. Without clusters the items won are
    binomial: Dixon & Mood 1946. With clusters each cluster's net count of items won keeps its size
    and takes either sign with probability 1/2, as in `mcnemar`.

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
    """Return the p-value of the mean difference when signs are flipped by cluster.

    Exact, over all flips, where these are no more than `draws`. Else (1 + c) / (1 + draws), where
    c draws are at least as far from 0 as what was observed: Phipson & Smyth 2010, Statistical
    Applications in Genetics and Molecular Biology 9. One seed gives the same p everywhere.

    Args:
        first: The first run's item values (n,).
        second: The second's, of the same items in the same order.
        clusters: A cluster code for each item (n,); None: the items are independent.
        draws: How many times to flip.
        seed: The seed: a non-negative integer.

    Raises:
        MetricError: The runs can't be paired, there is no draw, or the seed is no whole number
            from 0 on.

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
    # Twice the sum is formed below, which takes a bit more than the sum.
    apart = on_grid(sums, 2 * count)
    total = apart.sum()
    # Flips that tie with what was observed come out a rounding away from it, and count.
    observed = abs(total) - count * tie_width(sums, 2 * count)
    exact = 2**count <= draws
    extreme = 0
    for kept in _all_flips(count) if exact else _random_flips(count, draws, source):
        flipped = 2 * (kept.astype(np.float64) @ apart) - total
        extreme += int(np.count_nonzero(np.abs(flipped) >= observed))
    return extreme / 2**count if exact else (1 + extreme) / (1 + draws)


def _all_flips(count: int) -> Iterator[NDArray[np.uint8]]:
    """Yield every choice of the clusters that keep their sign, 0 or 1, (2 ** count, count)."""
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
    """Return the p-value of a sum of whole numbers when each cluster's sum takes either sign."""
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
    """Return how probable each sum is when every size is kept or dropped by a fair coin."""
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
