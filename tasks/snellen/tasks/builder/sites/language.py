"""A language's words, and how it writes numbers, prices, dates and hours: by CLDR's rules."""

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

# What CLDR puts between digits and letters, such as the narrow space of "1:30 PM".
_SPACES = str.maketrans({"\u202f": " ", "\u00a0": " "})


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
        fields: What is known of each thing it offers; `value~unit` puts the unit to the label.
        says: Sentences about one such thing, `{item}`.
        facts: What is known of the site.
        titles: The headings of its pages, by their key.
        act: What the clear buttons say.
        danger: Buttons whose effect can't be undone, each with what it does.
        safe: Buttons that sound like those and can be undone.
        topics: What can be chosen in its forms.
        price: What it calls what things cost, where that is more than a price.
        measures: What its figures are of, where those are not of any business.
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
    """Templates of what has no rule in CLDR, and the patterns that sites choose from.

    Attributes:
        phone: A number, of the ranges kept for fiction where a country has them.
        address: A street and a town.
        person: A name.
        hours: From when to when.
        price: An amount of money.
        quote: What stands in quotation marks.
        comma: What separates parts of a line.
        clock: A pattern of CLDR for times of day.
        dates: Patterns of CLDR for dates; a site keeps to one.
    """

    phone: str
    address: str
    person: str
    hours: str
    price: str
    quote: str
    comma: str
    clock: str
    dates: tuple[str, ...]


class Names(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Templates of names; `coin` makes up names of products."""

    woman: str
    man: str
    last: str
    town: str
    street: str
    coin: str


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that sites of a language have in common.

    Attributes:
        locale: The locale of CLDR.
        formats: How it writes what is counted.
        names: Of people and places.
        form_fields: Labels and hints of forms.
        lists: Texts that belong together.
        ui: Texts of the interface.
        counted: Nouns whose form depends on the number before them: few, many, other.
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
        return self._locale.text_direction

    @cached_property
    def _locale(self) -> Locale:
        return Locale.parse(self.words.locale)

    @cached_property
    def weekdays(self) -> tuple[str, ...]:
        """The days of the week from Monday, as they stand in a sentence."""
        return tuple(self._locale.days["format"]["wide"][day] for day in range(7))

    @cached_property
    def short_weekdays(self) -> tuple[str, ...]:
        """The days of the week from Monday, abbreviated."""
        return tuple(self._locale.days["format"]["abbreviated"][day] for day in range(7))

    @cached_property
    def months(self) -> tuple[str, ...]:
        """The months from January."""
        # Babel mixes up the stand-alone forms of locales that are loaded one after the other.
        return tuple(self._locale.months["format"]["wide"][month] for month in range(1, 13))

    @cached_property
    def short_months(self) -> tuple[str, ...]:
        """The months from January, abbreviated."""
        months = self._locale.months["format"]["abbreviated"]
        return tuple(months[month] for month in range(1, 13))

    def price(self, cents: int) -> str:
        """Write a price.

        >>> language("en").price(123456), language("de").price(123456)
        ('$1,234.56', '1.234,56 €')
        """
        amount = self._decimal(cents / 100, "#,##0.00")
        return self.words.formats.price.format(amount=amount)

    def number(self, value: int) -> str:
        """Write a whole number.

        >>> language("en").number(12345), language("es").number(12345)
        ('12,345', '12.345')
        """
        return self._decimal(value, None)

    def tenths(self, value: int) -> str:
        """Write tenths.

        >>> language("de").tenths(47)
        '4,7'
        """
        return self._decimal(value / 10, "0.0")

    def date(self, day: int, month: int, year: int, pattern: str = "long") -> str:
        """Write a date.

        >>> language("en").date(4, 3, 2026), language("es").date(4, 3, 2026, "full")
        ('March 4, 2026', 'miércoles, 4 de marzo de 2026')
        """
        return format_date(date(year, month, day), pattern, locale=self._locale)

    def time(self, minutes: int) -> str:
        """Write a time of day, given in minutes since midnight.

        >>> language("en").time(810), language("de").time(810)
        ('1:30 PM', '13:30 Uhr')
        """
        clock = time(*divmod(minutes, 60))
        text = format_time(clock, self.words.formats.clock, locale=self._locale)
        return text.translate(_SPACES)

    def hours(self, start: int, end: int) -> str:
        r"""Write from when to when.

        >>> ascii(language("en").hours(540, 1080))
        "'9:00 AM \\u2013 6:00 PM'"
        """
        return self.words.formats.hours.format(start=self.time(start), end=self.time(end))

    def counted(self, number: int, noun: str) -> str:
        """Return the form that a noun takes after a number.

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
    """Return a language by its code."""
    folder = files(__package__ or "") / "words" / code
    words = msgspec.json.decode((folder / "common.json").read_bytes(), type=Words)
    kinds = msgspec.json.decode((folder / "kinds.json").read_bytes(), type=dict[str, KindWords])
    return Language(code, words, kinds)
