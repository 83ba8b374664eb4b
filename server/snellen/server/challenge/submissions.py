"""Submissions: saved, queued for grading, read by their participants, and decided upon."""

import asyncio
import re
import zlib
from base64 import b32encode
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlalchemy import Connection

from snellen.server.attempts.register import Clock
from snellen.server.attempts.shown import name_of, numbers_of, runs_of
from snellen.server.challenge import models, queries
from snellen.server.challenge.board import MOST_CHOSEN
from snellen.server.challenge.events import MOST_LISTED, Events
from snellen.server.challenge.queries import LATEST, Listed
from snellen.server.challenge.quotas import check_quota, check_stuck, left, take
from snellen.server.challenge.rounding import with_numbers
from snellen.server.errors import (
    ExamError,
    ForbiddenError,
    FormError,
    NotFoundError,
    QuotaError,
    StoreError,
    UnauthorizedError,
)
from snellen.server.exam.file import Phase
from snellen.server.exam.phases import ALL, Phases
from snellen.server.exam.rounding import Numbers, ShownRun, mean_of, shown_runs
from snellen.server.exam.spec import ExamSpec
from snellen.server.logs import log
from snellen.server.store import queries as store_queries
from snellen.server.store.database import Database
from snellen.server.store.files import Files
from snellen.server.store.statements import row_values
from snellen.server.store.tables import endpoint
from snellen.tasks import hosted
from snellen.tasks.hosted import Counts, Who

LONGEST = 200
"""The maximum length of a name, and of a submission's id in a request."""

MOST_ANNOUNCED = 100
"""The maximum number of files that a participant announces in a phase."""

_FEW_ITEMS = (
    "until the final scores are shown, tasks with few items count in the mean of all tasks alone,"
    " and there is none: {} of the tasks have no answer, such as {}"
)
WITHDRAWN = "its participant withdrew it"
_KEY = re.compile(r"[\x21-\x7e]{1,255}")
_LINK = re.compile(r"https?://[^\s<>\"']{1,490}")


