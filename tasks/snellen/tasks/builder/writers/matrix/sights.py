"""Visual questions about charts: kinds of marks, outliers, and captions."""

from collections.abc import Iterator, Sequence
from random import Random

from snellen.tasks.builder.charts.subjects import Subject
from snellen.tasks.builder.charts.tables import (
    KINDS,
    NAMES,
    SEVERAL,
    SINGLE,
    Table,
    apart,
    draw_table,
)
from snellen.tasks.builder.items import Made, Refused
from snellen.tasks.builder.snapshots import Snapshot
from snellen.tasks.builder.writers.matrix.charts import choice, drawn, some
from snellen.tasks.builder.writers.matrix.shared import Ask, lettered, some_of

_KINDS_OFFERED = 4


def make_objects(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for the kind of a chart, the mark with another color, or the color of a series."""
    yield from some(snapshot, random, (_chart_kind, _odd_bar, _series_color), 1)


def make_captioning(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask which of four sentences describes a chart."""
    yield from some(snapshot, random, (_extremes_caption, _pairs_caption), 1)


# ---- Objects


def _chart_kind(random: Random, subjects: Sequence[Subject]) -> Ask:
    offered = random.sample(KINDS, _KINDS_OFFERED)
    # The chart is drawn after the options, so that each is equally likely to be correct.
    chart = drawn(random, draw_table(random, subjects, [random.choice(offered)]))
    names = [NAMES[kind] for kind in offered]
    options = some_of(random, NAMES[chart.table.kind], names)
    return choice(
        chart,
        "object_recognition",
        "chart kind",
        "What does the chart show its values with?",
        options,
        named=False,
    )


def _odd_bar(random: Random, subjects: Sequence[Subject]) -> Ask:
    table = draw_table(random, subjects, ("bars", "rows"))
    marked = random.randrange(len(table.labels))
    chart = drawn(random, table, marked=marked)
    options = some_of(random, table.labels[marked], table.labels)
    return choice(
        chart,
        "object_recognition",
        "odd color",
        "One bar has another color than all the others. Which one?",
        options,
        named=False,
        record={"marked": marked},
    )


def _series_color(random: Random, subjects: Sequence[Subject]) -> Ask:
    chart = drawn(random, draw_table(random, subjects, SEVERAL))
    place = random.randrange(len(chart.table.series))
    colors = chart.style.colors[: max(len(chart.table.series), 4)]
    options = some_of(random, colors[place], colors)
    return choice(
        chart,
        "object_recognition",
        "series color",
        f"Which color does “{chart.table.series[place].name}” have in the chart?",
        options,
        record={"colors": list(colors)},
    )


# ---- Sentences


def _extremes_caption(random: Random, subjects: Sequence[Subject]) -> Ask:
    table = draw_table(random, subjects, SINGLE)
    values = dict(zip(table.labels, table.series[0].values, strict=True))
    high, low = max(values, key=values.__getitem__), min(values, key=values.__getitem__)
    others = random.sample([label for label in table.labels if label not in {high, low}], 2)
    # Each label is in two sentences, so that shared words reveal nothing.
    sentences = [
        f"{table.title}: the highest value is that of {first}, the lowest that of {second}."
        for first in (high, others[0])
        for second in (low, others[1])
    ]
    return _caption(random, table, "extremes", sentences[0], sentences[1:])


def _pairs_caption(random: Random, subjects: Sequence[Subject]) -> Ask:
    while True:
        table = draw_table(random, subjects, SINGLE)
        one, two, three, four = random.sample(
            list(zip(table.labels, table.series[0].values, strict=True)), 4
        )
        if apart(table, one[1], two[1]) and apart(table, three[1], four[1]):
            break
    ways = {True: "more", False: "less"}
    first, second = ways[one[1] > two[1]], ways[three[1] > four[1]]
    sentences = {
        (left, right): f"{table.title}: {one[0]} has {left} than {two[0]}, and {three[0]} has"
        f" {right} than {four[0]}."
        for left in ways.values()
        for right in ways.values()
    }
    others = [sentence for key, sentence in sentences.items() if key != (first, second)]
    return _caption(random, table, "comparisons", sentences[first, second], others)


def _caption(random: Random, table: Table, kind: str, right: str, others: Sequence[str]) -> Ask:
    chart = drawn(random, table)
    options = lettered(random, right, others)
    return choice(
        chart,
        "captioning",
        kind,
        "Which of the sentences describes the chart?",
        options,
    )
