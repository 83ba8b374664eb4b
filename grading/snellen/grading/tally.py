"""Aggregation of batches of columns to the numbers of a report.

Every selected item counts once per attempt, answered or not: the denominator is fixed before the
first submission is read. Sums are exact until they are divided, so the result does not depend on
the order of the submissions or on their batches.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from snellen.grading.errors import MetricError
from snellen.grading.grade import CODES, OUTCOMES, Answers, Columns
from snellen.grading.models.golds import Golds
from snellen.grading.models.reports import MeasureValue, MetricValue
from snellen.grading.models.scores import Outcome
from snellen.grading.protocols import base

# The tolerance of the pass mark: rounding can lower the value of a perfect answer.
_SLACK = 1e-9
_Known: TypeAlias = dict[tuple[int, bytes], Mapping[str, float]]
_NO_ANSWER = (CODES[Outcome.MISSING], CODES[Outcome.ERROR])


@dataclass(frozen=True, slots=True)
class _AttemptAnswers:
    """One attempt at every item, for metrics that are not a mean over items."""

    answers: list[base.AnswerValue | None]  # the parsed answers; None if unreadable
    answered: base.BoolArray  # whether each item has a response, readable or not
    kept: base.BoolArray  # whether the published number includes the item
    values: base.FloatArray  # the values of each item, items x metric keys


class _Printed(NamedTuple):
    """The sum and the number of values of a published mean."""

    total: float
    over: int


class Tally:
    """Aggregates the batches of one task under one protocol.

    Args:
        protocol: The protocol that scored the batches.
        golds: The selected items' references, in the data's order.
        pass_mark: The share of the best primary value from which an attempt counts as passed.

    Raises:
        MetricError: There are no items.
    """

    def __init__(
        self, protocol: base.Protocol, golds: Sequence[base.Gold], pass_mark: float = 1.0
    ) -> None:
        if not golds:
            raise MetricError("no items: a mean over none is not defined")
        metric = protocol.metric
        self.protocol = protocol
        self.items = len(golds)
        self._golds = Golds(golds)
        self._sittings: dict[int, _AttemptAnswers] = {}
        self._passing = pass_mark * metric.best - _SLACK
        self._primary = metric.keys.index(metric.primary)
        self._sums: list[list[float]] = [[] for _ in metric.keys]
        self._kept_sums: list[list[float]] = [[] for _ in metric.keys]
        self._kept = 0
        self._item_sums = np.zeros((self.items, len(metric.keys)), dtype=np.float64)
        self._outcomes = np.zeros(len(OUTCOMES), dtype=np.int64)
        self._passes = np.zeros(self.items, dtype=np.int64)
        self._measured: dict[str, list[base.FloatArray]] = {one.name: [] for one in metric.measures}
        self.crashed = 0

    def add(self, answers: Answers, columns: Columns) -> None:
        """Add a batch; each pair of item and attempt may occur only once over all batches.

        Raises:
            MetricError: A value is not a finite number.
        """
        values = columns.values
        if not np.isfinite(values).all():
            raise MetricError(
                f"protocol {self.protocol.name} returned a value that is not a number"
            )
        self._outcomes += np.bincount(columns.outcomes, minlength=len(OUTCOMES))
        self.crashed += int(columns.crashed.sum())
        passed = values[:, self._primary] >= self._passing
        self._passes += np.bincount(answers.items[passed], minlength=self.items)
        kept = kept_rows(self.protocol.denominator, columns.outcomes, columns.crashed)
        for name, column in columns.measures.items():
            self._measured[name].append(column[np.isfinite(column)])
        if columns.answers is not None or self.protocol.denominator.keep is not None:
            self._seat(answers, columns, kept)
        everything = bool(kept.all())
        self._kept += len(kept) if everything else int(kept.sum())
        for key in range(values.shape[1]):
            column = values[:, key]
            self._item_sums[:, key] += np.bincount(answers.items, column, minlength=self.items)
            parts = _exact_parts(column.tolist())
            self._sums[key] += parts
            self._kept_sums[key] += parts if everything else _exact_parts(column[kept].tolist())

    def outcomes(self, attempts: int) -> dict[Outcome, int]:
        """The number of cells (items x attempts) with each outcome; one without a row is missing.

        Raises:
            MetricError: There are fewer cells than added rows.
        """
        counts = dict(zip(OUTCOMES, self._outcomes.tolist(), strict=True))
        rows, cells = sum(counts.values()), self.items * attempts
        if rows > cells:
            raise MetricError(
                f"{rows} answers were added, more than {self.items} items x {attempts} attempts:"
                " an item and attempt came twice, or attempts were left out"
            )
        counts[Outcome.MISSING] += cells - rows
        return counts

    def metrics(self, attempts: int) -> dict[str, MetricValue]:
        """Each metric: over all cells, over the answered cells, and as published.

        Metrics that are not a mean over items are included if they are defined in every attempt.

        Raises:
            MetricError: As `outcomes`, or there are no attempts.
        """
        if attempts < 1:
            raise MetricError("no attempts: a mean over none is not defined")
        cells = self.items * attempts
        outcomes = self.outcomes(attempts)
        answered = cells - outcomes[Outcome.MISSING] - outcomes[Outcome.ERROR]
        denominator = self.protocol.denominator
        absent = cells - int(self._outcomes.sum())
        kept = self._kept if Outcome.MISSING in denominator.drops else self._kept + absent
        stopped = denominator.stops_on_crash and self.crashed > 0
        if denominator.keep is None:
            printed = [_Printed(math.fsum(sums), kept) for sums in self._kept_sums]
        else:
            printed = self._kept_sets(denominator.keep, attempts)
        values: dict[str, MetricValue] = {}
        for key, sums, mean in zip(self.protocol.metric.keys, self._sums, printed, strict=True):
            total = math.fsum(sums)
            some = not stopped and mean.over
            values[key] = MetricValue(
                value=total / cells,
                value_answered=total / answered if answered else None,
                as_published=mean.total / mean.over if some else None,
                published_over=mean.over if some and mean.over < cells else None,
            )
        return values | self._whole(attempts, stopped)

    def measures(self) -> dict[str, MeasureValue]:
        """Each measure over the answers that have it; none where no answer has."""
        found: dict[str, MeasureValue] = {}
        for measure in self.protocol.metric.measures:
            values = np.concatenate(self._measured[measure.name] or [np.zeros(0)])
            if len(values):
                found[measure.name] = MeasureValue(
                    unit=measure.unit,
                    better=measure.better,
                    over=measure.over,
                    answers=len(values),
                    mean=math.fsum(values.tolist()) / len(values),
                    median=float(np.median(values)),
                )
        return found

    def item_means(self, attempts: int) -> base.FloatArray:
        """Each item's mean over its attempts, items x metric keys; a missing attempt counts 0."""
        return self._item_sums / attempts

    def _kept_sets(self, keep: base.Keep, attempts: int) -> list[_Printed]:
        """Return each key's sum over the items that a rule over the set keeps."""
        columns: list[list[float]] = [[] for _ in self.protocol.metric.keys]
        for sitting in self._all_sittings(attempts):
            kept = keep(self._golds, sitting.values) & sitting.kept[:, None]
            for key, column in enumerate(columns):
                column += sitting.values[kept[:, key], key].tolist()
        return [_Printed(math.fsum(column), len(column)) for column in columns]

    def _seat(self, answers: Answers, columns: Columns, kept: base.BoolArray) -> None:
        answered = ~np.isin(columns.outcomes, _NO_ANSWER)
        read = columns.answers
        for row, (item, attempt) in enumerate(
            zip(answers.items.tolist(), answers.attempts, strict=True)
        ):
            if attempt not in self._sittings:
                self._sittings[attempt] = self._empty_sitting()
            sitting = self._sittings[attempt]
            sitting.answers[item] = None if read is None else read[row]
            sitting.values[item] = columns.values[row]
            sitting.answered[item] = answered[row]
            sitting.kept[item] = kept[row]

    def _empty_sitting(self) -> _AttemptAnswers:
        keeps = Outcome.MISSING not in self.protocol.denominator.drops
        return _AttemptAnswers(
            [None] * self.items,
            np.zeros(self.items, dtype=np.bool_),
            np.full(self.items, keeps, dtype=np.bool_),
            np.zeros((self.items, len(self.protocol.metric.keys)), dtype=np.float64),
        )

    def _all_sittings(self, attempts: int) -> list[_AttemptAnswers]:
        sittings = list(self._sittings.values())
        if len(sittings) > attempts:
            raise MetricError(f"answers of {len(sittings)} attempts were added, not of {attempts}")
        return sittings + [self._empty_sitting()] * (attempts - len(sittings))

    def _whole(self, attempts: int, stopped: bool) -> dict[str, MetricValue]:
        if self.protocol.metric.corpus is None:
            return {}
        sittings = self._all_sittings(attempts)
        known: _Known = {}
        every = self._corpora(sittings, lambda sitting: np.ones_like(sitting.answered), known)
        answered = self._corpora(sittings, lambda sitting: sitting.answered, known)
        kept = self._corpora(sittings, self._printed_rows, known)
        return {
            key: MetricValue(
                value=value,
                value_answered=_mean(answered, key),
                as_published=None if stopped else _mean(kept, key),
            )
            for key in self.protocol.metric.corpus_keys
            if (value := _mean(every, key)) is not None
        }

    def _printed_rows(self, sitting: _AttemptAnswers) -> base.BoolArray:
        keep = self.protocol.denominator.keep
        if keep is None:
            return sitting.kept
        return sitting.kept & keep(self._golds, sitting.values)[:, self._primary]

    def _corpora(
        self,
        sittings: Sequence[_AttemptAnswers],
        chosen: Callable[[_AttemptAnswers], base.BoolArray],
        known: _Known,
    ) -> list[Mapping[str, float]]:
        """Compute the corpus metrics of the selected items in every attempt that has some."""
        corpus = self.protocol.metric.corpus
        found: list[Mapping[str, float]] = []
        for index, sitting in enumerate(sittings):
            rows = chosen(sitting)
            items: list[int] = np.flatnonzero(rows).tolist()
            if corpus is None or not items:
                continue
            # Usually everything is answered and kept, and the three means are equal.
            if (same := (index, rows.tobytes())) not in known:
                golds = [self._golds[item] for item in items]
                known[same] = corpus(golds, [sitting.answers[item] for item in items])
            found.append(known[same])
        return found

    def passes(self, attempts: int) -> tuple[dict[int, float], dict[int, float]]:
        """pass@k and pass^k for k = 1, 2, 4, ... up to the attempts; empty with one attempt."""
        if attempts < 2:
            return {}, {}
        from snellen.grading.metrics.attempts import pass_at_k, pass_hat_k

        ks = sorted({*(2**power for power in range(attempts.bit_length())), attempts})
        return (
            {k: float(pass_at_k(attempts, self._passes, k).mean()) for k in ks if k <= attempts},
            {k: float(pass_hat_k(attempts, self._passes, k).mean()) for k in ks if k <= attempts},
        )


def kept_rows(
    denominator: base.Denominator, outcomes: NDArray[np.uint8], crashed: base.BoolArray
) -> base.BoolArray:
    """Return which rows the published mean includes."""
    kept = np.ones(len(outcomes), dtype=np.bool_)
    for outcome in denominator.drops:
        kept &= outcomes != CODES[outcome]
    if denominator.drops_crashed:
        kept &= ~crashed
    return kept


def _exact_parts(values: Sequence[float]) -> list[float]:
    """Return a few floats whose exact sum is that of the values, without rounding."""
    parts: list[float] = []
    while rest := math.fsum([*values, *(-part for part in parts)]):
        parts.append(rest)
    return parts


def _mean(found: Sequence[Mapping[str, float]], key: str) -> float | None:
    if not found or not all(key in each for each in found):
        return None
    return math.fsum(each[key] for each in found) / len(found)
