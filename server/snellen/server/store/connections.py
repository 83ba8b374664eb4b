"""Connections to a store: a SQLite file or a PostgreSQL database. One write transaction at a time.

SQLite has one writer at a time anyway. On PostgreSQL, a write transaction begins with a lock that
all servers and commands on that database take. So both behave alike: data that a change has read
does not change until it commits, and there are no deadlocks.
"""

import os
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from snellen.grading.errors import MissingExtraError
from snellen.server.errors import ExamError, StoreError
from snellen.server.logs import log

if TYPE_CHECKING:
    from sqlalchemy.engine import Dialect
    from sqlalchemy.pool import ConnectionPoolEntry

T = TypeVar("T")
Faults: TypeAlias = tuple[type[BaseException], ...]

READERS = 8
"""How many reads run at once where the database is another program."""

CONNECT_SECONDS = 5
_SLACK_SECONDS = 2.0
"""A server that works says itself that its time is over, so a connection waits a little longer."""

_LOCK = 0x736E656C6C656E
"""The advisory lock of writers: the bytes of `snellen`."""

_TCP = {
    "connect_timeout": CONNECT_SECONDS,
    "keepalives": 1,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
}
_POSTGRESQL = ("postgresql", "postgresql+psycopg")


class Connections(Protocol):
    """A store's connections: many reads, and one write transaction at a time."""

    faults: Faults  # the exceptions of the driver and of SQLAlchemy
    at_once: bool  # whether a read takes microseconds and can't block

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run a query; any thread may call it."""
        ...

    def change(self, work: Callable[[Connection], T]) -> T:
        """Run a change in a transaction and commit it; one thread calls it."""
        ...

    def close(self) -> None: ...


def connections(url: URL, patience: float) -> Connections:
    """Return the connections to a store.

    Args:
        url: A URL of SQLite or PostgreSQL.
        patience: The timeout for another program's lock or for an answer, in seconds.

    Raises:
        StoreError: It can't be opened, or is another kind of database.
        MissingExtraError: PostgreSQL's driver is not installed.
    """
    if url.get_backend_name() == "sqlite":
        return FileConnections(url, patience)
    if url.drivername not in _POSTGRESQL:
        raise StoreError(
            f"{url.drivername!r} is not a database that a store can use: give a file, or a URL like"
            " postgresql://host/name"
        )
    return ServerConnections(url.set(drivername=_POSTGRESQL[1]), patience)


def url_of(url: str | Path) -> URL:
    """Read the path of a SQLite file or a database's URL.

    Raises:
        StoreError: It is neither of these.
    """
    text = str(url)
    if isinstance(url, Path) or "://" not in text:
        return URL.create("sqlite", database=text)
    try:
        return make_url(text)
    except ArgumentError:
        raise StoreError(
            "it is not the URL of a database: give a file, or a URL like postgresql://host/name"
        ) from None


# ---- SQLite --------------------------------------------------------------------------------------


class FileConnections:
    """A SQLite file: one connection per concurrent read, and one for writes; all are kept open.

    Reads do not wait for each other: the event loop continues while a grader reads thousands of
    answers. Answers written to a deleted or replaced file would be lost, so each commit first
    checks that the file is the one that was opened.
    """

    at_once = True

    def __init__(self, url: URL, patience: float) -> None:
        self.engine = _sqlite_engine(url, patience)
        self.faults: Faults = (SQLAlchemyError, self.engine.dialect.loaded_dbapi.Error)
        self._file = str(Path(url.database or "").absolute())
        self._closed = False
        self._idle = deque([self._opened_reader()])
        self._writer: Connection | None = None
        self._opened_file = os.stat(self._file)
        self._gone = False

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run a query."""
        if self._closed:
            raise stopping()
        try:
            reader = self._idle.pop()
        except IndexError:
            self._check_file()
            reader = self._opened_reader()
        try:
            return work(reader)
        except self.faults:
            # If this connection is lost, the others may be too, so the next reads open new ones.
            _let_go(reader)
            self._close_idle()
            reader = None
            raise
        finally:
            if reader is not None:
                self._idle.append(reader)
                if self._closed:
                    self._close_idle()

    def change(self, work: Callable[[Connection], T]) -> T:
        """Run a change in a transaction and commit it.

        Raises:
            StoreError: The file was deleted or replaced; nothing was changed.
        """
        try:
            # Kept between commits: taking it from the pool costs as much as a change.
            if self._writer is None:
                self._check_file()
                self._writer = self.engine.connect()
            with self._writer.begin():
                self._writer.connection.cursor().execute("BEGIN IMMEDIATE")
                result = work(self._writer)
                self._check_file()
        except BaseException as error:
            if not isinstance(error, ExamError):
                self._writer = _let_go(self._writer)
                # A replaced file is the cause of the fault, so it is raised instead.
                self._check_file()
            raise
        return result

    def close(self) -> None:
        """Close all connections; a running read closes its own."""
        self._closed = True
        self._close_idle()
        self._writer = _let_go(self._writer)
        self.engine.dispose()

    def _close_idle(self) -> None:
        with suppress(IndexError):
            while True:
                _let_go(self._idle.pop())

    def _opened_reader(self) -> Connection:
        try:
            return self.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        except SQLAlchemyError:
            self.engine.dispose()
            raise

    def _check_file(self) -> None:
        try:
            gone = not os.path.samestat(os.stat(self._file), self._opened_file)
        except OSError:
            gone = True
        if gone and not self._gone:
            log().error("the store's file was deleted or replaced", file=self._file)
        self._gone = gone
        if gone:
            raise StoreError(
                "nothing was stored: the store's file was deleted or replaced. To call again does"
                " not help; tell the exam's organizer, who must put the file back or restart the"
                " server",
                again=False,
            )


