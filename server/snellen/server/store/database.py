"""The database: concurrent reads, and writes by one thread that commits many together.

An answer is acknowledged when its transaction is on disk (SQLite: WAL, synchronous=FULL). A commit
waits for the disk. Writes that arrive in the meantime share the next commit, so with many agents
each waits only for a part of it.
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from snellen.server.errors import ExamError, StoreError
from snellen.server.logs import fault, log
from snellen.server.store.connections import READERS, connections, stopping, url_of
from snellen.server.store.faults import is_final, store_error

T = TypeVar("T")

MOST_TOGETHER = 256
"""How many writes share a commit at most."""

PATIENCE = 10.0
"""Seconds to wait for another program's lock, or for a database server's answer.

A call may wait twice, and hosts give up at 60."""


@dataclass(frozen=True, slots=True)
class _Write:
    work: Callable[[Connection], Any]
    done: Future[Any] = field(default_factory=Future[Any])


class _Result(NamedTuple):
    write: _Write
    value: Any
    error: ExamError | None


class Database:
    """A store that reads on the caller's thread and writes on its own thread.

    Args:
        url: A URL of PostgreSQL, or the path of a SQLite file, which is created if it is missing,
            readable only by its owner.
        patience: The timeout for another program's lock or a server's answer, in seconds.

    Raises:
        StoreError: It can't be opened.
    """

    def __init__(self, url: str | Path, *, patience: float = PATIENCE) -> None:
        self._url = url_of(url)
        self._patience = patience
        try:
            self._connections = connections(self._url, patience)
        except SQLAlchemyError as error:
            raise store_error(error, self.name) from error
        # Reads that wait for another machine must not block an event loop.
        self._readers = (
            None
            if self._connections.at_once
            else ThreadPoolExecutor(READERS, thread_name_prefix="snellen-reader")
        )
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

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run a short query and return its result.

        Raises:
            StoreError: The store failed.
        """
        if self._closed:
            raise stopping()
        try:
            return self._connections.read(work)
        except self._connections.faults as error:
            raise store_error(error, reading=True) from error

    async def off_loop(self, work: Callable[[], T]) -> T:
        """Run a read without blocking the event loop, and return its result.

        SQLite's reads take microseconds, less than a switch to another thread, so they run at once.
        Reads of a database server run on threads, with the timeout.

        Raises:
            StoreError: The store failed, or does not answer.
        """
        if self._readers is None:
            return work()
        if self._closed:
            raise stopping()
        running = asyncio.get_running_loop().run_in_executor(self._readers, work)
        try:
            return await asyncio.wait_for(running, self._patience)
        except TimeoutError as error:
            raise StoreError("the store does not answer: call again in a minute") from error

    def submit(self, work: Callable[[Connection], T]) -> "Future[T]":
        """Queue a change; the future is done when it is on disk, or has the exception.

        The work runs in a transaction shared with other changes; if it raises an `ExamError`, only
        its own part is undone. If the shared transaction fails, each work is run again separately,
        so it must not change anything except the database.
        """
        write = _Write(work)
        with self._closing:
            if self._closed:
                write.done.set_exception(stopping())
            else:
                self._queue.put(write)
        return write.done

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Make a change and return when it is on disk.

        Raises:
            StoreError: The store failed; nothing was changed.
        """
        loop = asyncio.get_running_loop()
        # A separate future, because cancelling a caller must not undo a change that may be on disk.
        # Shielding a wrapped future does the same at twice the cost.
        answer: asyncio.Future[T] = loop.create_future()
        self.submit(work).add_done_callback(partial(_hand_over, loop, answer))
        return await answer

    def close(self) -> None:
        """Finish queued changes and close the files; closing again does nothing."""
        with self._closing:
            if self._closed:
                return
            self._closed = True
            self._queue.put(None)
        self._thread.join()
        if self._readers is not None:
            self._readers.shutdown(cancel_futures=True)
        self._connections.close()

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
            # A cancelled change is skipped before it begins, never after.
            waiting = [write for write in together if write.done.set_running_or_notify_cancel()]
            if waiting:
                self._commit(waiting)
            if not more:
                return

    def _commit(self, writes: list[_Write]) -> None:
        def run(connection: Connection) -> list[_Result]:
            if len(writes) == 1:
                return [_Result(writes[0], writes[0].work(connection), None)]
            results: list[_Result] = []
            # By the driver: SQLAlchemy's nested transactions cost more than most changes do.
            with closing(connection.connection.cursor()) as cursor:
                for write in writes:
                    cursor.execute("SAVEPOINT alone")
                    try:
                        results.append(_Result(write, write.work(connection), None))
                    except ExamError as error:
                        cursor.execute("ROLLBACK TO SAVEPOINT alone")
                        results.append(_Result(write, None, error))
                    cursor.execute("RELEASE SAVEPOINT alone")
            return results

        try:
            results = self._connections.change(run)
        except BaseException as error:  # noqa: BLE001  # whoever waits must hear of it, whatever it is
            self._fail(writes, error)
            return
        for write, value, error in results:
            if error is None:
                write.done.set_result(value)
            else:
                write.done.set_exception(error)

    def _fail(self, writes: list[_Write], error: BaseException) -> None:
        faults = self._connections.faults
        if len(writes) > 1 and not is_final(error):
            # One failing change must not undo the others.
            log().warning("changes are made again, one by one", changes=len(writes), **fault(error))
            for write in writes:
                self._commit([write])
            return
        cause = store_error(error) if isinstance(error, faults) else error
        if cause is not error:
            cause.__cause__ = error
        for write in writes:
            write.done.set_exception(cause)


def _hand_over(
    loop: asyncio.AbstractEventLoop, answer: "asyncio.Future[T]", done: "Future[T]"
) -> None:
    """Pass the result of a change to a loop on another thread."""
    with suppress(RuntimeError):  # it is closed, and no caller waits
        loop.call_soon_threadsafe(_settle, answer, done)


def _settle(answer: "asyncio.Future[T]", done: "Future[T]") -> None:
    if answer.cancelled():
        return
    error = done.exception()
    if error is None:
        answer.set_result(done.result())
    else:
        answer.set_exception(error)
