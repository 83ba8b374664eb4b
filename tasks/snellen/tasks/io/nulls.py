"""`null` in a field that may be absent means that it is absent.

The Hub's own conversion to parquet gives every object the keys of all of them, filled with `null`;
so does a file saved of `load_dataset`.
"""

from collections.abc import Iterable
from typing import TypeVar

import msgspec
from msgspec import inspect

from snellen.tasks.io.rows import kinds_inside, plain_kinds

_T = TypeVar("_T")


def converted(value: object, shape: type[_T]) -> _T:
    """Return plain values as a type, where fields that may be absent may be `null`.

    >>> class Row(msgspec.Struct):
    ...     action: str
    ...     text: str = ""
    >>> converted([{"action": "wait", "text": None}], list[Row])
    [Row(action='wait', text='')]

    Raises:
        ValidationError: It is something else.
    """
    try:
        return msgspec.convert(value, shape)
    except msgspec.ValidationError as error:
        if not of_null(error):
            raise
    return msgspec.convert(_without_nulls(value, [inspect.type_info(shape)]), shape)


def decoded(text: bytes | str, shape: type[_T]) -> _T:
    """Return JSON as a type, as `converted` does.

    Raises:
        ValidationError: It is something else.
        DecodeError: It is no JSON.
        UnicodeDecodeError: It is not UTF-8.
    """
    try:
        return msgspec.json.decode(text, type=shape)
    except msgspec.ValidationError as error:
        if not of_null(error):
            raise
    return converted(msgspec.json.decode(text), shape)


def of_null(error: msgspec.ValidationError) -> bool:
    """Whether a `null` is what stands where it may not."""
    return "got `null`" in str(error)


def _without_nulls(value: object, kinds: Iterable[inspect.Type]) -> object:
    """Return a value without the fields that are null, have a default and may not be null."""
    match value:
        case list():
            inner = list(kinds_inside(kinds, None))
            return [_without_nulls(each, inner) for each in value]  # type: ignore[reportUnknownVariableType]
        case dict():
            fields = [
                field
                for kind in plain_kinds(kinds)
                if isinstance(kind, inspect.StructType)
                for field in kind.fields
            ]
            absent = {field.encode_name for field in fields if not field.required} - {
                field.encode_name for field in fields if _takes_null(field.type)
            }
            return {
                name: _without_nulls(each, [*kinds_inside(kinds, name), *kinds_inside(kinds, None)])
                for name, each in value.items()  # type: ignore[reportUnknownVariableType]
                if each is not None or name not in absent
            }
        case _:
            return value


def _takes_null(kind: inspect.Type) -> bool:
    return any(isinstance(each, inspect.NoneType | inspect.AnyType) for each in plain_kinds([kind]))
