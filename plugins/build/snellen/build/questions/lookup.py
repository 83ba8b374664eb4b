"""Single facts of a screen that a question can ask for: names, answer and elements.

The sources are tables, pairs of labels and values, prices, contacts, charts, filled fields, menus,
lists and headings. On a screen of an app, which has no such data, two texts in a row are a label
and its value. Each fact has exactly one answer, which its question does not contain and which is
not easy to guess: a value must be unique in its column or list. The frame that all pages of a site
share is ignored, except its menus.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

from snellen.build.questions import spatial
from snellen.build.questions.facts import (
    NAME_LENGTH,
    Chart,
    Contact,
    Fact,
    Menu,
    Pair,
    Pairs,
    Price,
    Prices,
    Table,
    facts_of,
    key_column,
)
from snellen.build.questions.names import Names
from snellen.build.questions.text import count_words, folded, is_plain, label_of, one_line
from snellen.build.screen.elements import Element, Ltrb, Screen
from snellen.build.screen.fields import is_joined
from snellen.build.snapshots import Snapshot
from snellen.grading.normalize import squad

Kind: TypeAlias = Literal[
    "cell",
    "row",
    "reverse",
    "pair",
    "price",
    "field",
    "hint",
    "action",
    "chart",
    "current",
    "next",
    "first",
    "last",
    "section",
    "caption",
    "heading",
    "phone",
    "email",
]

_ANSWER_WORDS = 6
_ANSWER_LENGTH = 60
_MANY_ROWS = 5
_FILLED = frozenset({"textbox", "combobox", "spinbutton", "searchbox"})
_PAIR = 2
_SOURCE = {"cell": "table", "row": "table", "pair": "label", "price": "label", "field": "label"}
"""Kinds whose questions would be the same for the same names."""
_OPEN = frozenset({"canvas", "scroller", "video"})
"""Content that may have more text, but neither in a table's cells nor in the main heading."""
_STRICT = frozenset({"cell", "row", "reverse", "heading", "current", "next"})
_FEWEST_ENTRIES = 3
_UNDER = 90.0
_CARD = 8
_NEAR = 240.0
_NEXT = 60.0
_ENDS = frozenset({"heading", "button", "link"})
_TABULAR = frozenset({"row", "table", "cell", "gridcell", "rowheader", "columnheader"})
_FIGURE = re.compile(r"[+\-\u2212]?\s?[$€£¥₹]?\s?\d[\d.,\u00a0 ]*\s?(?:%|[$€£¥₹]|[kKmM])?\+?")
"""A number on a card that is a quantity."""
_EARNED = re.compile(
    r"\b(earnings|revenue|sales|income|profit|balance|budget|total|turnover|expenses|mrr|arr)\b"
)
_WAGES = re.compile(
    r"\b(jobs?|vacanc(y|ies)|salar(y|ies)|wages?|careers?|hiring|open positions?)\b"
    r"|\b(offene|freie) stellen?\b|stellenangebot|gehalt\b|\blohn\b|karriere|\bempleos?\b"
    r"|\bvacantes?\b|\bsalarios?\b|\bsueldos?\b|\bemplois?\b|\bsalaires?\b|职位|岗位|招聘|薪|求职"
    r"|وظيف|وظائف|راتب|رواتب",
    re.IGNORECASE,
)
_CAPTION = re.compile(
    r"((?:Figure|Fig\.|Table|Example|Abbildung|Abb\.|Tabelle|Beispiel|Figura|Tabla|Tabela|Ejemplo"
    r"|Exemple|Exemplo|Tableau|图|表|الشكل|الجدول)\s?\d+(?:[.-]\d+)*)[.:\s]+(?=[^\W\d_])(.+)"
)
"""The caption of a figure or a table with a number."""
_ENDED = re.compile(r"[.:!?\u3002\uff1a\uff01\uff1f\u061f]\W*$")
_QUOTED = re.compile('["“”„«»「」『』]')
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


