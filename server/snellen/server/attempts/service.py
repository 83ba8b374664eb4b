"""Attempts from their start to their report, independent of the transport."""

import asyncio
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from typing import TypeVar

from pydantic import JsonValue
from sqlalchemy import Connection

from snellen.grading.errors import SnellenError
from snellen.grading.models.geometry import Space
from snellen.server.attempts import leases, models
from snellen.server.attempts.grading import Grading
from snellen.server.attempts.register import MOST_LISTED, Clock, Register, digest_of, new_handle
from snellen.server.attempts.report import ExamReport, conditions
from snellen.server.attempts.shown import name_of, runs_of
from snellen.server.attempts.submit import AnswerRequest, submit
from snellen.server.errors import ExamError, NoSuchAttemptError
from snellen.server.exam.file import Phase, exam_of_packs
from snellen.server.exam.phases import ALL, Phases
from snellen.server.exam.rounding import Run, shown_runs
from snellen.server.exam.rules import Contexts, Mode, Rules
from snellen.server.exam.spec import Exam, ExamSpec
from snellen.server.logs import log
from snellen.server.store import queries
from snellen.server.store.database import Database
from snellen.server.store.queries import ItemSummary
from snellen.server.store.statements import row_values
from snellen.server.store.tables.exams import Attempt, ItemRow, Progress, State, TraceRow

T = TypeVar("T")

GRADERS = 2
"""How many attempts are graded at once: a long one does not hold up the short ones."""
MOST_TRACES = 10_000
"""How many traces wait at most: while the store fails, the oldest are dropped."""
_LONGEST_MODEL = 200


