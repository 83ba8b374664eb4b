"""Report: the numbers of one set of stored answers under one protocol, and what they rest on.

Three groups: `numbers`, `provenance` (all that the numbers depend on, and so the signature) and
`input` (what became of the answers).
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Literal

from pydantic import Field

from snellen.grading.errors import SubmissionError
from snellen.grading.models.base import Closed, digest_of
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
        published_over: How many items times attempts that mean is over, where the published code
            leaves some out; None where it is over all, or prints nothing.
    """

    value: float
    value_answered: float | None
    as_published: float | None
    published_over: int | None = None


class MeasureValue(Closed):
    """A number beside the metrics, in its own unit; it is never the score.

    Answers that do not have it, and missing ones, are left out: they are no 0.

    Attributes:
        unit: What it counts: `px`, `s`, `steps`.
        better: Whether the `lower` or the `higher` one is better.
        over: The answers that have it, in a few words.
        answers: How many they are.
        mean: Their mean.
        median: Their median, which no outlier moves.
    """

    unit: str
    better: Literal["lower", "higher"]
    over: str
    answers: int
    mean: float
    median: float


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


class Corrected(Closed):
    """Which corrections the references have.

    Attributes:
        name: The name of the corrections.
        sha256: Their digest.
        path: Their file; None for those that snellen includes.
        replaced: How many references were replaced.
        excluded: How many items do not count.
        other: How many corrections do not apply because the item has another reference.
    """

    name: str
    sha256: str
    path: str | None = None
    replaced: int = 0
    excluded: int = 0
    other: int = 0


MOST_PROBLEMS = 20
"""The number of an input's problems that are named one by one."""


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


class Problems(Closed):
    """The first problems of an input, by line.

    Attributes:
        count: The number of all problems.
        first: The first `MOST_PROBLEMS` of them.
    """

    count: int = 0
    first: tuple[Problem, ...] = ()

    @classmethod
    def of(cls, found: Iterable[Problem], count: int) -> "Problems":
        """Return the first problems of some that hold the first of each kind."""
        by_line = sorted(found, key=lambda problem: problem.line or 0)
        return cls(count=count, first=tuple(by_line[:MOST_PROBLEMS]))


class UnreadableError(SubmissionError):
    """A file can't be graded; `problems` has what is wrong with its lines."""

    def __init__(self, problems: Problems, error: SubmissionError) -> None:
        self.problems = problems
        super().__init__(error.message, file=error.file, line=error.line, field=error.field)


class AsPublished(Closed):
    """What published code scores the same answers, where the protocol is our reader.

    Attributes:
        protocol: The published protocol, such as `official@1`.
        metric: Its primary metric.
        value: The number that the published code prints; None where its run stops.
        reads: What it reads, and what the numbers count.
        otherwise: How many answers have another value by it.
    """

    protocol: str
    metric: str
    value: float | None
    reads: str
    otherwise: int


