"""The mean over items with a clustered standard error and a t interval."""

import math

from numpy.typing import ArrayLike

from snellen.grading.models.estimates import Bounds, Estimate, Interval
from snellen.grading.stats.clusters import checked, cluster_sums, varies
from snellen.grading.stats.distributions import check_level, t_quantile
from snellen.grading.stats.proportions import constant_interval
from snellen.grading.stats.variance import mean_variance


def mean_estimate(
    values: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    level: float = 0.95,
    bounds: Bounds | None = None,
) -> Estimate:
    """Estimate the mean over items, with a t interval.

    Standard error and degrees of freedom are clustered: see `mean_variance`, which has the
    sources. For evaluations of models: Miller 2024, "Adding error bars to evals", section 2.2.

    With one cluster, standard error and interval are not defined: both are None. The same holds for
    values that are all equal, unless bounds are given: then the interval is `constant_interval`.

    The simulated coverage of the 95 % interval is within 1.5 points from 30 clusters if the values
    are not close to a bound. Otherwise it is too low: 89 % for 0/1 values with mean 0.95 in 50
    clusters. `snellen.grading.stats.summary.estimate` is accurate in both cases.

    Args:
        values: The item values (n,).
        clusters: A cluster code for each (n,); None: the items are independent.
        level: The confidence level.
        bounds: The smallest and the largest possible value, if any; the interval is cut there.

    Raises:
        MetricError: There are no values, one is not finite or not within the bounds, or the number
            of cluster codes differs.

    >>> estimate = mean_estimate([0.2, 0.4, 0.9, 0.5], [0, 0, 1, 2])
    >>> round(estimate.value, 3), round(estimate.standard_error, 3), estimate.clusters
    (0.5, 0.183, 3)
    """
    check_level(level)
    array = checked(values, bounds)
    sums = cluster_sums(array, clusters)
    variance = mean_variance(array, sums)
    error = math.sqrt(variance.clustered) if variance.clustered else None
    value = sums.mean if varies(array) else float(array[0])
    interval = None
    if error is not None:
        half = t_quantile(0.5 + level / 2, variance.freedom) * error
        limits = bounds or Bounds(-math.inf, math.inf)
        interval = Interval(
            low=max(limits.low, value - half),
            high=min(limits.high, value + half),
            level=level,
            method="t",
        )
    elif variance.clustered == 0 and bounds is not None:
        interval = constant_interval(value, sums.clusters, level=level, bounds=bounds)
    return Estimate(
        value=value,
        items=sums.items,
        clusters=sums.clusters,
        standard_error=error,
        interval=interval,
        design_effect=variance.design_effect,
    )
