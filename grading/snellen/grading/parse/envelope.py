"""Open what an API returned: from its object to what was said and the tools that were called.

Read are an OpenAI chat message or completion, a Responses output, Claude's content blocks, Gemini's
parts, a row of a batch's output, each as an object or as the JSON text of one. Thoughts that
the API keeps apart are left out.
"""

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

Fields = Mapping[str, object]

_LONGEST = 1_000_000
_DEEPEST = 8
_MARKS = (
    '"tool_use"', '"tool_calls"', '"functionCall"', '"function_call"', '"computer_call"',
    '"choices"', '"candidates"', '"content"', '"output_text"', '"custom_id"', '"parts"',
    '"type": "text"', '"type":"text"',
)  # fmt: skip
_TEXTS = frozenset({"text", "output_text", "input_text"})
_THOUGHTS = frozenset({"thinking", "redacted_thinking", "reasoning", "thought", "summary_text"})
_TOOL_CALLS = frozenset({"tool_use", "function_call", "custom_tool_call", "mcp_call"})
# What a server does for the model while it answers: searches, programs, their results.
_SERVED = ("_call", "_tool_result", "server_tool_use", "mcp_list_tools")
_SERVED_PARTS = (
    "executableCode", "executable_code", "codeExecutionResult", "code_execution_result",
)  # fmt: skip
_ROLES = frozenset({"assistant", "model", "ai"})
_ENDINGS = ("finish_reason", "finishReason", "stop_reason")
_BLOCKED = frozenset(
    {"content_filter", "refusal", "safety", "prohibited_content", "blocklist", "spii", "recitation"}
)
_DECLARING = frozenset({"format", "space", "view"})


class ToolUse(NamedTuple):
    """A tool that a model called through an API."""

    name: str  # the tool's name
    arguments: Fields  # its arguments, decoded
    api: str  # `claude`, `openai`, `gemini`, or `chat` where the form does not say whose it is


class Opened(NamedTuple):
    """What a response says."""

    text: str  # what was said after the last call of a tool, or all that was said if nothing was
    calls: tuple[ToolUse, ...] = ()  # the tools that were called, in order
    refused: bool = False  # whether the API reports a refusal, or a filter, in place of an answer


_REFUSED = ToolUse("", {}, "")
"""Stands among what was said for a refusal; it is no call."""


def answer_in(response: object) -> object:
    """Return the text that an API's object says: the first step of every protocol.

    Text stays as it is, and so does an object that calls a tool, or is none of an API's.

    Returns:
        The text, or the response itself; None for an object that says that the model refused.

    >>> answer_in({"role": "assistant", "content": "12"}), answer_in([0.5, 0.5])
    ('12', [0.5, 0.5])
    """
    if not isinstance(response, dict | list):
        return response
    if isinstance(response, dict) and "response" in response and _DECLARING & response.keys():
        fields = cast("Fields", response)
        said = answer_in(fields["response"])
        return None if said is None else {**fields, "response": said}
    found = opened(cast("object", response))
    # A part of a content may be a text alone; a response that is one has a form of its own.
    bare = isinstance(response, dict) and response.keys() == {"text"}
    if bare or found is None or found.calls:
        return cast("object", response)
    return None if found.refused else found.text


def opened(response: object) -> Opened | None:
    """Open an API's object, or its JSON text.

    Returns:
        What it says; None for a response that is none: a plain text, a list of numbers, a
        dictionary of another kind.

    >>> opened({"role": "assistant", "content": [{"type": "text", "text": "B"}]})
    Opened(text='B', calls=(), refused=False)
    >>> opened("B") is None
    True
    """
    if isinstance(response, str):
        response = _decoded(response)
    if not isinstance(response, dict | list):
        return None
    said: list[str | ToolUse] = []
    if not _add(cast("object", response), said, _DEEPEST):
        return None
    refused = _REFUSED in said
    said = [each for each in said if each is not _REFUSED]
    calls = tuple(each for each in said if isinstance(each, ToolUse))
    last = max((index for index, each in enumerate(said) if isinstance(each, ToolUse)), default=-1)
    texts = [each for each in said[last + 1 :] if isinstance(each, str)]
    if not any(text.strip() for text in texts):
        texts = [each for each in said if isinstance(each, str)]
    text = "\n".join(texts)
    return Opened(text, calls, refused and not text.strip() and not calls)


def _decoded(text: str) -> object:
    start = text.lstrip()[:1]
    if start not in ("{", "[") or not start or len(text) > _LONGEST:
        return None
    if not any(mark in text for mark in _MARKS):
        return None
    try:
        return cast("object", json.loads(text))
    except (ValueError, RecursionError):
        return None


def _add(value: object, said: list[str | ToolUse], depth: int) -> bool:
    """Add what a value says; return whether it has an API's form."""
    if depth == 0:
        return False
    if isinstance(value, list):
        parts = _last_turn(cast("list[object]", value))
        # All of them: a list of boxes may hold one dictionary with a text.
        return bool(parts) and all(_add(part, said, depth - 1) for part in parts)
    if not isinstance(value, dict):
        return False
    # Objects of SDKs hold every field that they know, most of them as None.
    fields = {name: part for name, part in cast("Fields", value).items() if part is not None}
    return _add_block(fields, said) or _add_holder(fields, said, depth)


