"""Chat completions, the API of OpenAI, vLLM, llama.cpp's server, Ollama and most others.

Source: platform.openai.com/docs/api-reference/chat.
"""

from collections.abc import Mapping

import msgspec
from pydantic import JsonValue

from snellen.sdk.models.endpoints import Endpoint
from snellen.sdk.models.faults import Fault
from snellen.sdk.models.questions import REFUSED, Answer, Question
from snellen.sdk.models.replies import (
    base64_of,
    body_of,
    count_of,
    fault_within,
    fields_of,
    filtered,
    part_of,
    reply_of,
    says_error,
    word_of,
)
from snellen.sdk.models.settings import Decoding

PATH = "/chat/completions"
_FILTER = "content_filter"
# The finish reasons of vLLM, DeepSeek and OpenRouter for answers that they could not finish.
_BROKEN = frozenset({"error", "abort", "cancelled", "canceled", "insufficient_system_resource"})


class _Part(msgspec.Struct):
    type: str = "text"
    text: str | None = None
    refusal: str | None = None


class _Message(msgspec.Struct):
    # Reasoning has its own fields and parts, which are not read.
    content: str | list[_Part | str] | None = None
    refusal: str | None = None


# Other fields than the message may have any type, so that they can't make an answer invalid.
class _Choice(msgspec.Struct):
    message: object = None
    finish_reason: object = None
    error: object = None


class _Reply(msgspec.Struct):
    choices: list[object] | None = None
    usage: object = None
    error: object = None


def headers(endpoint: Endpoint) -> dict[str, str]:
    """Return the headers of every request."""
    key = endpoint.secret()
    own = {"content-type": "application/json"}
    if key:
        own["authorization"] = f"Bearer {key}"
    return own | {name.lower(): value for name, value in endpoint.headers.items()}


def parameters(endpoint: Endpoint, decoding: Decoding) -> dict[str, JsonValue]:
    """Return the decoding parameters under the API's names."""
    detail: dict[str, JsonValue] = {} if endpoint.detail is None else {"detail": endpoint.detail}
    return detail | decoding.stated()


def body(name: str, question: Question, decoding: Mapping[str, JsonValue]) -> bytes:
    """Return the body of the request for a question: its images, then its text."""
    sent = dict(decoding)
    detail = sent.pop("detail", None)
    content: object = question.prompt
    if question.images:
        parts: list[dict[str, object]] = []
        for view in question.images.values():
            image = {"url": f"data:{view.media_type};base64,{base64_of(view)}"}
            if isinstance(detail, str):
                image["detail"] = detail
            parts.append({"type": "image_url", "image_url": image})
        content = [*parts, {"type": "text", "text": question.prompt}]
    return body_of({"model": name, "messages": [{"role": "user", "content": content}], **sent})


def read(content: bytes) -> Answer:
    """Read the answer in a reply.

    Raises:
        Fault: The reply is not valid, or reports an error.
    """
    reply = reply_of(content, _Reply)
    choice = part_of(reply.choices[0], _Choice, content) if reply.choices else None
    for error in (reply.error, None if choice is None else choice.error):
        if says_error(error):
            code = filtered(msgspec.json.encode({"error": error}))
            if code is None:
                raise fault_within(error)
            return Answer(REFUSED, finish_reason=code, refused=True)
    if choice is None:
        raise Fault("the reply has no choices", passing=True)
    finish = word_of(choice.finish_reason)
    if finish is not None and finish.lower() in _BROKEN:
        raise Fault(f"the answer is incomplete: finish_reason is {finish!r}", passing=True)
    text, refusal = _texts(part_of(choice.message, _Message, content))
    filtered_out = finish == _FILTER
    if filtered_out and not (text or refusal).strip():
        refusal = REFUSED
    usage = fields_of(reply.usage)
    return Answer(
        text=text if text.strip() else refusal or text,
        input_tokens=count_of(usage.get("prompt_tokens")),
        output_tokens=count_of(usage.get("completion_tokens")),
        finish_reason=finish,
        cut=finish == "length",
        refused=bool(refusal) or filtered_out,
    )


def _texts(message: _Message) -> tuple[str, str]:
    """Return a message's answer and its refusal."""
    refusal = message.refusal or ""
    content = message.content
    if content is None or isinstance(content, str):
        return content or "", refusal
    parts = [_Part(text=part) if isinstance(part, str) else part for part in content]
    text = "".join(part.text or "" for part in parts if part.type in ("text", "output_text"))
    return text, refusal or "".join(part.refusal or "" for part in parts)