class Lookup(NamedTuple):
    """One fact of a screen.

    Attributes:
        kind: The source of the fact.
        names: The names in the question: for a cell or a row its name, then the columns; for
            `reverse` the value, its column and the column of the rows' names; else the label.
        fragments: The answer as the screen shows it; several cells of a row in reading order.
        elements: The element of each fragment; empty if a fragment is only part of an element.
    """

    kind: Kind
    names: tuple[str, ...]
    fragments: tuple[str, ...]
    elements: tuple[int, ...]


def lookups(snapshot: Snapshot) -> Sequence[Lookup]:
    """Return the facts of a screen that have exactly one answer."""
    screen = snapshot.screen
    facts = facts_of(snapshot.captured.facts)
    names = Names(screen)
    pairs = [pair for fact in facts if isinstance(fact, Pairs) for pair in _listed(screen, fact)]
    known = {pair.element for pair in pairs}
    pairs += [pair for pair in _rows(screen) if pair.element not in known]
    known = {pair.element for pair in pairs} | {pair.label_element for pair in pairs}
    pairs += [pair for pair in _grids(screen) if not known & {pair.element, pair.label_element}]
    candidates = [
        *_cells(screen, facts, names),
        *_pairs(screen, pairs, names),
        *_prices(screen, facts, names),
        *_contacts(screen, facts),
        *_fields(screen, names),
        *_actions(screen, names),
        *_captions(screen),
        *_charts(screen, facts, names),
        *_menus(screen, facts, names),
        *_lists(screen, names),
        *_sections(screen, names),
        *_headings(screen),
    ]
    if screen.unread:
        some = _STRICT if _OPEN.issuperset(screen.unread) else frozenset[str]()
        candidates = [each for each in candidates if each.kind in some]
    answers: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for lookup in candidates:
        answers.setdefault(_key(lookup), set()).add(tuple(map(folded, lookup.fragments)))
    unique = {_key(lookup): lookup for lookup in candidates if len(answers[_key(lookup)]) == 1}
    # The bullet of a list is not part of a name.
    named = [
        candidate
        for candidate in unique.values()
        if not any(name.startswith("•") for name in candidate.names)
    ]
    return [lookup for lookup in named if _is_precise(lookup)]


def sole_text(screen: Screen, element: int | None, text: str) -> Element | None:
    """Return the only readable element, in an element or itself, that shows a text; else None.

    Other content of the element, such as a mark, a badge or small print, does not matter.
    """
    if element is None:
        return None
    outer = screen.elements[element]
    parts = [part for part in (outer, *screen.inside(outer)) if part.own.strip()]
    alike = [part for part in parts if folded(part.own) == folded(text)]
    return alike[0] if len(alike) == 1 and spatial.is_readable(alike[0]) else None


def box_of(element: Element) -> Ltrb:
    """Return the box of an element: of its painted shape, else of its ink."""
    shape = element.role in _FILLED or (element.painted and _acts(element))
    return element.box if shape or not element.ink else element.ink


def priced(screen: Screen, facts: Iterable[Fact]) -> Sequence[Price]:
    """Return the prices of things side by side; a single amount may not be a price.

    Wages are excluded, and so are amounts larger than their name, such as business figures.
    """
    # Amounts on a page about jobs are wages.
    if any(_WAGES.search(e.own) for e in screen.elements if e.landmark not in spatial.SITE_PARTS):
        return []
    lists = [fact.items for fact in facts if isinstance(fact, Prices)]
    return [
        item
        for items in lists
        if len(items) > 1 and not any(_is_figure(screen, one) for one in items)
        for item in items
    ]


def _is_figure(screen: Screen, item: Price) -> bool:
    if _EARNED.search(item.name.casefold()):
        return True
    if item.name_element is None or item.element is None:
        return False
    name, price = screen.elements[item.name_element], screen.elements[item.element]
    return name.role != "heading" and name.font_size < price.font_size


def _key(lookup: Lookup) -> tuple[str, ...]:
    return (_SOURCE.get(lookup.kind, lookup.kind), *map(folded, lookup.names))


