"""Weighted means over items and their intervals."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snellen.grading.errors import MetricError
from snellen.grading.models.estimates import Bounds, Estimate, Interval
from snellen.grading.stats.clusters import checked, varies
from snellen.grading.stats.distributions import check_level, normal_quantile, t_quantile
from snellen.grading.stats.proportions import UNIT, constant_interval, wilson
from snellen.grading.stats.summary import estimate


class _Variance(NamedTuple):
    """The variance of a weighted mean, and its degrees of freedom for t."""

    value: float
    freedom: float


def weighted_estimate(
    values: ArrayLike,
    weights: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    level: float = 0.95,
    bounds: Bounds = UNIT,
) -> Estimate:
    """Estimate the weighted mean over items, with a Wilson interval.

    The mean is the sum of weight times value over the sum of the weights (Hajek 1971). Its variance
    is that of `mean_variance` with weights: if cluster g has the share h of the weight and its
    weighted residuals add up to r, it is the sum of r^2 / (1 - h), over the squared sum of the
    weights. The interval is Wilson's on the effective number of items, as in `wilson_estimate`,
    which gives the same result if all weights are equal: Korn & Graubard 1998, Survey Methodology
    24. There is no finite population correction: the interval is for an infinite population of such
    items, not for the items that the sample was drawn from (`population_estimate`).

    Args:
        values: The item values (n,), within the bounds.
        weights: The number of items that each item represents (n,), positive.
        clusters: A cluster code for each (n,); None: the items are independent.
        level: The confidence level.
        bounds: The smallest and the largest possible value.

    Raises:
        MetricError: There are no values, one is not within the bounds, a weight is not positive, or
            the number of weights or cluster codes differs.

    >>> round(weighted_estimate([1, 1, 0, 1], [1, 1, 4, 4]).value, 2)
    0.6
    """
    check_level(level)
    array = checked(values, bounds)
    weight = checked_weights(weights, len(array))
    codes = _codes(clusters, len(array))
    if not varies(weight):
        return estimate(array, codes, level=level, bounds=bounds)
    groups = int(codes.max()) + 1
    share = weight / weight.sum()
    value = float(share @ array) if varies(array) else float(array[0])
    found = Estimate(value=value, items=len(array), clusters=groups)
    if groups < 2:
        return found
    if not varies(array):
        spread = constant_interval(value, groups, level=level, bounds=bounds)
        return found.model_copy(update={"interval": spread})
    independent, clustered = _variances(array, share, codes)
    worth = min(
        effective_size(value, one.value, one.freedom, level=level, bounds=bounds)
        for one in (clustered, independent)
    )
    return found.model_copy(
        update={
            "standard_error": math.sqrt(clustered.value),
            "interval": wilson_within(value, worth, level=level, bounds=bounds),
            "design_effect": clustered.value / independent.value,
        }
    )


class WeightedMean(NamedTuple):
    """A weighted mean with its t interval, and the degrees of freedom of its standard error."""

    estimate: Estimate
    freedom: float


def weighted_mean_estimate(
    values: ArrayLike,
    weights: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    level: float = 0.95,
    bounds: Bounds | None = None,
) -> WeightedMean:
    """Estimate the weighted mean of values that vary, with a t interval.

    Mean and variance are those of `weighted_estimate`; the interval is that of `mean_estimate`, as
    for differences of two runs.

    Args:
        values: The item values (n,), not all equal.
        weights: The number of items that each item represents (n,), positive.
        clusters: A cluster code for each (n,); None: the items are independent.
        level: The confidence level.
        bounds: The smallest and the largest possible value; the interval is cut there.

    Raises:
        MetricError: The values are all equal or in fewer than two clusters, one is not within the
            bounds, a weight is not positive, or the number of weights or cluster codes differs.

    >>> found = weighted_mean_estimate([1, 1, 0, 1], [1, 1, 4, 4])
    >>> round(found.estimate.value, 2), round(found.estimate.standard_error, 2)
    (0.6, 0.38)
    """
    check_level(level)
    array = checked(values, bounds)
    weight = checked_weights(weights, len(array))
    codes = _codes(clusters, len(array))
    groups = int(codes.max()) + 1
    if groups < 2 or not varies(array):
        raise MetricError("a standard error needs two clusters or more, and values that vary")
    share = weight / weight.sum()
    independent, clustered = _variances(array, share, codes)
    value, error = float(share @ array), math.sqrt(clustered.value)
    half = t_quantile(0.5 + level / 2, clustered.freedom) * error
    limits = bounds or Bounds(-math.inf, math.inf)
    interval = Interval(
        low=max(limits.low, value - half),
        high=min(limits.high, value + half),
        level=level,
        method="t, weighted",
    )
    found = Estimate(
        value=value,
        items=len(array),
        clusters=groups,
        standard_error=error,
        interval=interval,
        design_effect=clustered.value / independent.value,
    )
    return WeightedMean(found, clustered.freedom)


def effective_size(
    value: float, variance: float, freedom: float, *, level: float, bounds: Bounds
) -> float:
    """Return the number of independent trials with this variance of the mean, corrected for t.

    Source: Korn & Graubard 1998; Dean & Pagano 2015, Journal of Survey Statistics and
    Methodology 3.
    """
    outer = 0.5 + level / 2
    scatter = (value - bounds.low) * (bounds.high - value)
    return scatter / variance * (normal_quantile(outer) / t_quantile(outer, freedom)) ** 2


def wilson_within(value: float, size: float, *, level: float, bounds: Bounds) -> Interval:
    """Return Wilson's interval for a mean between bounds on an effective number of trials."""
    width = bounds.high - bounds.low
    found = wilson((value - bounds.low) / width * size, size, level=level)
    return found.model_copy(
        update={"low": bounds.low + width * found.low, "high": bounds.low + width * found.high}
    )


