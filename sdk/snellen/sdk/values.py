"""Values of records: strict JSON, and descriptions of values that are not allowed."""

import math
from collections.abc import Mapping
from typing import cast

MAX_DEPTH = 100
"""How deep lists and objects may be nested. Deeper values break what handles them later."""

_MAX_BITS = 1024
_CONTAINERS = frozenset((list, dict))


class NotJsonError(ValueError):
    """The value, or a part of it, is not strict JSON."""


def to_json(value: object) -> object:
    """Return a value as plain JSON: tuples become lists, arrays and SDKs' objects Python's.

    Raises:
        NotJsonError: It holds NaN or an infinity, text that UTF-8 can't encode, a key that is
            no text, more than `MAX_DEPTH` levels, or something that JSON does not know.
    """
    return _convert(value, 0)


def plain(value: object) -> object:
    """Return a value as plain JSON as far as it is; else as it is, for its reader to refuse."""
    try:
        return to_json(value)
    except NotJsonError:
        return value


def text_fault(text: str) -> str | None:
    r"""Return the reason why a text can't be stored, or None.

    Examples:
        >>> text_fault("£5") is None
        True
        >>> text_fault("\ud83d")
        'it holds half a surrogate pair or bytes that are not UTF-8, which no file can store'
    """
    if text.isascii():
        return None
    try:
        text.encode()
    except UnicodeEncodeError:
        return "it holds half a surrogate pair or bytes that are not UTF-8, which no file can store"
    return None


def is_nested_too_deep(value: object, levels: int = MAX_DEPTH) -> bool:
    """Whether a JSON value has more than `levels` levels of lists and objects."""
    if type(value) not in _CONTAINERS:
        return False
    if levels == 0:
        return True
    whole = cast("list[object] | dict[str, object]", value)
    for part in whole.values() if isinstance(whole, dict) else whole:
        # Checked here too for speed: most parts are scalars, and this runs for every JSON answer.
        if type(part) in _CONTAINERS and is_nested_too_deep(part, levels - 1):
            return True
    return False


def kind_of(value: object) -> str:
    """Return the JSON type of a value, in words.

    Examples:
        >>> kind_of(7), kind_of({}), kind_of(None)
        ('a number', 'an object', 'null')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    return f"a value of type {type(value).__name__}"


def shown(value: object) -> str:
    """Show a value in a message: short, on one line and always encodable."""
    if isinstance(value, str):
        return f"the text {value[:40]!a}"
    if isinstance(value, bool) or (isinstance(value, int) and value.bit_length() > _MAX_BITS):
        return kind_of(value)
    if isinstance(value, int | float):
        return f"the number {float(value) if isinstance(value, float) else int(value)}"
    return kind_of(value)


def _convert(value: object, depth: int) -> object:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int):
        return _whole(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise NotJsonError(
                "NaN, Infinity and numbers beyond a float's range are not JSON; write null"
            )
        return float(value)
    if depth == MAX_DEPTH:
        raise NotJsonError(f"it is nested more than {MAX_DEPTH} levels deep")
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value).items()
        return {_key(key): _convert(part, depth + 1) for key, part in pairs}
    if isinstance(value, list | tuple):
        return [_convert(part, depth + 1) for part in cast("list[object]", value)]
    # numpy's arrays and scalars, which fill the cells of frames, and the objects of APIs' SDKs,
    # without importing any of them.
    for name in ("tolist", "model_dump", "to_dict"):
        method = getattr(value, name, None)
        if callable(method) and not isinstance(value, type):
            return _convert(method(), depth + 1)
    raise NotJsonError(f"{kind_of(value)} is not JSON; convert it")


def _text(value: str) -> str:
    fault = text_fault(value)
    if fault is not None:
        raise NotJsonError(fault)
    return str.__str__(value)


def _whole(value: int) -> int:
    if value.bit_length() > _MAX_BITS:
        raise NotJsonError("a number in it is too large")
    return int(value)


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise NotJsonError(f"a key in it is {kind_of(key)}, not text")
    return _text(key)
