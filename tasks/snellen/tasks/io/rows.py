"""What the rows of any source have in common: where they are from, and what is said of bad ones."""

import gc
import re
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from types import MappingProxyType
from typing import Annotated, NamedTuple, TypeVar, cast

import msgspec
from msgspec import inspect

from snellen.grading.errors import DataError
from snellen.grading.models.geometry import Space

_T = TypeVar("_T")

# ".name" of an object, "[3]" of a list, "[...]" of an object whose keys are free.
_STEP = re.compile(r"\.([^.\[\]]+)|\[([^\]]*)\]")


def known_values(shape: object, path: str, *, of_keys: bool = False) -> tuple[str, ...]:
    """Return the values that a type lists at a path; none where it lists none.

    Args:
        shape: The type of the whole.
        path: As msgspec writes it: `$[3].groups[2].difficulty`.
        of_keys: Of the keys of the object at that path, not of itself.

    >>> from typing import Literal
    >>> import msgspec
    >>> class Row(msgspec.Struct):
    ...     level: Literal["easy", "hard"] | None = None
    >>> known_values(list[Row], "$[3].level")
    ('easy', 'hard')
    """
    kinds = [inspect.type_info(shape)]
    for step in _STEP.finditer(path):
        kinds = list(_kinds_inside(kinds, step[1]))
    kinds = list(_plain_kinds(kinds))
    if of_keys:
        dicts = [kind.key_type for kind in kinds if isinstance(kind, inspect.DictType)]
        kinds = list(_plain_kinds(dicts))
    # A dict, because a value may be listed by two of the types that a place may have.
    return tuple(dict.fromkeys(value for kind in kinds for value in _listed(kind)))


def _plain_kinds(kinds: Iterable[inspect.Type]) -> Iterator[inspect.Type]:
    """Yield types, and of unions and annotated types those that they are made of."""
    for kind in kinds:
        if isinstance(kind, inspect.UnionType):
            yield from _plain_kinds(kind.types)
        elif isinstance(kind, inspect.Metadata):
            yield from _plain_kinds([kind.type])
        else:
            yield kind


def _kinds_inside(kinds: Iterable[inspect.Type], name: str | None) -> Iterator[inspect.Type]:
    """Yield the types of what is in types: of a field by its name, of elements without one."""
    for kind in _plain_kinds(kinds):
        yield from _inside(kind, name)


def _inside(kind: inspect.Type, name: str | None) -> Iterator[inspect.Type]:
    if name is not None:
        if isinstance(kind, inspect.StructType | inspect.TypedDictType | inspect.DataclassType):
            yield from (field.type for field in kind.fields if field.encode_name == name)
    elif isinstance(kind, inspect.DictType):
        yield kind.value_type
    elif isinstance(kind, inspect.CollectionType):
        yield kind.item_type
    elif isinstance(kind, inspect.TupleType):
        yield from kind.item_types


def _listed(kind: inspect.Type) -> Iterator[str]:
    if isinstance(kind, inspect.LiteralType):
        yield from map(str, kind.values)
    elif isinstance(kind, inspect.EnumType):
        yield from (str(member.value) for member in kind.cls)


def converted(value: object, shape: type[_T], *, strict: bool = True) -> _T:
    """Return plain values as a type, where fields that may be absent may be `null`.

    Args:
        value: Lists, mappings, texts and numbers.
        shape: The type.
        strict: Whether a text is no number; not so in a table that has texts alone.

    The Hub's conversion to parquet gives every object the keys of all of them, filled with `null`;
    so does a file saved of `load_dataset`.

    >>> class Row(msgspec.Struct):
    ...     action: str
    ...     text: str = ""
    >>> converted([{"action": "wait", "text": None}], list[Row])
    [Row(action='wait', text='')]

    Raises:
        ValidationError: It is something else.
    """
    try:
        return msgspec.convert(value, shape, strict=strict)
    except msgspec.ValidationError as error:
        if not _of_null(error):
            raise
    plain = _without_nulls(value, [inspect.type_info(shape)])
    return msgspec.convert(plain, shape, strict=strict)


def decoded(text: bytes | str, shape: type[_T]) -> _T:
    """Return JSON as a type, as `converted` does.

    Raises:
        ValidationError: It is something else.
        DecodeError: It is no JSON.
        UnicodeDecodeError: It is not UTF-8; from msgspec 0.23 on a `DecodeError`.
    """
    try:
        return msgspec.json.decode(text, type=shape)
    except msgspec.ValidationError as error:
        if not _of_null(error):
            raise
    return converted(msgspec.json.decode(text), shape)


def _of_null(error: msgspec.ValidationError) -> bool:
    """Whether a `null` is what stands where it may not."""
    return "got `null`" in str(error)


