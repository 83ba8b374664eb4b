"""Running an exam with an agent command: one item per context, several at a time.

A context whose agent failed is run again. A fault of the agent command is never a score: its item
stays open and is reported.
"""

import asyncio
import secrets
import sys
import tempfile
from collections import Counter, deque
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from snellen.grading.errors import InputError, SnellenError
from snellen.sdk.exam.agents import AgentCommand, AgentRun
from snellen.sdk.exam.client import ExamAttempt, ExamClient

PREFIX = "take-"
"""What the names of a runner's contexts begin with."""
GIVE_UP = 5
"""After so many contexts in a row without an answer no other is begun: the command is broken."""


@dataclass(frozen=True, slots=True)
class ExamRequest:
    """The exam to run and its server.

    Raises:
        InputError: Two of them contradict each other.
    """

    attempt: str | None = None  # an attempt to resume; None starts a new one
    tasks: Sequence[str] = ()  # tasks or benchmarks; empty: all that the exam offers
    model: str | None = None  # the model's name, for the report
    url: str | None = None  # the exam's server; None: the runner starts its own server
    token: str | None = field(default=None, repr=False)  # the server's token
    serve: Sequence[str] = ()  # arguments of the runner's own server, as for `snellen serve`

    def __post_init__(self) -> None:
        if self.url is not None and self.serve:
            raise InputError("the arguments after -- are for a local server; omit them with --url")
        if self.attempt is not None and (self.tasks or self.model):
            raise InputError("a resumed attempt keeps its tasks and its model; omit them")


@dataclass(frozen=True, slots=True)
class RunLimits:
    """The limits of the contexts' runs.

    Raises:
        InputError: A value is out of range.
    """

    contexts: int = 1  # the number of contexts at a time
    retries: int = 2  # the number of further runs of a context after a fault
    timeout: float = 600.0  # the maximum duration of a run, in seconds

    def __post_init__(self) -> None:
        if self.contexts < 1:
            raise InputError("contexts must be at least 1")
        if self.retries < 0:
            raise InputError("retries must be at least 0")
        if self.timeout <= 0:
            raise InputError("timeout must be greater than 0")


