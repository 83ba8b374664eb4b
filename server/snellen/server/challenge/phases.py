"""The phases of a challenge: the open phase, its rules, and its public description."""

from collections.abc import Mapping

from snellen.server.attempts.register import Clock
from snellen.server.challenge.models import (
    ExamCard,
    PhaseCard,
    TaskCard,
    iso,
)
from snellen.server.errors import (
    ExamError,
    NotFoundError,
)
from snellen.server.exam.file import ExamFile, Phase
from snellen.server.exam.spec import ExamSpec
from snellen.server.store.database import Database
from snellen.server.store.tables.endpoint import ALL, PUBLIC, SubmissionRow


class Phases:
    """An exam file, its exam, and their data in a store.

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
        if name is None:
            now = self.now()
            begun = [phase for phase in self.file.phases if phase.begun(now)]
            return self.file.current(now) or (begun or self.file.phases)[-1]
        if name not in self.file.by_name:
            known = ", ".join(self.file.by_name)
            raise NotFoundError(f"there is no phase {name!r}; there are: {known}", field="phase")
        return self.file.by_name[name]

    def key(self, phase: Phase) -> str:
        """Return a phase's key in the store, which can hold the phases of several exams."""
        return f"{self.file.name}/{phase.name}"

    def phase_of(self, row: SubmissionRow) -> Phase:
        """Return the phase of a submission.

        Raises:
            NotFoundError: It is of another exam, or of a phase that is no longer in the exam file.
        """
        exam, _, name = row.phase.rpartition("/")
        if exam != self.file.name or name not in self.file.by_name:
            raise NotFoundError(
                f"submission {row.id} is of the phase {row.phase}, which is not served here"
            )
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

    def part(self, phase: Phase, *, organizer: bool = False) -> str:
        """Return the visible part of the items: all of them after the end of a phase."""
        if phase.public_share is None or organizer or phase.over(self.now()):
            return ALL
        return PUBLIC
