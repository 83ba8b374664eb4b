import json
import pickle
import random
import re
import string
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading import normalize
from snellen.grading.errors import MetricError
from snellen.grading.metrics.squad import (
    NO_ANSWER,
    SquadReferences,
    SquadScore,
    exact_match,
    screenqa_short,
    squad,
    token_f1,
)
from snellen.grading.normalize import Normalizer

pytestmark = pytest.mark.compat

NORMALIZERS = (
    normalize.squad,
    normalize.squad_or_raw,
    normalize.lower_strip,
    normalize.identity,
    normalize.alphanumeric,
    normalize.button,
)
PIECES = (
    *("a", "an", "the", "The", "cat", "dog", "12", "$", ",", "|", NO_ANSWER, "<No answer>", "no"),
    *(" ", " ", " ", "\n", "\t", "\x00", "\x1c", "\u2028", "ß", "İ", "Σ", "’", "\ud800", "é"),
)
texts = st.text(max_size=12) | st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
references_of_one = st.lists(texts, min_size=1, max_size=4)


@cache
def published_form(text: str) -> str:
    kept = "".join(character for character in text.lower() if character not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", kept).split())


def published(
    prediction: str, references: Sequence[str], form: Normalizer = published_form
) -> SquadScore:
    """The definition of evaluate-v1.1.py, written out."""
    exact = 0.0
    best = 0.0
    for reference in references:
        exact = max(exact, float(form(prediction) == form(reference)))
        mine, theirs = form(prediction).split(), form(reference).split()
        shared = sum((Counter(mine) & Counter(theirs)).values())
        if shared:
            precision, recall = shared / len(mine), shared / len(theirs)
            best = max(best, 2 * precision * recall / (precision + recall))
    return SquadScore(exact, best)


def published_screenqa(
    prediction: str, references: Sequence[str], form: Normalizer = published_form
) -> SquadScore:
    """The definition of screen_qa code/metrics.py, written out."""
    if prediction == NO_ANSWER:
        right = float(NO_ANSWER in references)
        return SquadScore(right, right)
    answers = [reference for reference in references if reference != NO_ANSWER]
    return published(prediction, answers, form) if answers else SquadScore(0.0, 0.0)


# BENCHMARKS 2.4, last column.
@pytest.mark.parametrize(
    ("prediction", "reference", "f1"),
    [
        ("the cat sat", "the cat sat", 1),
        ("The cat sat", "the cat sat", 1),
        ("cat", "the cat", 1),
        ("4.3 stars", "4.3", 2 / 3),
        ("3.4", "4.3", 0),
        ("$4", "4", 1),
        ("yes", "Yes", 1),
        ("Yes, it is", "Yes", 0.5),
        ("a a a b", "a b", 1),
        ("the the the the", "the cat", 0),
        ("1,000", "1000", 1),
        ("hello world", "world hello", 1),
        ("a. b. c", "c. b. a", 1),
        ("buy now. buy now", "buy now", 2 / 3),
        ("U.S. dollar", "US dollar", 1),
        ("中文测试", "中文测试", 1),
        (" ", "Hello world. ", 0),
    ],
)
def test_f1_of_the_reference_table(prediction: str, reference: str, f1: float) -> None:
    assert token_f1(prediction, [reference]) == pytest.approx(f1, abs=1e-12)


# BENCHMARKS 3.3.
@pytest.mark.parametrize(
    ("prediction", "references", "score"),
    [
        (NO_ANSWER, [NO_ANSWER], (1, 1)),
        (NO_ANSWER, ["rest", NO_ANSWER], (1, 1)),
        (NO_ANSWER, ["rest"], (0, 0)),
        (NO_ANSWER, ["no answer"], (0, 0)),
        ("rest", [NO_ANSWER], (0, 0)),
        ("REST", ["rest", NO_ANSWER], (1, 1)),
        ("<No answer>", [NO_ANSWER], (0, 0)),
        ("no answer", [NO_ANSWER], (0, 0)),
        (f" {NO_ANSWER}", [NO_ANSWER], (0, 0)),
        ("<No answer>", ["no answer"], (1, 1)),
        ("<No answer>", ["no answer", NO_ANSWER], (1, 1)),
        ("", [NO_ANSWER], (0, 0)),
        ("A", ["A"], (1, 0)),
        ("the", ["a"], (1, 0)),
        ("", ["$"], (1, 0)),
        ("...", ["+"], (1, 0)),
        ("", ["+", "plus"], (1, 0)),
    ],
)
def test_screenqa_short_of(
    prediction: str, references: list[str], score: tuple[float, float]
) -> None:
    assert screenqa_short(prediction, references) == score
    assert published_screenqa(prediction, references) == score


@pytest.mark.parametrize("prediction", ["$", " $ ", "A", "the"])
def test_the_robust_form_lets_an_answer_match_itself_only(prediction: str) -> None:
    assert squad(prediction, [prediction], normalize.squad_or_raw) == (1, 1)
    assert squad(prediction, ["%"], normalize.squad_or_raw) == (0, 0)
    assert squad("", [prediction], normalize.squad_or_raw) == (0, 0)


def test_no_answer_is_an_answer_like_any_other_outside_screenqa() -> None:
    assert squad(NO_ANSWER, ["No answer!"]) == (1, 1)


def test_each_number_takes_its_best_over_the_references() -> None:
    assert squad("wall sit today", ["sit", "wall sit", "plank"]) == (0, pytest.approx(0.8))
    assert squad("", ["$", "wall sit"]) == (1, 0)


def test_the_same_words_in_another_order_are_no_exact_match() -> None:
    assert squad("world hello", ["hello world"]) == (0, 1)


def test_exact_match_compares_the_whitespace_that_a_form_keeps() -> None:
    assert squad("a  b", ["a b"], normalize.identity) == (0, 1)
    assert squad(" ", [" "], normalize.identity) == (1, 0)


@given(texts, references_of_one)
def test_one_pair_agrees_with_the_published_definition(
    prediction: str, references: list[str]
) -> None:
    assert squad(prediction, references) == pytest.approx(
        published(prediction, references), abs=1e-12
    )
    assert screenqa_short(prediction, references) == pytest.approx(
        published_screenqa(prediction, references), abs=1e-12
    )
    assert exact_match(prediction, references) == squad(prediction, references).exact_match
    assert token_f1(prediction, references) == squad(prediction, references).f1


@pytest.mark.slow
@given(
    st.lists(references_of_one, min_size=1, max_size=5),
    st.lists(st.tuples(st.integers(0, 4), texts), max_size=8),
    st.sampled_from(NORMALIZERS),
    st.booleans(),
)
def test_batches_agree_with_one_at_a_time_and_with_the_definition(
    references: list[list[str]],
    answers: list[tuple[int, str]],
    form: Normalizer,
    screenqa: bool,
) -> None:
    prepared = SquadReferences.prepare(references, normalize=form, screenqa=screenqa)
    item = [index % len(references) for index, _ in answers]
    # Answers equal to some reference take a shorter path.
    predictions = [text for _, text in answers] + [one[0] for one in references]
    item += range(len(references))
    scores = prepared.score(item, predictions)
    rule = published_screenqa if screenqa else published
    for index, (chosen, prediction) in enumerate(zip(item, predictions, strict=True)):
        one = prepared.score_one(chosen, prediction)
        assert one == (scores.exact_match[index], scores.f1[index])
        assert one == pytest.approx(rule(prediction, references[chosen], form), abs=1e-12)


@given(texts, texts)
def test_f1_is_symmetric_and_between_zero_and_one(one: str, other: str) -> None:
    score = squad(one, [other])
    assert score == squad(other, [one])
    assert 0.0 <= score.f1 <= 1.0
    assert score.exact_match in (0.0, 1.0)


@given(texts)
def test_a_text_matches_itself_unless_nothing_is_left_of_it(text: str) -> None:
    assert squad(text, [text]) == (1.0, 1.0 if published_form(text) else 0.0)


@given(texts, references_of_one, texts)
def test_another_reference_never_lowers_a_score(
    prediction: str, references: list[str], another: str
) -> None:
    before, after = squad(prediction, references), squad(prediction, [*references, another])
    assert after.exact_match >= before.exact_match
    assert after.f1 >= before.f1


def test_prepared_references_survive_pickling() -> None:
    prepared = SquadReferences.prepare([["A cat"], [NO_ANSWER]], screenqa=True)
    copy = pickle.loads(pickle.dumps(prepared))
    assert copy.score([0, 1], ["cat", NO_ANSWER]).f1.tolist() == [1.0, 1.0]
    assert len(copy) == 2


def test_scores_are_float_arrays_also_for_no_prediction() -> None:
    prepared = SquadReferences.prepare([["A cat"]])
    for scores in (prepared.score([], []), prepared.score(np.array([0], np.int32), ["x"])):
        assert scores.exact_match.dtype == scores.f1.dtype == np.float64
    generic = SquadReferences.prepare([["A cat"]], normalize=normalize.identity)
    assert generic.score([], []).f1.shape == (0,)


def test_no_reference_is_an_error_and_not_a_zero() -> None:
    with pytest.raises(MetricError, match="item 0 has no reference"):
        squad("cat", [])
    with pytest.raises(MetricError, match="item 0 has no reference"):
        screenqa_short(NO_ANSWER, [])
    with pytest.raises(MetricError, match="item 1 has no reference"):
        SquadReferences.prepare([["cat"], []])


@pytest.mark.parametrize("item", [-1, 1])
def test_an_item_that_does_not_exist_is_an_error(item: int) -> None:
    prepared = SquadReferences.prepare([["cat"]])
    with pytest.raises(MetricError, match=f"no item {item}: there are 1, counted from 0"):
        prepared.score_one(item, "cat")
    with pytest.raises(MetricError, match=f"no item {item}: there are 1, counted from 0"):
        prepared.score([0, item], ["cat", "cat"])


def test_item_indices_must_be_one_integer_for_each_prediction() -> None:
    prepared = SquadReferences.prepare([["cat"]])
    with pytest.raises(MetricError, match=r"1 predictions need .* shape \(2,\)"):
        prepared.score([0, 0], ["cat"])
    with pytest.raises(MetricError, match="must be integers, not float64"):
        prepared.score(np.array([0.5]), ["cat"])  # pyright: ignore[reportArgumentType]  # the error


@pytest.mark.slow
@pytest.mark.realdata
def test_the_whole_test_split_agrees_with_the_published_definition(screenqa_data: Path) -> None:
    path = screenqa_data / "short_answers" / "test.json"
    questions = json.loads(path.read_text(encoding="utf-8"))
    references: list[list[str]] = [question["ground_truth"] for question in questions]
    assert len(references) == 8419

    draw = random.Random(7)
    everything = [text for texts in references for text in texts]
    item: list[int] = []
    predictions: list[str] = []
    for index, texts in enumerate(references):
        gold = draw.choice(texts)
        words = gold.split()
        answers = (
            gold,
            gold.swapcase(),
            f"The answer is:\n{gold}.",
            f"“{gold}”",
            " ".join(draw.sample(words, len(words))),
            " ".join(words[1:]),
            f"{gold} {gold}",
            gold.replace(" ", "\u2028the\xa0"),
            draw.choice(everything),
            draw.choice(["", "the", "$", "<No answer>", "no answer", "\x00", "a\x1can", "İ ß"]),
            NO_ANSWER,
        )
        item += [index] * len(answers)
        predictions += answers

    prepared = SquadReferences.prepare(references, screenqa=True)
    scores = prepared.score(item, predictions)
    expected = [
        published_screenqa(prediction, references[index])
        for index, prediction in zip(item, predictions, strict=True)
    ]
    exact, f1 = np.array(expected).T
    np.testing.assert_array_equal(scores.exact_match, exact)
    np.testing.assert_allclose(scores.f1, f1, rtol=0, atol=1e-12)
    one = [
        prepared.score_one(index, prediction)
        for index, prediction in zip(item, predictions, strict=True)
    ]
    np.testing.assert_array_equal(np.array(one), np.stack(scores, axis=1))

    # BENCHMARKS 3.3: 21 references normalize to nothing, so an empty answer "matches" them.
    assert sum(not published_form(text) for texts in references for text in texts) == 21
