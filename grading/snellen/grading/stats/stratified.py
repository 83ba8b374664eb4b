"""Estimates for the population of a stratified sample."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snellen.grading.errors import MetricError
from snellen.grading.models.estimates import Bounds, Estimate, Interval
from snellen.grading.stats.clusters import checked, cluster_sums, varies
from snellen.grading.stats.distributions import check_level
from snellen.grading.stats.proportions import UNIT, wilson
from snellen.grading.stats.variance import mean_variance
from snellen.grading.stats.weighted import effective_size, wilson_within

METHOD = "wilson, stratified"
WHOLE = "no sample, all items"
CONSTANT = "wilson, all equal"


@dataclass(frozen=True, slots=True)
class Strata:
    """The design of a sample.

    Attributes:
        codes: Each item's stratum (n,), from 0.
        items: The number of items of each stratum in the population, N_h.
        units: The sampling units, a code for each item (n,), such as its site; None: items.
        unit_counts: The number of units of each stratum in the population, M_h; None for items.
    """

    codes: NDArray[np.int64]
    items: NDArray[np.int64]
    units: NDArray[np.int64] | None = None
    unit_counts: NDArray[np.int64] | None = None

    @property
    def weights(self) -> NDArray[np.float64]:
        """The number of items that each item represents: N_h / n_h of its stratum."""
        drawn = np.bincount(self.codes, minlength=len(self.items))
        return self.items[self.codes] / drawn[self.codes]


class _Part(NamedTuple):
    """One stratum's mean, its variance and its share of all items."""

    share: float
    mean: float
    variance: float
    freedom: float
    drawn: int
    left: float


def population_estimate(
    values: ArrayLike, strata: Strata, *, level: float = 0.95, bounds: Bounds = UNIT
) -> Estimate:
    """Estimate the mean over all items that a stratified sample was drawn from.

    With N_h of N items in stratum h, the mean is the sum of N_h/N times the stratum's own mean, and
    its variance the sum of (N_h/N)^2 (1 - f_h) s_h^2/n_h, where f_h is the share drawn: Cochran
    1977, Sampling Techniques, equations 5.1 and 5.7. Degrees of freedom are Satterthwaite's (5.16)
    with equal s_h, as in `mean_variance` for clusters. With the observed s_h they are too few if
    small strata of 0/1 values have no variance by chance. A stratum that was drawn whole adds no
    uncertainty. If whole units were drawn, a stratum's mean is the ratio of its units' sums to
    their sizes and s_h^2/n_h the variance of that ratio (`mean_variance`), never less than that of
    independent items; f_h is then the share of the units. The interval is Wilson's on the effective
    number of items, as in `weighted_estimate`.

    The variance of a stratum is unknown if only one of several units was drawn. The squared
    distance from the overall mean replaces it, a conservative choice: Lumley 2010, Complex Surveys,
    section 3.2.1 ("adjust").

    The coverage of the 95 % interval was simulated for 0/1 values in 16 strata of very unequal
    means. The samples had 2 items of each stratum, or a fifth of it, or a quarter of the strata
    whole and 5 items of the others. Coverage is 93 to 95 % for overall means of 0.5 and 0.7, and 92
    to 96 % for 0.9. With whole sites of unequal size it is 96 %.

    Args:
        values: The sampled items' values (n,), within the bounds.
        strata: The design of the sample.
        level: The confidence level.
        bounds: The smallest and the largest possible value.

    Returns:
        The estimate; its `clusters` are the units drawn. Its design effect is the ratio of the
        variance to that of a simple random sample of the same size.

    Raises:
        MetricError: There are no values, one is not within the bounds, the number of codes differs,
            a stratum has no item in the sample, or more items are drawn than the stratum has.

    >>> strata = Strata(np.array([0, 0, 0, 1, 1, 1]), np.array([3, 300]))
    >>> found = population_estimate([1, 1, 1, 0, 1, 0], strata)
    >>> round(found.value, 4), round(found.standard_error, 4)
    (0.3399, 0.3284)
    """
    check_level(level)
    array = checked(values, bounds)
    parts = _parts(array, strata)
    value = sum(part.share * part.mean for part in parts)
    found = Estimate(
        value=min(bounds.high, max(bounds.low, value)),
        items=len(array),
        clusters=sum(part.drawn for part in parts),
    )
    variance = sum(part.share**2 * part.variance for part in parts)
    if not any(part.left for part in parts):
        interval = Interval(low=found.value, high=found.value, level=level, method=WHOLE)
        return found.model_copy(update={"standard_error": 0.0, "interval": interval})
    if not variance or not bounds.low < found.value < bounds.high:
        interval = _constant(parts, found.value, level=level, bounds=bounds)
        return found.model_copy(update={"interval": interval})
    freedom = _freedom(parts)
    size = effective_size(found.value, variance, freedom, level=level, bounds=bounds)
    interval = wilson_within(found.value, size, level=level, bounds=bounds)
    return found.model_copy(
        update={
            "standard_error": math.sqrt(variance),
            "interval": interval.model_copy(update={"method": METHOD}),
            "design_effect": _design_effect(array, strata, variance),
        }
    )


