"""The build, page by page: each page is captured once, then its items are made.

    my-exam.build/
        build.json          the settings; a resumed build must have the same
        snapshots/          a folder for each page, never changed
        made/               a folder for each page: its items

Each folder is complete or absent, so a stopped build resumes with the missing pages.

Worker processes each do one page at a time, so that a crash costs only one page.
"""

import multiprocessing
import os
import shutil
import signal
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from socket import gethostname
from time import perf_counter
from types import FrameType
from typing import Generic, NamedTuple, TypeAlias, TypeVar

import msgspec

from snellen.build.browser.problems import PageError
from snellen.build.items import PageItems, make_items, read_items
from snellen.build.pages import Page
from snellen.build.snapshots import SNAPSHOT, Snapshot
from snellen.build.writers.table import CLICKED, changes_for, made_tasks, makers_for
from snellen.grading.errors import InputError, UnknownNameError
from snellen.tasks.browser.settings import BrowserSettings

SNAPSHOTS, MADE = "snapshots", "made"
_BEGUN = "build.json"
_LOCK, _HOLDER = "build.lock", "build.holder"


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """The settings that determine a build.

    Attributes:
        seed: The seed of all random choices.
        tasks: The tasks to make; empty for all.
        pages: The digest of the pages; a build of other pages must not resume in the same folder.
        charts: Whether to make items about generated charts, which no page shows.
        clicks: The maximum number of elements of a page to click, for action prediction.
        browser: The settings of the browser.
    """

    seed: int = 0
    tasks: tuple[str, ...] = ()
    pages: str = ""
    charts: bool = False
    clicks: int = 12
    browser: BrowserSettings = field(default_factory=BrowserSettings)


class PageDone(NamedTuple):
    """The result of one page."""

    page: str  # its id
    problem: str | None = None  # the reason for a failure, one of few; None if it succeeded
    message: str = ""  # the same for people
    capture_seconds: float = 0.0  # the time of the capture; 0 if it was captured before
    make_seconds: float = 0.0  # the time of making its items


class Worked(NamedTuple):
    """The results of all pages: the items of the captured pages, and the failed pages."""

    items: Sequence[PageItems]
    snapshots: Sequence[Snapshot]
    problems: Sequence[PageDone]

    @property
    def refused(self) -> Mapping[str, Mapping[str, int]]:
        """The number of pages that could not carry a task, by task and reason."""
        counts: dict[str, Counter[str]] = {}
        for page in self.items:
            for task, reason in page.refused:
                counts.setdefault(task, Counter())[reason] += 1
        return {task: dict(sorted(counts[task].items())) for task in sorted(counts)}

    @property
    def unstable(self) -> Sequence[str]:
        """The pages whose two renders differed."""
        return [
            f"{page.site}/{page.page}"
            for page, snapshot in zip(self.items, self.snapshots, strict=True)
            if not snapshot.captured.stable
        ]


@contextmanager
def alone(folder: Path) -> Generator[None]:
    """Keep other builds out of a folder, which is created if it does not exist.

    Raises:
        InputError: Another build works in it, or it can't be written.
    """
    from filelock import FileLock, Timeout

    holder = folder / _HOLDER
    lock = FileLock(folder / _LOCK, blocking=False)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
        holder.write_text(f"process {os.getpid()} on {gethostname()}", "utf-8")
    except Timeout:
        # The other build may be about to write it, or to remove it.
        with suppress(OSError):
            raise InputError(
                f"another build works in it: {holder.read_text('utf-8')}; wait for its end, or"
                " choose another output",
                file=str(folder),
            ) from None
        raise InputError("another build works in it", file=str(folder)) from None
    except OSError as error:
        raise InputError(f"can't be written: {error.strerror}", file=str(folder)) from error
    try:
        yield
    finally:
        holder.unlink(missing_ok=True)
        lock.release()


def work_through(
    pages: Sequence[Page],
    folder: Path,
    settings: BuildSettings,
    jobs: int = 1,
    watch: Callable[[PageDone], None] = lambda _: None,
) -> Worked:
    """Capture pages and make their items; resume an earlier build in the same folder.

    Args:
        pages: The pages.
        folder: The folder of the build.
        settings: The settings; on resuming, the same as before.
        jobs: The number of pages to work on at a time, each with its own browser.
        watch: Called with each page when it is done.

    Raises:
        InputError: The folder belongs to a build with other settings, can't be written, or there is
            no browser.
        MissingExtraError: Playwright is not installed.
    """
    check_tasks(settings.tasks)
    _begin(folder, settings)
    problems: list[PageDone] = []
    open_pages = [page for page in pages if not _is_made(folder, page)]
    for page in pages:
        if _is_made(folder, page):
            watch(PageDone(page.id))
    room = partial(_room, folder, settings)
    for done in run_all(room, open_pages, jobs):
        if isinstance(done, Lost):
            done = PageDone(done.job.id, "crashes", "the process that worked on it died")
        if done.problem is not None:
            problems.append(done)
        watch(done)
    built = [page for page in pages if _is_made(folder, page)]
    return Worked(
        [read_items(folder / MADE / page.id, page.site, page.page) for page in built],
        [Snapshot(folder / SNAPSHOTS / page.id) for page in built],
        sorted(problems),
    )


def check_tasks(tasks: Sequence[str]) -> None:
    """Refuse tasks that can't be made.

    Raises:
        UnknownNameError: A task is unknown.
    """
    for task in tasks:
        if task not in made_tasks():
            raise UnknownNameError("task that items can be made for", task, made_tasks())


def _begin(folder: Path, settings: BuildSettings) -> None:
    """Store the settings of a new build, or check that they equal the stored ones."""
    file = folder / _BEGUN
    encoded = msgspec.json.format(msgspec.json.encode(settings), indent=1)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not file.exists():
            file.write_bytes(encoded)
        elif file.read_bytes() != encoded:
            raise InputError(
                "the folder has a build with other settings; remove the folder to start again, or"
                " choose another",
                file=str(folder),
            )
    except OSError as error:
        raise InputError(f"can't be written: {error.strerror}", file=str(folder)) from error


def _is_made(folder: Path, page: Page) -> bool:
    return (folder / MADE / page.id).is_dir()


@contextmanager
def _room(folder: Path, settings: BuildSettings) -> Generator[Callable[[Page], PageDone]]:
    """Yield the function that captures a page and makes its items; its browser is started once."""
    from snellen.build.browser.session import Session

    with Session(settings.browser) as session:
        yield partial(_page, session, folder, settings)


def _page(session: object, folder: Path, settings: BuildSettings, page: Page) -> PageDone:
    from snellen.build.browser.session import Session
    from snellen.build.capture import CaptureSettings, capture_page

    assert isinstance(session, Session)
    start = perf_counter()
    place = folder / SNAPSHOTS / page.id
    try:
        if (place / SNAPSHOT).is_file():
            snapshot = Snapshot(place)
        else:
            shutil.rmtree(place, ignore_errors=True)
            clicked = not settings.tasks or CLICKED in settings.tasks
            capture = CaptureSettings(settings.seed, settings.clicks if clicked else 0)
            changes = changes_for(settings.tasks)
            snapshot = capture_page(session, page, place, capture, changes)
    except PageError as error:
        return PageDone(page.id, error.reason, str(error))
    captured = perf_counter()
    makers = makers_for(settings.tasks, charts=settings.charts)
    make_items(snapshot, makers, settings.seed, folder / MADE / page.id)
    return PageDone(
        page.id,
        capture_seconds=captured - start,
        make_seconds=perf_counter() - captured,
    )


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
