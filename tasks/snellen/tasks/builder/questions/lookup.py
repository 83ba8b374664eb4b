"""What a screen says that can be asked for: what the question names, what answers it, and where.

From tables, lists of labels and values, prices, contacts, fields that hold something, and the main
heading. On a screen of an app, which has no such data, two texts in one row are a label and its
value. Each has exactly one answer, which its question does not say and which is not easily guessed:
a value counts only if no other of its column or list is the same. What the frame of a site says on
each of its pages is left out.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from snellen.grading.normalize import squad
from snellen.tasks.builder.questions.facts import (
    NAME_LENGTH,
    Contact,
    Fact,
    Pair,
    Pairs,
    Price,
    Prices,
    Table,
    facts_of,
    key_column,
)
from snellen.tasks.builder.questions.spatial import SITE_PARTS, inside, is_readable
from snellen.tasks.builder.questions.text import count_words, folded, is_plain, one_line
from snellen.tasks.builder.screen.elements import Element, Ltrb, Screen
from snellen.tasks.builder.snapshots import Snapshot

Kind: TypeAlias = Literal[
    "cell", "row", "reverse", "pair", "price", "field", "heading", "phone", "email"
]

_ANSWER_WORDS = 6
_ANSWER_LENGTH = 60
_MANY_ROWS = 5
_COLONS = ":\uff1a "
_FILLED = frozenset({"textbox", "combobox", "spinbutton", "searchbox"})
_PAIR = 2
_SOURCE = {"cell": "table", "row": "table", "pair": "label", "price": "label", "field": "label"}
"""Kinds that a question of the same names could mean."""
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


class Lookup(NamedTuple):
    """One thing that a screen says.

    Attributes:
        kind: How it is said.
        names: What a question names: of a cell or a row its name, then the columns; for `reverse`
            the value, its column and the column that names the rows; else the label.
        fragments: The answer, as the screen shows it; several of one row in reading order.
        elements: The element of each fragment; empty if a fragment is a part of an element.
    """

    kind: Kind
    names: tuple[str, ...]
    fragments: tuple[str, ...]
    elements: tuple[int, ...]


def lookups(snapshot: Snapshot) -> Sequence[Lookup]:
    """Return what can be asked for, each with exactly one answer."""
    screen = snapshot.screen
    facts = facts_of(snapshot.captured.facts)
    pairs = [pair for fact in facts if isinstance(fact, Pairs) for pair in fact.pairs]
    candidates = [
        *_cells(screen, facts),
        *_pairs(screen, facts, pairs),
        *_prices(screen, facts),
        *_contacts(screen, facts),
        *_fields(screen),
        *_headings(screen),
    ]
    if screen.platform != "web":
        candidates += _pairs(screen, facts, list(_rows(screen)))
    answers: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for lookup in candidates:
        answers.setdefault(_key(lookup), set()).add(tuple(map(folded, lookup.fragments)))
    unique = {_key(lookup): lookup for lookup in candidates if len(answers[_key(lookup)]) == 1}
    return [lookup for lookup in unique.values() if _is_precise(lookup)]


def sole_text(screen: Screen, element: int | None, text: str) -> Element | None:
    """Return the one element that shows a text and nothing else, at or in another, if any does."""
    if element is None:
        return None
    outer = screen.elements[element]
    parts = [part for part in (outer, *inside(screen, outer)) if part.own.strip()]
    alone = len(parts) == 1 and folded(parts[0].own) == folded(text)
    return parts[0] if alone and is_readable(parts[0]) else None


def box_of(element: Element) -> Ltrb:
    """Return the box of an element's text: as it is drawn if that is known."""
    return element.ink if element.ink and element.role not in _FILLED else element.box


def priced(facts: Iterable[Fact]) -> Sequence[Price]:
    """Return what has a price beside others: a sum of money alone may be no price of anything."""
    lists = [fact.items for fact in facts if isinstance(fact, Prices)]
    return [item for items in lists if len(items) > 1 for item in items]


def _key(lookup: Lookup) -> tuple[str, ...]:
    return (_SOURCE.get(lookup.kind, lookup.kind), *map(folded, lookup.names))


