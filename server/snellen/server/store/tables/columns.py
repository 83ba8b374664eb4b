"""Tables from dataclasses: the fields are the columns."""

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from types import NoneType, UnionType
from typing import Annotated, Any, Union, cast, get_args, get_origin, get_type_hints

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Dialect,
    Double,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
)
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import TypeDecorator, TypeEngine

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class AsText(TypeDecorator[Any]):
    """A column type: a Python value stored as text.

    Args:
        write: Converts a value to its text. It also accepts that text.
        read: Converts a text to its value.
    """

    impl = Text
    cache_ok = True

    def __init__(self, write: Callable[[Any], str], read: Callable[[str], Any]) -> None:
        super().__init__()
        self.write = write
        self.read = read

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:  # noqa: ANN401  # as SQLAlchemy has it
        return None if value is None else self.write(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:  # noqa: ANN401
        return None if value is None else self.read(value)


Moment = Annotated[int, BigInteger()]
Digest = Annotated[bytes, LargeBinary(32)]
Words = Annotated[
    tuple[str, ...],
    AsText(lambda words: json.dumps(words), lambda text: tuple(json.loads(text))),
]
KEY: Mapping[str, Any] = {"primary_key": True}
UNIQUE: Mapping[str, Any] = {"unique": True}
INDEX: Mapping[str, Any] = {"index": True}
_TYPES: Mapping[type, TypeEngine[Any]] = {
    int: Integer(),
    str: Text(),
    bool: Boolean(),
    float: Double(),
    bytes: LargeBinary(),
}
# SQLite stores such a table in the order of its key, so a change writes one page less.
CLUSTERED: Mapping[str, Any] = {"sqlite_with_rowid": False}


def table(
    name: str, row: type, *constraints: SchemaItem, options: Mapping[str, Any] | None = None
) -> Table:
    """Return the table of a dataclass."""
    hints = get_type_hints(row, include_extras=True)
    defaults = {part.name: part.default for part in fields(row) if part.default is not MISSING}
    columns = [_column(part, hints[part], defaults.get(part)) for part in hints]
    return Table(name, metadata, *columns, *constraints, **(options or {}))


def _column(name: str, hint: Any, default: object) -> Column[Any]:  # noqa: ANN401  # any annotation
    """Return the column of a field; it is nullable if the field can be None.

    The metadata of `Annotated` is the column's SQL type, a foreign key, or other arguments of
    `Column`.
    """
    nullable, kind = False, hint
    sql_type: TypeEngine[Any] | None = None
    keys: list[ForeignKey] = []
    more: dict[str, Any] = {}
    while (origin := get_origin(kind)) in (Annotated, Union, UnionType):
        first, *rest = get_args(kind)
        if origin is not Annotated:
            nullable = NoneType in rest
            rest = []
        for extra in rest:
            if isinstance(extra, TypeEngine):
                sql_type = cast("TypeEngine[Any]", extra)
            elif isinstance(extra, ForeignKey):
                keys.append(ForeignKey(extra.target_fullname, ondelete=extra.ondelete))
            else:
                more |= extra
        kind = first
    if sql_type is None:
        # A type that is not in _TYPES is an enumeration, stored as its value.
        sql_type = _TYPES.get(kind) or AsText(lambda word: kind(word).value, kind)
    return Column(name, sql_type, *keys, nullable=nullable, default=default, **more)
