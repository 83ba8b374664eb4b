"""A page's own arithmetic."""

from collections.abc import Callable

import pytest

from snellen.grading.models.estimates import Chance, Estimate
from snellen.grading.models.scores import Outcome
from snellen.grading.report.page import Change, Page

MakePage = Callable[..., Page]
MakeEstimate = Callable[..., Estimate]


@pytest.mark.parametrize(
    ("before", "after", "resilience"),
    [
        (0.5, 0.5, 100.0),
        (0.8, 0.755, 77.5),
        (0.7, 0.832, 34.0),
        (0.8, 0.6, 0.0),
        (0.9, 0.65, -25.0),
    ],
)
def test_resilience_is_that_of_the_paper(
    make_estimate: MakeEstimate, before: float, after: float, resilience: float
) -> None:
    change = Change("color", make_estimate(before), make_estimate(after))
    assert change.resilience == pytest.approx(resilience, abs=1e-9)
    assert change.gap == pytest.approx(after - before)


def test_the_headline_is_the_primary_metric(full_page: MakePage) -> None:
    page = full_page()
    assert page.report.numbers.primary == "f1"
    assert page.report.value == page.report.numbers.headline.value == 0.6


def test_lift_is_the_value_less_chance(bare_page: MakePage) -> None:
    page = bare_page(chance=Chance(value=0.125, guess="one of 8 options at random"))
    assert page.report.lift == pytest.approx(0.475)
    assert bare_page().report.lift is None


def test_the_unanswered_are_the_missing_and_the_errors(bare_page: MakePage) -> None:
    outcomes = {Outcome.ANSWERED: 580, Outcome.EMPTY: 5, Outcome.MISSING: 7, Outcome.ERROR: 8}
    page = bare_page(outcomes=outcomes, attempts=2)
    assert (page.report.input.unanswered, page.report.provenance.cells) == (15, 600)