def _is_precise(lookup: Lookup) -> bool:
    """Whether the answer is short, and shares no word with what its question names."""
    named = set(folded(" ".join(lookup.names)).split())
    return all(map(_is_name, lookup.names)) and all(
        0 < len(text) <= _ANSWER_LENGTH
        and count_words(text) <= _ANSWER_WORDS
        and is_plain(text)
        and bool(squad(text))
        and bool(folded(text))
        and not named & set(folded(text).split())
        for text in lookup.fragments
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
            column
            for column, header in enumerate(table.headers)
            if column != key and folded(header) and headers[folded(header)] == 1
        ]
        for row, ids in zip(table.rows, table.cells, strict=True):
            name = sole_text(screen, ids[key], row[key])
            if name is None:
                continue
            values = {
                column: element.id
                for column in columns
                if _is_distinct(table, row, column)
                and (element := sole_text(screen, ids[column], row[column])) is not None
                and _is_own(element)
            }
            for column, element in values.items():
                header, value = table.headers[column], row[column]
                yield Lookup("cell", (row[key], header), (value,), (element,))
                if len(table.rows) >= _MANY_ROWS and _is_own(name):
                    names = (value, header, table.headers[key])
                    yield Lookup("reverse", names, (row[key],), (name.id,))
            for pair in zip(values, list(values)[1:], strict=False):
                yield Lookup(
                    "row",
                    (row[key], *(table.headers[column] for column in pair)),
                    tuple(row[column] for column in pair),
                    tuple(values[column] for column in pair),
                )


def _is_distinct(table: Table, row: Sequence[str], column: int) -> bool:
    """Whether a cell says what can't be guessed: no other of its column says the same."""
    alike = sum(folded(other[column]) == folded(row[column]) for other in table.rows)
    # What is closed is mostly the Sunday: of few rows, that is guessed too easily.
    few = len(table.rows) < _MANY_ROWS and not any(map(str.isdecimal, row[column]))
    return bool(row[column]) and alike == 1 and not few


def _pairs(screen: Screen, facts: Iterable[Fact], pairs: Sequence[Pair]) -> Iterator[Lookup]:
    labels = Counter(folded(pair.label) for pair in pairs)
    values = Counter(folded(pair.value) for pair in pairs)
    headers = {
        folded(header) for fact in facts if isinstance(fact, Table) for header in fact.headers
    }
    for pair in pairs:
        label = folded(pair.label)
        whole = None if pair.element is None else screen.elements[pair.element]
        element = sole_text(screen, pair.element, pair.value)
        if not _is_own(element or whole) or whole is None or not is_readable(whole):
            continue
        if labels[label] > 1 or values[folded(pair.value)] > 1 or label in headers:
            continue
        if not _stands_elsewhere(screen, label, pair.label_element):
            names = (one_line(pair.label).rstrip(_COLONS),)
            yield Lookup("pair", names, (pair.value,), () if element is None else (element.id,))


def _stands_elsewhere(screen: Screen, text: str, element: int | None) -> bool:
    """Whether something else on the page says a text, too, so that it may mean either."""
    label = None if element is None else screen.elements[element]
    matches = [
        other
        for other in screen.elements
        if folded(other.own) == text and (label is None or not screen.nested(label, other))
    ]
    return len(matches) > (label is None)


def _prices(screen: Screen, facts: Iterable[Fact]) -> Iterator[Lookup]:
    items = priced(facts)
    prices = Counter(folded(item.price) for item in items)
    for item in items:
        element = sole_text(screen, item.element, item.price)
        name = sole_text(screen, item.name_element, item.name)
        alone = prices[folded(item.price)] == 1
        if alone and element is not None and name is not None and _is_own(element):
            yield Lookup("price", (one_line(item.name),), (item.price,), (element.id,))


def _contacts(screen: Screen, facts: Iterable[Fact]) -> Iterator[Lookup]:
    contacts = [fact for fact in facts if isinstance(fact, Contact) and fact.element is not None]
    shown = {
        address.casefold()
        for element in screen.elements
        for address in _ADDRESS.findall(element.own)
    }
    kinds: tuple[Kind, ...] = ("phone", "email")
    for kind in kinds:
        values = {folded(each.value): each for each in contacts if each.label == kind}
        for contact in values.values() if len(values) == 1 else ():
            assert contact.element is not None
            element = screen.elements[contact.element]
            alone = kind == "phone" or shown <= {contact.value.casefold()}
            if alone and is_readable(element) and _is_own(element):
                yield Lookup(kind, (), (contact.value,), (element.id,))


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
        element = sole_text(screen, first[0].id, first[0].text)
        if element is not None:
            yield Lookup("heading", (), (one_line(element.own),), (element.id,))


def _rows(screen: Screen) -> Iterator[Pair]:
    """Yield two texts that are all that a row of an app's screen says."""
    for row in screen.elements:
        texts = [each for each in inside(screen, row) if each.own.strip()]
        parts = [each for each in texts if each.parent == row.id]
        if len(texts) == len(parts) == _PAIR and not row.own and not any(map(_acts, parts)):
            label, value = parts
            if not re.search(r"[.!?]$", value.own.strip()):
                yield Pair(label.own, value.own, label.id, value.id)


def _acts(element: Element) -> bool:
    return element.role in {"button", "link", "heading", "tab"}
