"""The matrix's makers by task, and the layout of its items."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import NamedTuple

from snellen.build.charts.subjects import Subject
from snellen.build.charts.tables import SEVERAL, draw_table, spec_of, written
from snellen.build.items import Made, Maker, PageItems, Refused
from snellen.build.questions.arithmetic import Figure, Series, series_of
from snellen.build.questions.spatial import rounded
from snellen.build.questions.templates import templates_of
from snellen.build.questions.text import language_of
from snellen.build.questions.wording import Question, questions_of
from snellen.build.snapshots import Snapshot
from snellen.build.writers.base import as_lines, side_of, write_rows
from snellen.build.writers.matrix import actions, charts, reasoning
from snellen.build.writers.matrix.hops import make_hops
from snellen.build.writers.matrix.pages import make_objects, make_ocr, make_spatial
from snellen.build.writers.matrix.shared import (
    PAGE,
    TASK,
    Ask,
    Reason,
    made,
    maker_of,
    refused,
)
from snellen.tasks.benchmarks.matrix.format import ITEMS

_KEYS = (
    '"kind" (one of bars for upright ones, rows for lying ones, line, pie, grouped for bars side by'
    ' side, stacked, lines for several), "labels" (a list, in the order shown) and "series" (an'
    " object from each series' name to the list of its values; a single series has the chart's"
    " title up to the word “by” for its name)"
)


def make_code(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for the data of a chart as JSON."""
    yield from charts.some(
        snapshot, random, (_spec, _spec, _series_spec, _sorted_spec, _gaps_spec), 1
    )


def _spec(random: Random, subjects: Sequence[Subject]) -> Ask:
    chart = charts.drawn(random, draw_table(random, subjects))
    return _document(
        chart, "chart as data", f"Write the chart as a JSON object of {_KEYS}.",
        spec_of(chart.table), named=False,
    )  # fmt: skip


def _series_spec(random: Random, subjects: Sequence[Subject]) -> Ask:
    chart = charts.drawn(random, draw_table(random, subjects, SEVERAL))
    series = random.choice(chart.table.series)
    return _document(
        chart,
        "one series as data",
        f"Write “{series.name}” as a JSON object from each label, in the order shown, to its"
        " value.",
        dict(zip(chart.table.labels, series.values, strict=True)),
    )


def _sorted_spec(random: Random, subjects: Sequence[Subject]) -> Ask:
    # If there are several lines, not all values are written, so their order would be a guess.
    chart = charts.drawn(
        random, draw_table(random, subjects, ("grouped", "stacked"), labelled=True)
    )
    series = random.choice(chart.table.series)
    pairs = sorted(zip(chart.table.labels, series.values, strict=True), key=lambda one: -one[1])
    return _document(
        chart,
        "one series in order",
        f"Write “{series.name}” as a JSON list of [label, value], the highest value first.",
        [list(pair) for pair in pairs],
        operations=("sort",),
    )


def _gaps_spec(random: Random, subjects: Sequence[Subject]) -> Ask:
    while True:
        table = draw_table(random, subjects, ("grouped", "stacked"), labelled=True)
        series, other_series = random.sample(table.series, 2)
        gaps = [
            [label, round(abs(first - second), 6)]
            for label, first, second in zip(
                table.labels, series.values, other_series.values, strict=True
            )
        ]
        # The order of two equal differences would be ambiguous.
        if len({gap for _, gap in gaps}) == len(gaps):
            break
    chart = charts.drawn(random, table)
    gaps.sort(key=lambda gap: -float(gap[1]))
    return _document(
        chart,
        "differences in order",
        f"Write how far “{series.name}” and “{other_series.name}” are apart as a JSON list of"
        " [label, difference], no number negative, the largest difference first.",
        gaps,
        operations=("difference", "sort"),
    )


def _document(
    chart: charts.Drawn,
    kind: str,
    question: str,
    answer: object,
    *,
    named: bool = True,
    operations: Sequence[str] = (),
) -> Ask:
    slack = chart.table.slack
    return Ask(
        "code",
        kind,
        question + (f" Numbers within {written(slack)} of the right ones count." if slack else ""),
        "spec",
        answer,
        chart.images,
        settings=charts.near(slack),
        named=named,
        operations=operations,
        record=chart.record,
    )


_COMPARED = frozenset({"highest", "lowest", "dearest", "cheapest"})