def _parts(values: NDArray[np.float64], strata: Strata) -> list[_Part]:
    codes, sizes = strata.codes, strata.items
    if codes.shape != values.shape or not 0 <= codes.min() <= codes.max() < len(sizes):
        raise MetricError(f"{len(values)} item values need as many codes of {len(sizes)} strata")
    whole = int(sizes.sum())
    lone = float(strata.weights @ values / whole)
    parts: list[_Part] = []
    for code, size in enumerate(sizes.tolist()):
        rows = np.flatnonzero(codes == code)
        if not 0 < len(rows) <= size:
            raise MetricError(f"stratum {code} has {len(rows)} items drawn and {size} in all")
        part = values[rows]
        sums = cluster_sums(part, None if strata.units is None else strata.units[rows])
        units = size if strata.unit_counts is None else int(strata.unit_counts[code])
        if sums.clusters > units:
            raise MetricError(f"stratum {code} has {sums.clusters} units drawn and {units} in all")
        left = 1 - sums.clusters / units
        spread, freedom = _spread(part, strata.units, rows, lone)
        mean = sums.mean if varies(part) else float(part[0])
        parts.append(_Part(size / whole, mean, left * spread, freedom, sums.clusters, left))
    return parts


def _spread(
    values: NDArray[np.float64],
    units: NDArray[np.int64] | None,
    rows: NDArray[np.int64],
    lone: float,
) -> tuple[float, float]:
    """Return a stratum's variance of the mean, without correction, and its degrees of freedom."""
    sums = cluster_sums(values, None if units is None else units[rows])
    found = mean_variance(values, sums)
    if found.clustered is None:
        return (sums.mean - lone) ** 2, 1.0
    return max(found.clustered, found.independent or 0.0), found.freedom


def _freedom(parts: list[_Part]) -> float:
    """Return Satterthwaite's degrees of freedom if the items of all strata had equal variance.

    With the observed variances they would depend on strata whose variance is 0 by chance.
    """
    alike = [(part.share**2 * part.left / part.drawn, part.freedom) for part in parts]
    return sum(one for one, _ in alike) ** 2 / sum(one**2 / freedom for one, freedom in alike)


def _constant(parts: list[_Part], value: float, *, level: float, bounds: Bounds) -> Interval:
    """Return an interval if no stratum has any variance; see `constant_interval`.

    At most the share s of the items that were not drawn differs: the upper bound of Wilson's
    interval for 0 of the units drawn. Strata of unequal weight count as fewer units (Kish's
    effective number).
    """
    open_parts = [part for part in parts if part.left]
    held = sum(part.share for part in open_parts)
    units = held**2 / sum(part.share**2 / part.drawn for part in open_parts)
    share = wilson(0, units, level=level).high
    down = sum(part.share * part.left * (part.mean - bounds.low) for part in open_parts)
    up = sum(part.share * part.left * (bounds.high - part.mean) for part in open_parts)
    return Interval(low=value - share * down, high=value + share * up, level=level, method=CONSTANT)


def _design_effect(values: NDArray[np.float64], strata: Strata, variance: float) -> float | None:
    """Return the ratio of the variance to that of a simple random sample of the same size."""
    drawn, whole = len(values), int(strata.items.sum())
    weights = strata.weights / whole
    mean = float(weights @ values)
    spread = float(weights @ (values - mean) ** 2) * drawn / (drawn - 1)
    simple = (1 - drawn / whole) * spread / drawn
    return variance / simple if simple > 0 else None
