"""WebArena's and VisualWebArena's rules on text, against tables by hand and NLTK's tokenizer."""

import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import pytest

from snellen import sdk
from snellen.grading.models.scores import Outcome, Score
from snellen.tasks.benchmarks.webarena.rules.strings import words

TASK = "webarena/verified"
TOKENIZER: Any = import_module("nltk.tokenize.destructive").NLTKWordTokenizer()
CHECK: Mapping[str, Any] = {
    "evaluator": "AgentResponseEvaluator",
    "results_schema": {"type": "array", "items": {"type": "string"}},
    "expected": {"task_type": "retrieve", "status": "SUCCESS", "retrieved_data": ["x"]},
}


def graded(
    answer: object, rules: Mapping[str, Any], protocol: str, kinds: tuple[str, ...] = ()
) -> Score:
    original = {"eval_types": kinds or ["string_match"], "reference_answers": rules}
    reference = {"sites": ["map"], "eval": [CHECK], "original": original}
    (score,) = sdk.grade(
        [{"item_id": "a", "response": answer}],
        task=TASK,
        references={"a": reference},
        protocol=protocol,
        progress=False,
    ).scores
    return score


def test_a_wrong_text_needs_no_model() -> None:
    rules = {"must_include": ["apple"], "fuzzy_match": ["7min"]}
    score = graded("pear", rules, "webarena")
    assert (score.outcome, score.value) == (Outcome.ANSWERED, 0)


@pytest.mark.parametrize(
    "text",
    [
        "it's 1,000.50 (net), not 5%.",
        "don't can't won't cannot",
        "$5.00, ok? yes! no...",
        "u.s.a. and http://a.b/c?d=e or foo@bar.com",
        "10:30 pm, 3/4 cup; a & b -- c",
        "555-229-3326 +1 2058812302 20mins 11th",
        "'quoted' and \"double\" [1] {2} <3>",
        "the '90s o'neil rock'n'roll",
        "arrives soon. then 2023/1. it's done.",
    ],
)
def test_words_are_those_of_nltks_tokenizer(text: str) -> None:
    sentences = re.split(r"(?<=[^\W\d_]{2}\.)\s+|(?<=[?!])\s+", text)
    tokens = [token for one in sentences for token in TOKENIZER.tokenize(one)]
    assert words(text) == [token.replace("``", '"').replace("''", '"') for token in tokens]
