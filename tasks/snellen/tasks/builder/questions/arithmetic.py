"""Questions that need more than reading: differences, sums, extremes, counts and spans of time."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from random import Random
from typing import NamedTuple

from snellen.tasks.builder.questions.facts import (
    Fact,
    Table,
    amount_of,
    facts_of,
    key_column,
)
from snellen.tasks.builder.questions.lookup import lookups, priced, spoken
from snellen.tasks.builder.questions.templates import Questions, questions_of
from snellen.tasks.builder.questions.times import time_of
from snellen.tasks.builder.questions.variants import variants
from snellen.tasks.builder.screen.elements import Screen
from snellen.tasks.builder.snapshots import Snapshot
from snellen.tasks.builder.writers.visualwebbench.shared import (
    SITE_PARTS,
    folded,
    language_of,
    one_line,
)

_FEWEST = 3
_FEWEST_ROWS = 5
_LONGEST_NAME = 60
_DIGITS = re.compile(r"\d[\d.,'\s]*\d|\d")
_SPAN = re.compile(r"\s*[\u2013\u2014-]\s*")


class Calculation(NamedTuple):
    """A question, the forms of its answer, and the elements that it needs."""

    kind: str
    question: str
    answers: Sequence[str]
    elements: Sequence[int]


class Figure(NamedTuple):
    """A number that a screen shows for a name."""

    name: str
    column: str
    text: str
    value: Decimal
    unit: str
    element: int


def calculations(snapshot: Snapshot, random: Random) -> Sequence[Calculation]:
    """Return questions in an order that is drawn, by turns among the kinds."""
    language = language_of(snapshot.screen)
    questions = questions_of(language)
    found = list(_counts(snapshot)) + list(_hours(snapshot))
    if questions is not None:
        for series in series_of(snapshot, questions):
            found += _of_series(series, language, questions, random)
    random.shuffle(found)
    turns: Counter[str] = Counter()
    order: list[tuple[int, int, Calculation]] = []
    for place, one in enumerate(found):
        turns[one.kind] += 1
        order.append((turns[one.kind], place, one))
    return [one for *_, one in sorted(order, key=lambda each: each[:2])]


def series_of(snapshot: Snapshot, questions: Questions) -> Sequence[Sequence[Figure]]:
    """Return the numbers of a screen that count the same: a column of a table, or the prices.

    Each is whole: what is in it is all that the column, or the screen, says.
    """
    screen = snapshot.screen
    facts = facts_of(snapshot.captured.facts)
    found: list[list[_Said]] = []
    for table, column, key in columns_of(facts):
        found.append(
            [
                _Said(row[key], table.headers[column], row[column], ids[column])
                for row, ids in zip(table.rows, table.cells, strict=True)
            ]
        )
    items = priced(facts)
    found.append([_Said(item.name, "", item.price, item.element) for item in items])
    return [
        series
        for said in found
        if (series := _figures(screen, said, questions)) is not None and len(series) >= _FEWEST
    ]


def columns_of(facts: Sequence[Fact]) -> Iterator[tuple[Table, int, int]]:
    """Yield each column that no other table has, with the one that names its rows."""
    tables = [fact for fact in facts if isinstance(fact, Table)]
    headers = Counter(folded(header) for table in tables for header in table.headers)
    for table in tables:
        key = key_column(table)
        for column, header in enumerate(table.headers):
            if (
                key is not None
                and column != key
                and folded(header)
                and headers[folded(header)] == 1
            ):
                yield table, column, key


class _Said(NamedTuple):
    name: str
    column: str
    text: str
    element: int | None


def _figures(
    screen: Screen, said: Sequence[_Said], questions: Questions
) -> Sequence[Figure] | None:
    """Return what is said as numbers; None where one is none, or can't be read or told apart."""
    found: list[Figure] = []
    for one in said:
        amount = amount_of(one.text, questions)
        element = spoken(screen, one.element, one.text)
        if amount is None or element is None or element.landmark in SITE_PARTS:
            return None
        name = one_line(one.name)
        found.append(Figure(name, one.column, one.text, amount.value, amount.unit, element.id))
    alike = len({figure.unit for figure in found}) == 1
    apart = len({folded(figure.name) for figure in found}) == len(found)
    short = all(0 < len(figure.name) <= _LONGEST_NAME for figure in found)
    return found if alike and apart and short else None


