"""The report of a finished attempt, task by task, and its cost."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Self

from pydantic import Field

from snellen.grading.models.base import Closed
from snellen.grading.models.estimates import Interval
from snellen.grading.models.reports import Report
from snellen.grading.models.scores import Outcome
from snellen.server.attempts.models import Cost, TaskAnswers
from snellen.server.exam.phases import ALL
from snellen.server.exam.rounding import Numbers, ShownRun
from snellen.server.exam.rules import Contexts, Counting, Door, Format, Mode
from snellen.server.store.tables.exams import Attempt, State

if TYPE_CHECKING:
    from snellen.server.grading.answers import PartNumbers


class TaskResult(Closed):
    """One task of an attempt.

    Attributes:
        task: The task's id.
        items: The number of items.
        answered: The number of items with an answer.
        rewritten: The number of items with an answer that could not be read and was to be written
            again.
        protocol: The protocol that grades the answers.
        metric: The primary metric. This and all fields below are None if answers are graded
            elsewhere.
        value: The metric over all items, in 0..1; an item without an answer counts 0.
        interval: Its confidence interval.
        metrics: All metrics.
        chance: The score of blind guessing, if known.
        outcomes: The number of items by outcome, without outcomes that did not occur.
        signature: Everything that the numbers depend on, in one line.
    """

    task: str
    items: int
    answered: int
    rewritten: int = 0
    protocol: str
    metric: str | None = None
    value: float | None = None
    interval: Interval | None = None
    metrics: dict[str, float] = Field(default_factory=dict[str, float])
    chance: float | None = None
    outcomes: dict[Outcome, int] = Field(default_factory=dict[Outcome, int])
    signature: str

    def of_part(self, answers: TaskAnswers, part: "PartNumbers") -> "TaskResult":
        """Return it with the numbers of a part of the items."""
        given = {each.item_id for each in answers.submissions if each.response is not None}
        return self.without_scores().model_copy(
            update={
                "items": len(part.items),
                "answered": len(given.intersection(part.items)),
                "metric": self.metric,
                "value": part.value,
                "interval": part.interval,
                "outcomes": part.outcomes,
                "signature": f"{self.signature}|part:{part.name}",
            }
        )

    @property
    def numbers(self) -> Numbers | None:
        """The numbers that depend on references; None: answers are graded elsewhere."""
        if self.value is None:
            return None
        ends = self.interval
        low, high = (None, None) if ends is None else (ends.low, ends.high)
        return Numbers(self.value, low, high, self.items, self.metrics)

    def with_numbers(self, shown: Numbers) -> "TaskResult":
        """Return it with the numbers that are shown of it."""
        ends = self.interval
        if ends is not None and shown.low is not None and shown.high is not None:
            ends = ends.model_copy(update={"low": shown.low, "high": shown.high})
        metrics = {key: shown.metrics[key] for key in self.metrics if key in shown.metrics}
        return self.model_copy(update={"value": shown.value, "interval": ends, "metrics": metrics})

    def without_scores(self) -> "TaskResult":
        """Return it without anything that depends on references."""
        names = ("task", "items", "answered", "rewritten", "protocol", "signature")
        return TaskResult(**{name: getattr(self, name) for name in names})


class ExamReport(Closed):
    """The report of an attempt.

    Attributes:
        exam: The exam's name and the digest of its items.
        mode: `practice` does not count; `deferred` has no numbers, answers are graded elsewhere.
        state: The final state of the attempt.
        model: The model, as declared.
        contexts: The number of questions that a context could see.
        max_view_side: The longest side of a view, in pixels.
        seed: The seed of the items' order.
        counting: The answer that counts if an item has several.
        submissions: The number of answers accepted per item.
        tasks: The tasks.
        value: The value of a single task; of several tasks their mean in an open phase, where a
            task with few items is not shown by itself; None otherwise.
        cost: The cost of the attempt.
        shown: The part of the items whose scores are shown: `all`, or `public` until the end of a
            phase with a private part; None: the phase hides scores.
    """

    exam: str
    mode: Mode
    state: State
    model: str | None = None
    contexts: Contexts
    max_view_side: int
    seed: int
    counting: Counting
    submissions: int
    tasks: tuple[TaskResult, ...]
    value: float | None = None
    cost: Cost
    shown: str | None = ALL

    def rounded(self, shown: ShownRun) -> Self:
        """Return it with the numbers that its participant sees in an open phase."""
        tasks = tuple(
            task.with_numbers(shown.scores[task.task])
            if task.task in shown.scores
            else task.without_scores()
            for task in self.tasks
        )
        value = None if shown.mean is None else shown.mean.value
        return self.model_copy(update={"tasks": tasks, "value": value})

    def without_scores(self) -> Self:
        """Return it without anything that depends on references."""
        tasks = tuple(task.without_scores() for task in self.tasks)
        return self.model_copy(update={"tasks": tasks, "value": None, "shown": None})


class GradedTask(NamedTuple):
    """The answers to one task and their report; None if they are graded elsewhere."""

    answers: TaskAnswers
    report: Report | None


def exam_report(attempt: Attempt, graded: Sequence[GradedTask], cost: Cost) -> ExamReport:
    """Build an attempt's report."""
    rules = attempt.rules
    tasks = tuple(_result(attempt, part) for part in graded)
    return ExamReport(
        exam=attempt.exam,
        mode=rules.mode,
        state=attempt.state,
        model=attempt.model,
        contexts=attempt.contexts,
        max_view_side=rules.max_view_side,
        seed=rules.seed,
        counting=rules.counting,
        submissions=rules.submissions,
        tasks=tasks,
        value=tasks[0].value if len(tasks) == 1 else None,
        cost=cost,
    )