def _add_block(fields: Fields, said: list[str | ToolUse]) -> bool:
    """Add one block of a content, or one part."""
    kind = _word(fields, "type")
    if kind in _THOUGHTS or fields.get("thought") is True:
        return True
    if kind in _TEXTS and isinstance(fields.get("text"), str):
        said.append(cast("str", fields["text"]))
        return True
    if kind == "refusal":
        said.append(_REFUSED)
        return True
    if kind == "computer_call":
        actions = fields.get("actions", [fields.get("action")])
        listed = cast("Sequence[object]", actions) if isinstance(actions, list) else ()
        said += [
            ToolUse("computer", cast("Fields", action), "openai")
            for action in listed
            if isinstance(action, dict)
        ]
        return True
    if kind in _TOOL_CALLS and isinstance(fields.get("name"), str):
        given = arguments_of(fields.get("input", fields.get("arguments")))
        api = "chat" if kind == "function_call" else "claude"
        said.append(ToolUse(cast("str", fields["name"]), given, api))
        return True
    call = fields.get("functionCall", fields.get("function_call"))
    if isinstance(call, dict) and isinstance(cast("Fields", call).get("name"), str):
        inner = cast("Fields", call)
        given = arguments_of(inner.get("args", inner.get("arguments")))
        said.append(ToolUse(cast("str", inner["name"]), given, "gemini"))
        return True
    if kind == "function" and isinstance(fields.get("function"), str):
        # As Inspect's logs have it.
        given = arguments_of(fields.get("arguments"))
        said.append(ToolUse(cast("str", fields["function"]), given, "chat"))
        return True
    if kind == "function" and isinstance(fields.get("function"), dict):
        inner = cast("Fields", fields["function"])
        said.append(ToolUse(str(inner.get("name")), arguments_of(inner.get("arguments")), "chat"))
        return True
    if kind.endswith(_SERVED) or any(name in fields for name in _SERVED_PARTS):
        return True
    if set(fields) == {"text"} and isinstance(fields["text"], str):
        said.append(fields["text"])
        return True
    return False


def _add_holder(fields: Fields, said: list[str | ToolUse], depth: int) -> bool:
    """Add what stands inside: a message, a choice, a completion, a row of a batch."""
    blocked = any(_word(fields, name).lower() in _BLOCKED for name in _ENDINGS)
    if blocked or _word(fields, "refusal") or _is_blocked_prompt(fields):
        said.append(_REFUSED)
    for name in ("response", "body", "message", "messages", "output", "choices", "candidates"):
        inner = fields.get(name)
        if (
            isinstance(inner, dict | list)
            and inner
            and (name not in ("response", "output") or "type" not in fields)
        ):
            chosen = cast("object", inner)
            if name in ("choices", "candidates") and isinstance(inner, list):
                chosen = cast("list[object]", inner)[:1]
            return _add(chosen, said, depth - 1)
    content, calls = fields.get("content", fields.get("parts")), fields.get("tool_calls")
    message = (
        blocked
        or _speaker(fields) in _ROLES
        or _word(fields, "type") == "message"
        or _word(fields, "object") in ("response", "chat.completion")
        or calls is not None
        or _is_blocked_prompt(fields)
    )
    if isinstance(content, str) and message:
        said.append(content)
    elif isinstance(content, dict | list) and content:
        if not _add(cast("object", content), said, depth - 1):
            return False
        message = True
    if isinstance(calls, list):
        _add(cast("object", calls), said, depth - 1)
    return message


def _is_blocked_prompt(fields: Fields) -> bool:
    """Whether Gemini answers nothing because it blocked the prompt."""
    feedback = fields.get("promptFeedback", fields.get("prompt_feedback"))
    return isinstance(feedback, dict) and not fields.get("candidates")


def _speaker(fields: Fields) -> str:
    """Return whose turn of a conversation an object is; empty if it is none."""
    role, kind = _word(fields, "role"), _word(fields, "type")
    return role or (kind if kind in ("ai", "human", "system", "tool") else "")


def _last_turn(parts: Sequence[object]) -> Sequence[object]:
    """Return the model's last turn of a conversation; any other list as it is."""
    turns = [cast("Fields", part) for part in parts if isinstance(part, dict)]
    if len(turns) < len(parts) or not all(map(_speaker, turns)):
        return parts
    return [turn for turn in turns if _speaker(turn) in _ROLES][-1:]


def _word(fields: Fields, name: str) -> str:
    """Return a field that is a text; empty for any other value."""
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def arguments_of(given: object) -> Fields:
    """Return a call's arguments, which may be written as JSON text; empty where there are none."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            return {}
    return cast("Fields", given) if isinstance(given, dict) else {}
