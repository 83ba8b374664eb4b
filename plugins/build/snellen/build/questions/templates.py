"""Question templates in the page's language, and its number format."""

from functools import cache
from importlib.resources import files

import msgspec

_FILE = "templates.json"


class Templates(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One language's templates and number format.

    Attributes:
        lookup: Takes `row` and `column`.
        reverse: Takes `key`, `column` and `value`.
        highest: Takes `key` and `column`.
        lowest: The same.
        pair: Takes `label`.
        price: Takes `name`.
        field: Takes `label`.
        hint: The same.
        action: The same.
        chart: The same.
        next: The same.
        first: The same.
        last: The same.
        section: The same.
        caption: The same.
        current: The same.
        dearest: Takes nothing.
        cheapest: Nothing.
        phone: Nothing.
        email: Nothing.
        thousands: The possible separators between groups of three digits.
        decimal: The decimal separator.
    """

    lookup: str
    reverse: str
    highest: str
    lowest: str
    pair: str
    price: str
    field: str
    hint: str
    action: str
    chart: str
    next: str
    first: str
    last: str
    section: str
    caption: str
    current: str
    dearest: str
    cheapest: str
    phone: str
    email: str
    thousands: str
    decimal: str


def templates_of(language: str) -> Templates | None:
    """Return a language's templates by its code; None if there are none.

    >>> templates_of("en").price.format(name="Tea")
    'What is the price of “Tea”?'
    """
    return _all().get(language)


def languages() -> tuple[str, ...]:
    """Return the codes of the languages that have templates."""
    return tuple(_all())


@cache
def _all() -> dict[str, Templates]:
    source = files(__package__ or "") / _FILE
    return msgspec.json.decode(source.read_bytes(), type=dict[str, Templates])
