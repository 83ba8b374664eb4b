"""What a screen says that can be asked for: what the question names, what answers it, and where.

From tables, lists of labels and values, prices, fields that hold something, and the main heading.
On a screen of an app, which has no such data, two texts in one row are a label and its value.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from snellen.grading.normalise import squad
from snellen.tasks.builder.questions.facts import (
    NAME_LENGTH,
    Fact,
    Pair,
    Pairs,
    Price,
    Prices,
    Table,
    facts_of,
    key_column,
)
from snellen.tasks.builder.screen.elements import Element, Ltrb, Screen
from snellen.tasks.builder.snapshots import Snapshot
from snellen.tasks.builder.writers.visualwebbench.shared import (
    SITE_PARTS,
    count_words,
    folded,
    inside,
    is_plain,
    is_readable,
    one_line,
)

Kind: TypeAlias = Literal["cell", "row", "pair", "price", "field", "heading"]

_ANSWER_WORDS = 6
_ANSWER_LENGTH = 60
_FEW_ROWS = 5
_COLONS = ":\uff1a "
_FILLED = frozenset({"textbox", "combobox", "spinbutton", "searchbox"})
_PAIR = 2


class Lookup(NamedTuple):
    """One thing that a screen says.

    Attributes:
        kind: How it is said.
        names: What a question names: of a table the row, then the columns; else the label.
        fragments: The answer, as the screen shows it; several of one row in reading order.
        elements: The element of each fragment; empty where a fragment is a part of an element.
    """

    kind: Kind
    names: tuple[str, ...]
    fragments: tuple[str, ...]
    elements: tuple[int, ...]


def lookups(snapshot: Snapshot) -> Sequence[Lookup]:
    """Return what can be asked for, each with exactly one answer."""
    screen = snapshot.screen
    facts = facts_of(snapshot.captured.facts)
    found = [
        *_cells(screen, facts),
        *_pairs(screen, [pair for fact in facts if isinstance(fact, Pairs) for pair in fact.pairs]),
        *_prices(screen, facts),
        *_fields(screen),
        *_headings(screen),
    ]
    if screen.platform != "web":
        found += _pairs(screen, list(_rows(screen)))
    answers: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for one in found:
        answers.setdefault(_key(one), set()).add(tuple(map(folded, one.fragments)))
    unique = [one for one in found if len(answers[_key(one)]) == 1 and _can_be_asked(one)]
    return list({_key(one): one for one in unique}.values())


def spoken(screen: Screen, element: int | None, text: str) -> Element | None:
    """Return the one element that shows a text and nothing else, at or in another, if any does."""
    if element is None:
        return None
    outer = screen.elements[element]
    saying = [each for each in (outer, *inside(screen, outer)) if each.own.strip()]
    alone = len(saying) == 1 and folded(saying[0].own) == folded(text)
    return saying[0] if alone and is_readable(saying[0]) else None


def box_of(element: Element) -> Ltrb:
    """Return the box of an element's text: as it is drawn where that is known."""
    return element.ink if element.ink and element.role not in _FILLED else element.box


def _key(one: Lookup) -> tuple[str, ...]:
    kind = "table" if one.kind in {"cell", "row"} else "label"
    return (kind, *map(folded, one.names))


def _can_be_asked(one: Lookup) -> bool:
    asked = set(folded(" ".join(one.names)).split())
    return all(map(_is_name, one.names)) and all(
        0 < len(text) <= _ANSWER_LENGTH
        and count_words(text) <= _ANSWER_WORDS
        and is_plain(text)
        and bool(squad(text))
        and bool(folded(text))
        and not asked & set(folded(text).split())
        for text in one.fragments
    )


def _is_name(text: str) -> bool:
    return 0 < len(text) <= NAME_LENGTH and bool(folded(text)) and is_plain(text)


def _is_own(element: Element | None) -> bool:
    """Whether an element is the page's own, not of the frame that all pages of a site have."""
    return element is not None and element.landmark not in SITE_PARTS


