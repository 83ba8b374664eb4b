"""The words of a language, and its formats of numbers, prices, dates and hours by CLDR's rules."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, time
from functools import cache, cached_property
from importlib.resources import files

import msgspec

from snellen.grading.errors import MissingExtraError

try:
    from babel import Locale
    from babel.dates import format_date, format_time
    from babel.numbers import format_decimal
except ImportError as error:
    raise MissingExtraError("generating pages", "build") from error

LANGUAGES = ("en", "de", "es", "zh", "ar")

# The spaces that CLDR puts between digits and letters, such as the narrow one of "1:30 PM".
_SPACES = str.maketrans({"\u202f": " ", "\u00a0": " "})


class FieldWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A form field's label, and the hint that may stand in it."""

    label: str
    hint: str = ""


class KindWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The texts of sites of a kind, as templates in the grammar of `writer`.

    Attributes:
        names: Names of such sites.
        slogans: First headings of their home pages.
        about: Sentences about the site.
        items: The names of the things that it offers, by category.
        fields: Properties of each thing it offers; `value~unit` adds the unit to the label.
        says: Sentences about one such thing, named `{item}`.
        facts: Facts about the site.
        titles: The headings of its pages, by their key.
        act: The texts of the clear buttons.
        danger: The texts of buttons with irreversible effects, each with its effect.
        safe: The texts of buttons that sound irreversible but can be undone.
        topics: The choices in its forms.
        price: Its label for prices, if that differs from the language's.
        measures: The quantities that its figures measure, if they differ from the language's.
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
    measures: tuple[str, ...] = ()


class Formats(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Templates of formats without a rule in CLDR, and the patterns that sites choose from."""

    phone: str  # a phone number, from the range reserved for fiction if the country has one
    address: str  # a street and a town
    person: str  # a name
    hours: str  # a span of time, from start to end
    price: str  # an amount of money
    quote: str  # a quoted text
    comma: str  # the separator between the parts of a line
    clock: str  # the CLDR pattern for times of day
    dates: tuple[str, ...]  # CLDR patterns for dates; each site uses one of them


class Names(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Templates of names; `coin` generates names of products."""

    woman: str
    man: str
    last: str
    town: str
    street: str
    coin: str


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The texts and formats that all sites of a language share.

    Attributes:
        locale: The CLDR locale.
        formats: Its formats.
        names: Names of people and places.
        form_fields: Labels and hints of forms.
        lists: Lists of texts, by key.
        ui: Texts of the interface, by key.
        counted: The forms (few, many, other) of nouns that depend on the number before them.
    """

    locale: str
    formats: Formats
    names: Names
    form_fields: dict[str, FieldWords]
    lists: dict[str, tuple[str, ...]]
    ui: dict[str, str]
    counted: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True)
class Language:
    """A language of sites."""

    code: str  # its code, as in `<html lang>`
    words: Words  # the texts and formats that its sites share
    kinds: Mapping[str, KindWords]  # the texts of its sites, by kind

    @property
    def direction(self) -> str:
        """The writing direction, `ltr` or `rtl`."""
        return self._locale.text_direction

    @cached_property
    def _locale(self) -> Locale:
        return Locale.parse(self.words.locale)

    @cached_property
    def weekdays(self) -> tuple[str, ...]:
        """The days of the week from Monday, in the form that sentences use."""
        return tuple(self._locale.days["format"]["wide"][day] for day in range(7))

    @cached_property
    def short_weekdays(self) -> tuple[str, ...]:
        """The days of the week from Monday, abbreviated."""
        return tuple(self._locale.days["format"]["abbreviated"][day] for day in range(7))

    @cached_property
    def months(self) -> tuple[str, ...]:
        """The months from January."""
        # Babel confuses the stand-alone forms of locales that are loaded in sequence.
        return tuple(self._locale.months["format"]["wide"][month] for month in range(1, 13))

    @cached_property
    def short_months(self) -> tuple[str, ...]:
        """The months from January, abbreviated."""
        months = self._locale.months["format"]["abbreviated"]
        return tuple(months[month] for month in range(1, 13))

    def price(self, cents: int) -> str:
        """Format a price.

        >>> language("en").price(123456), language("de").price(123456)
        ('$1,234.56', '1.234,56 €')
        """
        amount = self._decimal(cents / 100, "#,##0.00")
        return self.words.formats.price.format(amount=amount)

    def number(self, value: int) -> str:
        """Format a whole number.

        >>> language("en").number(12345), language("es").number(12345)
        ('12,345', '12.345')
        """
        return self._decimal(value, None)

    def tenths(self, value: int) -> str:
        """Format a number of tenths with one decimal place.

        >>> language("de").tenths(47)
        '4,7'
        """
        return self._decimal(value / 10, "0.0")

    def date(self, day: int, month: int, year: int, pattern: str = "long") -> str:
        """Format a date.

        >>> language("en").date(4, 3, 2026), language("es").date(4, 3, 2026, "full")
        ('March 4, 2026', 'miércoles, 4 de marzo de 2026')
        """
        return format_date(date(year, month, day), pattern, locale=self._locale)

    def time(self, minutes: int) -> str:
        """Format a time of day, given in minutes since midnight.

        >>> language("en").time(810), language("de").time(810)
        ('1:30 PM', '13:30 Uhr')
        """
        clock = time(*divmod(minutes, 60))
        text = format_time(clock, self.words.formats.clock, locale=self._locale)
        return text.translate(_SPACES)

    def hours(self, start: int, end: int) -> str:
        r"""Format a span of time, given in minutes since midnight.

        >>> ascii(language("en").hours(540, 1080))
        "'9:00 AM \\u2013 6:00 PM'"
        """
        return self.words.formats.hours.format(start=self.time(start), end=self.time(end))

    def counted(self, number: int, noun: str) -> str:
        """Return the form of a noun after a number.

        >>> language("ar").counted(5, "يوم"), language("ar").counted(20, "أيام")
        ('أيام', 'يومًا')
        """
        forms = self._forms.get(noun)
        if forms is None:
            return noun
        few, many, other = forms
        return {"few": few, "many": many}.get(self._locale.plural_form(number), other)

    @cached_property
    def _forms(self) -> dict[str, tuple[str, str, str]]:
        return {form: forms for forms in self.words.counted for form in forms}

    def _decimal(self, value: float, pattern: str | None) -> str:
        text = format_decimal(value, pattern, locale=self._locale)
        return text.translate(_SPACES)


@cache
def language(code: str) -> Language:
    folder = files(__package__ or "") / "words" / code
    words = msgspec.json.decode((folder / "common.json").read_bytes(), type=Words)
    kinds = msgspec.json.decode((folder / "kinds.json").read_bytes(), type=dict[str, KindWords])
    return Language(code, words, kinds)