def _is_precise(lookup: Lookup) -> bool:
    """Whether the answer is short and shares no word with the names in its question."""
    named = set(folded(" ".join(lookup.names)).split())
    if lookup.kind == "section":
        # Chapter numbers share their first parts.
        named = {word for word in named if not word.isdecimal()}
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
    """Whether an element belongs to the page, not to the frame that all pages of a site share."""
    return element is not None and element.landmark not in spatial.SITE_PARTS


def _cells(screen: Screen, facts: Iterable[Fact], names: Names) -> Iterator[Lookup]:
    for table in (fact for fact in facts if isinstance(fact, Table)):
        key = key_column(table)
        if key is None or len(table.rows) < _PAIR:
            continue
        headers = Counter(map(folded, table.headers))
        columns = [
            column
            for column, header in enumerate(table.headers)
            if column != key
            and folded(header)
            and headers[folded(header)] == 1
            and _is_alone(screen, names, header, table.header_cells[column : column + 1])
        ]
        for row, ids in zip(table.rows, table.cells, strict=True):
            name = sole_text(screen, ids[key], row[key])
            if name is None or not names.alone(row[key], name):
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
                many = len(table.rows) >= _MANY_ROWS and table.known(column)
                if many and _is_own(name) and headers[folded(table.headers[key])] == 1:
                    names_used = (value, header, table.headers[key])
                    yield Lookup("reverse", names_used, (row[key],), (name.id,))
            for pair in zip(values, list(values)[1:], strict=False):
                yield Lookup(
                    "row",
                    (row[key], *(table.headers[column] for column in pair)),
                    tuple(row[column] for column in pair),
                    tuple(values[column] for column in pair),
                )


def _is_distinct(table: Table, row: Sequence[str], column: int) -> bool:
    """Whether a cell's text can't be guessed: it is unique in its column."""
    alike = sum(folded(other[column]) == folded(row[column]) for other in table.rows)
    # `closed` is usually the Sunday: in a table with few rows that is easy to guess.
    few = len(table.rows) < _MANY_ROWS and not any(map(str.isdecimal, row[column]))
    return bool(row[column]) and alike == 1 and not few


def _is_alone(screen: Screen, names: Names, text: str, ids: Sequence[int | None]) -> bool:
    """Whether only the given elements have a name."""
    return all(each is None or names.alone(text, screen.elements[each]) for each in ids)


def _listed(screen: Screen, fact: Pairs) -> Sequence[Pair]:
    """Return the pairs without the first one if only its value is bold: both are headers then."""
    bold = [pair.element is not None and _is_bold(screen, pair.element) for pair in fact.pairs]
    return fact.pairs[1:] if bold[0] and bold[1:] and not any(bold[1:]) else fact.pairs


def _is_bold(screen: Screen, element: int) -> bool:
    whole = screen.elements[element]
    return any(each.bold for each in (whole, *screen.inside(whole)) if each.own)


def _pairs(screen: Screen, pairs: Sequence[Pair], names: Names) -> Iterator[Lookup]:
    labels = Counter(folded(pair.label) for pair in pairs)
    values = Counter(folded(pair.value) for pair in pairs)
    for pair in pairs:
        label = folded(pair.label)
        whole = None if pair.element is None else screen.elements[pair.element]
        element = sole_text(screen, pair.element, pair.value)
        if not _is_own(element or whole) or whole is None or not spatial.is_readable(whole):
            continue
        if labels[label] > 1 or values[folded(pair.value)] > 1:
            continue
        if _is_alone(screen, names, pair.label, [pair.label_element]):
            elements = () if element is None else (element.id,)
            yield Lookup("pair", (label_of(pair.label),), (pair.value,), elements)


