"""What a type of msgspec's lists as the values of a place in it, for messages."""

import re
from collections.abc import Iterable, Iterator

from msgspec import inspect

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
    kinds = list(_plain([inspect.type_info(shape)]))
    for step in _STEP.finditer(path):
        kinds = list(_plain(inner for kind in kinds for inner in _inside(kind, step[1])))
    if of_keys:
        dicts = [kind.key_type for kind in kinds if isinstance(kind, inspect.DictType)]
        kinds = list(_plain(dicts))
    # A dict, because a value may be listed by two of the types that a place may have.
    return tuple(dict.fromkeys(value for kind in kinds for value in _listed(kind)))


def _plain(kinds: Iterable[inspect.Type]) -> Iterator[inspect.Type]:
    for kind in kinds:
        if isinstance(kind, inspect.UnionType):
            yield from _plain(kind.types)
        elif isinstance(kind, inspect.Metadata):
            yield from _plain([kind.type])
        else:
            yield kind


def _inside(kind: inspect.Type, name: str | None) -> Iterator[inspect.Type]:
    """Yield the types of what is in a type: of a field by its name, of elements without one."""
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
