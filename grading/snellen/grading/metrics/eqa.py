"""EQA, the efficiency-quality area of MMBench-GUI (section 3, Eq. 7-12), in exact arithmetic.

Tasks i = 1..N in a fixed order have successes s_i and costs t_i. T_k and S_k are the sums of the
first k, T_max is the sum of the limits, u_k = T_k / T_max, and R(u) = max{S_k / N : u_k <= u} is
the recall after a share u of the budget. EQA is the area under R.

Three things are easy to get wrong:

- The order counts. Use a canonical one (task id), never the order of completion, and also report
  `eqa_orders.eqa_expected`.
- The scale is not 0..1. 1 cannot be reached: ten tasks solved in one step of fifty give 0.989.
  Solving everything at the limit gives (N-1)/2N, not 0.
- T_k / T_max summed in floats misses grid points. Here every comparison is T_k * (M-1) <= m * T_max
  in integers, so the sum of Eq. 10 is exact.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import lcm
from typing import Literal, NamedTuple

from snellen.grading.errors import MetricError
from snellen.grading.metrics.efficiency import Amount, Episode

Reading = Literal["paper", "exact", "half_open", "linear", "budget", "expected"]
"""How EQA is computed: see `snellen.grading.protocols.worlds.automation.READINGS`."""

Missing = Literal["skip", "zero"]
"""A platform that was not run is left out of the average, or counts as 0. The published table of
L4 does both: UI-TARS's empty Web cell is 0, Qwen2.5-VL's is left out."""

Grid = Literal["closed", "half_open"]
"""`closed`: M points m/(M-1), both ends included. `half_open`: M points m/M, without 1."""

FailedCost = Literal["actual", "limit"]
"""What an episode without any success is charged: what it used, or all that it was allowed."""

OverLimit = Literal["reject", "clip"]
"""An episode over its limit is an error, or is charged the limit and keeps its success."""


class Knot(NamedTuple):
    """A point where the recall curve starts, jumps or ends; the curve is flat to its right."""

    budget: float
    recall: float


@dataclass(frozen=True, slots=True)
class Ledger:
    """Episodes in order, with costs in whole units, so that all arithmetic is exact.

    Attributes:
        successes: Successes in units of 1/`whole`.
        whole: The value of a full success.
        costs: The cost of each episode, in the unit of the limits; never over the limit.
        limits: The limit of each episode.
    """

    successes: tuple[int, ...]
    whole: int
    costs: tuple[int, ...]
    limits: tuple[int, ...]

    @classmethod
    def of(
        cls,
        episodes: Sequence[Episode],
        limit: Amount | None = None,
        *,
        failed_cost: FailedCost = "actual",
        over_limit: OverLimit = "reject",
    ) -> "Ledger":
        """Apply the limits and compute the costs.

        Args:
            episodes: In canonical order.
            limit: One limit for all; None if each episode has its own.
            failed_cost: See `FailedCost`. The paper counts "steps taken", which rewards giving up
                early on hopeless tasks; `limit` removes that reward.
            over_limit: See `OverLimit`. To fail such episodes use `efficiency.truncated`.

        Raises:
            MetricError: If there are no episodes, an episode has no limit or a limit that differs
                from the limit for all, or its cost is over the limit (under `reject`).
        """
        if not episodes:
            raise MetricError("the EQA of no episodes is not defined")
        limits = [_limit(index, episode, limit) for index, episode in enumerate(episodes)]
        costs: list[Amount] = []
        for index, (episode, most) in enumerate(zip(episodes, limits, strict=True)):
            if episode.cost > most and over_limit == "reject":
                raise MetricError(
                    f"episode {index} cost {episode.cost}, over its limit {most}: choose"
                    " over_limit='clip', or fail such episodes with truncated()"
                )
            failed = failed_cost == "limit" and episode.success == 0
            costs.append(most if failed else min(episode.cost, most))
        successes, whole = _whole(episode.success for episode in episodes)
        amounts, _ = _whole((*costs, *limits))
        return cls(successes, whole, amounts[: len(costs)], amounts[len(costs) :])

    @property
    def budget(self) -> int:
        """T_max, the sum of the limits."""
        return sum(self.limits)

    @property
    def attainable(self) -> int:
        """The value of N full successes: the denominator of recall."""
        return len(self.successes) * self.whole

    def sampled(self, points: int = 101, grid: Grid = "closed") -> Fraction:
        """Mean of R over a grid (paper Eq. 10 with `closed`).

        R only rises, by s_i at u_i, so a success counts from the first grid point at or after u_i.
        No grid point has to be visited.
        """
        intervals = points - 1 if grid == "closed" else points
        if intervals < 1:
            raise MetricError(f"a {grid} grid of {points} points has no interval")
        budget = self.budget
        seen = (points - -(-spent * intervals // budget) for spent in accumulate(self.costs))
        area = sum(s * count for s, count in zip(self.successes, seen, strict=True))
        return Fraction(area, points * self.attainable)

    def integral(self) -> Fraction:
        """The area under R itself, 1/N times the sum of s_i (1 - u_i) (paper Eq. 12)."""
        budget = self.budget
        left = (budget - spent for spent in accumulate(self.costs))
        area = sum(s * rest for s, rest in zip(self.successes, left, strict=True))
        return Fraction(area, budget * self.attainable)

    def by_task(self) -> Fraction:
        """Mean of s_i (1 - t_i / limit_i): every task has its own budget."""
        saved: dict[int, int] = {}
        for s, cost, limit in zip(self.successes, self.costs, self.limits, strict=True):
            saved[limit] = saved.get(limit, 0) + s * (limit - cost)
        shares = (Fraction(amount, limit) for limit, amount in saved.items())
        return sum(shares, Fraction()) / self.attainable


def eqa(
    episodes: Sequence[Episode],
    limit: Amount | None = None,
    *,
    points: int = 101,
    grid: Grid = "closed",
    failed_cost: FailedCost = "actual",
    over_limit: OverLimit = "reject",
) -> float:
    """EQA as the paper samples it: the mean of R(m/100), m = 0..100 (MMBench-GUI Eq. 10).

    `grid="half_open"` takes R(m/101), m = 0..100, as some descriptions of the paper do. The
    published tables fit neither; they are closer to `eqa_exact`. The maximum is SR *
    (points-1)/points.

    Args:
        episodes: In canonical order.
        limit: One limit for all; None if each episode has its own.
        points: Number of grid points M.
        grid: See `Grid`.
        failed_cost: See `Ledger.of`.
        over_limit: See `Ledger.of`.

    Raises:
        MetricError: As `Ledger.of`, or if the grid has too few points.

    >>> run = [Episode(1, 5), Episode(0, 15), Episode(1, 3), Episode(1, 10)]
    >>> eqa(run, 15) == 50 / 101
    True
    >>> Ledger.of(run, 15).sampled()
    Fraction(50, 101)
    """
    ledger = Ledger.of(episodes, limit, failed_cost=failed_cost, over_limit=over_limit)
    return float(ledger.sampled(points, grid))


def eqa_exact(
    episodes: Sequence[Episode],
    limit: Amount | None = None,
    *,
    failed_cost: FailedCost = "actual",
    over_limit: OverLimit = "reject",
) -> float:
    """The area under the recall curve itself (MMBench-GUI Eq. 12); never over SR.

    Args and errors as in `Ledger.of`; the Fraction is `Ledger.integral`.

    >>> eqa_exact([Episode(1, 1)], 50)
    0.98
    """
    ledger = Ledger.of(episodes, limit, failed_cost=failed_cost, over_limit=over_limit)
    return float(ledger.integral())


def eqa_budget(
    episodes: Sequence[Episode],
    limit: Amount | None = None,
    *,
    failed_cost: FailedCost = "actual",
    over_limit: OverLimit = "reject",
) -> float:
    """Mean of success times the unspent share of the task's own limit; independent of the order.

    This is not the paper's EQA. It is the only variant in which "all at the limit" gives 0. Args
    and errors as in `Ledger.of`; the Fraction is `Ledger.by_task`.

    >>> eqa_budget([Episode(1, 5, limit=10), Episode(1, 20, limit=40)])
    0.5
    """
    ledger = Ledger.of(episodes, limit, failed_cost=failed_cost, over_limit=over_limit)
    return float(ledger.by_task())


def eqa_linear(
    episodes: Sequence[Episode], limit: Amount | None = None, *, points: int = 101
) -> float:
    """EQA as ScaleCUA computes it (evaluation/MacOSArena/parse_results.py, `calculate_EQA`).

    Recall is interpolated linearly from (0, 0) through the points (u_k, S_k/N) and averaged over a
    closed grid, in floats. So it credits a success before it happens: one task solved at its limit
    gives 0.5, but 1/101 with the paper's step function. Episodes are not capped; the running sum is
    capped at T_max.

    ScaleCUA's EQA@15 is `eqa_linear(truncated(episodes, 15), 15)`, its EQA@50 is
    `eqa_linear(episodes, 50)`.

    Args:
        episodes: In canonical order (ScaleCUA sorts by path).
        limit: One limit for all; None if each episode has its own.
        points: Number of grid points.

    Raises:
        MetricError: If there are no episodes, a limit is missing or contradicts another, or
            there are fewer than two points.
    """
    import numpy as np

    if not episodes:
        raise MetricError("the EQA of no episodes is not defined")
    if points < 2:
        raise MetricError(f"a closed grid of {points} points has no interval")
    limits = [float(_limit(index, episode, limit)) for index, episode in enumerate(episodes)]
    budget = sum(limits)
    spent = np.cumsum([0.0, *(float(episode.cost) for episode in episodes)])
    solved = np.cumsum([0.0, *(float(episode.success) for episode in episodes)])
    share = np.minimum(spent, budget) / budget
    grid = np.linspace(0, 1, points)
    return float(np.interp(grid, share, solved / len(episodes)).mean())


def recall_curve(
    episodes: Sequence[Episode],
    limit: Amount | None = None,
    *,
    failed_cost: FailedCost = "actual",
    over_limit: OverLimit = "reject",
) -> tuple[Knot, ...]:
    """The knots of R: (0, 0), every jump, and (1, SR) if R does not jump at 1.

    Args and errors as in `Ledger.of`. Draw it as steps that hold to the right ("post").

    >>> recall_curve([Episode(1, 5), Episode(0, 10), Episode(1, 5)], 10)[1:]
    (Knot(budget=0.16666666666666666, recall=0.3333333333333333),\
 Knot(budget=0.6666666666666666, recall=0.6666666666666666),\
 Knot(budget=1.0, recall=0.6666666666666666))
    """
    ledger = Ledger.of(episodes, limit, failed_cost=failed_cost, over_limit=over_limit)
    budget, attainable = ledger.budget, ledger.attainable
    knots = [Knot(0.0, 0.0)]
    solved = 0
    for s, spent in zip(ledger.successes, accumulate(ledger.costs), strict=True):
        solved += s
        if s:
            knots.append(Knot(spent / budget, solved / attainable))
    if knots[-1].budget < 1:
        knots.append(Knot(1.0, knots[-1].recall))
    return tuple(knots)


def _limit(index: int, episode: Episode, limit: Amount | None) -> Amount:
    own = episode.limit
    if limit is None:
        if own is None:
            raise MetricError(f"episode {index} has no limit, and none is given for all")
        return own
    if own is not None and own != limit:
        raise MetricError(
            f"episode {index} has its own limit {own}, but {limit} is given for all: give one of"
            " the two, or cut the run short with truncated()"
        )
    if not limit > 0:
        raise MetricError(f"limit must be more than 0, not {limit}")
    return limit


def _whole(values: Iterable[Amount]) -> tuple[tuple[int, ...], int]:
    """Return the values as integer multiples of 1/unit, and the unit."""
    ratios = [value.as_integer_ratio() for value in values]
    unit = lcm(*(below for _, below in ratios))
    return tuple(above * (unit // below) for above, below in ratios), unit
