"""Judges stand apart in a report: under their own heading, in words that promise nothing."""

import pytest

from snellen.grading.models.auxiliary import Agreement, Auxiliary
from snellen.grading.models.estimates import Estimate, Interval
from snellen.grading.models.runs import Run
from snellen.grading.report.auxiliary import agreement_table, remarks, verdict_table

HALF = Interval(low=0.25, high=0.75, level=0.95, method="wilson")
KAPPA = Estimate(
    value=0.5,
    items=10,
    clusters=10,
    interval=Interval(low=-0.1, high=1.0, level=0.95, method="jackknife t"),
)


def agreement(first: str, second: str, weighted: Estimate | None = None) -> Agreement:
    return Agreement(
        first=first,
        second=second,
        responses=10,
        both=5,
        first_only=1,
        second_only=2,
        neither=2,
        raw=Estimate(value=0.7, items=10, clusters=10),
        kappa=None if second == "f1" else KAPPA,
        weighted=weighted,
    )


ONE = Auxiliary(
    rubric="correct@1",
    signature="judge:owl|rubric:correct@1",
    run=Run(model="owl", api="openai", prompt="correct@1"),
    votes=3,
    estimate=Estimate(value=0.5, items=12, clusters=4, interval=HALF),
    lowest=0.4,
    highest=0.6,
    clustered_by="image_id",
    items=14,
    judged=10,
    unanswered=2,
    unjudged=2,
    faults={"timed out": 1, "no verdict: 'yes'": 4},
    unanimous=0.9,
    length_correlation=0.31,
    agreements=(agreement("judge", "f1"), agreement("judge", "labels", KAPPA)),
    notes=("the judge is the model that answered",),
)


def test_a_verdict_has_its_interval_and_its_counts() -> None:
    assert list(map(list, verdict_table({"judge:owl/correct@1": ONE}).rows)) == [
        ["owl/correct@1", "50.00", "25.00 to 75.00", "10", "2", "2"]
    ]


def test_agreement_has_a_dash_where_kappa_is_not_defined() -> None:
    assert list(map(list, agreement_table(ONE).rows)) == [
        ["judge, f1", "10", "70.00", "-", "-", "5", "1", "2", "2"],
        ["judge, people", "10", "70.00", "0.50", "-0.10 to 1.00", "5", "1", "2", "2"],
    ]


def test_the_remarks_say_what_bounds_the_mean_and_the_commonest_fault_first() -> None:
    said = list(remarks(ONE))
    assert said[0] == "Note: the judge is the model that answered."
    assert "2 of 12 responses have no verdict" in said[1]
    assert "40.00 or 60.00" in said[1]
    assert said[2] == "No verdict, 4 times: no verdict: 'yes'"
    assert "kappa of 0.50 (quadratic weights)" in said[4]
    assert said[5] == "All 3 votes agree on 90.00 % of the judged responses."
    assert said[6].startswith("Longer responses please the judge")


@pytest.mark.parametrize(("length", "word"), [(-0.5, "Shorter"), (0.1, None), (None, None)])
def test_length_is_told_where_it_matters(length: float | None, word: str | None) -> None:
    said = list(remarks(ONE.model_copy(update={"length_correlation": length})))
    assert any("please the judge" in each for each in said) == (word is not None)
    assert word is None or any(each.startswith(word) for each in said)


def test_a_clean_judge_needs_no_remark() -> None:
    clean = {"unjudged": 0, "notes": (), "unanimous": None, "length_correlation": None}
    assert not list(remarks(ONE.model_copy(update={**clean, "agreements": ()})))
