"""How raters did on a task's items: their answers graded under the task's protocol."""

from collections.abc import Sequence

import numpy as np

from snellen.annotate.agreement import THRESHOLD, RaterColumns, Task, rater_report
from snellen.annotate.forms import response_of, sized
from snellen.annotate.models import RaterAnswer, RaterReport
from snellen.annotate.suspicion import COINCIDENCE
from snellen.grading.breakdown import cluster_codes
from snellen.grading.errors import DataError
from snellen.grading.models.golds import Golds
from snellen.grading.protocols.base import NO_CONTEXT, Context, Gold, Protocol
from snellen.grading.protocols.table import gold_shape, protocol_of
from snellen.tasks.models import TaskData


def rate(
    data: TaskData,
    answers: Sequence[RaterAnswer],
    protocol: str | Protocol | None = None,
    *,
    references: bool = True,
    threshold: float = THRESHOLD,
    coincidence: float = COINCIDENCE,
) -> RaterReport:
    """Return how raters did on a task: the human ceiling, agreement, suspicious references.

    Args:
        data: The task, with its references.
        answers: What raters answered; those to other tasks are left out.
        protocol: What grades them; the task's default when None.
        references: Whether the references are asked; without, only raters are compared.
        threshold: From which share of the metric's best value on two answers agree.
        coincidence: How often two wrong answers are the same.

    Raises:
        DataError: An answer is to an item that there is not, comes twice, or makes no reference.
        MetricError: No answer can be graded.
    """
    rule = protocol if isinstance(protocol, Protocol) else protocol_of(data.task, protocol)
    rows: list[int] = []
    raters: list[str] = []
    responses: list[object] = []
    made: list[Gold] = []
    skipped: list[tuple[str, str]] = []
    seen: set[tuple[str, str]] = set()
    for answer in answers:
        if answer.task != data.task:
            continue
        if answer.item_id not in data.index:
            raise DataError(f"{data.task} has no item {answer.item_id!r}, which a rater answered")
        if (answer.item_id, answer.rater) in seen:
            raise DataError(f"{answer.rater} answers {answer.item_id} twice")
        seen.add((answer.item_id, answer.rater))
        if answer.reason:
            skipped.append((answer.item_id, answer.rater))
            continue
        index = data.index[answer.item_id]
        rows.append(index)
        raters.append(answer.rater)
        responses.append(response_of(data.build_item(index), _context(data, index), answer.given))
        made.append(gold_of(data, [answer]))
    task = Task(
        task=data.task,
        ids=data.ids,
        grader=data.grader(rule),
        contexts=data.contexts,
        clusters=None if data.cluster is None else cluster_codes(data.tags[data.cluster]),
    )
    given = RaterColumns(np.array(rows, np.int64), raters, responses, Golds(made))
    return rater_report(
        task,
        given,
        skipped,
        references=references,
        threshold=threshold,
        coincidence=coincidence,
    )


def gold_of(data: TaskData, answers: Sequence[RaterAnswer]) -> Gold:
    """Return the gold that the answers of raters who agree on an item make.

    Raises:
        DataError: They make none.
    """
    shape = gold_shape(data.task)
    return shape.read(published_of(data, answers))


def published_of(data: TaskData, answers: Sequence[RaterAnswer]) -> object:
    """Return the same in the published form of the task's references."""
    first = answers[0]
    index = data.index[first.item_id]
    context = sized(data.build_item(index), _context(data, index))
    try:
        return gold_shape(data.task).made_of(
            [answer.given for answer in answers], context, data.golds[index]
        )
    except DataError as error:
        raise DataError(
            f"{first.item_id}, answered by {first.rater}: {error.message}", field="given"
        ) from None


def _context(data: TaskData, index: int) -> Context:
    return data.contexts[index] if data.contexts else NO_CONTEXT