class Submissions:
    """The submissions in a store: uploaded files, and attempts over MCP.

    Args:
        exam: The exam spec, without references.
        phases: Its phases.
        database: The store.
        clock: The source of time and randomness.
        events: The log of decisions.
        secret: The key by which the boundaries of rounding are drawn.
    """

    def __init__(
        self,
        exam: ExamSpec,
        phases: Phases,
        database: Database,
        clock: Clock,
        events: Events,
        secret: bytes,
    ) -> None:
        self._exam = exam
        self._secret = secret
        self._phases = phases
        self._database = database
        self._clock = clock
        self._events = events
        self._files = Files(phases.file.files) if phases.file.files else None

    # ---- saving ------------------------------------------------------------------------------

    def quota(self, caller: str, name: str | None) -> hosted.QuotaCard:
        """Return the uploads that a participant has left, and in which phase.

        Args:
            caller: The participant.
            name: The phase; None: the one that takes uploads now.

        Raises:
            NotFoundError: There is no such phase.
            ForbiddenError: It takes none now.
        """
        at = self._clock.now()
        phase = self._phases.check_open(name, at)
        in_all, today = self._database.read(
            lambda c: left(c, self._phases.key(phase), phase, caller, at)
        )
        end = None if phase.last is None else models.iso(phase.last)
        return hosted.QuotaCard(phase=phase.name, end=end, left=in_all, left_today=today)

    def accepting(self, caller: str, name: str | None, at: int) -> Phase:
        """Return the phase that accepts a participant's upload at a time.

        It is open, or has ended a short while ago and the participant announced a file.

        Raises:
            NotFoundError: There is no such phase.
            ForbiddenError: It accepts none.
        """
        try:
            return self._phases.check_open(name, at)
        except ForbiddenError:
            for phase in self._phases.file.phases:
                if (
                    phase.over(at)
                    and name in (None, phase.name)
                    and self._may_come(phase, caller, at)
                ):
                    return phase
            raise

    def check_arriving(self, phase: Phase, caller: str) -> None:
        """Check that an upload that still arrives can be accepted.

        Raises:
            ForbiddenError: Its phase has ended, and the participant announced no file.
        """
        at, phase = self._clock.now(), self._phases.of(self._phases.key(phase))
        if phase.over(at) and not self._may_come(phase, caller, at):
            raise _late(phase)

    def _may_come(self, phase: Phase, caller: str, at: int) -> bool:
        if phase.closed(at):
            return False
        key = {"f": self._phases.key(phase), "c": caller}
        return bool(self._database.read(lambda c: queries.ANNOUNCED.all(c, key)))

    async def announce(self, caller: str, given: models.Announcement) -> models.AnnouncementCard:
        """Announce a file by its SHA-256, so that it may arrive until a while after the end.

        Announcing it again changes nothing.

        Raises:
            NotFoundError: There is no such phase.
            ForbiddenError: The phase is not open.
            QuotaError: The participant announced too many files.
        """
        at, digest = self._clock.now(), bytes.fromhex(given.sha256)
        phase = self._phases.check_open(given.phase, at)
        key = {"f": self._phases.key(phase), "c": caller}

        def work(connection: Connection) -> None:
            known = queries.ANNOUNCED.all(connection, key)
            if any(row.digest == digest for row in known):
                return
            if len(known) >= MOST_ANNOUNCED:
                raise QuotaError(f"you announced {MOST_ANNOUNCED} files in phase {phase.name}")
            row = endpoint.AnnouncementRow(phase=key["f"], caller=caller, digest=digest, at=at)
            queries.ANNOUNCE.run(connection, row_values(row))

        await self._database.write(work)
        until = None if phase.final is None else models.iso(phase.final)
        return models.AnnouncementCard(sha256=given.sha256, phase=phase.name, until=until)

    async def keep(self, upload: models.Upload) -> tuple[hosted.SubmissionStatus, bool]:
        """Save an upload, queued for grading; return whether it is new.

        What counts is complete when its phase ends. A file that was announced before may be
        complete a short while later, and counts from its announcement.

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
        if upload.form not in hosted.FORMS.values():
            known = ", ".join(dict.fromkeys(hosted.FORMS.values()))
            raise FormError(
                f"the file type {upload.form or '(none)'} is not supported; use one of {known}"
            )
        if upload.key is not None and not _KEY.fullmatch(upload.key):
            raise ExamError("an Idempotency-Key is 1 to 255 printable characters", field="key")
        if upload.task is not None and upload.task not in self._exam.offers:
            raise NotFoundError(
                f"{upload.task!r} is not a task here; the tasks: {', '.join(self._exam.offers)}",
                field="task",
            )
        # An uploaded record of an interactive task would be graded by the participant's own claims.
        tasks = self._exam.offers if upload.task is None else (upload.task,)
        if self._exam.acted.issuperset(tasks):
            raise ForbiddenError(self._exam.acted_in(next(iter(tasks))), field="task")
        await self._database.off_loop(self._phases.refresh)
        phase, at = await self._database.off_loop(lambda: self._complete(upload))
        row = endpoint.SubmissionRow(
            id=self._new_id(),
            phase=self._phases.key(phase),
            caller=upload.caller,
            source=endpoint.Source.UPLOAD,
            attempt=None,
            task=upload.task,
            name=_name(upload.name) or upload.caller,
            link=_link(upload.link),
            form=upload.form,
            digest=upload.body.digest,
            size=upload.body.size,
            at=at,
            day=phase.day(at),
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
                self._add(connection, row, parts)
            kept = same or queries.SUBMISSION.one(connection, {"s": row.id})
            if upload.key is not None:
                key = endpoint.KeyRow(
                    caller=row.caller, key=upload.key, digest=row.digest, submission=kept.id
                )
                queries.ADD_KEY.run(connection, row_values(key))
            return kept, None if same is None else _note_of(same, upload, "")

        parts = await self._parts(row, upload.body.parts)
        kept, note = await self._database.write(work)
        if kept.id == row.id:
            log().info("submission", id=row.id, caller=row.caller, phase=row.phase, size=row.size)
            return models.status_of(kept), True
        status = await self._database.off_loop(lambda: self.status(kept.id, row.caller))
        return status.model_copy(update={"note": note}), False

    def _complete(self, upload: models.Upload) -> tuple[Phase, int]:
        """Return the phase of an upload whose bytes have arrived, and when it counts.

        Raises:
            NotFoundError: There is no such phase.
            ForbiddenError: It accepts none, or the upload is too late.
        """
        at = self._clock.now()
        phase = self.accepting(upload.caller, upload.phase, upload.at)
        if not phase.over(at):
            return phase, upload.at
        key = {"f": self._phases.key(phase), "c": upload.caller}
        known = self._database.read(lambda c: queries.ANNOUNCED.all(c, key))
        moments = [row.at for row in known if row.digest == upload.body.digest]
        if not moments or phase.closed(at):
            raise _late(phase)
        return phase, moments[0]

    async def keep_attempt(self, row: endpoint.SubmissionRow, body: Sequence[bytes]) -> None:
        """Save the answers of an ended attempt, once."""
        row = replace(row, id=self._new_id())
        parts = await self._parts(row, body)

        def work(connection: Connection) -> None:
            # It may have been deleted since it was read.
            if store_queries.NUMBERED.first(connection, {"a": row.attempt}) is not None:
                self._add(connection, row, parts)

        await self._database.write(work)
        log().info("submission", id=row.id, caller=row.caller, phase=row.phase, attempt=row.attempt)

    async def _parts(
        self, row: endpoint.SubmissionRow, body: Sequence[bytes]
    ) -> Sequence[endpoint.PartRow]:
        """Return the rows of a file's parts; the exam file says whether their bytes are in them."""
        files = self._files
        if files is None:
            return [
                endpoint.PartRow(submission=row.id, number=number, body=part)
                for number, part in enumerate(body)
            ]
        names = await asyncio.to_thread(lambda: [files.put(row.caller, part) for part in body])
        return [
            endpoint.PartRow(submission=row.id, number=number, body=b"", kept=name)
            for number, name in enumerate(names)
        ]

    def body_of(self, part: endpoint.PartRow) -> bytes:
        """Return a part of a file, decompressed; this may wait for another machine.

        Raises:
            StoreError: It is not available.
        """
        if part.kept is None:
            return zlib.decompress(part.body)
        if self._files is None:
            raise StoreError("the exam file has no location for uploads: set `files`")
        return zlib.decompress(self._files.get(part.kept))

    @staticmethod
    def _add(
        connection: Connection, row: endpoint.SubmissionRow, parts: Sequence[endpoint.PartRow]
    ) -> None:
        queries.add_submission(connection, row)
        for part in parts:
            queries.ADD_PART.run(connection, row_values(part))
        newest = queries.NEWEST.one(connection, {"f": row.phase})
        queries.add_job(connection, row.id, newest.id, queries.database_now(connection))

    def _new_id(self) -> str:
        return f"sub_{b32encode(self._clock.random(10)).decode().lower()}"

    async def bytes_of(self, parts: Sequence[endpoint.PartRow]) -> bytes:
        """Return a file, unchanged.

        Raises:
            StoreError: It is not available.
        """
        return await asyncio.to_thread(lambda: b"".join(map(self.body_of, parts)))

    # ---- reading -----------------------------------------------------------------------------

    def status(self, submission: str, caller: str | None) -> hosted.SubmissionStatus:
        """Return a submission as its participant sees it, or an organizer.

        Args:
            submission: Its id.
            caller: The participant who must own it; None: the caller is an organizer.

        Raises:
            NotFoundError: There is no such submission, or it is another participant's.
        """
        (status,) = self.statuses([self.row(submission, caller)], organizer=caller is None)
        return status

    def statuses(
        self, rows: Sequence[Listed], *, organizer: bool = False
    ) -> Sequence[hosted.SubmissionStatus]:
        """Return submissions as their participants see them, or as an organizer does."""
        shown: dict[tuple[str, str, int], Mapping[str, ShownRun]] = {}
        found: list[hosted.SubmissionStatus] = []
        for row in rows:
            phase = self._phases.of(row.phase)
            visible = self._phases.visibility(phase, self._clock.now(), organizer=organizer)
            key = {"s": row.id, "p": visible.own}
            scores = self._database.read(lambda c, key=key: queries.NUMBERS.all(c, key))
            newest = max((score.grading for score in scores), default=0)
            scores = [score for score in scores if score.grading == newest]
            graded = [models.score_of(score) for score in scores]
            if not visible.measures:
                graded = [score.without_measures() for score in graded]
            if visible.exact or not graded:
                exact = {score.task: numbers_of(score) for score in scores}
                run = ShownRun(exact, self._mean(exact))
            else:
                of_caller = row.caller, row.phase, newest
                if of_caller not in shown:
                    shown[of_caller] = self._own_shown(*of_caller, visible.own or "")
                run = shown[of_caller][name_of(row.id, row.attempt)]
                graded = [
                    with_numbers(score, run.scores[score.task])
                    for score in graded
                    if score.task in run.scores
                ]
            status = models.status_of(row, graded, run.mean, organizer=organizer)
            if len(graded) < len(scores) and run.mean is None:
                lacking = self._exam.offers.keys() - {score.task for score in scores}
                note = _FEW_ITEMS.format(len(lacking), min(lacking))
                status = status.model_copy(update={"note": note})
            found.append(status)
        return found

    def _mean(self, scores: Mapping[str, Numbers]) -> Numbers | None:
        tasks = list(self._exam.offers)
        return mean_of([scores[task] for task in tasks]) if scores.keys() >= set(tasks) else None

    def _own_shown(
        self, caller: str, phase: str, grading: int, part: str
    ) -> Mapping[str, ShownRun]:
        """Return what a participant sees of its submissions in a phase, by their names."""
        key = {"g": grading, "f": phase, "p": part, "c": caller}
        runs = runs_of(self._database.read(lambda c: store_queries.OWN_NUMBERS.all(c, key)))
        shown = shown_runs(runs, list(self._exam.offers), self._secret)
        return {run.name: each for run, each in zip(runs, shown, strict=True)}

    def row(self, submission: str, caller: str | None) -> Listed:
        """Return the row of a submission.

        Raises:
            NotFoundError: There is none, or it is another participant's.
        """
        row = None
        if submission.isprintable() and len(submission) < LONGEST:
            row = self._database.read(lambda c: queries.SUBMISSION.first(c, {"s": submission}))
        if row is None or caller not in (None, row.caller):
            raise NotFoundError(f"you have no submission {submission[:40]!r}")
        return row

    def listed(
        self,
        caller: str | None,
        *,
        phase: str = "",
        state: endpoint.JobState | None = None,
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
        return self._database.read(lambda c: queries.PAGE.all(c, parameters))

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
    ) -> endpoint.ScoreRow:
        """Return a submission's score on a task, item by item; as for `report`."""
        row = self.row(submission, None)
        phase = self._phases.of(row.phase)
        reports = self._phases.visibility(phase, self._clock.now(), organizer=organizer).reports
        if reports is not Who.PUBLIC:
            if caller is None:
                raise UnauthorizedError(
                    "a token is needed: send the header 'Authorization: Bearer TOKEN'"
                )
            self.row(submission, caller)
            if reports is Who.HIDDEN:
                raise ForbiddenError(f"only the organizer may see reports of phase {phase.name}")
        scores = self._database.read(lambda c: queries.SCORES.all(c, {"s": row.id, "p": ALL}))
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
        if found.report is None:
            raise NotFoundError("its participant's data was deleted, and the report with it")
        return found

    def file_of(
        self, submission: str, caller: str | None
    ) -> tuple[Listed, Sequence[endpoint.PartRow]]:
        """Return a submission and the parts of its file, for `bytes_of`.

        Raises:
            NotFoundError: There is none, or it is another participant's.
        """
        row = self.row(submission, caller)
        parts = self._database.read(lambda c: queries.PARTS.all(c, {"s": row.id}))
        return row, parts

    def counts(self) -> Mapping[str, int]:
        """Return the number of submissions by state."""
        found = {
            row.state: row.count for row in self._database.read(lambda c: queries.COUNTS.all(c, {}))
        }
        return {state.value: found.get(state, 0) for state in endpoint.JobState}

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
            at = self._clock.now() if chosen else None
            queries.CHOOSE.run(connection, {"s": row.id, "at": at})
            what = "chosen" if chosen else "not chosen"
            self._events.add(connection, row.phase, row.id, caller, what)

        await self._database.write(work)

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
            self._events.add(connection, row.phase, row.id, caller, "withdrawn")

        await self._database.write(work)

    def _own_of_open_phase(self, submission: str, caller: str) -> tuple[Listed, Phase]:
        row = self.row(submission, caller)
        phase = self._phases.of(row.phase)
        if phase.end is not None and phase.over(self._clock.now()):
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
        await self._decide(submission, caller, "removed", reason_of(why))

    async def restore(self, submission: str, caller: str, why: str) -> None:
        """Put a submission back on the leaderboard.

        Raises:
            NotFoundError: There is none.
            ExamError: No reason is given.
        """
        await self._decide(submission, caller, "restored", reason_of(why))

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
            self._events.add(connection, row.phase, row.id, caller, what, why)

        await self._database.write(work)

    async def retry(self, submission: str, caller: str) -> None:
        """Queue a failed or stuck submission again.

        Raises:
            NotFoundError: There is none.
            ExamError: It is neither failed nor stuck.
        """
        row = self.row(submission, None)

        def work(connection: Connection) -> None:
            job = queries.JOBS_OF.all(connection, {"s": row.id})[-1]
            if job.state not in (endpoint.JobState.FAILED, endpoint.JobState.STUCK):
                raise ExamError(f"it is {job.state}: only failed or stuck jobs can be retried")
            queued = {"state": endpoint.JobState.QUEUED, "until": None, "e": None, "t": 0}
            queries.CHANGE_JOB.run(connection, {"s": row.id, "g": job.grading, **queued})
            if job.state is endpoint.JobState.STUCK:
                # Its quota was restored, and is used again.
                take(connection, row)
            self._events.add(connection, row.phase, row.id, caller, "retried", job.error or "")

        await self._database.write(work)


