"""Anthropic's Messages API. Source: docs.claude.com/en/api/messages."""

from collections.abc import Mapping

import msgspec
from pydantic import JsonValue

from snellen.grading.errors import InputError
from snellen.sdk.models.endpoints import Endpoint
from snellen.sdk.models.faults import Fault
from snellen.sdk.models.questions import REFUSED, Answer, Question
from snellen.sdk.models.replies import (
    base64_of,
    body_of,
    count_of,
    fault_within,
    fields_of,
    reply_of,
    says_error,
    word_of,
)
from snellen.sdk.models.settings import Decoding

PATH = "/v1/messages"
_VERSION = "2023-06-01"


class _Block(msgspec.Struct):
    # A thinking block has no text, and its content is not read.
    type: str
    text: str | None = None


# Other fields than the content may have any type, so that they can't make an answer invalid.
class _Reply(msgspec.Struct):
    content: list[_Block] | None = None
    stop_reason: object = None
    usage: object = None
    error: object = None


def headers(endpoint: Endpoint) -> dict[str, str]:
    """Return the headers of every request."""
    key = endpoint.secret()
    own = {"content-type": "application/json", "anthropic-version": _VERSION}
    if key:
        own["x-api-key"] = key
    return own | {name.lower(): value for name, value in endpoint.headers.items()}


def parameters(_: Endpoint, decoding: Decoding) -> dict[str, JsonValue]:
    """Return the decoding parameters under the API's names.

    Raises:
        InputError: The API does not accept a given parameter, or requires a missing one.
    """
    if decoding.seed is not None:
        raise InputError("Anthropic's API takes no seed", field="seed")
    if decoding.max_tokens is None:
        raise InputError("Anthropic's API needs it", field="max_tokens")
    stated = decoding.stated()
    if "stop" in stated:
        stated["stop_sequences"] = stated.pop("stop")
    return stated


def body(name: str, question: Question, decoding: Mapping[str, JsonValue]) -> bytes:
    """Return the body of the request for a question: its images, then its text."""
    content: object = question.prompt
    if question.images:
        images = [
            {
                "type": "image",
                "source": {
                    "type": "base64",
                    "media_type": view.media_type,
                    "data": base64_of(view),
                },
            }
            for view in question.images.values()
        ]
        content = [*images, {"type": "text", "text": question.prompt}]
    return body_of({"model": name, "messages": [{"role": "user", "content": content}], **decoding})


def read(content: bytes) -> Answer:
    """Read the answer in a reply.

    Raises:
        Fault: The reply is not valid, or reports an error.
    """
    reply = reply_of(content, _Reply)
    if says_error(reply.error):
        raise fault_within(reply.error)
    if reply.content is None:
        raise Fault("the reply has no content", passing=True)
    usage = fields_of(reply.usage)
    fresh = count_of(usage.get("input_tokens"))
    cached = (
        count_of(usage.get("cache_creation_input_tokens")),
        count_of(usage.get("cache_read_input_tokens")),
    )
    reason = word_of(reply.stop_reason)
    refused = reason == "refusal"
    text = "".join(block.text or "" for block in reply.content if block.type == "text")
    return Answer(
        text=REFUSED if refused and not text.strip() else text,
        input_tokens=None if fresh is None else fresh + sum(count or 0 for count in cached),
        output_tokens=count_of(usage.get("output_tokens")),
        finish_reason=reason,
        cut=reason in ("max_tokens", "model_context_window_exceeded"),
        refused=refused,
    )
