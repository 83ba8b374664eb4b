"""The estimate that a report prints for a mean."""

from numpy.typing import ArrayLike

from snellen.grading.models.estimates import Bounds, Estimate
from snellen.grading.stats.means import mean_estimate
from snellen.grading.stats.proportions import UNIT, wilson_estimate


def estimate(
    values: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    level: float = 0.95,
    bounds: Bounds | None = UNIT,
) -> Estimate:
    """Estimate the mean over items by the method that fits the values.

    Bounded values, both 0/1 and anything between, get Wilson's interval on the effective sample
    size (`wilson_estimate`). Unbounded values get the t interval (`mean_estimate`). In simulations
    both cover 95 % from 30 clusters if the mean is far from the bounds, and the two agree in large
    samples. Near a bound only Wilson's does: for 0/1 values with mean 0.95 in 50 clusters of one to
    five items it covers 96 %, t 89 %; for values like F1 with mean 0.76 in 10 clusters, 95 %
    against 91 %.

    Args:
        values: The item values (n,).
        clusters: A cluster code for each (n,); None: the items are independent.
        level: The confidence level.
        bounds: The smallest and the largest possible value; None if there are none.

    Raises:
        MetricError: There are no values, one is not finite or not within the bounds, or the number
            of cluster codes differs.

    >>> found = estimate([1, 1, 1, 0, 1, 1, 0, 1])
    >>> found.value, found.interval.method
    (0.75, 'wilson')
    """
    if bounds is None:
        return mean_estimate(values, clusters, level=level)
    return wilson_estimate(values, clusters, level=level, bounds=bounds)