class Numbers(Closed):
    """What the answers score.

    Attributes:
        primary: The metric that `Report.value` is.
        metrics: Each metric, by its key.
        measures: What is told beside the metrics, in units of its own, by its name.
        estimates: How sure each metric's `value` is, by its key; metrics that are no mean over
            items have none.
        clustered_by: The tag whose values are the independent groups of items; `item` where
            every item is its own.
        population: With a sample: each metric over all items that it was drawn from, estimated.
        chance: What blind guessing scores, with a sample on all items that it was drawn from; None
            where it can't be known from the data at hand.
        uncorrected: The primary metric without the corrections of the references; None where there
            are none.
        as_published: The number as published; None where the protocol is itself published.
        ceiling: Each metric of the raters themselves: each rater's answer against the others'.
        ceiling_items: How many items have several raters; the ceiling is over them.
        pass_at: With several attempts: k to pass@k, the chance that one of k attempts passes.
        pass_hat: k to pass^k, the chance that all k attempts pass.
    """

    primary: str
    metrics: dict[str, MetricValue]
    measures: dict[str, MeasureValue] = Field(
        default_factory=dict[str, MeasureValue], exclude_if=lambda found: not found
    )
    estimates: dict[str, Estimate] = Field(default_factory=dict[str, Estimate])
    clustered_by: str = "item"
    population: dict[str, Estimate] = Field(default_factory=dict[str, Estimate])
    chance: Chance | None = None
    uncorrected: MetricValue | None = Field(default=None, exclude_if=lambda found: found is None)
    as_published: AsPublished | None = Field(default=None, exclude_if=lambda found: found is None)
    ceiling: dict[str, float] = Field(default_factory=dict[str, float])
    ceiling_items: int = 0
    pass_at: dict[int, float] = Field(default_factory=dict[int, float])
    pass_hat: dict[int, float] = Field(default_factory=dict[int, float])

    @property
    def headline(self) -> MetricValue:
        """The primary metric."""
        return self.metrics[self.primary]

    @property
    def estimate(self) -> Estimate | None:
        """How sure the primary metric's `value` is."""
        return self.estimates.get(self.primary)

    @property
    def whole(self) -> Estimate | None:
        """With a sample: the primary metric over all items that it was drawn from."""
        return self.population.get(self.primary)


class Provenance(Closed):
    """All that the numbers depend on.

    Attributes:
        task: The task's id, such as `screenqa/short`.
        protocol: The protocol's id.
        protocol_version: Its version.
        data: The data graded against.
        corrected: Which corrections its references have; None: they are as published.
        split: The data's split; None for references given in memory.
        items: How many items were selected.
        selected: The digest of the selected items' ids, its first 16 digits; None: all of them.
        sample: How they were drawn, where `items=` is a stratified sample.
        embedder: The embedder that the protocol compares with; empty where it uses none.
        code_run: Whether programs among the answers were run.
        run: How the model was asked, where snellen asked it.
        door: What episodes were acted in by, where it was not their screens alone: `tools`, or
            `screen+tools`; empty otherwise.
        time: How time passed in episodes of MiniWoB++: `stepped`, `real`, or `real+stepped`; empty
            where none says it.
        read_as: What the caller said of the format, the space and the view of the answers, as
            `grade` took it; empty where nothing was said.
        attempts: How many attempts an item.
        pass_mark: The primary value, as a share of its best, from which an attempt passes.
        snellen: The version that graded.
    """

    task: str
    protocol: str
    protocol_version: int
    data: DataPin
    corrected: Corrected | None = Field(default=None, exclude_if=lambda found: found is None)
    split: str | None = None
    items: int
    selected: str | None = None
    sample: SampleDesign | None = None
    embedder: str = ""
    code_run: bool = False
    run: Run | None = None
    door: str = ""
    time: str = ""
    read_as: str = ""
    attempts: int = 1
    pass_mark: float = 1.0
    snellen: str = ""

    @property
    def protocol_name(self) -> str:
        """The protocol's id with its version: `official@1`."""
        return f"{self.protocol}@{self.protocol_version}"

    @property
    def cells(self) -> int:
        """How many items times attempts: what every value is divided by."""
        return self.items * self.attempts

    @property
    def subset(self) -> bool:
        """Whether `items=` selected some of the items."""
        return self.selected is not None

    @property
    def parts(self) -> dict[str, str]:
        """What a signature says after the task, by name and in its order."""
        parts = {
            "data": f"{self.data.release}:sha256:{self.data.sha256[:16]}",
            "protocol": self.protocol_name,
            "n": f"{self.items}",
        }
        if self.corrected is not None:
            parts["corrections"] = f"{self.corrected.name}:sha256:{self.corrected.sha256[:16]}"
        if self.embedder:
            parts["embedder"] = self.embedder
        if self.code_run:
            parts["code"] = "run"
        if self.run is not None:
            side = self.run.max_view_side
            parts["model"] = self.run.model
            if self.run.prompt.startswith("recipe:"):
                parts["recipe"] = self.run.prompt.removeprefix("recipe:")
            else:
                parts["prompt"] = self.run.prompt
                parts["view"] = "native" if side is None else f"{side}"
            parts["decoding"] = digest_of(self.run.decoding)[:16]
        if self.read_as:
            parts["read"] = self.read_as
        if self.selected is not None:
            parts["items"] = f"sha256:{self.selected}"
        if self.sample is not None:
            parts["sample"] = f"sha256:{self.sample.sha256[:16]}"
        if self.attempts > 1:
            parts["attempts"] = f"{self.attempts}"
            if self.pass_mark != 1:
                parts["pass"] = f"{self.pass_mark:g}"
        if self.door:
            parts["door"] = self.door
        if self.time:
            parts["time"] = self.time
        parts["snellen"] = self.snellen
        return parts

    @property
    def signature(self) -> str:
        """All that the numbers depend on, in one line."""
        return "|".join([self.task, *(f"{name}:{value}" for name, value in self.parts.items())])


