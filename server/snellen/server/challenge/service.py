"""The challenge: an exam in phases, its gradings and its submissions."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
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
from snellen.server.challenge.events import SYSTEM, Events
from snellen.server.challenge.models import PhaseChange, iso
from snellen.server.challenge.submissions import Submissions, reason_of
from snellen.server.errors import ExamError
from snellen.server.exam.file import ExamFile, Phase
from snellen.server.exam.phases import Phases, Visibility, after_moves, movable
from snellen.server.exam.spec import ExamSpec
from snellen.server.logs import log
from snellen.server.store import queries as store_queries
from snellen.server.store.database import Database
from snellen.server.store.tables.endpoint import GradingRow
from snellen.tasks.hosted import ExamCard, PhaseCard, TaskCard, Who

_SECONDS = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 14_400, 86_400)


PACKS = "packs"
"""The event of a grading that records the versions of its packs."""


class OutdatedError(ExamError):
    """What this server would grade by was replaced before."""


class Challenge:
    """An exam in phases.

    Attributes:
        outdated: The reason why nothing is graded or served here: the store's newest gradings are
            by newer references, protocols or sample; None: they were not at the start.

    Args:
        file: The exam file.
        exam: The exam spec, without references.
        references: The SHA-256 of the references; another digest means another grading.
        database: The store.
        clock: The source of time and randomness.

    Raises:
        ExamError: A phase names a task that the exam does not have.
    """

    def __init__(
        self,
        file: ExamFile,
        exam: ExamSpec,
        references: bytes,
        database: Database,
        clock: Clock | None = None,
    ) -> None:
        for phase in file.phases:
            if strange := sorted(phase.protocols.keys() - exam.offers.keys()):
                raise ExamError(f"phase {phase.name}: {strange[0]!r} is not a task of this exam")
        self.file = file
        self.exam = exam
        self.references = references
        self.database = database
        self.clock = clock or Clock()
        self.now = self.clock.now
        self.phases = Phases(file, lambda: database.read(lambda c: store_queries.MOVES.all(c, {})))
        self.events = Events(database, self.clock)
        self.submissions = Submissions(
            exam, self.phases, database, self.clock, self.events, references
        )
        self.outdated: str | None = None
        # From 0, so that the metrics name every kind before its first fault.
        self.worker_faults = Counter(
            attempts=0, grading=0, heartbeat=0, job=0, reply=0, result=0, step=0
        )
        self.waiting_seconds = _histogram(
            "snellen_waiting_seconds",
            "Seconds that a submission waited until a worker of this process took it.",
        )
        self.grading_seconds = _histogram(
            "snellen_grading_seconds", "Seconds that a worker of this process graded a submission."
        )
        self._counting = Lock()

    def count_fault(self, what: str) -> None:
        """Count a fault of a worker in this process, for its metrics."""
        with self._counting:
            self.worker_faults[what] += 1

    # ---- phases ------------------------------------------------------------------------------

    def phase(self, name: str | None) -> Phase:
        """Return a phase by its name, or the open one, or the last one that was open.

        Raises:
            NotFoundError: There is no phase of that name.
        """
        return self.phases.named(name, self.now())

    def visibility(self, phase: Phase, *, organizer: bool = False) -> Visibility:
        """Return what is shown of a phase's scores now."""
        return self.phases.visibility(phase, self.now(), organizer=organizer)

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
        now, final = self.now(), self.phases.final(phase)
        state = "over" if phase.over(now) else "open" if phase.begun(now) else "coming"
        return PhaseCard(
            name=phase.name,
            title=phase.title or phase.name,
            state=state,
            start=None if phase.start is None else iso(round(phase.start.timestamp() * 1000)),
            end=None if phase.last is None else iso(phase.last),
            final=None if final is None else iso(final),
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

    async def change_phase(self, name: str, caller: str, given: PhaseChange, why: str) -> None:
        """Change the times or the quotas of a phase, for every server and worker of the store.

        Open attempts end at its new end, at the latest.

        Raises:
            NotFoundError: There is no such phase.
            ExamError: Nothing changes, or no reason is given; or the phase can't change so.
        """
        reason = reason_of(why)
        self.phases.named(name, self.now())
        settings = set(PhaseChange.model_fields)
        said = given.model_dump(mode="json", include=settings, exclude_none=True)

        def work(connection: Connection) -> None:
            at = self.now()
            file = after_moves(self.file, store_queries.MOVES.all(connection, {}))
            phase = file.by_name[name]
            new = _checked_change(phase, said, at)
            if phase.over(at) and not new.over(at):
                self._check_opening(phase, at)
            before, after = movable(phase), movable(new)
            changed = [each for each in said if before[each] != after[each]]
            if not changed:
                raise ExamError(f"phase {name} has these settings already; say what changes")
            given = movable(self.file.by_name[name])
            detail = {
                title: {each: values[each] for each in changed}
                for title, values in (("file", given), ("before", before), ("after", after))
            }
            key, words = self.phases.key(phase), json.dumps(detail)
            self.events.add(connection, key, None, caller, "moved", reason, words)
            self._move_attempts(connection, Phases(file), new, at)

        await self.database.write(work)
        await self.database.off_loop(self.phases.refresh)

    def _check_opening(self, phase: Phase, at: int) -> None:
        """Check that a phase that is over may be opened again.

        Raises:
            ExamError: What was shown since its end would help in it.
        """
        if self.phases.settled(phase, at) and phase.scores is not Who.HIDDEN:
            raise ExamError(
                f"phase {phase.name} is over and has shown exact scores: begin another phase with"
                " other items",
                field="end",
            )
        since = [each.name for each in self.phases.file.phases if each != phase and each.open(at)]
        if since:
            raise ExamError(
                f"phase {phase.name} is over, and phase {since[0]} over the same items is open:"
                f" change the end of phase {since[0]}",
                field="end",
            )

    def _move_attempts(self, connection: Connection, before: Phases, new: Phase, at: int) -> None:
        """Give the open attempts of a phase the deadlines that its new end says."""
        for attempt in store_queries.OPEN_ATTEMPTS.all(connection, {"x": self.exam.id}):
            opened = attempt.opened
            phase = before.with_attempts(opened) or before.named(None, opened)
            expired = attempt.deadline is not None and attempt.deadline < at
            if phase.name == new.name and not expired:
                until = deadline_of(attempt.rules, opened, new)
                store_queries.SET_DEADLINE.run(connection, {"a": attempt.id, "until": until})

    # ---- gradings ----------------------------------------------------------------------------

    async def begin(self) -> None:
        """Ensure that each phase has a grading by the current references, protocols and sample.

        If they differ from those of its newest grading, all submissions are graded again. The
        leaderboard shows the old grading until the new one is complete. If they are older, nothing
        is graded, and `outdated` says so.
        """
        try:
            await self.database.write(self._begin_gradings)
        except OutdatedError as error:
            self.outdated = str(error)
            log().error("outdated", reason=self.outdated)

    @cached_property
    def digests(self) -> Sequence[bytes]:
        """The digests of the references, protocols and sample of each phase."""
        return list(dict.fromkeys(map(self._digest, self.file.phases)))

    def check_gradings(self) -> None:
        """Check that the store's newest gradings are of this exam, as its server began them.

        Raises:
            ExamError: A server graded by other references, protocols or sample.
        """
        if self.database.read(self.is_overtaken):
            raise ExamError(
                "the server of this store grades by other references, protocols or sample:"
                " start it first, and give the worker the same packs or exam file. A server"
                " with --sample needs the sample and the seed in an exam file, below [rules]"
            )

    def is_overtaken(self, connection: Connection) -> bool:
        """Whether a newest grading is by other references, protocols or sample than here."""
        for phase in self.file.phases:
            newest = queries.NEWEST.first(connection, {"f": self.phases.key(phase)})
            if newest is not None and newest.references != self._digest(phase):
                return True
        return False

    def _begin_gradings(self, connection: Connection) -> None:
        versions = {pack.name: pack.manifest.version for pack in self.exam.packs}
        for phase in self.file.phases:
            key = self.phases.key(phase)
            newest = queries.NEWEST.first(connection, {"f": key})
            if newest is not None and newest.references == self._digest(phase):
                continue
            why = ""
            if newest is not None:
                self._check_newer(connection, phase, versions)
                why = "the references, the protocols or the sample changed"
            self._regrade(connection, phase, why)
            if max(versions.values()) > 1:
                # So that a server with an older version of a pack can be recognized.
                words = json.dumps(versions)
                self.events.add(connection, key, None, SYSTEM, PACKS, "a new grading", words)

    def _check_newer(
        self, connection: Connection, phase: Phase, versions: Mapping[str, int]
    ) -> None:
        """Check that what differs from a phase's newest grading is newer, and not older.

        Raises:
            OutdatedError: A pack has a smaller version, or the phase was graded by the same before.
        """
        key = self.phases.key(phase)
        event = queries.LAST_EVENT.first(connection, {"f": key, "what": PACKS})
        last: Mapping[str, int] = {} if event is None else json.loads(event.detail)
        known = {name: last.get(name, 1) for name in versions}
        if older := [name for name in versions if versions[name] < known[name]]:
            raise OutdatedError(
                f"the pack {older[0]} has version {versions[older[0]]}, and phase {phase.name} of"
                f" this store is graded by version {known[older[0]]}: start the server with the"
                " newest pack"
            )
        graded = queries.GRADED_BY.one(connection, {"f": key, "r": self._digest(phase)}).count
        if graded and versions == known:
            raise OutdatedError(
                f"phase {phase.name} of this store was graded by these references, protocols and"
                " sample before, and by newer ones since: start the server with the newest packs"
                " and exam file. To return to older ones on purpose, raise `version` in the"
                " manifest of a pack"
            )

    def _digest(self, phase: Phase) -> bytes:
        said = json.dumps(self.protocols(phase), sort_keys=True)
        share = "" if phase.public_share is None else f"|{phase.public_share!r}"
        rules = self.exam.rules
        drawn = "" if rules.sample is None else f"|sample:{rules.sample}|{rules.seed}"
        return sha256(self.references + f"{said}{share}{drawn}".encode()).digest()

    def _regrade(self, connection: Connection, phase: Phase, why: str) -> int:
        """Begin a grading, with a job for each submission; return its number."""
        at = queries.database_now(connection)
        owned = queries.OF_PHASE.all(connection, {"f": self.phases.key(phase)})
        row = GradingRow(
            id=0,
            phase=self.phases.key(phase),
            references=self._digest(phase),
            protocols=json.dumps(self.protocols(phase), sort_keys=True),
            snellen=version("snellen"),
            at=at,
            why=why,
            shown=None if owned else at,
        )
        number = queries.add_grading(connection, row)
        for submission in owned:
            queries.add_job(connection, submission.id, number, at)
        return number

    async def rescore(self, phase: Phase, caller: str, why: str) -> int:
        """Grade a phase's submissions again; return their number.

        Raises:
            ExamError: No reason is given.
        """
        reason = reason_of(why)

        def work(connection: Connection) -> int:
            number = self._regrade(connection, phase, reason)
            self.events.add(connection, self.phases.key(phase), None, caller, "rescored", reason)
            return queries.UNFINISHED.one(connection, {"g": number}).count

        return await self.database.write(work)

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


def _histogram(name: str, words: str) -> Histogram:
    return Histogram(name, words, buckets=_SECONDS, registry=None)


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
    if new.end != phase.end and new.over(at):
        raise ExamError("the new end must be in the future", field="end")
    return new
