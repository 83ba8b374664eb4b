"""Charts to reason about: several steps, sentences to verify, and counterfactuals."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from random import Random

from snellen.build.charts.subjects import Subject
from snellen.build.charts.tables import Table, apart, draw_table, draw_value, written
from snellen.build.items import Made, Refused
from snellen.build.snapshots import Snapshot
from snellen.build.writers.matrix.charts import choice, drawn, number, subjects_for
from snellen.build.writers.matrix.shared import Ask, Lettered, made, some_of

YES_NO = ("yes", "no")
_YES, _NO = Lettered(YES_NO, "A"), Lettered(YES_NO, "B")

_ONE = ("bars", "rows", "line")
_CLEAR = 0.4
"""In steps of the axis: the minimum lead of the best result over the second."""


def make_multi_step(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for the result of two operations, one after the other."""
    asker = random.choice((_widest_gap, _largest_rise, _extremes_sum, _largest_total))
    yield made(snapshot, 4, asker(random, subjects_for(snapshot)))


def make_consistency(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask of two sentences about two charts whether they are true: one is, the other is not.

    Exactly half of all answers are therefore yes. The number in a false sentence is drawn like a
    chart's values.
    """
    truths = [True, False]
    random.shuffle(truths)
    askers = random.sample((_picture_sentence, _value_sentence, _comparison_sentence), 2)
    for place, (asker, truth) in enumerate(zip(askers, truths, strict=True), start=1):
        yield made(snapshot, place, asker(random, subjects_for(snapshot), truth))


def make_counterfactual(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for a value under a changed condition; it always differs from the actual one."""
    asker = random.choice((_scaled_value, _turned_change, _raised_total, _halved_maximum))
    yield made(snapshot, 1, asker(random, subjects_for(snapshot)))


# ---- Several steps


def _widest_gap(random: Random, subjects: Sequence[Subject]) -> Ask:
    while True:
        table = draw_table(random, subjects, ("grouped", "lines"))
        series, other_series = random.sample(table.series, 2)
        gaps = [abs(a - b) for a, b in zip(series.values, other_series.values, strict=True)]
        if _clear(gaps, table):
            break
    return choice(
        drawn(random, table),
        "multi_step",
        "widest gap",
        f"At which {table.over} are “{series.name}” and “{other_series.name}” furthest apart?",
        some_of(
            random,
            table.labels[gaps.index(max(gaps))],
            table.labels,
        ),
        operations=("difference", "compare"),
    )


def _largest_rise(random: Random, subjects: Sequence[Subject]) -> Ask:
    while True:
        table = draw_table(random, subjects, ("bars", "line"), ordered=True)
        values = table.series[0].values
        rises = [second - first for first, second in pairwise(values)]
        if max(rises) > 0 and _clear(rises, table):
            break
    names = [f"{first} to {second}" for first, second in pairwise(table.labels)]
    return choice(
        drawn(random, table),
        "multi_step",
        "largest rise",
        f"From which {table.over} to the next does the value rise the most?",
        some_of(
            random,
            names[rises.index(max(rises))],
            names,
        ),
        operations=("difference", "compare"),
    )


def _largest_total(random: Random, subjects: Sequence[Subject]) -> Ask:
    while True:
        table = draw_table(random, subjects, ("grouped", "stacked"), labelled=True)
        totals = [sum(series.values) for series in table.series]
        if _clear(totals, table):
            break
    names = [series.name for series in table.series]
    return choice(
        drawn(random, table),
        "multi_step",
        "largest total",
        f"Which of the chart's series is the largest, when its values at each {table.over} are"
        " added up?",
        some_of(
            random,
            names[totals.index(max(totals))],
            names,
        ),
        operations=("sum", "compare"),
    )


def _extremes_sum(random: Random, subjects: Sequence[Subject]) -> Ask:
    table = draw_table(random, subjects, _ONE, labelled=True)
    values = table.series[0].values
    return number(
        drawn(random, table),
        "multi_step",
        "sum of extremes",
        f"What is the sum of the highest and the lowest value of the chart, in {table.unit}?",
        max(values) + min(values),
        operations=("compare", "sum"),
    )


def _clear(values: Sequence[float], table: Table) -> bool:
    best, second, *_ = sorted(values, reverse=True)
    return best - second >= _CLEAR * table.step


# ---- Sentences to verify


def _sentence(random: Random, subjects: Sequence[Subject], truth: bool) -> tuple[Table, str]:
    """Return a chart's table and a sentence about one value, correct or not."""
    while True:
        table = draw_table(random, subjects)
        series, label = random.choice(table.series), random.choice(table.labels)
        value = table.value(series.name, label)
        other = draw_value(random, table)
        if apart(table, value, other):
            break
    of = f'"{series.name}"' if len(table.series) > 1 else "the value"
    about = "about " if table.slack else ""
    sentence = f"At {label}, {of} is {about}{written(value if truth else other)} {table.unit}."
    return table, sentence


def _picture_sentence(random: Random, subjects: Sequence[Subject], truth: bool) -> Ask:
    table, sentence = _sentence(random, subjects, truth)
    return choice(
        drawn(random, table, note=sentence),
        "consistency",
        "caption in the picture",
        "Does the sentence below the chart agree with what the chart shows?",
        _YES if truth else _NO,
        named=False,
        record={"said": sentence, "true": truth},
    )


def _value_sentence(random: Random, subjects: Sequence[Subject], truth: bool) -> Ask:
    table, sentence = _sentence(random, subjects, truth)
    return _agrees(random, table, "value", sentence, truth, ())


def _comparison_sentence(random: Random, subjects: Sequence[Subject], truth: bool) -> Ask:
    while True:
        table = draw_table(random, subjects)
        series = random.choice(table.series)
        label, other_label = random.sample(table.labels, 2)
        first, second = table.value(series.name, label), table.value(series.name, other_label)
        if (first > second) is truth and apart(table, first, second):
            break
    of = f'"{series.name}"' if len(table.series) > 1 else "the value"
    sentence = f"At {label}, {of} is higher than at {other_label}."
    return _agrees(random, table, "comparison", sentence, truth, ("compare",))


def _agrees(
    random: Random, table: Table, kind: str, sentence: str, truth: bool, operations: Sequence[str]
) -> Ask:
    return choice(
        drawn(random, table),
        "consistency",
        kind,
        f"A text about the chart says: {sentence} Does the chart agree?",
        _YES if truth else _NO,
        operations=operations,
        record={"said": sentence, "true": truth},
    )


# ---- Counterfactuals


def proven(factual: float, counterfactual: float, slack: float = 0.0) -> bool:
    """Whether an answer that ignores the change is wrong: outside of the tolerance.

    >>> proven(40, 20), proven(40, 40), proven(40, 41, slack=1)
    (True, False, False)
    """
    return abs(factual - counterfactual) > max(2 * slack, 1e-6 * abs(counterfactual))


def _imagined(
    random: Random,
    draw: Callable[[], tuple[Table, str, float, float]],
    kind: str,
    operations: Sequence[str],
) -> Ask:
    """Ask for a number that differs from the one without the change."""
    while True:
        table, question, factual, answer = draw()
        if answer > 0 and proven(factual, answer):
            break
    return number(
        drawn(random, table),
        "counterfactual",
        kind,
        question,
        answer,
        operations=operations,
        record={"factual": round(factual, 6), "counterfactual": round(answer, 6)},
    )


def _scaled_value(random: Random, subjects: Sequence[Subject]) -> Ask:
    def draw() -> tuple[Table, str, float, float]:
        table = draw_table(random, subjects, labelled=True)
        series, label = random.choice(table.series), random.choice(table.labels)
        value = table.value(series.name, label)
        percent, way = random.choice((10, 20, 25, 50)), random.choice(("more", "less"))
        of = f"“{series.name}” at “{label}”" if len(table.series) > 1 else f"“{label}”"
        question = (
            f"If {of} had been {percent} percent {way}, how much would it have been, in"
            f" {table.unit}?"
        )
        factor = 1 + percent / 100 if way == "more" else 1 - percent / 100
        return table, question, value, value * factor

    return _imagined(random, draw, "one value changed", ("change",))


def _turned_change(random: Random, subjects: Sequence[Subject]) -> Ask:
    def draw() -> tuple[Table, str, float, float]:
        table = draw_table(random, subjects, _ONE, labelled=True, ordered=True)
        place = random.randrange(len(table.labels) - 1)
        first, second = table.series[0].values[place : place + 2]
        start, end = table.labels[place : place + 2]
        question = (
            f"If the change from “{start}” to “{end}” had been as large but the other way, a rise"
            f" for a fall or a fall for a rise, what would “{end}” have been, in {table.unit}?"
        )
        return table, question, second, first - (second - first)

    return _imagined(random, draw, "change turned round", ("difference", "change"))


def _raised_total(random: Random, subjects: Sequence[Subject]) -> Ask:
    def draw() -> tuple[Table, str, float, float]:
        table = draw_table(random, subjects, _ONE, labelled=True)
        values = table.series[0].values
        least = random.choice((1, 2)) * table.step
        question = (
            f"If every value below {written(least)} had been {written(least)}, what would be the"
            f" sum of all values of the chart, in {table.unit}?"
        )
        return table, question, sum(values), sum(max(value, least) for value in values)

    return _imagined(random, draw, "least value raised", ("change", "sum"))


def _halved_maximum(random: Random, subjects: Sequence[Subject]) -> Ask:
    while True:
        table = draw_table(random, subjects, _ONE)
        values = table.series[0].values
        highest = values.index(max(values))
        changed = [value / 2 if place == highest else value for place, value in enumerate(values)]
        right = changed.index(max(changed))
        best, second, *_ = sorted(changed, reverse=True)
        if right != highest and apart(table, best, second):
            break
    return choice(
        drawn(random, table),
        "counterfactual",
        "maximum halved",
        f"If the highest value of the chart had been half as high, at which {table.over} would the"
        " highest value then be?",
        some_of(random, table.labels[right], table.labels),
        operations=("change", "compare"),
        record={"factual": table.labels[highest], "counterfactual": table.labels[right]},
    )
