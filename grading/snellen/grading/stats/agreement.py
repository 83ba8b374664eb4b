"""Agreement of two raters on the same responses, corrected for chance."""

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snellen.grading.errors import MetricError
from snellen.grading.models.estimates import Estimate, Interval
from snellen.grading.stats.clusters import varies
from snellen.grading.stats.distributions import check_level, t_quantile

Weights = Literal["none", "linear", "quadratic"]
"""How much a disagreement counts: all alike, by the distance of the levels, or by its square."""


def contingency(first: ArrayLike, second: ArrayLike, levels: int) -> NDArray[np.float64]:
    """Count each pair of levels: the first rater's levels are rows, the second's columns.

    Args:
        first: The first rater's levels (n,), integers from 0.
        second: The second rater's levels of the same responses.
        levels: The number of levels.

    Raises:
        MetricError: There are no pairs, or a level is out of range.

    >>> contingency([0, 1, 1], [0, 1, 0], 2).tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    return _tables(*_codes(first, second, levels), np.zeros(np.size(first), np.int64), levels)[0]


def cohen_kappa(table: NDArray[np.float64], weights: Weights = "none") -> float | None:
    """Return Cohen's kappa of a contingency table: 1 is full agreement, 0 is chance.

    1 - (observed weighted disagreement) / (the one expected of independent raters with the same
    margins). Sources: Cohen 1960, Educational and Psychological Measurement 20; with weights Cohen
    1968, Psychological Bulletin 70. With quadratic weights it is an intraclass correlation (Fleiss
    & Cohen 1973, Educational and Psychological Measurement 33).

    None if both raters gave only one level, and the same one: chance then agrees fully.

    >>> cohen_kappa(np.array([[20.0, 5.0], [10.0, 15.0]]))
    0.4
    """
    distance = np.abs(np.subtract.outer(np.arange(len(table)), np.arange(len(table))))
    cost = {"none": distance > 0, "linear": distance, "quadratic": distance**2}[weights]
    expected = float((cost * np.outer(table.sum(axis=1), table.sum(axis=0))).sum() / table.sum())
    if not expected:
        return None
    return 1.0 - float((cost * table).sum()) / expected


def kappa_estimate(
    first: ArrayLike,
    second: ArrayLike,
    clusters: ArrayLike,
    *,
    levels: int,
    weights: Weights = "none",
    level: float = 0.95,
) -> Estimate | None:
    """Estimate Cohen's kappa with a clustered standard error.

    The standard error is the jackknife's, which leaves out one cluster at a time (Efron &
    Tibshirani 1993, An Introduction to the Bootstrap, section 11.2). The interval is the t interval
    with G - 1 degrees of freedom for G clusters.

    Args:
        first: The first rater's levels (n,), integers from 0.
        second: The second rater's levels of the same responses.
        clusters: The independent group of each response (n,): its item or its page.
        levels: The number of levels.
        weights: The weighting of disagreements.
        level: The confidence level.

    Returns:
        None if kappa is not defined: see `cohen_kappa`. There is no interval with fewer than two
        clusters, if kappa is not defined without one of them, or if leaving out a cluster never
        changes it, as in full agreement.

    Raises:
        MetricError: There are no pairs, or a level is out of range.
    """
    check_level(level)
    one, other = _codes(first, second, levels)
    groups = np.unique(np.asarray(clusters), return_inverse=True)[1]
    if groups.shape != one.shape:
        raise MetricError(f"{len(one)} pairs need as many cluster codes, not shape {groups.shape}")
    tables = _tables(one, other, groups, levels)
    whole = tables.sum(axis=0)
    value = cohen_kappa(whole, weights)
    if value is None:
        return None
    count = len(tables)
    left = [cohen_kappa(whole - table, weights) for table in tables] if count > 1 else []
    known = np.array([one for one in left if one is not None])
    error = None
    interval = None
    if count > 1 and len(known) == count and varies(known):
        spread = known - known.mean()
        error = math.sqrt((count - 1) / count * float(spread @ spread))
        half = t_quantile(0.5 + level / 2, count - 1) * error
        low, high = max(-1.0, value - half), min(1.0, value + half)
        interval = Interval(low=low, high=high, level=level, method="jackknife t")
    return Estimate(
        value=value, items=len(one), clusters=count, standard_error=error, interval=interval
    )


def _codes(
    first: ArrayLike, second: ArrayLike, levels: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    pair = np.asarray(first), np.asarray(second)
    if pair[0].shape != pair[1].shape or pair[0].ndim != 1:
        raise MetricError(f"agreement needs pairs, not shapes {pair[0].shape} and {pair[1].shape}")
    if not pair[0].size:
        raise MetricError("there are no pairs, so agreement is not defined")
    for codes in pair:
        if codes.dtype.kind not in "iu" or codes.min() < 0 or codes.max() >= levels:
            raise MetricError(f"levels must be whole numbers from 0 to {levels - 1}")
    return pair[0].astype(np.int64), pair[1].astype(np.int64)


def _tables(
    first: NDArray[np.int64], second: NDArray[np.int64], groups: NDArray[np.int64], levels: int
) -> NDArray[np.float64]:
    """Return one contingency table per group, shape (groups, levels, levels)."""
    cells = (groups * levels + first) * levels + second
    count = int(groups.max()) + 1
    return (
        np.bincount(cells, minlength=count * levels * levels)
        .astype(np.float64)
        .reshape(count, levels, levels)
    )
