"""What participants see of scores while a phase is open: no more than the items support.

An exact mean tells which answers are right: with answers that are padded to different values, one
upload tells about many items. So values are rounded to steps of at least three items, and as in
Blum and Hardt 2015, "The Ladder", a value near the one that was shown before shows that one again.
A fixed boundary would still tell whether one more answer is right, by the side on which the value
falls. So boundaries are drawn for each submission, as nobody outside can repeat.
"""

import hmac
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from snellen.grading.stats.over_tasks import mean_over_tasks

ITEMS_A_STEP = 3
"""The number of items by which values that are shown differ at least."""

_MOST_DIGITS = 3
_NEAREST = 0.7
"""The smallest part of a step within which a value shows the one before it again."""

_MEAN = ""
"""The name of the mean of all tasks among the tasks."""


class Numbers(NamedTuple):
    """A mean over items, with what is shown beside it.

    Attributes:
        value: The mean, in 0..1.
        low: The lower end of its 95 % interval; None: it has none.
        high: The upper end.
        items: The number of items; of a mean of tasks, the number of equal items that would each
            count as much as the heaviest one.
        metrics: All metrics.
    """

    value: float
    low: float | None
    high: float | None
    items: int
    metrics: Mapping[str, float] = {}


class Run(NamedTuple):
    """The exact scores of a submission.

    Attributes:
        name: The name by which its boundaries are drawn.
        scores: Its score on each task.
    """

    name: str
    scores: Mapping[str, Numbers]


class ShownRun(NamedTuple):
    """The scores of a submission as they are shown."""

    scores: Mapping[str, Numbers]  # the score on each task that is shown by itself
    mean: Numbers | None  # the mean of all tasks; None: the submission lacks some of them


def digits_of(items: int) -> int:
    """Return how many digits are shown of a mean over items; 0: none, there are too few items.

    >>> [digits_of(items) for items in (29, 30, 300, 3000)]
    [0, 1, 2, 3]
    """
    supported = (d for d in range(_MOST_DIGITS, 0, -1) if items >= ITEMS_A_STEP * 10**d)
    return next(supported, 0)


def shown_runs(
    runs: Iterable[Run], tasks: Sequence[str], secret: bytes | None = None
) -> Sequence[ShownRun]:
    """Return what is shown of one participant's submissions, in the order of arrival.

    A task with too few items is not shown by itself, but counts in the mean, which has at least one
    digit. Shown values are never further from the exact ones than a step.

    Args:
        runs: The submissions.
        tasks: All tasks of the exam.
        secret: The key by which boundaries are drawn; None: they are the middles of the steps.
    """
    found: list[ShownRun] = []
    last: dict[str, Numbers] = {}

    def show(name: str, task: str, exact: Numbers, least: int) -> Numbers | None:
        digits = max(least, digits_of(exact.items))
        if digits:
            last[task] = _rounded(exact, digits, last.get(task), _draws(secret, name, task))
        return last[task] if digits else None

    alone = len(tasks) == 1
    for run in runs:
        scores: dict[str, Numbers] = {}
        for task, exact in run.scores.items():
            if (shown := show(run.name, task, exact, int(alone))) is not None:
                scores[task] = shown
        mean = scores.get(tasks[0]) if alone else None
        if not alone and run.scores.keys() >= set(tasks):
            mean = show(run.name, _MEAN, mean_of([run.scores[task] for task in tasks]), 1)
        found.append(ShownRun(scores, mean))
    return found


def mean_of(scores: Sequence[Numbers]) -> Numbers:
    """Return the mean of tasks' values and its 95 % interval, as `mean_over_tasks`."""
    if len(scores) == 1:
        return scores[0]
    found = mean_over_tasks(scores)
    return Numbers(*found, len(scores) * min(score.items for score in scores))


def _rounded(
    exact: Numbers, digits: int, before: Numbers | None, draw: Callable[[str, float], float]
) -> Numbers:
    step = 10.0**-digits
    near = step * (1 - (1 - _NEAREST) * draw("near", 0.0))
    if before is not None and abs(exact.value - before.value) < near:
        return before

    def rounded(name: str, value: float) -> float:
        return round(value + (draw(name, 0.5) - 0.5) * step, digits) + 0.0  # no -0.0

    value = rounded("value", exact.value)
    # The value itself may be wrong by a step.
    least, most = max(0.0, round(value - step, digits)), min(1.0, round(value + step, digits))
    return Numbers(
        value=value,
        low=None if exact.low is None else min(least, rounded("low", exact.low)),
        high=None if exact.high is None else max(most, rounded("high", exact.high)),
        items=exact.items,
        metrics={
            # The primary metric is the value.
            key: value if metric == exact.value else rounded(key, metric)
            for key, metric in exact.metrics.items()
        },
    )


def _draws(secret: bytes | None, name: str, task: str) -> Callable[[str, float], float]:
    """Return a function that draws a number in 0..1 for a purpose, or returns the one given."""

    def draw(purpose: str, fixed: float) -> float:
        if secret is None:
            return fixed
        said = f"rounding|{name}|{task}|{purpose}".encode()
        return int.from_bytes(hmac.digest(secret, said, "sha256")[:8]) / 2**64

    return draw
