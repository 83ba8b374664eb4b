"""Statements that are compiled once per database and run directly on its driver.

SQLAlchemy compiles them for SQLite and PostgreSQL. Its overhead per run is four times the duration
of the run in SQLite, and a call of the exam runs up to six statements. Cursors are closed at once,
because an open one would prevent the cleanup of SQLite's log.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from sqlalchemy import Connection, Delete, Float, Insert, Select, Update
from sqlalchemy.engine import Dialect

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Change: TypeAlias = Insert | Update | Delete
Selected: TypeAlias = Select[*tuple[Any, ...]]
Parameters: TypeAlias = Mapping[str, Any]
Process: TypeAlias = Callable[[Any], Any]
R = TypeVar("R", bound="DataclassInstance")


@dataclass(frozen=True, slots=True)
class _Compiled:
    """A statement compiled for one database."""

    text: str  # its SQL
    order: Sequence[str] | None  # the names of its parameters in order; None: parameters are named
    fixed: Parameters  # its constant values
    given: Mapping[str, Process]  # converters of parameters, by name
    found: Mapping[int, Process]  # converters of results, by the column's index


class Statement:
    """A change or a query; its rows have Python values."""

    def __init__(self, clause: Selected | Change) -> None:
        self.clause = clause
        self._returns_rows = isinstance(clause, Select)
        self._compiled: dict[tuple[type[Dialect], str], _Compiled] = {}

    def run(self, connection: Connection, parameters: Parameters) -> list[Sequence[Any]]:
        """Run it within the connection's transaction, and return its rows; a change has none."""
        dialect = connection.dialect
        driver = type(dialect), dialect.paramstyle
        compiled = self._compiled.get(driver)
        if compiled is None:
            # Two threads that come here at once make the same.
            compiled = self._compiled[driver] = _compile(self.clause, dialect)
        values = {**compiled.fixed, **parameters}
        for name, process in compiled.given.items():
            values[name] = process(values[name])
        with closing(connection.connection.cursor()) as cursor:
            cursor.execute(
                compiled.text,
                values if compiled.order is None else [values[name] for name in compiled.order],
            )
            rows: list[Sequence[Any]] = [*cursor.fetchall()] if self._returns_rows else []
        for index, row in enumerate(rows if compiled.found else ()):
            converted = list(row)
            for number, process in compiled.found.items():
                converted[number] = process(row[number])
            rows[index] = converted
        return rows


class Query(Statement, Generic[R]):
    """A query with the type of its rows.

    Args:
        clause: The query.
        row: A dataclass with its columns' names.
    """

    def __init__(self, clause: Selected, row: type[R]) -> None:
        super().__init__(clause)
        self._names = [str(column.key) for column in clause.selected_columns]
        assert set(self._names) == {part.name for part in fields(row)}
        self._row = row

    def first(self, connection: Connection, parameters: Parameters) -> R | None:
        """Return the first row; None: there is none."""
        rows = self.run(connection, parameters)
        return self._row(**dict(zip(self._names, rows[0], strict=True))) if rows else None

    def one(self, connection: Connection, parameters: Parameters) -> R:
        """Return the first row of a query that always has one."""
        row = self.first(connection, parameters)
        assert row is not None
        return row

    def all(self, connection: Connection, parameters: Parameters) -> list[R]:
        """Return every row."""
        rows = self.run(connection, parameters)
        return [self._row(**dict(zip(self._names, row, strict=True))) for row in rows]


def row_values(row: "DataclassInstance") -> dict[str, Any]:
    """Return a row as the parameters of an `insert`, without `id`, which the store assigns."""
    return {part.name: getattr(row, part.name) for part in fields(row) if part.name != "id"}


def _compile(clause: Selected | Change, dialect: Dialect) -> _Compiled:
    compiled = clause.compile(dialect=dialect)
    given, found = dict[str, Process](), dict[int, Process]()
    for name, bind in compiled.binds.items():
        if to_driver := bind.type.dialect_impl(dialect).bind_processor(dialect):
            given[name] = to_driver
    columns = clause.selected_columns if isinstance(clause, Select) else ()
    for number, column in enumerate(columns):
        # Every driver returns floats as such; SQLAlchemy asks the driver's own code of the type.
        if isinstance(column.type, Float):
            continue
        if from_driver := column.type.dialect_impl(dialect).result_processor(dialect, None):
            found[number] = from_driver
    return _Compiled(
        text=str(compiled),
        order=tuple(compiled.positiontup or ()) if compiled.positional else None,
        fixed={name: bind.value for name, bind in compiled.binds.items() if not bind.required},
        given=given,
        found=found,
    )
