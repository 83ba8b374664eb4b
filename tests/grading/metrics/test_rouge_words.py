"""ROUGE of given words, beside Google's package."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import (  # pyright: ignore[reportMissingTypeStubs]  # it has none
    RougeScorer,
)

from snellen.grading.metrics.rouge_words import word_rouge

SCORER: Any = RougeScorer(["rouge1", "rouge2", "rougeL"])
WORDS = st.lists(st.sampled_from(["a", "b", "the", "cat", "sat"]), max_size=12)


@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [
        ("the cat sat", "the cat sat", (1, 1, 1)),
        ("a a a b", "a b", (2 / 3, 1 / 2, 2 / 3)),
        ("hello world", "world hello", (1, 0, 1 / 2)),
        ("cat", "cat", (1, 0, 1)),
        ("cat", "dog", (0, 0, 0)),
        ("", "cat", (0, 0, 0)),
        ("cat", "", (0, 0, 0)),
        ("", "", (1, 1, 1)),
    ],
)
def test_worked_values(prediction: str, reference: str, expected: tuple[float, ...]) -> None:
    assert word_rouge(prediction.split(), reference.split()) == expected


@given(WORDS, WORDS)
def test_values_are_those_of_the_package(prediction: list[str], reference: list[str]) -> None:
    if not prediction and not reference:
        return
    found = word_rouge(prediction, reference)
    package = SCORER.score(" ".join(reference), " ".join(prediction))
    for name, value in found._asdict().items():
        assert value == pytest.approx(package[name].fmeasure, abs=1e-12)


@given(WORDS.filter(lambda words: len(words) > 1))
def test_equal_texts_score_exactly_one(words: list[str]) -> None:
    assert word_rouge(words, list(words)) == (1.0, 1.0, 1.0)
