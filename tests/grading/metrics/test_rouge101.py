import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snellen.grading.errors import MetricError
from snellen.grading.metrics.rouge import RougeScore
from snellen.grading.metrics.rouge101 import (
    EmptyRougeTextError,
    Rouge101Columns,
    Rouge101References,
    recursion_depth,
    rouge101,
)

ROUGE: Any = pytest.importorskip("rouge").Rouge()
ONE = 0.999999995

# Small alphabets and many sentences make many equally long subsequences.
sentences = st.lists(
    st.tuples(
        st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), max_size=12).map(" ".join),
        st.sampled_from([".", ". ", "..", " . ", " "]),
    ).map("".join),
    max_size=6,
).map("".join)
spelled = st.text(alphabet="ab. ", max_size=60).map(" ".join)
texts = st.one_of(sentences, spelled, st.text(max_size=40), st.text(alphabet="aA. \n\x1c\u2028é"))


def published(prediction: str, reference: str) -> RougeScore | None:
    try:
        scores: dict[str, dict[str, float]] = ROUGE.get_scores(prediction, reference)[0]
    except ValueError:
        return None
    return RougeScore(*(scores[key]["f"] for key in ("rouge-1", "rouge-2", "rouge-l")))


def ours(prediction: str, reference: str) -> RougeScore | None:
    try:
        return rouge101(prediction, reference)
    except EmptyRougeTextError:
        return None


def row(columns: Rouge101Columns, number: int) -> RougeScore:
    return RougeScore(*(float(column[number]) for column in columns[:3]))


# BENCHMARKS 2.4, the column of rouge 1.0.1.
TABLE = [
    ("the cat sat", "the cat sat", (ONE, ONE, ONE)),
    ("The cat sat", "the cat sat", (2 / 3, 0.5, 2 / 3)),
    ("cat", "the cat", (2 / 3, 0, 2 / 3)),
    ("4.3 stars", "4.3", (0.8, 2 / 3, 0.8)),
    ("3.4", "4.3", (ONE, 0, ONE)),
    ("$4", "4", (0, 0, 0)),
    ("yes", "Yes", (0, 0, 0)),
    ("Yes, it is", "Yes", (0, 0, 0)),
    ("a a a b", "a b", (ONE, 2 / 3, ONE)),
    ("the the the the", "the cat", (2 / 3, 0, 2 / 3)),
    ("1,000", "1000", (0, 0, 0)),
    ("hello world", "world hello", (ONE, 0, 0.5)),
    ("a. b. c", "c. b. a", (ONE, 0, ONE)),
    ("buy now. buy now", "buy now", (ONE, 2 / 3, ONE)),
    ("U.S. dollar", "US dollar", (0.4, 0, 0.4)),
    ("中文测试", "中文测试", (ONE, 0, ONE)),
    (" ", "Hello world. ", (0.5, 0, 0.5)),
    # PROTOCOLS 1.1, the same column.
    ("The cat", "the cat", (0.5, 0, 0.5)),
    ("Sign in", "Sign-in", (0, 0, 0)),
    ("Price: $5.99", "Price $5.99", (2 / 3, 0.5, 2 / 3)),
    ("running dogs", "run dog", (0, 0, 0)),
    ("你好 世界", "你好 世界", (ONE, ONE, ONE)),
]


@pytest.mark.parametrize(("prediction", "reference", "expected"), TABLE)
def test_the_worked_values_of_the_reference_sheet(
    prediction: str, reference: str, expected: tuple[float, float, float]
) -> None:
    assert rouge101(prediction, reference) == pytest.approx(expected, rel=3e-8)
    assert all(
        score == ONE
        for score, value in zip(rouge101(prediction, reference), expected, strict=True)
        if value == ONE
    )
    assert row(Rouge101References([[reference]]).score([0], [prediction]), 0) == rouge101(
        prediction, reference
    )


@pytest.mark.slow
@settings(max_examples=250)
@given(texts, texts)
def test_one_pair_scores_as_the_package_to_the_last_bit(prediction: str, reference: str) -> None:
    assert ours(prediction, reference) == published(prediction, reference)


