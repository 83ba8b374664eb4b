"""Charts: questions about their values and their looks, and code shared by their makers.

A chart is drawn for each item from a random table, so that it is new and every answer is known
exactly. If the values are not written beside their marks, the question states the tolerance.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from snellen.build.charts.drawing import draw_chart
from snellen.build.charts.styles import Style, draw_style
from snellen.build.charts.subjects import Subject, subjects_of
from snellen.build.charts.tables import (
    KINDS,
    NAMES,
    SEVERAL,
    SINGLE,
    Series,
    Table,
    apart,
    draw_table,
    spec_of,
    written,
)
from snellen.build.items import Made, Refused
from snellen.build.questions.text import folded
from snellen.build.snapshots import Snapshot
from snellen.build.writers.matrix.shared import Ask, Lettered, lettered, made, some_of

_WORD = 4
_CLEAR = 8
_KINDS_OFFERED = 4
_SUBJECTS = 4
"""The number of subjects ordered in time, and of others, that a page's words select."""

Asker = Callable[[Random, Sequence[Subject]], Ask]
"""Draws a chart and asks about it."""


class Drawn(NamedTuple):
    """A chart: its table, its style and its image."""

    table: Table
    style: Style
    png: bytes

    @property
    def images(self) -> dict[str, bytes]:
        """The image by its name."""
        return {"chart": self.png}

    @property
    def record(self) -> dict[str, Any]:
        """The content of the chart."""
        table = self.table
        return {"chart": spec_of(table), "written": not table.slack, "step": table.step}


def drawn(random: Random, table: Table, *, note: str = "", marked: int | None = None) -> Drawn:
    """Draw a table in a random style."""
    style = draw_style(random)
    return Drawn(table, style, draw_chart(table, style, note=note, marked=marked))


def subjects_for(snapshot: Snapshot) -> Sequence[Subject]:
    """Return the subjects for charts of a page: those of its kind of site, else by its words."""
    kind = snapshot.captured.source.partition("/")[0]
    own, every = subjects_of(kind), subjects_of("")
    if own != every:
        return own
    page_words = set(folded(" ".join(each.own for each in snapshot.screen.elements)).split())

    def shared(subject: Subject) -> int:
        names = (subject.title, *subject.series, *subject.labels)
        return len({w for w in folded(" ".join(names)).split() if len(w) >= _WORD} & page_words)

    ranked = sorted(every, key=shared, reverse=True)
    return [
        choice
        for ordered in (True, False)
        for choice in [each for each in ranked if each.ordered is ordered][:_SUBJECTS]
    ]


def named_series(table: Table, series: Series) -> str:
    """Return the name of a series in a question."""
    return f"“{series.name}”" if len(table.series) > 1 else "the value"


def within(slack: float) -> str:
    """Return a question's sentence about its tolerance; empty without one."""
    return f" An answer within {written(slack)} of the right one counts." if slack else ""


def near(slack: float) -> dict[str, Any]:
    """Return the settings of a number with a tolerance."""
    return {"absolute": slack} if slack else {}


def number(
    chart: Drawn,
    task: str,
    kind: str,
    question: str,
    answer: float,
    *,
    slack: float = 0.0,
    named: bool = True,
    operations: Sequence[str] = (),
    record: Mapping[str, Any] | None = None,
) -> Ask:
    """Ask for a number; the question states the tolerance."""
    return Ask(
        task,
        kind,
        question + within(slack),
        "numeric",
        round(answer, 6),
        chart.images,
        settings=near(slack),
        named=named,
        operations=operations,
        record={**chart.record, **(record or {})},
    )


def choice(
    chart: Drawn,
    task: str,
    kind: str,
    question: str,
    options: Lettered,
    *,
    named: bool = True,
    operations: Sequence[str] = (),
    record: Mapping[str, Any] | None = None,
) -> Ask:
    return Ask(
        task,
        kind,
        question,
        "accuracy",
        options.letter,
        chart.images,
        options.options,
        named=named,
        operations=operations,
        record={**chart.record, **(record or {})},
    )