def _prices(screen: Screen, facts: Iterable[Fact], names: Names) -> Iterator[Lookup]:
    items = priced(screen, facts)
    prices = Counter(folded(item.price) for item in items)
    for item in items:
        element = sole_text(screen, item.element, item.price)
        name = sole_text(screen, item.name_element, item.name)
        alone = prices[folded(item.price)] == 1
        if not alone or element is None or name is None or not names.alone(item.name, name):
            continue
        if _is_own(element):
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
            if alone and spatial.is_readable(element) and _is_own(element):
                # An element with a name beside the number has more text than the answer.
                whole = folded(element.text) == folded(contact.value)
                yield Lookup(kind, (), (contact.value,), (element.id,) if whole else ())


def _fields(screen: Screen, names: Names) -> Iterator[Lookup]:
    shown = {folded(element.own) for element in screen.elements if element.own}
    for element in screen.elements:
        label = label_of(element.label)
        held = (
            element.role in _FILLED and element.kind != "password" and spatial.is_readable(element)
        )
        if not held or not _is_own(element) or folded(label) not in shown:
            continue
        if is_joined(screen, element):
            continue
        if not names.alone(label, element):
            continue
        if _is_chosen(element):
            yield Lookup("field", (label,), (one_line(element.value),), (element.id,))
        elif element.placeholder and not element.value and element.own == element.placeholder:
            yield Lookup("hint", (label,), (element.placeholder,), (element.id,))


def _actions(screen: Screen, names: Names) -> Iterator[Lookup]:
    """Yield the heading of each card beside others, and its only button or link."""
    for card in screen.elements:
        parts = list(screen.inside(card))
        if not 1 < len(parts) <= _CARD or not _is_own(card):
            continue
        headings = [each for each in parts if each.role == "heading" and each.text]
        # A sign under the heading is a button or a link, too.
        acts = [
            e
            for e in parts
            if e.role in {"button", "link"}
            and (e.text or any(h.box[3] <= e.box[1] for h in headings))
        ]
        if len(headings) != 1 or len(acts) != 1 or screen.nested(headings[0], acts[0]):
            continue
        name = sole_text(screen, headings[0].id, headings[0].text)
        act = sole_text(screen, acts[0].id, acts[0].text)
        if name is None or act is None or not names.alone(name.own, name):
            continue
        # A link inside a sentence is part of the sentence.
        outer = None if acts[0].parent is None else screen.elements[acts[0].parent]
        if acts[0].role == "link" and not acts[0].painted and outer is not None and outer.own:
            continue
        # By eye, what follows a card without a frame is its part, up to the next heading.
        left, _, right, bottom = card.box
        region = (left, bottom, right, bottom + _NEXT)
        after = [e for e in screen.elements if e.role in _ENDS and spatial.meet(e.box, region)]
        following = min(after, key=lambda each: each.box[1], default=headings[0])
        if not card.painted and following.role != "heading":
            continue
        below = act.box[1] - name.box[3]
        if names.alone(act.own, act) and 0 <= below <= _NEAR:
            shown = acts[0] if acts[0].painted else act
            yield Lookup("action", (one_line(name.own),), (one_line(act.own),), (shown.id,))


def _charts(screen: Screen, facts: Iterable[Fact], names: Names) -> Iterator[Lookup]:
    """Yield the value of each label of a chart, if it is the page's only chart."""
    charts = [fact for fact in facts if isinstance(fact, Chart)]
    for chart in charts if len(charts) == 1 else ():
        values = Counter(folded(each.value) for each in chart.items)
        for each in chart.items:
            label = None if each.label_element is None else screen.elements[each.label_element]
            value = None if each.element is None else screen.elements[each.element]
            if label is None or not spatial.is_readable(label):
                continue
            if value is not None and not spatial.is_readable(value):
                continue
            if values[folded(each.value)] == 1 and names.alone(label.own, label):
                # A value read from an axis, or from a text with its label, has no element of its
                # own.
                elements = (value.id,) if value is not None and value.id != label.id else ()
                yield Lookup("chart", (each.label,), (each.value,), elements)


