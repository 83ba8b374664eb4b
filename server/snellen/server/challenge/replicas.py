"""Agreement of a server with the others of its store: on the time, and on what grades."""

import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryFile

from sqlalchemy import Connection

from snellen.server.attempts.register import Clock
from snellen.server.challenge import queries

MOST_APART = 2_000
"""The maximum difference of a server's clock and the store's, in milliseconds."""

THIS_MACHINE = Clock().now
"""Returns this machine's time, in milliseconds since 1970."""


def clock_fault(connection: Connection, now: Callable[[], int] = THIS_MACHINE) -> str | None:
    """Return how this machine's clock differs from the store's; None: they agree.

    Phases go by the first and jobs by the second, so a server with a wrong clock would accept files
    after the end.

    Args:
        connection: A connection to the store.
        now: Returns this machine's time, in milliseconds since 1970.
    """
    before = now()
    there = _store_time(connection)
    after = now()
    if before - MOST_APART <= there <= after + MOST_APART:
        return None
    seconds = round((after - there) / 1000)
    side = f"{seconds:,} s ahead of" if seconds > 0 else f"{-seconds:,} s behind"
    return (
        f"this server's clock is {side} the store's, and phases would begin and end at wrong times:"
        " set the clock, for example by NTP"
    )


def _store_time(connection: Connection) -> int:
    """Return the time of the machine that keeps the store.

    SQLite has no clock of its own, so the file system is asked for the time of a new file.
    """
    file = connection.engine.url.database
    if connection.dialect.name != "sqlite" or not file:
        return queries.database_now(connection)
    try:
        with TemporaryFile(dir=Path(file).parent) as new:
            return os.fstat(new.fileno()).st_mtime_ns // 1_000_000
    except OSError:  # a full disk is reported by whatever writes to it
        return queries.database_now(connection)
