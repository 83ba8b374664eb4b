"""Comparison of two submissions, item by item, on the same items."""

from collections.abc import Sequence

import numpy as np
from pydantic import Field

from snellen.grading.models.base import Closed
from snellen.grading.stats.means import mean_estimate
from snellen.server.challenge.board import groups_of, values_of
from snellen.server.challenge.service import Challenge
from snellen.server.errors import ExamError
from snellen.server.store.tables.endpoint import ScoreRow

MOST_ITEMS = 200


class ItemPair(Closed):
    """An item that two submissions score differently: its id and both values."""

    item: str
    one: float
    other: float


class RunComparison(Closed):
    """The difference between two submissions on a task.

    Attributes:
        task: The task's id.
        one: The first submission's id.
        other: The second one's.
        value_one: The first one's score.
        value_other: The second one's score.
        difference: The first's value minus the second's, the mean over items.
        low: The lower end of its 95 % interval, by pairs and independent groups; None: it has none.
        high: The upper end.
        better: The number of items on which the first scores higher.
        worse: The number of items on which it scores lower.
        same: The number of items with equal scores.
        items: The items with the largest differences, the largest first.
    """

    task: str
    one: str
    other: str
    value_one: float
    value_other: float
    difference: float
    low: float | None
    high: float | None
    better: int
    worse: int
    same: int
    items: tuple[ItemPair, ...] = Field(default=())


def compare_submissions(
    challenge: Challenge,
    ids: tuple[str, str],
    task: str | None,
    caller: str | None,
    *,
    organizer: bool = False,
) -> RunComparison:
    """Compare two submissions whose reports the caller may see.

    Args:
        challenge: The challenge.
        ids: The submissions.
        task: The task; None: the only one that they answer.
        caller: The caller; None: unknown.
        organizer: Whether the caller is an organizer.

    Raises:
        ExamError: One does not exist, is not visible or not graded, or they are of different items.
    """
    rows = [challenge.graded(each, task, caller, organizer=organizer) for each in ids]
    one, other = rows
    if one.task != other.task:
        raise ExamError(
            f"one submission is of {one.task}, the other of {other.task}: give the task"
        )
    left, right = values_of(one), values_of(other)
    if len(left) != len(right):
        raise ExamError("the submissions were graded on different items")
    found = mean_estimate(left - right, groups_of(one))
    return RunComparison(
        task=one.task,
        one=ids[0],
        other=ids[1],
        value_one=one.value,
        value_other=other.value,
        difference=found.value,
        low=None if found.interval is None else found.interval.low,
        high=None if found.interval is None else found.interval.high,
        better=int((left > right).sum()),
        worse=int((left < right).sum()),
        same=int((left == right).sum()),
        items=tuple(_apart(challenge.exam.asked(one.task), rows)),
    )


def _apart(names: Sequence[str], rows: Sequence[ScoreRow]) -> list[ItemPair]:
    left, right = (values_of(row) for row in rows)
    order = np.argsort(-np.abs(left - right), kind="stable")[:MOST_ITEMS]
    return [
        ItemPair(item=names[place], one=float(left[place]), other=float(right[place]))
        for place in map(int, order)
        if left[place] != right[place]
    ]
