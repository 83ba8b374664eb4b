"""Power: the difference that n items can detect, and the items that a difference needs."""

import math
from dataclasses import dataclass

from snellen.grading.errors import MetricError
from snellen.grading.stats.distributions import check_level, t_quantile

_MOST = 10**12


@dataclass(frozen=True, slots=True)
class Differences:
    """The expected variation of the differences between two runs on the same items.

    Attributes:
        sd: The standard deviation of the items' differences.
        cluster_size: The mean number of items in a cluster. If clusters vary in size, use the sum
            of the squared sizes over the sum of the sizes.
        icc: The intraclass correlation of the differences, within clusters.

    Raises:
        MetricError: `sd` is not positive, `cluster_size` is below 1, or `icc` is not in 0..1.
    """

    sd: float
    cluster_size: float = 1.0
    icc: float = 0.0

    def __post_init__(self) -> None:
        if not 0 < self.sd < math.inf:
            raise MetricError(f"the standard deviation must be positive, not {self.sd}")
        if not 1 <= self.cluster_size < math.inf:
            raise MetricError(f"a cluster has at least one item, not {self.cluster_size}")
        if not 0 <= self.icc <= 1:
            raise MetricError(f"the intraclass correlation must lie in 0..1, not {self.icc}")

    @property
    def design_effect(self) -> float:
        """The variance factor of clustering: Kish 1965, Survey Sampling, section 5.4.

         round(Differences(0.5, cluster_size=3.4, icc=0.25).design_effect, 6)
        1.6
        """
        return 1 + (self.cluster_size - 1) * self.icc


def accuracies(
    first: float,
    second: float,
    correlation: float,
    *,
    cluster_size: float = 1.0,
    icc: float = 0.0,
) -> Differences:
    """Return the `Differences` of two runs with values of 0 and 1.

    The variance of a difference is p1(1-p1) + p2(1-p2) - 2 r sqrt(p1(1-p1) p2(1-p2)).

    Args:
        first: The first run's expected accuracy, p1.
        second: The second run's expected accuracy, p2.
        correlation: r, the correlation of the two runs' values over the items. 0.3 to 0.7 is usual
            for two models, more for two versions of one model.
        cluster_size: See `Differences`.
        icc: See `Differences`.

    Raises:
        MetricError: An accuracy does not lie between 0 and 1, no two runs of these accuracies have
            this correlation, or they never differ.

    >>> round(accuracies(0.7, 0.7, 0.5).sd, 4)
    0.4583
    """
    for accuracy in (first, second):
        if not 0 < accuracy < 1:
            raise MetricError(f"an accuracy must lie between 0 and 1, not {accuracy}")
    low, high = sorted((first / (1 - first), second / (1 - second)))
    least, most = -min(math.sqrt(low * high), 1 / math.sqrt(low * high)), math.sqrt(low / high)
    if not least - 1e-12 <= correlation <= most + 1e-12:
        raise MetricError(
            f"runs of accuracy {first} and {second} correlate from {least:.3f} to {most:.3f}, "
            f"not {correlation}"
        )
    one, other = first * (1 - first), second * (1 - second)
    variance = one + other - 2 * correlation * math.sqrt(one * other)
    return Differences(math.sqrt(max(0.0, variance)), cluster_size, icc)


def minimum_detectable_difference(
    items: int,
    differences: Differences,
    *,
    power: float = 0.8,
    level: float = 0.95,
    sides: int = 2,
) -> float:
    """Return the smallest true difference that a paired t test finds with this power.

    It is (t[1-a/sides] + t[power]) sd sqrt(deff / n), with the quantiles of t for G - 1 degrees of
    freedom, where G = n / cluster size: Bloom 1995, Evaluation Review 19; Miller 2024, "Adding
    error bars to evals", section 5.

    Args:
        items: The number of items, n.
        differences: The variation of the differences.
        power: The probability of finding the difference.
        level: 1 - a: the confidence level of the test.
        sides: 2 for a test of any difference, 1 for a test of one direction.

    Raises:
        MetricError: There are fewer than two clusters, the power or the level does not lie between
            0 and 1, the power is not above the error rate, or `sides` is neither 1 nor 2.

    >>> round(minimum_detectable_difference(1000, accuracies(0.7, 0.7, 0.5)), 4)
    0.0406
    """
    clusters = items / differences.cluster_size
    if clusters < 2:
        raise MetricError(f"a t test needs at least two clusters, not {clusters:g}")
    error = differences.sd * math.sqrt(differences.design_effect / items)
    return detectable_difference(error, clusters - 1, power=power, level=level, sides=sides)


def detectable_difference(
    standard_error: float,
    freedom: float,
    *,
    power: float = 0.8,
    level: float = 0.95,
    sides: int = 2,
) -> float:
    """Return the smallest true difference that is found with this power at a standard error.

    Args:
        standard_error: The clustered standard error of the mean difference.
        freedom: Its degrees of freedom (`mean_variance`); G - 1 for G clusters of equal size.
        power: The probability of finding the difference.
        level: The confidence level of the test.
        sides: 2 for a test of any difference, 1 for a test of one direction.

    Raises:
        MetricError: There is no degree of freedom, or as `minimum_detectable_difference`.
    """
    if not freedom > 0:
        raise MetricError(f"a t test needs at least one degree of freedom, not {freedom:g}")
    if sides not in (1, 2):
        raise MetricError(f"a test has 1 or 2 sides, not {sides}")
    if check_level(power) <= (1 - check_level(level)) / sides:
        raise MetricError(f"chance alone finds a difference more often than the power {power}")
    outer = t_quantile(1 - (1 - level) / sides, freedom)
    return (outer + t_quantile(power, freedom)) * standard_error


def required_items(
    difference: float,
    differences: Differences,
    *,
    power: float = 0.8,
    level: float = 0.95,
    sides: int = 2,
) -> int:
    """Return the smallest number of items that can detect a difference.

    Args:
        difference: The true difference to find; its sign does not matter.
        differences: The variation of the differences.
        power: The probability of finding the difference.
        level: The confidence level of the test.
        sides: 2 for a test of any difference, 1 for a test of one direction.

    Raises:
        MetricError: The difference is 0 or not finite, or so small that 10^12 items are not enough;
            or as `minimum_detectable_difference`.

    >>> required_items(0.02, accuracies(0.7, 0.7, 0.5))
    4123
    """
    target = abs(difference)
    if not 0 < target < math.inf:
        raise MetricError(f"no number of items shows a difference of {difference}")

    def enough(items: int) -> bool:
        found = minimum_detectable_difference(
            items, differences, power=power, level=level, sides=sides
        )
        return found <= target

    items = math.ceil(2 * differences.cluster_size)
    too_few = items - 1
    while not enough(items):
        too_few, items = items, 2 * items
        if items > _MOST:
            raise MetricError(f"a difference of {difference} needs more than 10^12 items")
    while items - too_few > 1:
        middle = (too_few + items) // 2
        if enough(middle):
            items = middle
        else:
            too_few = middle
    return items
