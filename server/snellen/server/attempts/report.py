"""The report of a finished attempt, task by task, and its cost."""

import math
from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple, Self

from pydantic import Field

from snellen.grading.models.base import Closed
from snellen.grading.models.estimates import Interval
from snellen.grading.models.reports import Report
from snellen.grading.models.scores import Outcome
from snellen.grading.stats.over_tasks import LEVEL, NAME, mean_over_tasks
from snellen.server.attempts.models import Cost, TaskAnswers
from snellen.server.exam.phases import ALL
from snellen.server.exam.rounding import Numbers, ShownRun
from snellen.server.exam.rules import Contexts, Counting, Door, Format, Mode, Rules
from snellen.server.store.tables.exams import Attempt, State
from snellen.tasks.samples import baseline_of

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


class Total(Closed):
    """The one number of an attempt, with what to hold it against.

    Attributes:
        name: `mean over tasks`; each task counts once.
        value: The mean, in 0..1; of a single task its value.
        interval: Its 95 % interval; None: a single task that has none.
        chance: The mean of blind guessing; None: it is not known of each task.
        baseline: The mean of the included baseline agent on the same items; None: it did not take
            them.
    """

    name: str = NAME
    value: float
    interval: Interval | None = None
    chance: float | None = None
    baseline: float | None = None


class TaskSummary(Closed):
    """One line of a task.

    Attributes:
        task: As in `TaskResult`, and so are all fields that are not described here.
        signature: The first twelve digits of the SHA-256 of its signature in the whole report,
            after `sha256:`.
    """

    task: str
    items: int
    answered: int
    value: float | None
    signature: str


class ExamSummary(Closed):
    """What `finish_attempt` returns: the total and a line of each task.

    Attributes:
        exam: The exam's name and the digest of its items.
        mode: As in `ExamReport`, and so are all fields that are not described here.
        items: The number of items.
        answered: The number of items with an answer.
        rewritten: The number of items with an answer that was to be written again.
        value: The total's value.
        total: The total; None: scores are not shown, or answers are graded elsewhere.
        tasks: The tasks.
        signature: Everything that the total depends on, in one line.
        details: The resource with the whole report.
    """

    exam: str
    mode: Mode
    state: State
    model: str | None = None
    contexts: Contexts
    clients: int
    items: int
    answered: int
    rewritten: int
    value: float | None
    total: Total | None
    tasks: tuple[TaskSummary, ...]
    cost: Cost
    shown: str | None
    signature: str
    details: str


class ExamReport(Closed):
    """The report of an attempt.

    Attributes:
        exam: The exam's name and the digest of its items.
        mode: `practice` does not count; `deferred` has no numbers, answers are graded elsewhere.
        state: The final state of the attempt.
        model: The model, as declared.
        contexts: The number of questions that a context could see.
        clients: The number of client names that got items.
        max_view_side: The longest side of a view, in pixels.
        seed: The seed of the items' order.
        counting: The answer that counts if an item has several.
        submissions: The number of answers accepted per item.
        tasks: The tasks.
        value: The total's value.
        total: The mean over tasks; None: scores are not shown, or answers are graded elsewhere.
        cost: The cost of the attempt.
        shown: The part of the items whose scores are shown: `all`, or `public` until the end of a
            phase with a private part; None: the phase hides scores.
        signature: Everything that the total depends on, in one line.
    """

    exam: str
    mode: Mode
    state: State
    model: str | None = None
    contexts: Contexts
    clients: int = 1
    max_view_side: int
    seed: int
    counting: Counting
    submissions: int
    tasks: tuple[TaskResult, ...]
    value: float | None = None
    total: Total | None = None
    cost: Cost
    shown: str | None = ALL
    signature: str = ""

    def rounded(self, shown: ShownRun) -> Self:
        """Return it with the numbers that its participant sees in an open phase."""
        tasks = tuple(
            task.with_numbers(shown.scores[task.task])
            if task.task in shown.scores
            else task.without_scores()
            for task in self.tasks
        )
        total = None
        if shown.mean is not None and self.total is not None:
            chance = self.total.chance
            total = Total(
                value=shown.mean.value,
                interval=_interval(shown.mean.low, shown.mean.high),
                chance=None if chance is None else round(chance, 2),
                baseline=self.total.baseline,
            )
        return self.model_copy(update={"tasks": tasks, **_of_total(total)})

    def without_scores(self) -> Self:
        """Return it without anything that depends on references."""
        tasks = tuple(task.without_scores() for task in self.tasks)
        return self.model_copy(update={"tasks": tasks, "shown": None, **_of_total(None)})

    def with_tasks(self, tasks: Sequence[TaskResult], shown: str) -> Self:
        """Return it with the numbers of a part of the items, and their total."""
        total = total_of(self.exam, tasks)
        changed = {"tasks": tuple(tasks), "shown": shown, **_of_total(total)}
        return self.model_copy(update=changed)

    def summary(self, details: str) -> ExamSummary:
        """Return the total and a line of each task; `details` names the whole report."""
        names = ExamSummary.model_fields.keys() & ExamReport.model_fields.keys()
        fields = {name: getattr(self, name) for name in names}
        tasks = tuple(
            TaskSummary(
                task=task.task,
                items=task.items,
                answered=task.answered,
                value=_brief(task.value),
                signature=f"sha256:{sha256(task.signature.encode()).hexdigest()[:12]}",
            )
            for task in self.tasks
        )
        fields |= {
            "tasks": tasks,
            "items": sum(task.items for task in tasks),
            "answered": sum(task.answered for task in tasks),
            "rewritten": sum(task.rewritten for task in self.tasks),
            "details": details,
        }
        return ExamSummary(**fields)


