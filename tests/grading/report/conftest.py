"""Pages made by hand: one that fills every section, and one that fills none."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from snellen.grading.models import reports
from snellen.grading.models.estimates import Breakdown, Cell, Chance, Estimate, Interval
from snellen.grading.models.runs import Run, Usage
from snellen.grading.models.scores import Outcome
from snellen.grading.report import page
from snellen.grading.table import Column, Kind, Table

NASTY = (
    "</script><script>document.title='broken'</script>",
    "<img src=x onerror=\"document.title='broken'\">",
    "<!-- <script> --!><svg/onload=document.title='broken'>",
    "\u2028\u2029 \"quote\" 'single' \\ & &lt;b&gt;",
    "javascript:document.title='broken'",
    "\ud800 half a pair",
    "\x00\x07\x1b control",
    "{{ 7*7 }} {% raw %} ${7*7}",
    "`code` and `<b>more</b>`",
    "العربية עברית 日本語 🦉",
)

MakePage = Callable[..., page.Page]
MakeEstimate = Callable[..., Estimate]


def _estimate(value: float, half: float = 0.03, items: int = 300, **more: Any) -> Estimate:
    interval = Interval(low=value - half, high=value + half, level=0.95, method="t")
    fields: dict[str, Any] = {
        "clusters": items,
        "standard_error": half / 1.96,
        "interval": interval,
        **more,
    }
    return Estimate(value=value, items=items, **fields)


def _table(name: str) -> Table:
    columns = (Column(name, Kind.TEXT), *(Column(f"measured {n}") for n in range(12)))
    rows = ((name, *(n / 12 for n in range(12))), ("empty", *[None] * 12))
    return Table(name, columns, rows, name, name)


def _bare(**more: Any) -> page.Page:
    """Make a page; each field given goes to the group of the report that has it, or to the page."""
    fields: dict[str, Any] = {
        "task": "screenqa/short",
        "protocol": "official",
        "protocol_version": 1,
        "primary": "f1",
        "items": 300,
        "metrics": {"f1": reports.MetricValue(value=0.6, value_answered=0.6, as_published=0.6)},
        "outcomes": {Outcome.ANSWERED: 300},
        "data": reports.DataPin(
            release="v1.2", sha256="ab" * 32, count=300, verdict=reports.PinVerdict.KNOWN
        ),
        **more,
    }

    def taken(model: type[BaseModel]) -> dict[str, Any]:
        return {name: fields.pop(name) for name in model.model_fields if name in fields}

    report = reports.Report(
        numbers=reports.Numbers(**taken(reports.Numbers)),
        provenance=reports.Provenance(**taken(reports.Provenance)),
        input=reports.Input(**taken(reports.Input)),
        **taken(reports.Report),
    )
    return page.Page(report, **fields)


def _row(number: int, dice: random.Random, answer: str) -> page.ItemRow:
    value = dice.choice([0.0, 0.5, 2 / 3, 1.0])
    return page.ItemRow(
        item_id=f"test/{number // 3}/{number % 3}",
        attempt=0,
        outcome=dice.choice([Outcome.ANSWERED, Outcome.UNPARSED]),
        values=(value, float(value == 1)),
        question=f"Look at the screen.\n\nQuestion: what is in row {number}?",
        answer=answer,
        parsed="12" if number % 9 == 0 else None,
        note="a note" if number % 40 == 0 else "",
        failures=() if value == 1 else (dice.randrange(2),),
        tags=(f"screen {number // 3}", dice.choice(["web", "mobile", None])),
    )


def _full(name: str = "a model", count: int = 60, **more: Any) -> page.Page:
    dice = random.Random(3)
    rows = [
        _row(number, dice, NASTY[number % len(NASTY)] if number < 20 else f"answer {number}")
        for number in range(count)
    ]
    cells = (
        Cell(name=name, items=200, estimate=_estimate(0.4, 0.05, 200)),
        Cell(name="tiny", items=4, estimate=None),
        Cell(name="rest", items=96, estimate=_estimate(0.7, 0.08, 96)),
    )
    metric = reports.MetricValue(value=0.6, value_answered=0.65, as_published=0.65)
    fields: dict[str, Any] = {
        "items": 300,
        "title": name,
        "metrics": {
            "exact_match": reports.MetricValue(value=0.5, value_answered=0.52, as_published=None),
            "f1": metric,
        },
        "estimates": {"f1": _estimate(0.6, clusters=120, design_effect=1.8)},
        "ceiling": {"f1": 0.9},
        "outcomes": {Outcome.ANSWERED: 260, Outcome.UNPARSED: 30, Outcome.ERROR: 10},
        "clustered_by": "screen",
        "chance": Chance(value=0.1, guess=name),
        "ceiling_items": 290,
        "breakdowns": (
            Breakdown(tag=name, metric="f1", cells=cells, covered=298, items=300, least=10),
        ),
        "alternatives": (page.ProtocolValue("robust@1", "f1", 0.66, 3),),
        "differences": (
            page.Difference(
                "official@1",
                "robust@1",
                "f1",
                0.65,
                0.66,
                (
                    page.PartShare("parser", 0.03, name, name),
                    page.PartShare("metric", -0.02, "a", "b"),
                ),
                note=name,
            ),
        ),
        "calibration": (
            page.CalibrationRow(
                "this run", 0.6, page.CalibrationKind.RUN, "", _estimate(0.6).interval
            ),
            page.CalibrationRow("chance", 0.1, page.CalibrationKind.CHANCE, name),
            page.CalibrationRow(name, 0.55, page.CalibrationKind.PUBLISHED, "a paper, table 1"),
            page.CalibrationRow(name, 0.7, page.CalibrationKind.PUBLISHED, "a paper, table 1"),
        ),
        "changes": (page.Change(name, _estimate(0.8), _estimate(0.7), _estimate(-0.1)),),
        "curves": (
            page.Curve(
                (page.CurvePoint(0, 0), page.CurvePoint(0.5, 0.5), page.CurvePoint(1, 0.5)),
                {"eqa": 0.25},
                0.5,
                4,
            ),
        ),
        "failures": (
            page.FailureCount("extra-words", 90, "Words too many.", name),
            page.FailureCount("numbers-differ", 40, "Other numbers.", "Look at digits."),
        ),
        "failed": 180,
        "pass_at": {1: 0.6, 3: 0.8},
        "pass_hat": {1: 0.6, 3: 0.3},
        "run": Run(
            model=name,
            api="openai",
            prompt="a-prompt-1",
            decoding={"temperature": 0},
            usage=Usage(requests=301, input_tokens=1_000_000, seconds=12.5),
        ),
        "problems": (
            reports.Problem(
                kind=reports.ProblemKind.DUPLICATE, message=name, file="a.jsonl", line=3
            ),
        ),
        "problem_counts": {reports.ProblemKind.DUPLICATE: 1},
        "item_list": page.ItemList(rows, ("f1", "exact_match"), ("screen", "platform")),
        "warnings": (name,),
        "summaries": (_table(name),),
        "published": (_table(name), _table("Every number")),
    }
    return _bare(**{**fields, **more})


@pytest.fixture
def bare_page() -> MakePage:
    """Make a page with nothing but a number; fields given replace its own."""
    return _bare


@pytest.fixture(scope="session")
def full_page() -> MakePage:
    """Make a page in which every section has something, all of it called `name`."""
    return _full


@pytest.fixture
def make_estimate() -> MakeEstimate:
    """Make an estimate with an interval of a given half width."""
    return _estimate


@pytest.fixture(params=NASTY, ids=range(len(NASTY)))
def nasty(request: pytest.FixtureRequest) -> str:
    """A text that would break a page that is not careful."""
    return request.param
