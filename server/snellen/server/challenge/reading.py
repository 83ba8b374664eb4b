"""Read-only access to phases and submissions, for participants and organizers."""

import zlib
from collections.abc import Mapping, Sequence

from snellen.server.attempts.register import Clock
from snellen.server.challenge import queries
from snellen.server.challenge.models import (
    EventCard,
    ExamCard,
    PhaseCard,
    SubmissionStatus,
    TaskCard,
    TaskScore,
    iso,
)
from snellen.server.challenge.queries import Listed
from snellen.server.challenge.rounding import shown_scores
from snellen.server.errors import ExamError, ForbiddenError, NotFoundError, UnauthorizedError
from snellen.server.exam.file import ExamFile, Phase, Who
from snellen.server.exam.phases import ALL, Phases, Visibility
from snellen.server.exam.spec import ExamSpec
from snellen.server.store import queries as store_queries
from snellen.server.store.database import Database
from snellen.server.store.tables.endpoint import (
    JobState,
    PartRow,
    ScoreNumbers,
    ScoreRow,
    SubmissionRow,
)

MOST_LISTED = 100
LONGEST = 200
"""The maximum length of a name, and of a submission's id in a request."""

LATEST = 1 << 62
"""A time after all others."""


class Reading:
    """The phases of an exam, and the submissions in its store.

    Args:
        file: The exam file.
        exam: The exam spec, without references.
        database: The store.
        clock: The source of time and randomness.

    Raises:
        ExamError: A phase names a task that the exam does not have.
    """

    def __init__(
        self, file: ExamFile, exam: ExamSpec, database: Database, clock: Clock | None = None
    ) -> None:
        self.file = file
        self.phases = Phases(file, lambda: database.read(lambda c: store_queries.MOVES.all(c, {})))
        self.exam = exam
        self.database = database
        self._clock = clock or Clock()
        for phase in file.phases:
            if strange := sorted(phase.protocols.keys() - exam.offers.keys()):
                raise ExamError(f"phase {phase.name}: {strange[0]!r} is not a task of this exam")

    def now(self) -> int:
        """Return the time, in milliseconds since 1970."""
        return self._clock.now()

    def phase(self, name: str | None) -> Phase:
        """Return a phase by its name, or the open one, or the last one that was open.

        Raises:
            NotFoundError: There is no phase of that name.
        """
        return self.phases.named(name, self.now())

    def key(self, phase: Phase) -> str:
        """Return a phase's key in the store, which can hold the phases of several exams."""
        return f"{self.file.name}/{phase.name}"

    def phase_of(self, row: SubmissionRow) -> Phase:
        """Return the phase of a submission.

        Raises:
            NotFoundError: It is of another exam, or of a phase that is no longer in the exam file.
        """
        exam, _, name = row.phase.rpartition("/")
        by_name = self.phases.file.by_name
        if exam != self.file.name or name not in by_name:
            raise NotFoundError(
                f"submission {row.id} is of the phase {row.phase}, which is not served here"
            )
        return by_name[name]

    def protocols(self, phase: Phase) -> Mapping[str, str]:
        """Return the protocol of each task in a phase, with its version."""
        from snellen.grading.protocols.table import protocol_of

        packs = self.exam.packs_by_task
        found: dict[str, str] = {}
        for task in self.exam.offers:
            named = phase.protocols.get(task)
            if named is None:
                found[task] = packs[task].task(task).protocol
            else:
                protocol = protocol_of(task, named)
                found[task] = f"{protocol.id}@{protocol.version}"
        return found

    def card(self) -> ExamCard:
        """Return the public description of the exam."""
        file, packs = self.file, self.exam.packs_by_task
        return ExamCard(
            name=file.name,
            title=file.title or file.name,
            description=file.description,
            id=self.exam.id,
            tasks=tuple(
                TaskCard(
                    task=task,
                    items=offer.items,
                    protocol=packs[task].task(task).protocol,
                    acted=task in self.exam.acted,
                )
                for task, offer in self.exam.offers.items()
            ),
            phases=tuple(map(self._phase_card, self.phases.file.phases)),
            items=file.items,
            longest_upload=file.longest_upload,
            signup=file.signup,
        )

    def _phase_card(self, phase: Phase) -> PhaseCard:
        now = self.now()
        state = "over" if phase.over(now) else "open" if phase.begun(now) else "coming"
        return PhaseCard(
            name=phase.name,
            title=phase.title or phase.name,
            state=state,
            start=None if phase.start is None else iso(round(phase.start.timestamp() * 1000)),
            end=None if phase.end is None else iso(round(phase.end.timestamp() * 1000)),
            zone=phase.zone,
            uploads=phase.uploads,
            uploads_a_day=phase.uploads_a_day,
            attempts=phase.attempts,
            counts=phase.counts,
            scores=phase.scores,
            reports=phase.reports,
            part=self.visibility(phase).part,
            protocols=self.protocols(phase),
            changes=self.phases.changes(phase),
        )

    def visibility(self, phase: Phase, *, organizer: bool = False) -> Visibility:
        """Return what is shown of a phase's scores now."""
        return Visibility.of(phase, self.now(), organizer=organizer)

    def status(self, submission: str, caller: str | None) -> SubmissionStatus:
        """Return a submission as its participant sees it, or an organizer.

        Args:
            submission: Its id.
            caller: The participant who must own it; None: the caller is an organizer.

        Raises:
            NotFoundError: There is no such submission, or it is another participant's.
        """
        row = self.row(submission, caller)
        phase = self.phase_of(row)
        visible = self.visibility(phase, organizer=caller is None)
        this = {"s": row.id, "p": visible.own}
        scores = self.database.read(lambda c: queries.NUMBERS.all(c, this))
        newest = max((score.grading for score in scores), default=None)
        shown = [TaskScore.of(score) for score in scores if score.grading == newest]
        if shown and not visible.exact:
            all_own = {"g": newest, "p": visible.own, "c": row.caller}
            own = self.database.read(lambda c: queries.OWN_NUMBERS.all(c, all_own))
            shown = [_rounded(score, row.id, own) for score in shown]
        if not visible.measures:
            shown = [score.without_measures() for score in shown]
        return SubmissionStatus.of(row, shown, organizer=caller is None)

    def row(self, submission: str, caller: str | None) -> Listed:
        """Return the row of a submission.

        Raises:
            NotFoundError: There is none, or it is another participant's.
        """
        row = None
        if submission.isprintable() and len(submission) < LONGEST:
            row = self.database.read(lambda c: queries.SUBMISSION.first(c, {"s": submission}))
        if row is None or caller not in (None, row.caller):
            raise NotFoundError(f"you have no submission {submission[:40]!r}")
        return row

    def listed(
        self,
        caller: str | None,
        *,
        phase: str = "",
        state: JobState | None = None,
        before: str | None = None,
        limit: int = 50,
    ) -> Sequence[Listed]:
        """Return a page of submissions, the newest first.

        Args:
            caller: The participant; None: all participants.
            phase: The phase's key; empty: all.
            state: The state of their grading; None: any.
            before: The id of the last submission of the previous page.
            limit: The maximum number of submissions.

        Raises:
            NotFoundError: There is no submission of that id.
        """
        after = None if before is None else self.row(before, caller)
        parameters = {
            "c": caller or "",
            "f": phase,
            "state": state or "",
            "at": LATEST if after is None else after.at,
            "after": "" if after is None else after.id,
            "most": min(limit, MOST_LISTED),
        }
        return self.database.read(lambda c: queries.PAGE.all(c, parameters))

    def report(
        self, submission: str, task: str | None, caller: str | None, *, organizer: bool = False
    ) -> bytes:
        """Return a saved report as JSON: it shows the correct items, but no references.

        Args:
            submission: The submission's id.
            task: The task; None: the only one that it answers.
            caller: The caller; None: unknown.
            organizer: Whether the caller is an organizer.

        Raises:
            NotFoundError: There is no such report, or it is another participant's.
            UnauthorizedError: A token is needed.
            ForbiddenError: Reports are not visible.
        """
        found = self.graded(submission, task, caller, organizer=organizer)
        assert found.report is not None
        return zlib.decompress(found.report)

    def graded(
        self, submission: str, task: str | None, caller: str | None, *, organizer: bool = False
    ) -> ScoreRow:
        """Return a submission's score on a task, item by item; as for `report`."""
        row = self.row(submission, None)
        phase = self.phase_of(row)
        reports = self.visibility(phase, organizer=organizer).reports
        if reports is not Who.PUBLIC:
            if caller is None:
                raise UnauthorizedError(
                    "a token is needed: send the header 'Authorization: Bearer TOKEN'"
                )
            self.row(submission, caller)
            if reports is Who.HIDDEN:
                raise ForbiddenError(f"only the organizer may see reports of phase {phase.name}")
        scores = self.database.read(lambda c: queries.SCORES.all(c, {"s": row.id, "p": ALL}))
        newest = max((score.grading for score in scores), default=None)
        by_task = {score.task: score for score in scores if score.grading == newest}
        if not by_task:
            raise NotFoundError(f"submission {row.id} has no report: it is {row.state}")
        if task is None and len(by_task) > 1:
            raise NotFoundError(f"give the task: {', '.join(by_task)}", field="task")
        found = by_task.get(task or next(iter(by_task)))
        if found is None:
            known = ", ".join(by_task)
            raise NotFoundError(f"there is no report of {task!r}; there are: {known}", field="task")
        return found

    def file_of(self, submission: str, caller: str | None) -> tuple[Listed, Sequence[PartRow]]:
        """Return a submission and the parts of its file, for `bytes_of`.

        Raises:
            NotFoundError: There is none, or it is another participant's.
        """
        row = self.row(submission, caller)
        parts = self.database.read(lambda c: queries.PARTS.all(c, {"s": row.id}))
        return row, parts

    def events(self, phase: str = "", after: int = 0, limit: int = 50) -> Sequence[EventCard]:
        """Return a page of the event log, the oldest first.

        Args:
            phase: The phase's key; empty: all.
            after: The number of the last event of the previous page.
            limit: The maximum number of events.
        """
        parameters = {"f": phase, "after": after, "most": min(limit, MOST_LISTED)}
        found = self.database.read(lambda c: queries.EVENT_PAGE.all(c, parameters))
        return [EventCard.of(row) for row in found]

    def latest_events(self) -> Sequence[EventCard]:
        """Return the latest events, the newest first."""
        found = self.database.read(lambda c: queries.LATEST_EVENTS.all(c, {}))
        return [EventCard.of(row) for row in found]

    def counts(self) -> Mapping[str, int]:
        """Return the number of submissions by state."""
        found = {
            row.state: row.count for row in self.database.read(lambda c: queries.COUNTS.all(c, {}))
        }
        return {state.value: found.get(state, 0) for state in JobState}


def _rounded(score: TaskScore, submission: str, own: Sequence[ScoreNumbers]) -> TaskScore:
    """Return what is shown of a submission's score, after its participant's earlier ones."""
    of_task = [row for row in own if row.task == score.task]
    place = [row.submission for row in of_task].index(submission)
    return shown_scores(map(TaskScore.of, of_task[: place + 1]))[-1]
