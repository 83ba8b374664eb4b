"""Marking: from what the store has of an attempt to answers that count, and to their report."""

import json
import threading
from collections.abc import Sequence, Set

from snellen.grading.protocols.table import protocol_of
from snellen.server.attempts.counting import IMAGE_FAULT, Counted, Fault, Recorded, count, faults
from snellen.server.attempts.leases import item_row
from snellen.server.attempts.models import Attempt, Cost, Feedback
from snellen.server.attempts.report import ExamReport, Graded, exam_report
from snellen.server.attempts.scoring import Scorer
from snellen.server.errors import ExamError
from snellen.server.exam.rules import Counting, Mode
from snellen.server.exam.spec import NO_REFERENCES, Exam, Taken
from snellen.server.store import queries
from snellen.server.store.database import Database


class Marking:
    """Marks the attempts of an exam. Nothing of it runs before an attempt is closed, but practice.

    It may be called from several threads.
    """

    def __init__(self, exam: Exam, database: Database) -> None:
        self._exam = exam
        self._database = database
        self._scorers: dict[str, Scorer] = {}
        self._preparing = threading.Lock()
        self._prepared: set[str] = set()

    def prepare(self, tasks: Sequence[str]) -> None:
        """Make ready what grades these tasks, once: thousands of references take seconds."""
        if self._exam.grade is None or self._prepared.issuperset(tasks):
            return
        with self._preparing:
            for task in tasks:
                protocol = self._exam.packs_by_task[task].task(task).protocol
                self._exam.data(task).grader(protocol_of(task, protocol))
            self._prepared.update(tasks)

    def counted(self, attempt: Attempt) -> Sequence[Counted]:
        """Return the answers that count, task by task, items in the pack's order."""
        rows = self._database.read(lambda c: c.execute(queries.GIVEN, {"a": attempt.id}).all())
        faulty = self._faults(attempt)
        best = attempt.rules.counting is Counting.BEST and attempt.rules.submissions > 1
        counted: list[Counted] = []
        for task in attempt.tasks:
            pack = self._exam.packs_by_task[task]
            of_task = [row for row in rows if row.task == task]
            asked = {row.item for row in of_task}
            items = [item for item in pack.index[task] if item in asked]
            given = [Recorded.of(row) for row in of_task if row.number is not None]
            scorer = self._scorer(task) if best else None
            hidden = {fault.item for fault in faulty if fault.task == task}
            kept = count(items, given, attempt.rules.counting, attempt.model, scorer, hidden)
            counted.append(Counted(task, pack.task(task).protocol, items, kept))
        return counted

    def taken(self, counted: Counted) -> Taken:
        """Put the answers to a task beside its references.

        Raises:
            ExamError: The exam is deferred: it has no references.
        """
        data = self._exam.data(counted.task)
        return Taken(data, counted.items, counted.submissions, counted.protocol)

    def report(self, attempt: Attempt, cost: Cost) -> ExamReport:
        """Grade an attempt, or say what it recorded where answers are graded elsewhere."""
        if attempt.rules.mode is Mode.DEFERRED or self._exam.grade is None:
            recorded = [Graded(counted, None) for counted in self.counted(attempt)]
            return exam_report(attempt, recorded, cost)
        return self.graded(attempt, cost)

    def graded(self, attempt: Attempt, cost: Cost) -> ExamReport:
        """Grade an attempt, a deferred one as well.

        Raises:
            ExamError: The exam is deferred: it has no references.
        """
        grade = self._exam.grade
        if grade is None:
            raise ExamError(NO_REFERENCES)
        self.prepare(attempt.tasks)
        graded = [Graded(counted, grade(self.taken(counted))) for counted in self.counted(attempt)]
        return exam_report(attempt, graded, cost)

    def feedback(self, attempt: Attempt, item: str) -> Feedback:
        """Say what the latest answer to an item is worth.

        Raises:
            ExamError: It has none.
        """
        row = self._database.read(lambda c: item_row(c, attempt.id, item))
        last = self._database.read(
            lambda c: queries.LAST.first(c, {"a": attempt.id, "p": row.place})
        )
        if last is None:
            raise ExamError(f"item {item} has no answer yet", field="item")
        scorer = self._scorer(row.task)
        if Fault(row.task, row.item) in self._faults(attempt):
            return scorer.error(IMAGE_FAULT)
        return scorer.feedback(row.item, json.loads(last.response))

    def _faults(self, attempt: Attempt) -> Set[Fault]:
        return faults(self._database.read(lambda c: queries.FAULTS.all(c, {"a": attempt.id})))

    def _scorer(self, task: str) -> Scorer:
        if task not in self._scorers:
            protocol = self._exam.packs_by_task[task].task(task).protocol
            self._scorers[task] = Scorer.of(self._exam.data(task), protocol)
        return self._scorers[task]
