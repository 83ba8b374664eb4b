"""Which of a participant's submissions count, and what fifty uploads gain on the private part."""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from snellen.server.challenge.board import Board, BoardData, make_board
from snellen.server.exam.file import Counts
from snellen.server.store.tables.endpoint import GradingRow, ScoreValues, Source, SubmissionRow

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


def scored(submission: str, values: Sequence[float]) -> ScoreValues:
    return ScoreValues(
        submission=submission,
        grading=1,
        task=TASK,
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


def test_a_removed_submission_does_not_count_though_it_was_chosen() -> None:
    rows = [replace(submitted(0, chosen=1), removed="withdrawn"), submitted(1)]
    (row,) = board(rows, [[1.0], [0.0]], Counts.CHOSEN).rows
    assert row.submission == "sub_01"
