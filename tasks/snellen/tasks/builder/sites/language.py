"""A language's words, and how it writes prices, dates and hours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from random import Random

import msgspec

LANGUAGES = ("en", "de", "es", "zh", "ar")


class FieldWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A form field's label, and the hint that may stand in it."""

    label: str
    hint: str = ""


class KindWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What sites of a kind say; texts are templates of the grammar in `writer`.

    Attributes:
        names: Names of such sites.
        slogans: First headings of their home pages.
        about: Sentences about the site.
        items: What it offers, by category.
        fields: What is known of each thing it offers.
        says: Sentences about one such thing, `{item}`.
        facts: What is known of the site.
        titles: The headings of its pages, by their key.
        act: What the clear buttons say.
        danger: Buttons whose effect can't be undone, each with what it does.
        safe: Buttons that sound like those and can be undone.
        topics: What can be chosen in its forms.
        price: What it calls what things cost, where that is more than a price.
    """

    names: tuple[str, ...]
    slogans: tuple[str, ...]
    about: tuple[str, ...]
    items: dict[str, str]
    fields: dict[str, str]
    says: tuple[str, ...]
    facts: dict[str, str]
    titles: dict[str, str]
    act: tuple[str, ...]
    danger: tuple[tuple[str, str], ...]
    safe: tuple[str, ...]
    topics: tuple[str, ...]
    price: str = ""


class Formats(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a language writes what is counted; names in braces are filled in."""

    date: str
    clock: str
    hours: str
    price: str
    decimal: str
    thousands: str
    phone: str
    address: str
    person: str


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that sites of a language have in common."""

    formats: Formats
    months: tuple[str, ...]
    weekdays: tuple[str, ...]
    first: tuple[str, ...]
    last: tuple[str, ...]
    towns: tuple[str, ...]
    streets: tuple[str, ...]
    form_fields: dict[str, FieldWords]
    lists: dict[str, tuple[str, ...]]
    ui: dict[str, str]


@dataclass(frozen=True, slots=True)
class Language:
    """One language.

    Attributes:
        code: As `<html lang>` has it.
        words: What its sites have in common.
        kinds: What its sites of each kind say.
    """

    code: str
    words: Words
    kinds: Mapping[str, KindWords]

    @property
    def direction(self) -> str:
        """`ltr` or `rtl`."""
        return "rtl" if self.code == "ar" else "ltr"

    def ui(self, key: str, **values: str | int) -> str:
        """Return a text of the interface."""
        return self.words.ui[key].format(**values)

    def list(self, key: str) -> Sequence[str]:
        """Return several texts that belong together."""
        return self.words.lists[key]

    def price(self, cents: int) -> str:
        """Write a price.

        >>> language("en").price(123456), language("de").price(123456)
        ('$1,234.56', '1.234,56 €')
        """
        formats = self.words.formats
        number = f"{cents // 100:,}".replace(",", formats.thousands)
        return formats.price.format(amount=f"{number}{formats.decimal}{cents % 100:02}")

    def number(self, value: int) -> str:
        """Write a whole number.

        >>> language("en").number(12345)
        '12,345'
        """
        return f"{value:,}".replace(",", self.words.formats.thousands)

    def date(self, day: int, month: int, year: int) -> str:
        """Write a date.

        >>> language("en").date(4, 3, 2026)
        'March 4, 2026'
        """
        return self.words.formats.date.format(
            day=day, month=self.words.months[month - 1], year=year, number=month
        )

    def time(self, minutes: int) -> str:
        """Write a time of day, given in minutes since midnight.

        >>> language("en").time(810), language("de").time(810)
        ('1:30 pm', '13:30 Uhr')
        """
        hour, minute = divmod(minutes, 60)
        return self.words.formats.clock.format(
            hour=hour, twelve=(hour + 11) % 12 + 1, minute=f"{minute:02}",
            half="pm" if hour >= 12 else "am",
        )  # fmt: skip

    def hours(self, start: int, end: int) -> str:
        r"""Write from when to when.

        >>> ascii(language("en").hours(540, 1080))
        "'9:00 am \\u2013 6:00 pm'"
        """
        return self.words.formats.hours.format(start=self.time(start), end=self.time(end))

    def person(self, random: Random) -> str:
        """Name somebody who isn't there."""
        words = self.words
        return words.formats.person.format(
            first=random.choice(words.first), last=random.choice(words.last)
        )

    def phone(self, random: Random) -> str:
        """Give a number of the ranges kept for fiction, where a country has them."""
        return self.words.formats.phone.format(two=f"{random.randrange(100):02}")

    def address(self, random: Random, town: str) -> str:
        """Give a street and a number in a town."""
        words = self.words
        return words.formats.address.format(
            street=random.choice(words.streets),
            house=random.randrange(1, 190),
            code=f"{random.randrange(10000, 99999)}",
            town=town,
        )


@cache
def language(code: str) -> Language:
    """Return a language by its code."""
    folder = files(__package__ or "") / "words" / code
    words = msgspec.json.decode((folder / "common.json").read_bytes(), type=Words)
    kinds = msgspec.json.decode((folder / "kinds.json").read_bytes(), type=dict[str, KindWords])
    return Language(code, words, kinds)
