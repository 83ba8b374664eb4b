"""The challenge: what is taken, by whom and when, and how far it is. No transport is known here."""

import asyncio
import json
import re
import zlib
from base64 import b32encode
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from importlib.metadata import version

from sqlalchemy import Connection

from snellen.server.attempts.register import Clock
from snellen.server.challenge import queries
from snellen.server.challenge.models import (
    ALL,
    FORMS,
    PUBLIC,
    EventCard,
    ExamCard,
    PhaseCard,
    SubmissionStatus,
    TaskCard,
    Upload,
    iso,
)
from snellen.server.challenge.queries import Listed
from snellen.server.errors import (
    ExamError,
    ForbiddenError,
    FormError,
    NotFoundError,
    QuotaError,
    StoreError,
    UnauthorizedError,
)
from snellen.server.exam.file import ExamFile, Phase, Who
from snellen.server.exam.spec import ExamSpec
from snellen.server.logs import log
from snellen.server.store.database import Database
from snellen.server.store.files import Files
from snellen.server.store.statements import row_values
from snellen.server.store.tables import (
    EventRow,
    GradingRow,
    JobRow,
    JobState,
    KeyRow,
    PartRow,
    QuotaRow,
    ScoreRow,
    Source,
    SubmissionRow,
)

MOST_LISTED = 100
MOST_STUCK = 3
"""How many of a participant's uploads in a phase may wait for an organizer: their places in the
quota were given back, so the quota does not bound them."""

_LATEST = 1 << 62
_LONGEST = 200
_KEY = re.compile(r"[\x21-\x7e]{1,255}")
_LINK = re.compile(r"https?://[^\s<>\"']{1,490}")
_IN_ALL = ""
"""The day of the row that counts a participant's uploads of all days."""


