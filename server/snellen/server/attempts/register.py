"""The register: all attempts of a store, for its organizer. It reads no pack."""

import secrets
import time
from base64 import b32encode
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection

from snellen.grading.models.base import Closed
from snellen.server.attempts.models import Cost, SweepResult
from snellen.server.attempts.report import ExamReport
from snellen.server.errors import ExamError, NoSuchAttemptError
from snellen.server.exam.rules import Contexts, Mode, Rules
from snellen.server.logs import log
from snellen.server.store import queries
from snellen.server.store.database import Database
from snellen.server.store.tables.exams import Attempt, State

MOST_LISTED = 100
LARGEST = 2**31 - 1
"""No database counts attempts beyond this."""
_LENGTH = 12


@dataclass(frozen=True, slots=True)
class Clock:
    """The source of time and randomness."""

    now: Callable[[], int] = lambda: time.time_ns() // 1_000_000
    random: Callable[[int], bytes] = secrets.token_bytes


class Register:
    """All attempts in a store: looked up by number, listed, closed, swept."""

    def __init__(self, database: Database, clock: Clock | None = None) -> None:
        self.database = database
        self._clock = clock or Clock()

    def numbered(self, number: int) -> Attempt:
        """Return an attempt by its number in the store, of any caller.

        Raises:
            NoSuchAttemptError: There is none.
        """
        row = None
        if 0 < number <= LARGEST:
            row = self.database.read(lambda c: queries.NUMBERED.first(c, {"a": number}))
        if row is None:
            raise NoSuchAttemptError(f"there is no attempt {number} in this store")
        return self.current(row)

    def list_attempts(self, *, after: int = 0, limit: int = MOST_LISTED) -> Sequence[Attempt]:
        """Return a page of all attempts, those after a number."""
        parameters = {"after": after, "most": min(limit, MOST_LISTED)}
        rows = self.database.read(lambda c: queries.LISTED.all(c, parameters))
        return [self.current(row) for row in rows]

    def all_attempts(self, after: int = 0) -> Iterator[Attempt]:
        """Yield all attempts, those after a number, page by page."""
        while page := self.list_attempts(after=after):
            yield from page
            after = page[-1].id

    def cost(self, attempt: Attempt) -> Cost:
        """Return the cost of an attempt, from the traces written so far."""
        end = attempt.closed
        if end is None:
            now = self._clock.now()
            end = now if attempt.deadline is None else min(now, attempt.deadline)
        # If the clock was set back in the meantime, the duration is unknown.
        took = max(0, end - attempt.opened)
        totals = self.database.read(lambda c: queries.TOTALS.one(c, {"a": attempt.id}))
        return Cost(
            calls=totals.calls,
            image_bytes=totals.image_bytes,
            image_tokens=totals.image_tokens,
            seconds=took / 1000,
            steps=totals.steps,
        )

    async def abandon(self, attempt: Attempt) -> Attempt:
        """Abandon an attempt: no further answers are accepted, and there is no report."""
        return await self.close(attempt, State.ABANDONED)

    async def close(self, attempt: Attempt, state: State = State.FINISHED) -> Attempt:
        """Close an attempt; closing it again changes nothing.

        An attempt after its deadline is closed as expired, at its deadline.
        """
        # The clock may have been set back, but an attempt cannot end before its start.
        now = max(self._clock.now(), attempt.opened)
        if attempt.deadline is not None and now > attempt.deadline:
            state, now = State.EXPIRED, attempt.deadline
        parameters = {"a": attempt.id, "s": state, "now": now}
        await self.database.write(lambda c: queries.CLOSE.run(c, parameters))
        return await self.database.off_loop(lambda: self.numbered(attempt.id))

    async def reissue(self, attempt: Attempt) -> str:
        """Return a new handle of an attempt; the old one becomes invalid.

        Raises:
            ExamError: The attempt was abandoned.
        """
        if attempt.state is State.ABANDONED:
            raise ExamError(
                f"attempt {attempt.id} was abandoned, and a handle of it opens nothing: where"
                f" nothing of it was handed out, {attempt.caller!r} may start it again"
            )
        handle = new_handle(self._clock.random)
        parameters = {"a": attempt.id, "d": digest_of(handle)}
        await self.database.write(lambda c: queries.REISSUE.run(c, parameters))
        log().info("handle replaced", number=attempt.id, caller=attempt.caller)
        return handle

    async def sweep(self, idle_minutes: float) -> SweepResult:
        """Close attempts after their deadline as expired, and idle ones as abandoned."""
        now = self._clock.now()
        since = now - round(idle_minutes * 60_000)

        def close(connection: Connection) -> SweepResult:
            expired = connection.execute(queries.EXPIRE, {"now": now}).rowcount
            abandoned = connection.execute(queries.ABANDON, {"now": now, "since": since}).rowcount
            return SweepResult(expired, abandoned)

        return await self.database.write(close)

    def current(self, attempt: Attempt) -> Attempt:
        """Return an attempt in its current state: expired after its deadline, closed or not."""
        over = attempt.deadline is not None and self._clock.now() > attempt.deadline
        return (
            replace(attempt, state=State.EXPIRED)
            if over and attempt.state is State.OPEN
            else attempt
        )


