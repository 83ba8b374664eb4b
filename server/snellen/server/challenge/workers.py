"""Workers on threads: they grade jobs, and make submissions from ended attempts.

The files are untrusted: grading may be slow, run out of memory or crash, so it runs in a separate
process with limits, and then only that process ends. The process is started before the first job
and kept, because opening an exam takes longer than grading a file.

Attempts over MCP that ended become files of answers, graded like uploads. The search is for ended
attempts, so it also finds those that expired, or that ended just before the server was killed.
"""

import asyncio
import multiprocessing
import os
import re
import secrets
import shutil
import socket
import tempfile
import threading
import time
import zlib
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import copy_context
from hashlib import sha256
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Thread
from typing import NamedTuple

from snellen.grading.errors import SubmissionError
from snellen.grading.models.reports import Problems, UnreadableError
from snellen.server.attempts.report import conditions
from snellen.server.attempts.service import Service
from snellen.server.challenge import queries
from snellen.server.challenge.jobs import (
    HEARTBEAT_SECONDS,
    LEASE_SECONDS,
    PAUSE_SECONDS,
    Ended,
    Job,
    JobKey,
    Jobs,
    UnreadableJobError,
)
from snellen.server.challenge.replicas import clock_fault
from snellen.server.challenge.service import Challenge
from snellen.server.errors import StoreError
from snellen.server.exam.rules import Mode
from snellen.server.grading.files import FileToGrade, Graded, open_grader
from snellen.server.logs import fault, log
from snellen.server.settings import Settings
from snellen.server.store.tables.endpoint import Source, SubmissionRow
from snellen.server.store.tables.exams import Attempt, State


