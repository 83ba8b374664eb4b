"""What participants see of scores while a phase is open: no more than their intervals support.

An exact mean tells which answers are right: with answers that are padded to different values, one
upload tells about many items. So values are rounded, and a change that is smaller than the rounding
shows nothing: as in Blum and Hardt 2015, "The Ladder", a submission whose value differs by less
than that from an earlier one of the same participant shows the earlier one's numbers.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from snellen.server.challenge.models import TaskScore
from snellen.server.exam.phases import digits_of


class _RoundedScore(NamedTuple):
    """A score and what is shown of it."""

    exact: TaskScore
    shown: TaskScore


def rounded(score: TaskScore) -> TaskScore:
    """Return a score with all numbers that depend on references rounded."""
    digits = digits_of(score.low, score.high)
    return score.model_copy(
        update={
            "value": round(score.value, digits),
            "low": None if score.low is None else round(score.low, digits),
            "high": None if score.high is None else round(score.high, digits),
            "metrics": {key: round(value, digits) for key, value in score.metrics.items()},
        }
    )


def shown_scores(scores: Iterable[TaskScore]) -> Sequence[TaskScore]:
    """Return what is shown of one participant's scores on a task, in the order of arrival."""
    found: list[_RoundedScore] = []
    for score in scores:
        step = 10.0 ** -digits_of(score.low, score.high)
        near = next((one for one in found if abs(one.exact.value - score.value) < step), None)
        shown = rounded(score)
        if near is not None:
            same = {name: getattr(near.shown, name) for name in ("value", "low", "high", "metrics")}
            shown = shown.model_copy(update=same)
        found.append(_RoundedScore(score, shown))
    return [one.shown for one in found]
