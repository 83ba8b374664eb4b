"""Tool calls out of free text: which tool, with which arguments."""

import ast
import json
import math
import re
from typing import TypedDict, cast

from pydantic import JsonValue


class ToolCall(TypedDict):
    """A call of a named tool, as JSON."""

    name: str
    arguments: dict[str, JsonValue]


_NAME_KEYS = ("name", "tool", "tool_name", "function", "action")
_ARGUMENT_KEYS = ("arguments", "args", "parameters", "params", "input")
_DECODER = json.JSONDecoder()
_CALL = re.compile(r"(?:^|(?<=[\s`:>\"']))([A-Za-z_][\w.]*+)\(")
_BAD_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_PYTHON_ESCAPES = frozenset("\n\\'\"abfnrtvxuUN0")
_NO_VALUE = object()
# All that ast.parse and ast.literal_eval raise for a text that is no literal.
_UNREADABLE = (SyntaxError, ValueError, TypeError, MemoryError, RecursionError)

# Bounds for hostile texts; a call of an agent comes nowhere near them.
_MOST_FAILURES = 100
_LONGEST_CALL = 10_000
_DEEPEST = 32


def tool_call(text: str) -> ToolCall | None:
    """Read the last tool call in a text.

    Two forms, wherever they stand: a JSON object with the tool's name under "name", "tool",
    "tool_name", "function" or "action" and its arguments under "arguments", "args", "parameters",
    "params" or "input" (an object, or a string that holds one; none means no arguments), also
    nested under "function"; and, if there is no such object, the same as a Python dictionary,
    or `name(key=value, ...)` on one line with literal values. Nothing is evaluated.

    Returns:
        The call; None where there is none, or where its arguments are positional, no JSON
        values, or nested more than 32 deep.

    Source: the output formats are published nowhere for the matrix's tool tasks; a decision.

    >>> tool_call('I will click. {"name": "click", "arguments": {"x": 3}}')
    {'name': 'click', 'arguments': {'x': 3}}
    >>> tool_call("Action: scroll(direction='down', amount=2)")
    {'name': 'scroll', 'arguments': {'direction': 'down', 'amount': 2}}
    """
    return _last_json_call(text) or _python_call(text) or _last_written_call(text)


def _last_json_call(text: str) -> ToolCall | None:
    last: ToolCall | None = None
    place = text.find("{")
    failures = 0
    while place >= 0 and failures < _MOST_FAILURES:
        try:
            value, end = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError):
            end = place + 1
            failures += 1
        else:
            last = _call_in(value) or last
        place = text.find("{", end)
    return last


def _python_call(text: str) -> ToolCall | None:
    """Read a whole text that is a call as a Python dictionary: single quotes, None, True."""
    trimmed = text.strip(" \t\r\n`")
    if not trimmed.startswith("{") or len(trimmed) > _LONGEST_CALL:
        return None
    try:
        return _call_in(ast.literal_eval(_BAD_ESCAPE.sub(_valid_escape, trimmed)))
    except _UNREADABLE:
        return None


def _call_in(value: object) -> ToolCall | None:
    """Read a call in a decoded JSON object."""
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


def _last_written_call(text: str) -> ToolCall | None:
    failures = 0
    for line in reversed(text.splitlines()):
        # Markdown, quotes and a full stop may stand around a call.
        trimmed = line.strip(" \t`*.;\"'")
        if not trimmed.endswith(")") or len(trimmed) > _LONGEST_CALL:
            continue
        found = _CALL.search(trimmed)
        if found is None:
            continue
        arguments = _keywords(trimmed[found.end() - 1 :])
        if arguments is not None:
            return ToolCall(name=found[1], arguments=arguments)
        failures += 1
        if failures == _MOST_FAILURES:
            break
    return None


def _keywords(parenthesised: str) -> dict[str, JsonValue] | None:
    """Read `(key=literal, ...)`; None for anything else."""
    try:
        tree = ast.parse(f"f{_BAD_ESCAPE.sub(_valid_escape, parenthesised)}", mode="eval").body
        if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name) or tree.args:
            return None
        arguments: dict[str, JsonValue] = {}
        for keyword in tree.keywords:
            value = _json(ast.literal_eval(keyword.value), _DEEPEST)
            if keyword.arg is None or value is _NO_VALUE:
                return None
            arguments[keyword.arg] = cast("JsonValue", value)
    except _UNREADABLE:
        return None
    return arguments


def _valid_escape(escape: re.Match[str]) -> str:
    r"""Double a backslash that escapes nothing: Python would warn of "\d" and keep it."""
    return escape[0] if escape[1] in _PYTHON_ESCAPES else f"\\{escape[0]}"


def _json(value: object, depth: int) -> object:
    """Return the value as JSON, tuples as lists; `_NO_VALUE` where it is none or too deep."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else _NO_VALUE
    if depth == 0:
        return _NO_VALUE
    if isinstance(value, list | tuple):
        elements = [_json(element, depth - 1) for element in cast("list[object]", value)]
        return _NO_VALUE if any(element is _NO_VALUE for element in elements) else elements
    if isinstance(value, dict):
        fields = {
            key: _json(field, depth - 1)
            for key, field in cast("dict[object, object]", value).items()
        }
        proper = all(isinstance(key, str) for key in fields)
        return fields if proper and _NO_VALUE not in fields.values() else _NO_VALUE
    return _NO_VALUE
