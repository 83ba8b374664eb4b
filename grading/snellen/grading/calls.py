"""Find the calls in a text: JSON objects, Python literals, `name(arguments)`, and tagged calls.

One pass from left to right, shared by all formats. What stands inside a call that was read is not
looked at again, so a call inside a typed text is no call. Each failed try is paid from one budget,
so the time is linear in the length of the text, whatever it holds.
"""

import json
import re
import unicodedata
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

LONGEST = 1_000_000
"""Only so many characters of a text are looked at."""

_DEEPEST = 60
_MOST_FAILURES = 200
_LONGEST_LOOSE = 2_000
_DECODER = json.JSONDecoder()
_START = re.compile(
    r"\{|<tool_call>(?=\s*+[A-Za-z_]\w{0,63}\s*+<arg_key>)|<(?:function|invoke)(?:=|\s++name=[\"'])[\w.]{1,64}|(?<![\w.])[A-Za-z_][\w.]{0,63}\(",
    re.ASCII,
)
_NUMBER = re.compile(
    r"[-+]?(?:\d[\d_]*+(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d{1,3})?(?![\w.])", re.ASCII
)
_NAME = re.compile(r"[A-Za-z_]\w{0,63}", re.ASCII)
_JOINS = re.compile(r"[_\s-]+")
_SPACE = re.compile(r"[ \t\r\n]*+")
_PREFIX = re.compile(r"[rRuUfF](?=[\"'])")
_JOINED = re.compile(r"\s*+\+?\s*+(?=[rRuUfF]?[\"'])")
_STRING = {
    '"': re.compile(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL),
    "'": re.compile(r"'((?:[^'\\]|\\.)*+)'", re.DOTALL),
    '"""': re.compile(r'"""((?:[^"\\]|\\.|"(?!""))*+)"""', re.DOTALL),
    "'''": re.compile(r"'''((?:[^'\\]|\\.|'(?!''))*+)'''", re.DOTALL),
}
_LOOSE = re.compile(
    rf"'((?:[^'\\\n]|\\.|'(?!\s{{0,9}}[,)\]}}])){{0,{_LONGEST_LOOSE}}}+)'", re.DOTALL
)
# A tag that ends although its text does not.
_OPEN_POINT = re.compile(r"['\"](<point>[^<'\"]{1,60}</point>)(?=\s*+\)?\s*+\Z)")
_AFTER = ("", ",", ")", "]", "}", ":")
_ESCAPE = re.compile(
    r"\\(u[0-9a-fA-F]{4}|U00(?:0[0-9a-fA-F]|10)[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|N\{[^}]{1,90}\}"
    r"|[0-3]?[0-7]{1,2}|.)",
    re.DOTALL,
)
_ESCAPED = {
    "n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "a": "\a", "v": "\v",
    "\n": "", "\\": "\\", "'": "'", '"': '"', "/": "/",
}  # fmt: skip
_WORDS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_KEY = re.compile(r"([A-Za-z_]\w{0,63})\s{0,9}[=:]\s{0,9}(?!=)", re.ASCII)
_PARAMETER = re.compile(r"\s*+<parameter(?:=|\s++name=[\"'])(\w{1,64})[\"']?>")
_PARAMETER_ENDS = "</parameter>"
_PAIRS = re.compile(
    r"<tool_call>\s*+([A-Za-z_]\w{0,63})\s*+"
    r"((?:<arg_key>[^<]{1,64}</arg_key>\s*+<arg_value>[^<]{0,2000}</arg_value>\s*+){1,20})"
    r"(?:</tool_call>|\Z)"
)
_PAIR = re.compile(r"<arg_key>([^<]+)</arg_key>\s*+<arg_value>([^<]*)</arg_value>")
_FUNCTION_ENDS = re.compile(r"\s*+</(?:function|invoke)>")


@dataclass(frozen=True, slots=True)
class Call:
    """Something that may be an action: a name and what is given with it.

    Attributes:
        name: The name as written, with its dots; empty for an object.
        given: The named arguments, or the fields of the object.
        positional: The arguments without a name.
        form: `object`, `call` or `tag`; `unread` for a call that is passed over.
        start: Where it begins in the text.
        end: Where it ends.
    """

    name: str = ""
    given: Mapping[str, object] = field(default_factory=dict[str, object])
    positional: tuple[object, ...] = ()
    form: str = "object"
    start: int = 0
    end: int = 0


class _UnreadableError(Exception):
    """What stands here is no literal."""


class TooManyError(Exception):
    """A text has more candidates for calls than are looked at."""


class AnyName:
    """Every name is known."""

    def __contains__(self, name: object) -> bool:
        return True