class Service:
    """Runs attempts: it implements all rules of the exam, and all transports call it.

    Methods that read the store are plain functions, which an event loop runs by
    `database.off_loop`. Methods that change it are coroutines; the change is on disk when they
    return. `register` has all attempts of the store.
    """

    def __init__(
        self,
        exam: Exam,
        database: Database,
        clock: Clock | None = None,
        phases: Phases | None = None,
        secret: Callable[[], bytes] = bytes,
    ) -> None:
        self.database = database
        self._clock = clock or Clock()
        self.now = self._clock.now
        self.register = Register(database, self._clock)
        self.phases = phases or Phases(exam_of_packs([exam.name], exam.rules))
        # Only the grading object keeps the references.
        self.exam: ExamSpec = exam.spec
        self._traces: list[TraceRow] = []
        self._secret = cache(secret)
        self._grading = Grading(exam, database, self._secret)
        self._graders = ThreadPoolExecutor(GRADERS, thread_name_prefix="snellen-grader")

    # ---- the life of an attempt --------------------------------------------------------------

    async def start(
        self,
        caller: models.Caller,
        tasks: Sequence[str] | None = None,
        *,
        contexts: Contexts | None = None,
        model: str | None = None,
        space: Space = Space.PIXELS,
    ) -> models.NewAttempt:
        """Open an attempt.

        A caller without attempts left may have lost the result of an earlier call. So an attempt
        with the same arguments, of which no item was leased, restarts with a new handle.

        Args:
            caller: The caller.
            tasks: Task or benchmark ids; None: all that the exam offers.
            contexts: The number of questions that a context will see, if the server does not set
                it.
            model: The model's name.
            space: The coordinate space of its actions.

        Raises:
            ExamError: A task is not offered, the caller has no attempt left, or the policy
                declared is not the server's.
            ForbiddenError: No phase is open.
        """
        rules = self.exam.rules
        policy = _policy(rules, contexts)
        if model is not None and not (0 < len(model) <= _LONGEST_MODEL and model.isprintable()):
            raise ExamError(
                f"a model's name is 1 to {_LONGEST_MODEL} printable characters", field="model"
            )
        chosen = self.exam.selected(tasks)
        handle = new_handle(self._clock.random)
        secret = self._clock.random(32)
        opened = self._clock.now()
        await self.database.off_loop(self.phases.refresh)
        phase = self.phases.with_attempts(opened) or self.phases.check_open(None, opened)
        asked = self.exam.items(chosen, secret, policy)
        in_attempt = {item.task for item in asked}
        new = Attempt(
            id=0,
            digest=digest_of(handle),
            secret=secret,
            caller=caller.name,
            exam=self.exam.id,
            mode=rules.mode,
            tasks=tuple(task for task in chosen if task in in_attempt),
            rules=rules,
            contexts=policy,
            model=model,
            opened=opened,
            deadline=deadline_of(rules, opened, phase),
            closed=None,
            state=State.OPEN,
            total=len(asked),
            space=space,
        )
        rows = [ItemRow(attempt=0, **item._asdict()) for item in asked]

        def work(connection: Connection) -> Attempt:
            number = _attempt_again(connection, new, rules.attempts, phase)
            if number is None:
                number = queries.open_attempt(connection, new, rows)
            return queries.NUMBERED.one(connection, {"a": number})

        # In the same transaction, because the caller's next start may change its handle.
        attempt = self.register.current(await self.database.write(work))
        # So the first report does not wait for it; a failure here is raised there too.
        self._graders.submit(self._grading.prepare, chosen)
        return models.NewAttempt(handle, attempt, attempt.progress.open)

    def attempt(self, handle: str, caller: str) -> Attempt:
        """Return a caller's attempt by its handle.

        Raises:
            NoSuchAttemptError: There is none, or it belongs to another caller.
            ExamError: As for `served`.
        """
        parameters = {"d": digest_of(handle), "c": caller}
        row = self.database.read(lambda c: queries.ATTEMPT.first(c, parameters))
        if row is None:
            raise NoSuchAttemptError
        return self.served(row)

    def served(self, row: Attempt) -> Attempt:
        """Return an attempt in its current state, if this server serves it.

        Raises:
            ExamError: It belongs to another exam, mode or door than the server's.
        """
        if row.exam != self.exam.id and row.report is None:
            raise ExamError(
                f"this attempt was begun on {row.exam}, and {self.exam.id} is served now:"
                " it goes on when its exam is served again"
            )
        found = self.register.current(row)
        mode, served = found.rules.mode, self.exam.rules.mode
        if mode is not served and row.report is None:
            # Practice in parallel to an exam would reveal its correct answers.
            raise ExamError(
                f"this attempt was begun in {mode} mode, and {served} mode is served now: it goes"
                " on when its mode is served again"
            )
        door, opened = found.rules.door, self.exam.rules.door
        if door is not opened and row.report is None:
            raise ExamError(
                f"this attempt was begun with door {door}, and door {opened} is served now: it goes"
                " on when its door is served again"
            )
        return found

    def progress(self, attempt: Attempt) -> Progress:
        """Return the numbers of answered and open items."""
        return self.database.read(lambda c: queries.NUMBERED.one(c, {"a": attempt.id})).progress

    def list_items(
        self,
        attempt: Attempt,
        *,
        after: int = -1,
        limit: int = 50,
        answered: bool | None = None,
        client: str | None = None,
    ) -> Sequence[ItemSummary]:
        """Return a page of items after an index: of one client, answered or open, or all."""
        most = min(limit, MOST_LISTED)
        parameters = {
            "a": attempt.id,
            "after": after,
            "most": most,
            "done": answered,
            "h": client,
            "now": self._clock.now(),
        }
        return self.database.read(lambda c: queries.PAGE.all(c, parameters))

    # ---- items -------------------------------------------------------------------------------

    async def lease(
        self, attempt: Attempt, caller: models.Caller, item: str | None = None
    ) -> models.Lease:
        """Lease an item to a client: the named one, or the next open one.

        Raises:
            ExamError: No item is left for this client, the named one is another client's or
                unknown, or the attempt is closed.
        """
        now = self._clock.now()
        row = await self.database.write(
            lambda c: leases.lease(c, attempt, caller.client, item, now)
        )
        return self._lease(attempt, caller, row, now)

    def held(self, attempt: Attempt, caller: models.Caller, item: str) -> models.Lease:
        """Return an item that a client holds, without a new lease.

        Raises:
            ExamError: There is no such item, the client does not hold it, or the attempt is
                closed.
        """
        now = self._clock.now()
        row = self.database.read(lambda c: leases.held(c, attempt, caller.client, item, now))
        return self._lease(attempt, caller, row, now)

    async def renewed(self, attempt: Attempt, caller: models.Caller, item: str) -> models.Lease:
        """Return an item that a client holds, with a new lease: the client works on it.

        Raises:
            ExamError: As for `held`.
        """
        now = self._clock.now()
        row = await self.database.write(
            lambda c: leases.renew(c, attempt, caller.client, item, now)
        )
        return self._lease(attempt, caller, row, now)

    async def viewed(self, attempt: Attempt, lease: models.Lease) -> int | None:
        """Count a view of an item's image; return the number of views left, None without a limit.

        Raises:
            ExamError: No view was left, or another client holds the item now.
        """
        if attempt.rules.views is None:
            return None
        now = self._clock.now()
        return await self.database.write(
            lambda c: leases.count_view(c, attempt, lease.client, lease.item.opaque, now)
        )

    async def submit(
        self,
        attempt: Attempt,
        caller: models.Caller,
        item: str,
        answer: JsonValue,
        meta: models.AnswerMeta | None = None,
    ) -> models.Receipt:
        """Store an answer; when this returns it is on disk.

        The same answer again changes nothing, so a client may repeat a call whose result it lost.
        For the deadline, the time of the call's arrival counts.

        Raises:
            UnreadableAnswerError: The answer can't be read, and may be written again.
            ExamError: The answer can't be stored, the item is not this client's, no more answers to
                it are taken, or the attempt is closed.
        """
        now = self._clock.now()
        request = AnswerRequest(caller.client, item, answer, now, meta or models.AnswerMeta())
        outcome = await self.database.write(lambda c: submit(c, self.exam, attempt, request))
        if isinstance(outcome, ExamError):
            raise outcome
        return outcome

    async def score(self, attempt: Attempt, receipt: models.Receipt) -> models.Feedback:
        """Return the score of a stored answer, in practice mode only.

        Raises:
            ExamError: The exam is not in practice mode, or its phase does not show all scores.
        """
        await self.database.off_loop(self.phases.refresh)
        if not self.scores_answers(attempt):
            raise ExamError("only practice says what an answer is worth; finish_attempt reports")
        return await self.graded(lambda: self._grading.feedback(attempt, receipt.item))

    def scores_answers(self, attempt: Attempt) -> bool:
        """Whether each answer's score is shown: in practice, if the phase shows all scores."""
        if attempt.rules.mode is not Mode.PRACTICE:
            return False
        now = self._clock.now()
        return self.phases.visibility(self.phases.named(None, now), now).own == ALL

    # ---- the end -----------------------------------------------------------------------------

    async def close(self, attempt: Attempt) -> Attempt:
        """Close an attempt, with all its calls so far; closing it again changes nothing."""
        await self.flush()
        return await self.register.close(attempt)

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
                    " made: tell the organizer, whose log says why, and call finish_attempt again"
                ) from error
            text = report.model_dump_json()
            kept = await self.database.write(lambda c: queries.keep_report(c, closed.id, text))
        else:
            kept = closed.report
        return await self.shown(replace(closed, report=kept))

    async def shown(self, attempt: Attempt) -> ExamReport:
        """Return an attempt's report as its caller may see it now, in the phase of its end.

        Raises:
            ExamError: There is no report yet.
        """
        if attempt.report is None:
            raise ExamError("there is no report yet; finish_attempt makes it")
        report = ExamReport.model_validate_json(attempt.report)
        end = attempt.closed or attempt.opened
        await self.database.off_loop(self.phases.refresh)
        phase = self.phases.with_attempts(end) or self.phases.named(None, end)
        shown = self.phases.visibility(phase, self._clock.now())
        if attempt.rules.mode is Mode.DEFERRED:
            return report
        if shown.own is None:
            return report.without_scores()
        if shown.own != ALL:
            report = await self.graded(lambda: self._grading.public(attempt, report, phase))
        # Practice has told what each answer is worth.
        if attempt.rules.mode is Mode.PRACTICE or shown.exact:
            return report
        part = shown.own
        return await self.graded(lambda: self._rounded(attempt, report, phase, part))

    def _rounded(self, attempt: Attempt, report: ExamReport, phase: Phase, part: str) -> ExamReport:
        """Return an attempt's report as its participant sees it, after earlier submissions."""
        of_phase = {"g": 0, "f": self.phases.key(phase), "p": part, "c": attempt.caller}
        rows = self.database.read(lambda c: queries.OWN_NUMBERS.all(c, of_phase))
        # Its answers become a submission, too, which is graded later.
        end = attempt.closed or attempt.opened
        before = [row for row in rows if row.at <= end and row.attempt != attempt.id]
        if (own := next((row for row in rows if row.attempt == attempt.id), None)) is not None:
            before = rows[: rows.index(own)]
        scores = {task.task: task.numbers for task in report.tasks}
        run = Run(
            name_of("", attempt.id),
            {task: numbers for task, numbers in scores.items() if numbers is not None},
        )
        runs = [*runs_of(before), run]
        return report.rounded(shown_runs(runs, list(self.exam.offers), self._secret())[-1])

    async def graded(self, work: Callable[[], T]) -> T:
        """Run grading work outside the event loop, and return its result.

        A few run at a time and the others wait: more would only slow down each other and the loop.
        """
        return await asyncio.get_running_loop().run_in_executor(self._graders, work)

    def conditions(self, attempt: Attempt) -> str:
        """Return the conditions of an attempt, as a part of signatures."""
        return conditions(attempt, self._grading.clients(attempt))

    def report(self, attempt: Attempt) -> ExamReport:
        """Grade an attempt, or report what it recorded if answers are graded elsewhere."""
        return self._grading.report(attempt, self.register.cost(attempt))

    def grade(self, attempt: Attempt) -> ExamReport:
        """Grade a closed attempt, also a deferred one, for its organizer. It is not saved.

        Raises:
            ExamError: The attempt is open, or this server has no references.
        """
        self._check_closed(attempt, "graded")
        # The call that made a report is not part of the cost in it.
        if attempt.report is None:
            return self._grading.graded(attempt, self.register.cost(attempt))
        return self._grading.graded(attempt, ExamReport.model_validate_json(attempt.report).cost)

    def export(self, attempt: Attempt) -> Sequence[models.TaskAnswers]:
        """Return the answers that count, task by task, for `snellen grade`.

        Raises:
            ExamError: The attempt is open: the items' own ids are hidden until its end.
        """
        self._check_closed(attempt, "exported")
        return self._grading.answers(attempt)

    def item_values(self, answers: models.TaskAnswers) -> Sequence[float]:
        """Return the value of each item of an exported task, for the organizer.

        Raises:
            ExamError: This server has no references.
        """
        return self._grading.item_values(answers)

    # ---- traces ------------------------------------------------------------------------------

    def trace(self, attempt: Attempt, call: models.CallTrace) -> None:
        """Record a call; it is written with the next flush."""
        self._traces.append(
            TraceRow(
                id=0,
                attempt=attempt.id,
                place=call.place,
                at=self._clock.now(),
                tool=call.tool,
                microseconds=call.microseconds,
                image_bytes=call.image_bytes,
                image_tokens=call.image_tokens,
                detail=json.dumps(call.detail, sort_keys=True) if call.detail else "{}",
            )
        )

    async def flush(self) -> None:
        """Write the pending traces; after a failure they stay pending.

        Raises:
            StoreError: The store failed.
        """
        if not self._traces:
            return
        rows, self._traces = self._traces, []
        try:
            await self.database.write(lambda c: queries.keep_traces(c, rows))
        except Exception:
            self._traces = [*rows, *self._traces][-MOST_TRACES:]
            raise

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

    def _lease(
        self, attempt: Attempt, caller: models.Caller, row: ItemRow, now: int
    ) -> models.Lease:
        most = attempt.rules.views
        return models.Lease(
            client=caller.client,
            item=row,
            question=self.exam.question(row.task, row.item, attempt.secret, attempt.rules),
            until=row.leased_until or now,
            submissions_left=attempt.rules.submissions - row.submissions,
            views_left=None if most is None else most - row.views,
        )


