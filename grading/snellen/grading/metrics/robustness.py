"""The effect of a change of the page on a score (WebRSSBench tasks T5-T7).

Scores lie in 0..1 here, as everywhere (-1..1 for raw cosines). The only exception is R, which the
paper defines on percentage points: 100 means no change, 0 a gap of 20 points.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from snellen.grading.errors import MetricError

Output = TypeVar("Output")


@dataclass(frozen=True, slots=True)
class Robustness:
    """Scores of the same items before and after a perturbation.

    Attributes:
        before: Mean score on the clean pages.
        after: Mean score on the perturbed pages.
        delta: before - after; negative if the perturbation helped.
        drop: |delta|, from unrounded means (as the paper's Table 2 was made).
        r: (20 - drop in points) * 5, on the paper's scale of 0..100; negative past 20 points.
        r_clamped: `r`, at least 0. (It never exceeds 100.)
        sensitivity: delta / before, the share of the score that was lost; None unless before is
            positive. The paper mentions a sensitivity index but does not define it; this definition
            is ours.
        unchanged: Share of items with the same output before and after; None if not given.
        n: Number of items.
    """

    before: float
    after: float
    delta: float
    drop: float
    r: float
    r_clamped: float
    sensitivity: float | None
    unchanged: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Flips:
    """The 2x2 table of correct and wrong answers before and after, for a McNemar test."""

    both_right: int
    broke: int
    fixed: int
    both_wrong: int

    @property
    def n(self) -> int:
        """Number of items."""
        return self.both_right + self.broke + self.fixed + self.both_wrong


@dataclass(frozen=True, slots=True)
class UnchangedBounds:
    """The possible shares of unchanged answers given two accuracies (`unchanged_bounds`)."""

    lowest: float
    highest: float

    def hold(self, unchanged: float, *, tolerance: float = 0.0) -> bool:
        """Whether the share is possible; `tolerance` covers the rounding of printed numbers."""
        return self.lowest - tolerance <= unchanged <= self.highest + tolerance


def robustness_index(delta: float) -> float:
    """R = (20 - gap in percentage points) * 5 (WebRSSBench Fig. 2), not clamped.

    The gap is absolute: an improvement under a perturbation also lowers R. R does not measure
    quality; a model that always scores 0 has R = 100.

    Args:
        delta: Difference of two scores in 0..1, of either sign.

    Raises:
        MetricError: If the difference is not finite.

    >>> robustness_index(0.25), robustness_index(-0.25)
    (-25.0, -25.0)
    """
    if not math.isfinite(delta):
        raise MetricError(f"R of a gap of {delta} is not defined")
    return (20.0 - 100.0 * abs(delta)) * 5.0


def robustness(
    before: Sequence[float | None],
    after: Sequence[float | None],
    *,
    unchanged: float | None = None,
) -> Robustness:
    """Compare the scores of the same items before and after.

    Args:
        before: One score per item, -1..1 (0..1 except for raw cosines).
        after: The same items in the same order.
        unchanged: Share of unchanged outputs, from `unchanged_share`.

    Raises:
        MetricError: If there are no items, the lengths differ, or a score is None, NaN or out of
            range. A failed answer scores 0. Resolve a score that is missing because of a fault
            before the call; dropping it would change the denominator.

    >>> robustness([1, 1, 0.5, 0], [1, 1, 0, 0]).r
    37.5
    """
    clean, perturbed = _scores(before, "before"), _scores(after, "after")
    _check_paired(len(clean), len(perturbed))
    mean_before = math.fsum(clean) / len(clean)
    mean_after = math.fsum(perturbed) / len(perturbed)
    delta = mean_before - mean_after
    r = robustness_index(delta)
    return Robustness(
        before=mean_before,
        after=mean_after,
        delta=delta,
        drop=abs(delta),
        r=r,
        r_clamped=max(r, 0.0),
        sensitivity=delta / mean_before if mean_before > 0 else None,
        unchanged=unchanged,
        n=len(clean),
    )


def unchanged_share(
    before: Sequence[Output], after: Sequence[Output], same: Callable[[Output, Output], bool]
) -> float:
    """Share of items whose output stayed the same (WebRSSBench Table 4, "self-compare").

    The paper does not define when a free text is unchanged, so `same` decides.

    Raises:
        MetricError: If there are no items or the lengths differ.

    >>> unchanged_share(["Buy now", "Sign up"], ["BUY NOW", "Log in"],
    ...                 lambda a, b: a.casefold() == b.casefold())
    0.5
    """
    _check_paired(len(before), len(after))
    return sum(same(a, b) for a, b in zip(before, after, strict=True)) / len(before)


def flips(before: Sequence[bool], after: Sequence[bool]) -> Flips:
    """Count which answers broke and which were fixed.

    Raises:
        MetricError: If there are no items or the lengths differ.

    >>> flips([True, True, False, False], [True, False, True, False])
    Flips(both_right=1, broke=1, fixed=1, both_wrong=1)
    """
    _check_paired(len(before), len(after))
    pairs = [(bool(a), bool(b)) for a, b in zip(before, after, strict=True)]
    return Flips(
        both_right=pairs.count((True, True)),
        broke=pairs.count((True, False)),
        fixed=pairs.count((False, True)),
        both_wrong=pairs.count((False, False)),
    )


def unchanged_bounds(before: float, after: float) -> UnchangedBounds:
    """Bounds on the share of unchanged answers, given the accuracies before and after.

    If an item has a single accepted answer, two correct answers are the same answer. So at least
    before + after - 1 of the answers are unchanged. An answer that became correct or wrong has
    changed, so at least |before - after| of them have changed. A published table that violates a
    bound has an error.

    Args:
        before: Accuracy in 0..1.
        after: Accuracy in 0..1.

    Raises:
        MetricError: If an accuracy lies outside 0..1.

    >>> unchanged_bounds(0.75, 0.5)
    UnchangedBounds(lowest=0.25, highest=0.75)
    """
    for accuracy in (before, after):
        if not 0 <= accuracy <= 1:
            raise MetricError(f"an accuracy must lie in 0..1, not {accuracy}")
    return UnchangedBounds(max(0.0, before + after - 1.0), 1.0 - abs(before - after))


def _scores(scores: Sequence[float | None], side: str) -> list[float]:
    checked: list[float] = []
    for index, score in enumerate(scores):
        if score is None or not -1 <= score <= 1:
            raise MetricError(f"item {index} scores {score} {side}; scores lie in 0..1")
        checked.append(score)
    return checked


def _check_paired(before: int, after: int) -> None:
    if before != after:
        raise MetricError(f"{before} items before and {after} after: they must be the same items")
    if not before:
        raise MetricError("the robustness of no items is not defined")
