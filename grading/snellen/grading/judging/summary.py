"""A judge's verdicts added up, and set beside the exact metric and people's labels."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from snellen.grading.errors import MetricError
from snellen.grading.judging.rubrics import Rubric
from snellen.grading.models.auxiliary import Agreement
from snellen.grading.models.estimates import Estimate
from snellen.grading.stats.agreement import kappa_estimate
from snellen.grading.stats.clusters import SAME
from snellen.grading.stats.correlation import correlate
from snellen.grading.stats.summary import estimate

NONE = -1
"""Stands in an array of levels where there is none."""

JUDGE, LABELS = "judge", "labels"


@dataclass(frozen=True, slots=True)
class Ratings:
    """What judge, metric and people say of a report's scores: arrays (items x attempts,).

    Attributes:
        rubric: What the judge judged by.
        levels: The judge's verdicts; `NONE` where there is none.
        asked: Whether the judge was asked for one: the item was selected and has a response.
        selected: Whether the item was selected.
        labels: What people say; `NONE` where nobody did.
        metric: The primary metric's key.
        values: Its values, 0..1.
        passing: The value from which a response counts as right.
        lengths: The responses' lengths in characters.
        clusters: The independent group of each score.
        attempts: How many scores an item has; they stand together.
    """

    rubric: Rubric
    levels: NDArray[np.int64]
    asked: NDArray[np.bool_]
    selected: NDArray[np.bool_]
    labels: NDArray[np.int64]
    metric: str
    values: NDArray[np.float64]
    passing: float
    lengths: NDArray[np.int64] = field(repr=False)
    clusters: NDArray[np.int64] = field(repr=False)
    attempts: int = 1

    def mean(self, missing: float | None = None) -> Estimate | None:
        """Estimate the mean verdict, 0..1, over the selected items, each counted once.

        An item is the mean of its attempts. What has no response counts 0.

        Args:
            missing: What a response without a verdict counts; None leaves it out, and an item
                without any.

        Returns:
            None where nothing is left.
        """
        verdicts = self.levels / self.rubric.best
        unjudged = self.asked & (self.levels == NONE)
        verdicts[~self.asked] = 0.0
        verdicts[unjudged] = 0.0 if missing is None else missing
        counts = self.selected & ~unjudged if missing is None else self.selected
        by_item = (-1, self.attempts)
        sums = np.where(counts, verdicts, 0.0).reshape(by_item).sum(axis=1)
        sizes = counts.reshape(by_item).sum(axis=1)
        there = sizes > 0
        if not there.any():
            return None
        groups = self.clusters.reshape(by_item)[:, 0]
        return estimate(sums[there] / sizes[there], _renumbered(groups[there]))

    def agreements(self) -> tuple[Agreement, ...]:
        """Compare judge and metric, and both with people's labels where there are any."""
        passes = self.rubric.passes
        judged, labelled = self.levels != NONE, self.asked & (self.labels != NONE)
        judge, people = self.levels >= passes, self.labels >= passes
        metric = self.values >= self.passing - SAME
        found = [
            self._agreement(JUDGE, self.metric, judge, metric, judged),
            self._agreement(JUDGE, LABELS, judge, people, judged & labelled),
            self._agreement(self.metric, LABELS, metric, people, labelled),
        ]
        return tuple(one for one in found if one is not None)

    def length_correlation(self) -> float | None:
        """Correlate a response's length with how far the judge goes above the metric, by ranks.

        Above 0, longer responses please the judge more than the metric explains.
        """
        judged = self.levels != NONE
        above = self.levels[judged] / self.rubric.best - self.values[judged]
        try:
            return correlate(self.lengths[judged], above, method="spearman").coefficient
        except MetricError:
            # Fewer than two, or all alike: nothing can be said.
            return None

    def _agreement(
        self,
        first: str,
        second: str,
        one: NDArray[np.bool_],
        other: NDArray[np.bool_],
        rated: NDArray[np.bool_],
    ) -> Agreement | None:
        if not rated.any():
            return None
        one, other = one[rated], other[rated]
        clusters = _renumbered(self.clusters[rated])
        weighted = None
        if (first, second) == (JUDGE, LABELS) and self.rubric.best > 1:
            weighted = kappa_estimate(
                self.levels[rated],
                self.labels[rated],
                clusters,
                levels=self.rubric.best + 1,
                weights="quadratic",
            )
        return Agreement(
            first=first,
            second=second,
            responses=len(one),
            both=int((one & other).sum()),
            first_only=int((one & ~other).sum()),
            second_only=int((other & ~one).sum()),
            neither=int((~one & ~other).sum()),
            raw=estimate(one == other, clusters),
            kappa=kappa_estimate(one.astype(np.int64), other.astype(np.int64), clusters, levels=2),
            weighted=weighted,
        )


def _renumbered(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.unique(codes, return_inverse=True)[1]
