"""MMBench-GUI's tables against the worked vectors of the reference sheet and slow versions."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.errors import MetricError
from snellen.grading.metrics.weighted_choice import Accuracy
from snellen.tasks.benchmarks.mmbench_gui.rules.understanding import (
    Grounded,
    Tags,
    grounding,
    understanding,
)

# BENCHMARKS 4.1: win m = 4, 5, 6 with hits 1, 0, 1; mac m = 4, 5 with hits 0, 1.
L1_VALUES = [1.0, 0.0, 1.0, 0.0, 1.0]
L1_TAGS: Tags = {
    "difficulty": ["hard"] * 5,
    "platform": ["win"] * 3 + ["mac"] * 2,
    "options": ["4", "5", "6", "4", "5"],
}


def test_the_worked_vector_of_l1_comes_out_in_all_three_ways() -> None:
    hard = understanding(L1_VALUES, L1_TAGS)["hard"]
    assert hard.plain.level.score == 0.6
    assert hard.plain.by_platform["win"].score == 2 / 3
    assert hard.normalized.level.score == 13411 / 22165
    assert hard.normalized.by_platform["win"].score == 95 / 143
    assert hard.normalized.by_platform["mac"].score == 16 / 31
    assert hard.eq3.level.score == 143 / 300
    assert hard.eq3.by_platform["win"].ceiling == float(Fraction(143, 180))


def test_difficulties_are_scored_apart_and_come_easy_first() -> None:
    tags: Tags = {
        "difficulty": ["hard", "easy", "medium", "easy"],
        "platform": ["ios"] * 4,
        "options": ["4"] * 4,
    }
    found = understanding(np.array([1.0, 0.0, 1.0, 1.0]), tags)
    assert list(found) == ["easy", "medium", "hard"]
    assert [one.plain.level.score for one in found.values()] == [0.5, 1.0, 1.0]


def test_values_over_several_attempts_count_every_answer() -> None:
    once = understanding(L1_VALUES, L1_TAGS)["hard"]
    thrice = understanding([2 / 3, 1 / 3, 1.0, 0.0, 1.0], L1_TAGS, attempts=3)["hard"]
    assert thrice.plain.by_platform["win"].n == 9
    assert thrice.plain.level.score == 9 / 15
    same = understanding(L1_VALUES, L1_TAGS, attempts=3)["hard"]
    assert same.normalized.level.score == once.normalized.level.score


@pytest.mark.parametrize(
    ("values", "change", "message"),
    [
        ([0.5] * 5, {}, "0.5 is no share of 1 attempts"),
        ([1.5] * 5, {}, "1.5 is no share"),
        (L1_VALUES, {"options": ["4"] * 4}, "5 values and 4 of the tag 'options'"),
        (L1_VALUES, {"options": ["4"] * 4 + ["many"]}, "counts the options of an item; 'many'"),
        (L1_VALUES, {"platform": ["win"] * 4 + [None]}, "an item has no tag 'platform'"),
        ([], dict.fromkeys(L1_TAGS, ()), "the score of no items is not defined"),
    ],
)
def test_what_l1_cant_be_scored_from_is_an_error(
    values: list[float], change: dict[str, Any], message: str
) -> None:
    with pytest.raises(MetricError, match=message):
        understanding(values, {**L1_TAGS, **change})
    with pytest.raises(MetricError, match="no tag 'options' of these items, only difficulty"):
        understanding(L1_VALUES, {key: L1_TAGS[key] for key in ("difficulty", "platform")})


@given(st.lists(st.tuples(st.sampled_from("AB"), st.integers(4, 6), st.booleans()), min_size=1))
def test_l1_agrees_with_the_formulas_written_out(rows: list[tuple[str, int, bool]]) -> None:
    tags: Tags = {
        "difficulty": ["easy"] * len(rows),
        "platform": [row[0] for row in rows],
        "options": [str(row[1]) for row in rows],
    }
    found = understanding([float(row[2]) for row in rows], tags)["easy"]
    eq3 = normalized = 0.0
    for platform in {row[0] for row in rows}:
        mine = [row for row in rows if row[0] == platform]
        won = sum((m - 1) / m for _, m, hit in mine if hit) / len(mine)
        best = sum((m - 1) / m for _, m, _ in mine) / len(mine)
        eq3 += won * len(mine) / len(rows)
        normalized += won / best * len(mine) / len(rows)
    assert found.eq3.level.score == pytest.approx(eq3, abs=1e-12)
    assert found.normalized.level.score == pytest.approx(normalized, abs=1e-12)
    assert found.plain.level.score == pytest.approx(np.mean([row[2] for row in rows]), abs=1e-12)


# BENCHMARKS 4.2, the toy vector; -1 is an answer without a readable point.
def toy(outcomes: Sequence[int], platforms: str, types: str) -> Grounded:
    names = {"w": "windows", "m": "macos", "i": "icon", "t": "text"}
    return Grounded(
        [float(outcome == 1) for outcome in outcomes],
        {
            "platform": [names[letter] for letter in platforms],
            "data_type": [names[letter] for letter in types],
        },
        [outcome == -1 for outcome in outcomes],
    )


BASIC = toy([1, 0, -1, 1, 0, 1, 1], "wwwwmmm", "iiititt")
ADVANCED = toy([0, 1], "ww", "it")


def test_the_toy_vector_of_l2_comes_out() -> None:
    found = grounding(BASIC, ADVANCED)
    assert found.basic is not None
    assert found.advanced is not None
    assert found.average is not None
    assert f"{found.basic.score * 100:.6f}" == "57.142857"
    assert found.advanced.score == 0.5
    assert f"{found.average * 100:.6f}" == "53.571429"
    assert f"{found.pooled.score * 100:.6f}" == "55.555556"
    windows = found.by_platform["basic"]["windows"]
    assert windows.icon == Accuracy(hits=1, errors=1, n=3)
    assert windows.text == Accuracy(hits=1, errors=0, n=1)
    assert windows.total == Accuracy(hits=2, errors=1, n=4)


def test_what_was_not_run_or_is_not_there_is_none_and_no_crash() -> None:
    icons = toy([1, 0], "wm", "ii")
    found = grounding(basic=icons)
    assert (found.advanced, found.average, found.text) == (None, None, None)
    assert found.by_platform["basic"]["windows"].text is None
    assert found.by_platform["basic"]["windows"].total.score == 1.0
    assert "advanced" not in found.by_platform
    only = grounding(advanced=ADVANCED)
    assert (only.basic, only.pooled.score) == (None, 0.5)


def test_unread_answers_move_no_accuracy_and_may_be_left_untold() -> None:
    told, untold = grounding(BASIC), grounding(BASIC._replace(unread=None))
    assert told.pooled.score == untold.pooled.score
    assert (told.pooled.errors, untold.pooled.errors) == (1, 0)


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (BASIC._replace(tags={"platform": ["w"] * 7}), "there is no tag 'data_type'"),
        (
            BASIC._replace(tags={**BASIC.tags, "data_type": ["image"] * 7}),
            "'data_type' is icon or text, not 'image'",
        ),
        (BASIC._replace(unread=[True] * 7), "without a readable point has the value 1.0"),
        (BASIC._replace(unread=[True]), "7 values and 1 marks of what was unread"),
        (None, "of no replies is not defined"),
    ],
)
def test_what_l2_cant_be_scored_from_is_an_error(run: Grounded | None, message: str) -> None:
    with pytest.raises(MetricError, match=message):
        grounding(run)
