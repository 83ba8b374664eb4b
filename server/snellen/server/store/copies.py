"""Copies of a SQLite store: backup, restore, check. PostgreSQL has its own programs for that.

SQLite itself makes the copy, so it is a consistent snapshot, also of a store in use. It is written
to a temporary file, checked, and renamed, so an interrupted copy leaves no incomplete file.
"""

import os
import secrets
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy.dialects.sqlite.base import SQLiteDialect

from snellen.server.errors import StoreError
from snellen.server.store.connections import url_of
from snellen.server.store.faults import store_error
from snellen.server.store.schema import COLUMNS, check_layout
from snellen.server.store.tables.revision import REVISION

_BESIDE = ("", "-wal", "-shm", "-journal")
"""The endings of the files that SQLite keeps of a database."""

_MOST_FAULTS = 10


def back_up(store: str | Path, file: Path) -> None:
    """Copy a store to a file, which is replaced if it exists; servers may keep running.

    Raises:
        StoreError: It is not a SQLite store, is damaged, or the copy can't be written.
    """
    source = _file_of(store, "pg_dump --format=custom --file FILE URL")
    _check_store(source)
    if file.exists() and file.samefile(source):
        raise StoreError("it is the store itself: name another file", file=str(file))
    with _whole(source, file) as made:
        made.replace(file)


def restore(file: Path, store: str | Path) -> None:
    """Restore a backup as a new store.

    Raises:
        StoreError: It is not a backup, is damaged or of another version, or the store exists.
    """
    target = _file_of(store, "pg_restore --dbname URL FILE")
    _check_store(file)
    for ending in _BESIDE:
        beside = target.with_name(target.name + ending)
        if beside.exists():
            # SQLite would read another database's log as a part of this one.
            raise StoreError(
                "it exists already: stop the servers, move it away with the files beside it"
                " (-wal, -shm), and restore again",
                file=str(beside),
            )
    target.parent.mkdir(parents=True, exist_ok=True)
    with _whole(file, target) as made:
        try:
            # Unlike a rename, a link never replaces a file that was created in the meantime.
            os.link(made, target)
        except FileExistsError:
            raise StoreError("it exists already", file=str(target)) from None


def check(store: str | Path) -> str:
    """Check all pages of a SQLite store; return its revision.

    Raises:
        StoreError: It is damaged, or is not a store.
    """
    return _check_store(_file_of(store, "pg_amcheck URL"))


def _file_of(store: str | Path, instead: str) -> Path:
    """Return a store's file.

    Raises:
        StoreError: It is not in a file; the message names the program to use instead.
    """
    url = url_of(store)
    if url.get_backend_name() != "sqlite" or not url.database:
        raise StoreError(
            f"for a PostgreSQL database, use its own programs: {instead}",
            file=url.render_as_string(),
        )
    return Path(url.database)


def _check_store(file: Path) -> str:
    """Return the revision of a store, after checking its layout and its pages."""
    if not file.is_file():
        raise StoreError("there is no such file", file=str(file))
    try:
        with closing(_opened(file)) as connection:
            columns = connection.execute(COLUMNS["sqlite"]).fetchall()

            def read(query: str) -> object:
                return next(iter(connection.execute(query).fetchone() or ()), None)

            if not check_layout(columns, SQLiteDialect(), read, str(file)):
                raise StoreError("it is empty, not a store of snellen", file=str(file))
            faults = _faults(connection)
    except sqlite3.Error as error:
        raise store_error(error, str(file)) from error
    if faults:
        raise StoreError(f"it is damaged: {'; '.join(faults)}", file=str(file))
    return REVISION


def _faults(connection: sqlite3.Connection) -> list[str]:
    faults = [
        line
        for (line,) in connection.execute(f"PRAGMA integrity_check({_MOST_FAULTS})")
        if line != "ok"
    ]
    lost = connection.execute("PRAGMA foreign_key_check").fetchmany(_MOST_FAULTS)
    return faults + [
        f"a row of {table} belongs to no row of {parent}" for table, _, parent, _ in lost
    ]


def _opened(file: Path) -> sqlite3.Connection:
    # Never creates a file; reading a store in use requires writing to its -shm file.
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode=rw", uri=True)


@contextmanager
def _whole(source: Path, target: Path) -> Generator[Path]:
    """Copy a database to a temporary file next to a target, flushed to disk.

    The caller renames it; otherwise it is removed at the end.
    """
    made = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
    try:
        os.close(os.open(made, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        with closing(_opened(source)) as old, closing(_opened(made)) as new:
            old.backup(new)
            # One file, with no log beside it.
            new.execute("PRAGMA journal_mode=DELETE")
            if faults := _faults(new):
                raise StoreError(f"the copy is damaged: {'; '.join(faults)}", file=str(target))
        _sync(made)
        yield made
        _sync(target.parent)
    except sqlite3.Error as error:
        raise store_error(error, str(target)) from error
    except OSError as error:
        raise StoreError(f"can't be written: {error.strerror}", file=str(target)) from error
    finally:
        made.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
