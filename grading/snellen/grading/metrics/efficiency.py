"""Success and efficiency of episodes: SR, EQA/SR, SR-EQA, platform means.

The area EQA itself is in `eqa`, its values under other task orders in `eqa_orders`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from snellen.grading.errors import MetricError

Amount = int | float | Fraction
"""A number that is taken for exactly what it is: floats are binary fractions, never rounded."""


@dataclass(frozen=True, slots=True)
class Episode:
    """The result of one task.

    Attributes:
        success: 0..1; fractions are partial credit, as in OSWorld and WindowsAgentArena.
        cost: The cost, greater than 0, in any unit: steps, calls, tokens, seconds.
        limit: The maximum cost allowed, in the same unit; None if one limit is given for all tasks.

    Raises:
        MetricError: If a number is outside its range or is not an int, float or Fraction.
    """

    success: Amount
    cost: Amount
    limit: Amount | None = None

    def __post_init__(self) -> None:
        _check_plain(self.success, "success")
        if not 0 <= self.success <= 1:
            raise MetricError(f"success must lie in 0..1, not {self.success}")
        _check_positive(self.cost, "cost")
        if self.limit is not None:
            _check_positive(self.limit, "limit")


def success_rate(episodes: Sequence[Episode]) -> float:
    """Mean success (SR of MMBench-GUI L3 and L4, section 3).

    Returns:
        The correctly rounded mean, 0..1.

    Raises:
        MetricError: If there are no episodes.

    >>> success_rate([Episode(1, 5), Episode(0, 15), Episode(1, 3), Episode(1, 10)])
    0.75
    """
    if not episodes:
        raise MetricError("the success rate of no episodes is not defined")
    return float(sum(Fraction(episode.success) for episode in episodes) / len(episodes))


def truncated(episodes: Sequence[Episode], limit: Amount) -> tuple[Episode, ...]:
    """Return the same run under a smaller limit.

    An episode over the limit fails at the cost of the limit; the others do not change. ScaleCUA
    derives its EQA@15 from a 50-step run in this way (evaluation/MacOSArena/parse_results.py).

    Raises:
        MetricError: If the limit is not positive.

    >>> truncated([Episode(1, 9), Episode(1, 20)], 15)[1]
    Episode(success=0, cost=15, limit=15)
    """
    return tuple(
        Episode(episode.success, episode.cost, limit)
        if episode.cost <= limit
        else Episode(0, limit, limit)
        for episode in episodes
    )


def efficiency_ratio(*, eqa: float, sr: float) -> float | None:
    """EQA/SR: the share of the success rate that remains when time counts.

    MMBench-GUI Table 9. With the exact integral it is 1 minus the mean share of the budget spent at
    the time of a success (paper Eq. 12). Both numbers have the same unit, 0..1 or percent.

    Returns:
        The ratio; None if the success rate is 0.

    Raises:
        MetricError: If a number is negative or not finite.
    """
    _check_scores(eqa, sr)
    return eqa / sr if sr > 0 else None


def efficiency_gap(*, eqa: float, sr: float) -> float:
    """SR-EQA: the cost of the steps, in the unit of the two numbers (MMBench-GUI Table 9).

    Raises:
        MetricError: If a number is negative or not finite.
    """
    _check_scores(eqa, sr)
    return sr - eqa


def platform_mean(
    values: Mapping[str, float | None],
    counts: Mapping[str, int],
    missing: Literal["reject", "skip", "zero"] = "reject",
) -> float:
    """Mean over platforms weighted by their numbers of tasks (MMBench-GUI, "Avg" of L3 and L4).

    The mean of the platforms' EQA is not the EQA of the pooled tasks.

    Args:
        values: Score by platform; None or absent means that the platform was not run.
        counts: Number of tasks by platform.
        missing: The treatment of a platform without a value. The published L4 table uses both of
            the latter two: it counts UI-TARS's empty Web cell as 0 and omits Qwen2.5-VL's.

    Raises:
        MetricError: If a value has no count or is not finite, a count is negative, a platform is
            missing under `reject`, or no tasks are left to average over.

    >>> platform_mean({"linux": 0.5, "web": None}, {"linux": 30, "web": 10}, missing="zero")
    0.375
    """
    uncounted = sorted(set(values) - set(counts))
    if uncounted:
        raise MetricError(f"no task count for {', '.join(uncounted)}")
    negative = sorted(platform for platform, count in counts.items() if count < 0)
    if negative:
        raise MetricError(f"negative task count for {', '.join(negative)}")
    present = {name: value for name, value in values.items() if value is not None}
    broken = sorted(name for name, value in present.items() if not math.isfinite(value))
    if broken:
        raise MetricError(f"the value of {', '.join(broken)} is not finite")
    absent = sorted(name for name, count in counts.items() if count and name not in present)
    if absent and missing == "reject":
        raise MetricError(
            f"no value for {', '.join(absent)}: choose missing='skip' to average without, or"
            " missing='zero' to count as failed"
        )
    tasks = sum(counts.values() if missing == "zero" else (counts[name] for name in present))
    if not tasks:
        raise MetricError("the mean over platforms without tasks is not defined")
    return math.fsum(value * counts[name] for name, value in present.items()) / tasks


def _check_scores(*scores: float) -> None:
    for score in scores:
        if not (math.isfinite(score) and score >= 0):
            raise MetricError(f"SR and EQA must be finite and not negative, not {score}")


def _check_positive(value: Amount, name: str) -> None:
    _check_plain(value, name)
    if not value > 0:
        raise MetricError(f"{name} must be more than 0, not {value}")


def _check_plain(value: object, name: str) -> None:
    if not isinstance(value, int | float | Fraction):
        raise MetricError(f"{name} must be an int, float or Fraction, not {type(value).__name__}")
    if isinstance(value, float) and not math.isfinite(value):
        raise MetricError(f"{name} must be finite, not {value}")
