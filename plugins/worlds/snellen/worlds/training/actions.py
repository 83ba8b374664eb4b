"""Ends of episodes and calls of tools, as actions; the rest is read by `read_act`."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from pydantic import JsonValue

from snellen.grading.errors import InputError
from snellen.tasks.environments.ending import read_end

_ENDS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(
            ("done", "submit", "answer", "finish", "finished", "submit_answer"), "done"
        ),
        **dict.fromkeys(("infeasible", "fail", "report_infeasible"), "infeasible"),
    }
)
END = 'an end is written {"action": "done", "answer": ...}'
_ANSWERS = ("answer", "text", "content")


class ToolCall(NamedTuple):
    """A call of a tool: its name, and its arguments."""

    tool: str
    arguments: Mapping[str, JsonValue]


def end_of(action: object) -> dict[str, JsonValue] | None:
    """Return how an action ends an episode; None if it is no end.

    >>> end_of({"action": "done", "answer": "17:30"})
    {'status': 'done', 'answer': '17:30'}
    >>> end_of("left_click") is None
    True

    Raises:
        InputError: It is infeasible, and without a reason that is known.
    """
    given: Mapping[str, Any] = {"action": action}
    if isinstance(action, Mapping):
        given = cast("Mapping[str, Any]", action)
    name = given.get("action")
    status = _ENDS.get(name.strip().lower()) if isinstance(name, str) else None
    if status is None:
        return None
    said: dict[str, JsonValue] = {"status": status}
    for key in _ANSWERS:
        if given.get(key) is not None:
            said["answer"] = given[key]
            break
    if given.get("reason_code") is not None:
        said["reason_code"] = given["reason_code"]
    return read_end(said)


def call_of(action: object) -> ToolCall:
    """Read an action as a call of a tool: `{"tool": NAME, "arguments": {...}}`.

    Raises:
        InputError: It is none.
    """
    if isinstance(action, Mapping):
        given = cast("Mapping[str, Any]", action)
        arguments = given.get("arguments", {})
        if isinstance(given.get("tool"), str) and isinstance(arguments, Mapping):
            return ToolCall(given["tool"], dict(cast("Mapping[str, Any]", arguments)))
    raise InputError(
        'an action is a call, {"tool": NAME, "arguments": {...}}, or an end, {"action": "done"}'
    )
