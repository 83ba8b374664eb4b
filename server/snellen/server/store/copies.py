"""Copies of a SQLite store: backup, restore, check. PostgreSQL has programs of its own for that.

A copy is made by SQLite itself, so it holds one moment of a store that is being written to. It is
written beside its place, checked, and moved there whole: a copy that was interrupted leaves nothing
behind that could be taken for one.
"""

import os
import secrets
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

from snellen.server.errors import StoreError
from snellen.server.store.connections import url_of
from snellen.server.store.database import Database
from snellen.server.store.faults import store_error
from snellen.server.store.schema import HEAD, REVISIONS, open_store, revision

_BESIDE = ("", "-wal", "-shm", "-journal")
"""The endings of the files that SQLite keeps of a database."""

_MOST_FAULTS = 10


def back_up(store: str | Path, file: Path) -> None:
    """Copy a store to a file, which is replaced if it is there; servers may go on meanwhile.

    Raises:
        StoreError: It is no store in a SQLite file, is damaged, or the copy can't be written.
    """
    source = _file_of(store, "pg_dump --format=custom --file FILE URL")
    _check_store(source)
    if file.exists() and file.samefile(source):
        raise StoreError("it is the store itself: name another file", file=str(file))
    with _whole(source, file) as made:
        made.replace(file)


def restore(file: Path, store: str | Path) -> None:
    """Make a store of a backup; one of an older version is brought up to date.

    Raises:
        StoreError: It is no backup, is damaged or of a newer version, or there is a store already.
    """
    target = _file_of(store, "pg_restore --dbname URL FILE")
    _check_store(file)
    for ending in _BESIDE:
        beside = target.with_name(target.name + ending)
        if beside.exists():
            # What belongs to another database would be read as a part of this one.
            raise StoreError(
                "it is there already: stop the servers, move it away with the files beside it"
                " (-wal, -shm), and restore again",
                file=str(beside),
            )
    target.parent.mkdir(parents=True, exist_ok=True)
    with _whole(file, target) as made:
        try:
            # Unlike a move, it never takes the place of a file that somebody made meanwhile.
            os.link(made, target)
        except FileExistsError:
            raise StoreError("it is there already", file=str(target)) from None
    open_store(target).close()


def check(store: str | Path) -> str:
    """Look at every page of a SQLite store; return its revision.

    Raises:
        StoreError: It is damaged, or is no store.
    """
    return _check_store(_file_of(store, "pg_amcheck URL"))


def migrate(store: str | Path) -> tuple[str | None, str]:
    """Bring a store up to date; return the revision that it was of (None: it was new) and is of.

    Raises:
        StoreError: There is none, it is of a newer version, or the migration failed: then nothing
            was changed.
    """
    url = url_of(store)
    if url.get_backend_name() == "sqlite":
        file = _file_of(store, "")
        if not file.is_file():
            raise StoreError("there is no such file", file=str(file))
    database = Database(store)
    try:
        before = database.read(revision)
    finally:
        database.close()
    open_store(store).close()
    return before, HEAD


def _file_of(store: str | Path, instead: str) -> Path:
    """Return the file that a store is in.

    Raises:
        StoreError: It is in none; the message names the program that does it instead.
    """
    url = url_of(store)
    if url.get_backend_name() != "sqlite" or not url.database:
        raise StoreError(
            f"a PostgreSQL database has programs of its own for this: {instead}",
            file=url.render_as_string(),
        )
    return Path(url.database)


def _check_store(file: Path) -> str:
    """Return the revision of a store that is whole and can be opened by this version."""
    if not file.is_file():
        raise StoreError("there is no such file", file=str(file))
    try:
        with closing(_opened(file)) as connection:
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
            if "alembic_version" not in tables:
                raise StoreError("it is no store of snellen", file=str(file))
            (found,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
            faults = _faults(connection)
    except sqlite3.Error as error:
        raise store_error(error, str(file)) from error
    if faults:
        raise StoreError(f"it is damaged: {'; '.join(faults)}", file=str(file))
    if found not in REVISIONS:
        raise StoreError(
            f"it is of revision {found}, and this version knows {HEAD} at most: upgrade snellen",
            file=str(file),
        )
    return found


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
    # Never makes a file; a store that is served can't be read without writing to its -shm.
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode=rw", uri=True)


@contextmanager
def _whole(source: Path, target: Path) -> Generator[Path]:
    """Copy a database to a new file beside a target, on disk when it is handed out.

    Whoever takes it moves it away, or it is removed at the end.
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
