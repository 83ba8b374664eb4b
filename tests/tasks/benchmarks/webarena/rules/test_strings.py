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


@pytest.mark.parametrize(
    ("answer", "rules", "webarena", "visualwebarena"),
    [
        ("Yes", {"exact_match": "yes"}, 1, 1),
        ('"Yes"', {"exact_match": "Yes"}, 1, 1),
        (" yes ", {"exact_match": "yes"}, 1, 0),
        ("Yes.", {"exact_match": "Yes"}, 0, 0),
        ("The Sprite Yoga Strap", {"must_include": ["sprite yoga"]}, 1, 1),
        # One word: WebArena looks for its letters anywhere, unless it is one letter or digit alone.
        ("557m", {"must_include": ["557"]}, 1, 0),
        ("it is 557 m", {"must_include": ["557"]}, 1, 1),
        ("10", {"must_include": ["0"]}, 0, 0),
        ("There are 0.", {"must_include": ["0"]}, 1, 1),
        ("10 and 5", {"must_include": ["0", "5"]}, 1, 0),
        ("bad apples", {"must_include": ["apple", "bad"]}, 1, 0),
        # WebArena takes |OR| for text.
        ("blue", {"must_include": ["red |OR| blue"]}, 0, 1),
        ("N/A", {"fuzzy_match": "N/A"}, 1, 1),
    ],
)
def test_an_answer_is_scored_by_both_rules(
    answer: str, rules: Mapping[str, Any], webarena: float, visualwebarena: float
) -> None:
    assert graded(answer, rules, "webarena").value == webarena
    assert graded(answer, rules, "visualwebarena").value == visualwebarena


@pytest.mark.parametrize(
    ("answer", "rules", "value"),
    [
        ("1,200", {"required_values": [">= 300", "< 1300"]}, 1),
        ("200", {"required_values": [">= 300 |OR| == 200"]}, 1),
        ("250", {"required_values": [">= 300 |OR| == 200"]}, 0),
        ("many", {"required_values": ["> 1"]}, 0),
        ("a red lamp", {"must_exclude": ["blue"]}, 1),
        ("a blue lamp", {"must_exclude": ["blue"]}, 0),
        ("bluebell", {"must_exclude": ["blue"]}, 1),
        ("a red lamp", {"one_of": ["blue", "red"]}, 1),
        ("a lamp", {"one_of": ["blue", "red"]}, 0),
    ],
)
def test_visualwebarena_knows_more_rules(
    answer: str, rules: Mapping[str, Any], value: float
) -> None:
    assert graded(answer, rules, "visualwebarena").value == value
    assert graded(answer, rules, "webarena").outcome is Outcome.ERROR


@pytest.mark.parametrize("protocol", ["webarena", "visualwebarena"])
@pytest.mark.parametrize(
    ("answer", "rules", "kinds"),
    [
        ("about 7 minutes", {"fuzzy_match": ["7min"]}, ()),
        ("It can't be done", {"fuzzy_match": "N/A"}, ()),
        ("done", {}, ("program_html",)),
        ("x", {"exact_match": "x"}, ("string_match", "url_match")),
    ],
)
def test_what_needs_a_model_or_the_live_site_is_an_error(
    protocol: str, answer: str, rules: Mapping[str, Any], kinds: tuple[str, ...]
) -> None:
    assert graded(answer, rules, protocol, kinds).outcome is Outcome.ERROR


def test_a_wrong_text_needs_no_model() -> None:
    rules = {"must_include": ["apple"], "fuzzy_match": ["7min"]}
    score = graded("pear", rules, "webarena")
    assert (score.outcome, score.value) == (Outcome.ANSWERED, 0)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ({"status": "SUCCESS", "retrieved_data": ["Lamp", 12.5, None]}, "Lamp, 12.5"),
        ({"status": "SUCCESS", "retrieved_data": [{"name": "A", "on": True}]}, "name: A, on: yes"),
        ({"status": "success", "retrieved_data": "Lamp"}, "Lamp"),
        ({"status": "NOT_FOUND_ERROR", "retrieved_data": None}, "N/A"),
        ("Lamp", "Lamp"),
        ({"agent_response": '{"status": "SUCCESS", "retrieved_data": ["Lamp"]}'}, "Lamp"),
    ],
)
def test_verifieds_json_is_read_as_text(answer: object, text: str) -> None:
    assert graded(answer, {"exact_match": text}, "webarena").value == 1


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
