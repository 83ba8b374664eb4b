"""Workers: processes that each do one page at a time, so that a page can cost one of them."""

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
"""Opens what a worker needs, such as a browser, and gives what does a job with it."""

_STOP_SECONDS = 10.0


class Lost(NamedTuple, Generic[Job]):
    """A job whose worker died of it."""

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
        """Send it the job; what has become of a dead worker shows where results are taken."""
        self.job = job
        with suppress(ConnectionError):
            self.connection.send(job)

    def stop(self) -> None:
        """Ask it to end, wait a while, and end it."""
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
    """Do all jobs and yield what comes of each, in the order in which they end.

    A worker that dies takes its own job with it, and another takes its place. Whoever stops to
    take the results, by Ctrl-C too, ends the workers.

    Args:
        room: Opens what a worker needs; must be picklable.
        work: The jobs; each must be picklable.
        workers: How many processes.

    Raises:
        Exception: What opening the room raised, or a job that it has no answer to.
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
    """Ends the job under way at SIGTERM, and nothing else: a room is opened and closed in peace."""

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
    # Ctrl-C reaches every process of a terminal; the first one ends the others.
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