@dataclass(slots=True)
class ExamResult:
    """The result of an attempt.

    Attributes:
        attempt: Its handle.
        contexts: The number of contexts that answered their item.
        runs: The number of processes.
        faults: The number of failed processes, by kind of failure.
        failed: The contexts without an answer.
        stopped: Whether the runner gave up because the command kept failing.
        last_words: The end of the output of the last failed run.
        answered: The number of answered items of the attempt, by any client.
        open: The number of open items.
        report: The exam's report; None: the attempt is open.
    """

    attempt: str
    contexts: int = 0
    runs: int = 0
    faults: Counter[str] = field(default_factory=Counter[str])
    failed: list[str] = field(default_factory=list[str])
    stopped: bool = False
    last_words: str = ""
    answered: int = 0
    open: int = 0
    report: dict[str, Any] | None = None

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON, for a file."""
        return {
            "attempt": self.attempt,
            "contexts": self.contexts,
            "runs": self.runs,
            "faults": dict(self.faults),
            "failed": self.failed,
            "answered": self.answered,
            "open": self.open,
            "report": self.report,
        }


async def take(
    agent: str,
    request: ExamRequest,
    limits: RunLimits,
    notify: Callable[[str], None],
    *,
    logs: Path | None = None,
    finish: bool = False,
) -> ExamResult:
    """Run an exam with an agent command, a new process for each item, until no item is open.

    Args:
        agent: The shell command.
        request: The exam to run and its server.
        limits: The number of contexts at a time, the retries and the timeout.
        notify: Called with a sentence for each event.
        logs: A folder for the agents' output; None: it is not kept.
        finish: Whether to close the attempt also if items are open; these score 0.

    Raises:
        SnellenError: The exam can't be reached, or rejects a call.
    """
    if not agent.strip():
        raise InputError("the agent's command is empty")
    async with (
        _address(request) as url,
        ExamClient.connect(url, request.token) as exam,
    ):
        if request.attempt is None:
            attempt = await exam.start(request.tasks, model=request.model)
        else:
            attempt = exam.resume(request.attempt)
        notify(f"the attempt is {attempt.handle}; resume it with --attempt")
        with tempfile.TemporaryDirectory(prefix="snellen-take-") as name:
            folder = Path(name)
            command = AgentCommand(
                agent, url, folder, logs or folder, limits.timeout, request.token
            )
            command.prepare()
            result = await _Runner(command, attempt, limits, notify).run()
        if finish or not result.open:
            result.report = await attempt.finish()
        return result


@asynccontextmanager
async def _address(request: ExamRequest) -> AsyncGenerator[str]:
    if request.url is not None:
        yield request.url
        return
    async with serving(request.serve) as url:
        yield url


class _Runner:
    def __init__(
        self,
        command: AgentCommand,
        attempt: ExamAttempt,
        limits: RunLimits,
        notify: Callable[[str], None],
    ) -> None:
        self._command = command
        self._attempt = attempt
        self._limits = limits
        self._notify = notify
        self._result = ExamResult(attempt.handle)
        self._waiting: deque[str] = deque()
        self._in_a_row = 0

    async def run(self) -> ExamResult:
        self._waiting += await self._names()
        workers = min(self._limits.contexts, len(self._waiting))
        self._notify(f"{len(self._waiting)} items to take, {workers} at a time")
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(self._work())
        except* SnellenError as errors:
            # The exam is unreachable for all contexts, so any of the errors will do.
            raise errors.exceptions[0] from None
        progress = await self._attempt.progress()
        self._result.answered, self._result.open = progress.answered, len(progress.open)
        return self._result

    async def _names(self) -> Sequence[str]:
        """Return the names of the contexts to run, one per item.

        Items leased by an earlier runner are requested under the same names, because their leases
        keep them from other clients for a while.
        """
        progress = await self._attempt.progress()
        begun = [name for name in progress.holders if name.startswith(PREFIX)]
        run = secrets.token_hex(4)
        return [*begun, *(f"{PREFIX}{run}-{number}" for number in range(1, progress.free + 1))]

    async def _work(self) -> None:
        while self._waiting and not self._result.stopped:
            await self._take(self._waiting.popleft())

    async def _take(self, client: str) -> None:
        result, attempt = self._result, self._attempt
        for number in range(1, self._limits.retries + 2):
            if result.stopped:
                break
            result.runs += 1
            run = await self._command.run(attempt.handle, client, number)
            answered = await attempt.answered_by(client)
            if any(answered):
                result.contexts += 1
                self._in_a_row = 0
                return
            if not answered and not (await attempt.progress()).free:
                return  # another client took what was left
            fault = _fault(run, took=bool(answered))
            result.faults[fault] += 1
            result.last_words = run.tail
            self._notify(f"{client}, run {number}: {fault}")
        result.failed.append(client)
        self._in_a_row += 1
        if self._in_a_row >= GIVE_UP:
            result.stopped = True


def _fault(run: AgentRun, *, took: bool) -> str:
    if run.status is None:
        return "stopped after its time"
    if run.status < 0:
        return f"ended by signal {-run.status}"
    if run.status:
        return f"exit status {run.status}"
    return "ended without an answer" if took else "took no item"


_COMMAND = ("-P", "-c", "from snellen.cli import main; main()", "serve", "--port", "0")
_READY = "serving on "
_GRACE = 10.0
_LINE = 1 << 20


@asynccontextmanager
async def serving(options: Sequence[str]) -> AsyncGenerator[str]:
    """Serve an exam on a free port of this machine while this is open; yield its URL.

    Agents get only the URL: the packs, their key and the store stay with the server.

    Args:
        options: Arguments of `snellen serve`: packs and rules.

    Raises:
        InputError: It does not start; the message is the server's.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *_COMMAND,
        *options,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        limit=_LINE,
        # Only the runner gets an interrupt; it stops its agents first.
        start_new_session=True,
    )
    assert process.stderr is not None
    draining: asyncio.Task[None] | None = None
    try:
        url = await _ready(process.stderr)
        draining = asyncio.create_task(_drain(process.stderr))
        yield url
    finally:
        with suppress(ProcessLookupError):
            process.terminate()
        try:
            async with asyncio.timeout(_GRACE):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
        if draining is not None:
            await draining


async def _ready(lines: asyncio.StreamReader) -> str:
    last: deque[str] = deque(maxlen=5)
    async for raw in lines:
        line = raw.decode("utf-8", "replace").strip()
        if line.startswith(_READY):
            return line.removeprefix(_READY)
        last.append(line)
    raise InputError(f"snellen serve does not start: {' '.join(last) or 'it printed nothing'}")


async def _drain(lines: asyncio.StreamReader) -> None:
    # The log is not read here; the loop drains the pipe.
    while await lines.read(_LINE):
        pass
