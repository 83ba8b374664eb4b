"""Report: the numbers of one set of stored answers under one protocol, and what they rest on."""

from enum import StrEnum

from pydantic import Field

from snellen.grading.models.auxiliary import Auxiliary
from snellen.grading.models.base import Closed
from snellen.grading.models.estimates import Chance, Estimate
from snellen.grading.models.runs import Run
from snellen.grading.models.samples import SampleDesign
from snellen.grading.models.scores import Outcome


class MetricValue(Closed):
    """One metric over all selected items, in 0..1.

    Attributes:
        value: The mean over every selected item and attempt; what could not be scored adds 0.
        value_answered: The mean over those that have a response; None when none has.
        as_published: What the published code would print: it drops or crashes where that code
            does. None when the whole run crashes there.
    """

    value: float
    value_answered: float | None
    as_published: float | None


class PinVerdict(StrEnum):
    """How the data at hand compares with the releases that are known."""

    KNOWN = "known"
    FIRST_SEEN = "first seen"
    SEEN_BEFORE = "seen before"
    DIFFERS = "differs"
    UNKNOWN = "unknown"


class DataPin(Closed):
    """Which data was graded against.

    Attributes:
        release: The published release it is, such as `v1.2`, or `unknown`.
        sha256: The digest of the file's bytes (of the canonical JSON for references given in
            memory), 64 hexadecimal digits.
        count: The questions in it.
        verdict: How it compares with the releases that are known.
        note: What differs, or what else to know of the data, in a sentence; mostly empty.
        path: Where it was read; None for references given in memory.
    """

    release: str
    sha256: str
    count: int
    verdict: PinVerdict
    note: str = ""
    path: str | None = None


class ProblemKind(StrEnum):
    """What was wrong with a line or a record of the input."""

    MALFORMED = "malformed"
    WRONG_TYPE = "wrong type"
    DUPLICATE = "duplicate"
    UNKNOWN_ITEM = "unknown item"
    TOO_LONG = "too long"
    TRUNCATED = "truncated"


class Problem(Closed):
    """One thing wrong with the input, where it is, and what became of it."""

    kind: ProblemKind
    message: str
    file: str | None = None
    line: int | None = None
    field: str | None = None


class Report(Closed):
    """The scores of one set of answers under one protocol, added up.

    Attributes:
        task: The task's id, such as `screenqa/short`.
        protocol: The protocol's id.
        protocol_version: Its version.
        primary: The metric that `value` is.
        signature: Everything that the numbers depend on, in one line.
        items: How many items were selected.
        attempts: How many attempts an item.
        metrics: Each metric, by its key.
        estimates: How sure each metric's `value` is, by its key; metrics that are no mean over
            items have none.
        clustered_by: The tag whose values are the independent groups of items; `item` where
            every item is its own.
        tag_coverage: How tags given from outside were joined to the items; empty without any.
        chance: What blind guessing scores, with a sample on all items that it was drawn from; None
            where it can't be known from the data at hand.
        run: How the model was asked, where snellen asked it.
        outcomes: How many item-attempts ended in each outcome; they add up to items x attempts.
        incomplete: Whether any is missing or an error.
        data: The data graded against.
        split: The data's split; None for references given in memory.
        subset: Whether `items=` selected some of the items.
        sample: How they were drawn, where `items=` is a stratified sample.
        population: With a sample: each metric over all items that it was drawn from, estimated.
        crashed: Item-attempts on which the published code raises.
        pass_mark: The primary value, as a share of its best, from which an attempt passes.
        pass_at: With several attempts: k to pass@k, the chance that one of k attempts passes.
        pass_hat: k to pass^k, the chance that all k attempts pass.
        ceiling: Each metric of the raters themselves: each rater's answer against the others'.
        ceiling_items: How many items have several raters; the ceiling is over them.
        problems: What was wrong with the input, the first of each kind in full.
        problem_counts: How often each kind occurred.
        not_selected: Submissions to items that exist but were not selected.
        warnings: What would mislead who reads the number: coordinates in another space.
        auxiliary: What judges say of the responses, by the judge's name; no part of any number
            above.
    """

    task: str
    protocol: str
    protocol_version: int
    primary: str
    signature: str
    items: int
    attempts: int
    metrics: dict[str, MetricValue]
    estimates: dict[str, Estimate] = Field(default_factory=dict[str, Estimate])
    clustered_by: str = "item"
    tag_coverage: str = ""
    chance: Chance | None = None
    run: Run | None = None
    outcomes: dict[Outcome, int]
    incomplete: bool
    data: DataPin
    split: str | None = None
    subset: bool = False
    sample: SampleDesign | None = None
    population: dict[str, Estimate] = Field(default_factory=dict[str, Estimate])
    crashed: int = 0
    pass_mark: float = 1.0
    pass_at: dict[int, float] = Field(default_factory=dict[int, float])
    pass_hat: dict[int, float] = Field(default_factory=dict[int, float])
    ceiling: dict[str, float] = Field(default_factory=dict[str, float])
    ceiling_items: int = 0
    problems: tuple[Problem, ...] = ()
    problem_counts: dict[ProblemKind, int] = Field(default_factory=dict[ProblemKind, int])
    not_selected: int = 0
    warnings: tuple[str, ...] = ()
    auxiliary: dict[str, Auxiliary] = Field(default_factory=dict[str, Auxiliary])

    @property
    def value(self) -> float:
        """The primary metric over all selected items."""
        return self.metrics[self.primary].value

    @property
    def lift(self) -> float | None:
        """How far the primary metric lies above what blind guessing scores; None if unknown.

        Of a stratified sample both are those of all items that it was drawn from.
        """
        if self.chance is None:
            return None
        whole = self.population.get(self.primary)
        return (self.value if whole is None else whole.value) - self.chance.value

    @property
    def model(self) -> str | None:
        """Who answered, where that is known."""
        return None if self.run is None else self.run.model