def written(value: Decimal, like: str, questions: Questions) -> str:
    """Write a number as another is written: its sign, its unit, its marks, its fraction.

    >>> written(Decimal("1234.5"), "$20.00", questions_of("en"))
    '$1,234.50'
    """
    found = _DIGITS.search(like)
    digits = like if found is None else found[0]
    fraction = digits.rpartition(questions.decimal)[2] if questions.decimal in digits else ""
    text = f"{abs(value):,.{len(fraction)}f}"
    group = questions.thousands[0]
    text = text.translate(str.maketrans({",": group, ".": questions.decimal}))
    return text if found is None else like[: found.start()] + text + like[found.end() :]


def _of_series(
    series: Sequence[Figure], language: str, questions: Questions, random: Random
) -> Iterator[Calculation]:
    drawn = random.sample(list(series), len(series))
    for one, other in list(pairwise(drawn))[:2]:
        if one.value == other.value:
            continue
        more, less = (one, other) if one.value > other.value else (other, one)
        what = f"the “{one.column}” of" if one.column else "the price of"
        pair = [one.element, other.element]
        yield Calculation(
            "difference",
            f"What is the difference between {what} “{one.name}” and {what} “{other.name}”?",
            variants(written(more.value - less.value, more.text, questions), language),
            pair,
        )
        if not one.column:
            yield Calculation(
                "sum",
                f"How much do “{one.name}” and “{other.name}” cost together?",
                variants(written(one.value + other.value, one.text, questions), language),
                pair,
            )


def _hours(snapshot: Snapshot) -> Iterator[Calculation]:
    for one in lookups(snapshot):
        if one.kind != "cell":
            continue
        parts = _SPAN.split(one.fragments[0])
        if len(parts) != 2:
            continue
        start, end = (_clock(part) for part in parts)
        if start is None or end is None or end <= start:
            continue
        minutes = end - start
        yield Calculation(
            "hours",
            f"How many hours pass from the first to the last time under “{one.names[1]}” for"
            f" “{one.names[0]}”?",
            _durations(minutes),
            one.elements,
        )


def _clock(text: str) -> int | None:
    """Return the minutes since midnight; a time without am or pm is one of 24 hours here."""
    found = re.fullmatch(r"(\d{1,2}):(\d{2})", text.strip())
    if found is not None and int(found[1]) < 24 and int(found[2]) < 60:
        return int(found[1]) * 60 + int(found[2])
    read = time_of(text)
    return None if read is None else read.hour * 60 + read.minute


def _durations(minutes: int) -> Sequence[str]:
    """Return the forms of a length of time.

    >>> _durations(570)
    ['9.5', '9.5 hours', '9 hours 30 minutes', '9 hours and 30 minutes', '9:30']
    """
    hours, rest = divmod(minutes, 60)
    if not rest:
        return variants(f"{hours} hours")
    number = f"{minutes / 60:.2f}".rstrip("0").rstrip(".")
    forms = [
        f"{number} hours",
        f"{hours} hours {rest} minutes",
        f"{hours} hours and {rest} minutes",
    ]
    return [number, *forms, f"{hours}:{rest:02}"]


def minutes_between(durations: Sequence[str]) -> int:
    """Return how many minutes the forms of a length of time say; the first is in hours.

    >>> minutes_between(["9.5", "9.5 hours"])
    570
    """
    return round(float(durations[0].split()[0]) * 60)


def _counts(snapshot: Snapshot) -> Iterator[Calculation]:
    screen = snapshot.screen
    for table, column, _ in columns_of(facts_of(snapshot.captured.facts)):
        cells = [
            spoken(screen, ids[column], row[column])
            for row, ids in zip(table.rows, table.cells, strict=True)
        ]
        shown = [cell.id for cell in cells if cell and cell.landmark not in SITE_PARTS]
        if len(shown) < max(len(table.rows), _FEWEST_ROWS):
            continue
        for value, count in Counter(row[column] for row in table.rows).items():
            if 1 < count < len(table.rows):
                question = f"How many rows have “{value}” under “{table.headers[column]}”?"
                yield Calculation("count", question, variants(str(count)), shown)
