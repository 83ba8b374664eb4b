"""Calls as Python writes them, read and never run: `click(start_box='(10, 20)')`."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

_LONGEST = 20_000
_MOST = 50
# All that ast raises for a text that is no call.
_UNREADABLE = (SyntaxError, ValueError, TypeError, MemoryError, RecursionError)
_NAME = re.compile(r"(?<![\w.])[A-Za-z_][\w.]*\(")


@dataclass(frozen=True, slots=True)
class Call:
    """A call with literal arguments; `name` keeps its dots."""

    name: str
    positional: tuple[object, ...] = ()
    named: Mapping[str, object] = field(default_factory=dict[str, object])

    def get(self, name: str, place: int | None = None, default: object = None) -> object:
        """Return an argument by its name, or by its place where it was given by place."""
        if name in self.named:
            return self.named[name]
        if place is not None and place < len(self.positional):
            return self.positional[place]
        return default


def calls_in(text: str) -> Iterator[Call]:
    """Yield the calls that begin a line or follow a word, in the order of the text.

    What is no call with literal arguments is passed over; at most 50 places are tried.

    >>> [call.name for call in calls_in("Action: click(x=1, y=2)")]
    ['click']
    """
    end = 0
    for tried, found in enumerate(_NAME.finditer(text[:_LONGEST])):
        if tried == _MOST:
            return
        if found.start() < end:
            continue
        for call, length in _call_at(text[found.start() : _LONGEST]):
            end = found.start() + length
            yield call


def _call_at(text: str) -> Iterator[tuple[Call, int]]:
    """Yield the shortest call that the text begins with, and its length; nothing if none."""
    place = text.find(")")
    for _ in range(_MOST):
        if place < 0:
            return
        call = _parsed(text[: place + 1])
        if call is not None:
            yield call, place + 1
            return
        place = text.find(")", place + 1)


def _parsed(text: str) -> Call | None:
    try:
        tree = ast.parse(text, mode="eval").body
        if not isinstance(tree, ast.Call):
            return None
        return Call(
            ast.unparse(tree.func),
            tuple(cast("object", ast.literal_eval(value)) for value in tree.args),
            {
                keyword.arg: cast("object", ast.literal_eval(keyword.value))
                for keyword in tree.keywords
                if keyword.arg is not None
            },
        )
    except _UNREADABLE:
        return None