def scan(
    text: str, known: Container[str], *, unread: bool = False, open_ended: bool = False
) -> Iterator[Call]:
    """Yield the objects and calls of a text, in its order, none inside another.

    Args:
        text: What a model wrote.
        known: The names of calls, as `plain_name` writes them; others are passed over, and what
            they hold is looked at unless it is a text.
        open_ended: Whether the last call may lack its bracket, or a tag in it the quote behind it.
        unread: Whether calls that are passed over are yielded, too: by their name alone.

    Raises:
        TooManyError: There are more candidates than are looked at.

    >>> [call.name for call in scan("Action: click(x=1, y=2)", {"click"})]
    ['click']
    """
    reader, index = _Reader(text, open_ended=open_ended), 0
    budget, failures = 4 * len(text) + 1_000, 0
    while found := _START.search(text, index, LONGEST):
        start, opening = found.start(), found[0]
        index = found.end()
        unknown = opening[-1] == "(" and plain_name(opening[:-1]) not in known
        try:
            call = reader.read(start, opening)
        except _UnreadableError:
            if unread and opening[-1] == "(" and not unknown:
                yield Call(opening[:-1], form="unread", start=start, end=index)
            failures += not unknown
            budget -= reader.seen - start
            if budget < 0 or failures > _MOST_FAILURES:
                raise TooManyError from None
        else:
            if unknown and unread:
                yield Call(call.name, form="unread", start=start, end=call.end)
            if unknown and not _is_quoting(call):
                continue
            index = call.end
            if not unknown:
                yield call


def _is_quoting(call: Call) -> bool:
    """Whether a call is given a text, and nothing that could hold another call."""
    values = (*call.positional, *call.given.values())
    return any(isinstance(value, str) for value in values) and not any(
        isinstance(value, dict | list) for value in values
    )


def plain_name(name: str) -> str:
    """Return a name without what stands before its last dot, case, underscores and blanks.

    >>> plain_name("pyautogui.doubleClick"), plain_name("Double Tap")
    ('doubleclick', 'doubletap')
    """
    return _JOINS.sub("", name.rpartition(".")[2].lower())


def as_value(text: str) -> object:
    """Return the JSON value that a text is, where it is no string; else the text itself.

    >>> as_value("[546, 1204]"), as_value("click")
    ([546, 1204], 'click')
    """
    if text[:1] in "[{" or text[:1].isdigit() or text[:1] == "-":
        try:
            return cast("object", json.loads(text))
        except (ValueError, RecursionError):
            return text
    return text


