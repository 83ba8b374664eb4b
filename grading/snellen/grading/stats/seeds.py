"""The random stream of a seed."""

import operator
from typing import SupportsIndex

import numpy as np

from snellen.grading.errors import MetricError


def stream(seed: SupportsIndex) -> np.random.PCG64:
    """Return the raw stream of PCG64 that starts from a seed.

    numpy guarantees this stream, but not those of `Generator`'s methods (NEP 19).

    Raises:
        MetricError: The seed is not an integer, or it is negative.

    >>> int(stream(0).random_raw()) == int(stream(0).random_raw())
    True
    """
    try:
        number = operator.index(seed)
    except TypeError:
        raise MetricError(f"a seed must be a whole number, not {seed!r}") from None
    if number < 0:
        raise MetricError(f"a seed must be at least 0, not {number}")
    return np.random.PCG64(number)
