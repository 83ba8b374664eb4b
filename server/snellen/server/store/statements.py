"""Statements that are written once for each database and run on its driver itself.

SQLAlchemy writes them, for SQLite as for PostgreSQL. But what it does around each run takes four
times as long as SQLite takes for the run, and a call of the exam runs up to six. A cursor is closed
at once: an open one would keep SQLite's log from being cleared.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from sqlalchemy import Connection, Delete, Insert, Select, Update
from sqlalchemy.engine import Dialect

Selected: TypeAlias = Select[*tuple[Any, ...]]
Change: TypeAlias = Insert | Update | Delete
Parameters: TypeAlias = Mapping[str, Any]
Process: TypeAlias = Callable[[Any], Any]
R = TypeVar("R", bound=NamedTuple)


@dataclass(frozen=True, slots=True)
class _Written:
    """A statement as one database takes it.

    Attributes:
        text: Its SQL.
        order: The names of its parameters in their order; None where they go by name.
        fixed: The values that are part of it.
        given: What a driver wants in another form, by the parameter's name.
        found: Likewise what a driver returns, by the column's number.
    """

    text: str
    order: Sequence[str] | None
    fixed: Parameters
    given: Mapping[str, Process]
    found: Mapping[int, Process]

    def filled(self, parameters: Parameters) -> Any:  # noqa: ANN401  # as the driver takes them
        """Return parameters as the driver takes them."""
        values = {**self.fixed, **parameters}
        for name, process in self.given.items():
            values[name] = process(values[name])
        return values if self.order is None else [values[name] for name in self.order]


class _Statement:
    def __init__(self, clause: Selected | Change) -> None:
        self.clause = clause
        self._written: dict[tuple[type[Dialect], str], _Written] = {}

    def _on(self, connection: Connection) -> _Written:
        dialect = connection.dialect
        driver = type(dialect), dialect.paramstyle
        written = self._written.get(driver)
        if written is None:
            # Two threads that come here at once write the same.
            written = self._written[driver] = _write(self.clause, dialect)
        return written


class Command(_Statement):
    """A change."""

    def run(self, connection: Connection, parameters: Parameters) -> None:
        """Make it, within the connection's transaction."""
        written = self._on(connection)
        with closing(connection.connection.cursor()) as cursor:
            cursor.execute(written.text, written.filled(parameters))

    def run_all(self, connection: Connection, rows: Sequence[Parameters]) -> None:
        """Make it once for each row."""
        written = self._on(connection)
        with closing(connection.connection.cursor()) as cursor:
            cursor.executemany(written.text, [written.filled(row) for row in rows])


class Query(_Statement, Generic[R]):
    """A question, and what its rows are.

    Args:
        clause: The question.
        row: Its columns' names, in their order, and their types.
    """

    def __init__(self, clause: Selected, row: type[R]) -> None:
        super().__init__(clause)
        assert tuple(column.key for column in clause.selected_columns) == row._fields
        self._row = row

    def first(self, connection: Connection, parameters: Parameters) -> R | None:
        """Return the first row; None where there is none."""
        written = self._on(connection)
        with closing(connection.connection.cursor()) as cursor:
            cursor.execute(written.text, written.filled(parameters))
            values = cursor.fetchone()
        return None if values is None else self._made(written, values)

    def one(self, connection: Connection, parameters: Parameters) -> R:
        """Return the first row of what has one for certain."""
        row = self.first(connection, parameters)
        assert row is not None
        return row

    def all(self, connection: Connection, parameters: Parameters) -> list[R]:
        """Return every row."""
        written = self._on(connection)
        with closing(connection.connection.cursor()) as cursor:
            cursor.execute(written.text, written.filled(parameters))
            rows = cursor.fetchall()
        return [self._made(written, values) for values in rows]

    def _made(self, written: _Written, values: Sequence[Any]) -> R:
        if written.found:
            values = list(values)
            for number, process in written.found.items():
                values[number] = process(values[number])
        return self._row._make(values)


def _write(clause: Selected | Change, dialect: Dialect) -> _Written:
    compiled = clause.compile(dialect=dialect)
    given, found = dict[str, Process](), dict[int, Process]()
    for name, bind in compiled.binds.items():
        if to_driver := bind.type.dialect_impl(dialect).bind_processor(dialect):
            given[name] = to_driver
    columns = clause.selected_columns if isinstance(clause, Select) else ()
    for number, column in enumerate(columns):
        if from_driver := column.type.dialect_impl(dialect).result_processor(dialect, None):
            found[number] = from_driver
    return _Written(
        text=str(compiled),
        order=tuple(compiled.positiontup or ()) if compiled.positional else None,
        fixed={name: bind.value for name, bind in compiled.binds.items() if not bind.required},
        given=given,
        found=found,
    )
