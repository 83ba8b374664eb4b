"""Estimation of wrong references from the answers of several raters."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snellen.grading.errors import MetricError

COINCIDENCE = 0.1
"""How often two wrong answers to an item are the same one, if nobody says otherwise."""

_ROUNDS = 200
_SETTLED = 1e-9
# The prior of a rater's accuracy, in answers: four correct, one wrong.
_RIGHT, _WRONG = 4.0, 1.0


class Suspicion(NamedTuple):
    """The estimates of the model."""

    wrong: NDArray[np.float64]  # the probability that an item's reference is wrong, (items,)
    accuracies: NDArray[np.float64]  # the accuracy of each rater, (raters,)
    right: float  # the share of correct references


def suspicion(
    items: ArrayLike,
    raters: ArrayLike,
    answers: ArrayLike,
    *,
    coincidence: float = COINCIDENCE,
) -> Suspicion:
    """Estimate wrong references and rater accuracies by expectation maximization.

    The reference counts as the answer of an additional rater, who answers every item. Each rater
    gives the true answer with its own accuracy, otherwise an error. Two errors are equal with
    probability `coincidence`. The true answer of an item is the answer of some of its raters, or of
    none. The model is that of Dawid & Skene 1979 (Applied Statistics 28) with one accuracy per
    rater and an open set of answers. Accuracies have the prior Beta(5, 2), so that a rater with few
    answers counts as neither perfect nor useless.

    Args:
        items: Each answer's item, (n,), integers from 0.
        raters: Each answer's rater, (n,), integers from 0.
        answers: The code of each answer: 0 agrees with the reference; equal codes from 1 agree with
            each other.
        coincidence: The probability that two errors are equal, above 0 and below 1.

    Raises:
        MetricError: There are no answers, a number is below 0, the lengths differ, a rater answers
            an item twice, or `coincidence` is out of range.

    >>> found = suspicion([0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1], [0, 0, 0, 0, 1, 1])
    >>> found.wrong.round(2).tolist()
    [0.0, 0.0, 0.99]
    """
    of_item, of_rater, of_answer = _checked(items, raters, answers, coincidence)
    count = int(of_item.max()) + 1
    # The reference is rater 0, whose answer is number 0.
    voters = np.concatenate([np.zeros(count, np.int64), of_rater + 1])
    indexes = np.concatenate([np.arange(count), of_item])
    votes = np.concatenate([np.zeros(count, np.int64), of_answer])
    table = _table(indexes, votes, count, coincidence)
    vote, guess = table.votes, table.guesses
    total = np.bincount(voters)
    accuracies = np.full(len(total), (_RIGHT + 1) / (_RIGHT + _WRONG + 2))
    sure = np.zeros(len(table.items))
    for _ in range(_ROUNDS):
        chance = np.where(table.agrees, accuracies[voters[vote]], 1 - accuracies[voters[vote]])
        likelihood = table.constants + np.bincount(guess, np.log(chance), len(table.items))
        likelihood -= _largest(likelihood, table.items, count)[table.items]
        weights = np.exp(likelihood)
        sure = weights / np.bincount(table.items, weights, count)[table.items]
        right = np.bincount(voters[vote], sure[guess] * table.agrees, len(total))
        before = accuracies
        accuracies = (right + _RIGHT) / (total + _RIGHT + _WRONG)
        if np.abs(accuracies - before).max() < _SETTLED:
            break
    wrong = 1 - np.bincount(table.items, sure * table.is_reference, count)
    return Suspicion(wrong.clip(0, 1), accuracies[1:], float(accuracies[0]))


class _Table(NamedTuple):
    """The candidates for each item's true answer, paired with all votes on the item."""

    items: NDArray[np.int64]  # the item of each candidate, (guesses,)
    is_reference: NDArray[np.bool_]  # whether the candidate is the reference
    constants: NDArray[np.float64]  # the log probability that the errors coincide as observed
    guesses: NDArray[np.int64]  # the candidate of each pair
    votes: NDArray[np.int64]  # the vote of each pair
    agrees: NDArray[np.bool_]  # whether the vote is for the candidate


def _table(
    indexes: NDArray[np.int64], votes: NDArray[np.int64], count: int, coincidence: float
) -> _Table:
    order = np.argsort(indexes, kind="stable")
    ends = np.cumsum(np.bincount(indexes, minlength=count))
    same, other = np.log(coincidence), np.log1p(-coincidence)
    items: list[int] = []
    references: list[bool] = []
    constants: list[float] = []
    guesses: list[int] = []
    pairs: list[int] = []
    agrees: list[bool] = []
    for item, own in enumerate(np.split(order, ends[:-1])):
        given = votes[own].tolist()
        sizes = {answer: given.count(answer) for answer in given}
        # The last candidate: no rater gave the true answer.
        for guess in (*sizes, -1):
            errors = [size for answer, size in sizes.items() if answer != guess]
            joined = sum(errors) - len(errors)
            constants.append(float(joined * same + max(len(errors) - 1, 0) * other))
            guesses += [len(items)] * len(given)
            pairs += own.tolist()
            agrees += [answer == guess for answer in given]
            items.append(item)
            references.append(guess == 0)
    return _Table(
        np.array(items),
        np.array(references),
        np.array(constants),
        np.array(guesses),
        np.array(pairs),
        np.array(agrees),
    )


def _largest(
    values: NDArray[np.float64], groups: NDArray[np.int64], count: int
) -> NDArray[np.float64]:
    found = np.full(count, -np.inf)
    np.maximum.at(found, groups, values)
    return found


def _checked(
    items: ArrayLike, raters: ArrayLike, answers: ArrayLike, coincidence: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    columns = [np.asarray(column) for column in (items, raters, answers)]
    if len({column.shape for column in columns}) > 1 or columns[0].ndim != 1:
        raise MetricError("items, raters and answers are three columns of one length")
    if not columns[0].size:
        raise MetricError("there are no answers, so suspicion is not defined")
    for column in columns:
        if column.dtype.kind not in "iu" or column.min() < 0:
            raise MetricError("items, raters and answers are whole numbers from 0")
    if not 0 < coincidence < 1:
        raise MetricError(f"coincidence is a share between 0 and 1, not {coincidence:g}")
    of_item, of_rater, of_answer = (column.astype(np.int64) for column in columns)
    if len(set(zip(of_item.tolist(), of_rater.tolist(), strict=True))) < len(of_item):
        raise MetricError("a rater must answer each item only once")
    return of_item, of_rater, of_answer
