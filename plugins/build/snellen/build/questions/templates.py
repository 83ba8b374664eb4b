"""Question templates in the page's language, and its number format."""

from functools import cache
from importlib.resources import files

import msgspec

_FILE = "templates.json"


class Templates(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One language's templates and number format."""

    lookup: str  # takes `row` and `column`
    reverse: str  # takes `key`, `column` and `value`
    highest: str  # takes `key` and `column`
    lowest: str  # the same
    pair: str  # takes `label`
    price: str  # takes `name`
    field: str  # takes `label`
    hint: str  # the same
    action: str  # the same
    chart: str  # the same
    next: str  # the same
    first: str  # the same
    last: str  # the same
    section: str  # the same
    caption: str  # the same
    current: str  # the same
    dearest: str  # takes nothing
    cheapest: str  # nothing
    phone: str  # nothing
    email: str  # nothing
    thousands: str  # the possible separators between groups of three digits
    decimal: str  # the decimal separator


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
