"""Lists of UI texts out of free text, for the ScreenQA task that asks for UI contents.

The paper shows list answers and publishes no parser for them, so every rule here is a decision.
"""

import json
import re
from typing import cast

_NO_ANSWER = "<no answer>"
_FENCE = re.compile(r"```(?:[\w-]*+[ \t]*+\n)?+(.*?)```", re.DOTALL)
_BULLET = re.compile(r"[ \t]*(?:[-*+\u2022\u2013\u25cf]|\d{1,3}[.)])[ \t]+(\S.*)")
# One element and what ends it: quoted, with backslash escapes, or bare up to the next comma.
_ELEMENT = re.compile(
    r"""\s*+(?:"((?:[^"\\]|\\.)*+)"|'((?:[^'\\]|\\.)*+)'|\u201c([^\u201d]*+)\u201d"""
    r"""|([^\s"'\[\]{},][^\[\],]*+))\s*+([,\]])""",
    re.DOTALL,
)
_END = re.compile(r"\s*+\]\s*+\Z")
_ESCAPE = re.compile(
    r"\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U(00(?:0[\da-fA-F]|10)[\da-fA-F]{4})|(.))",
    re.ASCII | re.DOTALL,
)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
_QUOTES = {'"': '"', "'": "'", "`": "`", "\u201c": "\u201d", "\u2018": "\u2019"}


def ui_texts(text: str) -> list[str] | None:
    r"""Read a list of UI texts, in its order.

    In this order: `[]` or `<no answer>` in any case is the empty list; a JSON array, or a list
    with Python's quotes or none, also in a code fence or behind a lead-in; bulleted or numbered
    lines, what stands around them dropped; else one text a line. Quotes around a text go. Numbers
    count as the text that was written; an object counts as its "text".

    Returns:
        The texts; None for an empty response and for a list that can't be read.

    >>> ui_texts('["Sign in", "4.3"]'), ui_texts("- Sign in\n- 4.3"), ui_texts("<no answer>")
    (['Sign in', '4.3'], ['Sign in', '4.3'], [])
    """
    fenced = _FENCE.search(text)
    body = (fenced[1] if fenced else text).strip()
    if not body:
        return None
    if body.casefold() == _NO_ANSWER:
        return []
    start = body.find("[") if body.endswith("]") or body.startswith("[") else -1
    # Brackets elsewhere belong to the text: "Sign in [beta]".
    if start == 0 or (start > 0 and body[:start].rstrip(" \t").endswith((":", "\uff1a", "\n"))):
        return _array(body[start:])
    lines = body.splitlines()
    bullets = [found[1] for line in lines if (found := _BULLET.fullmatch(line))]
    return [_unquote(line.strip()) for line in bullets or lines if line.strip()]


def _array(text: str) -> list[str] | None:
    try:
        value = json.loads(text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return _loose_array(text)
    texts = [_text(element) for element in cast("list[object]", value)]
    known = [element for element in texts if element is not None]
    return known if len(known) == len(texts) else None


def _text(element: object) -> str | None:
    """Return an array element's text; None for what has none."""
    if isinstance(element, dict):
        element = cast("dict[str, object]", element).get("text")
    return element if isinstance(element, str) else None


def _loose_array(text: str) -> list[str] | None:
    """Read a bracketed list with single, double, typographic or no quotes."""
    texts: list[str] = []
    index = 1
    while not _END.match(text, index):
        found = _ELEMENT.match(text, index)
        if found is None or (found[5] == "]" and text[found.end() :].strip()):
            return None
        texts.append(_element(found))
        index = found.end()
        if found[5] == "]":
            break
    return texts


def _element(found: re.Match[str]) -> str:
    quoted = found[1] if found[1] is not None else found[2]
    if quoted is not None:
        return _ESCAPE.sub(_unescape, quoted)
    return found[3] if found[3] is not None else found[4].strip()


def _unescape(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2] or escape[3]
    return chr(int(code, 16)) if code else _ESCAPED.get(escape[4], escape[4])


def _unquote(text: str) -> str:
    """Take one pair of quotes off."""
    if len(text) > 1 and _QUOTES.get(text[0]) == text[-1]:
        return text[1:-1]
    return text