def _sqlite_engine(url: URL, patience: float) -> Engine:
    if not url.database or url.database == ":memory:":
        raise StoreError("an exam needs a database file, not :memory:")
    _make(Path(url.database))
    engine = create_engine(
        url,
        connect_args={"check_same_thread": False, "timeout": patience},
        # One connection per concurrent read.
        max_overflow=-1,
        # The code that begins a transaction also ends it.
        pool_reset_on_return=None,
        # Errors may be logged, and parameters contain answers.
        hide_parameters=True,
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: object) -> None:  # noqa: ANN401  # sqlite3's, or another driver's
        # SQLAlchemy begins transactions itself, so that savepoints hold.
        connection.isolation_level = None
        cursor = connection.cursor()
        # Without fullfsync a commit on macOS may still be in the disk's own memory.
        for pragma in (
            "journal_mode=WAL",
            "synchronous=FULL",
            "fullfsync=ON",
            "foreign_keys=ON",
            # A participant's deleted data must not stay in free pages.
            "secure_delete=ON",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    return engine


def _make(file: Path) -> None:
    """Create the file if it is missing, readable only by its owner."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        # Not opened here: closing it would drop SQLite's locks on it.
        return
    except OSError as error:
        raise StoreError(f"can't keep a store there: {error.strerror}", file=str(file)) from error


def _let_go(connection: Connection | None) -> None:
    """Close a connection, even if it is lost."""
    if connection is not None:
        with suppress(SQLAlchemyError):
            connection.close()


# ---- PostgreSQL ----------------------------------------------------------------------------------


class ServerConnections:
    """A PostgreSQL database: a pool of connections with timeouts."""

    at_once = False

    def __init__(self, url: URL, patience: float) -> None:
        self.engine = _postgresql_engine(url, patience)
        self.faults: Faults = (SQLAlchemyError, self.engine.dialect.loaded_dbapi.Error)
        self._reads = self.engine.execution_options(isolation_level="AUTOCOMMIT")

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run a query."""
        with self._reads.connect() as connection:
            return self._kept(connection, work)

    def change(self, work: Callable[[Connection], T]) -> T:
        """Run a change in a transaction and commit it."""
        with self.engine.connect() as connection:

            def transaction(connection: Connection) -> T:
                with connection.begin():
                    # Held until the end of the transaction: the other writers wait.
                    connection.connection.cursor().execute(f"SELECT pg_advisory_xact_lock({_LOCK})")
                    return work(connection)

            return self._kept(connection, transaction)

    def close(self) -> None:
        """Close the pool."""
        self.engine.dispose()

    def _kept(self, connection: Connection, work: Callable[[Connection], T]) -> T:
        try:
            return work(connection)
        except self.faults:
            # Statements run on the driver itself, so SQLAlchemy does not see that one was lost.
            connection.invalidate()
            raise


def _postgresql_engine(url: URL, patience: float) -> Engine:
    try:
        engine = create_engine(
            url,
            connect_args={name: value for name, value in _TCP.items() if name not in url.query},
            # After it has the lock, a change must read the data that others have committed.
            isolation_level="READ COMMITTED",
            pool_pre_ping=True,
            pool_size=READERS + 1,
            max_overflow=READERS,
            pool_timeout=patience,
            hide_parameters=True,
        )
    except ImportError as error:
        raise MissingExtraError("a store on PostgreSQL", "postgres") from error
    # A lock that is not released must not be reported as a slow statement.
    limits = {
        "lock_timeout": patience,
        "statement_timeout": patience + _SLACK_SECONDS / 2,
        "idle_in_transaction_session_timeout": patience,
    }

    @event.listens_for(engine, "do_connect")
    def connect(
        _: "Dialect", __: "ConnectionPoolEntry", arguments: list[Any], options: dict[str, Any]
    ) -> object:
        from snellen.server.store.postgresql import connect_bounded

        return connect_bounded(patience + _SLACK_SECONDS, arguments, options)

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: object) -> None:  # noqa: ANN401  # psycopg's
        cursor = connection.cursor()
        for name, seconds in limits.items():
            given = (name, f"{round(seconds * 1000)}ms")
            cursor.execute("SELECT set_config(%s, %s, false)", given)
        cursor.close()
        connection.commit()

    return engine


def stopping() -> StoreError:
    """Return the error of a store that is being closed."""
    return StoreError("the server is stopping; nothing was stored: call again when it is back")