class Notice(Closed):
    """A warning with fields, so that a script can act on it.

    Attributes:
        code: What it is about: `space`, `direction`, `unjudged`, `not-offered`, `outside`, `note`,
            `models`, `input`, `verdicts`, `corrections`.
        message: The sentence.
        count: How many answers it is about; None where it is about all of them.
        protocol: The protocol to grade with instead; empty for none.
        space: The space to declare for the answers (`space=`, `--space`); empty for none.
    """

    code: str
    message: str
    count: int | None = None
    protocol: str = ""
    space: str = ""


class Input(Closed):
    """What became of the answers that were handed in.

    Attributes:
        outcomes: How many item-attempts ended in each outcome; they add up to items x attempts.
        crashed: Item-attempts on which the published code raises.
        tag_coverage: How tags given from outside were joined to the items; empty without any.
        problems: What was wrong with the input, the first of each kind in full.
        problem_counts: How often each kind occurred.
        not_selected: Submissions to items that exist but were not selected.
        warnings: What would mislead who reads the number: coordinates in another space.
        notices: The same warnings with fields.
    """

    outcomes: dict[Outcome, int]
    crashed: int = 0
    tag_coverage: str = ""
    problems: tuple[Problem, ...] = ()
    problem_counts: dict[ProblemKind, int] = Field(default_factory=dict[ProblemKind, int])
    not_selected: int = 0
    warnings: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()

    @property
    def unanswered(self) -> int:
        """How many item-attempts have no response: they are missing or ended in an error."""
        return self.outcomes.get(Outcome.MISSING, 0) + self.outcomes.get(Outcome.ERROR, 0)

    @property
    def incomplete(self) -> bool:
        """Whether any item-attempt has no response."""
        return self.unanswered > 0


class Report(Closed):
    """The scores of one set of answers under one protocol, added up.

    Attributes:
        numbers: What the answers score.
        provenance: All that the numbers depend on.
        input: What became of the answers.
    """

    numbers: Numbers
    provenance: Provenance
    input: Input

    @property
    def task(self) -> str:
        """The task's id, such as `screenqa/short`."""
        return self.provenance.task

    @property
    def signature(self) -> str:
        """Everything that the numbers depend on, in one line."""
        return self.provenance.signature

    @property
    def metrics(self) -> dict[str, MetricValue]:
        """Each metric, by its key."""
        return self.numbers.metrics

    @property
    def value(self) -> float:
        """The primary metric over all selected items."""
        return self.numbers.headline.value

    @property
    def lift(self) -> float | None:
        """How far the primary metric lies above what blind guessing scores; None if unknown.

        Of a stratified sample both are those of all items that it was drawn from.
        """
        if self.numbers.chance is None:
            return None
        whole = self.numbers.whole
        value = self.value if whole is None else whole.value
        return value - self.numbers.chance.value

    @property
    def model(self) -> str | None:
        """Who answered, where that is known."""
        run = self.provenance.run
        return None if run is None else run.model