def _policy(rules: Rules, declared: Contexts | None) -> Contexts:
    """Return the number of questions that a context may see: the server's, or else the client's.

    Raises:
        ExamError: The client's declaration differs from the server's rule.
    """
    if rules.contexts is not None and declared not in (None, rules.contexts):
        raise ExamError(
            f"this exam asks for {rules.contexts} contexts, not {declared}", field="contexts"
        )
    return rules.contexts or declared or Contexts.CONTINUOUS


def deadline_of(rules: Rules, opened: int, phase: Phase) -> int | None:
    """Return the deadline of an attempt, at the latest its phase's end; None: it has none."""
    own = None if rules.minutes is None else opened + round(rules.minutes * 60_000)
    return min((end for end in (own, phase.last) if end is not None), default=None)


def _attempt_again(
    connection: Connection, new: Attempt, most: int | None, phase: Phase
) -> int | None:
    """Return the attempt that restarts for a caller without attempts left; None: one is left.

    All attempts at this exam in this mode count, regardless of how they ended. Only an attempt of
    which no item was leased restarts, with a new handle and its full time.

    Raises:
        ExamError: There is no such attempt with the same arguments.
    """
    caller = {"c": new.caller, "e": new.exam, "m": new.mode}
    if most is None or queries.STARTED.one(connection, caller).count < most:
        return None
    choices = ("caller", "exam", "mode", "tasks", "contexts", "space", "model")
    values = row_values(new)
    untouched = queries.UNTOUCHED.first(connection, {name: values[name] for name in choices})
    if untouched is None:
        words = "the one attempt is" if most == 1 else f"all {most} attempts are"
        raise ExamError(f"{words} used; ask the exam's organizer for more")
    log().info("handle replaced", number=untouched.id, caller=new.caller)
    times = {"opened": new.opened, "deadline": deadline_of(untouched.rules, new.opened, phase)}
    queries.BEGIN_AGAIN.run(connection, {"a": untouched.id, "d": new.digest, **times})
    return untouched.id
