"""Questions that need more than reading: differences, sums, extremes, counts, periods of time."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from math import gcd
from random import Random
from typing import NamedTuple

from snellen.build.chance import by_turns
from snellen.build.questions.facts import NAME_LENGTH, Fact, Table, amount_of, facts_of, key_column
from snellen.build.questions.lookup import lookups, priced, sole_text
from snellen.build.questions.spatial import SITE_PARTS
from snellen.build.questions.templates import Templates, templates_of
from snellen.build.questions.text import folded, language_of, one_line
from snellen.build.questions.variants import time_of, variants
from snellen.build.screen.elements import Screen
from snellen.build.snapshots import Snapshot

_FEWEST = 3
_FEWEST_ROWS = 5
_DIGITS = re.compile(r"\d[\d.,'\s]*\d|\d")
_UNGROUPED = re.compile(r"\d{4}")
_TOTAL = re.compile(r"\b(sub)?totals?\b|\bsum\b|summe|gesamt|合计|总计|小计|مجموع|إجمالي")
_UNCOUNTED = re.compile(
    r"([^\W\d]+ )?(no|nr|number|nummer|id|code)|num|rank|year|jahr"
    r"|defaults?( values?)?|vorgabe|standard(wert)?|(valor )?por defecto|predeterminado|par défaut"
    r"|padrão|默认值?|الافتراضي"
    r"|zip|postcode|post ?code|plz|número|nº|código|año|cp|序号|编号|年份|年|邮编|رقم|رمز|سنة"
)
"""Headers of numbers that are not quantities, or of different things: their sum has no meaning."""
_SPAN = re.compile(r"\s*[\u2013\u2014-]\s*")


class Calculation(NamedTuple):
    """A question, the forms of its answer, and the ids of the elements that it needs.

    The step is that of the possible results, in units of the answer's last digit.
    """

    kind: str
    question: str
    answers: Sequence[str]
    elements: Sequence[int]
    step: int = 1


class Figure(NamedTuple):
    """A number that a screen shows for a name, with the ids of both elements."""

    name: str
    text: str
    value: Decimal
    unit: str
    element: int
    name_element: int


class Series(NamedTuple):
    """All numbers of one quantity on a screen: a column of a table, or the prices."""

    key: str  # the header of the column with the rows' names; empty for prices
    column: str  # the header of the numbers' column; empty for prices
    figures: Sequence[Figure]  # at least three, with different names

    def extreme(self, pick: Callable[[Sequence[Decimal]], Decimal]) -> Figure | None:
        """Return the only highest (`max`) or lowest (`min`) figure; None for ties."""
        value = pick([figure.value for figure in self.figures])
        matches = [figure for figure in self.figures if figure.value == value]
        return matches[0] if len(matches) == 1 else None


class _Cell(NamedTuple):
    name: str
    text: str
    element: int | None
    name_element: int | None


class Conditioned(NamedTuple):
    """A question for the extreme row among those that meet a condition."""

    text: str  # the question
    answer: str  # the name of the row
    shortcut: str  # the row that has the extreme value without the condition
    names: Sequence[str]  # the names of the rows that may be options
    elements: Sequence[int]  # the ids of the elements that it needs


def conditioned(snapshot: Snapshot, random: Random) -> Sequence[Conditioned]:
    """Return questions whose condition excludes the row that a shorter path leads to.

    The condition is a value above or below another row's, or the text of another column. Two rows
    at least meet it, and no two rows have the same number.
    """
    templates = templates_of(language_of(snapshot.screen))
    if templates is None:
        return []
    tables = [fact for fact in facts_of(snapshot.captured.facts) if isinstance(fact, Table)]
    return [
        question
        for series in series_of(snapshot, templates)
        if len({figure.value for figure in series.figures}) == len(series.figures)
        for question in (*_bounded(series, random), *_of_category(snapshot.screen, series, tables))
    ]


def _bounded(series: Series, random: Random) -> Iterator[Conditioned]:
    ranked = sorted(series.figures, key=lambda figure: figure.value)
    elements = [figure.element for figure in series.figures]
    names = [figure.name for figure in series.figures]
    column = series.column
    # The limit is not the shortcut itself, and two rows or more are beyond it.
    limits = range(1, len(ranked) - 2)
    if not limits:
        return
    place = random.choice(limits)
    for order, more, least in ((ranked, "higher", "lowest"), (ranked[::-1], "lower", "highest")):
        limit, answer, shortcut = order[place].name, order[place + 1].name, order[0].name
        if column:
            text = (
                f"Of the rows with a {more} “{column}” than “{limit}”, which has the {least}"
                f" “{column}”?"
            )
        else:
            ways = ("more", "cheapest") if more == "higher" else ("less", "most expensive")
            text = f"Of what costs {ways[0]} than “{limit}”, what is the {ways[1]}?"
        others = [name for name in names if name != limit]
        yield Conditioned(text, answer, shortcut, others, elements)


def _of_category(screen: Screen, series: Series, tables: Sequence[Table]) -> Iterator[Conditioned]:
    """Ask for the extreme among the rows with a text in another column."""
    for table, column, key in _columns(tables):
        header = table.headers[column]
        if table.headers[key] != series.key or header == series.column:
            continue
        cells = {
            one_line(row[key]): sole_text(screen, ids[column], row[column])
            for row, ids in zip(table.rows, table.cells, strict=True)
        }
        shown = {name: cell.own for name, cell in cells.items() if cell is not None}
        if set(shown) != {figure.name for figure in series.figures} or len(shown) < _FEWEST_ROWS:
            continue
        for value, count in Counter(shown.values()).items():
            able = [figure for figure in series.figures if shown[figure.name] == value]
            for word, pick in (("highest", max), ("lowest", min)):
                best = pick(able, key=lambda figure: figure.value)
                shortcut = series.extreme(pick)
                if 1 < count < len(shown) and shortcut is not None and shortcut not in able:
                    yield Conditioned(
                        f"Of the rows with “{one_line(value)}” under “{header}”, which has the"
                        f" {word} “{series.column}”?",
                        best.name,
                        shortcut.name,
                        [figure.name for figure in series.figures],
                        [figure.element for figure in series.figures],
                    )


def calculations(snapshot: Snapshot, random: Random) -> Sequence[Calculation]:
    """Return questions in a random order that alternates among the kinds."""
    language = language_of(snapshot.screen)
    templates = templates_of(language)
    candidates = [*_counts(snapshot), *_hours(snapshot)]
    if templates is not None:
        for series in series_of(snapshot, templates):
            candidates += _sums(series, language, templates, random)
    return by_turns(random, candidates, lambda calculation: calculation.kind)


def series_of(snapshot: Snapshot, templates: Templates) -> Sequence[Series]:
    """Return the series of numbers on a screen."""
    facts = facts_of(snapshot.captured.facts)
    columns = [
        (
            table.headers[key],
            table.headers[column],
            [
                _Cell(row[key], row[column], ids[column], ids[key])
                for row, ids in zip(table.rows, table.cells, strict=True)
            ],
        )
        for table, column, key in _columns(facts)
    ]
    items = [
        _Cell(item.name, item.price, item.element, item.name_element)
        for item in priced(snapshot.screen, facts)
    ]
    return [
        Series(key, column, figures)
        for key, column, cells in [*columns, ("", "", items)]
        if len(figures := _figures(snapshot.screen, cells, templates)) >= _FEWEST
    ]


def _columns(facts: Sequence[Fact]) -> Iterator[tuple[Table, int, int]]:
    """Yield each column whose header is unique on the page, with the column of the rows' names."""
    tables = [fact for fact in facts if isinstance(fact, Table)]
    headers = Counter(folded(header) for table in tables for header in table.headers)
    for table in tables:
        key = key_column(table)
        if key is None or headers[folded(table.headers[key])] > 1:
            continue
        if any(_TOTAL.search(row[key].casefold()) for row in table.rows):
            continue
        for column, header in enumerate(table.headers):
            alone = column != key and folded(header) and headers[folded(header)] == 1
            counts = not _UNCOUNTED.fullmatch(folded(header))
            if alone and counts and table.known(column):
                yield table, column, key


