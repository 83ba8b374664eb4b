"""Correction of p-values for multiple tests."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snellen.grading.errors import MetricError


def holm(ps: ArrayLike) -> NDArray[np.float64]:
    """Correct p-values to control the probability of any false finding.

    Source: Holm 1979, Scandinavian Journal of Statistics 6. It holds for any dependence between the
    tests.

    Args:
        ps: The p-values (m,); the corrected ones keep their order.

    Raises:
        MetricError: One is not in 0..1, or they have more than one dimension.

    >>> holm([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    array = _checked(ps)
    order = np.argsort(array, kind="stable")
    steps = np.arange(len(array), 0, -1)
    adjusted = np.minimum(np.maximum.accumulate(array[order] * steps), 1.0)
    found = np.empty_like(adjusted)
    found[order] = adjusted
    return found


def benjamini_hochberg(ps: ArrayLike) -> NDArray[np.float64]:
    """Correct p-values to control the expected share of false findings.

    Source: Benjamini & Hochberg 1995, Journal of the Royal Statistical Society B 57. It holds for
    independent or positively dependent tests (Benjamini & Yekutieli 2001), such as several runs
    against one baseline. It is not proven for all pairs of runs.

    Args:
        ps: The p-values (m,); the corrected ones keep their order.

    Raises:
        MetricError: One is not in 0..1, or they have more than one dimension.

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    from scipy.stats import false_discovery_control

    return false_discovery_control(_checked(ps))


def _checked(ps: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(ps, np.float64)
    if array.ndim != 1:
        raise MetricError(f"p-values must have one dimension, not shape {array.shape}")
    if not ((array >= 0) & (array <= 1)).all():
        raise MetricError("every p-value must lie between 0 and 1")
    return array