@given(
    st.lists(st.sampled_from("abcdefgh"), max_size=60).map(" ".join),
    st.lists(st.sampled_from("abcdefgh"), max_size=60).map(" ".join),
)
def test_one_long_sentence_scores_as_the_package(prediction: str, reference: str) -> None:
    assert ours(prediction, reference) == published(prediction, reference)


@pytest.mark.slow
@settings(max_examples=60)
@given(
    st.lists(st.lists(texts, min_size=1, max_size=3), min_size=1, max_size=4),
    st.lists(st.tuples(st.integers(0, 3), texts), max_size=12),
)
def test_a_batch_takes_the_best_reference_and_marks_what_crashes(
    references: list[list[str]], answers: list[tuple[int, str]]
) -> None:
    items = [item % len(references) for item, _ in answers]
    columns = Rouge101References(references).score(items, [text for _, text in answers])
    assert [column.dtype for column in columns] == [np.float64] * 3 + [np.bool_]
    assert all(len(column) == len(items) for column in columns)
    for number, (item, (_, prediction)) in enumerate(zip(items, answers, strict=True)):
        each = [published(prediction, text) for text in references[item]]
        done = [scores for scores in each if scores]
        if len(done) < len(each):
            assert columns.crashed[number]
            assert all(map(math.isnan, row(columns, number)))
        else:
            assert not columns.crashed[number]
            assert row(columns, number) == RougeScore(*map(max, zip(*done, strict=True)))


@given(texts, texts)
def test_scores_lie_between_0_and_1_and_unigrams_do_not_care_which_side_is_which(
    first: str, second: str
) -> None:
    scores, swapped = ours(first, second), ours(second, first)
    if scores is None or swapped is None:
        assert scores is swapped is None
        return
    assert all(0 <= score < 1 for score in scores)
    assert scores.rougeL <= scores.rouge1
    assert scores[:2] == pytest.approx(swapped[:2])


@given(texts)
def test_a_text_scores_the_attainable_most_against_itself(text: str) -> None:
    scores = ours(text, text)
    if scores is None:
        return
    assert scores.rouge1 == scores.rougeL == ONE
    assert scores.rouge2 in (0, ONE)


def test_which_of_two_equally_long_subsequences_is_taken_decides_the_score() -> None:
    # "a b" and "c d" are both longest; only one of them adds words to what "c d." gives.
    prediction, reference = "c d. a b c d", "c d a b. a b"
    assert rouge101(prediction, reference) == published(prediction, reference)


def test_the_order_of_sentences_does_not_matter() -> None:
    assert rouge101("c. b. a", "a. b. c").rougeL == ONE


@pytest.mark.parametrize("empty", ["", ".", "..."])
def test_a_text_of_nothing_but_dots_is_an_error_that_names_the_side(empty: str) -> None:
    # BENCHMARKS 2.5, PROTOCOLS 1.1: the package raises a ValueError.
    for function in (rouge101, recursion_depth):
        with pytest.raises(EmptyRougeTextError, match="the prediction has no sentence") as caught:
            function(empty, "x")
        assert caught.value.side == "prediction"
        with pytest.raises(EmptyRougeTextError, match="the reference has no sentence") as caught:
            function("x", empty)
        assert caught.value.side == "reference"
    assert issubclass(EmptyRougeTextError, MetricError)
    assert issubclass(EmptyRougeTextError, ValueError)


def test_dots_crash_where_the_published_grader_drops_the_item() -> None:
    # BENCHMARKS 2.5: of these three, WebQA's grader keeps Paris alone.
    columns = Rouge101References([["Paris"], ["London"], ["Rome"]]).score(
        [0, 1, 2], ["Paris", ".", ".."]
    )
    assert columns.crashed.tolist() == [False, True, True]
    assert 100 * columns.rouge1[~columns.crashed].mean() == pytest.approx(99.9999995)


def test_one_bad_reference_crashes_the_item() -> None:
    # BENCHMARKS 2.5: one bad gold string drops the item too.
    assert Rouge101References([["Paris", "..."]]).score([0], ["Paris"]).crashed.tolist() == [True]


def test_a_phantom_word_matches_the_blank_that_stands_for_an_empty_prediction() -> None:
    # BENCHMARKS 2.5: a blank scores 0 unless the reference ends with a dot and a space.
    assert rouge101(" ", "Hello world.") == (0, 0, 0)
    assert rouge101(" ", "Hello world. ").rouge1 == pytest.approx(0.5)


