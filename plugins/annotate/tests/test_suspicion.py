"""Suspicious references: worked cases, properties, and planted ones that must be found."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from snellen.annotate.suspicion import suspicion
from snellen.grading.errors import MetricError

PLANTED, SHARE = 200, 0.95


class Simulated(NamedTuple):
    """Answers to items of which some have a planted wrong reference.

    Attributes:
        rows: Item, rater and answer of each, (n, 3).
        wrong: Whether an item's reference is wrong, (items,).
    """

    rows: NDArray[np.int64]
    wrong: NDArray[np.bool_]


def simulated(
    seed: int, accuracy: float = 0.9, items: int = 1000, errors: int = 10, raters: int = 6
) -> Simulated:
    """Let two of several raters answer each item, and a third one where not all agree.

    Whoever errs, the planted reference as well, gives one of `errors` wrong answers at random.
    """
    draw = np.random.default_rng(seed)
    wrong = np.zeros(items, np.bool_)
    wrong[draw.choice(items, PLANTED, replace=False)] = True
    rows: list[tuple[int, int, int]] = []
    for item in range(items):
        reference = 1 + int(draw.integers(errors)) if wrong[item] else 0
        numbers = {reference: 0}
        answers: list[int] = []
        for rater in draw.permutation(raters)[:3].tolist():
            if len(answers) == 2 and answers[0] == answers[1] == reference:
                break
            answers.append(0 if draw.random() < accuracy else 1 + int(draw.integers(errors)))
            rows.append((item, rater, numbers.setdefault(answers[-1], len(numbers))))
    return Simulated(np.array(rows, np.int64), wrong)


@pytest.mark.parametrize("items", [1000, 5000])
@pytest.mark.parametrize("seed", range(4))
def test_of_200_planted_references_95_percent_are_found(seed: int, items: int) -> None:
    rows, wrong = simulated(seed, items=items)
    assert np.bincount(rows[:, 0]).max() <= 3
    found = suspicion(*rows.T)
    flagged = found.wrong >= 0.5
    assert (flagged & wrong).sum() >= SHARE * PLANTED
    # Good references that are flagged with them: few beside those found.
    assert (flagged & ~wrong).sum() <= 0.05 * PLANTED
    assert found.right == pytest.approx(1 - PLANTED / items, abs=0.01)
    assert found.accuracies == pytest.approx(0.9, abs=0.06)


def test_the_most_probable_ones_come_before_any_good_one() -> None:
    rows, wrong = simulated(7)
    first = np.argsort(-suspicion(*rows.T).wrong)[:150]
    assert wrong[first].all()


def test_where_errors_coincide_often_the_model_has_to_know() -> None:
    # Four options: two who err give the same answer in a third of the cases.
    rows, wrong = simulated(1, errors=3)
    flagged = suspicion(*rows.T, coincidence=1 / 3).wrong >= 0.5
    assert (flagged & wrong).sum() >= SHARE * PLANTED


def likelihoods(accuracies: list[float], answers: list[int], coincidence: float) -> list[float]:
    """Return the weight of each guess at an item's truth, multiplied out; the last: no answer."""
    found: list[float] = []
    for guess in (*dict.fromkeys(answers), -1):
        weight = 1.0
        seen: list[int] = []
        for accuracy, answer in zip(accuracies, answers, strict=True):
            if answer == guess:
                weight *= accuracy
                continue
            weight *= 1 - accuracy
            weight *= coincidence if answer in seen else (1 - coincidence if seen else 1)
            seen.append(answer)
        found.append(weight)
    return found


@pytest.mark.parametrize(
    "answers", [[1, 1], [0, 0], [0, 1], [1, 2], [1, 1, 0], [1, 2, 0], [1, 2, 3]]
)
def test_the_posterior_is_bayes_rule_multiplied_out(answers: list[int]) -> None:
    # 400 items of which all agree fix the accuracies.
    many = 400
    items = [item for item in range(many) for _ in range(3)] + [many] * len(answers)
    raters = [0, 1, 2] * many + list(range(len(answers)))
    given_answers = [0] * (3 * many) + answers
    found = suspicion(items, raters, given_answers)
    known = [found.right, *found.accuracies[: len(answers)].tolist()]
    weights = likelihoods(known, [0, *answers], 0.1)
    assert found.wrong[many] == pytest.approx(1 - weights[0] / math.fsum(weights), abs=1e-6)


rows_of = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 3)),
    min_size=1,
    max_size=20,
    unique_by=lambda row: row[:2],
)


@given(rows_of)
def test_probabilities_are_in_0_to_1_and_the_order_of_rows_does_not_matter(
    rows: list[tuple[int, int, int]],
) -> None:
    found = suspicion(*np.array(rows).T)
    assert ((found.wrong >= 0) & (found.wrong <= 1)).all()
    assert ((found.accuracies >= 0) & (found.accuracies <= 1)).all()
    again = suspicion(*np.array(rows[::-1]).T)
    assert again.wrong == pytest.approx(found.wrong, abs=1e-6)


def test_one_more_who_agrees_makes_a_reference_less_suspicious() -> None:
    both = suspicion([0, 0, 1], [0, 1, 0], [0, 1, 0])
    three = suspicion([0, 0, 0, 1], [0, 1, 2, 0], [0, 1, 0, 0])
    assert three.wrong[0] < both.wrong[0]


BAD: list[tuple[Callable[[], object], str]] = [
    (lambda: suspicion([], [], []), "no answers"),
    (lambda: suspicion([0], [0, 1], [0]), "one length"),
    (lambda: suspicion([[0]], [[0]], [[0]]), "one length"),
    (lambda: suspicion([0], [-1], [0]), "whole numbers"),
    (lambda: suspicion([0.5], [0], [0]), "whole numbers"),
    (lambda: suspicion([0, 0], [0, 0], [0, 1]), "each item only once"),
    (lambda: suspicion([0], [0], [0], coincidence=1), "between 0 and 1"),
]


@pytest.mark.parametrize(("call", "message"), BAD, ids=[message for _, message in BAD])
def test_what_is_no_table_of_answers_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(MetricError, match=message):
        call()
