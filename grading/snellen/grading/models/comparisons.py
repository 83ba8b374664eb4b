"""Comparison: two runs over the same items, and whether their difference is real."""

from enum import StrEnum

from snellen.grading.models.base import Closed
from snellen.grading.models.estimates import Estimate, Interval


class Verdict(StrEnum):
    """What a comparison found at its level."""

    BETTER = "better"
    WORSE = "worse"
    UNDECIDED = "undecided"


class Test(Closed):
    """One test of the hypothesis that two runs do not differ.

    Attributes:
        name: `t`, `permutation`, `mcnemar`, `sign`.
        p: The p-value, two-sided.
        adjusted: p corrected for the number of comparisons made together; equal to p for one.
        note: What it tests, where the name does not say.
    """

    name: str
    p: float
    adjusted: float
    note: str = ""
    clustered_by: str = ""
    first_signature: str = ""
    second_signature: str = ""
    made_with: str = ""


class ItemChange(Closed):
    """One item on which two runs differ: the value in each, averaged over attempts."""

    item_id: str
    first: float
    second: float


class ComparedCell(Closed):
    """Two runs on the common items with one value of a tag.

    Attributes:
        tag: The tag.
        name: Its value.
        items: How many common items have it.
        first: The first run's mean over them, each counted as often as it stands for.
        second: The second's.
        wins: Items on which the second is better.
        losses: Items on which it is worse.
    """

    tag: str
    name: str
    items: int
    first: float
    second: float
    wins: int
    losses: int


class ComparedCost(Closed):
    """A measure of two runs, such as steps or tokens, on the items of which both state it."""

    measure: str
    unit: str
    items: int  # how many items both state it of
    first: float  # the first run's mean over them
    second: float  # the second's
    difference: Estimate  # second - first, with its clustered interval


class Comparison(Closed):
    """Two runs compared on the items that both were given, item by item.

    Attributes:
        first: The name of the first run.
        second: The name of the second.
        metric: The metric compared.
        items: How many items both have.
        clusters: How many independent groups these form.
        only_first: Items that only the first has; they are left out.
        only_second: Items that only the second has.
        first_value: The first run's mean over the common items, of a stratified sample each
            counted as often as it stands for.
        second_value: The second's.
        difference: second - first, with its clustered standard error and interval.
        bootstrap: The difference's clustered bootstrap interval; None with few groups, for which
            it would be too narrow, and for stratified samples, which it does not weigh.
        tests: Each test's p-value.
        wins: Items on which the second is better.
        losses: Items on which it is worse.
        ties: Items on which they are equal.
        correlation: Pearson's r of the two runs' item values; None where one does not vary.
        detectable: The smallest difference that this many items detect with 80 % power, at the
            level that the correction for several comparisons leaves.
        verdict: By the t-test's adjusted p (the permutation test's where t is not defined), at
            1 - the interval's level.
        note: What a reader must know, such as different protocols or data.
        clustered_by: What the independent groups are.
        first_signature: All that the first run's numbers depend on.
        second_signature: The second's.
        made_with: How several comparisons are corrected, how many were made together, and the
            seed and draws of the bootstrap, in words.
        cells: The runs by the values of the tags that were asked for; no test is made of them.
        costs: The measures that both runs have; no test is made of them.
    """

    first: str
    second: str
    metric: str
    items: int
    clusters: int
    only_first: int
    only_second: int
    first_value: float
    second_value: float
    difference: Estimate
    bootstrap: Interval | None
    tests: tuple[Test, ...]
    wins: int
    losses: int
    ties: int
    correlation: float | None
    detectable: float | None
    verdict: Verdict
    note: str = ""
    clustered_by: str = ""
    first_signature: str = ""
    second_signature: str = ""
    made_with: str = ""
    cells: tuple[ComparedCell, ...] = ()
    costs: tuple[ComparedCost, ...] = ()
