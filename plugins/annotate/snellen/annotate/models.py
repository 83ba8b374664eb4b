"""What raters answered, how far they agree, and which references their answers speak against."""

from collections.abc import Sequence

from pydantic import Field, JsonValue

from snellen.grading.models.base import Closed
from snellen.grading.models.estimates import Estimate


class RaterAnswer(Closed):
    """What a rater answered to an item.

    Attributes:
        task: The task's id.
        item_id: The item's id.
        rater: Who answered.
        given: The answer: a text, an option's letter, a list of texts, or of what asks for a place
            the box [left, top, right, bottom] of the element, in pixels of the original image;
            None: the rater can't tell.
        reason: Why not; empty where there is an answer.
        at: When, in milliseconds since 1970; 0: nobody says.
        source: Where it was given: `page`, or the program that it was imported from.
    """

    task: str
    item_id: str
    rater: str = Field(min_length=1)
    given: JsonValue = Field(default=None, repr=False)
    reason: str = ""
    at: int = 0
    source: str = "page"


class RatedItem(Closed):
    """An item, and whose answers agree.

    Attributes:
        item_id: The item's id.
        wrong: The probability that its reference is wrong, 0..1; None: it was not asked.
        agree: Who agrees with the reference.
        others: Who does not, those together who agree with one another, the largest group first.
        skipped: Who can't tell.
    """

    item_id: str
    wrong: float | None
    agree: tuple[str, ...]
    others: tuple[tuple[str, ...], ...]
    skipped: tuple[str, ...]

    @property
    def disputed(self) -> bool:
        """Whether somebody disagrees, with the reference or with another rater."""
        return len(self.others) > (0 if self.wrong is not None else 1)


class RaterCard(Closed):
    """A rater.

    Attributes:
        rater: Who it is.
        answers: How many answers.
        skipped: To how many items they can't tell.
        ceiling: The primary metric of their answers against the references; None: not asked.
        accuracy: How often they are right, by the model that finds suspicious references.
    """

    rater: str
    answers: int
    skipped: int
    ceiling: Estimate | None
    accuracy: float | None


class RaterReport(Closed):
    """How raters did on a task.

    Attributes:
        task: The task's id.
        protocol: What graded them, with its version.
        metric: Its primary metric.
        threshold: The share of the best value from which two answers agree.
        items: How many items have an answer.
        answers: How many answers.
        skipped: How often a rater could not tell.
        unjudged: How many answers could not be graded, by no fault of theirs; left out.
        ceiling: The mean of the metric of raters' answers against the references: what people score
            where an agent is scored; None: references were not asked.
        agreement: The mean of the metric of raters' answers, each with another rater's answer for a
            reference; None: no item has two answers.
        right: The share of the references that are right, by the model.
        raters: The raters, by name.
        rated: The items, the most suspicious first.
    """

    task: str
    protocol: str
    metric: str
    threshold: float
    items: int
    answers: int
    skipped: int
    unjudged: int
    ceiling: Estimate | None
    agreement: Estimate | None
    right: float | None
    raters: tuple[RaterCard, ...]
    rated: tuple[RatedItem, ...]

    def suspects(self, least: float = 0.5) -> Sequence[RatedItem]:
        """Return the items whose references are probably wrong, the most probable first."""
        return [item for item in self.rated if item.wrong is not None and item.wrong >= least]

    @property
    def disputed(self) -> Sequence[RatedItem]:
        """The items about which somebody disagrees."""
        return [item for item in self.rated if item.disputed]
