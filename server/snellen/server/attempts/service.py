"""Attempts: the life of one sitting, from its start to its report. No transport is known here."""

import asyncio
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from pydantic import JsonValue
from sqlalchemy import Connection

from snellen.grading.errors import SnellenError
from snellen.server.attempts import leases
from snellen.server.attempts.grading import Marking
from snellen.server.attempts.handles import digest_of, new_handle
from snellen.server.attempts.models import (
    Attempt,
    Call,
    Caller,
    Exported,
    Feedback,
    Leased,
    Listed,
    Progress,
    Receipt,
    Seen,
    Started,
    State,
)
from snellen.server.attempts.register import MOST_LISTED, Clock, Register
from snellen.server.attempts.report import ExamReport
from snellen.server.attempts.starting import (
    begin_again,
    check_model,
    deadline_of,
    has_left,
    policy_of,
)
from snellen.server.attempts.submit import Handed, record
from snellen.server.attempts.traces import Traces
from snellen.server.errors import ExamError, NoSuchAttemptError
from snellen.server.exam.rules import Contexts, Mode
from snellen.server.exam.spec import Exam, Paper, Taken
from snellen.server.store import queries
from snellen.server.store.database import Database
from snellen.server.store.rows import AttemptRow, ItemRow

T = TypeVar("T")

GRADERS = 2
"""How many attempts are graded at once: a long one does not hold up the short ones."""


