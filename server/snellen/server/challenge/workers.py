"""Workers on threads: they let jobs be graded, and make submissions from ended attempts.

Attempts over MCP that ended become files of answers, graded like uploads. The search is for ended
attempts, so it also finds those that expired, or that ended just before the server was killed.
"""

import asyncio
import os
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
from pathlib import Path
from threading import Thread

from snellen.server.attempts.service import Service
from snellen.server.challenge import jobs, queries
from snellen.server.challenge.graders import Grader, GraderFailedError, GraderProcess
from snellen.server.challenge.replicas import clock_fault
from snellen.server.challenge.service import Challenge
from snellen.server.errors import StoreError
from snellen.server.exam.rules import Mode
from snellen.server.grading.files import FileToGrade, open_grader
from snellen.server.logs import fault, log
from snellen.server.settings import Settings
from snellen.server.store.tables.endpoint import SubmissionRow
from snellen.server.store.tables.exams import Attempt, State
from snellen.tasks.hosted import Source


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
            conditions=self._service.conditions(attempt),
            # Outside of a phase it is graded, but not on a leaderboard.
            removed=None if named is not None else "it ended outside of any phase",
        )
        return row, [zlib.compress(body, 1)]


IDLE_SECONDS = 1.0
"""The interval between a worker's checks for a job."""

OPENING_SECONDS = 900.0
"""The time in which the grading process must have opened the exam."""

BUSY_SECONDS = 1.0
"""The time that all workers must have been at their jobs before short ones are graded beside."""

SHORT_SECONDS = 5.0
"""The maximum duration of a short job; one that takes longer waits for the other workers."""

_ROOM = "snellen-job-"
_LEFT_SECONDS = 60.0


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
        lease_seconds: float = jobs.LEASE_SECONDS,
        pause_seconds: float = jobs.PAUSE_SECONDS,
        collect: Callable[[], None] = lambda: None,
        behind: Sequence["Worker"] = (),
    ) -> None:
        self._challenge = challenge
        self._idle = idle_seconds
        limit = challenge.file.grading_seconds if job_seconds is None else job_seconds
        self._limit = min(limit, SHORT_SECONDS) if behind else limit
        self._behind = behind
        self._busy_since: float | None = None
        self._beat = min(jobs.HEARTBEAT_SECONDS, lease_seconds / 3)
        self._collect = collect
        name = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
        self._jobs = jobs.Jobs(challenge, name, lease_seconds, pause_seconds, short=bool(behind))
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
        except jobs.UnreadableJobError as error:
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

    def _grade(self, job: jobs.Job) -> None:
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

    def _work(self, job: jobs.Job, path: Path) -> None:
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

    def _finish(self, job: jobs.Job, ended: jobs.Ended) -> None:
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

    def _wait(self, job: jobs.Job) -> jobs.Ended | None:
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
                    return jobs.Ended(error=f"grading it took more than {self._limit:g} s")
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
