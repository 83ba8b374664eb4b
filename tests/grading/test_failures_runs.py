"""Failure tags of whole runs: batches, and real references spoiled in known ways."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from snellen.grading.failures.clues import Clues
from snellen.grading.failures.tagging import Items, Tagged, failure_tags, tag_failures
from snellen.grading.failures.tags import FailureTag
from snellen.grading.grade import Answers, Grader
from snellen.grading.models.geometry import Size
from snellen.grading.protocols.base import Context, Protocol
from snellen.grading.protocols.table import gold_shape, protocol_of

T = FailureTag
SHORT = "screenqa/short"


def batch(
    protocol: Protocol, items: Items, answers: Answers, *, below: float = 1.0
) -> list[Tagged]:
    columns = Grader.of(protocol, items.golds, items.contexts).batch(answers)
    return list(tag_failures(protocol, items, [(answers, columns)], below=below))


def test_a_batch_tags_its_failures_in_order_and_leaves_the_rest() -> None:
    golds = [["12"], ["Francisco"], ["<no answer>"]]
    answers = Answers(
        items=np.array([2, 0, 1, 0, 1]),
        attempts=[0, 0, 0, 1, 1],
        responses=["yes", "12", "Franzisco", "13", "12"],
        errors=[None, None, None, None, "timed out"],
    )
    assert batch(protocol_of(SHORT), Items(golds), answers) == [
        Tagged(2, 0, (T.ANSWERED_UNANSWERABLE,)),
        Tagged(1, 0, (T.NEAR_TEXT,)),
        Tagged(0, 1, (T.NUMBERS_DIFFER,)),
        Tagged(1, 1, (T.ERROR,)),
    ]


def test_a_mark_leaves_partial_successes_out() -> None:
    golds = [["12 men"], ["12 men"]]
    answers = Answers(np.array([0, 1]), [0, 0], ["12 women", "3 women"])
    protocol = protocol_of(SHORT)
    assert [one.item for one in batch(protocol, Items(golds), answers)] == [0, 1]
    assert [one.item for one in batch(protocol, Items(golds), answers, below=0.5)] == [1]


def test_a_batch_says_of_each_response_what_it_would_say_of_it_alone() -> None:
    protocol = protocol_of("mmbench-gui/l2_basic", "official")
    shape = gold_shape(protocol.task)
    golds = [shape.read([0.4, 0.4, 0.6, 0.6]) for _ in range(5)]
    contexts = [Context(width=100 * side, height=100) for side in range(1, 6)]
    clues = [Clues(view=Size(width=side, height=side)) for side in range(10, 60, 10)]
    responses = ["(50, 50)", "nowhere", "(10, 10)", '{"x": 0.5, "y": 0.5}', "(0.7, 0.5)"]
    answers = Answers(np.arange(5), [0] * 5, responses)
    found = {one.item: one.tags for one in batch(protocol, Items(golds, contexts, clues), answers)}
    assert len(set(found.values())) == 4
    for item, (response, gold) in enumerate(zip(responses, golds, strict=True)):
        alone = failure_tags(protocol, response, gold, context=contexts[item], clues=clues[item])
        assert found.get(item, ()) == alone


def test_no_failures_make_no_tags() -> None:
    answers = Answers(np.array([0]), [0], ["12"])
    assert batch(protocol_of(SHORT), Items([["12"]]), answers) == []
    assert list(tag_failures(protocol_of(SHORT), Items([["12"]]), [])) == []


# ---- real answers, spoiled ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def questions(screenqa_data: Path) -> list[list[str]]:
    """Return the references of the test split."""
    path = screenqa_data / "short_answers" / "test.json"
    return [row["ground_truth"] for row in json.loads(path.read_text(encoding="utf-8"))]


def spoiled(golds: list[list[str]], responses: list[str]) -> Counter[FailureTag | None]:
    """Count how often each tag is given; None: a failure without a tag."""
    answers = Answers(np.arange(len(golds)), [0] * len(golds), responses)
    found = batch(protocol_of(SHORT), Items(golds), answers)
    return Counter(tag for one in found for tag in (one.tags or (None,)))


@pytest.mark.slow
@pytest.mark.realdata
def test_spoiled_references_get_the_tag_of_what_spoiled_them(questions: list[list[str]]) -> None:
    spoken = [gold for gold in questions if all(text != "<no answer>" for text in gold)]
    wordy = [gold for gold in spoken if len(gold) == 1 and len(gold[0].split()) > 3]
    assert len(spoken) > 7000
    assert len(wordy) > 50

    assert spoiled(spoken, ["<no answer>"] * len(spoken)) == {T.SAID_NO_ANSWER: len(spoken)}
    wrapped = [json.dumps({"answer": gold[0], "why": "it says so"}) for gold in spoken]
    found = spoiled(spoken, wrapped)
    assert found[T.FORMAT] > 0.98 * found.total()
    found = spoiled(wordy, [" ".join(gold[0].split()[:-1]) for gold in wordy])
    assert found[T.PART_OF_ANSWER] > 0.9 * found.total()
    found = spoiled(wordy, [f"{gold[0]} zebra" for gold in wordy])
    assert found[T.EXTRA_WORDS] > 0.95 * found.total()


@pytest.mark.slow
@pytest.mark.realdata
def test_answers_to_other_questions_are_rarely_near(questions: list[list[str]]) -> None:
    responses = [gold[0] for gold in questions[4000:] + questions[:4000]]
    found = spoiled(questions, responses)
    assert found[T.NEAR_TEXT] + found[T.FORMAT] < 0.005 * found.total()
    assert found[None] > 0.8 * found.total()
