"""Values as Python and JSON write them, read and never run, in time linear in the text."""

import ast
import json
import re
from collections.abc import Mapping
from typing import cast

# All that reading a literal raises: no literal, too deeply nested, a number of too many digits.
_UNREADABLE = (SyntaxError, ValueError, TypeError, MemoryError, RecursionError)
_NUMBER = (
    r"(?:0[xX][0-9a-fA-F_]++|0[oO][0-7_]++|0[bB][01_]++"
    r"|(?:[0-9][0-9_]*+(?:\.[0-9_]*+)?+|\.[0-9][0-9_]*+)(?:[eE][+-]?[0-9_]++)?+[jJ]?+)(?!\w)"
)
_STRING = r"""[uUbB]?(?:'(?:[^'\\\n]|\\.)*+'|"(?:[^"\\\n]|\\.)*+")"""
# Python's parser tries some texts that are no literals in many ways; of these tokens it does not.
_TOKENS = re.compile(
    rf"(?:\s++|#[^\n]*+|[][(){{}},:+-]|\.\.\.|{_NUMBER}|{_STRING}|(?:True|False|None)\b)*+",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_PYTHON_ESCAPES = frozenset("\n\\'\"abfnrtvxuUN01234567")


def python_literal(text: str) -> object:
    """Return the value of a Python literal; raw strings are none here.

    Raises:
        ValueError: It is none.

    >>> python_literal("{'point': (1, 2.5)}")
    {'point': (1, 2.5)}
    """
    if _TOKENS.fullmatch(text) is None:
        raise ValueError("no Python literal")
    try:
        return cast("object", ast.literal_eval(_ESCAPE.sub(_kept, text)))
    except _UNREADABLE:
        raise ValueError("no Python literal") from None


def _kept(escape: re.Match[str]) -> str:
    r"""Double a backslash that escapes nothing: Python would warn of "\d" and keep it."""
    return escape[0] if escape[1] in _PYTHON_ESCAPES else f"\\{escape[0]}"


def json_fields(text: str) -> Mapping[str, object] | None:
    """Return the JSON object that a text is; None if it is none."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else None
