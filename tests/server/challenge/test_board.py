"""Which of a participant's submissions count, and what fifty uploads gain on the private part."""

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from snellen.grading.stats.summary import estimate
from snellen.server.challenge.board import BoardData, make_board
from snellen.server.challenge.rounding import numbers_of
from snellen.server.exam.rounding import mean_of
from snellen.server.store.tables.endpoint import GradingRow, ScoreValues, SubmissionRow
from snellen.tasks.hosted import Board, Counts, Source, TaskScore

TASK = "screenqa/short"
ITEMS = 200
GRADING = GradingRow(
    id=1,
    phase="exam/main",
    references=b"",
    protocols="{}",
    snellen="0",
    at=0,
    why="",
    shown=0,
)


def submitted(number: int, caller: str = "ada", chosen: int | None = None) -> SubmissionRow:
    return SubmissionRow(
        id=f"sub_{number:02}",
        phase="exam/main",
        caller=caller,
        source=Source.UPLOAD,
        attempt=None,
        task=None,
        name=caller,
        link="",
        form=".jsonl",
        digest=b"",
        size=1,
        at=number,
        day="2026-01-01",
        chosen=chosen,
    )


def scored(submission: str, values: Sequence[float], task: str = TASK) -> ScoreValues:
    return ScoreValues(
        submission=submission,
        grading=1,
        task=task,
        part="all",
        metric="f1",
        value=float(np.mean(values)),
        low=None,
        high=None,
        items=len(values),
        outcomes="{}",
        signature="",
        item_values=zlib.compress(np.array(values, "<f8").tobytes()),
        item_groups=zlib.compress(np.arange(len(values), dtype="<i4").tobytes()),
    )


def board(
    rows: Sequence[SubmissionRow],
    values: Sequence[Sequence[float]],
    counts: Counts,
    public: Mapping[str, float] | None = None,
) -> Board:
    scores = [scored(row.id, each) for row, each in zip(rows, values, strict=True)]
    data = BoardData(GRADING, False, rows, scores, public or {})
    return make_board(data, "exam", "main", [TASK], "all", counts)


def private_value_of_best(seed: int, *, by_public: bool) -> float:
    """Return what the row of fifty random uploads scores on the private half."""
    rng = np.random.default_rng(seed)
    answers = rng.integers(0, 2, (50, ITEMS)).astype(float)
    half = ITEMS // 2
    rows = [submitted(number) for number in range(50)]
    public = {row.id: float(each[:half].mean()) for row, each in zip(rows, answers, strict=True)}
    (row,) = board(rows, answers.tolist(), Counts.BEST, public if by_public else None).rows
    return float(answers[int(row.submission[4:])][half:].mean())


@pytest.mark.slow
def test_fifty_uploads_are_not_fifty_draws_on_the_private_part() -> None:
    # By the law of large numbers: 40 exams x 100 private items, a mean of 1/2 with an error of
    # 1/2 / sqrt(4000) = 0.008.
    found = {
        by_public: float(
            np.mean([private_value_of_best(seed, by_public=by_public) for seed in range(40)])
        )
        for by_public in (True, False)
    }
    assert found[True] == pytest.approx(0.5, abs=0.025)
    # Chosen by all items, the best of fifty is far above what it knows.
    assert found[False] > 0.55


def test_the_better_of_the_chosen_counts_and_of_all_if_none_is_chosen() -> None:
    rows = [submitted(0), submitted(1, chosen=7), submitted(2, chosen=9), submitted(3, "bob")]
    rows += [submitted(4, "bob")]
    values = [[1.0] * 10, [1.0] * 6 + [0.0] * 4, [1.0] * 7 + [0.0] * 3, [1.0, 0.0] * 5, [0.0] * 10]
    found = board(rows, values, Counts.CHOSEN)
    assert [(row.participant, row.value) for row in found.rows] == [("ada", 0.7), ("bob", 0.5)]


def test_no_more_than_the_first_two_that_were_chosen_count() -> None:
    rows = [submitted(number, chosen=10 + number) for number in range(3)]
    values = [[1.0, 0.0], [0.0, 0.0], [1.0, 1.0]]
    (row,) = board(rows, values, Counts.CHOSEN).rows
    assert (row.submission, row.value) == ("sub_00", 0.5)


def task_score(values: Sequence[float], groups: Sequence[int]) -> TaskScore:
    found = estimate(values, groups)
    interval = found.interval
    return TaskScore(
        task=TASK,
        metric="f1",
        value=found.value,
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        items=len(values),
        outcomes={},
        signature="",
    )


