"""The results of an audit: scores of baseline solvers, and faulty items."""

from enum import StrEnum
from types import MappingProxyType

from snellen.grading.models.base import Closed
from snellen.grading.models.estimates import Estimate
from snellen.tasks.pack.format import RemovedItem


class Solver(StrEnum):
    """A way of answering that should not work."""

    BLIND = "blind"
    """Uses only the prompt."""
    LONGEST = "longest option"
    """Chooses the longest option."""
    FREQUENT = "most frequent letter"
    """Chooses the letter that is correct most often in the other half of the task's items."""
    LABEL = "most frequent label"
    """Chooses the class that is correct most often in the other half of the task's items."""
    PRIOR = "option prior"
    """Chooses the option whose text is correct most often in the other half of the task's items."""
    FIRST = "first option"
    """Chooses the first option."""
    OTHER_PAGE = "another page"
    """Gives the correct answer of an item of another page."""


class Fault(StrEnum):
    """The faults of items, in the wording of a log."""

    DUPLICATE = "asks what an earlier item asks, of the same picture"
    NEAR_DUPLICATE = "asks what an earlier item asks, of a picture that looks the same"
    CONTRADICTED = "the same question about the same picture has another reference"
    VISIBLE = "the answer stands in the prompt"
    TAGGED = "the answer stands in the item's id or public tags"
    ECHO = "only the right option repeats words of the question"
    LONGEST = "the right option stands out by its length"
    SAME_OPTIONS = "two options say the same"
    NOT_OFFERED = "the reference is none of the options"
    REPEATED_PICTURES = "two of its pictures look the same"
    BLANK = "a picture shows nothing"
    TWO_FIT = "two candidates fit the description"
    NO_BOX = "the reference's box has no area"
    OUTSIDE = "the reference's box leaves the picture"
    WHOLE = "the reference's box is nearly the whole picture"
    EMPTY = "the reference is empty"
    DISAGREES = "accepted answers contradict one another"
    EVERYWHERE = "the same answer is right on most other pages"

    NO_QUESTION = "it asks nothing"
    WRONG_SIZE = "the prompt names another size or space than its picture's"


FAULTED_BY = MappingProxyType(
    {
        Fault.VISIBLE: Solver.BLIND,
        Fault.TAGGED: Solver.BLIND,
        Fault.ECHO: Solver.BLIND,
        Fault.LONGEST: Solver.LONGEST,
        Fault.EVERYWHERE: Solver.OTHER_PAGE,
    }
)
"""The solvers that profit from a fault."""


class Finding(Closed):
    """One fault of one item. It may reveal the item's reference."""

    task: str
    item: str
    fault: Fault


class SolverScore(Closed):
    """The score of a solver.

    Attributes:
        solver: The solver.
        items: The number of items that it can answer.
        score: Its mean in the protocol's primary metric.
        chance: The score of guessing on these items; None if unknown.
        lift: The score minus chance, with its interval; None if chance is unknown.
        solved: The number of items with the best possible value.
        at_fault: The faulty items among these.
    """

    solver: Solver
    items: int
    score: float
    chance: float | None
    lift: Estimate | None
    solved: int
    at_fault: tuple[str, ...] = ()


class TaskAudit(Closed):
    """One task's part of an audit.

    Attributes:
        task: The task's id.
        items: The number of items.
        solvers: The score of each solver.
        faults: The number of items with each fault; an item with several faults counts for each.
        removed: The number of items to remove.
    """

    task: str
    items: int
    solvers: tuple[SolverScore, ...]
    faults: dict[Fault, int]
    removed: int


class Audit(Closed):
    """The result of an audit.

    Attributes:
        name: The name of the pack.
        seed: The seed of the choice of other pages.
        items: The number of items.
        tasks: The results by task.
        overall: The solvers over all tasks that they can answer; the chance is the mean of the
            tasks', weighted by their items.
        removed: The faulty items, with the first fault of each.
        findings: Every fault of every item, which may reveal references.
    """

    name: str
    seed: int
    items: int
    tasks: tuple[TaskAudit, ...]
    overall: tuple[SolverScore, ...]
    removed: tuple[RemovedItem, ...]
    findings: tuple[Finding, ...] = ()
