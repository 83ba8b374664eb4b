"""Adding up: from batches of columns to the numbers of a report.

Every selected item counts once an attempt, whether it was answered or not: the denominator is
fixed before the first submission is read. Means are compensated sums, so that the order of the
submissions does not show.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from snellen.grading.grade import CODES, OUTCOMES, Answers, Columns
from snellen.grading.metrics.attempts import pass_at_k, pass_hat_k
from snellen.grading.models.reports import MetricValue
from snellen.grading.models.scores import Outcome
from snellen.grading.protocols.base import (
    AnswerValue,
    BoolArray,
    Corpus,
    Denominator,
    Gold,
    Protocol,
)


class Tally:
    """Adds up the batches of one task under one protocol.

    Args:
        protocol: What the batches were scored by.
        golds: The selected items' references, in the data's order.
        pass_mark: The primary value from which an attempt counts as passed.
    """

    def __init__(self, protocol: Protocol, golds: Sequence[Gold], pass_mark: float = 1.0) -> None:
        self.protocol = protocol
        self.items = len(golds)
        self._golds = golds
        self._answers: dict[int, list[AnswerValue | None]] = {}
        self._pass_mark = pass_mark
        self._primary = protocol.metric.keys.index(protocol.metric.primary)
        width = len(protocol.metric.keys)
        self._sums: list[list[float]] = [[] for _ in range(width)]
        self._kept_sums: list[list[float]] = [[] for _ in range(width)]
        self._kept = 0
        self._outcomes = np.zeros(len(OUTCOMES), dtype=np.int64)
        self._passes = np.zeros(self.items, dtype=np.int64)
        self.crashed = 0

    def add(self, answers: Answers, columns: Columns) -> None:
        """Add a batch; no item and attempt may come twice over all batches."""
        values = columns.values
        self._outcomes += np.bincount(columns.outcomes, minlength=len(OUTCOMES))
        self.crashed += int(columns.crashed.sum())
        passed = values[:, self._primary] >= self._pass_mark
        self._passes += np.bincount(answers.items[passed], minlength=self.items)
        if columns.answers is not None:
            self._keep(answers, columns.answers)
        kept = kept_rows(self.protocol.denominator, columns.outcomes, columns.crashed)
        everything = bool(kept.all())
        self._kept += len(kept) if everything else int(kept.sum())
        for key in range(values.shape[1]):
            column = values[:, key]
            total = math.fsum(column.tolist())
            self._sums[key].append(total)
            self._kept_sums[key].append(total if everything else math.fsum(column[kept].tolist()))

    def outcomes(self, attempts: int) -> dict[Outcome, int]:
        """How many cells (items x attempts) ended in each outcome; one without a row is missing."""
        counts = dict(zip(OUTCOMES, self._outcomes.tolist(), strict=True))
        counts[Outcome.MISSING] += self.items * attempts - sum(counts.values())
        return counts

    def metrics(self, attempts: int) -> dict[str, MetricValue]:
        """Each metric: over all cells, over the answered ones, and as published."""
        cells = self.items * attempts
        outcomes = self.outcomes(attempts)
        answered = cells - outcomes[Outcome.MISSING] - outcomes[Outcome.ERROR]
        denominator = self.protocol.denominator
        absent = cells - int(self._outcomes.sum())
        kept = self._kept if Outcome.MISSING in denominator.drops else self._kept + absent
        stopped = denominator.stops_on_crash and self.crashed > 0
        values: dict[str, MetricValue] = {}
        for key, sums, kept_sums in zip(
            self.protocol.metric.keys, self._sums, self._kept_sums, strict=True
        ):
            total = math.fsum(sums)
            values[key] = MetricValue(
                value=total / cells,
                value_answered=total / answered if answered else None,
                as_published=None if stopped or not kept else math.fsum(kept_sums) / kept,
            )
        values.update(self._whole())
        return values

    def _keep(self, answers: Answers, read: Sequence[AnswerValue | None]) -> None:
        for item, attempt, answer in zip(
            answers.items.tolist(), answers.attempts, read, strict=True
        ):
            if attempt not in self._answers:
                self._answers[attempt] = [None] * self.items
            self._answers[attempt][item] = answer

    def _whole(self) -> dict[str, MetricValue]:
        corpus = self.protocol.metric.corpus
        if corpus is None or not self._answers:
            return {}
        every = [corpus(self._golds, answers) for answers in self._answers.values()]
        answered = [self._answered(corpus, answers) for answers in self._answers.values()]
        present = [one for one in answered if one is not None]
        return {
            key: MetricValue(
                value=(mean := math.fsum(one[key] for one in every) / len(every)),
                value_answered=math.fsum(one[key] for one in present) / len(present)
                if present
                else None,
                as_published=mean,
            )
            for key in every[0]
        }

    def _answered(
        self, corpus: Corpus, answers: Sequence[AnswerValue | None]
    ) -> Mapping[str, float] | None:
        pairs = [
            (gold, answer)
            for gold, answer in zip(self._golds, answers, strict=True)
            if answer is not None
        ]
        return (
            corpus([gold for gold, _ in pairs], [answer for _, answer in pairs]) if pairs else None
        )

    def passes(self, attempts: int) -> tuple[dict[int, float], dict[int, float]]:
        """pass@k and pass^k for k = 1, 2, 4, ... up to the attempts; empty with one attempt."""
        if attempts < 2:
            return {}, {}
        ks = sorted({*(2**power for power in range(attempts.bit_length())), attempts})
        return (
            {k: float(pass_at_k(attempts, self._passes, k).mean()) for k in ks if k <= attempts},
            {k: float(pass_hat_k(attempts, self._passes, k).mean()) for k in ks if k <= attempts},
        )


def kept_rows(
    denominator: Denominator, outcomes: NDArray[np.uint8], crashed: BoolArray
) -> BoolArray:
    """Say which rows the published mean is over."""
    kept = np.ones(len(outcomes), dtype=np.bool_)
    for outcome in denominator.drops:
        kept &= outcomes != CODES[outcome]
    if denominator.drops_crashed:
        kept &= ~crashed
    return kept
