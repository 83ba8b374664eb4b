"""Auxiliary: numbers that stand beside a report's score and are no part of it."""

from pydantic import Field

from snellen.grading.models.base import Closed
from snellen.grading.models.estimates import Estimate
from snellen.grading.models.runs import Run


class Agreement(Closed):
    """How far two raters agree on which responses are right.

    Attributes:
        first: One rater: `judge`, a metric's key, or `labels`.
        second: The other.
        responses: How many responses both rated.
        both: How many of them both take for right.
        first_only: How many only the first does.
        second_only: How many only the second does.
        neither: How many neither does.
        raw: The share on which they agree.
        kappa: Cohen's kappa; None where it is not defined, because both always say the same.
        weighted: Cohen's kappa of the levels, with quadratic weights; None where either of the
            two rates by right and wrong alone, or it is not defined.
    """

    first: str
    second: str
    responses: int
    both: int
    first_only: int
    second_only: int
    neither: int
    raw: Estimate
    kappa: Estimate | None
    weighted: Estimate | None = None


class Auxiliary(Closed):
    """What a judge says of a report's responses.

    Attributes:
        rubric: The rubric's name and version, such as `correct@1`.
        signature: Everything that the numbers here depend on, in one line.
        run: How the judge was asked, and what that cost.
        votes: How often it was asked about each response.
        estimate: The mean verdict, 0..1, over the selected items.
        lowest: What the mean would be if every response without a verdict got the worst one.
        highest: What it would be if every one got the best.
        clustered_by: As in the report.
        items: How many items were selected for judging.
        judged: How many responses have a verdict.
        unanswered: How many item-attempts have no response to judge; they count 0, as in the
            report's own value.
        unjudged: How many responses have no verdict because the judge gave none; they are in no
            mean.
        faults: Why, and how often: the commonest reasons, counted by votes.
        unanimous: With several votes: the share of the judged responses on which all agree.
        length_correlation: Spearman's correlation of the response's length with how far the judge
            goes above the primary metric; None where it is not defined.
        agreements: How far judge, primary metric and people's labels agree.
        notes: What a reader must know.
        levels: The verdict on each of the report's scores, in their order; None without one.
    """

    rubric: str
    signature: str
    run: Run
    votes: int
    estimate: Estimate
    lowest: float
    highest: float
    clustered_by: str
    items: int
    judged: int
    unanswered: int
    unjudged: int
    faults: dict[str, int] = Field(default_factory=dict[str, int])
    unanimous: float | None = None
    length_correlation: float | None = None
    agreements: tuple[Agreement, ...] = ()
    notes: tuple[str, ...] = ()
    levels: tuple[int | None, ...] = Field(default=(), repr=False)

    @property
    def value(self) -> float:
        """The mean verdict."""
        return self.estimate.value
