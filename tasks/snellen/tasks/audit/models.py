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
    TEXT_ONLY = "text only"
    """Uses the page's text without its picture; a high score is no fault of an item."""


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
    WRONG_PLACE = "the prompt names another place than the one that is marked"
    TOLERANCE = "nearly any number counts as right"
    LANGUAGE = "the reference is in another language than the page"
    RECORD = "the reference is not what its record says"
    TWIN = "another item about the same thing says otherwise"
    NOT_ON_PAGE = "the reference is not what its page says"
    ANSWERED = "the page answers a question that is called unanswerable"
    UNANSWERED = "the reference is that there is no answer, and nothing says why"
    RELATIONS = "the relations are not those of the boxes"
    CHART = "the reference is not what the chart's numbers give"
    OPTION_COUNT = "it offers more or fewer options than its answers are read by"
    PLOT = "the picture does not show the chart's numbers"
    WRONG_OPTION = "another option is right"
    WRONG_BOX = "the box is not where its element is"
    FLAT = "nothing is seen in the box"
    LOOSE = "the box is much larger than what is seen in it"
    CUT = "the box cuts through what it should hold"
    TWO_PLACES = "what is asked for is in two places of the picture"
    NOT_MARKED = "what the record names is not marked in the picture"
    WRONG_MARK = "another letter stands at what the record names"
    PICTURE_SIZE = "a picture is not of the size that the item says"
    TURNED = "a picture is turned or mirrored"
    BLURRED = "a picture is blurred"
    OTHER_PAGE = "a picture is of another page"
    PAINTED = "a picture differs from its page"
    SAME_AFTER = "nothing changed between the two pictures of a pair"
    NO_CROP = "a part is not in the picture that it was cut from"
    MISREAD = "what is read in the box is not the reference"
    NOT_READ = "what the chart's data says is not read in its picture"
    NOT_ASKED_HERE = "what the question names is not read in its picture"
    SNAPSHOT = "its page's snapshot was changed after it was taken"
    NOT_MADE = "its page makes no such item"
    OTHER_PROMPT = "its page makes an item that asks otherwise"
    OTHER_REFERENCE = "its page makes an item with another reference"
    OTHER_RECORD = "its page makes an item with another record or other tags"
    OTHER_PICTURE = "its page makes an item with another picture"


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
    """One fault of one item, with the evidence. It may reveal the item's reference.

    Attributes:
        task: The task's id.
        item: The item's id.
        fault: The fault.
        expected: The expected value; empty if the fault needs none.
        found: The value found instead; empty likewise.
    """

    task: str
    item: str
    fault: Fault
    expected: str = ""
    found: str = ""


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
        findings: Every fault of every item, with the evidence, which may reveal references.
        notes: Comparisons that were not possible, and the reasons.
    """

    name: str
    seed: int
    items: int
    tasks: tuple[TaskAudit, ...]
    overall: tuple[SolverScore, ...]
    removed: tuple[RemovedItem, ...]
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