def _menus(screen: Screen, facts: Iterable[Fact], names: Names) -> Iterator[Lookup]:
    """Yield the entry that is marked as current, and the successor of each entry."""
    menus = [fact for fact in facts if isinstance(fact, Menu)]
    within = Counter(text for menu in menus for text in {folded(e.label) for e in menu.items})
    for menu in menus:
        found = [sole_text(screen, each.element, each.label) for each in menu.items]
        # The footer is the same on all pages of a site, and similar on all sites.
        entries = [each for each in found if each and each.landmark != "contentinfo"]
        if len(entries) < max(_FEWEST_ENTRIES, len(menu.items)):
            continue
        # A page may have several menus with a current entry: another entry identifies the menu.
        alone = [one_line(each.own) for each in entries if names.alone(each.own, each)]
        others = [text for text in alone if text != menu.current and within[folded(text)] == 1]
        # The parent entry of a nested menu is usually marked, too.
        nested = menu.element is not None and any(
            outer.tag in {"ul", "ol"} for outer in screen.ancestors(screen.elements[menu.element])
        )
        for each, element in zip(menu.items, entries, strict=True):
            if others and not nested and each.label == menu.current:
                yield Lookup("current", (others[0],), (one_line(element.own),), (element.id,))
        for element, after in pairwise(entries):
            if names.alone(element.own, element) and names.alone(after.own, after):
                label, answer = one_line(element.own), one_line(after.own)
                yield Lookup("next", (label,), (answer,), (after.id,))


def _captions(screen: Screen) -> Iterator[Lookup]:
    """Yield the captions of numbered figures and tables."""
    by_number: dict[str, list[tuple[str, str]]] = {}
    for each in screen.elements:
        match = _CAPTION.match(one_line(each.text))
        # Short answers omit quotation marks.
        if match is None or _QUOTED.search(match[2]) or each.role in {"link", "heading"}:
            continue
        if spatial.is_readable(each) and _is_own(each):
            by_number.setdefault(folded(match[1]), []).append((match[1], match[2].rstrip(".")))
    for captions in by_number.values():
        # Nested elements have the same text; a text that mentions a figure has another one.
        if len({folded(text) for _, text in captions}) == 1:
            number, text = captions[0]
            yield Lookup("caption", (number,), (text,), ())


def _lists(screen: Screen, names: Names) -> Iterator[Lookup]:
    """Yield the first and the last entry of a list, if it is the only one below its heading."""
    headings = [each for each in screen.elements if each.role == "heading"]
    lists: dict[int, list[Element]] = {}
    for each in screen.elements:
        if each.tag not in {"ul", "ol"} or not _is_own(each):
            continue
        heading = next((title for title in reversed(headings) if title.id < each.id), None)
        inner = any(outer.tag in {"ul", "ol", "li"} for outer in screen.ancestors(each))
        if heading is not None and not inner:
            lists.setdefault(heading.id, []).append(each)
    for place, found in lists.items():
        heading = sole_text(screen, place, screen.elements[place].text)
        entries = [each for each in screen.children(found[0]) if each.tag == "li"]
        if len(found) > 1 or heading is None or len(entries) < _FEWEST_ENTRIES:
            continue
        below = 0 <= found[0].box[1] - heading.box[3] <= _UNDER
        below = below and _is_introduced(screen, heading, found[0])
        column = all(upper.box[3] <= lower.box[1] + 2 for upper, lower in pairwise(entries))
        texts = [sole_text(screen, each.id, each.text) for each in entries]
        if not below or not column or None in texts or not names.alone(heading.own, heading):
            continue
        kinds: tuple[tuple[Kind, Element | None], ...] = (("first", texts[0]), ("last", texts[-1]))
        for kind, element in kinds:
            if element is not None and names.alone(element.own, element):
                name, answer = one_line(heading.own), one_line(element.own)
                yield Lookup(kind, (name,), (answer,), (element.id,))


def _is_introduced(screen: Screen, heading: Element, below: Element) -> bool:
    """Whether a sentence, and no other title of the list, stands between a heading and a list."""
    texts = [each.text for each in screen.elements[heading.id + 1 : below.id] if each.own]
    return not texts or any(map(_ENDED.search, texts))


