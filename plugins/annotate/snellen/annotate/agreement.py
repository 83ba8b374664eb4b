"""Raters in the benchmark's own metric: the human ceiling, agreement, suspicious references."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.annotate.models import RatedItem, RaterCard, RaterReport
from snellen.annotate.suspicion import COINCIDENCE, suspicion
from snellen.grading.errors import MetricError
from snellen.grading.grade import CODES, Answers, Grader
from snellen.grading.models.estimates import Estimate
from snellen.grading.models.golds import Golds
from snellen.grading.models.scores import Outcome
from snellen.grading.protocols.base import Context, FloatArray, IntArray
from snellen.grading.stats.summary import estimate

THRESHOLD = 0.5
"""The share of the best value from which an answer agrees with a reference."""

_SLACK = 1e-9


class RaterColumns(NamedTuple):
    """Raters' answers to a task, a row each."""

    items: IntArray  # the index of each answer's item among the task's
    raters: Sequence[str]  # who gave it
    responses: Sequence[object]  # what is graded
    made: Golds  # each answer as a reference, in the form that golds have


class Task(NamedTuple):
    """A task that raters answered.

    Attributes:
        task: Its id.
        ids: Its items' ids.
        grader: Its protocol, made ready for its references.
        contexts: What parsers may know of the items, or empty.
        clusters: The number of each item's independent group; None: each is its own.
    """

    task: str
    ids: Sequence[str]
    grader: Grader
    contexts: Sequence[Context] = ()
    clusters: IntArray | None = None


class _Pairs(NamedTuple):
    """Every two answers to one item by two raters, in both orders."""

    answers: IntArray  # the row of the answer
    references: IntArray  # the row of the answer that is its reference
    values: FloatArray  # the primary metric


def rater_report(
    task: Task,
    given: RaterColumns,
    skipped: Sequence[tuple[str, str]] = (),
    *,
    references: bool = True,
    threshold: float = THRESHOLD,
    coincidence: float = COINCIDENCE,
) -> RaterReport:
    """Grade raters like an agent, and one another, and find suspicious references.

    An item counts once, with the mean over its raters, and intervals are clustered like those of a
    report: they are of the items, not of other raters that one could have asked. In `agreement`
    each answer is graded with each other rater's answer to the item as its only reference; a metric
    that is fitted on references is fitted on those.

    An answer agrees with the reference from `threshold` of the metric's best value on. Answers that
    do not are one where either reaches it against the other, or both do against a third.

    Args:
        task: The task.
        given: The answers; no rater answers an item twice.
        skipped: Item ids and raters who can't tell.
        references: Whether the references are asked; without, only raters are compared.
        threshold: From which share of the best value on two answers agree, above 0, at most 1.
        coincidence: How often two wrong answers are the same (`stats.suspicion`).

    Raises:
        MetricError: There are no answers, or `threshold` is no such share.
    """
    if not 0 < threshold <= 1:
        raise MetricError(f"a threshold is a share above 0 and up to 1, not {threshold:g}")
    metric = task.grader.protocol.metric
    primary = metric.keys.index(metric.primary)
    mark = threshold * metric.best - _SLACK
    whole = task.grader.batch(Answers(given.items, [0] * len(given.raters), given.responses))
    kept = np.flatnonzero(whole.outcomes != CODES[Outcome.ERROR]) if references else None
    unjudged = 0 if kept is None else len(given.raters) - len(kept)
    if kept is not None and unjudged:
        given = _only(given, kept)
    if not len(given.raters):
        raise MetricError(f"no answer to {task.task} can be graded")
    values = whole.values[:, primary] if kept is None else whole.values[kept, primary]
    pairs = _pairs(task, given, primary)
    classes = _classes(given, values >= mark if references else None, pairs, mark)
    names = sorted({*given.raters, *(rater for _, rater in skipped)})
    codes = np.array([names.index(rater) for rater in given.raters], np.int64)
    indexes, rows = np.unique(given.items, return_inverse=True)
    found = suspicion(rows, codes, classes, coincidence=coincidence) if references else None
    silent: dict[str, list[str]] = {}
    for item, rater in skipped:
        silent.setdefault(item, []).append(rater)
    rated = [
        _item(
            task.ids[int(index)],
            np.flatnonzero(rows == row),
            given,
            classes,
            None if found is None else float(found.wrong[row]),
            silent,
        )
        for row, index in enumerate(indexes.tolist())
    ]
    rated.sort(key=lambda item: (-(item.wrong or 0), -len(item.others), item.item_id))
    cards = tuple(
        RaterCard(
            rater=name,
            answers=int((codes == code).sum()),
            skipped=sum(rater == name for _, rater in skipped),
            ceiling=_mean(task, given.items[codes == code], values[codes == code])
            if references
            else None,
            accuracy=float(found.accuracies[code])
            if found is not None and code < len(found.accuracies) and (codes == code).any()
            else None,
        )
        for code, name in enumerate(names)
    )
    return RaterReport(
        task=task.task,
        protocol=task.grader.protocol.name,
        metric=metric.primary,
        threshold=threshold,
        items=len(indexes),
        answers=len(given.raters),
        skipped=len(skipped),
        unjudged=unjudged,
        ceiling=_mean(task, given.items, values) if references else None,
        agreement=_mean(task, given.items[pairs.answers], pairs.values),
        right=None if found is None else found.right,
        raters=cards,
        rated=tuple(rated),
    )


