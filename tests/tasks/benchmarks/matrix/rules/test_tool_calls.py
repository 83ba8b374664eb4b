"""Tool calls out of free text."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.tasks.benchmarks.matrix.rules.reading import tool_call

CLICK = {"name": "click", "arguments": {"x": 3, "on": True}}


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "click", "arguments": {"x": 3, "on": true}}',
        'I click. {"name": "click", "arguments": {"x": 3, "on": true}} Done.',
        '```json\n{"tool": "click", "args": {"x": 3, "on": true}}\n```',
        '<tool_call>{"tool_name": "click", "parameters": {"x": 3, "on": true}}</tool_call>',
        '{"action": "click", "input": {"x": 3, "on": true}}',
        '{"name": "click", "arguments": "{\\"x\\": 3, \\"on\\": true}"}',
        '{"type": "function", "function": {"name": "click", "arguments": {"x": 3, "on": true}}}',
        '{not JSON} {"name": "click", "arguments": {"x": 3, "on": true}}',
        '{"name": "wait"} then {"name": "click", "arguments": {"x": 3, "on": true}}',
        "{'name': 'click', 'arguments': {'x': 3, 'on': True}}",
        "click(x=3, on=True)",
        "Action: click(x=3, on=True).",
        "I think so.\n`click(x=3, on=True)`\n",
        "wait(seconds=1)\nclick(x=3, on=True)",
    ],
)
def test_a_call_is_found_in_every_form(text: str) -> None:
    assert tool_call(text) == CLICK


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("f()", {}),
        ("f(a=-1.5, b=None, c='x, y=(z)')", {"a": -1.5, "b": None, "c": "x, y=(z)"}),
        ("f(a=(1, 2), b={'k': [3]})", {"a": [1, 2], "b": {"k": [3]}}),
        (r"f(a='C:\dir')", {"a": r"C:\dir"}),
        (r"f(a='two\nlines')", {"a": "two\nlines"}),
        ('{"name": "f"}', {}),
        ('{"name": "f", "arguments": ""}', {}),
    ],
)
def test_arguments_are_json(text: str, arguments: dict[str, Any]) -> None:
    assert tool_call(text) == {"name": "f", "arguments": arguments}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "click",
        "click(3)",
        "click(x=y)",
        "click(x=__import__('os').system('true'))",
        "click(**{'x': 3})",
        "click(x={1, 2})",
        "click(x=1j)",
        "click(x=1e999)",
        "click(x={1: 2})",
        "click(x=1)(y=2)",
        "click(x=1",
        '{"arguments": {"x": 3}}',
        '{"name": 3, "arguments": {}}',
        '{"name": "", "arguments": {}}',
        '{"name": "click", "arguments": [3]}',
        '{"name": "click", "arguments": "{"}',
        '{"name": "click", "arguments": {"x": NaN}}',
        '{"name": "click", "arguments": {"x": ' + "[" * 40 + "]" * 40 + "}}",
    ],
)
def test_what_is_no_call_with_json_arguments_gives_none(text: str) -> None:
    assert tool_call(text) is None


def test_a_dotted_name_stays_whole() -> None:
    assert tool_call("browser.click(x=1)") == {"name": "browser.click", "arguments": {"x": 1}}


def test_arguments_that_look_like_a_call_are_not_taken_for_one() -> None:
    text = '{"name": "set", "arguments": {"name": "x", "arguments": {"y": 1}}}'
    assert tool_call(text) == json.loads(text)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@given(st.dictionaries(st.text(), VALUES, max_size=4))
def test_json_arguments_read_as_themselves(arguments: dict[str, Any]) -> None:
    call = {"name": "f", "arguments": arguments}
    assert tool_call(f"Go: {json.dumps(call)}") == call


@given(st.dictionaries(st.sampled_from(["x", "y", "text"]), VALUES, max_size=3))
def test_written_arguments_read_as_themselves(arguments: dict[str, Any]) -> None:
    written = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
    assert tool_call(f"f({written})") == {"name": "f", "arguments": arguments}


@given(st.one_of(st.text(), st.text(alphabet="f(x='1,\\)}{\":[]-\n")))
def test_any_text_gives_a_call_or_none(text: str) -> None:
    call = tool_call(text)
    assert call is None or set(call) == {"name", "arguments"}
