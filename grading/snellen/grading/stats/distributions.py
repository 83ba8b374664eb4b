"""Quantiles and tails of the normal and of Student's t distribution."""

import math
from statistics import NormalDist

from snellen.grading.errors import MetricError

_NORMAL = NormalDist()


def normal_quantile(probability: float) -> float:
    """Return the quantile of the standard normal distribution."""
    return _NORMAL.inv_cdf(probability)


def t_quantile(probability: float, freedom: float) -> float:
    """Return the quantile of Student's t distribution.

    >>> round(t_quantile(0.975, 10), 3)
    2.228
    """
    from scipy.special import stdtrit  # takes a tenth of a second to import

    return float(stdtrit(freedom, probability))


def t_two_sided(statistic: float, freedom: float) -> float:
    """Return the two-sided tail probability of Student's t distribution.

    >>> round(t_two_sided(-2.228, 10), 3)
    0.05
    """
    from scipy.special import stdtr

    return min(1.0, 2.0 * float(stdtr(freedom, -abs(statistic))))


def check_level(level: float) -> float:
    """Return a confidence level, or a power.

    Raises:
        MetricError: It is not between 0 and 1.
    """
    if not 0 < level < 1:
        raise MetricError(f"a level must lie between 0 and 1, such as 0.95, not {level}")
    return level


def normal_two_sided(statistic: float) -> float:
    """Return the two-sided tail probability of the standard normal distribution.

    >>> round(normal_two_sided(1.96), 3)
    0.05
    """
    return math.erfc(abs(statistic) / math.sqrt(2))
