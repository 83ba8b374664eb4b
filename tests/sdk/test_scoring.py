"""`sdk.score` and `sdk.read`: what an API returned is opened before any protocol reads it."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from miniatures import references

from snellen import sdk
from snellen.grading.models.base import Closed
from snellen.grading.protocols.table import PROTOCOLS, gold_shape, protocols_of


class Message(Closed):
    """An object of an SDK."""

    role: str
    content: str


ENVELOPES: dict[str, Callable[[str], object]] = {
    "chat completion": lambda text: {
        "object": "chat.completion",
        "created": 1,
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}}],
    },
    "Responses": lambda text: {
        "object": "response",
        "output": [{"type": "message", "content": [{"type": "output_text", "text": text}]}],
    },
    "Claude": lambda text: {"type": "message", "content": [{"type": "text", "text": text}]},
    "Gemini": lambda text: {
        "candidates": [{"content": {"role": "model", "parts": [{"text": text}]}}]
    },
    "an SDK's object": lambda text: Message(role="assistant", content=text),
    "a conversation": lambda text: [
        {"role": "user", "content": "1"},
        {"role": "assistant", "content": text},
    ],
}


@pytest.mark.parametrize("task", PROTOCOLS)
def test_every_protocol_scores_the_text_of_an_object_as_the_text(task: str) -> None:
    shape, gold = gold_shape(task), next(iter(references()[task]))
    said = shape.responses(shape.read(gold))[0]
    texts = [said if isinstance(said, str) else json.dumps(said), "B", "<think>x</think>(0.5, 0.3)"]
    for protocol in protocols_of(task):
        for text in texts:
            own: Any = sdk.score(task, text, gold, protocol=protocol.id)
            for name, seal in ENVELOPES.items():
                score = sdk.score(task, seal(text), gold, protocol=protocol.id)
                assert (score.outcome, score.metrics) == (own.outcome, own.metrics), name


@pytest.mark.parametrize("task", PROTOCOLS)
def test_a_refusal_of_an_api_is_zero_and_says_so(task: str) -> None:
    shape, gold = gold_shape(task), next(iter(references()[task]))
    said = str(shape.responses(shape.read(gold))[0])
    for protocol in protocols_of(task):
        score = sdk.score(
            task,
            {"role": "assistant", "content": None, "refusal": said},
            gold,
            protocol=protocol.id,
        )
        assert (score.value, score.outcome) == (0.0, sdk.Outcome.REFUSED)
        assert "refused" in score.note


def test_a_message_without_a_text_is_empty() -> None:
    score = sdk.score("screenqa/short", {"role": "assistant", "content": None}, ["12"])
    assert (score.value, score.outcome) == (0.0, sdk.Outcome.EMPTY)


def test_the_answer_of_a_stored_object_is_read_in_a_file_too() -> None:
    rows = [{"item_id": "a", "response": ENVELOPES["Responses"]("12")}]
    report = sdk.grade(rows, task="screenqa/short", references={"a": ["12"]})
    assert report.value == 1.0
    assert not report.input.problems
