"""The challenge: submissions and their states, independent of the transport."""

import asyncio
import json
import re
import zlib
from base64 import b32encode
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from importlib.metadata import version
from threading import Lock

from prometheus_client import Histogram
from pydantic import ValidationError
from sqlalchemy import Connection

from snellen.server.attempts.register import Clock
from snellen.server.attempts.service import deadline_of
from snellen.server.challenge import queries
from snellen.server.challenge.board import MOST_CHOSEN
from snellen.server.challenge.models import (
    FORMS,
    PhaseChange,
    QuotaCard,
    SubmissionStatus,
    Upload,
    iso,
)
from snellen.server.challenge.queries import Listed
from snellen.server.challenge.quotas import check_quota, check_stuck, left, take
from snellen.server.challenge.reading import LONGEST, Reading
from snellen.server.errors import ExamError, ForbiddenError, FormError, NotFoundError, StoreError
from snellen.server.exam.file import Counts, ExamFile, Phase
from snellen.server.exam.phases import Phases, after_moves, movable
from snellen.server.exam.spec import ExamSpec
from snellen.server.logs import log
from snellen.server.store import queries as store_queries
from snellen.server.store.database import Database
from snellen.server.store.files import Files
from snellen.server.store.statements import row_values
from snellen.server.store.tables.endpoint import (
    EventRow,
    GradingRow,
    JobRow,
    JobState,
    KeyRow,
    PartRow,
    Source,
    SubmissionRow,
)

WITHDRAWN = "its participant withdrew it"
_KEY = re.compile(r"[\x21-\x7e]{1,255}")
_LINK = re.compile(r"https?://[^\s<>\"']{1,490}")


_SECONDS = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 14_400, 86_400)


