"""A judge's verdicts added up, and set beside the exact metric and people's labels."""

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snellen.grading.errors import MetricError
from snellen.grading.judging.rubrics import Rubric
from snellen.grading.models.auxiliary import Agreement
from snellen.grading.models.estimates import Estimate, Interval
from snellen.grading.stats.clusters import SAME, varies
from snellen.grading.stats.correlation import correlate
from snellen.grading.stats.distributions import check_level, t_quantile
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


Weights = Literal["none", "linear", "quadratic"]
"""How much a disagreement counts: all alike, by the distance of the levels, or by its square."""


def contingency(first: ArrayLike, second: ArrayLike, levels: int) -> NDArray[np.float64]:
    """Count each pair of levels: the first rater's levels are rows, the second's columns.

    Args:
        first: The first rater's levels (n,), integers from 0.
        second: The second rater's levels of the same responses.
        levels: The number of levels.

    Raises:
        MetricError: There are no pairs, or a level is out of range.

    >>> contingency([0, 1, 1], [0, 1, 0], 2).tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    return _tables(*_codes(first, second, levels), np.zeros(np.size(first), np.int64), levels)[0]


def cohen_kappa(table: NDArray[np.float64], weights: Weights = "none") -> float | None:
    """Return Cohen's kappa of a contingency table: 1 is full agreement, 0 is chance.

    1 - (observed weighted disagreement) / (the one expected of independent raters with the same
    margins). Sources: Cohen 1960, Educational and Psychological Measurement 20; with weights Cohen
    1968, Psychological Bulletin 70. With quadratic weights it is an intraclass correlation (Fleiss
    & Cohen 1973, Educational and Psychological Measurement 33).

    None if both raters gave only one level, and the same one: chance then agrees fully.

    >>> cohen_kappa(np.array([[20.0, 5.0], [10.0, 15.0]]))
    0.4
    """
    distance = np.abs(np.subtract.outer(np.arange(len(table)), np.arange(len(table))))
    cost = {"none": distance > 0, "linear": distance, "quadratic": distance**2}[weights]
    expected = float((cost * np.outer(table.sum(axis=1), table.sum(axis=0))).sum() / table.sum())
    if not expected:
        return None
    return 1.0 - float((cost * table).sum()) / expected


def kappa_estimate(
    first: ArrayLike,
    second: ArrayLike,
    clusters: ArrayLike,
    *,
    levels: int,
    weights: Weights = "none",
    level: float = 0.95,
) -> Estimate | None:
    """Estimate Cohen's kappa with a clustered standard error.

    The standard error is the jackknife's, which leaves out one cluster at a time (Efron &
    Tibshirani 1993, An Introduction to the Bootstrap, section 11.2). The interval is the t interval
    with G - 1 degrees of freedom for G clusters.

    Args:
        first: The first rater's levels (n,), integers from 0.
        second: The second rater's levels of the same responses.
        clusters: The independent group of each response (n,): its item or its page.
        levels: The number of levels.
        weights: The weighting of disagreements.
        level: The confidence level.

    Returns:
        None if kappa is not defined: see `cohen_kappa`. There is no interval with fewer than two
        clusters, if kappa is not defined without one of them, or if leaving out a cluster never
        changes it, as in full agreement.

    Raises:
        MetricError: There are no pairs, or a level is out of range.
    """
    check_level(level)
    one, other = _codes(first, second, levels)
    groups = np.unique(np.asarray(clusters), return_inverse=True)[1]
    if groups.shape != one.shape:
        raise MetricError(f"{len(one)} pairs need as many cluster codes, not shape {groups.shape}")
    tables = _tables(one, other, groups, levels)
    whole = tables.sum(axis=0)
    value = cohen_kappa(whole, weights)
    if value is None:
        return None
    count = len(tables)
    left = [cohen_kappa(whole - table, weights) for table in tables] if count > 1 else []
    known = np.array([one for one in left if one is not None])
    error = None
    interval = None
    if count > 1 and len(known) == count and varies(known):
        spread = known - known.mean()
        error = math.sqrt((count - 1) / count * float(spread @ spread))
        half = t_quantile(0.5 + level / 2, count - 1) * error
        low, high = max(-1.0, value - half), min(1.0, value + half)
        interval = Interval(low=low, high=high, level=level, method="jackknife t")
    return Estimate(
        value=value, items=len(one), clusters=count, standard_error=error, interval=interval
    )


def _codes(
    first: ArrayLike, second: ArrayLike, levels: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    pair = np.asarray(first), np.asarray(second)
    if pair[0].shape != pair[1].shape or pair[0].ndim != 1:
        raise MetricError(f"agreement needs pairs, not shapes {pair[0].shape} and {pair[1].shape}")
    if not pair[0].size:
        raise MetricError("there are no pairs, so agreement is not defined")
    for codes in pair:
        if codes.dtype.kind not in "iu" or codes.min() < 0 or codes.max() >= levels:
            raise MetricError(f"levels must be whole numbers from 0 to {levels - 1}")
    return pair[0].astype(np.int64), pair[1].astype(np.int64)


def _tables(
    first: NDArray[np.int64], second: NDArray[np.int64], groups: NDArray[np.int64], levels: int
) -> NDArray[np.float64]:
    """Return one contingency table per group, shape (groups, levels, levels)."""
    cells = (groups * levels + first) * levels + second
    count = int(groups.max()) + 1
    return (
        np.bincount(cells, minlength=count * levels * levels)
        .astype(np.float64)
        .reshape(count, levels, levels)
    )
