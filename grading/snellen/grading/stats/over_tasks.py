"""The total of an exam: the mean over its tasks, each counted once."""

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

LEVEL = 0.95
NAME = "mean over tasks"
"""The name of the total wherever it is printed."""


class Scored(Protocol):
    """A task's score."""

    @property
    def value(self) -> float:
        """The score, in 0..1."""
        ...

    @property
    def low(self) -> float | None:
        """The lower end of its 95 % interval; None: it has none."""
        ...

    @property
    def high(self) -> float | None:
        """The upper end."""
        ...


class TaskMean(NamedTuple):
    """The mean over tasks and its 95 % interval; None: a single task has no interval."""

    value: float
    low: float | None
    high: float | None


def mean_over_tasks(scores: Sequence[Scored]) -> TaskMean:
    """Return the mean of tasks' values and its 95 % interval.

    For one task they are the task's own. For the mean of several independent tasks, the squared
    distances of the tasks' ends from their values are summed: MOVER, Zou and Donner 2008,
    "Construction of confidence limits about effect measures", section 2.

    A task whose items depend on each other, such as all being of one screen, has no interval of its
    own: the variance of one draw is unknown. All k such tasks together are k independent values in
    0..1, whose mean has an exact interval (`clopper_pearson`), and count as one part with k tasks'
    weight.
    """
    if len(scores) == 1:
        return TaskMean(scores[0].value, scores[0].low, scores[0].high)
    value = math.fsum(score.value for score in scores) / len(scores)
    ends: list[tuple[float, float]] = []
    alone: list[float] = []
    for score in scores:
        if score.low is None or score.high is None:
            alone.append(score.value)
        else:
            ends.append((score.value - score.low, score.high - score.value))
    if alone:
        # Loaded late: it needs numpy, and the name of the total does not.
        from snellen.grading.stats.proportions import clopper_pearson

        middle, count = math.fsum(alone) / len(alone), len(alone)
        found = clopper_pearson(middle * count, count, level=LEVEL)
        ends.append((count * (middle - found.low), count * (found.high - middle)))
    below, above = (math.hypot(*sides) / len(scores) for sides in zip(*ends, strict=True))
    # A task with many items can be at a bound where the sum of squares goes beyond it.
    return TaskMean(value, max(0.0, value - below), min(1.0, value + above))