class _Reader:
    """Reads literals of Python and JSON at indexes of one text.

    Attributes:
        seen: How far the text was looked at, by the present try.
    """

    def __init__(self, text: str, *, open_ended: bool) -> None:
        self._text = text
        self._open_ended = open_ended
        self.seen = 0

    def read(self, start: int, opening: str) -> Call:
        """Read what begins with an opening of `_START`."""
        self.seen = start
        if opening == "{":
            value, end = self._object(start)
            return Call(given=value, start=start, end=end)
        if opening == "<tool_call>":
            return self._pairs(start)
        if opening.startswith("<"):
            name = re.split(r"[=\"']+", opening)[-1]
            given, end = self._parameters(start + len(opening))
            return Call(name, given, form="tag", start=start, end=end)
        positional, given, end = self._arguments(start + len(opening))
        return Call(opening[:-1], given, positional, "call", start, end)

    def _object(self, start: int) -> tuple[Mapping[str, object], int]:
        try:
            value, end = cast("tuple[object, int]", _DECODER.raw_decode(self._text, start))
        except json.JSONDecodeError as error:
            self.seen = max(self.seen, error.pos)
            # Where JSON ends, Python's spelling may go on.
            return self._mapping(start, _DEEPEST)
        except (ValueError, RecursionError):
            self.seen = min(len(self._text), start + 5_000)
            raise _UnreadableError from None
        return cast("Mapping[str, object]", value), end

    def _pairs(self, start: int) -> Call:
        """Read `<tool_call>name`, and its `<arg_key>` and `<arg_value>`, as GLM writes them."""
        found = _PAIRS.match(self._text, start)
        if found is None:
            self.seen = min(len(self._text), start + _LONGEST_LOOSE)
            raise _UnreadableError
        given = {key.strip(): as_value(said.strip()) for key, said in _PAIR.findall(found[2])}
        return Call(found[1], given, form="tag", start=start, end=found.end())

    def _parameters(self, index: int) -> tuple[Mapping[str, object], int]:
        """Read `<parameter=name>value</parameter>` up to the end of the function."""
        given: dict[str, object] = {}
        index = self._text.find(">", index, index + 4) + 1
        while index > 0 and (found := _PARAMETER.match(self._text, index)):
            ends = self._text.find(_PARAMETER_ENDS, found.end())
            if ends < 0:
                self.seen = len(self._text)
                raise _UnreadableError
            given[found[1]] = as_value(self._text[found.end() : ends].strip())
            index = ends + len(_PARAMETER_ENDS)
        ends = _FUNCTION_ENDS.match(self._text, index) if index > 0 else None
        if ends is None:
            raise self._stuck(index)
        return given, ends.end()

    def _arguments(self, index: int) -> tuple[tuple[object, ...], Mapping[str, object], int]:
        """Read `1, key=value)`; the index after the bracket comes last."""
        positional: list[object] = []
        named: dict[str, object] = {}
        while True:
            index = self._space(index)
            if self._text.startswith(")", index):
                return tuple(positional), named, index + 1
            if self._ends_openly(index) and (positional or named):
                return tuple(positional), named, index
            key = _KEY.match(self._text, index)
            if key:
                named[key[1]], index = self._literal(key.end(), _DEEPEST)
            else:
                value, index = self._literal(index, _DEEPEST)
                positional.append(value)
            index = self._comma(index, ")")

    def _literal(self, index: int, depth: int) -> tuple[object, int]:
        """Read one literal; return it and the index after it."""
        first = self._text[index : index + 1]
        if first in ('"', "'") or _PREFIX.match(self._text, index):
            return self._texts(index)
        if first in ("[", "("):
            return self._sequence(index, "]" if first == "[" else ")", depth)
        if first == "{":
            return self._mapping(index, depth)
        if number := _NUMBER.match(self._text, index):
            return _as_number(number[0]), number.end()
        word = _NAME.match(self._text, index)
        if word and word[0] in _WORDS:
            return _WORDS[word[0]], word.end()
        raise self._stuck(index)

    def _texts(self, index: int) -> tuple[str, int]:
        """Read a text of Python: literals with or without a prefix, side by side or added."""
        try:
            return self._joined(index)
        except _UnreadableError:
            # An apostrophe at the end, as in 'the cats''.
            loose = _LOOSE.match(self._text, index)
            if loose is None:
                raise
            return loose[1], loose.end()

    def _joined(self, index: int) -> tuple[str, int]:
        said = ""
        while True:
            prefix = _PREFIX.match(self._text, index)
            start = prefix.end() if prefix else index
            kind = prefix[0].lower() if prefix else ""
            part, end = self._string(start, self._text[start], raw=kind == "r")
            if kind == "f" and "{" in part:
                raise self._stuck(end)
            said += part
            joined = _JOINED.match(self._text, end)
            if joined is None:
                return said, end
            index = joined.end()

    def _string(self, index: int, quote: str, *, raw: bool = False) -> tuple[str, int]:
        if self._text.startswith(3 * quote, index):
            quote = 3 * quote
        found = _STRING[quote].match(self._text, index)
        if found is None and self._open_ended:
            found = _OPEN_POINT.match(self._text, index)
        if found is None:
            self.seen = len(self._text)
            raise _UnreadableError
        after = self._text[self._space(found.end()) :][:1]
        if quote == "'" and after not in _AFTER and not _JOINED.match(self._text, found.end()):
            # An apostrophe inside a text that the model did not escape.
            found = _LOOSE.match(self._text, index) or found
            self.seen = max(self.seen, min(len(self._text), index + _LONGEST_LOOSE))
        said = found[1]
        escaped = "\\" in said and not raw
        return (_ESCAPE.sub(_unescaped, said) if escaped else said), found.end()

    def _sequence(self, index: int, end: str, depth: int) -> tuple[list[object], int]:
        if depth == 0:
            raise self._stuck(index)
        values: list[object] = []
        index = self._space(index + 1)
        while not self._text.startswith(end, index):
            value, index = self._literal(index, depth - 1)
            values.append(value)
            index = self._comma(index, end)
        return values, index + 1

    def _mapping(self, index: int, depth: int) -> tuple[dict[str, object], int]:
        if depth == 0:
            raise self._stuck(index)
        fields: dict[str, object] = {}
        index = self._space(index + 1)
        while not self._text.startswith("}", index):
            quote = self._text[index : index + 1]
            if quote not in ('"', "'"):
                raise self._stuck(index)
            key, index = self._string(index, quote)
            index = self._space(index)
            if not self._text.startswith(":", index):
                raise self._stuck(index)
            fields[key], index = self._literal(self._space(index + 1), depth - 1)
            index = self._comma(index, "}")
        return fields, index + 1

    def _comma(self, index: int, end: str) -> int:
        """Return the index after a comma and its spaces, or of the end."""
        index = self._space(index)
        if self._text.startswith(",", index):
            return self._space(index + 1)
        if end == ")" and self._ends_openly(index):
            return index
        if not self._text.startswith(end, index):
            raise self._stuck(index)
        return index

    def _ends_openly(self, index: int) -> bool:
        # UI-TARS's own parser takes a call whose bracket is missing, too.
        return self._open_ended and index == len(self._text)

    def _space(self, index: int) -> int:
        found = _SPACE.match(self._text, index)
        return found.end() if found else index

    def _stuck(self, index: int) -> _UnreadableError:
        self.seen = max(self.seen, index)
        return _UnreadableError()


def _as_number(digits: str) -> float:
    try:
        return int(digits)
    except ValueError:
        return float(digits)


def _unescaped(escape: re.Match[str]) -> str:
    code = escape[1]
    if code[0] in "01234567":
        return chr(int(code, 8))
    if code[0] == "N" and len(code) > 1:
        try:
            return unicodedata.lookup(code[2:-1])
        except KeyError:
            return escape[0]
    if len(code) > 1:
        return chr(int(code[1:], 16))
    # As Python has it: a backslash that escapes nothing stays.
    return _ESCAPED.get(code, escape[0])