def conditions(attempt: Attempt) -> str:
    """Return the conditions of an attempt in one line, as a part of signatures."""
    rules = attempt.rules
    counting = rules.counting.value
    parts = [
        f"exam:{attempt.exam}",
        f"mode:{rules.mode}",
        f"contexts:{attempt.contexts}",
        f"view:{rules.max_view_side}",
        f"seed:{rules.seed}",
        f"counting:{counting if rules.submissions == 1 else f'{counting} of {rules.submissions}'}",
        f"options:{'shuffled' if rules.shuffle_options else 'as made'}",
    ]
    if rules.rewrites != 1:
        parts.append(f"rewrites:{rules.rewrites}")
    if rules.format is not Format.AUTO:
        parts.append(f"format:{rules.format}")
    if rules.pairs_together:
        parts.append("pairs:together")
    if rules.door is Door.TOOLS:
        parts.append("door:tools")
    if rules.views is not None:
        parts.append(f"views:{rules.views}")
    if rules.minutes is not None:
        parts.append(f"minutes:{rules.minutes:g}")
    if attempt.model is not None:
        parts.append(f"model:{attempt.model.replace('|', '/')}")
    return "|".join(parts)


def _result(attempt: Attempt, graded: GradedTask) -> TaskResult:
    answers, report = graded
    answered = sum(submission.response is not None for submission in answers.submissions)
    if report is None:
        known = f"{answers.task}|protocol:{answers.protocol}|n:{len(answers.items)}"
        return TaskResult(
            task=answers.task,
            items=len(answers.items),
            answered=answered,
            rewritten=answers.rewritten,
            protocol=answers.protocol,
            signature=f"{known}|{conditions(attempt)}",
        )
    estimate = report.numbers.estimates.get(report.numbers.primary)
    # The attempt's conditions name the door.
    graded_as = report.provenance.model_copy(update={"door": ""}).signature
    return TaskResult(
        task=answers.task,
        items=len(answers.items),
        answered=answered,
        rewritten=answers.rewritten,
        protocol=answers.protocol,
        metric=report.numbers.primary,
        value=report.value,
        interval=None if estimate is None else estimate.interval,
        metrics={key: metric.value for key, metric in report.metrics.items()},
        chance=None if report.numbers.chance is None else report.numbers.chance.value,
        outcomes={outcome: count for outcome, count in report.input.outcomes.items() if count},
        # The conditions name the interface, also without answers.
        signature=f"{graded_as}|{conditions(attempt)}",
    )
