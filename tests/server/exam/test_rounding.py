"""What is shown in an open phase is near the truth, and tells little about single answers.

Attacks have fifty uploads and an exam of 1,000 items, of each of which a guess is right with
probability 1/2. A gain is the share of all guesses that are judged rightly beyond one half.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from snellen.server.exam.rounding import (
    Numbers,
    Run,
    ShownRun,
    digits_of,
    mean_of,
    shown_runs,
)

ITEMS, UPLOADS, REPEATS = 1000, 50, 40
TASK = "screenqa/short"


def numbers(value: float, items: int = ITEMS) -> Numbers:
    return Numbers(value, max(0, value - 0.03), min(1, value + 0.03), items, {"f1": value})


@dataclass
class Target:
    """An exam as one participant sees it, upload by upload.

    Attributes:
        right: Whether each guess is right (items,).
        tasks: The number of tasks, which have equally many items.
    """

    seed: int
    right: NDArray[np.bool_]
    tasks: int = 1
    runs: list[Run] = field(default_factory=list[Run])

    @classmethod
    def of(cls, seed: int, tasks: int = 1) -> "Target":
        return cls(seed, np.random.default_rng(seed).random(ITEMS) < 0.5, tasks)

    def upload(self, guesses: Sequence[int] | NDArray[np.int64], known: int = 0) -> ShownRun:
        """Return what is shown of some guesses, beside answers of which so many are right."""
        hits = np.zeros(ITEMS)
        hits[np.asarray(guesses, np.int64)] = self.right[np.asarray(guesses, np.int64)]
        hits[np.setdiff1d(np.arange(ITEMS), guesses)[:known]] = 1
        parts = np.split(hits, self.tasks)
        scores = {
            f"task {k}": numbers(float(part.mean()), len(part)) for k, part in enumerate(parts)
        }
        self.runs.append(Run(f"sub_{len(self.runs)}", scores))
        return shown_runs(self.runs, list(scores), b"secret %d" % self.seed)[-1]

    def value(self, guesses: Sequence[int] | NDArray[np.int64], known: int = 0) -> float:
        mean = self.upload(guesses, known).mean
        assert mean is not None
        return mean.value


def gain(told: Mapping[int, bool], right: NDArray[np.bool_]) -> float:
    """Return how much more often all guesses are judged rightly than at random."""
    return sum((verdict == right[item]) - 0.5 for item, verdict in told.items()) / ITEMS


def one_at_a_boundary(target: Target) -> Mapping[int, bool]:
    # With 405 right answers, one more is beyond the middle between 0.40 and 0.41.
    return {item: target.value([item], known=404) > 0.405 for item in range(ITEMS - UPLOADS, ITEMS)}


def one_at_the_edge_of_what_was_shown(target: Target) -> Mapping[int, bool]:
    # After 0.40 was shown, one more than 409 right answers is as far from it as a step.
    told: dict[int, bool] = {}
    for item in range(ITEMS - UPLOADS // 2, ITEMS):
        target.value([], known=400)
        told[item] = target.value([item], known=409) > 0.405
    return told


def one_more_each_time(target: Target) -> Mapping[int, bool]:
    # A chain: what raises the shown value is kept.
    kept: list[int] = []
    last, told = target.value([], known=400), dict[int, bool]()
    for item in range(ITEMS - UPLOADS + 1, ITEMS):
        now = target.value([*kept, item], known=400)
        told[item] = now > last
        kept, last = ([*kept, item], now) if now > last else (kept, last)
    return told


def one_of_each_task(target: Target) -> Mapping[int, bool]:
    # Each task has 20 items: a task that shows more than 0 would have a right answer.
    told: dict[int, bool] = {}
    for place in range(ITEMS // target.tasks):
        items = [20 * task + place for task in range(target.tasks)]
        run = target.upload(items)
        for task, item in enumerate(items):
            if (shown := run.scores.get(f"task {task}")) is not None:
                told[item] = shown.value > 0
            elif run.mean is not None:
                told[item] = run.mean.value > 0
    return told


@pytest.mark.slow
@pytest.mark.parametrize(
    ("attack", "tasks"),
    [
        (one_at_a_boundary, 1),
        (one_at_the_edge_of_what_was_shown, 1),
        (one_more_each_time, 1),
        (one_of_each_task, 50),
    ],
)
def test_fifty_uploads_tell_of_single_answers_what_a_coin_does(
    attack: Callable[[Target], Mapping[int, bool]], tasks: int
) -> None:
    targets = [Target.of(seed, tasks) for seed in range(REPEATS)]
    gains = [gain(attack(target), target.right) for target in targets]
    assert np.mean(gains) < 0.01


def in_groups(target: Target) -> Mapping[int, bool]:
    # Mostly blank: twenty guesses an upload, at the boundary between two values.
    told: dict[int, bool] = {}
    for group in np.split(np.arange(ITEMS), UPLOADS):
        more = target.value(group, known=405) > 0.415
        told |= dict.fromkeys(group.tolist(), more)
    return told


def by_majority(target: Target) -> Mapping[int, bool]:
    # Boosting (Blum and Hardt 2015, section 4): random subsets, weighted by what they score.
    rng, votes = np.random.default_rng(target.seed + 10_000), np.zeros(ITEMS)
    for _ in range(UPLOADS):
        chosen = rng.random(ITEMS) < 0.5
        votes += (chosen - 0.5) * (target.value(np.flatnonzero(chosen)) - 0.25)
    return {item: bool(votes[item] > 0) for item in range(ITEMS)}


@pytest.mark.slow
@pytest.mark.parametrize(("attack", "at_most"), [(in_groups, 0.04), (by_majority, 0.07)])
def test_fifty_uploads_of_many_guesses_tell_no_more_than_their_scores_must(
    attack: Callable[[Target], Mapping[int, bool]], at_most: float
) -> None:
    # A mean near the truth tells how many guesses are right, and fifty means are fifty numbers:
    # no rounding to a hundredth hides that.
    targets = [Target.of(seed) for seed in range(REPEATS)]
    gains = [gain(attack(target), target.right) for target in targets]
    assert 0 < np.mean(gains) < at_most


@given(
    st.lists(st.integers(0, 10_000), min_size=1, max_size=30),
    st.sampled_from([30, 299, 300, 1000, 3000]),
    st.none() | st.binary(min_size=1, max_size=4),
)
def test_a_shown_value_is_never_further_from_the_truth_than_a_step(
    values: list[int], items: int, secret: bytes | None
) -> None:
    runs = [
        Run(f"sub_{n}", {TASK: numbers(value / 10_000, items)}) for n, value in enumerate(values)
    ]
    step = 10.0 ** -digits_of(items)
    for run, shown in zip(runs, shown_runs(runs, [TASK], secret), strict=True):
        exact, seen = run.scores[TASK], shown.scores[TASK]
        assert abs(seen.value - exact.value) <= step + 1e-12
        assert seen.low is not None
        assert seen.high is not None
        assert 0 <= seen.low <= seen.value <= seen.high <= 1
        assert seen.metrics == {"f1": seen.value}
        assert round(seen.value, digits_of(items)) == seen.value


def test_a_value_near_the_one_that_was_shown_shows_it_again_and_steps_do_not_add_up() -> None:
    def shown(*values: float) -> list[float]:
        runs = [Run("", {TASK: numbers(value)}) for value in values]
        return [run.scores[TASK].value for run in shown_runs(runs, [TASK])]

    assert shown(0.5, 0.509, 0.491, 0.511) == [0.5, 0.5, 0.5, 0.51]
    rising = [0.5 + 0.009 * k for k in range(20)]
    assert max(abs(a - b) for a, b in zip(shown(*rising), rising, strict=True)) < 0.01


def test_what_is_drawn_is_the_same_at_each_look_and_differs_by_submission() -> None:
    def looks(secret: bytes) -> list[float]:
        runs = [[Run(f"sub_{n}", {TASK: numbers(0.405)})] for n in range(60)]
        return [shown_runs(run, [TASK], secret)[0].scores[TASK].value for run in runs]

    assert looks(b"a") == looks(b"a") != looks(b"b")
    assert set(looks(b"a")) == {0.4, 0.41}
    # On the mean it is the value: stochastic rounding has no bias.
    assert np.mean([looks(bytes([n])) for n in range(40)]) == pytest.approx(0.405, abs=0.0005)


def test_a_task_with_few_items_counts_in_the_mean_alone() -> None:
    scores = {"large": numbers(0.4, 300), "small": numbers(1.0, 29)}
    (run,) = shown_runs([Run("", scores)], ["large", "small"])
    assert run.scores.keys() == {"large"}
    assert run.mean is not None
    # The heaviest item counts as much as one of 58.
    assert run.mean.value == 0.7
    assert mean_of(list(scores.values())).items == 58
    (partly,) = shown_runs([Run("", {"small": scores["small"]})], ["large", "small"])
    assert (partly.scores, partly.mean) == ({}, None)
    (alone,) = shown_runs([Run("", {"small": numbers(0.74, 29)})], ["small"])
    assert alone.mean == alone.scores["small"]
    assert alone.scores["small"].value == 0.7
