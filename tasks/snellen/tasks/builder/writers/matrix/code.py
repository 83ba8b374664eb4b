"""Charts as data: the drawn table as JSON; no code is executed."""

from collections.abc import Iterator, Sequence
from random import Random

from snellen.tasks.builder.charts.subjects import Subject
from snellen.tasks.builder.charts.tables import SEVERAL, draw_table, spec_of, written
from snellen.tasks.builder.items import Made, Refused
from snellen.tasks.builder.snapshots import Snapshot
from snellen.tasks.builder.writers.matrix.charts import Drawn, drawn, near, some
from snellen.tasks.builder.writers.matrix.shared import Ask

_KEYS = (
    '"kind" (one of bars for upright ones, rows for lying ones, line, pie, grouped for bars side by'
    ' side, stacked, lines for several), "labels" (a list, in the order shown) and "series" (an'
    " object from each series' name to the list of its values; a single series has the chart's"
    " title up to the word “by” for its name)"
)


def make_code(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for the data of a chart as JSON."""
    yield from some(snapshot, random, (_spec, _spec, _series_spec, _sorted_spec, _gaps_spec), 1)


def _spec(random: Random, subjects: Sequence[Subject]) -> Ask:
    chart = drawn(random, draw_table(random, subjects))
    return _document(
        chart, "chart as data", f"Write the chart as a JSON object of {_KEYS}.",
        spec_of(chart.table), named=False,
    )  # fmt: skip


def _series_spec(random: Random, subjects: Sequence[Subject]) -> Ask:
    chart = drawn(random, draw_table(random, subjects, SEVERAL))
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
    chart = drawn(random, draw_table(random, subjects, ("grouped", "stacked"), labelled=True))
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
    chart = drawn(random, table)
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
    chart: Drawn,
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
        settings=near(slack),
        named=named,
        operations=operations,
        record=chart.record,
    )