def _figures(screen: Screen, cells: Sequence[_Cell], templates: Templates) -> Sequence[Figure]:
    """Return cells as numbers; empty if one is not a number, not readable or not unique."""
    figures: list[Figure] = []
    for cell in cells:
        amount = amount_of(cell.text, templates)
        element = sole_text(screen, cell.element, cell.text)
        named = sole_text(screen, cell.name_element, cell.name)
        if amount is None or element is None or named is None or element.landmark in SITE_PARTS:
            return []
        name = one_line(cell.name)
        figures.append(Figure(name, cell.text, amount.value, amount.unit, element.id, named.id))
    alike = len({figure.unit for figure in figures}) == 1
    apart = len({folded(figure.name) for figure in figures}) == len(figures)
    short = all(0 < len(figure.name) <= NAME_LENGTH for figure in figures)
    return figures if alike and apart and short else []


def written(
    value: Decimal,
    like: str,
    templates: Templates,
    others: Sequence[str] = (),
    *,
    whole: bool = True,
) -> str:
    """Write a number in the format of another: the same sign, unit, separators and fraction.

    Args:
        value: The number.
        like: A number as the screen shows it.
        templates: The number format of the language.
        others: Other operands: the longest fraction of all is used.
        whole: Whether to keep the trailing zeros of the fraction.

    >>> written(Decimal("1234.5"), "$20.00", templates_of("en"))
    '$1,234.50'
    >>> written(Decimal("7890"), "8825", templates_of("es"))
    '7890'
    >>> written(Decimal("11.9"), "12.5 kg", templates_of("en"), ["0.600 kg"])
    '11.900 kg'
    """
    match = _DIGITS.search(like)
    places = max(len(_fraction(text, templates)) for text in (like, *others))
    text = f"{abs(value):,.{places}f}"
    if not whole and places:
        text = text.rstrip("0").rstrip(".")
    group = templates.thousands[0]
    if any(map(_UNGROUPED.search, (like, *others))):
        group = ""
    text = text.translate(str.maketrans({",": group, ".": templates.decimal}))
    return text if match is None else like[: match.start()] + text + like[match.end() :]