def make_lookups(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for a fact of the page, and for the difference of two numbers of a table."""
    templates = templates_of(language_of(snapshot.screen))
    if templates is None:
        yield refused("vqa", Reason.NO_LOOKUP)
        return
    questions = questions_of(snapshot, templates)
    differences = _differences(series_of(snapshot, templates))
    asks: list[Ask] = []
    if questions:
        kind = random.choice(sorted({question.kind for question in questions}))
        asks.append(_fact(snapshot, random.choice([q for q in questions if q.kind == kind])))
    if differences:
        asks.append(_apart(snapshot, *random.choice(differences)))
    for number, ask in enumerate(asks, start=1):
        yield made(snapshot, number, ask)
    if not asks:
        yield refused("vqa", Reason.NO_LOOKUP)


def _fact(snapshot: Snapshot, question: Question) -> Ask:
    screen = snapshot.screen
    element = None if question.element is None else screen.elements[question.element]
    return Ask(
        "vqa",
        question.kind,
        question.text,
        "exact_match",
        list(question.answers),
        {PAGE: snapshot.image()},
        operations=("compare",) if question.kind in _COMPARED else (),
        source="page",
        record={
            "element": question.element,
            "box": None if element is None else rounded(element.box),
        },
    )


def _differences(series: Sequence[Series]) -> Sequence[tuple[str, Figure, Figure]]:
    """Return columns with two of their numbers, the larger one first."""
    return [
        (each.column, larger, smaller)
        for each in series
        if each.column
        for larger, smaller in permutations(each.figures, 2)
        if larger.value > smaller.value
    ]


def _apart(snapshot: Snapshot, column: str, larger: Figure, smaller: Figure) -> Ask:
    return Ask(
        "vqa",
        "difference",
        f"By how much is “{column}” larger for “{larger.name}” than for “{smaller.name}”?",
        "numeric",
        float(larger.value - smaller.value),
        {PAGE: snapshot.image()},
        operations=("look up twice", "difference"),
        source="page",
        record={"elements": [larger.element, smaller.element]},
    )


MAKERS: Mapping[str, Maker] = MappingProxyType(
    {
        maker_of("object_recognition"): make_objects,
        maker_of("ocr"): make_ocr,
        maker_of("spatial_relation"): make_spatial,
        maker_of("vqa"): make_lookups,
        maker_of("multi_step"): make_hops,
        maker_of("tool_call"): actions.make_tool_calls,
        maker_of("decisions"): actions.make_decisions,
    }
)
"""The makers of items about a page, by `matrix/items/` and one of the twelve tasks.

The name seeds a maker's choices.
"""

CHARTS: Mapping[str, Maker] = MappingProxyType(
    {
        maker_of("object_recognition/charts"): charts.make_chart_objects,
        maker_of("captioning"): charts.make_captioning,
        maker_of("chart"): charts.make_charts,
        maker_of("multi_step/charts"): reasoning.make_multi_step,
        maker_of("consistency"): reasoning.make_consistency,
        maker_of("counterfactual"): reasoning.make_counterfactual,
        maker_of("code"): make_code,
        maker_of("decisions/charts"): actions.make_chart_decisions,
    }
)
"""The makers of items about generated charts, which no page shows."""


class NotMade(NamedTuple):
    """Items that can't be made from pages, which users must supply."""

    task: str  # the task of the matrix
    what: str  # the items concerned
    why: str  # the reason


NOT_MADE: tuple[NotMade, ...] = (
    NotMade(
        "object_recognition",
        "objects in photographs (`list_f1`)",
        "a page does not say what its photographs show; this needs people or labeled pictures",
    ),
    NotMade(
        "captioning",
        "free captions (`bleu`, `rougeL`)",
        "a good caption has many forms, and people have to write several; here the agent chooses"
        " a sentence. visualwebbench/web_caption uses a page's own description",
    ),
    NotMade(
        "vqa",
        "questions about photographs, or that need world knowledge",
        "the page does not say the answer, so there is no exact reference",
    ),
    NotMade(
        "code",
        "programs that are executed (`code`)",
        "tests for a program have to be written by hand; here the answer is the data of a chart"
        " (`spec`), and nothing is executed",
    ),
    NotMade(
        "decisions",
        "decisions that depend on responses of an environment",
        "a frozen page does not respond; mmbench-gui/l3 and mmbench-gui/l4 use an environment",
    ),
    NotMade(
        "multi_step",
        "items with text only, in any task",
        "an item without an image would measure something else; L1 is an image only",
    ),
)
"""Further questions of the twelve tasks, in the order of the tasks."""


def write_data(pages: Sequence[PageItems], folder: Path) -> None:
    """Write the matrix's items of all pages, one a line, into `items.jsonl`: see `write_rows`."""
    write_rows(
        pages,
        folder,
        {TASK},
        lambda _: ITEMS,
        lambda page, item: [side_of(page, item, item.row["id"])],
        as_lines,
    )
