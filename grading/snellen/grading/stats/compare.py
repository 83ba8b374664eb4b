"""Comparisons of runs on their common items: all tests and one verdict."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snellen.grading.errors import MetricError, UnknownNameError
from snellen.grading.models.comparisons import Comparison, Test, Verdict
from snellen.grading.models.estimates import Bounds, Estimate, Interval
from snellen.grading.stats.bootstrap import bootstrap_mean
from snellen.grading.stats.clusters import checked, cluster_sums, differences, is_binary, varies
from snellen.grading.stats.distributions import t_two_sided
from snellen.grading.stats.multiplicity import benjamini_hochberg, holm
from snellen.grading.stats.paired import (
    mcnemar,
    paired_difference,
    permutation_test,
    sign_test,
    t_test,
)
from snellen.grading.stats.power import detectable_difference
from snellen.grading.stats.proportions import DIFFERENCE
from snellen.grading.stats.variance import mean_variance
from snellen.grading.stats.weighted import checked_weights, weighted_mean_estimate

Correction: TypeAlias = Literal["holm", "benjamini-hochberg", "none"]

_CORRECTIONS: Mapping[str, Callable[[list[float]], NDArray[np.float64]]] = {
    "holm": holm,
    "benjamini-hochberg": benjamini_hochberg,
    "none": np.asarray,
}
LEAST_CLUSTERS = 30
"""With fewer, a percentile bootstrap is too narrow, and a comparison has none."""

_NOTES = {
    "t": "the mean difference is 0",
    "permutation": "flipping the sign of a cluster's difference changes no probability",
    "mcnemar": "as many items won as lost, signs flipped by cluster, mid-p",
    "sign": "as many items won as lost, by however much, signs flipped by cluster",
}


@dataclass(frozen=True, slots=True)
class Pair:
    """The two runs and the metric of a comparison.

    Attributes:
        first: The name of the first run.
        second: The name of the second run.
        metric: The metric whose values are compared.
        only_first: The number of items that only the first run has; they are left out.
        only_second: The number of items that only the second run has.
        attempts_differ: Whether the runs average different numbers of attempts per item. Their
            values are then on different grids: one of two equally good runs is higher on more items
            than it is lower. Tests that count items won and lost (`mcnemar`, `sign`) are then not
            valid, and are left out.
        note: A note for the reader.
    """

    first: str
    second: str
    metric: str
    only_first: int = 0
    only_second: int = 0
    attempts_differ: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Procedure:
    """The settings of a comparison.

    Attributes:
        level: The confidence level; tests use the significance level 1 - level.
        draws: The number of resamples of the bootstrap and of the permutation test.
        seed: The seed of both.
        bounds: The smallest and the largest possible difference; None if there are none.
        attempts: For `compare_all`: the number of attempts that an item's value averages, by the
            run's name; 1 for runs not named. See `Pair.attempts_differ`.
        together: The number of comparisons whose p-values are corrected together. `detectable` is
            the difference that is found even if it is the only one, at the level 1 - (1 - level) /
            together. `compare_all` sets it.
    """

    level: float = 0.95
    draws: int = 10_000
    seed: int = 0
    bounds: Bounds | None = DIFFERENCE
    attempts: Mapping[str, int] | None = None
    together: int = 1


STANDARD = Procedure()


def compare(
    first: ArrayLike,
    second: ArrayLike,
    clusters: ArrayLike | None,
    pair: Pair,
    procedure: Procedure = STANDARD,
    *,
    weights: ArrayLike | None = None,
) -> Comparison:
    """Compare two runs on the items that both have.

    The t test decides the verdict. It agrees with the interval of the difference: the interval
    excludes 0 exactly if the test finds a difference. This holds for a single comparison. `adjust`
    corrects the p-values and verdicts of several comparisons, but not their intervals. If the
    differences are all equal and not 0, t is not defined, and the permutation test decides.

    The bootstrap interval is None with fewer than `LEAST_CLUSTERS` clusters, because it would be
    too narrow. It is also None if the differences are all equal and have no bounds.

    Items of a stratified sample represent different numbers of items. With their weights, the
    means, the difference, its interval, the t test, the permutation test and the verdict apply to
    the population of the sample (`weighted_mean_estimate`). The bootstrap interval and tests that
    count items won and lost would apply to the sample, so they are left out.

    Args:
        first: The first run's values of the common items (n,), averaged over attempts.
        second: The second run's values of the same items in the same order.
        clusters: A cluster code for each item (n,); None: the items are independent.
        pair: The names of the runs and the metric.
        procedure: The settings.
        weights: The number of items that each item represents (n,), positive; None: equal weights.

    Raises:
        MetricError: The runs can't be paired, a weight is not positive, a value is not finite, a
            difference lies outside the bounds, or there are fewer than two clusters.

    >>> found = compare([1, 0, 0, 1, 0, 0], [1, 1, 1, 1, 0, 1], None, Pair("a", "b", "accuracy"))
    >>> found.difference.value, found.wins, found.losses, found.ties, found.verdict.value
    (0.5, 3, 0, 3, 'undecided')
    """
    before, after = checked(first), checked(second)
    apart = differences(before, after)
    if cluster_sums(apart, clusters).clusters < 2:
        raise MetricError("a comparison needs items from at least two clusters")
    weight = None if weights is None else checked_weights(weights, len(apart))
    if weight is not None and not varies(weight):
        weight = None
    if weight is not None and varies(apart):
        found = _weighted(apart, weight, clusters, procedure)
    else:
        found = _unweighted(before, after, clusters, pair, procedure)
    difference, error = found.difference, found.difference.standard_error
    return Comparison(
        first=pair.first,
        second=pair.second,
        metric=pair.metric,
        items=difference.items,
        clusters=difference.clusters,
        only_first=pair.only_first,
        only_second=pair.only_second,
        first_value=float(np.average(before, weights=weight)),
        second_value=float(np.average(after, weights=weight)),
        difference=difference,
        bootstrap=found.bootstrap,
        tests=found.tests,
        wins=int(np.count_nonzero(apart > 0)),
        losses=int(np.count_nonzero(apart < 0)),
        ties=int(np.count_nonzero(apart == 0)),
        correlation=_pearson(before, after) if varies(before) and varies(after) else None,
        detectable=None
        if error is None
        else detectable_difference(error, found.freedom, level=_corrected_level(procedure)),
        verdict=_verdict(found.tests, difference, procedure.level),
        note=pair.note,
    )


def compare_all(
    columns: Mapping[str, ArrayLike],
    clusters: ArrayLike | None,
    *,
    metric: str,
    baseline: str | None = None,
    correction: Correction = "holm",
    procedure: Procedure = STANDARD,
) -> tuple[Comparison, ...]:
    """Compare several runs on their common items, with p-values corrected together.

    Args:
        columns: Each run's values of the common items (n,), by its name.
        clusters: A cluster code for each item (n,); None: the items are independent.
        metric: The metric whose values are compared.
        baseline: Compare every other run with this run; None: every pair of runs.
        correction: See `adjust`.
        procedure: The settings of the comparisons.

    Raises:
        UnknownNameError: There is no run of the baseline's name.
        MetricError: There are fewer than two runs, or `compare` raises for a pair.

    >>> runs = {"a": [1, 0, 0, 1], "b": [1, 1, 1, 1], "c": [0, 0, 0, 1]}
    >>> found = compare_all(runs, None, metric="accuracy", baseline="a")
    >>> [(one.first, one.second, one.difference.value) for one in found]
    [('a', 'b', 0.5), ('a', 'c', -0.25)]
    """
    if baseline is not None and baseline not in columns:
        raise UnknownNameError("run", baseline, columns)
    if len(columns) < 2:
        raise MetricError(f"a comparison needs two runs or more, not {len(columns)}")
    if baseline is None:
        pairs = list(combinations(columns, 2))
    else:
        pairs = [(baseline, name) for name in columns if name != baseline]
    together = 1 if correction == "none" else len(pairs)
    procedure = replace(procedure, together=together)
    attempts = procedure.attempts or {}
    found: list[Comparison] = []
    for one, other in pairs:
        differ = attempts.get(one, 1) != attempts.get(other, 1)
        pair = Pair(one, other, metric, attempts_differ=differ)
        found.append(compare(columns[one], columns[other], clusters, pair, procedure))
    return adjust(found, correction, procedure)


def adjust(
    comparisons: Sequence[Comparison],
    correction: Correction = "holm",
    procedure: Procedure = STANDARD,
) -> tuple[Comparison, ...]:
    """Correct the p-values and verdicts of comparisons that are read together.

    Each kind of test is corrected separately: all t tests together, all sign tests together.
    Intervals do not change; each is for one comparison. So an interval can exclude 0 although the
    verdict is undecided. `detectable` depends on `Procedure.together` and does not change.

    Args:
        comparisons: Comparisons made by `compare`.
        correction: `holm` bounds the probability of any false finding; `benjamini-hochberg` bounds
            the share of false findings; `none` leaves p unchanged.
        procedure: The settings with which they were made; its level applies to the verdicts.

    Raises:
        UnknownNameError: There is no such correction.

    >>> runs = [[0, 0, 0, 0, 0, 1], [1, 1, 1, 1, 0, 1], [1, 0, 1, 1, 0, 1]]
    >>> found = [compare(runs[0], run, None, Pair("a", "b", "accuracy")) for run in runs[1:]]
    >>> [round(one.tests[0].adjusted, 3) for one in adjust(found)]
    [0.05, 0.076]
    """
    if correction not in _CORRECTIONS:
        raise UnknownNameError("correction", correction, _CORRECTIONS)
    adjusted: list[dict[str, float]] = [{} for _ in comparisons]
    names = dict.fromkeys(test.name for one in comparisons for test in one.tests)
    for name in names:
        found = [
            (index, test.p)
            for index, one in enumerate(comparisons)
            for test in one.tests
            if test.name == name
        ]
        corrected = _CORRECTIONS[correction]([p for _, p in found]).tolist()
        for (index, _), p in zip(found, corrected, strict=True):
            adjusted[index][name] = p
    return tuple(
        _with_adjusted(one, ps, procedure.level)
        for one, ps in zip(comparisons, adjusted, strict=True)
    )


class _TestedDifference(NamedTuple):
    """A difference with its degrees of freedom, tests and bootstrap interval."""

    difference: Estimate
    freedom: float
    tests: tuple[Test, ...]
    bootstrap: Interval | None


def _unweighted(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    clusters: ArrayLike | None,
    pair: Pair,
    procedure: Procedure,
) -> _TestedDifference:
    apart = differences(first, second)
    difference = paired_difference(
        first, second, clusters, level=procedure.level, bounds=procedure.bounds
    )
    return _TestedDifference(
        difference,
        mean_variance(apart, cluster_sums(apart, clusters)).freedom,
        _tests(first, second, clusters, pair, procedure),
        _bootstrap(apart, clusters, difference, procedure),
    )


def _weighted(
    apart: NDArray[np.float64],
    weights: NDArray[np.float64],
    clusters: ArrayLike | None,
    procedure: Procedure,
) -> _TestedDifference:
    """Compare weighted items whose differences vary."""
    difference, freedom = weighted_mean_estimate(
        apart, weights, clusters, level=procedure.level, bounds=procedure.bounds
    )
    # Flipping a cluster's sign also flips its weighted sum, so the test holds for weighted sums.
    weighted = apart * (weights / weights.max())
    ps = {
        "t": t_two_sided(difference.value / (difference.standard_error or math.inf), freedom),
        "permutation": permutation_test(
            np.zeros_like(weighted),
            weighted,
            clusters,
            draws=procedure.draws,
            seed=procedure.seed,
        ),
    }
    return _TestedDifference(difference, freedom, _as_tests(ps), None)


def _as_tests(ps: Mapping[str, float]) -> tuple[Test, ...]:
    return tuple(Test(name=name, p=p, adjusted=p, note=_NOTES[name]) for name, p in ps.items())


def _tests(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    clusters: ArrayLike | None,
    pair: Pair,
    procedure: Procedure,
) -> tuple[Test, ...]:
    """Return all tests that are defined on these values."""
    found: dict[str, float] = {}
    apart = differences(first, second)
    if varies(apart) or not apart.any():
        found["t"] = t_test(first, second, clusters)
    found["permutation"] = permutation_test(
        first, second, clusters, draws=procedure.draws, seed=procedure.seed
    )
    if not pair.attempts_differ:
        if is_binary(first) and is_binary(second):
            found["mcnemar"] = mcnemar(first, second, clusters)
        found["sign"] = sign_test(first, second, clusters)
    return _as_tests(found)


def _bootstrap(
    apart: NDArray[np.float64],
    clusters: ArrayLike | None,
    difference: Estimate,
    procedure: Procedure,
) -> Interval | None:
    """Return the bootstrap interval of the mean difference; None if it is not reliable."""
    if difference.clusters < LEAST_CLUSTERS:
        return None
    if difference.standard_error is None:
        # Resamples of equal differences are equal too, so the bootstrap gives no information.
        return difference.interval
    return bootstrap_mean(
        apart, clusters, draws=procedure.draws, seed=procedure.seed, level=procedure.level
    )


def _corrected_level(procedure: Procedure) -> float:
    """Return the level at the strictest step of Holm's and of Benjamini and Hochberg's methods."""
    return 1 - (1 - procedure.level) / procedure.together


def _verdict(tests: Iterable[Test], difference: Estimate, level: float) -> Verdict:
    """Decide by the first test: t, or the permutation test if t is not defined."""
    decisive = next(iter(tests))
    if decisive.adjusted >= 1 - level or difference.value == 0:
        return Verdict.UNDECIDED
    return Verdict.BETTER if difference.value > 0 else Verdict.WORSE


def _with_adjusted(comparison: Comparison, ps: Mapping[str, float], level: float) -> Comparison:
    """Return a comparison with new adjusted p-values and the verdict that follows from them."""
    tests = tuple(test.model_copy(update={"adjusted": ps[test.name]}) for test in comparison.tests)
    verdict = _verdict(tests, comparison.difference, level)
    return comparison.model_copy(update={"tests": tests, "verdict": verdict})


def _pearson(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    one, other = x - x.mean(), y - y.mean()
    # Scaling first prevents overflow and underflow of the squares.
    one /= np.abs(one).max()
    other /= np.abs(other).max()
    r = float(one @ other) / math.sqrt(float(one @ one) * float(other @ other))
    return min(1.0, max(-1.0, r))
