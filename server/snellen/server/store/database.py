"""The database: reads at once, writes by one thread that commits many together.

An answer is acknowledged when its transaction is on disk (WAL, synchronous=FULL). A commit waits
for the disk, so writes that arrive meanwhile share the next one: with many agents at once each
pays a part of it.
"""

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from snellen.server.errors import ExamError, StoreError
from snellen.server.store.faults import is_busy, told

T = TypeVar("T")

MOST_TOGETHER = 256
"""How many writes share a commit at most."""

PATIENCE = 10.0
"""Seconds to wait for another program's lock. A call may wait twice, and hosts give up at 60."""


@dataclass(frozen=True, slots=True)
class _Write:
    work: Callable[[Connection], Any]
    done: Future[Any] = field(default_factory=Future[Any])


class _Result(NamedTuple):
    write: _Write
    value: Any
    error: ExamError | None


class Database:
    """A store that reads on the caller's thread and writes on one of its own.

    Args:
        url: As SQLAlchemy writes it, or the path of a SQLite file, which is made where there is
            none and which only its owner can read.
        patience: Seconds to wait for another program's lock.

    Raises:
        StoreError: It can't be opened.
    """

    def __init__(self, url: str | Path, *, patience: float = PATIENCE) -> None:
        self._url = _url(url)
        self._engine = _engine(self._url, patience)
        self._faults = (SQLAlchemyError, self._engine.dialect.loaded_dbapi.Error)
        self._reader: Connection | None = None
        self._writer: Connection | None = None
        try:
            self._reader = self._opened_reader()
        except SQLAlchemyError as error:
            self._engine.dispose()
            raise told(error, self.name) from error
        self._reading = threading.Lock()
        self._queue: SimpleQueue[_Write | None] = SimpleQueue()
        self._closing = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._write_all, name="snellen-writer", daemon=True)
        self._thread.start()

    @property
    def name(self) -> str:
        """The file or the URL, without a password."""
        file = self._url.database if self._url.get_backend_name() == "sqlite" else None
        return file or self._url.render_as_string()

    @property
    def engine(self) -> Engine:
        """The engine, for migrations."""
        return self._engine

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run a short query and return what it returns.

        Raises:
            StoreError: The store failed.
        """
        with self._reading:
            if self._closed:
                raise _stopping()
            try:
                if self._reader is None:
                    self._reader = self._opened_reader()
                return work(self._reader)
            except self._faults as error:
                # A connection may be lost: the next read opens another.
                self._reader = _let_go(self._reader)
                raise told(error) from error

    def submit(self, work: Callable[[Connection], T]) -> "Future[T]":
        """Queue a change; the future is done when it is on disk, or says why it is not.

        The work runs in a transaction that other changes share; an `ExamError` that it raises
        undoes its own part only. Where the shared transaction fails, each work is run again by
        itself: it must not change anything but the database.
        """
        write = _Write(work)
        with self._closing:
            if self._closed:
                write.done.set_exception(_stopping())
            else:
                self._queue.put(write)
        return write.done

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Make a change and return when it is on disk.

        Raises:
            StoreError: The store failed; nothing was changed.
        """
        loop = asyncio.get_running_loop()
        # Of the loop's own and by itself: a caller that is cancelled must not undo what may be on
        # disk already. To shield a wrapped future does the same at twice the cost.
        answer: asyncio.Future[T] = loop.create_future()
        self.submit(work).add_done_callback(partial(_hand_over, loop, answer))
        return await answer

    def close(self) -> None:
        """Finish what is queued and let go of the files; closing again does nothing."""
        with self._closing:
            if self._closed:
                return
            self._closed = True
            self._queue.put(None)
        self._thread.join()
        with self._reading:
            self._reader = _let_go(self._reader)
            self._writer = _let_go(self._writer)
            self._engine.dispose()

    def _opened_reader(self) -> Connection:
        return self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")

    def _write_all(self) -> None:
        while (first := self._queue.get()) is not None:
            together = [first]
            more = True
            while more and len(together) < MOST_TOGETHER and not self._queue.empty():
                following = self._queue.get()
                if following is None:
                    more = False
                else:
                    together.append(following)
            # What nobody waits for any more is left out before it is begun, never after.
            wanted = [write for write in together if write.done.set_running_or_notify_cancel()]
            if wanted:
                self._commit(wanted)
            if not more:
                return

    def _commit(self, writes: list[_Write]) -> None:
        alone = len(writes) == 1
        try:
            # Kept from one commit to the next: to take it from the pool costs as much as a change.
            if self._writer is None:
                self._writer = self._engine.connect()
            with self._writer.begin():
                results = [_run(self._writer, write, alone=alone) for write in writes]
        except BaseException as error:  # noqa: BLE001  # whoever waits must hear of it, whatever it is
            if not isinstance(error, ExamError):
                self._writer = _let_go(self._writer)
            self._fail(writes, error)
            return
        for write, value, error in results:
            if error is None:
                write.done.set_result(value)
            else:
                write.done.set_exception(error)

    def _fail(self, writes: list[_Write], error: BaseException) -> None:
        if len(writes) > 1 and not is_busy(error):
            # One change that can't be made must not take the others with it.
            for write in writes:
                self._commit([write])
            return
        cause = told(error) if isinstance(error, self._faults) else error
        if cause is not error:
            cause.__cause__ = error
        for write in writes:
            write.done.set_exception(cause)