def make_charts(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for values, extremes, differences, growth, shares, counts, and extrapolations."""
    easy = (_value_in_picture, _value)
    hard = (_maximum, _minimum, _difference, _growth, _share, _count, _extrapolation)
    chosen = (random.choice(easy), random.choice(hard))
    yield from some(snapshot, random, chosen, 2)


def some(
    snapshot: Snapshot, random: Random, askers: Sequence[Asker], count: int, first: int = 1
) -> Iterator[Made | Refused]:
    """Make items with `count` random askers, numbered from `first`."""
    subjects = subjects_for(snapshot)
    for place, asker in enumerate(random.sample(list(askers), count), first):
        yield made(snapshot, place, asker(random, subjects))


# ---- Values


def value_question(table: Table, series: Series, label: str) -> str:
    """Return the question for one value, in ASCII."""
    of = f'"{series.name}"' if len(table.series) > 1 else "the value"
    return f"What is {of} at {label}, in {table.unit}?"


def _value_in_picture(random: Random, subjects: Sequence[Subject]) -> Ask:
    table = draw_table(random, subjects)
    series, label = random.choice(table.series), random.choice(table.labels)
    note = value_question(table, series, label) + within(table.slack)
    chart = drawn(random, table, note=note)
    return Ask(
        "chart",
        "value, asked in the picture",
        "Answer the question that stands below the chart.",
        "numeric",
        table.value(series.name, label),
        chart.images,
        settings=near(table.slack),
        named=False,
        record={**chart.record, "asked": note},
    )


def _value(random: Random, subjects: Sequence[Subject]) -> Ask:
    table = draw_table(random, subjects)
    series, label = random.choice(table.series), random.choice(table.labels)
    return number(
        drawn(random, table),
        "chart",
        "value",
        f"What is {named_series(table, series)} at “{label}”, in {table.unit}?",
        table.value(series.name, label),
        slack=table.slack,
    )


def _maximum(random: Random, subjects: Sequence[Subject]) -> Ask:
    return _extreme(random, subjects, "highest")


def _minimum(random: Random, subjects: Sequence[Subject]) -> Ask:
    return _extreme(random, subjects, "lowest")


def _extreme(random: Random, subjects: Sequence[Subject], way: str) -> Ask:
    while True:
        table = draw_table(random, subjects)
        series = random.choice(table.series)
        ranked = sorted(series.values, reverse=way == "highest")
        if not table.slack or apart(table, ranked[0], ranked[1]):
            break
    label = table.labels[series.values.index(ranked[0])]
    chart = drawn(random, table)
    options = some_of(random, label, table.labels)
    return choice(
        chart,
        "chart",
        "maximum" if way == "highest" else "minimum",
        f"At which {table.over} is {named_series(table, series)} the {way}"
        f"{'' if len(options.options) == len(table.labels) else ' of all in the chart'}?",
        options,
        operations=("compare",),
    )


def _difference(random: Random, subjects: Sequence[Subject]) -> Ask:
    while True:
        table = draw_table(random, subjects)
        series = random.choice(table.series)
        label, other_label = random.sample(table.labels, 2)
        first, second = table.value(series.name, label), table.value(series.name, other_label)
        # The tolerance is twice the slack: with a small difference, most answers would be correct.
        clear = first - second >= _CLEAR * table.slack
        if first > second and apart(table, first, second) and clear:
            break
    return number(
        drawn(random, table),
        "chart",
        "difference",
        f"How much higher is {named_series(table, series)} at “{label}” than at “{other_label}”, in"
        f" {table.unit}?",
        first - second,
        slack=2 * table.slack,
        operations=("difference",),
    )


def _growth(random: Random, subjects: Sequence[Subject]) -> Ask:
    while True:
        table = draw_table(random, subjects, ("bars", "rows", "line"), labelled=True, ordered=True)
        place = random.randrange(len(table.labels) - 1)
        first, second = table.series[0].values[place : place + 2]
        if abs(second / first - 1) >= 0.1:
            break
    change = 100 * (second / first - 1)
    return number(
        drawn(random, table),
        "chart",
        "growth",
        f"By what percentage does the value change from “{table.labels[place]}” to"
        f" “{table.labels[place + 1]}”? A fall is a negative number.",
        change,
        slack=1.0,
        operations=("growth",),
    )


def _share(random: Random, subjects: Sequence[Subject]) -> Ask:
    table = draw_table(random, subjects, ("pie", "bars", "rows"), labelled=True, ordered=False)
    place = random.randrange(len(table.labels))
    values = table.series[0].values
    return number(
        drawn(random, table),
        "chart",
        "share",
        f"Which share of the total of all that the chart shows is “{table.labels[place]}”, in"
        " percent?",
        100 * values[place] / sum(values),
        slack=1.0,
        operations=("sum", "share"),
    )


def _count(random: Random, subjects: Sequence[Subject]) -> Ask:
    while True:
        table = draw_table(random, subjects, ("bars", "rows", "line"))
        values = sorted(table.series[0].values)
        # The threshold is equally likely to be between any two adjacent values.
        below = random.randrange(1, len(values))
        gap = values[below] - values[below - 1]
        if not table.slack or gap >= 0.2 * table.step:
            break
    threshold = round((values[below] + values[below - 1]) / 2, 1 if gap < 2 else 0)
    if not values[below - 1] < threshold < values[below]:
        threshold = round((values[below] + values[below - 1]) / 2, 3)
    above = random.random() < 0.5
    return number(
        drawn(random, table),
        "chart",
        "count",
        f"How many of the chart's values are {'above' if above else 'below'}"
        f" {written(threshold)} {table.unit}?",
        len(values) - below if above else below,
        operations=("count",),
    )


def _extrapolation(random: Random, subjects: Sequence[Subject]) -> Ask:
    while True:
        table = draw_table(random, subjects, ("bars", "line"), labelled=True, ordered=True)
        values = table.series[0].values
        ahead = random.choice((1, 2))
        answer = values[-1] + ahead * (values[-1] - values[-2])
        if answer > 0:
            break
    return number(
        drawn(random, table),
        "chart",
        "extrapolation",
        f"If the value went on changing by as much as from the last {table.over} but one to the"
        f" last, what would it be {ahead} {table.over}{'s' if ahead > 1 else ''} after the last,"
        f" in {table.unit}?",
        answer,
        slack=round(0.02 * answer, 2),
        operations=("difference", "extrapolate"),
    )


# ---- Looks


def make_chart_objects(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for the kind of a chart, the mark with another color, or the color of a series."""
    yield from some(snapshot, random, (_chart_kind, _odd_bar, _series_color), 1, 2)


def make_captioning(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask which of four sentences describes a chart."""
    yield from some(snapshot, random, (_extremes_caption, _pairs_caption), 1)


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
