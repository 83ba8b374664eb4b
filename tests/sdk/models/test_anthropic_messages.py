"""Anthropic's Messages API: what is sent and what is read."""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest

from snellen.grading.errors import InputError
from snellen.grading.models.items import AnswerFormat, AnswerKind, Item
from snellen.sdk.models import anthropic_messages
from snellen.sdk.models.endpoints import Endpoint
from snellen.sdk.models.faults import Fault
from snellen.sdk.models.questions import REFUSED, Question
from snellen.sdk.models.settings import Decoding
from snellen.tasks.views import view

Png = Callable[..., bytes]

ENDPOINT = Endpoint("https://api.anthropic.com", "claude", api="anthropic", key="k-123")
ITEM = Item(
    id="test/0/0",
    task="screenqa/short",
    prompt="How many?",
    answer_format=AnswerFormat(kind=AnswerKind.TEXT, example="7"),
)


def reply(*blocks: dict[str, Any], reason: str = "end_turn", **rest: Any) -> bytes:
    return json.dumps({"content": list(blocks), "stop_reason": reason, **rest}).encode()


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def test_the_key_and_the_version_are_headers() -> None:
    headers = anthropic_messages.headers(ENDPOINT)
    assert headers["x-api-key"] == "k-123"
    assert headers["anthropic-version"] == "2023-06-01"
    assert "authorization" not in headers


def test_a_header_of_one_s_own_goes_before_the_api_s() -> None:
    endpoint = Endpoint("https://x", "claude", "anthropic", headers={"Anthropic-Version": "2030"})
    assert anthropic_messages.headers(endpoint)["anthropic-version"] == "2030"


def test_images_are_base64_blocks_before_the_text(png: Png) -> None:
    data = png()
    body = anthropic_messages.body(
        "claude", Question(ITEM, "How many?", {"screen": view(data)}), {"max_tokens": 5}
    )
    assert json.loads(body) == {
        "model": "claude",
        "max_tokens": 5,
        "messages": [
            {
                "role": "user",
                "content": [
                    {
                        "type": "image",
                        "source": {
                            "type": "base64",
                            "media_type": "image/png",
                            "data": base64.b64encode(data).decode(),
                        },
                    },
                    {"type": "text", "text": "How many?"},
                ],
            }
        ],
    }


def test_decoding_goes_by_the_api_s_names() -> None:
    decoding = Decoding(top_p=0.5, stop=("\n",), extra={"top_k": 4})
    assert anthropic_messages.parameters(ENDPOINT, decoding) == {
        "temperature": 0.0,
        "top_p": 0.5,
        "max_tokens": 1024,
        "stop_sequences": ["\n"],
        "top_k": 4,
    }


@pytest.mark.parametrize(
    ("decoding", "message"),
    [(Decoding(seed=1), "takes no seed"), (Decoding(max_tokens=None), "max_tokens.*needs it")],
)
def test_what_the_api_can_not_do_is_said_before_it_is_asked(
    decoding: Decoding, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        anthropic_messages.parameters(ENDPOINT, decoding)


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ([text("7")], "7"),
        ([text("se"), text("ven")], "seven"),
        ([{"type": "thinking", "thinking": "hm", "signature": "x"}, text("7")], "7"),
        ([{"type": "redacted_thinking", "data": "x"}, text("7")], "7"),
        ([{"type": "tool_use", "name": "t"}], ""),
        ([], ""),
    ],
)
def test_the_answer_is_the_text_without_thinking(
    blocks: list[dict[str, Any]], expected: str
) -> None:
    assert anthropic_messages.read(reply(*blocks)).text == expected


def test_a_refusal_is_a_response() -> None:
    answer = anthropic_messages.read(reply(text("I'd rather not."), reason="refusal"))
    assert (answer.text, answer.refused) == ("I'd rather not.", True)
    assert anthropic_messages.read(reply(reason="refusal")).text == REFUSED


def test_a_fault_beside_the_content_is_no_answer() -> None:
    body: dict[str, Any] = {"content": [], "error": {"type": "api_error", "message": "broke off"}}
    with pytest.raises(Fault, match="HTTP 502: broke off") as fault:
        anthropic_messages.read(json.dumps(body).encode())
    assert fault.value.passing


def test_a_good_answer_is_not_lost_for_what_stands_beside_it() -> None:
    answer = anthropic_messages.read(reply(text("7"), usage={"input_tokens": "9"}, error={}))
    assert (answer.text, answer.input_tokens, answer.output_tokens) == ("7", 9, None)


@pytest.mark.parametrize("reason", ["max_tokens", "model_context_window_exceeded"])
def test_an_answer_that_was_cut_is_one_and_says_so(reason: str) -> None:
    answer = anthropic_messages.read(reply(text("The answer is"), reason=reason))
    assert answer.meta() == {"finish_reason": reason, "cut": True}


def test_tokens_read_from_the_prompt_cache_count_as_input() -> None:
    usage = {
        "input_tokens": 10,
        "output_tokens": 3,
        "cache_creation_input_tokens": 100,
        "cache_read_input_tokens": 1000,
    }
    answer = anthropic_messages.read(reply(text("7"), usage=usage))
    assert (answer.input_tokens, answer.output_tokens) == (1110, 3)


def test_a_reply_without_content_is_a_fault_that_may_pass() -> None:
    with pytest.raises(Fault, match="no content") as fault:
        anthropic_messages.read(b'{"type": "message"}')
    assert fault.value.passing
