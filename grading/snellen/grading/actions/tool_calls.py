"""Tool calls out of free text: which tool, with which arguments."""

import json
import math
from typing import TypedDict, cast

from pydantic import JsonValue

from snellen.grading.actions.scan import AnyName, Call, TooManyError, scan


class ToolCall(TypedDict):
    """A call of a named tool, as JSON."""

    name: str
    arguments: dict[str, JsonValue]


_NAME_KEYS = ("name", "tool", "tool_name", "function", "action")
_ARGUMENT_KEYS = ("arguments", "args", "parameters", "params", "input")
_NO_VALUE = object()
_DEEPEST = 32


def tool_call(text: str) -> ToolCall | None:
    """Read the last tool call in a text.

    Two forms, wherever they stand: an object of JSON or Python with the tool's name under "name",
    "tool", "tool_name", "function" or "action" and its arguments under "arguments", "args",
    "parameters", "params" or "input" (an object, or a string that holds one; none means no
    arguments), also nested under "function"; and, if there is no such object,
    `name(key=value, ...)` with literal values. Nothing is evaluated.

    Returns:
        The call; None where there is none, or where its arguments are positional, no JSON
        values, or nested more than 32 deep.

    Source: the output formats are published nowhere for the matrix's tool tasks; a decision.

    >>> tool_call('I will click. {"name": "click", "arguments": {"x": 3}}')
    {'name': 'click', 'arguments': {'x': 3}}
    >>> tool_call("Action: scroll(direction='down', amount=2)")
    {'name': 'scroll', 'arguments': {'direction': 'down', 'amount': 2}}
    """
    last: ToolCall | None = None
    written: ToolCall | None = None
    try:
        for call in scan(text, AnyName()):
            if call.form == "object":
                last = _call_in(call.given) or last
            elif call.form == "call" and not call.positional:
                written = _written(call, text) or written
    except TooManyError:
        pass  # What was read before counts.
    return last or written


def _written(call: Call, text: str) -> ToolCall | None:
    """Return a written call, if no other follows it at once: `f(x=1)(y=2)` is no call of a tool."""
    arguments = _json(call.given, _DEEPEST)
    if not isinstance(arguments, dict) or text.startswith("(", call.end):
        return None
    return ToolCall(name=call.name, arguments=cast("dict[str, JsonValue]", arguments))


def _call_in(value: object) -> ToolCall | None:
    """Read a call in a decoded object."""
    if not isinstance(value, dict):
        return None
    fields = cast("dict[str, object]", value)
    inner = fields.get("function")
    if isinstance(inner, dict):
        return _call_in(cast("object", inner))
    name = next((fields[key] for key in _NAME_KEYS if key in fields), None)
    given = next((fields[key] for key in _ARGUMENT_KEYS if key in fields), cast("object", {}))
    if isinstance(given, str):
        try:
            given = json.loads(given or "{}")
        except (ValueError, RecursionError):
            return None
    arguments = _json(given, _DEEPEST)
    if not isinstance(name, str) or not name or not isinstance(arguments, dict):
        return None
    return ToolCall(name=name, arguments=cast("dict[str, JsonValue]", arguments))


def _json(value: object, depth: int) -> object:
    """Return the value as JSON, `_NO_VALUE` where it is none or too deep."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else _NO_VALUE
    if depth == 0:
        return _NO_VALUE
    if isinstance(value, list):
        elements = [_json(element, depth - 1) for element in cast("list[object]", value)]
        return _NO_VALUE if any(element is _NO_VALUE for element in elements) else elements
    fields = {
        key: _json(field, depth - 1) for key, field in cast("dict[str, object]", value).items()
    }
    return _NO_VALUE if any(field is _NO_VALUE for field in fields.values()) else fields