def _late(phase: Phase) -> ForbiddenError:
    ended = "" if phase.end is None else f" at {phase.end.isoformat()}"
    return ForbiddenError(
        f"phase {phase.name} ended{ended}, before the whole file had arrived; only a file whose"
        " SHA-256 was announced before the end is accepted later",
        field="phase",
    )


def _of_key(connection: Connection, upload: models.Upload) -> Listed | None:
    """Return the submission of an upload's idempotency key; None: the key is new, or there is none.

    Raises:
        ExamError: The key was used before with other bytes.
    """
    if upload.key is None:
        return None
    before = queries.KEY.first(connection, {"c": upload.caller, "k": upload.key})
    if before is None:
        return None
    if before.digest != upload.body.digest:
        raise ExamError(
            "this Idempotency-Key was used with another file; use a new key for a new file",
            field="key",
        )
    return queries.SUBMISSION.one(connection, {"s": before.submission})


def _like(row: endpoint.SubmissionRow) -> Mapping[str, object]:
    """Return what an earlier upload of the same file has in common with this one."""
    return {
        "c": row.caller,
        "f": row.phase,
        "d": row.digest,
        "form": row.form,
        "t": row.task or "",
        "withdrawn": WITHDRAWN,
    }


def _note_of(earlier: Listed, upload: models.Upload, why: str) -> str | None:
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
    moment = models.iso(earlier.at)[:16].replace("T", " ")
    same = why or "the same file; no upload was used"
    return "; ".join([f"{same}: it is submission {earlier.id} of {moment} UTC", *differ])


def reason_of(why: str) -> str:
    """Return the reason of a decision on one line.

    Raises:
        ExamError: It is empty or too long.
    """
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