def _cells(screen: Screen, facts: Iterable[Fact]) -> Iterator[Lookup]:
    for table in (fact for fact in facts if isinstance(fact, Table)):
        key = key_column(table)
        if key is None or len(table.rows) < _PAIR:
            continue
        headers = Counter(map(folded, table.headers))
        columns = [
            place
            for place, header in enumerate(table.headers)
            if place != key and folded(header) and headers[folded(header)] == 1
        ]
        for row, ids in zip(table.rows, table.cells, strict=True):
            if spoken(screen, ids[key], row[key]) is None:
                continue
            told = {
                place: element
                for place in columns
                if _tells(table, row, place)
                and _is_own(element := spoken(screen, ids[place], row[place]))
                and element is not None
            }
            for places in (*((place,) for place in told), *zip(told, list(told)[1:], strict=False)):
                yield Lookup(
                    "cell" if len(places) == 1 else "row",
                    (row[key], *(table.headers[place] for place in places)),
                    tuple(row[place] for place in places),
                    tuple(told[place].id for place in places),
                )


def _tells(table: Table, row: Sequence[str], place: int) -> bool:
    """Whether a cell says what can't be guessed: no other of its column says the same."""
    alike = sum(folded(other[place]) == folded(row[place]) for other in table.rows)
    # What is closed is mostly the Sunday: of few rows, that is guessed too easily.
    few = len(table.rows) < _FEW_ROWS and not any(map(str.isdecimal, row[place]))
    return bool(row[place]) and alike == 1 and not few


def _pairs(screen: Screen, pairs: Sequence[Pair]) -> Iterator[Lookup]:
    values = Counter(folded(pair.value) for pair in pairs)
    for pair in pairs:
        label = one_line(pair.label).rstrip(_COLONS)
        whole = None if pair.element is None else screen.elements[pair.element]
        element = spoken(screen, pair.element, pair.value)
        if not _is_own(element or whole) or whole is None or not is_readable(whole):
            continue
        # A value that several labels have is a frequent one: it is guessed too easily.
        if values[folded(pair.value)] == 1:
            yield Lookup("pair", (label,), (pair.value,), () if element is None else (element.id,))


def priced(facts: Iterable[Fact]) -> Sequence[Price]:
    """Return what has a price beside others: a sum of money alone may be no price of anything."""
    lists = [fact.items for fact in facts if isinstance(fact, Prices)]
    return [item for items in lists if len(items) > 1 for item in items]


def _prices(screen: Screen, facts: Iterable[Fact]) -> Iterator[Lookup]:
    items = priced(facts)
    prices = Counter(folded(item.price) for item in items)
    for item in items:
        element = spoken(screen, item.element, item.price)
        named = spoken(screen, item.name_element, item.name)
        alone = prices[folded(item.price)] == 1
        if alone and element is not None and named is not None and _is_own(element):
            yield Lookup("price", (one_line(item.name),), (item.price,), (element.id,))


def _fields(screen: Screen) -> Iterator[Lookup]:
    shown = Counter(folded(element.own) for element in screen.elements if element.own)
    for element in screen.elements:
        label = one_line(element.label).rstrip(_COLONS + "*")
        held = element.role in _FILLED and element.kind != "password" and is_readable(element)
        if held and _is_own(element) and _is_chosen(element) and shown[folded(label)] == 1:
            yield Lookup("field", (label,), (one_line(element.value),), (element.id,))


def _is_chosen(field: Element) -> bool:
    """Whether a field holds what somebody put there: a list's first entry is mostly none."""
    return bool(field.value.strip()) and field.value not in field.options[:1]


def _headings(screen: Screen) -> Iterator[Lookup]:
    first = [each for each in screen.elements if each.role == "heading" and each.level == 1]
    if len(first) == 1 and first[0].text:
        element = spoken(screen, first[0].id, first[0].text)
        if element is not None:
            yield Lookup("heading", (), (one_line(element.own),), (element.id,))


def _rows(screen: Screen) -> Iterator[Pair]:
    """Yield two texts that are all that a row of an app's screen says."""
    for row in screen.elements:
        said = [each for each in inside(screen, row) if each.own.strip()]
        parts = [each for each in said if each.parent == row.id]
        if len(said) == len(parts) == _PAIR and not row.own and not any(map(_acts, parts)):
            label, value = parts
            if not re.search(r"[.!?]$", value.own.strip()):
                yield Pair(label.own, value.own, label.id, value.id)


def _acts(element: Element) -> bool:
    return element.role in {"button", "link", "heading", "tab"}
