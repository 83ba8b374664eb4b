"""Planning an evaluation: how many items its questions need, and how many answers that is."""

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
    """What an evaluation shall tell.

    Attributes:
        half_width: How close each model's score shall be known, 0..1; None: no matter.
        difference: The difference between two models that shall be found, 0..1; None: no matter.
        items: Instead of both: a number of items, to ask what it shows.
        expected: What the score is expected to rest on.
        correlation: How far two models get the same items right: `power.accuracies`.
        models: How many models are all compared with one another.
        power: The chance of finding the difference.
        level: Of the intervals and of all comparisons together.

    Raises:
        MetricError: Nothing is asked, or both kinds of question are; or there is no model.
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
            raise MetricError(f"there must be a model to plan for, not {self.models}")
        wanted = self.half_width is not None or self.difference is not None
        if wanted == (self.items is not None):
            raise MetricError(
                "ask for a half width, for a difference or for both; or give the number of items"
            )

    @property
    def comparisons(self) -> int:
        """How many pairs of models there are; one alone is compared with a later one."""
        return max(1, comb(self.models, 2))

    @property
    def test_level(self) -> float:
        """The level of one comparison, so that all together have `level` (Bonferroni).

        Holm's correction, which comparisons use, finds at least as much.
        """
        return 1 - (1 - self.level) / self.comparisons

    @property
    def differences(self) -> Differences:
        """How the differences between two models of the expected score vary.

        Raises:
            MetricError: The expected score is 0 or 1, of which no two models differ.
        """
        share, size, icc = self.expected.share, self.expected.cluster_size, self.expected.icc
        return accuracies(share, share, self.correlation, cluster_size=size, icc=icc)


class Planned(NamedTuple):
    """How many items the questions of a plan need, and what so many show.

    Attributes:
        for_half_width: Items for the half width wanted; None where none was.
        for_difference: Items for the difference wanted; None where none was.
        items: The larger of the two, or the number given; all that there are, where that is more.
        half_width: Half the width of the interval that these give.
        detectable: The smallest difference that they show; None where models can't differ.
        enough: Whether there are as many to draw from.
    """

    for_half_width: int | None
    for_difference: int | None
    items: int
    half_width: float
    detectable: float | None
    enough: bool


def planned(plan: Plan) -> Planned:
    """Work a plan out.

    The clustering of the expected score is taken for that of the differences, too: a little
    cautious, since what makes a page hard for both models drops out of a difference.

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
    """What so many items cost to ask.

    Attributes:
        answers: Items times attempts times models.
        tokens: All of these answers', None where one's are not known.
        price: Of these tokens, in the currency of the price; None where that is not known.
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
    """Add up what an evaluation costs.

    Args:
        items: How many items.
        models: How many models are asked each.
        attempts: How often each is asked.
        tokens: Of one answer, with its prompt and pictures.
        price: Of a million tokens.

    >>> costs(1000, models=3, attempts=2, tokens=1500, price=2.0)
    Costs(answers=6000, tokens=9000000, price=18.0)
    """
    answers = items * models * attempts
    spent = None if tokens is None else answers * tokens
    paid = None if spent is None or price is None else spent * price / 1e6
    return Costs(answers, spent, paid)
