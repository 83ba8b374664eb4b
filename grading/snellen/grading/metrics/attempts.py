"""Several attempts at the same task: pass@k, pass^k and their mean.

`n` is the number of attempts at a task, `c` the number of correct ones. All functions take numbers
or arrays with one value per task; arrays broadcast. They return a float or an array of the same
shape. The benchmark's number is the mean over tasks.
"""

from collections.abc import Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from snellen.grading.errors import MetricError

Counts = Sequence[int] | NDArray[np.integer]
"""One whole number per task."""


@overload
def pass_at_k(n: int, c: int, k: int) -> float: ...
@overload
def pass_at_k(n: Counts, c: int | Counts, k: int) -> NDArray[np.float64]: ...
@overload
def pass_at_k(n: int, c: Counts, k: int) -> NDArray[np.float64]: ...
def pass_at_k(n: int | Counts, c: int | Counts, k: int) -> float | NDArray[np.float64]:
    """Probability that at least one of k attempts is correct, 1 - C(n-c, k) / C(n, k).

    The unbiased estimator of Chen et al. 2021 (arXiv 2107.03374, Eq. 1). It is a sum of positive
    terms, one per attempt, so small probabilities keep their digits and no binomial coefficient
    overflows.

    Args:
        n: Attempts per task.
        c: Correct attempts per task.
        k: Attempts allowed.

    Raises:
        MetricError: If k is not in 1..n, c not in 0..n, a count is not an integer, or there are no
            tasks.

    >>> pass_at_k(4, 2, 2)
    0.8333333333333333
    >>> pass_at_k(10, [0, 1, 10], 1).tolist()
    [0.0, 0.1, 1.0]
    """
    attempts, right = _counts(n, c, k)
    chance = np.zeros(attempts.shape)
    for drawn in range(k):
        # After n - c wrong attempts the probability is 1; the cap keeps the factor at most 1.
        next_right = np.minimum(right / (attempts - drawn), 1.0)
        chance += (1.0 - chance) * next_right
    return _like_input(chance)


@overload
def pass_hat_k(n: int, c: int, k: int) -> float: ...
@overload
def pass_hat_k(n: Counts, c: int | Counts, k: int) -> NDArray[np.float64]: ...
@overload
def pass_hat_k(n: int, c: Counts, k: int) -> NDArray[np.float64]: ...
def pass_hat_k(n: int | Counts, c: int | Counts, k: int) -> float | NDArray[np.float64]:
    """Probability that all of k attempts are correct, C(c, k) / C(n, k): pass^k.

    The reliability measure of tau-bench (arXiv 2406.12045). Args and errors as in `pass_at_k`.

    >>> pass_hat_k(4, 2, 2)
    0.16666666666666666
    """
    attempts, right = _counts(n, c, k)
    chance = np.ones(attempts.shape)
    for drawn in range(k):
        chance *= np.maximum(right - drawn, 0) / (attempts - drawn)
    return _like_input(chance)


@overload
def mean_success(n: int, c: int) -> float: ...
@overload
def mean_success(n: Counts, c: int | Counts) -> NDArray[np.float64]: ...
@overload
def mean_success(n: int, c: Counts) -> NDArray[np.float64]: ...
def mean_success(n: int | Counts, c: int | Counts) -> float | NDArray[np.float64]:
    """Share of correct attempts, c/n; equal to pass@1 and to pass^1.

    Raises:
        MetricError: As `pass_at_k`.

    >>> mean_success(4, 3)
    0.75
    """
    attempts, right = _counts(n, c, 1)
    return _like_input(right / attempts)


def _counts(
    n: int | Counts, c: int | Counts, k: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    attempts, right = np.broadcast_arrays(_whole(n, "n"), _whole(c, "c"))
    if not attempts.size:
        raise MetricError("pass rates of no tasks are not defined")
    if k < 1:
        raise MetricError(f"k must be at least 1, not {k}")
    if k > attempts.min():
        raise MetricError(f"k = {k} needs as many attempts at every task; one has {attempts.min()}")
    if (right < 0).any() or (right > attempts).any():
        raise MetricError("c must lie in 0..n for every task")
    return attempts, right


def _whole(values: int | Counts, name: str) -> NDArray[np.int64]:
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "biu":
        raise MetricError(f"{name} must be whole numbers, not {array.dtype}")
    return array.astype(np.int64)


def _like_input(chance: NDArray[np.float64]) -> float | NDArray[np.float64]:
    return chance if chance.ndim else chance.item()