def mean_of_tasks(rng: np.random.Generator, screens: int, alone: int) -> list[TaskScore]:
    """Return the scores of 12 tasks of mean 1/2 over some screens, and of some over one screen."""
    found: list[TaskScore] = []
    for count in [screens] * 12 + [1] * alone:
        # Three items of a screen: a share of the screens is easy, and others are hard.
        easy = rng.choice([0.2, 0.8], count)
        values = rng.binomial(1, np.repeat(easy, 3)).astype(float)
        found.append(task_score(values.tolist(), np.repeat(np.arange(count), 3).tolist()))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("alone", [1, 4, 12])
def test_the_mean_of_tasks_has_an_interval_that_covers_also_if_some_have_none(alone: int) -> None:
    # A second witness by simulation: each task's true value is 1/2, and so is their mean.
    rng = np.random.default_rng(alone)
    covered, widths = 0, list[float]()
    for _ in range(400):
        scores = mean_of_tasks(rng, 12, alone)
        assert sum(score.low is None for score in scores) == alone
        value, low, high, *_ = mean_of([numbers_of(score) for score in scores])
        assert low is not None
        assert high is not None
        assert low <= value <= high
        covered += low <= 0.5 <= high
        widths.append(high - low)
    assert covered / 400 >= 0.93
    # Knowing nothing of these tasks but that they are in 0..1 would be wider.
    assert np.mean(widths) < 1.1 * alone / (12 + alone) + 0.2


def test_a_task_without_an_interval_widens_the_mean_as_its_weight_says() -> None:
    known = task_score([0, 1] * 20, list(range(40)))
    lonely = task_score([1, 1, 1], [0, 0, 0])
    assert lonely.low is None
    assert known.low is not None
    value, low, high, *_ = mean_of(list(map(numbers_of, [known, known, known, lonely])))
    assert value == pytest.approx((3 * 0.5 + 1) / 4)
    assert low is not None
    assert high is not None
    # By hand: one value of 1 has the exact limits 0.025 and 1.
    below = np.sqrt(3 * (0.5 - known.low) ** 2 + (1 - 0.025) ** 2) / 4
    assert low == pytest.approx(value - below)
    assert high == pytest.approx(value + np.sqrt(3) * (0.5 - known.low) / 4)


def test_a_removed_submission_does_not_count_though_it_was_chosen() -> None:
    rows = [replace(submitted(0, chosen=1), removed="withdrawn"), submitted(1)]
    (row,) = board(rows, [[1.0], [0.0]], Counts.CHOSEN).rows
    assert row.submission == "sub_01"


def distance(answers: int, mean: float) -> str:
    over = {"over": "points", "answers": answers, "mean": mean, "median": mean}
    return json.dumps({"distance": {"unit": "px", "better": "lower", **over}})


def test_a_measure_is_the_mean_over_the_answers_of_all_tasks_and_ranks_nothing() -> None:
    tasks = ["mmbench-gui/l2_basic", "mmbench-gui/l2_advanced"]
    rows = [submitted(0), submitted(1, "bob"), submitted(2, "eve")]
    near, far = (distance(3, 10.0), distance(1, 30.0)), (distance(4, 500.0), None)
    scores = [
        replace(scored(row.id, values, task), measures=measures)
        for row, values, each in zip(
            rows,
            ([0.0, 0.0], [1.0, 1.0], [1.0, 0.0]),
            (near, far, (None, None)),
            strict=True,
        )
        for task, measures in zip(tasks, each, strict=True)
    ]
    data = BoardData(GRADING, False, rows, scores)
    found = make_board(data, "exam", "main", tasks, "all", Counts.ALL)
    (name,) = found.measures
    assert str(name) == "distance (px, lower is better)"
    # 3 answers of 10 px and 1 of 30; an answer without the measure is left out, not 0.
    by_participant = {row.participant: dict(row.measures) for row in found.rows}
    assert by_participant == {"ada": {name: 15.0}, "bob": {name: 500.0}, "eve": {}}
    assert [row.participant for row in found.rows] == ["bob", "eve", "ada"]


def test_a_leaderboard_without_measures_has_none_in_its_json() -> None:
    found = board([submitted(0)], [[1.0, 0.0]], Counts.ALL)
    assert not found.measures
    assert b"measures" not in found.model_dump_json().encode()
