"""Precision: the interval of a score of n items, and the items that a given width needs."""

import math
from dataclasses import dataclass

from snellen.grading.errors import MetricError
from snellen.grading.stats.distributions import check_level, normal_quantile, t_quantile
from snellen.grading.stats.proportions import wilson

_MOST = 10**9


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected score and the sample behind it.

    Attributes:
        share: The expected mean of values from 0 to 1; 0.5 has the largest variance. Values between
            0 and 1, such as F1, vary at most as much as 0 and 1 with the same mean.
        cluster_size: The mean number of items in a cluster; see `power.Differences`.
        icc: The intraclass correlation of the values, within clusters.
        population: The number of items to draw from; None: an infinite population.

    Raises:
        MetricError: `share` or `icc` is not in 0..1, `cluster_size` is below 1, or `population`
            below 2.
    """

    share: float = 0.5
    cluster_size: float = 1.0
    icc: float = 0.0
    population: int | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise MetricError(f"an expected score must lie in 0..1, not {self.share}")
        if not 1 <= self.cluster_size < math.inf:
            raise MetricError(f"a cluster has at least one item, not {self.cluster_size}")
        if not 0 <= self.icc <= 1:
            raise MetricError(f"the intraclass correlation must lie in 0..1, not {self.icc}")
        if self.population is not None and self.population < 2:
            raise MetricError(f"the population must have at least two items, not {self.population}")

    @property
    def design_effect(self) -> float:
        """The variance factor of clustering: Kish 1965, Survey Sampling, section 5.4."""
        return 1 + (self.cluster_size - 1) * self.icc


def half_width(items: int, expected: Expected, *, level: float = 0.95) -> float:
    """Return half the width of the interval for a number of items.

    It is Wilson's interval on the effective number of items, as in reports: the items over the
    design effect, times (z/t)^2 with G - 1 degrees of freedom for G clusters. It is divided by 1 -
    n/N if the items are drawn from N (Cochran 1977, Sampling Techniques, section 3.3).

    Args:
        items: The number of items, n.
        expected: The expected score and sample.
        level: The confidence level.

    Raises:
        MetricError: There are no items, fewer than two clusters, or more items than the population
            has.

    >>> round(half_width(400, Expected(0.7)), 4)
    0.0447
    """
    check_level(level)
    if items < 1 or (expected.population is not None and items > expected.population):
        raise MetricError(f"{items} items can't be drawn from {expected.population or 'all'}")
    if items == expected.population:
        return 0.0
    size = items / expected.design_effect
    if expected.cluster_size > 1:
        clusters = items / expected.cluster_size
        if clusters < 2:
            raise MetricError(f"an interval needs at least two clusters, not {clusters:g}")
        outer = 0.5 + level / 2
        size *= (normal_quantile(outer) / t_quantile(outer, clusters - 1)) ** 2
    if expected.population is not None:
        size /= 1 - items / expected.population
    interval = wilson(expected.share * size, size, level=level)
    return (interval.high - interval.low) / 2


def required_for_half_width(half: float, expected: Expected, *, level: float = 0.95) -> int:
    """Return the smallest number of items whose interval has at most this half width.

    Args:
        half: The required half width.
        expected: The expected score and sample.
        level: The confidence level.

    Raises:
        MetricError: The width is not positive, or 10^9 items are not enough.

    >>> required_for_half_width(0.03, Expected(0.7))
    894
    """
    if not 0 < half < math.inf:
        raise MetricError(f"the half width must be positive, not {half}")
    most = expected.population or _MOST
    low, high = math.ceil(2 * expected.cluster_size) - 1, most
    if high <= low:
        return high
    if half_width(high, expected, level=level) > half:
        raise MetricError(f"a half width of {half} needs more than {most:,} items")
    if expected.cluster_size == 1:
        low = 0
    while high - low > 1:
        middle = (low + high) // 2
        if half_width(middle, expected, level=level) <= half:
            high = middle
        else:
            low = middle
    return high