class Service(Register):
    """Runs attempts: every rule of the exam is here, and every transport calls it.

    What reads the store is a plain function, which an event loop runs by `off_loop`; what changes
    it is to be awaited, and is on disk when it returns.
    """

    def __init__(self, exam: Exam, database: Database, clock: Clock | None = None) -> None:
        super().__init__(database, clock)
        # What marks alone keeps the references.
        self.exam: Paper = exam.paper
        self._traces = Traces(database)
        self._marking = Marking(exam, database)
        self._graders = ThreadPoolExecutor(GRADERS, thread_name_prefix="snellen-grader")

    # ---- the life of an attempt --------------------------------------------------------------

    async def start(
        self,
        caller: Caller,
        tasks: Sequence[str] | None = None,
        *,
        contexts: Contexts | None = None,
        model: str | None = None,
    ) -> Started:
        """Open an attempt.

        A caller that has none left may have lost the result of an earlier call: an attempt of the
        same choices, of which nothing was handed out, begins again with a new handle.

        Args:
            caller: Whose it is.
            tasks: Task or benchmark ids; None: all that is offered.
            contexts: How many questions a context will see, where the server leaves it open.
            model: Who answers.

        Raises:
            ExamError: A task is not offered, the caller has no attempt left, or the policy
                declared is not the server's.
        """
        rules = self.exam.rules
        policy = policy_of(rules, contexts)
        check_model(model)
        chosen = self.exam.selected(tasks)
        handle = new_handle(self._clock.random)
        secret = self._clock.random(32)
        opened = self._clock.now()
        places = self.exam.places(chosen, secret)
        row: dict[str, Any] = {
            "digest": digest_of(handle),
            "secret": secret,
            "caller": caller.name,
            "exam": self.exam.id,
            "mode": rules.mode.value,
            "tasks": json.dumps(chosen),
            "rules": rules.model_dump_json(),
            "contexts": policy.value,
            "model": model,
            "opened": opened,
            "deadline": deadline_of(rules, opened),
            "state": State.OPEN.value,
            "total": len(places),
        }

        def work(connection: Connection) -> AttemptRow:
            if has_left(connection, row, rules.attempts):
                number = queries.open_attempt(connection, row, places)
            else:
                number = begin_again(connection, row, rules.attempts)
            return queries.NUMBERED.one(connection, {"a": number})

        # Read in the same transaction: the caller's next start may give it another handle.
        attempt = self._loaded(await self._database.write(work))
        # The first report then does not wait for it; what fails here fails there, too, and is told.
        self._graders.submit(self._marking.prepare, chosen)
        return Started(handle, attempt, attempt.progress.open)

    def attempt(self, handle: str, caller: Caller) -> Attempt:
        """Return an attempt of the caller's.

        Raises:
            NoSuchAttemptError: There is none, or it is somebody else's.
            ExamError: It was begun on another exam, or in another mode, than is served now.
        """
        parameters = {"d": digest_of(handle), "c": caller.name}
        row = self._database.read(lambda c: queries.ATTEMPT.first(c, parameters))
        if row is None:
            raise NoSuchAttemptError
        if row.exam != self.exam.id and row.report is None:
            raise ExamError(
                f"this attempt was begun on {row.exam}, and {self.exam.id} is served now:"
                " it goes on when its exam is served again"
            )
        found = self._loaded(row)
        mode, served = found.rules.mode, self.exam.rules.mode
        if mode is not served and row.report is None:
            # Practice that went on beside an exam would tell what is right in it.
            raise ExamError(
                f"this attempt was begun in {mode} mode, and {served} mode is served now: it goes"
                " on when its mode is served again"
            )
        return found

    def progress(self, attempt: Attempt) -> Progress:
        """Return how many items are answered and how many are open."""
        return self._database.read(lambda c: queries.progress(c, attempt.id))

    def list_items(
        self,
        attempt: Attempt,
        *,
        after: int = -1,
        limit: int = 50,
        answered: bool | None = None,
        client: str | None = None,
    ) -> Sequence[Listed]:
        """Return a page of items, those after a place: of one client, answered or open, or all."""
        most = min(limit, MOST_LISTED)
        parameters = {"a": attempt.id, "after": after, "most": most, "done": answered, "h": client}
        rows = self._database.read(lambda c: queries.PAGE.all(c, parameters))
        now = self._clock.now()
        return [
            Listed(
                row.place,
                row.opaque,
                row.task,
                row.answered,
                row.holder if not row.answered and (row.leased_until or 0) >= now else None,
            )
            for row in rows
        ]

    # ---- items -------------------------------------------------------------------------------

    async def lease(self, attempt: Attempt, caller: Caller, item: str | None = None) -> Leased:
        """Give a client an item to answer: the one it names, or the next that is open.

        Raises:
            ExamError: No item is left for this client, the named one is another client's or
                unknown, or the attempt is closed.
        """
        now = self._clock.now()
        row, until = await self._database.write(
            lambda c: leases.lease(c, attempt, caller.client, item, now)
        )
        return self._leased(attempt, caller, row, until)

    def held(self, attempt: Attempt, caller: Caller, item: str) -> Leased:
        """Return an item that a client holds, without asking for it again.

        Raises:
            ExamError: There is no such item, the client does not hold it, or the attempt is
                closed.
        """
        now = self._clock.now()
        row = self._database.read(lambda c: leases.held(c, attempt, caller.client, item, now))
        return self._leased(attempt, caller, row, row.leased_until or now)

    async def viewed(self, attempt: Attempt, leased: Leased) -> int | None:
        """Count a view of an item's image; return how many are left, None for any number.

        Raises:
            ExamError: None was left, or the item is another client's by now.
        """
        if attempt.rules.views is None:
            return None
        now = self._clock.now()
        return await self._database.write(
            lambda c: leases.count_view(c, attempt, leased.client, leased.place.opaque, now)
        )

    async def submit(
        self,
        attempt: Attempt,
        caller: Caller,
        item: str,
        answer: JsonValue,
        seen: Seen | None = None,
    ) -> Receipt:
        """Store an answer; when this returns it is on disk.

        The same answer again changes nothing, so a client may repeat a call whose result it
        lost. What counts for the deadline is when the call came in.

        Raises:
            ExamError: The answer is not in the item's form, the item is not this client's, no
                more answers to it are taken, or the attempt is closed.
        """
        handed = Handed(caller.client, item, answer, self._clock.now(), seen or Seen())
        return await self._database.write(lambda c: record(c, self.exam, attempt, handed))

    async def score(self, attempt: Attempt, receipt: Receipt) -> Feedback:
        """Say what an answer that was just stored is worth: in practice only.

        Raises:
            ExamError: It is no practice.
        """
        if attempt.rules.mode is not Mode.PRACTICE:
            raise ExamError("only practice says what an answer is worth; finish_attempt reports")
        return await self.graded(lambda: self._marking.feedback(attempt, receipt.item))

    # ---- the end -----------------------------------------------------------------------------

    async def finish(self, attempt: Attempt) -> ExamReport:
        """Close an attempt and return its report; finishing again returns the same one.

        Raises:
            ExamError: It was abandoned, or its report can't be made.
        """
        closed = await self.close(attempt)
        if closed.state is State.ABANDONED:
            raise ExamError("the attempt was abandoned; start_attempt opens a new one")
        if closed.report is None:
            try:
                report = await self.graded(lambda: self.report(closed))
            except SnellenError as error:
                raise ExamError(
                    "the attempt is closed and its answers are kept, but its report can't be"
                    " made: tell the organiser, whose log says why, and call finish_attempt again"
                ) from error
            text = report.model_dump_json()
            kept = await self._database.write(lambda c: queries.keep_report(c, closed.id, text))
        else:
            kept = closed.report
        return ExamReport.model_validate_json(kept)

    async def graded(self, work: Callable[[], T]) -> T:
        """Run what grades, and return what it returns, beside the event loop.

        A few run at once and the others wait: more would only slow down each other and the loop.
        """
        return await asyncio.get_running_loop().run_in_executor(self._graders, work)

    def report(self, attempt: Attempt) -> ExamReport:
        """Grade an attempt, or say what it recorded where answers are graded elsewhere."""
        return self._marking.report(attempt, self.cost(attempt))

    def report_of(self, attempt: Attempt) -> ExamReport:
        """Return the report that an attempt has, or is to have; it is not stored.

        Raises:
            ExamError: It has none, and it is open or of another exam.
        """
        if attempt.report is not None:
            return ExamReport.model_validate_json(attempt.report)
        self._check_closed(attempt, "graded")
        return self.report(attempt)

    def grade(self, attempt: Attempt) -> ExamReport:
        """Grade a closed attempt, a deferred one as well: for its organiser. It is not stored.

        Raises:
            ExamError: The attempt is open, or this server has no references.
        """
        self._check_closed(attempt, "graded")
        # The call that made a report came after what it counts.
        told = None if attempt.report is None else ExamReport.model_validate_json(attempt.report)
        return self._marking.graded(attempt, self.cost(attempt) if told is None else told.cost)

    def taken(self, attempt: Attempt) -> Sequence[Taken]:
        """Return what there is to grade, task by task, items in the pack's order.

        Raises:
            ExamError: The exam is deferred: it has no references.
        """
        return [self._marking.taken(counted) for counted in self._marking.counted(attempt)]

    def export(self, attempt: Attempt) -> Sequence[Exported]:
        """Return the answers that count, task by task, for `snellen grade`.

        Raises:
            ExamError: The attempt is open: items keep their names to themselves until its end.
        """
        self._check_closed(attempt, "exported")
        return [
            Exported(counted.task, counted.protocol, tuple(counted.items), counted.lines())
            for counted in self._marking.counted(attempt)
        ]

    # ---- traces ------------------------------------------------------------------------------

    def trace(self, attempt: Attempt, call: Call) -> None:
        """Keep what was called; it is written with the next flush."""
        self._traces.add({"attempt": attempt.id, "at": self._clock.now(), **call.columns()})

    async def flush(self) -> None:
        """Write the traces that are waiting; where that fails they wait for the next flush.

        Raises:
            StoreError: The store failed.
        """
        await self._traces.flush()

    # ---- inside ------------------------------------------------------------------------------

    def _check_closed(self, attempt: Attempt, done: str) -> None:
        if attempt.state is State.OPEN:
            raise ExamError(
                f"the attempt is open: its answers are {done} when it is finished, or closed by"
                f" `snellen attempts close {attempt.id}`"
            )
        if attempt.exam != self.exam.id:
            raise ExamError(
                f"attempt {attempt.id} is of {attempt.exam}, and this is {self.exam.id}: give the"
                " packs that it was taken from"
            )

    def _leased(self, attempt: Attempt, caller: Caller, row: ItemRow, until: int) -> Leased:
        place = queries.place_of(row)
        most = attempt.rules.views
        return Leased(
            client=caller.client,
            place=place,
            asked=self.exam.asked(place, attempt.secret, attempt.rules),
            until=until,
            answered=row.answered,
            submissions_left=attempt.rules.submissions - row.submissions,
            views_left=None if most is None else most - row.views,
        )