@asynccontextmanager
async def run_workers(
    challenge: Challenge, service: Service, settings: Settings, count: int
) -> AsyncGenerator[None]:
    """Run workers on threads during the context; at its end, their jobs are queued again.

    Args:
        challenge: The challenge.
        service: The exam of the attempts.
        settings: The settings of the exam, for the grading processes.
        count: The number of workers; each starts its own process at its first job. One more
            grades short jobs while all of them are busy.
    """
    loop = asyncio.get_running_loop()
    collector = AttemptCollector(challenge, service)

    def collect() -> None:
        asyncio.run_coroutine_threadsafe(collector.collect(), loop).result()

    await challenge.begin()
    workers = [
        Worker(challenge, settings, collect=collect if number == 0 else _nothing)
        for number in range(count)
    ]
    if workers:
        workers.append(Worker(challenge, settings, behind=tuple(workers)))
    # With the context, for the log's lines.
    threads = [
        Thread(target=copy_context().run, args=(worker.run,), name="snellen-worker")
        for worker in workers
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for worker in workers:
            worker.stop()
        for thread in threads:
            await asyncio.to_thread(thread.join)


def _nothing() -> None:
    """Leave attempts to another worker."""


_TOGETHER = 16


class AttemptCollector:
    """Makes submissions from ended attempts.

    Args:
        challenge: The challenge.
        service: The exam of the attempts.
    """

    def __init__(self, challenge: Challenge, service: Service) -> None:
        self._challenge = challenge
        self._service = service

    async def collect(self) -> int:
        """Make submissions from the attempts that have none yet; return their number."""
        exam = self._challenge.exam
        if exam.rules.mode is not Mode.EXAM:
            return 0
        now = self._challenge.now()
        parameters = {"x": exam.id, "m": Mode.EXAM, "now": now, "most": _TOGETHER}
        database = self._challenge.database
        if await database.off_loop(lambda: database.read(clock_fault)) is not None:
            # Attempts would end too early, or count in a wrong phase.
            return 0
        await database.off_loop(self._challenge.phases.refresh)
        found = await database.off_loop(
            lambda: database.read(lambda c: queries.UNENTERED.all(c, parameters))
        )
        kept = 0
        for attempt in found:
            if attempt.state is State.OPEN:
                attempt = await self._service.close(attempt)
            row, body = await self._service.graded(lambda a=attempt: self._submission(a))
            await self._challenge.submissions.keep_attempt(row, body)
            kept += 1
        return kept

    def _submission(self, attempt: Attempt) -> tuple[SubmissionRow, list[bytes]]:
        challenge = self._challenge
        closed = attempt.closed or attempt.opened
        named = challenge.phases.with_attempts(closed)
        phase = named or challenge.file.phases[-1]
        body = "".join(part.lines() for part in self._service.export(attempt)).encode()
        cost = self._service.register.cost(attempt)
        row = SubmissionRow(
            id="",
            phase=challenge.phases.key(phase),
            caller=attempt.caller,
            source=Source.ATTEMPT,
            attempt=attempt.id,
            task=None,
            name=attempt.model or attempt.caller,
            link="",
            form=".jsonl",
            digest=sha256(body).digest(),
            size=len(body),
            at=closed,
            day=phase.day(closed),
            cost=cost.model_dump_json(),
            conditions=conditions(attempt),
            # Outside of a phase it is graded, but not on a leaderboard.
            removed=None if named is not None else "it ended outside of any phase",
        )
        return row, [zlib.compress(body, 1)]


Grader = Callable[[FileToGrade], Graded]
"""Grades a file; the participant sees a `SubmissionError` that it raises."""

IDLE_SECONDS = 1.0
"""The interval between a worker's checks for a job."""

MEMORY_BYTES = 4 << 30
"""The memory limit of the grading process."""

OPENING_SECONDS = 900.0
"""The time in which the grading process must have opened the exam."""

BUSY_SECONDS = 1.0
"""The time that all workers must have been at their jobs before short ones are graded beside."""

SHORT_SECONDS = 5.0
"""The maximum duration of a short job; one that takes longer waits for the other workers."""

_ROOM = "snellen-job-"
_LEFT_SECONDS = 60.0

_LONGEST_ERROR = 2000
_LONGEST_PROBLEM = 500


class Worker:
    """Grades submissions, job by job, until it is stopped.

    Args:
        challenge: The challenge.
        settings: The settings of its exam, for the grading process.
        open_grader: Makes the grader there; a module-level function, so that it can be pickled.
        idle_seconds: The interval between checks for a job, in seconds.
        job_seconds: The maximum duration of a grading, in seconds; None: the exam file's.
        lease_seconds: The duration of a lease without a heartbeat, in seconds.
        pause_seconds: The time from a first failed try to the next, in seconds.
        collect: Called before each check for a job, to create further jobs.
        behind: The workers beside which it grades short jobs, while all of them are busy; without
            any, it grades all jobs. Its process is a second one, because theirs can't be
            interrupted, and it can't be held up: a job that takes more than `SHORT_SECONDS` waits
            for the others.
    """

    def __init__(
        self,
        challenge: Challenge,
        settings: Settings,
        *,
        open_grader: Callable[[Settings], Grader] = open_grader,
        idle_seconds: float = IDLE_SECONDS,
        job_seconds: float | None = None,
        lease_seconds: float = LEASE_SECONDS,
        pause_seconds: float = PAUSE_SECONDS,
        collect: Callable[[], None] = lambda: None,
        behind: Sequence["Worker"] = (),
    ) -> None:
        self._challenge = challenge
        self._idle = idle_seconds
        limit = challenge.file.grading_seconds if job_seconds is None else job_seconds
        self._limit = min(limit, SHORT_SECONDS) if behind else limit
        self._behind = behind
        self._busy_since: float | None = None
        self._beat = min(HEARTBEAT_SECONDS, lease_seconds / 3)
        self._collect = collect
        name = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
        self._jobs = Jobs(challenge, name, lease_seconds, pause_seconds, short=bool(behind))
        self._grader = GraderProcess(open_grader, settings, challenge.count_fault)
        self._stopping = threading.Event()

    def run(self) -> None:
        """Work until `stop` is called; failures are logged and retried."""
        _remove_left()
        try:
            while not self._stopping.is_set():
                try:
                    worked = self.step()
                except Exception as error:  # noqa: BLE001  # without a worker all jobs would wait
                    self._count("step", error)
                    worked = False
                if not worked:
                    # Workers that started together should not check at the same times.
                    self._stopping.wait(self._idle * (0.75 + secrets.randbelow(500) / 1000))
        finally:
            self.close()

    def close(self) -> None:
        """End the grading process."""
        self._grader.kill()

    def stop(self) -> None:
        """Request a stop; the current job is queued again."""
        self._stopping.set()

    def step(self) -> bool:
        """Do one job; return whether there was one.

        Whatever fails after the job was taken counts as a try of it.

        Raises:
            StoreError: The store failed; a job that was taken waits for the end of its lease.
        """
        if self._behind:
            if not all(each.is_busy for each in self._behind):
                return False
            self._grader.start()
        try:
            self._collect()
        except Exception as error:  # noqa: BLE001  # uploads must not wait for attempts
            self._count("attempts", error)
        try:
            job = self._jobs.claim()
        except UnreadableJobError as error:
            self._count("job", error)
            return True
        if job is None:
            return False
        self._busy_since = time.monotonic()
        try:
            self._grade(job)
        except Exception as error:  # noqa: BLE001  # what fails each time must become stuck
            self._count("job", error)
            away = isinstance(error, OSError) or (isinstance(error, StoreError) and error.again)
            self._jobs.give_back(job, f"{type(error).__name__}: {error}", outage=away)
        finally:
            self._busy_since = None
        return True

    @property
    def is_busy(self) -> bool:
        """Whether it has been at one job for a while."""
        since = self._busy_since
        return since is not None and time.monotonic() > since + BUSY_SECONDS

    def _grade(self, job: Job) -> None:
        if job.waited is not None:
            self._challenge.waiting_seconds.observe(job.waited)
        start = time.monotonic()
        with tempfile.TemporaryDirectory(prefix=_ROOM) as room, locked(Path(room)):
            path = Path(room) / f"answers{job.submission.form}"
            with path.open("wb") as file:
                for part in job.parts:
                    file.write(self._challenge.submissions.body_of(part))
            self._work(job, path)
        log().info(
            "job",
            submission=job.submission.id,
            tries=job.row.tries,
            seconds=round(time.monotonic() - start, 2),
        )

    def _work(self, job: Job, path: Path) -> None:
        row = job.submission
        given = FileToGrade(
            path=path,
            submission=row.id,
            grading=job.grading.id,
            task=row.task,
            phase=self._challenge.phases.of(row.phase),
            conditions=row.conditions,
            recorded=row.source is Source.ATTEMPT,
        )
        try:
            self._grader.send(job.key, given)
            ended = self._wait(job)
        except GraderFailedError as error:
            log().error("not graded", submission=row.id, tries=job.row.tries, reason=str(error))
            self._challenge.count_fault("grading")
            self._jobs.give_back(job, str(error))
            return
        finally:
            self._grader.end_unread()
        if ended is not None:
            self._finish(job, ended)

    def _finish(self, job: Job, ended: Ended) -> None:
        """Write a result, again if the store fails: the file need not be graded a second time."""
        until = time.monotonic() + self._beat
        while True:
            try:
                self._jobs.finish(job, ended)
                return
            except StoreError as error:
                if time.monotonic() > until or self._stopping.wait(self._idle):
                    raise
                self._count("result", error)

    def _count(self, what: str, error: Exception) -> None:
        self._challenge.count_fault(what)
        log().error("fault", worker=what, **fault(error))

    def _wait(self, job: Job) -> Ended | None:
        """Wait for the grader, with heartbeats; None: another worker has the job."""
        opened_by = time.monotonic() + OPENING_SECONDS
        beat_at = time.monotonic() + self._beat
        while True:
            ended = self._grader.poll(min(self._beat, 0.2))
            if ended is not None:
                if (began := self._grader.began) is not None:
                    self._challenge.grading_seconds.observe(time.monotonic() - began)
                return ended
            if self._stopping.is_set():
                self._jobs.give_back(job)
                return None
            now = time.monotonic()
            began = self._grader.began
            if began is None and now > opened_by:
                raise GraderFailedError("opening the exam took too long")
            if began is not None and now > began + self._limit:
                if not self._behind:
                    return Ended(error=f"grading it took more than {self._limit:g} s")
                self._jobs.hand_over(job)
                return None
            if now > beat_at:
                beat_at = now + self._beat
                try:
                    held = self._jobs.beat(job)
                except StoreError as error:
                    # Only the latest try is written, so it can go on until the store answers.
                    self._count("heartbeat", error)
                    continue
                if not held:
                    return None


class GraderFailedError(Exception):
    """A file could not be graded, for a reason that may not be the participant's fault."""


class Exhausted(NamedTuple):
    """The grading process's message that a file needs too much memory."""


class Trouble(NamedTuple):
    """The grading process's message about a failure that the file did not cause."""

    error: str


class Began(NamedTuple):
    """The grading process's message that the exam is open and it grades a file now."""


class Reply(NamedTuple):
    """A message of the grading process, and the job that it belongs to."""

    key: JobKey
    result: Ended | Began | Exhausted | Trouble


class GraderProcess:
    """A process that opens an exam once and grades files one by one.

    A reply that is not read would be the next file's, so the process ends without reading it.
    """

    def __init__(
        self,
        open_grader: Callable[[Settings], Grader],
        settings: Settings,
        count: Callable[[str], None],
    ) -> None:
        self._open = open_grader
        self._count = count
        self._settings = settings
        # A forked process would inherit the locks and connections of this one.
        self._context = multiprocessing.get_context("spawn")
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._unread: JobKey | None = None
        self.began: float | None = None

    def start(self) -> None:
        """Start the process, which opens the exam, unless it runs."""
        if self._process is None or not self._process.is_alive():
            self.kill()
            self._pipe, theirs = self._context.Pipe()
            self._process = self._context.Process(
                target=_serve, args=(theirs, self._open, self._settings), daemon=True
            )
            self._process.start()
            theirs.close()

    def send(self, key: JobKey, given: FileToGrade) -> None:
        """Send the file of a job to the process, which is started if necessary."""
        self.end_unread()
        self.start()
        assert self._pipe is not None
        with suppress(OSError):  # poll says that it ended
            self._pipe.send((key, given))
        self._unread, self.began = key, None

    def poll(self, seconds: float) -> Ended | None:
        """Return the result of the file's grading; None: not finished.

        Raises:
            GraderFailedError: The process ended, or failed for a reason other than the file.
        """
        assert self._pipe is not None
        assert self._process is not None
        try:
            if not self._pipe.poll(seconds):
                return None
            reply: Reply = self._pipe.recv()
        except (EOFError, OSError):
            raise GraderFailedError(self._gone()) from None
        if reply.key != self._unread:
            self._count("reply")
            log().error("a reply to another job was dropped", reply=reply.key, job=self._unread)
            return None
        found = reply.result
        if isinstance(found, Began):
            self.began = time.monotonic()
            return None
        self._unread = None
        if isinstance(found, Exhausted):
            # The process may have no memory left, so the next file gets a new one.
            self.kill()
            return Ended(error=f"grading it takes more than {MEMORY_BYTES >> 30} GiB of memory")
        if isinstance(found, Trouble):
            raise GraderFailedError(found.error)
        return found

    def _gone(self) -> str:
        assert self._process is not None
        self._process.join(1)
        code = self._process.exitcode
        self.kill()
        return f"the process that graded it ended with {code}"

    def end_unread(self) -> None:
        """End the process if it has a file whose reply was not read."""
        if self._unread is not None:
            self.kill()

    def kill(self) -> None:
        """End the process at once."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = self._unread = None


def _serve(pipe: Connection, open_grader: Callable[[Settings], Grader], settings: Settings) -> None:
    """Grade files until the other end is closed: the main function of the process."""
    _limit()
    grade: Grader | None = None
    with suppress(Exception):  # the first file meets the same fault, and reports it
        grade = open_grader(settings)
    while True:
        try:
            key, given = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            grade = grade or open_grader(settings)
            pipe.send(Reply(key, Began()))
            graded = grade(given)
            ended = Ended(tuple(graded.scores), problems=_plain_problems(graded.problems, given))
        except SubmissionError as error:
            problems = error.problems if isinstance(error, UnreadableError) else Problems()
            ended = Ended(
                error=_plain(str(error), given.path), problems=_plain_problems(problems, given)
            )
            if not given.path.exists():
                ended = Trouble("the file was removed while it was graded")
        except MemoryError:
            ended = Exhausted()
        except Exception as error:  # noqa: BLE001  # every fault is reported to the organizer
            ended = Trouble(f"{type(error).__name__}: {error}"[:_LONGEST_ERROR])
        try:
            pipe.send(Reply(key, ended))
        except OSError:  # the worker was killed; another worker takes its job
            return


@contextmanager
def locked(room: Path) -> Generator[None]:
    """Hold a folder during the context; the system lets go of it when the process is killed."""
    held = _lock(room)
    try:
        yield
    finally:
        if held is not None:
            os.close(held)


def _lock(room: Path) -> int | None:
    """Return a descriptor that holds a folder; None: another process does, or it can't be held."""
    if os.name == "nt":
        return None
    import fcntl

    held = None
    try:
        held = os.open(room, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        if held is not None:
            os.close(held)
        return None
    return held


def _remove_left() -> None:
    """Remove the folders of killed workers, which hold participants' files."""
    for room in Path(tempfile.gettempdir()).glob(f"{_ROOM}*"):
        with suppress(OSError):
            # A new folder may not be locked yet.
            if time.time() - room.lstat().st_mtime < _LEFT_SECONDS:
                continue
            if (held := _lock(room)) is not None:
                shutil.rmtree(room, ignore_errors=True)
                os.close(held)


def _limit() -> None:
    with suppress(ImportError):  # not on Windows
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        limit = MEMORY_BYTES if most == resource.RLIM_INFINITY else min(MEMORY_BYTES, most)
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _plain_problems(problems: Problems, given: FileToGrade) -> Problems:
    """Return problems as their participant may see them, each of a bounded length."""
    first = tuple(
        problem.model_copy(
            update={
                "file": None,
                "message": _plain(problem.message, given.path)[:_LONGEST_PROBLEM],
            }
        )
        for problem in problems.first
    )
    return Problems(count=problems.count, first=first)


def _plain(message: str, path: Path) -> str:
    """Return an error's message with the file's name instead of any path in its folder."""
    name = f"the file (*{''.join(path.suffixes)})"
    inside = re.escape(f"{path.parent}{os.sep}") + r"[\w.-]+"
    return re.sub(inside, lambda _: name, message)[:_LONGEST_ERROR]
