"""Chat completions: what is sent and what is read."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from snellen.grading.errors import InputError
from snellen.grading.models.items import AnswerFormat, AnswerKind, Item
from snellen.grading.parse.refusals import is_refusal, safety_answer
from snellen.sdk.models import openai_chat
from snellen.sdk.models.endpoints import Endpoint
from snellen.sdk.models.faults import Fault
from snellen.sdk.models.questions import REFUSED, Question
from snellen.sdk.models.settings import Decoding
from snellen.tasks.views import view

Png = Callable[..., bytes]

ITEM = Item(
    id="test/0/0",
    task="screenqa/short",
    prompt="How many?",
    answer_format=AnswerFormat(kind=AnswerKind.TEXT, example="7"),
)


def reply(message: dict[str, Any], finish: str | None = "stop", **rest: Any) -> bytes:
    return json.dumps({"choices": [{"message": message, "finish_reason": finish}], **rest}).encode()


def sent(decoding: Decoding, *, detail: str | None = None, images: dict[str, Any]) -> Any:
    endpoint = Endpoint("http://x/v1", "toy", detail=detail)
    parameters = openai_chat.parameters(endpoint, decoding)
    return json.loads(openai_chat.body("toy", Question(ITEM, "How many?", images), parameters))


def test_a_text_alone_is_sent_as_text() -> None:
    assert sent(Decoding(), images={}) == {
        "model": "toy",
        "messages": [{"role": "user", "content": "How many?"}],
        "temperature": 0.0,
        "max_tokens": 1024,
    }


def test_images_go_before_the_text_in_the_item_s_order(png: Png) -> None:
    images = {"before": view(png(color=1)), "after": view(png(color=2))}
    content = sent(Decoding(), detail="high", images=images)["messages"][0]["content"]
    assert [part["type"] for part in content] == ["image_url", "image_url", "text"]
    assert content[0]["image_url"]["url"].startswith("data:image/png;base64,iVBOR")
    assert content[0]["image_url"]["url"] != content[1]["image_url"]["url"]
    assert content[0]["image_url"]["detail"] == "high"


def test_the_detail_is_no_field_of_the_request_itself(png: Png) -> None:
    body = sent(Decoding(), detail="low", images={"screen": view(png())})
    assert "detail" not in body


def test_what_is_none_is_not_sent_and_what_is_extra_is() -> None:
    decoding = Decoding(temperature=None, max_tokens=None, extra={"max_completion_tokens": 9})
    body = sent(decoding, images={})
    assert body.keys() == {"model", "messages", "max_completion_tokens"}


def test_a_prompt_that_is_no_unicode_is_sent_all_the_same() -> None:
    body = json.loads(openai_chat.body("toy", Question(ITEM, "a\ud83db"), {}))
    assert body["messages"][0]["content"] == "a\ufffdb"


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": "7"}, "7"),
        ({"content": " 7\n"}, " 7\n"),
        ({"content": ""}, ""),
        ({"content": None}, ""),
        ({}, ""),
        ({"content": [{"type": "text", "text": "se"}, {"type": "text", "text": "ven"}]}, "seven"),
        ({"content": ["se", {"type": "output_text", "text": "ven"}]}, "seven"),
        ({"content": "7", "reasoning_content": "hm", "reasoning": "hm"}, "7"),
        ({"content": None, "reasoning_content": "hm"}, ""),
        ({"content": [{"type": "thinking", "thinking": [{"text": "hm"}]}, {"text": "7"}]}, "7"),
        ({"content": [{"type": "reasoning", "text": "hm"}, {"text": "7"}]}, "7"),
    ],
)
def test_the_answer_is_the_content_without_reasoning(message: dict[str, Any], text: str) -> None:
    answer = openai_chat.read(reply(message))
    assert answer.text == text
    assert not answer.refused
    assert not answer.cut


@pytest.mark.parametrize(
    ("message", "finish", "text"),
    [
        ({"content": None, "refusal": "I can't."}, "stop", "I can't."),
        ({"content": [{"type": "refusal", "refusal": "I can't."}]}, "stop", "I can't."),
        ({"content": "Well,"}, "content_filter", "Well,"),
        ({"content": None}, "content_filter", REFUSED),
        ({"content": " "}, "content_filter", REFUSED),
    ],
)
def test_a_refusal_is_a_response(message: dict[str, Any], finish: str, text: str) -> None:
    answer = openai_chat.read(reply(message, finish))
    assert answer.text == text
    assert answer.refused
    assert answer.meta()["refused"] is True


def test_what_a_filter_held_back_is_graded_as_a_refusal() -> None:
    assert is_refusal(REFUSED)
    assert safety_answer(REFUSED) is not None
    for error in ({"code": "content_filter"}, {"code": "content_policy_violation"}):
        answer = openai_chat.read(json.dumps({"error": error}).encode())
        assert (answer.text, answer.refused) == (REFUSED, True)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"finish_reason": "error"}, "the answer is incomplete: finish_reason is 'error'"),
        ({"finish_reason": "abort"}, "the answer is incomplete"),
        ({"finish_reason": "cancelled"}, "the answer is incomplete"),
        ({"finish_reason": "insufficient_system_resource"}, "the answer is incomplete"),
        ({"error": {"code": 503, "message": "upstream died"}}, "HTTP 503: upstream died"),
        ({"error": "died"}, "HTTP 502: died"),
        ({"error": {"code": 1.5, "message": "x"}}, "HTTP 502: x"),
    ],
)
def test_a_fault_of_the_server_behind_a_gateway_is_no_answer(
    fields: dict[str, Any], message: str
) -> None:
    choice = {"message": {"content": "par"}, "finish_reason": "stop"}
    bodies: list[dict[str, Any]] = [{"choices": [choice | fields]}]
    if "error" in fields:
        bodies.append({"choices": [choice]} | fields)
    for body in bodies:
        with pytest.raises(Fault, match=message) as fault:
            openai_chat.read(json.dumps(body).encode())
        assert fault.value.passing


@pytest.mark.parametrize(
    ("rest", "tokens"),
    [
        ({"usage": {"prompt_tokens": "100", "completion_tokens": 5.0}}, (100, 5)),
        ({"usage": {"prompt_tokens": -1, "completion_tokens": 1e3}}, (None, 1000)),
        ({"usage": {"prompt_tokens": True, "completion_tokens": "many"}}, (None, None)),
        ({"usage": [7]}, (None, None)),
        ({"error": {}}, (None, None)),
        ({"error": {"code": None, "message": ""}}, (None, None)),
        ({"error": ""}, (None, None)),
    ],
)
def test_a_good_answer_is_not_lost_for_what_stands_beside_it(
    rest: dict[str, Any], tokens: tuple[int | None, int | None]
) -> None:
    answer = openai_chat.read(reply({"content": "7"}, **rest))
    assert answer.text == "7"
    assert (answer.input_tokens, answer.output_tokens) == tokens


def test_a_byte_order_mark_and_further_choices_do_no_harm() -> None:
    body = {"choices": [{"message": {"content": "7"}, "finish_reason": 3}, "what"]}
    answer = openai_chat.read(json.dumps(body).encode("utf-8-sig"))
    assert (answer.text, answer.finish_reason) == ("7", None)


def test_an_answer_that_was_cut_is_one_and_says_so() -> None:
    answer = openai_chat.read(reply({"content": "The answer is"}, "length"))
    assert answer.text == "The answer is"
    assert answer.meta() == {"finish_reason": "length", "cut": True}


def test_tokens_are_taken_from_the_api_s_own_count() -> None:
    usage = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}
    meta = openai_chat.read(reply({"content": "7"}, usage=usage)).meta()
    assert meta == {"input_tokens": 12, "output_tokens": 3, "finish_reason": "stop"}
    assert openai_chat.read(reply({"content": "7"}, None, usage=None)).meta() == {}


def test_half_a_surrogate_pair_in_an_answer_becomes_a_replacement_character() -> None:
    assert openai_chat.read(reply({"content": "smile \ud83d"})).text == "smile \ufffd"


@pytest.mark.parametrize(
    "content", [b"", b"{", b"null", b'{"choices": null}', b'{"choices": [{"message": 7}]}', b"\xff"]
)
def test_anything_else_is_a_fault_that_may_pass(content: bytes) -> None:
    with pytest.raises(Fault) as fault:
        openai_chat.read(content)
    assert fault.value.passing


@pytest.mark.parametrize(
    "settings",
    [
        {"temperature": -1},
        {"temperature": float("nan")},
        {"top_p": 0},
        {"top_p": 1.5},
        {"max_tokens": 0},
        {"stop": "\n"},
        {"extra": {"messages": []}},
        {"extra": {"x": object()}},
    ],
)
def test_decoding_that_makes_no_sense_is_refused(settings: dict[str, Any]) -> None:
    (name,) = settings
    with pytest.raises(InputError, match=f"field '{name}'"):
        Decoding(**settings)
