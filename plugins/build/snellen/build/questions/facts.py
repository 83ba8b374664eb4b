"""The facts of a page and its numbers."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple, TypeAlias

import msgspec

from snellen.build.questions.templates import Templates
from snellen.build.questions.text import folded

_NUMBER = re.compile(
    r"^(?P<sign>[+\-\u2212]?)(?P<before>[^\d+\-\u2212]*)(?P<inner>[+\-\u2212]?)"
    r"(?P<digits>\d[\d.,\u066c'\s]*)(?P<after>\D*)$"
)
# The allowed prefixes of a number: `Feb 14` and `#12` are not quantities.
_MONEY = re.compile(r"[$€£¥₹]?|US\$|USD|EUR|GBP|CHF|AED|R\$|MX\$")


NAME_LENGTH = 60
"""The maximum number of characters of the name of a row or a thing."""


class Table(msgspec.Struct, frozen=True, tag="table", tag_field="kind"):
    """A table: each row is as long as the headers; an empty text is a cell that can't be read.

    It is partial if some of its rows are not shown or have another shape.
    """

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    cells: tuple[tuple[int | None, ...], ...]
    caption: str = ""
    header_cells: tuple[int | None, ...] = ()
    partial: bool = False

    def known(self, column: int) -> bool:
        """Whether all rows are known, and their texts in a column."""
        return not self.partial and all(row[column] for row in self.rows)


class Pair(msgspec.Struct, frozen=True):
    """A label and its value."""

    label: str
    value: str
    label_element: int | None = None
    element: int | None = None


class Pairs(msgspec.Struct, frozen=True, tag="pairs", tag_field="kind"):
    """A definition list, a table of two columns, or lines `Label: value`."""

    pairs: tuple[Pair, ...]
    caption: str = ""


class Price(msgspec.Struct, frozen=True):
    """The price of a thing."""

    name: str
    price: str
    name_element: int | None = None
    element: int | None = None


class Prices(msgspec.Struct, frozen=True, tag="prices", tag_field="kind"):
    """The prices of adjacent cards or rows."""

    items: tuple[Price, ...]
    caption: str = ""


class Contact(msgspec.Struct, frozen=True, tag="contact", tag_field="kind"):
    """A phone number or an e-mail address."""

    label: str
    value: str
    element: int | None = None


class Entry(msgspec.Struct, frozen=True):
    """An entry of a menu."""

    label: str
    element: int | None = None


class Menu(msgspec.Struct, frozen=True, tag="menu", tag_field="kind"):
    """Adjacent links, in reading order.

    `current` is the label of the entry that is marked as the current page, also by its style; empty
    for none.
    """

    items: tuple[Entry, ...]
    element: int | None = None
    current: str = ""


class Chart(msgspec.Struct, frozen=True, tag="chart", tag_field="kind"):
    """A chart; each value is written beside its mark or its label, or read from the axis.

    A value read from the axis lies on one of its lines and has no element.
    """

    items: tuple[Pair, ...]
    caption: str = ""


Fact: TypeAlias = Table | Pairs | Prices | Contact | Menu | Chart

_TAGS = ("table", "pairs", "prices", "contact", "menu", "chart")


def facts_of(found: Sequence[Mapping[str, Any]]) -> Sequence[Fact]:
    """Read a snapshot's facts; other kinds are ignored."""
    return [msgspec.convert(fact, Fact) for fact in found if fact.get("kind") in _TAGS]


class Amount(NamedTuple):
    """A number and its unit."""

    value: Decimal
    unit: str


def amount_of(text: str, templates: Templates) -> Amount | None:
    """Read a number in a language's format; None if it is not a number or is ambiguous.

    >>> from snellen.build.questions.templates import templates_of
    >>> amount_of("$1,200.50", templates_of("en"))
    Amount(value=Decimal('1200.50'), unit='$')
    >>> amount_of("1.200,50 €", templates_of("de"))
    Amount(value=Decimal('1200.50'), unit='€')
    >>> amount_of("2024/05/01", templates_of("en")) is None
    True
    """
    match = _NUMBER.match(text.strip())
    if match is None:
        return None
    digits = re.sub(r"['\s]", " ", match["digits"].strip())
    whole, _, fraction = digits.partition(templates.decimal)
    group = f"[{re.escape(templates.thousands + ' ')}]"
    if not re.fullmatch(rf"\d+|\d{{1,3}}(?:{group}\d{{3}})+", whole):
        return None
    if fraction and not fraction.isdecimal():
        return None
    try:
        value = Decimal(f"{re.sub(r'[^0-9]', '', _ascii(whole))}.{_ascii(fraction) or '0'}")
    except InvalidOperation:
        return None
    if not _MONEY.fullmatch(match["before"].strip()):
        return None
    unit = (match["before"].strip() + match["after"].strip()).casefold()
    return Amount(-value if {match["sign"], match["inner"]} & {"-", "\u2212"} else value, unit)


def _ascii(digits: str) -> str:
    return "".join(str(int(each)) if each.isdecimal() else each for each in digits)


def key_column(table: Table) -> int | None:
    """Return the column of the rows' names: the first with different texts that all have letters.

    Numbers count as names only in the first column.
    """
    columns = [
        column
        for column, header in enumerate(table.headers)
        if header
        and all(0 < len(row[column]) <= NAME_LENGTH for row in table.rows)
        and len({folded(row[column]) for row in table.rows}) == len(table.rows)
    ]
    lettered = [
        column
        for column in columns
        if all(any(map(str.isalpha, row[column])) for row in table.rows)
    ]
    return next(iter(lettered or [column for column in columns if column == 0]), None)
