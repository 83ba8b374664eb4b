"""The store's schema: a check of its revision on opening, and migrations of older stores.

The check takes a millisecond. A new store is created without Alembic, whose import takes almost a
second: only older stores need it.
"""

from importlib.resources import as_file, files
from pathlib import Path

from sqlalchemy import Column, Connection, MetaData, String, Table, inspect, select

from snellen.grading.errors import MissingExtraError
from snellen.server.errors import StoreError
from snellen.server.store.database import PATIENCE, Database
from snellen.server.store.tables import metadata

HEAD = "0009"
"""The newest revision, which the tables in this version are of."""

REVISIONS = (HEAD,)
"""Every revision that this version can bring up to date, oldest first."""

# Alembic's own table, with its own names.
_version = Table(
    "alembic_version",
    MetaData(naming_convention={"pk": "%(table_name)s_pkc"}),
    Column("version_num", String(32), primary_key=True, nullable=False),
)


def open_store(url: str | Path, *, patience: float = PATIENCE) -> Database:
    """Open a store; create it if it is missing, migrate it if it is older.

    Args:
        url: A URL of SQLAlchemy, or the path of a SQLite file.
        patience: The timeout for another program's lock, in seconds.

    Raises:
        StoreError: It can't be opened, is of a newer version, or is another program's database.
    """
    database = Database(url, patience=patience)
    try:
        if database.read(revision) != HEAD:
            database.submit(lambda connection: _prepare(connection, database.name)).result()
    except BaseException:
        database.close()
        raise
    return database


def revision(connection: Connection) -> str | None:
    """Return a store's revision; None if it has no tables of snellen."""
    if not inspect(connection).has_table(_version.name):
        return None
    return connection.execute(select(_version.c.version_num)).scalar()


def upgrade(connection: Connection, target: str = HEAD) -> None:
    """Migrate a store to a revision, step by step.

    Args:
        connection: A connection in a transaction: a failing step leaves the store unchanged.
        target: The revision.

    Raises:
        MissingExtraError: Alembic is not installed.
    """
    try:
        from alembic import command
        from alembic.config import Config
    except ImportError as error:
        raise MissingExtraError("upgrading a store of an earlier version", "serve") from error

    with as_file(files("snellen.server.store") / "migrations") as scripts:
        config = Config()
        config.set_main_option("script_location", str(scripts).replace("%", "%%"))
        config.attributes["connection"] = connection
        command.upgrade(config, target)


def readable(found: str) -> str:
    """Say which revisions can be read, and what to do with a store of another one."""
    if found > HEAD:
        return f"but this version reads at most {HEAD}: upgrade snellen"
    return (
        f"of before the first release, but this version reads from {REVISIONS[0]} on: open it with"
        " the version that made it"
    )


def _prepare(connection: Connection, file: str) -> None:
    # Read again within the transaction: another program may have migrated it.
    found = revision(connection)
    if found == HEAD:
        return
    if found is None:
        strange = inspect(connection).get_table_names()
        if strange:
            raise StoreError(
                f"it is another program's database (it holds {strange[0]!r}); name another file",
                file=file,
            )
        metadata.create_all(connection)
        _version.create(connection)
        connection.execute(_version.insert().values(version_num=HEAD))
        return
    if found not in REVISIONS:
        raise StoreError(
            f"it has revision {found}, {readable(found)}, or name another file", file=file
        )
    upgrade(connection)