def new_handle(random: Callable[[int], bytes]) -> str:
    """Make a handle, for an attempt's caller: 12 characters, of 60 random bits.

    A model writes it in each call. It opens nothing without its caller's token.
    """
    return b32encode(random(8)).decode().lower()[:_LENGTH]


def digest_of(handle: str) -> bytes:
    """Return the digest of a handle, which the store keeps."""
    return sha256(handle.encode("utf-8", "surrogatepass")).digest()


class Entry(Closed):
    """One attempt in an organizer's list; times as ISO 8601 in UTC.

    Attributes:
        number: Its number in the store; only its caller has its handle.
        caller: Its caller: a token's name, or `local`.
        model: The model, as declared.
        mode: The feedback mode.
        exam: The exam's name and the digest of its items.
        tasks: The tasks.
        opened: The time of its start.
        deadline: Its deadline; None: it has none.
        closed: The time when it was closed; None: it is not closed yet.
        state: Its state; `expired` after its deadline.
        answered: The number of items with an answer.
        total: The number of items.
        value: Its report's value; None without a report, for several tasks, or for a report without
            numbers, such as a deferred exam's.
    """

    number: int
    caller: str
    model: str | None
    mode: Mode
    exam: str
    tasks: tuple[str, ...]
    opened: str
    deadline: str | None
    closed: str | None
    state: State
    answered: int
    total: int
    value: float | None


class Details(Entry):
    """One attempt with all its data except its answers.

    Attributes:
        contexts: The number of questions that a context may see.
        rules: The rules at its start.
        cost: Its cost so far.
        report: Its report, if it exists.
    """

    contexts: Contexts
    rules: Rules
    cost: Cost
    report: ExamReport | None


def entry(attempt: Attempt) -> Entry:
    """Return an attempt's entry in the list."""
    return Entry(**_entry(attempt, _report(attempt)))


def details(register: Register, attempt: Attempt) -> Details:
    """Return an attempt with its rules, its cost and its report."""
    report = _report(attempt)
    return Details(
        **_entry(attempt, report),
        contexts=attempt.contexts,
        rules=attempt.rules,
        cost=register.cost(attempt),
        report=report,
    )


def _entry(attempt: Attempt, report: ExamReport | None) -> dict[str, Any]:
    return {
        "number": attempt.id,
        "caller": attempt.caller,
        "model": attempt.model,
        "mode": attempt.rules.mode,
        "exam": attempt.exam,
        "tasks": attempt.tasks,
        "opened": _iso(attempt.opened),
        "deadline": None if attempt.deadline is None else _iso(attempt.deadline),
        "closed": None if attempt.closed is None else _iso(attempt.closed),
        "state": attempt.state,
        "answered": attempt.answered,
        "total": attempt.total,
        "value": None if report is None else report.value,
    }


def _report(attempt: Attempt) -> ExamReport | None:
    return None if attempt.report is None else ExamReport.model_validate_json(attempt.report)


def _iso(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="seconds")