def _without_nulls(value: object, kinds: Iterable[inspect.Type]) -> object:
    """Return a value without the fields that are null, have a default and may not be null."""
    if isinstance(value, list):
        inner = list(_kinds_inside(kinds, None))
        return [_without_nulls(each, inner) for each in cast("list[object]", value)]
    if not isinstance(value, dict):
        return value
    fields = [
        field
        for kind in _plain_kinds(kinds)
        if isinstance(kind, inspect.StructType)
        for field in kind.fields
    ]
    absent = {field.encode_name for field in fields if not field.required}
    absent -= {field.encode_name for field in fields if _takes_null(field.type)}
    return {
        name: _without_nulls(each, [*_kinds_inside(kinds, name), *_kinds_inside(kinds, None)])
        for name, each in cast("dict[str, object]", value).items()
        if each is not None or name not in absent
    }


def _takes_null(kind: inspect.Type) -> bool:
    return any(
        isinstance(each, inspect.NoneType | inspect.AnyType) for each in _plain_kinds([kind])
    )


SCREEN = "screen"
"""What an item calls its screenshot."""

FETCH_AGAIN = "references can't be guessed: fix that row or fetch the file again"

Text = Annotated[str, msgspec.Meta(min_length=1)]
"""A text that may not be empty."""

Pixels = Annotated[int, msgspec.Meta(gt=0)]
"""The width or the height of an image."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """One split of one task, as it was read.

    Attributes:
        role: What `snellen.tasks.data.pins` knows the files as: a folder, mirror or configuration.
        split: The split's name.
        path: The file; the folder where there are several.
        sha256: The digest of what scores rest on.
        ids: The items' ids, in file order.
        space: What the boxes' sides count; None where boxes are no answers.
        note: What is not as published or was decided by a declared rule, in sentences.
        load_image: The bytes of a named image of one item; None where there are no images.
    """

    role: str
    split: str
    path: str
    sha256: str
    ids: list[str]
    space: Space | None = None
    note: str = ""
    load_image: Callable[[int, str], bytes] | None = None


class Fault(NamedTuple):
    """What msgspec found in rows: what is wrong, the row (from 0) and the field where known."""

    what: str
    row: int | None
    field: str | None


# "... - at `$[3].bbox`", and for the keys of an object "... - at `key` in `$[3].after`".
_PLACE = re.compile(
    r"^(?P<what>.*?)(?: - at (?:`(?P<part>\w+)` in )?`(?P<path>\$(?:\[(?P<row>\d+)\])?\.?"
    r"(?P<field>.*))`)?$",
    re.S,
)
_NOT_LISTED = "Invalid enum value"


def fault_of(error: msgspec.ValidationError, shape: object) -> Fault:
    """Return what was found in a list of rows, or in one row.

    Args:
        error: What msgspec raised.
        shape: The type that was wanted: where it lists the values that may stand at a place, what
            is wrong says them.
    """
    match = _PLACE.match(str(error))
    if match is None:
        return Fault(str(error), None, None)
    what, row, field = match.group("what", "row", "field")
    what += _known(error, shape)
    return Fault(f"{what[:1].lower()}{what[1:]}", None if row is None else int(row), field or None)


def words_of(error: msgspec.ValidationError, shape: object) -> str:
    """Return what was found and its place in one text; `shape` as for `fault_of`."""
    return f"{error}{_known(error, shape)}"


def _known(error: msgspec.ValidationError, shape: object) -> str:
    match = _PLACE.match(str(error))
    if match is None or not match["what"].startswith(_NOT_LISTED):
        return ""
    known = known_values(shape, match["path"] or "", of_keys=match["part"] == "key")
    return f"; known: {', '.join(known)}" if known else ""


def row_error(error: msgspec.ValidationError, file: str, shape: object) -> DataError:
    """Turn what msgspec found into an error that names the row and the field."""
    what, row, field = fault_of(error, shape)
    return misfit(what, file, row, field)


def misfit(what: str, file: str, row: int | None, field: str | None) -> DataError:
    """Return the error that a row (its number counts from 0) does not fit."""
    where = "" if row is None else f"row {row + 1} (counted from 1): "
    return DataError(f"{where}{what}; {FETCH_AGAIN}", file=file, field=field)


def space_of(sides: Iterable[float]) -> Space:
    """Return what the sides of a split's boxes count, where the data does not say.

    If every side lies in 0..1 they are fractions of the image, else pixels; `SPACE_NOTES` says
    which.
    """
    return Space.UNIT if all(0 <= side <= 1 for side in sides) else Space.PIXELS


SPACE_NOTES = MappingProxyType(
    {
        Space.UNIT: "boxes taken as fractions of the image: every side lies in 0..1",
        Space.PIXELS: "boxes taken as pixels: not every side lies in 0..1",
    }
)


@dataclass(slots=True)
class _Pause:
    holders: int = 0
    was_enabled: bool = False


_pause = _Pause()
_lock = Lock()


@contextmanager
def collector_paused() -> Generator[None]:
    """Keep the cyclic garbage collector from running, and turn it on again afterwards.

    While a big table is decoded every object stays alive, so its rounds find nothing and cost
    half of the time. Threads may overlap: the last one out turns it on again, unless it was off
    before the first one came.
    """
    with _lock:
        if _pause.holders == 0:
            _pause.was_enabled = gc.isenabled()
            gc.disable()
        _pause.holders += 1
    try:
        yield
    finally:
        with _lock:
            _pause.holders -= 1
            if _pause.holders == 0 and _pause.was_enabled:
                gc.enable()