def _run(connection: Connection, write: _Write, *, alone: bool) -> _Result:
    if alone:
        return _Result(write, write.work(connection), None)
    # By the driver: SQLAlchemy's nested transactions cost more than most changes do.
    with closing(connection.connection.cursor()) as cursor:
        cursor.execute("SAVEPOINT alone")
        try:
            result = _Result(write, write.work(connection), None)
        except ExamError as error:
            cursor.execute("ROLLBACK TO SAVEPOINT alone")
            result = _Result(write, None, error)
        cursor.execute("RELEASE SAVEPOINT alone")
    return result


def _hand_over(
    loop: asyncio.AbstractEventLoop, answer: "asyncio.Future[T]", done: "Future[T]"
) -> None:
    """Tell a loop on another thread what became of a change."""
    with suppress(RuntimeError):  # it is closed: nobody waits any more
        loop.call_soon_threadsafe(_settle, answer, done)


def _settle(answer: "asyncio.Future[T]", done: "Future[T]") -> None:
    if answer.cancelled():
        return
    error = done.exception()
    if error is None:
        answer.set_result(done.result())
    else:
        answer.set_exception(error)


def _let_go(connection: Connection | None) -> None:
    """Close a connection, which may be lost."""
    if connection is not None:
        with suppress(SQLAlchemyError):
            connection.close()


def _stopping() -> StoreError:
    return StoreError("the server is stopping; nothing was stored: call again when it is back")


def _url(url: str | Path) -> URL:
    text = str(url)
    if isinstance(url, Path) or "://" not in text:
        return URL.create("sqlite", database=text)
    try:
        return make_url(text)
    except ArgumentError:
        raise StoreError(
            "no URL of a database: give a file, or one like postgresql+psycopg://host/name"
        ) from None


def _engine(url: URL, patience: float) -> Engine:
    if url.get_backend_name() != "sqlite":
        try:
            return create_engine(url, pool_pre_ping=True, hide_parameters=True)
        except (ImportError, SQLAlchemyError) as error:
            raise StoreError(
                f"can't reach such a database: {error}; install its driver, or give a file"
            ) from error
    if not url.database or url.database == ":memory:":
        raise StoreError("an exam needs a database file: what is acknowledged is on disk")
    _make(Path(url.database))
    engine = create_engine(
        url,
        connect_args={"check_same_thread": False, "timeout": patience},
        # Every transaction is ended by whoever began it.
        pool_reset_on_return=None,
        # What an error shows may be logged, and parameters are answers.
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
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        if connection.get_execution_options().get("isolation_level") != "AUTOCOMMIT":
            connection.connection.cursor().execute("BEGIN IMMEDIATE")

    return engine


def _make(file: Path) -> None:
    """Make the file where there is none, so that nobody else can read who answered what."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        # Not opened here: to close it again would drop the locks that SQLite has on it.
        return
    except OSError as error:
        raise StoreError(f"can't keep a store there: {error.strerror}", file=str(file)) from error
