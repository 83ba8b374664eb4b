"""The store's schema: the tables of this version, made in a new store and compared in another one.

A store is of this version if it has the same tables with the same columns, of the same types. The
comparison is one query, and takes a few milliseconds. There are no migrations.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Dialect, insert

from snellen.server.errors import StoreError
from snellen.server.store.database import PATIENCE, Database
from snellen.server.store.tables import metadata
from snellen.server.store.tables.revision import REVISION, revision

COLUMNS = {
    # The tables that begin with sqlite_ are SQLite's own.
    "sqlite": (
        'SELECT t.name, c.name, c.type, c."notnull" FROM sqlite_master t,'
        " pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%'"
        " ESCAPE '\\'"
    ),
    "postgresql": (
        "SELECT t.relname, c.attname, format_type(c.atttypid, c.atttypmod), c.attnotnull"
        " FROM pg_class t JOIN pg_attribute c ON c.attrelid = t.oid"
        " WHERE t.relnamespace = current_schema()::regnamespace AND t.relkind IN ('r', 'p')"
        " AND c.attnum > 0 AND NOT c.attisdropped"
    ),
}
"""The query of a database's columns: table, name, type, whether it must have a value."""

Column = Sequence[Any]
_Layout = dict[str, dict[str, tuple[str, bool]]]
_MOST_DIFFERENCES = 3


def open_store(url: str | Path, *, patience: float = PATIENCE) -> Database:
    """Open a store; create it if it is missing or empty.

    Args:
        url: A URL of SQLAlchemy, or the path of a SQLite file.
        patience: The timeout for another program's lock, in seconds.

    Raises:
        StoreError: It can't be opened, is of another version, or is another program's database.
    """
    database = Database(url, patience=patience)
    try:
        # Usually it exists, and a read does not wait for other programs.
        if not database.read(lambda connection: _is_made(connection, database.name)):
            database.submit(lambda connection: _make(connection, database.name)).result()
    except BaseException:
        database.close()
        raise
    return database


def check_layout(
    columns: Iterable[Column], dialect: Dialect, read: Callable[[str], object], file: str
) -> bool:
    """Check that a database has the tables of this version; return whether it has any tables.

    Args:
        columns: The rows of the query in `COLUMNS`.
        dialect: The kind of database.
        read: Returns the first value that a query returns.
        file: The database, for messages.

    Raises:
        StoreError: It is a store of another version, or another program's database.
    """
    found: _Layout = defaultdict(dict)
    for table, name, kind, needed in columns:
        found[table][name] = (kind.upper(), bool(needed))
    if not found:
        return False
    if not {"tokens", "attempts"} <= found.keys():
        raise StoreError(
            f"it is another program's database (it holds {min(found)!r}), not a store of snellen;"
            " name another file",
            file=file,
        )
    differences = _differences(found, _layout(dialect))
    if not differences:
        stored = read(f"SELECT revision FROM {revision.name}")
        differences = [] if stored == REVISION else [f"its revision is {stored}, not {REVISION}"]
    if differences:
        more = len(differences) - _MOST_DIFFERENCES
        said = "; ".join(differences[:_MOST_DIFFERENCES]) + (f"; {more} more" if more > 0 else "")
        raise StoreError(
            f"it was made by another version of snellen ({said}): with that version, run `snellen"
            " attempts export NUMBER --output FOLDER --store STORE` for each attempt to keep, then"
            " name a new store",
            file=file,
        )
    return True


def _is_made(connection: Connection, file: str) -> bool:
    return check_layout(
        connection.exec_driver_sql(COLUMNS[connection.dialect.name]),
        connection.dialect,
        lambda query: connection.exec_driver_sql(query).scalar(),
        file,
    )


def _make(connection: Connection, file: str) -> None:
    # Read again within the transaction: another program may have made it.
    if not _is_made(connection, file):
        metadata.create_all(connection)
        connection.execute(insert(revision).values(revision=REVISION))


def _layout(dialect: Dialect) -> _Layout:
    return {
        name: {
            column.name: (column.type.compile(dialect), not column.nullable)
            for column in table.columns
        }
        for name, table in metadata.tables.items()
    }


def _differences(found: _Layout, wanted: _Layout) -> list[str]:
    said = [f"there is no table {name}" for name in wanted if name not in found]
    for name, columns in found.items():
        known = wanted.get(name)
        if known is None:
            said.append(f"there is a table {name}")
            continue
        lacking, added = known.keys() - columns.keys(), columns.keys() - known.keys()
        said += [f"the table {name} lacks {each}" for each in sorted(lacking)]
        said += [f"the table {name} has {each}" for each in sorted(added)]
        said += [
            f"{name}.{each} is {_kind(*columns[each])}, not {_kind(*known[each])}"
            for each in sorted(known.keys() & columns.keys())
            if columns[each] != known[each]
        ]
    return said


def _kind(kind: str, needed: bool) -> str:
    return f"{kind} NOT NULL" if needed else kind
