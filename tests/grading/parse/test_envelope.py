"""What an API returned is opened: what was said, and the tools that were called."""

import json
from typing import Any

import pytest

from snellen.grading.parse.envelope import Opened, ToolUse, answer_in, opened

CLICK = ToolUse("click", {"x": 1}, "chat")
CALL = {"type": "function", "id": "1", "function": {"name": "click", "arguments": '{"x": 1}'}}

SAID: dict[str, Any] = {
    "a chat message": {"role": "assistant", "content": "B"},
    "a chat message of parts": {"role": "assistant", "content": [{"type": "text", "text": "B"}]},
    "a completion": {"choices": [{"index": 0, "message": {"role": "assistant", "content": "B"}}]},
    "Responses": {
        "output": [
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "A?"}]},
            {"type": "message", "content": [{"type": "output_text", "text": "B"}]},
        ]
    },
    "Claude's blocks": [
        {"type": "thinking", "thinking": "A?", "signature": "x"},
        {"type": "text", "text": "B"},
    ],
    "Claude's message": {"type": "message", "content": [{"type": "text", "text": "B"}]},
    "Gemini": {"candidates": [{"content": {"role": "model", "parts": [
        {"text": "A?", "thought": True}, {"text": "B"}]}}]},
    "a row of a batch": {"custom_id": "1", "response": {"status_code": 200, "body": {
        "choices": [{"message": {"role": "assistant", "content": "B"}}]}}},
    "a conversation": [{"role": "user", "content": "A?"}, {"role": "assistant", "content": "A"},
        {"role": "user", "content": "Sure?"}, {"role": "assistant", "content": "B"}],
    "an object of an SDK": {"candidates": [{"content": {"role": "model", "parts": [
        {"text": "B", "thought": None, "function_call": None}]}, "finish_reason": "STOP"}]},
    "an answer after a search of the server": [
        {"type": "server_tool_use", "id": "1", "name": "web_search", "input": {"query": "A"}},
        {"type": "web_search_tool_result", "tool_use_id": "1", "content": []},
        {"type": "text", "text": "B"}],
    "Responses after a search": {"object": "response", "output": [
        {"type": "web_search_call", "id": "1", "status": "completed"},
        {"type": "message", "content": [{"type": "output_text", "text": "B"}]}]},
}  # fmt: skip


@pytest.mark.parametrize("name", SAID)
@pytest.mark.parametrize("as_text", [False, True])
def test_every_api_says_the_same(name: str, as_text: bool) -> None:
    assert opened(json.dumps(SAID[name]) if as_text else SAID[name]) == Opened("B")


CALLED: dict[str, Any] = {
    "chat": {"role": "assistant", "content": None, "tool_calls": [CALL]},
    "Responses": [{"type": "function_call", "name": "click", "arguments": '{"x": 1}'}],
    "Claude": [{"type": "tool_use", "id": "1", "name": "click", "input": {"x": 1}}],
    "Gemini": {"functionCall": {"name": "click", "args": {"x": 1}}},
    "Inspect": {"choices": [{"stop_reason": "tool_calls", "message": {
        "role": "assistant", "content": "", "tool_calls": [
            {"id": "1", "function": "click", "arguments": {"x": 1}, "type": "function"}]}}]},
}  # fmt: skip


@pytest.mark.parametrize("name", CALLED)
def test_every_api_calls_the_same(name: str) -> None:
    found = opened(CALLED[name])
    assert found is not None
    assert [call[:2] for call in found.calls] == [CLICK[:2]]


def test_a_text_after_the_last_call_is_the_text() -> None:
    blocks = [{"type": "text", "text": "A"}, CALLED["Claude"][0], {"type": "text", "text": "B"}]
    assert opened(blocks) == Opened("B", (ToolUse("click", {"x": 1}, "claude"),))


@pytest.mark.parametrize(
    "response",
    ["B", "", '{"answer": "B"}', [0.5, 0.5], {"x": 1}, [["a"], "b"], [[[0, 0, 1, 1], "OK"]],
     [{"text": "OK", "box": [0, 0, 1, 1]}], {"a|b": "left"}, None, 3, [],
     '{"content": ' * 200_000],
    ids=lambda given: str(given)[:30],
)  # fmt: skip
def test_what_is_none_of_them_stays_as_it_is(response: object) -> None:
    assert opened(response) is None


REFUSED: dict[str, Any] = {
    "chat": {"role": "assistant", "content": None, "refusal": "I can't say B."},
    "a part": {"role": "assistant", "content": [{"type": "refusal", "refusal": "No B."}]},
    "a filter": {
        "choices": [
            {"finish_reason": "content_filter", "message": {"role": "assistant", "content": None}}
        ]
    },
    "Claude": {"type": "message", "content": [], "stop_reason": "refusal"},
    "Gemini": {"candidates": [{"finishReason": "SAFETY", "index": 0}]},
    "Inspect": {
        "choices": [
            {"stop_reason": "content_filter", "message": {"role": "assistant", "content": ""}}
        ]
    },
    "a blocked prompt": {"promptFeedback": {"blockReason": "SAFETY"}},
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_of_an_api_is_no_answer(name: str) -> None:
    assert opened(REFUSED[name]) == Opened("", refused=True)
    assert answer_in(REFUSED[name]) is None


@pytest.mark.parametrize(
    "response",
    [
        "B",
        '{"role": "assistant", "content": "B"}',
        [0.5, 0.5],
        {"a|b": "left"},
        [{"type": "button", "text": "B"}, {"type": "text", "text": "A"}],
        {"role": "user", "content": "B"},
        {"role": "assistant", "content": "B", "tool_calls": [CALL]},
    ],
    ids=str,
)
def test_the_first_step_leaves_texts_values_and_calls_alone(response: object) -> None:
    assert answer_in(response) is response


def test_a_declared_format_stays_with_the_text_of_its_object() -> None:
    whole = {"response": {"role": "assistant", "content": "[1, 2]"}, "format": "qwen3-vl"}
    assert answer_in(whole) == {"response": "[1, 2]", "format": "qwen3-vl"}


def test_what_only_thought_has_said_nothing() -> None:
    assert answer_in({"role": "assistant", "content": None, "reasoning_content": "B"}) == ""
    assert answer_in({"role": "assistant", "content": []}) == ""
