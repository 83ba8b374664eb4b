"""Sums of item values within clusters, the independent groups of items."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snellen.grading.errors import MetricError
from snellen.grading.models.estimates import Bounds

SAME = 1e-12
"""Values no further apart than this are the same number.

Means over the same attempts in another order of adding differ by about 1e-16.
"""


class ClusterSums(NamedTuple):
    """The sum and the number of each cluster's item values: float64 arrays (G,)."""

    sums: NDArray[np.float64]
    sizes: NDArray[np.float64]

    @property
    def clusters(self) -> int:
        """The number of clusters."""
        return len(self.sums)

    @property
    def items(self) -> int:
        """The number of items in all clusters."""
        return int(self.sizes.sum())

    @property
    def mean(self) -> float:
        """The mean over all items."""
        return float(self.sums.sum() / self.sizes.sum())

    @property
    def residuals(self) -> NDArray[np.float64]:
        """Each cluster's sum minus its size times the mean; they add up to 0."""
        return self.sums - self.sizes * self.mean


def checked(values: ArrayLike, bounds: Bounds | None = None) -> NDArray[np.float64]:
    """Return item values as float64 (n,).

    Args:
        values: The values.
        bounds: The smallest and the largest value allowed; None: any finite number.

    Raises:
        MetricError: There are no values, they have more than one dimension, or a value is not
            finite or not within the bounds.
    """
    array = np.asarray(values, np.float64)
    if array.ndim != 1:
        raise MetricError(f"item values must have one dimension, not shape {array.shape}")
    if not array.size:
        raise MetricError("there are no item values, so no statistic is defined")
    bad = ~np.isfinite(array)
    if bad.any():
        index = int(bad.argmax())
        raise MetricError(f"item value {index} is {array[index]}; every value must be finite")
    if bounds is not None:
        bad = (array < bounds.low) | (array > bounds.high)
        if bad.any():
            index = int(bad.argmax())
            raise MetricError(
                f"item value {index} is {array[index]}, outside {bounds.low:g}..{bounds.high:g}"
            )
    return array


def cluster_sums(values: NDArray[np.float64], clusters: ArrayLike | None) -> ClusterSums:
    """Add the values up within each cluster.

    Args:
        values: Checked item values (n,).
        clusters: Any integers (n,), equal for the items of a cluster; None: each item is its own
            cluster. The clusters of the result have the order of these integers.

    Raises:
        MetricError: The numbers of values and of cluster codes differ.

    >>> cluster_sums(checked([1, 0, 1]), [7, 7, 3]).sums.tolist()
    [1.0, 1.0]
    """
    if clusters is None:
        return ClusterSums(values, np.ones_like(values))
    codes = np.asarray(clusters)
    if codes.shape != values.shape:
        raise MetricError(
            f"{len(values)} item values need as many cluster codes, not shape {codes.shape}"
        )
    if codes.dtype.kind not in "iu":
        raise MetricError(f"cluster codes must be integers, not {codes.dtype}")
    if codes.min() < 0 or codes.max() >= 4 * len(codes):
        codes = np.unique(codes, return_inverse=True)[1]
    sizes = np.bincount(codes).astype(np.float64)
    sums = np.bincount(codes, values).astype(np.float64)
    used = sizes > 0
    return ClusterSums(sums[used], sizes[used])


def differences(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Return second - first, item by item.

    Rounding errors are removed: a difference of at most `SAME` is 0, and if all differences lie
    within `SAME` of each other, all become the first one.

    Raises:
        MetricError: The lengths differ, or `checked` raises.

    >>> differences([0.3, 0.5, 0.2], [0.1 + 0.2, 0.75, 0.2]).tolist()
    [0.0, 0.25, 0.0]
    """
    before, after = checked(first), checked(second)
    if before.shape != after.shape:
        raise MetricError(
            f"a paired comparison needs the same items twice, not {len(before)} and {len(after)}"
        )
    apart = after - before
    apart[np.abs(apart) <= SAME] = 0.0
    if not varies(apart):
        apart[:] = apart[0]
    return apart


def varies(values: NDArray[np.float64]) -> bool:
    """Whether the values differ by more than rounding: see `SAME`."""
    return bool(values.max() - values.min() > SAME)


def is_binary(values: NDArray[np.float64]) -> bool:
    """Whether every value is 0 or 1."""
    return bool(((values == 0) | (values == 1)).all())


def on_grid(values: NDArray[np.float64], terms: int) -> NDArray[np.float64]:
    """Round values so that the sum of any `terms` of them is exact in float64.

    They become multiples of one small power of two; the loss is negligible (about 1e-12 for
    thousands of values in 0..1). Sums then do not depend on the order of addition, which differs
    between processors, numpy versions and chunk sizes. Sums that are equal in exact arithmetic can
    differ after rounding: compare them with `tie_width`.
    """
    if not values.any():
        return values
    exponent = _exponent(values, terms)
    return np.ldexp(np.rint(np.ldexp(values, exponent)), -exponent)


def tie_width(values: NDArray[np.float64], terms: int) -> float:
    """Return the largest distance of two means of `terms` values that counts as equal.

    Args:
        values: The values that are summed, before or after `on_grid`.
        terms: The number of terms, as passed to `on_grid`.

    >>> tie_width(np.array([1 / 3, 2 / 3]), 4)
    1e-12
    """
    # The grid moves a value by at most half a step. So two sums move apart by at most `terms`
    # steps, and two means by one step. `SAME` covers earlier rounding. A million values of 0..1
    # have a step of 1e-9.
    return max(SAME, float(np.ldexp(1.0, -_exponent(values, terms)))) if values.any() else SAME


def _exponent(values: NDArray[np.float64], terms: int) -> int:
    """Return the number of fractional bits of the grid for these values."""
    return 52 - int(np.frexp(float(np.abs(values).max()) * terms)[1])