class GradedTask(NamedTuple):
    """The answers to one task and their report; None if they are graded elsewhere."""

    answers: TaskAnswers
    report: Report | None


def exam_report(
    attempt: Attempt, graded: Sequence[GradedTask], cost: Cost, clients: int
) -> ExamReport:
    """Build an attempt's report; `clients` is the number of client names that got items."""
    rules = attempt.rules
    under = conditions(attempt, clients)
    tasks = tuple(_result(part, under) for part in graded)
    total = total_of(attempt.exam, tasks)
    items = sum(task.items for task in tasks)
    return ExamReport(
        exam=attempt.exam,
        mode=rules.mode,
        state=attempt.state,
        model=attempt.model,
        contexts=attempt.contexts,
        clients=clients,
        max_view_side=rules.max_view_side,
        seed=rules.seed,
        counting=rules.counting,
        submissions=rules.submissions,
        tasks=tasks,
        value=None if total is None else total.value,
        total=total,
        cost=cost,
        signature=f"{NAME}|tasks:{len(tasks)}|n:{items}|{under}",
    )


def total_of(exam: str, tasks: Sequence[TaskResult]) -> Total | None:
    """Return the mean over the tasks of an attempt; None: a task has no value."""
    numbers = [task.numbers for task in tasks]
    known = [each for each in numbers if each is not None]
    if not known or len(known) < len(numbers):
        return None
    mean = mean_over_tasks(known)
    chances = [task.chance for task in tasks if task.chance is not None]
    return Total(
        value=mean.value,
        interval=_interval(mean.low, mean.high),
        chance=math.fsum(chances) / len(chances) if len(chances) == len(tasks) else None,
        baseline=baseline_of(exam, {task.task: task.items for task in tasks}),
    )


def _of_total(total: Total | None) -> dict[str, Total | float | None]:
    return {"total": total, "value": None if total is None else total.value}


def _interval(low: float | None, high: float | None) -> Interval | None:
    if low is None or high is None:
        return None
    return Interval(low=low, high=high, level=LEVEL, method="mover")


def _brief(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def conditions(attempt: Attempt, clients: int) -> str:
    """Return the conditions of an attempt in one line, as a part of signatures.

    Args:
        attempt: The attempt.
        clients: The number of client names that got items of it.
    """
    rules = attempt.rules
    counting = rules.counting.value
    parts = [
        f"exam:{attempt.exam}",
        f"mode:{rules.mode}",
        f"contexts:{attempt.contexts}",
        f"clients:{clients}",
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
    if rules.door is not Door.SCREEN:
        parts.append(f"door:{rules.door}")
    if rules.episode_minutes != Rules().episode_minutes:
        parts.append(f"episode minutes:{rules.episode_minutes or 0:g}")
    if rules.views is not None:
        parts.append(f"views:{rules.views}")
    if rules.minutes is not None:
        parts.append(f"minutes:{rules.minutes:g}")
    if attempt.model is not None:
        parts.append(f"model:{attempt.model.replace('|', '/')}")
    return "|".join(parts)


def _result(graded: GradedTask, under: str) -> TaskResult:
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
            signature=f"{known}|{under}",
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
        signature=f"{graded_as}|{under}",
    )
