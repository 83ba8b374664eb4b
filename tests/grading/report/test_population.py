from collections.abc import Callable

from snellen.grading.models import reports
from snellen.grading.models.estimates import Estimate, Interval
from snellen.grading.models.samples import SampleDesign, Stratum
from snellen.grading.report import population
from snellen.grading.report.html import render_html
from snellen.grading.report.page import Page

MakePage = Callable[..., Page]

DESIGN = SampleDesign(
    by=("dimension", "level"),
    seed=7,
    sha256="0" * 64,
    strata=(
        Stratum(values=("action", "L1"), items=90, drawn=9, units=90, drawn_units=9),
        Stratum(values=("perception", None), core=True, items=5, drawn=5, units=5, drawn_units=5),
    ),
)
ESTIMATE = Estimate(
    value=0.5, items=14, clusters=14, interval=Interval(low=0.3, high=0.7, level=0.95, method="t")
)


def report(design: SampleDesign | None) -> reports.Report:
    return reports.Report(
        numbers=reports.Numbers(
            primary="f1",
            metrics={"f1": reports.MetricValue(value=0.6, value_answered=0.6, as_published=0.6)},
            population={} if design is None else {"f1": ESTIMATE},
        ),
        provenance=reports.Provenance(
            task="screenqa/short",
            protocol="official",
            protocol_version=1,
            items=14,
            sample=design,
            data=reports.DataPin(
                release="x", sha256="0" * 64, count=95, verdict=reports.PinVerdict.UNKNOWN
            ),
        ),
        input=reports.Input(outcomes={}),
    )


def test_a_sample_is_told_in_a_sentence() -> None:
    assert population.sample_sentence(report(DESIGN)) == (
        "A sample of 14 of 95 items, drawn by dimension and level from 2 strata, 1 of them kept"
        " whole (seed 7)."
    )
    sites = DESIGN.model_copy(update={"whole": "site"})
    assert ", each site whole from 2 strata" in population.sample_sentence(report(sites))
    assert DESIGN.strata[1].name == "perception x -"


def test_its_population_is_a_row_a_metric() -> None:
    assert list(population.population_table(report(DESIGN)).rows) == [
        ("f1", "50.00", "30.00 to 70.00")
    ]
    text = b"".join(population.population_markdown(report(DESIGN))).decode()
    assert text.splitlines()[-1] == "| f1 | 50.00 | 30.00 to 70.00 |"


def test_the_population_of_a_strange_metric_is_still_a_table() -> None:
    given = report(DESIGN)
    numbers = given.numbers.model_copy(update={"population": {"a|b\nc": ESTIMATE}})
    odd = given.model_copy(update={"numbers": numbers})
    text = b"".join(population.population_markdown(odd)).decode()
    assert text.splitlines()[-1] == r"| a\|b c | 50.00 | 30.00 to 70.00 |"


def test_what_is_no_sample_says_nothing() -> None:
    assert population.sample_sentence(report(None)) == ""
    assert list(population.population_markdown(report(None))) == []


def test_the_page_states_what_all_items_would_score(bare_page: MakePage) -> None:
    given = report(DESIGN)
    page = bare_page(items=14, sample=DESIGN, population=given.numbers.population)
    html = b"".join(render_html(page)).decode()
    assert "Over all items" in html
    assert "30.00 to 70.00" in html
    assert "A sample of 14 of 95 items" in html
    assert "Over all items" not in b"".join(render_html(bare_page())).decode()
