"""The process in which files are graded.

The files are untrusted: grading may be slow, run out of memory or crash, so it runs in a separate
process with limits, and then only that process ends. The process is kept after a file, because
opening an exam takes longer than grading.
"""

import multiprocessing
import os
import re
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import NamedTuple

from snellen.grading.errors import SubmissionError
from snellen.grading.models.reports import Problems, UnreadableError
from snellen.server.challenge.jobs import Ended, JobKey
from snellen.server.grading.files import FileToGrade, Graded
from snellen.server.logs import log
from snellen.server.settings import Settings

Grader = Callable[[FileToGrade], Graded]
"""Grades a file; the participant sees a `SubmissionError` that it raises."""

MEMORY_BYTES = 4 << 30
"""The memory limit of the grading process."""

_LONGEST_ERROR = 2000
_LONGEST_PROBLEM = 500


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