def _only(given: RaterColumns, kept: IntArray) -> RaterColumns:
    chosen: list[int] = kept.tolist()
    return RaterColumns(
        given.items[kept],
        [given.raters[row] for row in chosen],
        [given.responses[row] for row in chosen],
        given.made.at(chosen),
    )


def _pairs(task: Task, given: RaterColumns, primary: int) -> _Pairs:
    by_item: dict[int, list[int]] = {}
    for row, item in enumerate(given.items.tolist()):
        by_item.setdefault(item, []).append(row)
    both = [
        (row, other)
        for rows in by_item.values()
        for row in rows
        for other in rows
        if row != other and given.raters[row] != given.raters[other]
    ]
    answers = np.array([row for row, _ in both], np.int64)
    others = np.array([other for _, other in both], np.int64)
    if not both:
        return _Pairs(answers, others, np.zeros(0))
    indexes: list[int] = given.items.tolist()
    contexts = [task.contexts[item] for item in indexes] if task.contexts else []
    judge = Grader.of(task.grader.protocol, given.made, contexts)
    responses = [given.responses[row] for row in answers.tolist()]
    graded = judge.batch(Answers(others, [0] * len(both), responses))
    known = graded.outcomes != CODES[Outcome.ERROR]
    return _Pairs(answers[known], others[known], graded.values[known, primary])


def _classes(
    given: RaterColumns, agrees: NDArray[np.bool_] | None, pairs: _Pairs, mark: float
) -> IntArray:
    """Number each item's different answers; 0 is the reference's, if it is asked."""
    count = len(given.raters)
    apart = np.ones(count, np.bool_) if agrees is None else ~agrees
    first = list(range(count))

    def root(row: int) -> int:
        while first[row] != row:
            row = first[row]
        return row

    for row, other, value in zip(
        pairs.answers.tolist(), pairs.references.tolist(), pairs.values.tolist(), strict=True
    ):
        if value >= mark and apart[row] and apart[other]:
            first[max(root(row), root(other))] = min(root(row), root(other))
    numbers: dict[int, dict[int, int]] = {}
    classes = np.zeros(count, np.int64)
    for row in np.flatnonzero(apart).tolist():
        own = numbers.setdefault(int(given.items[row]), {})
        classes[row] = own.setdefault(root(row), len(own) + 1)
    return classes


def _item(
    item_id: str,
    rows: IntArray,
    given: RaterColumns,
    classes: IntArray,
    wrong: float | None,
    silent: dict[str, list[str]],
) -> RatedItem:
    groups: dict[int, list[str]] = {}
    indexes: list[int] = rows.tolist()
    for row in indexes:
        groups.setdefault(int(classes[row]), []).append(given.raters[row])
    agree = groups.pop(0, [])
    others = sorted((tuple(sorted(each)) for each in groups.values()), key=lambda g: (-len(g), g))
    return RatedItem(
        item_id=item_id,
        wrong=wrong,
        agree=tuple(sorted(agree)),
        others=tuple(others),
        skipped=tuple(sorted(silent.get(item_id, []))),
    )


def _mean(task: Task, items: IntArray, values: FloatArray) -> Estimate | None:
    """Estimate the mean over items of the mean over their answers; None: there are none."""
    if not len(items):
        return None
    indexes, rows = np.unique(items, return_inverse=True)
    means = np.bincount(rows, values) / np.bincount(rows)
    clusters = None if task.clusters is None else task.clusters[indexes]
    return estimate(means.clip(0, 1), clusters)
