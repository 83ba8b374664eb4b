"""Which references are probably wrong, given what several raters answered."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snellen.grading.errors import MetricError

COINCIDENCE = 0.1
"""How often two wrong answers to an item are the same one, if nobody says otherwise."""

_ROUNDS = 200
_SETTLED = 1e-9
# As many answers as are taken to be known of everybody before the first: four right, one wrong.
_RIGHT, _WRONG = 4.0, 1.0


class Suspicion(NamedTuple):
    """What the model says.

    Attributes:
        wrong: The probability that an item's reference is wrong, (items,).
        accuracies: How often each rater is right, (raters,).
        right: The share of the references that are right.
    """

    wrong: NDArray[np.float64]
    accuracies: NDArray[np.float64]
    right: float


def suspicion(
    items: ArrayLike,
    raters: ArrayLike,
    answers: ArrayLike,
    *,
    coincidence: float = COINCIDENCE,
) -> Suspicion:
    """Estimate by expectation maximization which references are wrong, and how good raters are.

    The reference counts as the answer of one more rater, who answered every item. Each of them
    gives the truth with an accuracy of its own, else an error; two errors are the same with
    probability `coincidence`. The truth of an item is the answer of some of its raters, or that of
    none. It is the model of Dawid & Skene 1979 (Applied Statistics 28) with one accuracy a rater
    and answers that are not known beforehand; accuracies have the prior Beta(5, 2), so that a
    rater of few answers is taken to be neither perfect nor useless.

    Args:
        items: Each answer's item, (n,), whole numbers from 0.
        raters: Each answer's rater, (n,), likewise.
        answers: Which answer it is: 0 agrees with the reference; equal numbers from 1 on agree
            with one another.
        coincidence: How often two errors are the same, above 0 and below 1.

    Raises:
        MetricError: There are no answers, a number is below 0, the columns are not as long, a rater
            answers an item twice, or `coincidence` is no such share.

    >>> found = suspicion([0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1], [0, 0, 0, 0, 1, 1])
    >>> found.wrong.round(2).tolist()
    [0.0, 0.0, 0.99]
    """
    of_item, of_rater, of_answer = _checked(items, raters, answers, coincidence)
    count = int(of_item.max()) + 1
    # The reference is rater 0, whose answer is number 0.
    voters = np.concatenate([np.zeros(count, np.int64), of_rater + 1])
    places = np.concatenate([np.arange(count), of_item])
    votes = np.concatenate([np.zeros(count, np.int64), of_answer])
    table = _table(places, votes, count, coincidence)
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
    """Every guess at an item's truth, and each vote beside each guess at its item.

    Attributes:
        items: The item that a guess is about, (guesses,).
        is_reference: Whether it is that the reference is right.
        constants: The logarithm of how probable it is that the errors coincide as they do.
        guesses: Of each pair of a guess and a vote, the guess.
        votes: And the vote.
        agrees: Whether the vote is for the guess.
    """

    items: NDArray[np.int64]
    is_reference: NDArray[np.bool_]
    constants: NDArray[np.float64]
    guesses: NDArray[np.int64]
    votes: NDArray[np.int64]
    agrees: NDArray[np.bool_]


def _table(
    places: NDArray[np.int64], votes: NDArray[np.int64], count: int, coincidence: float
) -> _Table:
    order = np.argsort(places, kind="stable")
    ends = np.cumsum(np.bincount(places, minlength=count))
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
        # The last one: nobody gave the truth.
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
        raise MetricError("there are no answers; nothing makes a reference suspicious")
    for column in columns:
        if column.dtype.kind not in "iu" or column.min() < 0:
            raise MetricError("items, raters and answers are whole numbers from 0")
    if not 0 < coincidence < 1:
        raise MetricError(f"coincidence is a share between 0 and 1, not {coincidence:g}")
    of_item, of_rater, of_answer = (column.astype(np.int64) for column in columns)
    if len(set(zip(of_item.tolist(), of_rater.tolist(), strict=True))) < len(of_item):
        raise MetricError("a rater answers an item once")
    return of_item, of_rater, of_answer
