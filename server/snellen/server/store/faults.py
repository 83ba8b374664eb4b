"""What went wrong in the database, in words that say what to do; details go to the log."""

import sqlite3

from sqlalchemy.exc import DBAPIError

from snellen.server.errors import StoreError

_WORDS = {
    sqlite3.SQLITE_BUSY: "another program keeps the store locked: call again in a minute",
    sqlite3.SQLITE_LOCKED: "another program keeps the store locked: call again in a minute",
    sqlite3.SQLITE_FULL: "the store's disk is full: the organiser must free space; then call again",
    sqlite3.SQLITE_IOERR: "the store's disk fails: the organiser must look at it; then call again",
    sqlite3.SQLITE_READONLY: "the store can't be written to: the organiser must allow it",
    sqlite3.SQLITE_CORRUPT: "the store is damaged: the organiser must restore it from a copy",
    sqlite3.SQLITE_NOTADB: "the store is no database: the organiser must name another file",
    sqlite3.SQLITE_CANTOPEN: "the store can't be opened: the organiser must look at its file",
}
_PRIMARY = 0xFF


def is_busy(error: BaseException) -> bool:
    """Whether another program's lock was waited for in vain."""
    return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def told(error: BaseException, file: str | None = None) -> StoreError:
    """Return what a caller is told of a fault.

    Args:
        error: What the database raised.
        file: The store, where its organiser is told and not an examinee.
    """
    words = _WORDS.get(_code(error) or 0, "the store failed: call again, or tell the organiser")
    return StoreError(f"nothing was stored; {words}" if file is None else words, file=file)


def _code(error: BaseException) -> int | None:
    """Return SQLite's primary result code; None for what has none."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    code = getattr(cause, "sqlite_errorcode", None)
    return code & _PRIMARY if isinstance(code, int) else None
