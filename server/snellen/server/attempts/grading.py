"""Grading: the answers of a stored attempt that count, and their report."""

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from pydantic import JsonValue

from snellen.grading.grade import OUTCOMES, Answers, Columns, Grader
from snellen.grading.models.scores import Outcome, Submission
from snellen.grading.protocols.table import protocol_of
from snellen.server.attempts.leases import item_row
from snellen.server.attempts.models import Cost, Feedback, TaskAnswers
from snellen.server.attempts.record import FAULT, record_of
from snellen.server.attempts.report import ExamReport, GradedTask, exam_report
from snellen.server.errors import ExamError
from snellen.server.exam.file import Phase
from snellen.server.exam.phases import PUBLIC
from snellen.server.exam.rules import Counting, Mode
from snellen.server.exam.spec import NO_REFERENCES, AnswerSet, Exam
from snellen.server.grading.answers import grade_answers, grade_public
from snellen.server.screenshots.frames import read_frame
from snellen.server.store import queries
from snellen.server.store.database import Database
from snellen.server.store.queries import GivenAnswer, PlayedItem
from snellen.server.store.tables.exams import Attempt, EpisodeState
from snellen.tasks.models import TaskData

_KEPT_REPORTS = 256
IMAGE_FAULT = "an image of this item could not be shown: a fault of the exam"


class Fault(NamedTuple):
    """An item with an image that could not be shown."""

    task: str
    item: str


@dataclass(frozen=True, slots=True)
class Scorer:
    """A task's protocol, prepared once for all of its items."""

    data: TaskData = field(repr=False)
    grader: Grader = field(repr=False)

    @classmethod
    def of(cls, data: TaskData, protocol: str) -> "Scorer":
        """Prepare a protocol, by its id and version, for a task."""
        return cls(data, data.grader(protocol_of(data.task, protocol)))

    def feedback(self, item: str, response: JsonValue) -> Feedback:
        """Return the score of one answer."""
        columns = self._columns([item], [response])
        metric = self.grader.protocol.metric
        value = float(columns.values[0][metric.keys.index(metric.primary)])
        outcome = OUTCOMES[int(columns.outcomes[0])].value
        found = Feedback(metric=metric.primary, value=value, outcome=outcome)
        if columns.notes.get(0):
            found["note"] = columns.notes[0]
        return found

    def error(self, note: str) -> Feedback:
        """Return the feedback for an answer that is not graded, with the reason."""
        primary = self.grader.protocol.metric.primary
        return Feedback(metric=primary, value=0.0, outcome=Outcome.ERROR.value, note=note)

    def values(self, items: Sequence[str], responses: Sequence[JsonValue]) -> Sequence[float]:
        """Return the primary metric of each answer; items may occur several times."""
        metric = self.grader.protocol.metric
        columns = self._columns(items, responses)
        return columns.values[:, metric.keys.index(metric.primary)].tolist()

    def _columns(self, items: Sequence[str], responses: Sequence[JsonValue]) -> Columns:
        places = np.array([self.data.index[item] for item in items], dtype=np.int64)
        return self.grader.batch(Answers(places, [0] * len(items), responses))