def _sections(screen: Screen, names: Names) -> Iterator[Lookup]:
    """Yield the next heading below each heading, in one column."""
    for heading, after in spatial.following_headings(screen):
        if not _is_own(heading) or not _is_own(after):
            continue
        name = sole_text(screen, heading.id, heading.text)
        answer = sole_text(screen, after.id, after.text)
        if name is None or answer is None:
            continue
        if names.alone(name.own, name) and names.alone(answer.own, answer):
            yield Lookup("section", (one_line(name.own),), (one_line(answer.own),), (answer.id,))


def _is_chosen(field: Element) -> bool:
    """Whether a field has a chosen value: the first entry of a list is usually a placeholder."""
    return bool(field.value.strip()) and field.value not in field.options[:1]


def _headings(screen: Screen) -> Iterator[Lookup]:
    first = [each for each in screen.elements if each.role == "heading" and each.level == 1]
    if len(first) == 1 and first[0].text and not spatial.is_outranked(screen, first[0]):
        element = sole_text(screen, first[0].id, first[0].text)
        if element is not None:
            yield Lookup("heading", (), (one_line(element.own),), (element.id,))


def _rows(screen: Screen) -> Iterator[Pair]:
    """Yield the two texts of a row that has no others; on a web page, one must be a number."""
    for row in screen.elements:
        if row.own or row.role in _TABULAR or not 1 < len(list(screen.children(row))) <= _CARD:
            continue
        texts = [each for each in screen.inside(row) if each.own.strip()]
        # Pictures beside the texts may be part of the row's meaning.
        pictured = any(each.painted and not each.text for each in screen.inside(row))
        if len(texts) != _PAIR or any(map(_acts, texts)) or pictured:
            continue
        label, value = texts
        if screen.platform == "web":
            if _FIGURE.fullmatch(label.own.strip()):
                if label.box[3] > (value.box[1] + value.box[3]) / 2:
                    continue  # It counts what follows it, as in `20 records`.
                label, value = value, label
            figure = _FIGURE.fullmatch(value.own.strip())
            if figure is None or any(map(str.isdecimal, label.own)):
                continue
            if _FILLED & {label.role, value.role}:
                continue
        elif any(each.parent != row.id for each in texts):
            continue
        if not re.search(r"[.!?]$", value.own.strip()):
            yield Pair(label.own, value.own, label.id, value.id)


def _grids(screen: Screen) -> Iterator[Pair]:
    """Yield labels and values of adjacent parts with two texts each, in the same two styles."""
    for grid in screen.elements:
        parts = screen.children(grid)
        if len(parts) < _FEWEST_ENTRIES or grid.role in _TABULAR or grid.tag in {"ul", "ol", "tr"}:
            continue
        pairs: list[tuple[Element, Element]] = []
        for part in parts:
            texts = [each for each in screen.inside(part) if each.own.strip()]
            pictured = any(each.painted and not each.text for each in screen.inside(part))
            held = any(each.role in _FILLED for each in texts)
            if len(texts) == _PAIR and not pictured and not held and not any(map(_acts, texts)):
                pairs.append((texts[0], texts[1]))
        looks = {(_look(label), _look(value)) for label, value in pairs}
        alike = len(looks) == 1 and all(label != value for label, value in looks)
        # Other parts, such as one with a badge, may be pairs too, so most parts must be plain.
        if not alike or len(pairs) < _FEWEST_ENTRIES or 2 * len(pairs) < len(parts):
            continue
        for label, value in pairs:
            below = 0 <= value.box[1] - label.box[1] <= _UNDER
            if below and not any(map(str.isdecimal, label.own)):
                yield Pair(label.own, value.own, label.id, value.id)


def _look(element: Element) -> tuple[float, str]:
    return element.font_size, element.color


def _acts(element: Element) -> bool:
    return element.role in {"button", "link", "heading", "tab"}
