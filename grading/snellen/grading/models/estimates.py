"""Estimate: a number, how sure it is, and how that was found."""

from typing import NamedTuple

from pydantic import Field

from snellen.grading.models.base import Closed

LEAST = 10
"""Cells with fewer items than this say too little to be shown, unless asked for."""


class Interval(Closed):
    """A confidence interval.

    Attributes:
        low: Its lower end.
        high: Its upper end.
        level: The share of repetitions whose interval holds the true value, such as 0.95.
        method: How it was found: `t`, `wilson`, `wilson, all equal`, `bootstrap percentile`,
            `bootstrap bca`, `bootstrap t`, `jackknife t`, `clopper-pearson`,
            `mover`.
    """

    low: float
    high: float
    level: float = Field(gt=0, lt=1)
    method: str


class Estimate(Closed):
    """The mean of a metric over items, with its uncertainty.

    Attributes:
        value: The mean over the items, each counted once.
        items: How many items.
        clusters: How many independent groups of items (screenshots, pages, sites).
        standard_error: Of the mean, clustered; None with fewer than two clusters, or where all
            values are equal.
        interval: None where it is not defined, such as with fewer than two clusters.
        design_effect: The clustered variance as a multiple of what independent items would
            give; None where either is not defined.
    """

    value: float
    items: int
    clusters: int
    standard_error: float | None = None
    interval: Interval | None = None
    design_effect: float | None = None


class Cell(Closed):
    """One value of a tag: how many items have it, and their estimate.

    Attributes:
        name: The tag's value.
        items: How many items have it.
        estimate: None where the cell is blanked, because it holds fewer items than asked for.
    """

    name: str
    items: int
    estimate: Estimate | None


class Breakdown(Closed):
    """A metric by the values of a tag.

    Attributes:
        tag: The tag, or several joined by ` x `.
        metric: The metric's key.
        cells: One a value, in the tag's order.
        covered: How many items have the tag.
        items: How many items there are.
        least: Cells with fewer items are blanked.
    """

    tag: str
    metric: str
    cells: tuple[Cell, ...]
    covered: int
    items: int
    least: int


class Chance(Closed):
    """What blind guessing scores, and how it guesses.

    Attributes:
        value: The expected primary metric of the guess, 0..1.
        guess: The guess, in a few words: `one of 8 options at random`.
    """

    value: float
    guess: str


class Bounds(NamedTuple):
    """The smallest and the largest value that a metric can take."""

    low: float = 0.0
    high: float = 1.0
