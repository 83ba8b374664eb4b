"""Messages for database faults that say what to do; details go to the log."""

import sqlite3

from sqlalchemy.exc import DBAPIError

from snellen.server.errors import StoreError

_LOCKED = "another program keeps the store locked: call again in a minute"
_FULL = "the store's disk is full: the organizer must free space; then call again"
_READ_ONLY = "the store can't be written to: the organizer must allow it"
_WORDS = {
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_IOERR: "the store's disk fails: the organizer must look at it; then call again",
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_CORRUPT: "the store is damaged: the organizer must restore it from a copy",
    sqlite3.SQLITE_NOTADB: "the store is no database: the organizer must name another file",
    sqlite3.SQLITE_CANTOPEN: "the store can't be opened: the organizer must look at its file",
    # https://www.postgresql.org/docs/current/errcodes-appendix.html
    "55P03": _LOCKED,
    "57014": "the store is too slow: call again in a minute",
    "53100": _FULL,
    "25006": _READ_ONLY,
}
_UNREACHABLE = (
    "the store's database can't be reached, and it is not known whether the call was stored: make"
    " the same call again in a minute"
)
_UNREACHED = "the store's database can't be reached: call again in a minute"
_UNREACHABLE_CLASSES = ("08", "57P", "53300")
_FINAL = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, "55P03", "57014")
_PRIMARY = 0xFF


def is_final(error: BaseException) -> bool:
    """Whether running the same changes separately would fail again after a long wait.

    The wait for another program's lock timed out, or the database can't be reached or is gone.
    """
    return (
        isinstance(error, StoreError) or _code(error) in _FINAL or _is_unreachable(_driver(error))
    )


def store_error(
    error: BaseException, file: str | None = None, *, reading: bool = False
) -> StoreError:
    """Return the error that a caller gets for a fault.

    Args:
        error: The database's exception.
        file: The store, if the message is for the organizer and not for an examinee.
        reading: Whether the call only reads, so that nothing could be stored.
    """
    if _is_unreachable(_driver(error)):
        words = _UNREACHED if reading else _UNREACHABLE
        if file is not None:
            words = f"can't reach the database: {_driver(error)}"
        return StoreError(words, file=file)
    words = _WORDS.get(_code(error) or 0, "the store failed: call again, or tell the organizer")
    told = file is None and not reading
    return StoreError(f"nothing was stored; {words}" if told else words, file=file)


def _driver(error: BaseException) -> BaseException:
    """Return the driver's exception."""
    return error.orig or error if isinstance(error, DBAPIError) else error


def _is_unreachable(error: BaseException) -> bool:
    """Whether a database server is down, shuts down, or does not answer."""
    state: str | None = getattr(error, "sqlstate", "none")
    if state is None:
        # psycopg's own: no word came from the server. Others of its own are of values.
        return any(kind.__name__ == "OperationalError" for kind in type(error).__mro__)
    return state.startswith(_UNREACHABLE_CLASSES)


def _code(error: BaseException) -> int | str | None:
    """Return SQLite's primary result code, or PostgreSQL's; None if there is none."""
    cause = _driver(error)
    code = getattr(cause, "sqlite_errorcode", None)
    return code & _PRIMARY if isinstance(code, int) else getattr(cause, "sqlstate", None)
