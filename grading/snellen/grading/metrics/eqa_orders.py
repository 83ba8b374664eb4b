"""The effect of the task order on EQA, in closed form.

EQA is a constant minus the mean of s_i u_i, and u_i depends on the earlier tasks. Over all N!
orders its mean, its variance and both extremes are sums over tasks or pairs of tasks. So they need
no sampling: the numbers are exact for any N and have no seed.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from snellen.grading.metrics.efficiency import Amount, Episode
from snellen.grading.metrics.eqa import FailedCost, Ledger, OverLimit


@dataclass(frozen=True, slots=True)
class OrderSpread:
    """The exact integral's distribution over all orders of the same episodes."""

    mean: float  # over all orders, as `eqa_expected`
    deviation: float  # standard deviation of the population of all orders
    lowest: float  # the worst order's value
    highest: float  # the best order's value


def expected_area(ledger: Ledger) -> Fraction:
    """Return 1/N times the sum of s_i (1 - (t_i + T_N) / (2 T_max)).

    In a random order, on average half of the other tasks come before task i. So it finishes at t_i
    + (T_N - t_i) / 2.
    """
    budget, spent = ledger.budget, sum(ledger.costs)
    area = sum(
        s * (2 * budget - cost - spent)
        for s, cost in zip(ledger.successes, ledger.costs, strict=True)
    )
    return Fraction(area, 2 * budget * ledger.attainable)


def area_variance(ledger: Ledger) -> Fraction:
    """Return the variance of the exact integral over all orders.

    The order decides, for every pair, whether s_i t_j or s_j t_i is added to the sum of s_i T_i.
    With d_ij = s_i t_j - s_j t_i this is half the sum of +-d_ij over pairs. Signs of disjoint pairs
    are independent; those of two pairs that share a task have covariance 1/3. So the variance is (Q
    + sum of D_i squared) / 12, D_i = sum over j of d_ij = s_i T - t_i S, and Q = sum over pairs of
    d_ij squared = sum(s^2) sum(t^2) - sum(s t)^2 (Lagrange's identity).
    """
    tasks = list(zip(ledger.successes, ledger.costs, strict=True))
    solved, spent = sum(ledger.successes), sum(ledger.costs)
    pairs = (
        sum(s * s for s, _ in tasks) * sum(t * t for _, t in tasks)
        - sum(s * t for s, t in tasks) ** 2
    )
    shared = sum((s * spent - t * solved) ** 2 for s, t in tasks)
    return Fraction(pairs + shared, 12 * (ledger.budget * ledger.attainable) ** 2)


def best_order(ledger: Ledger) -> Ledger:
    """Return the tasks in the order of the highest exact integral.

    Tasks with the highest success per cost come first, tasks without success last (Smith's rule for
    the weighted sum of completion times, 1956). The reverse is the worst order.
    """
    indexes = sorted(
        range(len(ledger.costs)),
        key=lambda i: Fraction(ledger.successes[i], ledger.costs[i]),
        reverse=True,
    )
    return _reordered(ledger, indexes)


def eqa_expected(
    episodes: Sequence[Episode],
    limit: Amount | None = None,
    *,
    failed_cost: FailedCost = "actual",
    over_limit: OverLimit = "reject",
) -> float:
    """Mean of the exact EQA over all orders of the tasks; independent of the order.

    Args and errors as in `Ledger.of`; the Fraction is `expected_area`.

    >>> eqa_expected([Episode(1, 5), Episode(0, 15), Episode(1, 3), Episode(1, 10)], 15)
    0.50625
    """
    ledger = Ledger.of(episodes, limit, failed_cost=failed_cost, over_limit=over_limit)
    return float(expected_area(ledger))


def eqa_spread(
    episodes: Sequence[Episode],
    limit: Amount | None = None,
    *,
    failed_cost: FailedCost = "actual",
    over_limit: OverLimit = "reject",
) -> OrderSpread:
    """Mean, standard deviation and extremes of the exact EQA over all orders of the tasks.

    A sampled EQA differs from the exact one by at most 1/points in every order, so this also bounds
    the effect of the order on it. Args and errors as in `Ledger.of`.

    >>> run = [Episode(1, 5), Episode(0, 15), Episode(1, 3), Episode(1, 10)]
    >>> spread = eqa_spread(run, 15)
    >>> round(spread.lowest, 6), round(spread.highest, 6)
    (0.383333, 0.629167)
    """
    ledger = Ledger.of(episodes, limit, failed_cost=failed_cost, over_limit=over_limit)
    best = best_order(ledger)
    worst = _reordered(best, range(len(best.costs) - 1, -1, -1))
    return OrderSpread(
        mean=float(expected_area(ledger)),
        deviation=math.sqrt(area_variance(ledger)),
        lowest=float(worst.integral()),
        highest=float(best.integral()),
    )


def _reordered(ledger: Ledger, indexes: Sequence[int]) -> Ledger:
    return Ledger(
        successes=tuple(ledger.successes[i] for i in indexes),
        whole=ledger.whole,
        costs=tuple(ledger.costs[i] for i in indexes),
        limits=tuple(ledger.limits[i] for i in indexes),
    )