def _fraction(text: str, templates: Templates) -> str:
    match = _DIGITS.search(text)
    digits = text if match is None else match[0]
    return digits.rpartition(templates.decimal)[2] if templates.decimal in digits else ""


def _results(
    value: Decimal, first: str, second: str, language: str, templates: Templates
) -> Sequence[str]:
    """Return the forms of the result of two numbers: with trailing zeros, and without."""
    full = variants(written(value, first, templates, [second]), language)
    short = variants(written(value, first, templates, [second], whole=False), language)
    return list(dict.fromkeys([*full, *short]))


def _sums(
    series: Series, language: str, templates: Templates, random: Random
) -> Iterator[Calculation]:
    drawn = random.sample(list(series.figures), len(series.figures))
    what = f"the “{series.column}” of" if series.column else "the price of"
    for first, second in list(pairwise(drawn))[:2]:
        if first.value == second.value:
            continue
        more, less = sorted((first, second), key=lambda figure: -figure.value)
        pair = [first.element, second.element]
        places = max(len(_fraction(figure.text, templates)) for figure in (first, second))
        step = gcd(*(int((figure.value - first.value).scaleb(places)) for figure in drawn)) or 1
        yield Calculation(
            "difference",
            f"What is the difference between {what} “{first.name}” and {what} “{second.name}”?",
            _results(more.value - less.value, more.text, less.text, language, templates),
            pair,
            step,
        )
        if not series.column:
            yield Calculation(
                "sum",
                f"How much do “{first.name}” and “{second.name}” cost together?",
                _results(first.value + second.value, first.text, second.text, language, templates),
                pair,
                step,
            )


def _hours(snapshot: Snapshot) -> Iterator[Calculation]:
    for lookup in lookups(snapshot):
        if lookup.kind != "cell":
            continue
        parts = _SPAN.split(lookup.fragments[0])
        if len(parts) != 2:
            continue
        start, end = (_clock(part) for part in parts)
        if start is None or end is None or end <= start:
            continue
        yield Calculation(
            "hours",
            "How many hours pass from the first to the last time under"
            f" “{lookup.names[1]}” for “{lookup.names[0]}”?",
            _durations(end - start),
            lookup.elements,
        )


def _clock(text: str) -> int | None:
    """Return the minutes since midnight; a time without am or pm counts as 24-hour time."""
    match = re.fullmatch(r"(\d{1,2}):(\d{2})", text.strip())
    if match is not None and int(match[1]) < 24 and int(match[2]) < 60:
        return int(match[1]) * 60 + int(match[2])
    moment = time_of(text)
    return None if moment is None else moment.hour * 60 + moment.minute


def _durations(minutes: int) -> Sequence[str]:
    """Return the forms of a duration.

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
    """Return the minutes of a duration from its forms; the first one is in hours.

    >>> minutes_between(["9.5", "9.5 hours"])
    570
    """
    return round(float(durations[0].split()[0]) * 60)


def _counts(snapshot: Snapshot) -> Iterator[Calculation]:
    screen = snapshot.screen
    for table, column, _ in _columns(facts_of(snapshot.captured.facts)):
        cells = [
            sole_text(screen, ids[column], row[column])
            for row, ids in zip(table.rows, table.cells, strict=True)
        ]
        shown = [cell.id for cell in cells if cell and cell.landmark not in SITE_PARTS]
        if len(shown) < max(len(table.rows), _FEWEST_ROWS):
            continue
        for value, count in Counter(row[column] for row in table.rows).items():
            if 1 < count < len(table.rows):
                question = f"How many rows have “{value}” under “{table.headers[column]}”?"
                yield Calculation("count", question, variants(str(count)), shown)