class Challenge:
    """The submissions of an exam, in phases.

    Args:
        file: How it is set up.
        exam: What is asked; it holds no reference.
        references: SHA-256 of what answers are graded by: references of other digests are other
            gradings.
        database: The store.
        clock: Where time and chance come from.
    """

    def __init__(
        self,
        file: ExamFile,
        exam: ExamSpec,
        references: bytes,
        database: Database,
        clock: Clock | None = None,
    ) -> None:
        self.file = file
        self.exam = exam
        self.references = references
        self.database = database
        self._clock = clock or Clock()
        self._files = Files(file.files) if file.files else None
        for phase in file.phases:
            if strange := sorted(phase.protocols.keys() - exam.offers.keys()):
                raise ExamError(f"phase {phase.name}: {strange[0]!r} is no task of this exam")

    # ---- phases and gradings -----------------------------------------------------------------

    def now(self) -> int:
        """Return the time, in milliseconds since 1970."""
        return self._clock.now()

    def phase(self, name: str | None) -> Phase:
        """Return a phase by its name, or the one that is open, or the last that was.

        Raises:
            NotFoundError: There is none of that name.
        """
        if name is None:
            now = self.now()
            begun = [phase for phase in self.file.phases if phase.begun(now)]
            return self.file.current(now) or (begun or self.file.phases)[-1]
        if name not in self.file.by_name:
            known = ", ".join(self.file.by_name)
            raise NotFoundError(f"there is no phase {name!r}; there are: {known}", field="phase")
        return self.file.by_name[name]

    def key(self, phase: Phase) -> str:
        """Return what the store calls a phase: it may hold those of several exams."""
        return f"{self.file.name}/{phase.name}"

    def phase_of(self, row: SubmissionRow) -> Phase:
        """Return the phase of a submission.

        Raises:
            NotFoundError: It is of another exam, or of a phase that the exam file lost.
        """
        exam, _, name = row.phase.rpartition("/")
        if exam != self.file.name or name not in self.file.by_name:
            raise NotFoundError(f"submission {row.id} is of the phase {row.phase}, not served here")
        return self.file.by_name[name]

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
        """Return what everybody may read of the exam."""
        file, packs = self.file, self.exam.packs_by_task
        return ExamCard(
            name=file.name,
            title=file.title or file.name,
            description=file.description,
            id=self.exam.id,
            tasks=tuple(
                TaskCard(task=task, items=offer.items, protocol=packs[task].task(task).protocol)
                for task, offer in self.exam.offers.items()
            ),
            phases=tuple(map(self._phase_card, file.phases)),
            items=file.items,
            longest_upload=file.longest_upload,
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
            part=self.part(phase),
            protocols=self.protocols(phase),
        )

    async def begin(self) -> None:
        """See to it that each phase has a grading by today's references and protocols.

        Where they are others than those of its newest grading, everything is graded anew; the
        leaderboard keeps the old one until the new one is whole.
        """
        for phase in self.file.phases:
            await self.database.write(lambda c, phase=phase: self._begin_grading(c, phase))

    @cached_property
    def digests(self) -> Sequence[bytes]:
        """What submissions of each phase are graded by here."""
        return list(dict.fromkeys(map(self._digest, self.file.phases)))

    def _begin_grading(self, connection: Connection, phase: Phase) -> None:
        newest = queries.NEWEST.first(connection, {"f": self.key(phase)})
        digest = self._digest(phase)
        if newest is not None and newest.references == digest:
            return
        self._regrade(
            connection, phase, "" if newest is None else "the references or the protocols changed"
        )

    def _digest(self, phase: Phase) -> bytes:
        said = json.dumps(self.protocols(phase), sort_keys=True)
        share = "" if phase.public_share is None else f"|{phase.public_share!r}"
        return sha256(self.references + said.encode() + share.encode()).digest()

    def _regrade(self, connection: Connection, phase: Phase, why: str) -> int:
        """Begin a grading, with a job for each submission; return its number."""
        at = queries.database_now(connection)
        owned = queries.OF_PHASE.all(connection, {"f": self.key(phase)})
        row = GradingRow(
            id=0,
            phase=self.key(phase),
            references=self._digest(phase),
            protocols=json.dumps(self.protocols(phase), sort_keys=True),
            snellen=version("snellen"),
            at=at,
            why=why,
            shown=None if owned else at,
        )
        number = queries.add_grading(connection, row)
        for submission in owned:
            job = JobRow(submission=submission.id, grading=number, state=JobState.QUEUED, at=at)
            queries.ADD_JOB.run(connection, row_values(job))
        return number

    async def rescore(self, phase: Phase, caller: str, why: str) -> int:
        """Grade a phase's submissions anew; return how many.

        Raises:
            ExamError: No reason is given.
        """
        reason = _reason(why)

        def work(connection: Connection) -> int:
            number = self._regrade(connection, phase, reason)
            self._note(connection, self.key(phase), None, caller, "rescored", reason)
            return queries.UNFINISHED.one(connection, {"g": number}).count

        return await self.database.write(work)

    # ---- taking submissions ------------------------------------------------------------------

    def check_open(self, name: str | None, at: int) -> Phase:
        """Return the phase that takes an upload which arrived at a moment.

        Raises:
            NotFoundError: There is no such phase.
            ForbiddenError: None takes submissions now.
        """
        phase = self.phase(name)
        if phase.open(at):
            return phase
        if not phase.begun(at) and phase.start is not None:
            raise ForbiddenError(
                f"phase {phase.name} begins at {phase.start.isoformat()}", field="phase"
            )
        assert phase.end is not None
        raise ForbiddenError(
            f"phase {phase.name} ended at {phase.end.isoformat()}; nothing is taken any more",
            field="phase",
        )

    def check_quota(self, caller: str, phase: Phase, at: int) -> None:
        """Refuse early, before a file is read; what counts is the check when it is kept.

        Raises:
            QuotaError: No upload is left.
        """
        self.database.read(lambda c: self._check_quota(c, caller, phase, at))

    async def keep(self, upload: Upload) -> tuple[SubmissionStatus, bool]:
        """Keep an upload, queued for grading; say whether it is new.

        An idempotency key that came before with the same bytes returns what was kept then, and
        takes no quota.

        Raises:
            ExamError: The key came before with other bytes.
            QuotaError: No upload is left.
            ForbiddenError: The phase takes none now.
            FormError: Its ending is not one that is read.
            StoreError: It could not be kept.
        """
        if upload.form not in FORMS.values():
            known = ", ".join(dict.fromkeys(FORMS.values()))
            raise FormError(f"files of {upload.form or 'no ending'} are not read; {known} are")
        if upload.key is not None and not _KEY.fullmatch(upload.key):
            raise ExamError("an Idempotency-Key is 1 to 255 printable characters", field="key")
        if upload.task is not None and upload.task not in self.exam.offers:
            raise NotFoundError(
                f"{upload.task!r} is no task here; there are: {', '.join(self.exam.offers)}",
                field="task",
            )
        phase = self.check_open(upload.phase, upload.at)
        row = SubmissionRow(
            id=self._new_id(),
            phase=self.key(phase),
            caller=upload.caller,
            source=Source.UPLOAD,
            attempt=None,
            task=upload.task,
            name=_name(upload.name) or upload.caller,
            link=_link(upload.link),
            form=upload.form,
            digest=upload.digest,
            size=upload.size,
            at=upload.at,
            day=phase.day(upload.at),
        )

        def work(connection: Connection) -> tuple[Listed, bool]:
            if upload.key is not None:
                this = {"c": upload.caller, "k": upload.key}
                before = queries.KEY.first(connection, this)
                if before is not None:
                    if before.digest != upload.digest:
                        raise ExamError(
                            "this Idempotency-Key came with other bytes before; a new file needs a"
                            " new key",
                            field="key",
                        )
                    return queries.SUBMISSION.one(connection, {"s": before.submission}), False
            self._check_stuck(connection, upload.caller, phase)
            self._check_quota(connection, upload.caller, phase, upload.at)
            for day in (row.day, _IN_ALL):
                self._count(connection, row, day, 1)
            self._add(connection, phase, row, parts)
            if upload.key is not None:
                key = KeyRow(
                    caller=row.caller, key=upload.key, digest=row.digest, submission=row.id
                )
                queries.ADD_KEY.run(connection, row_values(key))
            return queries.SUBMISSION.one(connection, {"s": row.id}), True

        parts = await self._parts(row, upload.body)
        kept, new = await self.database.write(work)
        if new:
            log().info("submission", id=row.id, caller=row.caller, phase=row.phase, size=row.size)
        return SubmissionStatus.of(kept), new

    async def keep_attempt(self, row: SubmissionRow, body: Sequence[bytes]) -> None:
        """Keep the answers of an attempt that ended, once."""
        phase = self.phase_of(row)
        row = replace(row, id=self._new_id())

        parts = await self._parts(row, body)

        def work(connection: Connection) -> None:
            self._add(connection, phase, row, parts)

        await self.database.write(work)
        log().info("submission", id=row.id, caller=row.caller, phase=row.phase, attempt=row.attempt)

    async def _parts(self, row: SubmissionRow, body: Sequence[bytes]) -> Sequence[PartRow]:
        """Return the rows of a file's parts; the exam file says whether their bytes are in them."""
        files = self._files
        if files is None:
            return [
                PartRow(submission=row.id, number=number, body=part)
                for number, part in enumerate(body)
            ]
        digests = await asyncio.to_thread(lambda: [files.put(part) for part in body])
        return [
            PartRow(submission=row.id, number=number, body=b"", kept=digest)
            for number, digest in enumerate(digests)
        ]

    def body_of(self, part: PartRow) -> bytes:
        """Return a part of a file, decompressed; this may have to wait for another machine.

        Raises:
            StoreError: It can't be had.
        """
        if part.kept is None:
            return zlib.decompress(part.body)
        if self._files is None:
            raise StoreError("the exam file does not say where its uploads are: write `files`")
        return zlib.decompress(self._files.get(part.kept))

    def _add(
        self, connection: Connection, phase: Phase, row: SubmissionRow, parts: Sequence[PartRow]
    ) -> None:
        queries.add_submission(connection, row)
        for part in parts:
            queries.ADD_PART.run(connection, row_values(part))
        newest = queries.NEWEST.one(connection, {"f": self.key(phase)})
        job = JobRow(
            submission=row.id,
            grading=newest.id,
            state=JobState.QUEUED,
            at=queries.database_now(connection),
        )
        queries.ADD_JOB.run(connection, row_values(job))

    def _check_quota(self, connection: Connection, caller: str, phase: Phase, at: int) -> None:
        day = phase.day(at)
        limits = ((day, phase.uploads_a_day, f"on {day}"), (_IN_ALL, phase.uploads, "in all"))
        for counted, most, when in limits:
            if most is None:
                continue
            this = {"f": self.key(phase), "c": caller, "d": counted}
            used = queries.QUOTA.first(connection, this)
            if (used is not None and used.used >= most) or most < 1:
                raise QuotaError(
                    f"phase {phase.name} takes {most} uploads {when}, and all are used; what failed"
                    " through no fault of yours was given back"
                )

    def _check_stuck(self, connection: Connection, caller: str, phase: Phase) -> None:
        """Refuse more of who has several stuck uploads: each has ended five processes, for free."""
        these = {
            "c": caller,
            "f": self.key(phase),
            "state": JobState.STUCK,
            "at": _LATEST,
            "after": "",
            "most": MOST_STUCK,
        }
        if len(queries.PAGE.all(connection, these)) == MOST_STUCK:
            raise QuotaError(
                f"{MOST_STUCK} of your uploads in phase {phase.name} could not be graded, and wait"
                " for the organizer; ask them to look before you upload more"
            )

    def _count(self, connection: Connection, row: SubmissionRow, day: str, by: int) -> None:
        this = {"f": row.phase, "c": row.caller, "d": day}
        if queries.QUOTA.first(connection, this) is None:
            new = QuotaRow(phase=row.phase, caller=row.caller, day=day, used=0)
            queries.ADD_QUOTA.run(connection, row_values(new))
        queries.USE_QUOTA.run(connection, {**this, "by": by})

    def give_back(self, connection: Connection, row: SubmissionRow) -> None:
        """Give an upload's place in the quota back: the fault was ours."""
        if row.source is Source.UPLOAD:
            for day in (row.day, _IN_ALL):
                self._count(connection, row, day, -1)

    def _new_id(self) -> str:
        return f"sub_{b32encode(self._clock.random(10)).decode().lower()}"

    # ---- what became of them -----------------------------------------------------------------

    def status(self, submission: str, caller: str | None) -> SubmissionStatus:
        """Return a submission as its participant sees it, or an organizer.

        Args:
            submission: Its id.
            caller: Whose it must be; None: an organizer asks.

        Raises:
            NotFoundError: There is none, or it is another participant's.
        """
        row = self.row(submission, caller)
        phase = self.phase_of(row)
        shown = caller is None or phase.scores is not Who.HIDDEN
        part = self.part(phase, organizer=caller is None)
        scores = self.database.read(
            lambda c: queries.NUMBERS.all(c, {"s": row.id, "p": part}) if shown else []
        )
        newest = max((score.grading for score in scores), default=None)
        shown_scores = [score for score in scores if score.grading == newest]
        return SubmissionStatus.of(row, shown_scores, organizer=caller is None)

    def row(self, submission: str, caller: str | None) -> Listed:
        """Return the row of a submission.

        Raises:
            NotFoundError: There is none, or it is another participant's.
        """
        row = None
        if submission.isprintable() and len(submission) < _LONGEST:
            row = self.database.read(lambda c: queries.SUBMISSION.first(c, {"s": submission}))
        if row is None or caller not in (None, row.caller):
            raise NotFoundError(f"you have no submission {submission[:40]!r}")
        return row

    def part(self, phase: Phase, *, organizer: bool = False) -> str:
        """Return which part of the items is shown: all of them once a phase is over."""
        if phase.public_share is None or organizer or phase.over(self.now()):
            return ALL
        return PUBLIC

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
            caller: Whose; None: everybody's.
            phase: The phase's key; empty: all.
            state: How far their grading is; None: however far.
            before: The id of the last one of the page before.
            limit: How many at most.

        Raises:
            NotFoundError: There is no submission of that id.
        """
        after = None if before is None else self.row(before, caller)
        parameters = {
            "c": caller or "",
            "f": phase,
            "state": state or "",
            "at": _LATEST if after is None else after.at,
            "after": "" if after is None else after.id,
            "most": min(limit, MOST_LISTED),
        }
        return self.database.read(lambda c: queries.PAGE.all(c, parameters))

    def report(
        self, submission: str, task: str | None, caller: str | None, *, organizer: bool = False
    ) -> bytes:
        """Return a saved report as JSON: which items are right, and never a reference.

        Args:
            submission: The submission's id.
            task: The task; None: the only one that it answers.
            caller: Who asks; None: nobody knows.
            organizer: Whether it is an organizer.

        Raises:
            NotFoundError: There is none, or not of that task; or it is another participant's.
            UnauthorizedError: A token is needed.
            ForbiddenError: Reports are not shown.
        """
        found = self.graded(submission, task, caller, organizer=organizer)
        assert found.report is not None
        return zlib.decompress(found.report)

    def graded(
        self, submission: str, task: str | None, caller: str | None, *, organizer: bool = False
    ) -> ScoreRow:
        """Return what a submission scores on a task, item by item; as for `report`."""
        row = self.row(submission, None)
        phase = self.phase_of(row)
        if not organizer and (phase.reports is not Who.PUBLIC or self.part(phase) != ALL):
            if caller is None:
                raise UnauthorizedError(
                    "a token is needed: send the header 'Authorization: Bearer TOKEN'"
                )
            self.row(submission, caller)
            if phase.reports is Who.HIDDEN or self.part(phase) != ALL:
                raise ForbiddenError(f"reports of phase {phase.name} are for its organizer")
        scores = self.database.read(lambda c: queries.SCORES.all(c, {"s": row.id, "p": ALL}))
        newest = max((score.grading for score in scores), default=None)
        by_task = {score.task: score for score in scores if score.grading == newest}
        if not by_task:
            raise NotFoundError(f"submission {row.id} has no report: it is {row.state}")
        if task is None and len(by_task) > 1:
            raise NotFoundError(f"say which task: {', '.join(by_task)}", field="task")
        found = by_task.get(task or next(iter(by_task)))
        if found is None:
            known = ", ".join(by_task)
            raise NotFoundError(f"there is no report of {task!r}; there are: {known}", field="task")
        return found

    def file_of(self, submission: str, caller: str | None) -> tuple[Listed, Sequence[PartRow]]:
        """Return a submission and the parts of its file, of which `bytes_of` makes it.

        Raises:
            NotFoundError: There is none, or it is another participant's.
        """
        row = self.row(submission, caller)
        parts = self.database.read(lambda c: queries.PARTS.all(c, {"s": row.id}))
        return row, parts

    async def bytes_of(self, parts: Sequence[PartRow]) -> bytes:
        """Return a file as it came.

        Raises:
            StoreError: It can't be had.
        """
        return await asyncio.to_thread(lambda: b"".join(map(self.body_of, parts)))

    def events(self, phase: str = "", after: int = 0, limit: int = 50) -> Sequence[EventCard]:
        """Return a page of the record of what was changed, the oldest first.

        Args:
            phase: The phase's key; empty: all.
            after: The number of the last one of the page before.
            limit: How many at most.
        """
        parameters = {"f": phase, "after": after, "most": min(limit, MOST_LISTED)}
        found = self.database.read(lambda c: queries.EVENT_PAGE.all(c, parameters))
        return [EventCard.of(row) for row in found]

    def latest_events(self) -> Sequence[EventCard]:
        """Return what was changed last, the newest first."""
        found = self.database.read(lambda c: queries.LATEST_EVENTS.all(c, {}))
        return [EventCard.of(row) for row in found]

    def counts(self) -> Mapping[str, int]:
        """Return how many submissions are in each state."""
        found = {
            row.state: row.count for row in self.database.read(lambda c: queries.COUNTS.all(c, {}))
        }
        return {state.value: found.get(state, 0) for state in JobState}

    # ---- what organizers decide --------------------------------------------------------------

    async def remove(self, submission: str, caller: str, why: str) -> None:
        """Take a submission off the leaderboard; it is kept, with the reason.

        Raises:
            NotFoundError: There is none.
            ExamError: No reason is given.
        """
        await self._decide(submission, caller, "removed", _reason(why))

    async def restore(self, submission: str, caller: str, why: str) -> None:
        """Put a submission back on the leaderboard.

        Raises:
            NotFoundError: There is none.
            ExamError: No reason is given.
        """
        await self._decide(submission, caller, "restored", _reason(why))

    async def set_apart(self, submission: str, caller: str, *, baseline: bool) -> None:
        """Set a submission apart as a baseline, which is ranked with nobody, or rank it again.

        Raises:
            NotFoundError: There is none.
        """
        what = "baseline" if baseline else "ranked"
        await self._decide(submission, caller, what, "", baseline=baseline)

    async def _decide(
        self, submission: str, caller: str, what: str, why: str, baseline: bool | None = None
    ) -> None:
        row = self.row(submission, None)
        removed = why if what == "removed" else None

        def work(connection: Connection) -> None:
            if baseline is None:
                queries.REMOVE.run(connection, {"s": row.id, "why": removed})
            else:
                queries.SET_APART.run(connection, {"s": row.id, "baseline": baseline})
            self._note(connection, row.phase, row.id, caller, what, why)

        await self.database.write(work)

    async def retry(self, submission: str, caller: str) -> None:
        """Queue a submission again that failed or is stuck.

        Raises:
            NotFoundError: There is none.
            ExamError: It neither failed nor is stuck.
        """
        row = self.row(submission, None)

        def work(connection: Connection) -> None:
            job = queries.JOBS_OF.all(connection, {"s": row.id})[-1]
            if job.state not in (JobState.FAILED, JobState.STUCK):
                raise ExamError(f"it is {job.state}: only what failed or is stuck is tried again")
            queries.CHANGE_JOB.run(
                connection,
                {
                    "s": row.id,
                    "g": job.grading,
                    "state": JobState.QUEUED,
                    "until": None,
                    "e": None,
                    "t": 0,
                },
            )
            if job.state is JobState.STUCK:
                # Its place was given back, and is taken again.
                for day in (row.day, _IN_ALL) if row.source is Source.UPLOAD else ():
                    self._count(connection, row, day, 1)
            self._note(connection, row.phase, row.id, caller, "retried", job.error or "")

        await self.database.write(work)

    async def note(self, caller: str, what: str, why: str) -> None:
        """Write into the record what was done that is about no phase."""
        await self.database.write(lambda c: self._note(c, "", None, caller, what, why))

    def _note(
        self,
        connection: Connection,
        phase: str,
        submission: str | None,
        caller: str,
        what: str,
        why: str,
    ) -> None:
        event = EventRow(
            id=0,
            phase=phase,
            submission=submission,
            at=self.now(),
            caller=caller,
            what=what,
            why=why,
        )
        queries.add_event(connection, event)
        log().info("decided", phase=phase, submission=submission, caller=caller, what=what, why=why)


def _reason(why: str) -> str:
    reason = " ".join(why.split())
    if not reason or len(reason) > 1000:
        raise ExamError("say why, in 1 to 1,000 characters: the record keeps it", field="why")
    return reason


def _name(name: str) -> str:
    plain = " ".join(name.split())
    if len(plain) > _LONGEST or not plain.isprintable():
        raise ExamError(f"a name is up to {_LONGEST} printable characters", field="name")
    return plain


def _link(link: str) -> str:
    if link and not _LINK.fullmatch(link):
        raise ExamError("a link is an address that begins with http:// or https://", field="link")
    return link
