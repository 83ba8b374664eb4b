"""What intervals and p-values of correlations promise, measured on simulated pairs.

`pytest -m slow -s` on this file prints what was measured; docs/compare.md has it as a table.
"""

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtri

from snellen.grading.stats.correlation import Method, correlate

pytestmark = pytest.mark.thorough

Values = NDArray[np.float64]

TRUE_COEFFICIENT: dict[Method, Callable[[float], float]] = {
    "pearson": lambda rho: rho,
    "spearman": lambda rho: 6 / math.pi * math.asin(rho / 2),
    "kendall": lambda rho: 2 / math.pi * math.asin(rho),
}


@pytest.mark.parametrize("rho", [0.0, 0.8])
@pytest.mark.parametrize(
    ("method", "n"),
    [
        ("pearson", 5),
        ("pearson", 10),
        ("pearson", 30),
        ("spearman", 30),
        ("kendall", 30),
        ("kendall", 50),
    ],
)
def test_the_interval_of_a_correlation_covers(method: Method, n: int, rho: float) -> None:
    rng = np.random.default_rng(7)
    x = rng.standard_normal((2000, n))
    y = rho * x + math.sqrt(1 - rho**2) * rng.standard_normal((2000, n))
    found = (correlate(*rows, method=method).interval for rows in zip(x, y, strict=True))
    truth = TRUE_COEFFICIENT[method](rho)
    hits = [interval is not None and interval.low <= truth <= interval.high for interval in found]
    share = sum(hits) / len(hits)
    print(f"{method:24} {n} normal pairs, rho {rho:<23} {100 * share:5.1f} %")
    assert abs(share - 0.95) <= 0.015


# Quantile functions; the last is that of t with 2 degrees of freedom.
SHAPES: dict[str, Callable[[Values], Values]] = {
    "normal": lambda u: np.asarray(ndtri(u)),
    "uniform": lambda u: u,
    "exponential": lambda u: -np.log(u),
    "outlier": lambda u: (2 * u - 1) / np.sqrt(2 * u * (1 - u)),
}


@pytest.mark.parametrize("n", [4, 6, 10])
@pytest.mark.parametrize("shape", SHAPES)
def test_pearsons_p_holds_its_level_for_few_pairs(shape: str, n: int) -> None:
    rng = np.random.default_rng(8)
    x, y = SHAPES[shape](rng.random((4000, n))), SHAPES[shape](rng.random((4000, n)))
    found = [correlate(*rows).p for rows in zip(x, y, strict=True)]
    share = sum(p is not None and p < 0.05 for p in found) / len(found)
    print(f"level of pearson         {n} {shape} pairs {100 * share:5.1f} %")
    assert 0.035 <= share <= 0.07