def test_a_newline_is_white_space_and_ends_no_sentence() -> None:
    assert rouge101("one\ntwo", "one two") == (ONE, ONE, ONE)


def test_there_is_no_recursion_limit() -> None:
    text = " ".join(f"w{number % 700}" for number in range(5000))
    assert rouge101(text + " end", "start " + text).rougeL > 0.99


def test_huge_repetition_counts_once() -> None:
    assert rouge101("yes " * 50_000, "yes no yes").rouge1 == pytest.approx(2 / 3)
    assert rouge101("yes no " * 20_000, "no yes").rouge2 == pytest.approx(2 / 3)


DEEPEST = """
import sys
from rouge import Rouge

def fails(prediction, reference):
    try:
        Rouge().get_scores(prediction, reference)
    except RecursionError:
        return True
    return False

sys.setrecursionlimit(200)
for line in sys.stdin.read().splitlines():
    print(int(fails(*line.split("|"))))
"""


@pytest.mark.slow
def test_the_package_fails_exactly_beyond_one_recursion_depth() -> None:
    pairs = [("yes " * length, "yes " * length) for length in range(180, 200)]
    for length in range(80, 200, 5):
        words = [f"w{number}" for number in range(length)]
        pairs.append((" ".join(words), " ".join(words)))
        pairs.append((" ".join(words), " ".join(f"x{number}" for number in range(length))))
        pairs.append((" ".join(words[::2]), " ".join(words)))
        pairs.append((" ".join(words), " ".join(words[::3])))
        pairs.append((" ".join(words[5:] + words[:5]), "a. " + " ".join(words[: length // 2])))
        pairs.append((" ".join([*words[:40], "z"]), " ".join(["y"] * (length - 60) + words[:40])))
    done = subprocess.run(
        [sys.executable, "-c", DEEPEST],
        input="\n".join(map("|".join, pairs)),
        capture_output=True,
        text=True,
        check=True,
    )
    fails = [line == "1" for line in done.stdout.split()]
    depths = [recursion_depth(*pair) for pair in pairs]
    deepest = max(depth for depth, failed in zip(depths, fails, strict=True) if not failed)
    shallowest = min(depth for depth, failed in zip(depths, fails, strict=True) if failed)
    assert shallowest == deepest + 1
    # The module, `fails` and six functions of the package stand around the walk; interpreters
    # differ by one in where they stop.
    assert abs(deepest - (200 - 8)) <= 1


def test_no_reference_is_an_error() -> None:
    with pytest.raises(MetricError, match="item 1 has no reference"):
        Rouge101References([["a"], []])


def test_an_item_that_is_not_there_is_an_error() -> None:
    for item in (-1, 1):
        with pytest.raises(IndexError):
            Rouge101References([["a"]]).score([item], ["a"])


def test_items_and_predictions_must_be_equally_many() -> None:
    with pytest.raises(ValueError, match="1 items for 2 predictions"):
        Rouge101References([["a"]]).score([0], ["a", "b"])


def test_an_empty_batch_gives_empty_columns() -> None:
    prepared = Rouge101References([])
    assert len(prepared) == 0
    assert [column.shape for column in prepared.score([], [])] == [(0,)] * 4


@pytest.mark.slow
@pytest.mark.realdata
def test_real_screenqa_questions_score_as_the_package() -> None:
    folder = os.environ.get("SNELLEN_DATA")
    if not folder:
        pytest.skip("SNELLEN_DATA is not set")
    path = Path(folder, "screenqa", "short_answers", "validation.json")
    records: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))[:1000]
    references: list[list[str]] = [
        [*record["ground_truth"], record["question"]] for record in records
    ]
    predictions: list[str] = [record["question"] for record in [*records[1:], records[0]]]
    columns = Rouge101References(references).score(range(len(records)), predictions)
    for number, prediction in enumerate(predictions):
        each = [published(prediction, text) for text in references[number]]
        done = [scores for scores in each if scores]
        assert bool(columns.crashed[number]) == (len(done) < len(each))
        if len(done) == len(each):
            assert row(columns, number) == RougeScore(*map(max, zip(*done, strict=True)))
