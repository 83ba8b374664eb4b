"""How answers to items of the matrix are read: one reader a form of answer.

Nothing here knows a reference. Text is read as the prompt asks for it, and a little more: what
precedes a last "Answer:" does not count, and JSON may stand in a code fence.
"""

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias, TypedDict, TypeVar, cast

from pydantic import JsonValue

from snellen.grading.calls import AnyName, Call, TooManyError, scan
from snellen.grading.parse.choice import robust_choice
from snellen.grading.parse.final_answers import final_answer, short_answer
from snellen.grading.parse.lists import ui_texts
from snellen.grading.parse.relations import relations
from snellen.grading.parse.responses import as_json_text
from snellen.grading.pointing.points import robust_box, robust_point
from snellen.grading.pointing.text import read_json
from snellen.grading.protocols.base import Context, Parsed, unparsed
from snellen.grading.protocols.spaces import placed
from snellen.grading.protocols.texts import not_text
from snellen.tasks.benchmarks.matrix.rules.numbers import Amount, amount, is_number

T = TypeVar("T")
Read: TypeAlias = Callable[[object, Context], Parsed]
"""From a response to an answer; takes anything and never raises."""

LONGEST_PROGRAM = 100_000
"""The longest program, in characters, that is run."""

_ONE_ENTRY = "commas part no entries: read as a list of one text; give JSON, or one entry a line"
_FENCE = re.compile(r"```(?:[\w+-]*+[ \t]*+\n)?+(.*?)```", re.DOTALL)
_PYTHON = re.compile(r"```(?:python3?|py)[ \t]*+\n(.*?)```", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON document, which is not the same as a text that holds one."""

    value: object


@dataclass(frozen=True, slots=True)
class Program:
    """A Python program."""

    code: str


def read_final(response: object, _: Context) -> Parsed:
    """Read a short answer: text behind the last "Answer:" or "The answer is", or a number."""
    if is_number(response):
        return Parsed(json.dumps(response))
    return Parsed(short_answer(response)) if isinstance(response, str) else not_text(response)


def read_text(response: object, _: Context) -> Parsed:
    """Read a text as it is, without the space around it and what precedes a last "Answer:"."""
    if not isinstance(response, str):
        return not_text(response)
    return Parsed(final_answer(response).strip())


def read_option(response: object, context: Context) -> Parsed:
    """Read an option's letter, given by it or by the option's text; a text without options."""
    if not context.texts:
        return read_final(response, context)
    if not isinstance(response, str):
        return not_text(response)
    letter = robust_choice(response, context.texts) or robust_choice(
        short_answer(response), context.texts
    )
    return unparsed("no single option's letter or text in it") if letter is None else Parsed(letter)


def read_amount(response: object, _: Context) -> Parsed:
    """Read a number with its unit."""
    if is_number(response):
        return Parsed(Amount(float(cast("float", response))))
    if not isinstance(response, str):
        return unparsed(f"expected a number, got {type(response).__name__}")
    found = amount(short_answer(response))
    return Parsed(found) if isinstance(found, Amount) else unparsed(found)


def read_list(response: object, _: Context) -> Parsed:
    """Read a list of texts: JSON, or one a line."""
    if isinstance(response, str):
        said = short_answer(response).strip()
        found = ui_texts(said)
        if found is None:
            return unparsed("no list that can be read")
        # A text may hold commas, so they part no entries; a note says so to whoever meant them to.
        one_line = "," in said and found == [said]
        return Parsed(tuple(found), None, _ONE_ENTRY if one_line else "")
    given = _list(response)
    if given is None or not all(isinstance(one, str) for one in given):
        return unparsed("expected a list of texts")
    return Parsed(tuple(given))


def read_relations(response: object, context: Context) -> Parsed:
    """Read how regions lie: lines "a is left of b", a pair's last one, or JSON {"a|b": "left"}."""
    given = json_in(response) if isinstance(response, str) else response
    if isinstance(given, Mapping):
        stated = cast("Mapping[object, object]", given)
        lines = [
            pair.replace("|", f" {way} ")
            for pair, way in stated.items()
            if isinstance(pair, str) and isinstance(way, str)
        ]
    elif isinstance(response, str):
        lines = response.splitlines()
    else:
        return unparsed("expected lines, or an object from pairs to relations")
    found = relations("\n".join(reversed(lines)), context.names)
    return Parsed(found) if found else unparsed("no line that relates two of the regions")


def read_point(response: object, _: Context) -> Parsed:
    """Read a point in fractions of the image; a box stands for its center."""
    found = _final(robust_point, response)
    if found is None:
        return unparsed("no point in it")
    return placed(Parsed((found.x, found.y), None, _outside((found.x, found.y))))


def read_box(response: object, _: Context) -> Parsed:
    """Read a box in fractions of the image."""
    found = _final(robust_box, response)
    return (
        unparsed("no box in it")
        if found is None
        else placed(Parsed(found.ltrb, None, _outside(found.ltrb)))
    )


def read_document(response: object, _: Context) -> Parsed:
    """Read a JSON document, in a code fence or not."""
    if not isinstance(response, str):
        return Parsed(Document(response))
    found = json_in(response)
    if found is None and response.strip() != "null":
        return unparsed("no JSON in it")
    return Parsed(Document(found))


def read_call(response: object, _: Context) -> Parsed:
    """Read the last tool call of a text, or one given as JSON."""
    found = tool_call(as_json_text(response) or "")
    return unparsed("no tool call in it") if found is None else Parsed(dict(found))


def read_steps(response: object, _: Context) -> Parsed:
    """Read a list of steps, each a text or a tool call: JSON, or one a line."""
    given = _list(json_in(response) if isinstance(response, str) else response)
    if given is None and isinstance(response, str):
        given = ui_texts(short_answer(response))
    return unparsed("no list of steps in it") if given is None else Parsed(tuple(given))


def read_program(response: object, _: Context) -> Parsed:
    """Read a program: the last block of Python, else the last code block, else all of the text."""
    if not isinstance(response, str):
        return not_text(response)
    blocks = _PYTHON.findall(response) or _FENCE.findall(response)
    code = blocks[-1] if blocks else response
    if len(code) > LONGEST_PROGRAM:
        return unparsed(f"a program longer than {LONGEST_PROGRAM:,} characters")
    return Parsed(Program(code))


def json_in(text: str) -> object:
    r"""Return the JSON value that a text is, or that stands in its last fence or its brackets.

    >>> json_in('Here: ```json\n{"a": 1}\n```'), json_in("It is [1, 2]."), json_in("none")
    ({'a': 1}, [1, 2], None)
    """
    for part in dict.fromkeys((final_answer(text), text)):
        for source in _sources(part):
            found = read_json(source)
            if found is not None:
                return found
    return None


def _sources(text: str) -> Iterator[str]:
    """Yield where in a text its JSON may stand."""
    yield text
    yield from reversed(_FENCE.findall(text))
    starts = sorted(index for index in (text.find("["), text.find("{")) if index >= 0)
    ends = {"{": "}", "[": "]"}
    for start in starts:
        yield text[start : text.rfind(ends[text[start]]) + 1]


def _final(read: Callable[[str], T | None], response: object) -> T | None:
    """Read behind the last "Answer:"; in all of the text where nothing stands there."""
    text = as_json_text(response) or ""
    return read(final_answer(text)) or read(text)


def _list(value: object) -> list[object] | None:
    return cast("list[object]", value) if isinstance(value, list) else None


def _outside(numbers: tuple[float, ...]) -> str:
    inside = all(0 <= number <= 1 for number in numbers)
    return "" if inside else "outside 0..1, and fractions of the image were asked for"


# ---- Tool calls ----------------------------------------------------------------------------------


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
