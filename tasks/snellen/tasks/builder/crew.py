"""Worker processes that each do one page at a time, so that a crash costs only one page."""

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager, contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from types import FrameType
from typing import Generic, NamedTuple, TypeAlias, TypeVar

Job = TypeVar("Job")
Done = TypeVar("Done")

Room: TypeAlias = Callable[[], AbstractContextManager[Callable[[Job], Done]]]
"""Opens the resources of a worker, such as a browser, and yields the function that does a job."""

_STOP_SECONDS = 10.0


class Lost(NamedTuple, Generic[Job]):
    """A job whose worker died."""

    job: Job


class _Worker(Generic[Job, Done]):
    def __init__(self, room: Room[Job, Done]) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process: SpawnProcess = context.Process(
            target=_work, args=(room, theirs), name="snellen-build"
        )
        self.process.start()
        theirs.close()
        self.job: Job | None = None

    def give(self, job: Job) -> None:
        """Send a job; if the worker is dead, that is noticed when its result is read."""
        self.job = job
        with suppress(ConnectionError):
            self.connection.send(job)

    def stop(self) -> None:
        """Close the connection, wait for the process to end, and kill it after a timeout."""
        self.connection.close()
        if self.job is not None:
            self.process.terminate()
        self.process.join(_STOP_SECONDS)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.process.close()


def run_all(
    room: Room[Job, Done], work: Iterable[Job], workers: int
) -> Generator[Done | Lost[Job]]:
    """Do all jobs and yield their results, in the order of completion.

    If a worker dies, its job is lost and a new worker replaces it. Closing the generator, by Ctrl-C
    too, ends the workers.

    Args:
        room: Opens the resources of a worker; must be picklable.
        work: The jobs; each must be picklable.
        workers: The number of processes.

    Raises:
        Exception: The error of opening the room, or of a job that does not handle it.
    """
    waiting = deque(work)
    crew = {
        worker.connection: worker
        for worker in (_Worker(room) for _ in range(min(workers, len(waiting))))
    }
    try:
        for worker in crew.values():
            worker.give(waiting.popleft())
        while crew:
            for ready in wait(list(crew)):
                assert isinstance(ready, Connection)
                worker = crew[ready]
                job, worker.job = worker.job, None
                assert job is not None
                try:
                    result = ready.recv()
                except (EOFError, ConnectionError):
                    del crew[ready]
                    worker.stop()
                    yield Lost(job)
                    if waiting:
                        worker = _Worker(room)
                        crew[worker.connection] = worker
                else:
                    if isinstance(result, _Raised):
                        raise result.error
                    if not waiting:
                        del crew[ready]
                        worker.stop()
                    yield result
                if waiting and worker.connection in crew:
                    worker.give(waiting.popleft())
    finally:
        for worker in crew.values():
            worker.stop()


class _Raised(NamedTuple):
    error: BaseException


class _Leaving:
    """Ends the current job at SIGTERM; opening and closing a room is not interrupted."""

    def __init__(self) -> None:
        self._asked = False
        self._at_work = False

    def __call__(self, _: int, __: FrameType | None) -> None:
        self._asked = True
        if self._at_work:
            self._at_work = False
            raise SystemExit(1)

    @contextmanager
    def at_work(self) -> Generator[None]:
        self._at_work = True
        try:
            if self._asked:
                raise SystemExit(1)
            yield
        finally:
            self._at_work = False


def _work(room: Room[Job, Done], connection: Connection) -> None:
    # Ctrl-C reaches every process of a terminal; the main process ends the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    leaving = _Leaving()
    signal.signal(signal.SIGTERM, leaving)
    with suppress(EOFError, ConnectionError):
        try:
            with room() as do:
                while True:
                    job = connection.recv()
                    with leaving.at_work():
                        result = do(job)
                    connection.send(result)
        except (EOFError, ConnectionError):
            raise
        except Exception as error:  # noqa: BLE001  # raised again where the results are taken
            connection.send(_Raised(error))