def _variances(
    values: NDArray[np.float64], share: NDArray[np.float64], codes: NDArray[np.int64]
) -> tuple[_Variance, _Variance]:
    """Return the variance for independent items, and the clustered one."""
    independent = _variance(values, share, np.arange(len(values)))
    clustered = _variance(values, share, codes) if codes.max() + 1 < len(values) else independent
    if clustered.value < 1e-20 * independent.value:
        clustered = _Variance(independent.value, clustered.freedom)
    return independent, clustered


def _variance(
    values: NDArray[np.float64], share: NDArray[np.float64], codes: NDArray[np.int64]
) -> _Variance:
    """Return the clustered variance with the degrees of freedom of Bell & McCaffrey 2002.

    The residual sums of independent items have the covariance diag(a) - a h' - h a' + A h h',
    where cluster g has the share h of the weight and a is its sum of squared shares, A their
    total; with S the diagonal of 1 / sqrt(1 - h) it is trace(SCS)^2 / trace(SCSSCS), written out.
    """
    held = np.bincount(codes, share)
    residuals = np.bincount(codes, share * (values - float(share @ values)))
    left = 1 - held
    squares = np.bincount(codes, share**2)
    total = float(squares.sum())
    one, other, alone = held / np.sqrt(left), squares / np.sqrt(left), squares / left
    ones, both, others = float(one @ one), float(one @ other), float(other @ other)
    trace = float(alone.sum()) - 2 * both + total * ones
    cross = 2 * ones * others + 2 * both**2 + total**2 * ones**2 - 4 * total * both * ones
    along = float(alone @ (total * one**2 - 2 * one * other))
    twice = float(alone @ alone) + cross + 2 * along
    return _Variance(float((residuals**2 / left).sum()), trace**2 / twice)


def checked_weights(weights: ArrayLike, count: int) -> NDArray[np.float64]:
    """Return weights as float64 (count,).

    Raises:
        MetricError: Their number differs from `count`, or one is not positive and finite.
    """
    weight = np.asarray(weights, np.float64)
    if weight.shape != (count,):
        raise MetricError(f"{count} item values need as many weights, not shape {weight.shape}")
    bad = ~((weight > 0) & np.isfinite(weight))
    if bad.any():
        index = int(bad.argmax())
        raise MetricError(f"weight {index} is {weight[index]}; a weight must be positive")
    return weight


def _codes(clusters: ArrayLike | None, count: int) -> NDArray[np.int64]:
    if clusters is None:
        return np.arange(count)
    codes = np.asarray(clusters)
    if codes.shape != (count,) or codes.dtype.kind not in "iu":
        raise MetricError(f"{count} item values need as many whole numbers as cluster codes")
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)
