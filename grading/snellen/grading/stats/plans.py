"""Planning of an evaluation: the number of items and answers that its goals need."""

from dataclasses import dataclass, field
from math import comb
from typing import NamedTuple

from snellen.grading.errors import MetricError
from snellen.grading.stats.power import (
    Differences,
    accuracies,
    minimum_detectable_difference,
    required_items,
)
from snellen.grading.stats.precision import Expected, half_width, required_for_half_width


@dataclass(frozen=True, slots=True)
class Plan:
    """The goals of an evaluation.

    Attributes:
        half_width: The required half width of each score's interval, 0..1; None: no requirement.
        difference: The difference between two models to detect, 0..1; None: no requirement.
        items: Instead of both: a number of items, to compute what it can show.
        expected: The expected score and sample.
        correlation: The correlation of two models' values over the items: `power.accuracies`.
        models: The number of models, which are all compared with each other.
        power: The probability of finding the difference.
        level: The confidence level of the intervals and of all comparisons together.

    Raises:
        MetricError: No goal is given, or both a goal and `items`; or there is no model.
    """

    half_width: float | None = None
    difference: float | None = None
    items: int | None = None
    expected: Expected = field(default_factory=Expected)
    correlation: float = 0.5
    models: int = 2
    power: float = 0.8
    level: float = 0.95

    def __post_init__(self) -> None:
        if self.models < 1:
            raise MetricError(f"a plan needs at least one model, not {self.models}")
        wanted = self.half_width is not None or self.difference is not None
        if wanted == (self.items is not None):
            raise MetricError("give a half width, a difference or both, or the number of items")

    @property
    def comparisons(self) -> int:
        """The number of pairs of models; a single model is compared with a later one."""
        return max(1, comb(self.models, 2))

    @property
    def test_level(self) -> float:
        """The level of one comparison, so that all together have `level` (Bonferroni).

        Holm's correction, which comparisons use, finds at least as much.
        """
        return 1 - (1 - self.level) / self.comparisons

    @property
    def differences(self) -> Differences:
        """The variation of the differences between two models of the expected score.

        Raises:
            MetricError: The expected score is 0 or 1, so that two models cannot differ.
        """
        share, size, icc = self.expected.share, self.expected.cluster_size, self.expected.icc
        return accuracies(share, share, self.correlation, cluster_size=size, icc=icc)


class Planned(NamedTuple):
    """The number of items that a plan needs, and what this number can show.

    Attributes:
        for_half_width: Items for the required half width; None if none is required.
        for_difference: Items for the required difference; None if none is required.
        items: The larger of the two, or the given number; at most the items that exist.
        half_width: Half the width of the interval with these items.
        detectable: The smallest difference that they detect; None if models can't differ.
        enough: Whether enough items exist.
    """

    for_half_width: int | None
    for_difference: int | None
    items: int
    half_width: float
    detectable: float | None
    enough: bool


def planned(plan: Plan) -> Planned:
    """Compute the numbers of a plan.

    The differences are assumed to be clustered like the expected score. This is conservative,
    because the difficulty of a page for both models cancels out in a difference.

    Raises:
        MetricError: As `required_for_half_width` and `required_items`.

    >>> found = planned(Plan(half_width=0.03, difference=0.03, expected=Expected(0.7)))
    >>> found.for_half_width, found.for_difference, found.items
    (894, 1834, 1834)
    """
    expected, level = plan.expected, plan.test_level
    width = difference = None
    if plan.half_width is not None:
        width = required_for_half_width(plan.half_width, expected, level=plan.level)
    if plan.difference is not None:
        difference = required_items(
            plan.difference, plan.differences, power=plan.power, level=level
        )
    wanted = plan.items or max(width or 0, difference or 0)
    items = wanted if expected.population is None else min(wanted, expected.population)
    detectable = None
    if 0 < expected.share < 1:
        detectable = minimum_detectable_difference(
            items, plan.differences, power=plan.power, level=level
        )
    shown = half_width(items, expected, level=plan.level)
    return Planned(width, difference, items, shown, detectable, enough=items == wanted)


class Costs(NamedTuple):
    """The costs of an evaluation.

    Attributes:
        answers: Items times attempts times models.
        tokens: The tokens of all answers; None if the tokens of one are unknown.
        price: The price of these tokens, in the currency of the given price; None if unknown.
    """

    answers: int
    tokens: int | None = None
    price: float | None = None


def costs(
    items: int,
    *,
    models: int = 1,
    attempts: int = 1,
    tokens: int | None = None,
    price: float | None = None,
) -> Costs:
    """Compute the costs of an evaluation.

    Args:
        items: The number of items.
        models: The number of models.
        attempts: The number of attempts per item and model.
        tokens: The tokens of one answer, with its prompt and images.
        price: The price of a million tokens.

    >>> costs(1000, models=3, attempts=2, tokens=1500, price=2.0)
    Costs(answers=6000, tokens=9000000, price=18.0)
    """
    answers = items * models * attempts
    spent = None if tokens is None else answers * tokens
    paid = None if spent is None or price is None else spent * price / 1e6
    return Costs(answers, spent, paid)