class Grading:
    """Grades the attempts of an exam; open attempts are graded only in practice mode.

    It is thread-safe.
    """

    def __init__(self, exam: Exam, database: Database, secret: Callable[[], bytes]) -> None:
        self._exam = exam
        self._secret = secret
        self._public: dict[int, ExamReport] = {}
        self._database = database
        self._scorers: dict[str, Scorer] = {}
        self._preparing = threading.Lock()
        self._prepared: set[str] = set()

    def prepare(self, tasks: Sequence[str]) -> None:
        """Prepare the graders of these tasks once: thousands of references take seconds."""
        if self._exam.rules.mode is Mode.DEFERRED or self._prepared.issuperset(tasks):
            return
        with self._preparing:
            for task in tasks:
                protocol = self._exam.packs_by_task[task].task(task).protocol
                self._exam.data(task).grader(protocol_of(task, protocol))
            self._prepared.update(tasks)

    def answers(self, attempt: Attempt) -> Sequence[TaskAnswers]:
        """Return the answers that count, task by task, items in the pack's order."""
        rows = self._database.read(lambda c: queries.GIVEN.all(c, {"a": attempt.id}))
        faults = self._faults(attempt)
        played = self._played(attempt)
        return [
            self._task_answers(
                attempt,
                task,
                [row for row in rows if row.task == task],
                {fault.item: why for fault, why in faults.items() if fault.task == task},
                {row.item: row for row in played if row.task == task},
            )
            for task in attempt.tasks
        ]

    def clients(self, attempt: Attempt) -> int:
        """Return the number of client names that got items of an attempt."""
        return self._database.read(lambda c: queries.CLIENTS.one(c, {"a": attempt.id})).count

    def answer_set(self, answers: TaskAnswers) -> AnswerSet:
        """Return the answers to a task with its references.

        Raises:
            ExamError: The exam is deferred: it has no references.
        """
        data = self._exam.data(answers.task)
        return AnswerSet(data, answers.items, answers.submissions, answers.protocol)

    def item_values(self, answers: TaskAnswers) -> Sequence[float]:
        """Return the value of each item of a task, in their order.

        Raises:
            ExamError: The exam is deferred: it has no references.
        """
        return grade_answers(self.answer_set(answers)).item_values().tolist()

    def report(self, attempt: Attempt, cost: Cost) -> ExamReport:
        """Grade an attempt, or report what it recorded if answers are graded elsewhere."""
        if Mode.DEFERRED in (attempt.rules.mode, self._exam.rules.mode):
            recorded = [GradedTask(answers, None) for answers in self.answers(attempt)]
            return exam_report(attempt, recorded, cost, self.clients(attempt))
        return self.graded(attempt, cost)

    def graded(self, attempt: Attempt, cost: Cost) -> ExamReport:
        """Grade an attempt, also a deferred one.

        Raises:
            ExamError: The exam is deferred: it has no references.
        """
        if self._exam.rules.mode is Mode.DEFERRED:
            raise ExamError(NO_REFERENCES)
        self.prepare(attempt.tasks)
        graded = [
            GradedTask(answers, grade_answers(self.answer_set(answers)))
            for answers in self.answers(attempt)
        ]
        return exam_report(attempt, graded, cost, self.clients(attempt))

    def public(self, attempt: Attempt, report: ExamReport, phase: Phase) -> ExamReport:
        """Return a closed attempt's report with scores of the public part of each task's items."""
        if (before := self._public.get(attempt.id)) is not None:
            return before
        self.prepare(attempt.tasks)
        tasks = [
            result.of_part(answers, grade_public(self.answer_set(answers), self._secret(), phase))
            for result, answers in zip(report.tasks, self.answers(attempt), strict=True)
        ]
        if len(self._public) == _KEPT_REPORTS:
            self._public.clear()
        return self._public.setdefault(attempt.id, report.with_tasks(tasks, PUBLIC))

    def feedback(self, attempt: Attempt, item: str) -> Feedback:
        """Return the score of the latest answer to an item.

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
        why = self._faults(attempt).get(Fault(row.task, row.item))
        if why is not None:
            return scorer.error(why)
        return scorer.feedback(row.item, json.loads(last.response))

    def _task_answers(
        self,
        attempt: Attempt,
        task: str,
        rows: Sequence[GivenAnswer],
        faults: Mapping[str, str],
        played: Mapping[str, PlayedItem],
    ) -> TaskAnswers:
        """Return one submission per item: the answer that counts, or an empty one.

        An item with a fault of the exam is an error and is not graded. An episode that was not
        submitted is graded in its current state.
        """
        pack, rules = self._exam.packs_by_task[task], attempt.rules
        given: dict[str, list[GivenAnswer]] = {row.item: [] for row in rows}
        rewritten: set[str] = set()
        for row in rows:
            if row.number is not None and row.number < 0:
                rewritten.add(row.item)
            elif row.response is not None:
                given[row.item].append(row)
        kept = {item: answers for item, answers in given.items() if answers}
        if rules.counting is Counting.BEST and rules.submissions > 1:
            counted = _best(kept, self._scorer(task))
        else:
            index = 0 if rules.counting is Counting.FIRST else -1
            counted = {item: answers[index] for item, answers in kept.items()}
        items = [item for item in pack.index[task] if item in given]
        submissions = [
            _submission(item, counted.get(item), attempt.model, faults.get(item)) for item in items
        ]
        for place, item in enumerate(items):
            world = pack.line(task, item).world if item in played else None
            if world is not None and item not in counted:
                record = record_of(played[item], world.limit, rules.door)
                submissions[place] = submissions[place].model_copy(update={"response": record})
        return TaskAnswers(
            task, pack.task(task).protocol, tuple(items), submissions, len(rewritten)
        )

    def _played(self, attempt: Attempt) -> Sequence[PlayedItem]:
        if not any(self._exam.packs_by_task[task].task(task).environment for task in attempt.tasks):
            return ()
        return self._database.read(lambda c: queries.PLAYED.all(c, {"a": attempt.id}))

    def _faults(self, attempt: Attempt) -> Mapping[Fault, str]:
        """Return the items that the exam failed to show, and why.

        An image could not be shown, also later; or an episode broke.
        """
        hidden: set[tuple[Fault, str]] = set()
        for row in self._database.read(lambda c: queries.FAULTS.all(c, {"a": attempt.id})):
            fault, detail = Fault(row.task, row.item), json.loads(row.detail)
            if "fault" in detail:
                hidden.add((fault, detail["fault"]))
            for view in detail.get("views", ()):
                hidden.discard((fault, read_frame(view).image))
        broken = {
            Fault(row.task, row.item): FAULT
            for row in self._played(attempt)
            if row.state is EpisodeState.BROKEN
        }
        return {**{fault: IMAGE_FAULT for fault, _ in hidden}, **broken}

    def _scorer(self, task: str) -> Scorer:
        if task not in self._scorers:
            protocol = self._exam.packs_by_task[task].task(task).protocol
            self._scorers[task] = Scorer.of(self._exam.data(task), protocol)
        return self._scorers[task]


def _submission(
    item: str, answer: GivenAnswer | None, model: str | None, error: str | None
) -> Submission:
    if answer is None or answer.response is None or answer.meta is None:
        return Submission(item_id=item, model=model, error=error)
    return Submission(
        item_id=item,
        response=json.loads(answer.response),
        model=model,
        error=error,
        meta={"client": answer.holder, "number": answer.number, **json.loads(answer.meta)},
    )


def _best(given: Mapping[str, Sequence[GivenAnswer]], scorer: Scorer) -> Mapping[str, GivenAnswer]:
    """Return the highest-scoring answer to each item; ties go to the earliest."""
    several = [answer for answers in given.values() if len(answers) > 1 for answer in answers]
    best = {item: answers[0] for item, answers in given.items()}
    values = scorer.values(
        [answer.item for answer in several],
        [json.loads(answer.response or "null") for answer in several],
    )
    highest: dict[str, float] = {}
    for answer, value in zip(several, values, strict=True):
        if value > highest.get(answer.item, -1.0):
            highest[answer.item], best[answer.item] = value, answer
    return best