class Challenge(Reading):
    """The submissions of an exam, in phases.

    Args:
        file: The exam file.
        exam: The exam spec, without references.
        references: The SHA-256 of the references; another digest means another grading.
        database: The store.
        clock: The source of time and randomness.
    """

    def __init__(
        self,
        file: ExamFile,
        exam: ExamSpec,
        references: bytes,
        database: Database,
        clock: Clock | None = None,
    ) -> None:
        super().__init__(file, exam, database, clock)
        self.references = references
        self._files = Files(file.files) if file.files else None
        # From 0, so that the metrics name every kind before its first fault.
        self.worker_faults = Counter(heartbeat=0, result=0, grading=0)
        self.waiting_seconds = Histogram(
            "snellen_waiting_seconds",
            "Seconds that a submission waited until a worker of this process took it.",
            buckets=_SECONDS,
            registry=None,
        )
        self.grading_seconds = Histogram(
            "snellen_grading_seconds",
            "Seconds that a worker of this process graded a submission.",
            buckets=_SECONDS,
            registry=None,
        )
        self._counting = Lock()

    def count_fault(self, what: str) -> None:
        """Count a fault of a worker in this process, for its metrics."""
        with self._counting:
            self.worker_faults[what] += 1

    # ---- gradings ----------------------------------------------------------------------------

    async def begin(self) -> None:
        """Ensure that each phase has a grading by the current references, protocols and sample.

        If they differ from those of its newest grading, all submissions are graded again. The
        leaderboard shows the old grading until the new one is complete.
        """
        for phase in self.file.phases:
            await self.database.write(lambda c, phase=phase: self._begin_grading(c, phase))

    @cached_property
    def digests(self) -> Sequence[bytes]:
        """The digests of the references, protocols and sample of each phase."""
        return list(dict.fromkeys(map(self._digest, self.file.phases)))

    def check_gradings(self) -> None:
        """Check that the store's newest gradings are of this exam, as its server began them.

        Raises:
            ExamError: A server graded by other references, protocols or sample.
        """
        for phase in self.file.phases:
            key = {"f": self.key(phase)}
            newest = self.database.read(lambda c, key=key: queries.NEWEST.first(c, key))
            if newest is not None and newest.references != self._digest(phase):
                raise ExamError(
                    "the server of this store grades by other references, protocols or sample:"
                    " start it first, and give the worker the same packs or exam file. A server"
                    " with --sample needs the sample and the seed in an exam file, below [rules]"
                )

    def _begin_grading(self, connection: Connection, phase: Phase) -> None:
        newest = queries.NEWEST.first(connection, {"f": self.key(phase)})
        digest = self._digest(phase)
        if newest is not None and newest.references == digest:
            return
        why = "" if newest is None else "the references, the protocols or the sample changed"
        self._regrade(connection, phase, why)

    def _digest(self, phase: Phase) -> bytes:
        said = json.dumps(self.protocols(phase), sort_keys=True)
        share = "" if phase.public_share is None else f"|{phase.public_share!r}"
        rules = self.exam.rules
        drawn = "" if rules.sample is None else f"|sample:{rules.sample}|{rules.seed}"
        return sha256(self.references + f"{said}{share}{drawn}".encode()).digest()

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
        """Grade a phase's submissions again; return their number.

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

    def quota(self, caller: str, name: str | None) -> QuotaCard:
        """Return the uploads that a participant has left, and in which phase.

        Args:
            caller: The participant.
            name: The phase; None: the one that takes uploads now.

        Raises:
            NotFoundError: There is no such phase.
            ForbiddenError: It takes none now.
        """
        at = self.now()
        phase = self.phases.check_open(name, at)
        in_all, today = self.database.read(lambda c: left(c, self.key(phase), phase, caller, at))
        end = None if phase.end is None else iso(round(phase.end.timestamp() * 1000))
        return QuotaCard(phase=phase.name, end=end, left=in_all, left_today=today)

    async def keep(self, upload: Upload) -> tuple[SubmissionStatus, bool]:
        """Save an upload, queued for grading; return whether it is new.

        If the idempotency key was used before with the same bytes, or the participant uploaded the
        same file before, the earlier submission is returned, and no quota is used; its `note` says
        so. A file that was withdrawn, or is stuck, is graded as a new one.

        Raises:
            ExamError: The key was used before with other bytes.
            QuotaError: No upload is left.
            ForbiddenError: The phase accepts no submissions now.
            FormError: The file's extension is not supported.
            StoreError: It could not be saved.
        """
        if upload.form not in FORMS.values():
            known = ", ".join(dict.fromkeys(FORMS.values()))
            raise FormError(
                f"the file type {upload.form or '(none)'} is not supported; use one of {known}"
            )
        if upload.key is not None and not _KEY.fullmatch(upload.key):
            raise ExamError("an Idempotency-Key is 1 to 255 printable characters", field="key")
        if upload.task is not None and upload.task not in self.exam.offers:
            raise NotFoundError(
                f"{upload.task!r} is not a task here; the tasks: {', '.join(self.exam.offers)}",
                field="task",
            )
        # An uploaded record of an interactive task would be graded by the participant's own claims.
        tasks = self.exam.offers if upload.task is None else (upload.task,)
        if self.exam.acted.issuperset(tasks):
            raise ForbiddenError(self.exam.acted_in(next(iter(tasks))), field="task")
        phase = self.phases.check_open(upload.phase, upload.at)
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

        def work(connection: Connection) -> tuple[Listed, str | None]:
            if (of_key := _of_key(connection, upload)) is not None:
                return of_key, _note_of(of_key, upload, "this Idempotency-Key was used before")
            same = queries.SAME.first(connection, _like(row))
            if same is not None and phase.counts is Counts.LAST:
                # An older file is sent again so that it counts as the last.
                later = queries.LATER.one(connection, {**_like(row), "at": same.at})
                same = same if later.count == 0 else None
            if same is None:
                check_stuck(connection, row.phase, phase, row.caller)
                check_quota(connection, row.phase, phase, row.caller, row.at)
                take(connection, row)
                self._add(connection, phase, row, parts)
            kept = same or queries.SUBMISSION.one(connection, {"s": row.id})
            if upload.key is not None:
                key = KeyRow(
                    caller=row.caller, key=upload.key, digest=row.digest, submission=kept.id
                )
                queries.ADD_KEY.run(connection, row_values(key))
            return kept, None if same is None else _note_of(same, upload, "")

        parts = await self._parts(row, upload.body)
        kept, note = await self.database.write(work)
        if kept.id == row.id:
            log().info("submission", id=row.id, caller=row.caller, phase=row.phase, size=row.size)
            return SubmissionStatus.of(kept), True
        status = await self.database.off_loop(lambda: self.status(kept.id, row.caller))
        return status.model_copy(update={"note": note}), False

    async def keep_attempt(self, row: SubmissionRow, body: Sequence[bytes]) -> None:
        """Save the answers of an ended attempt, once."""
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
        """Return a part of a file, decompressed; this may wait for another machine.

        Raises:
            StoreError: It is not available.
        """
        if part.kept is None:
            return zlib.decompress(part.body)
        if self._files is None:
            raise StoreError("the exam file has no location for uploads: set `files`")
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

    def _new_id(self) -> str:
        return f"sub_{b32encode(self._clock.random(10)).decode().lower()}"

    async def bytes_of(self, parts: Sequence[PartRow]) -> bytes:
        """Return a file, unchanged.

        Raises:
            StoreError: It is not available.
        """
        return await asyncio.to_thread(lambda: b"".join(map(self.body_of, parts)))

    # ---- participants' decisions -------------------------------------------------------------

    async def choose(self, submission: str, caller: str, *, chosen: bool) -> None:
        """Choose a submission to count at the end of its phase, or take the choice back.

        Raises:
            NotFoundError: There is none, or it is another participant's.
            ExamError: The phase does not let its participants choose, or two are chosen already.
            ForbiddenError: The phase is over.
        """
        row, phase = self._own_of_open_phase(submission, caller)
        if phase.counts is not Counts.CHOSEN:
            raise ExamError(f"in phase {phase.name} nothing is chosen: it counts {phase.counts}")

        def work(connection: Connection) -> None:
            known = queries.CHOSEN.all(connection, {"f": row.phase, "c": row.caller})
            others = [each.id for each in known if each.id != row.id]
            if chosen and len(others) >= MOST_CHOSEN:
                raise ExamError(
                    f"{' and '.join(others)} are chosen, and no more than {MOST_CHOSEN} can be:"
                    " take one back first"
                )
            at = self.now() if chosen else None
            queries.CHOOSE.run(connection, {"s": row.id, "at": at})
            what = "chosen" if chosen else "not chosen"
            self._note(connection, row.phase, row.id, caller, what, "")

        await self.database.write(work)

    async def withdraw(self, submission: str, caller: str) -> None:
        """Take a participant's own submission off the leaderboard; its upload stays used.

        Raises:
            NotFoundError: There is none, or it is another participant's.
            ForbiddenError: The phase is over.
            ExamError: It was removed before.
        """
        row, _ = self._own_of_open_phase(submission, caller)
        if row.removed is not None:
            raise ExamError(f"it was removed before: {row.removed}")

        def work(connection: Connection) -> None:
            queries.REMOVE.run(connection, {"s": row.id, "why": WITHDRAWN})
            self._note(connection, row.phase, row.id, caller, "withdrawn", "")

        await self.database.write(work)

    def _own_of_open_phase(self, submission: str, caller: str) -> tuple[Listed, Phase]:
        row = self.row(submission, caller)
        phase = self.phase_of(row)
        if phase.end is not None and phase.over(self.now()):
            raise ForbiddenError(
                f"phase {phase.name} ended at {phase.end.isoformat()}: its submissions are final",
                field="phase",
            )
        return row, phase

    # ---- organizers' decisions ---------------------------------------------------------------

    async def remove(self, submission: str, caller: str, why: str) -> None:
        """Remove a submission from the leaderboard; it is kept, with the reason.

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
        """Make a submission a baseline, which is not ranked, or rank it again.

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
        """Queue a failed or stuck submission again.

        Raises:
            NotFoundError: There is none.
            ExamError: It is neither failed nor stuck.
        """
        row = self.row(submission, None)

        def work(connection: Connection) -> None:
            job = queries.JOBS_OF.all(connection, {"s": row.id})[-1]
            if job.state not in (JobState.FAILED, JobState.STUCK):
                raise ExamError(f"it is {job.state}: only failed or stuck jobs can be retried")
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
                # Its quota was restored, and is used again.
                take(connection, row)
            self._note(connection, row.phase, row.id, caller, "retried", job.error or "")

        await self.database.write(work)

    async def change_phase(self, name: str, caller: str, given: PhaseChange, why: str) -> None:
        """Change the times or the quotas of a phase, for every server and worker of the store.

        Open attempts end at its new end, at the latest.

        Raises:
            NotFoundError: There is no such phase.
            ExamError: Nothing changes, or no reason is given; or the phase can't change so.
        """
        reason = _reason(why)
        self.phases.named(name, self.now())
        settings = set(PhaseChange.model_fields)
        said = given.model_dump(mode="json", include=settings, exclude_none=True)

        def work(connection: Connection) -> None:
            at = self.now()
            file = after_moves(self.file, store_queries.MOVES.all(connection, {}))
            phase = file.by_name[name]
            new = _checked_change(phase, said, at)
            before, after = movable(phase), movable(new)
            changed = [each for each in said if before[each] != after[each]]
            if not changed:
                raise ExamError(f"phase {name} has these settings already; say what changes")
            given = movable(self.file.by_name[name])
            detail = {
                title: {each: values[each] for each in changed}
                for title, values in (("file", given), ("before", before), ("after", after))
            }
            self._note(
                connection, self.key(phase), None, caller, "moved", reason, json.dumps(detail)
            )
            self._move_attempts(connection, Phases(file), new, at)

        await self.database.write(work)
        await self.database.off_loop(self.phases.refresh)

    def _move_attempts(self, connection: Connection, before: Phases, new: Phase, at: int) -> None:
        """Give the open attempts of a phase the deadlines that its new end says."""
        for attempt in store_queries.OPEN_ATTEMPTS.all(connection, {"x": self.exam.id}):
            opened = attempt.opened
            phase = before.with_attempts(opened) or before.named(None, opened)
            expired = attempt.deadline is not None and attempt.deadline < at
            if phase.name == new.name and not expired:
                until = deadline_of(attempt.rules, opened, new)
                store_queries.SET_DEADLINE.run(connection, {"a": attempt.id, "until": until})

    async def note(self, caller: str, what: str, why: str) -> None:
        """Write an event that is not about a phase."""
        await self.database.write(lambda c: self._note(c, "", None, caller, what, why))

    def _note(
        self,
        connection: Connection,
        phase: str,
        submission: str | None,
        caller: str,
        what: str,
        why: str,
        detail: str = "{}",
    ) -> None:
        event = EventRow(
            id=0,
            phase=phase,
            submission=submission,
            at=self.now(),
            caller=caller,
            what=what,
            why=why,
            detail=detail,
        )
        queries.add_event(connection, event)
        log().info("decided", phase=phase, submission=submission, caller=caller, what=what, why=why)


def _checked_change(phase: Phase, said: Mapping[str, object], at: int) -> Phase:
    """Return a phase with new settings.

    Raises:
        ExamError: Its times can't be these.
    """
    try:
        new = Phase.model_validate({**phase.model_dump(), **said})
    except ValidationError:
        raise ExamError("the end must be after the start", field="end") from None
    if new.start != phase.start and phase.begun(at):
        raise ExamError(f"phase {phase.name} has begun: its start stays", field="start")
    if new.end == phase.end:
        return new
    if new.over(at):
        raise ExamError("the new end must be in the future", field="end")
    if phase.over(at) and phase.public_share is not None:
        raise ExamError(
            f"phase {phase.name} is over and has shown the scores of its private part: begin"
            " another phase",
            field="end",
        )
    return new


def _of_key(connection: Connection, upload: Upload) -> Listed | None:
    """Return the submission of an upload's idempotency key; None: the key is new, or there is none.

    Raises:
        ExamError: The key was used before with other bytes.
    """
    if upload.key is None:
        return None
    before = queries.KEY.first(connection, {"c": upload.caller, "k": upload.key})
    if before is None:
        return None
    if before.digest != upload.digest:
        raise ExamError(
            "this Idempotency-Key was used with another file; use a new key for a new file",
            field="key",
        )
    return queries.SUBMISSION.one(connection, {"s": before.submission})


def _like(row: SubmissionRow) -> Mapping[str, object]:
    """Return what an earlier upload of the same file has in common with this one."""
    return {
        "c": row.caller,
        "f": row.phase,
        "d": row.digest,
        "form": row.form,
        "t": row.task or "",
        "withdrawn": WITHDRAWN,
    }


def _note_of(earlier: Listed, upload: Upload, why: str) -> str | None:
    """Return what the sender of a file must know that became an earlier submission.

    Args:
        earlier: The submission.
        upload: The file, as it was sent again.
        why: Why it is that submission; empty: the bytes are the same.
    """
    given = (
        ("name", _name(upload.name), earlier.name),
        ("link", upload.link, earlier.link),
        ("task", upload.task or "", earlier.task or ""),
        ("phase", upload.phase or "", earlier.phase.rpartition("/")[2]),
    )
    differ = [
        f"its {what} is {old!r}, not {new!r}" for what, new, old in given if new not in ("", old)
    ]
    if why and not differ:
        return None
    moment = iso(earlier.at)[:16].replace("T", " ")
    same = why or "the same file; no upload was used"
    return "; ".join([f"{same}: it is submission {earlier.id} of {moment} UTC", *differ])


def _reason(why: str) -> str:
    reason = " ".join(why.split())
    if not reason or len(reason) > 1000:
        raise ExamError("give a reason of 1 to 1,000 characters, which is recorded", field="why")
    return reason


def _name(name: str) -> str:
    plain = " ".join(name.split())
    if len(plain) > LONGEST or not plain.isprintable():
        raise ExamError(f"a name is up to {LONGEST} printable characters", field="name")
    return plain


def _link(link: str) -> str:
    if link and not _LINK.fullmatch(link):
        raise ExamError("a link must begin with http:// or https://", field="link")
    return link
