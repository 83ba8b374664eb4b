r"""Sentences from templates.

[We|Our people] open at {time}.     one of several choices, which may be nested
{n 3 40}   {digits 1890 2020}       a number, with and without thousands separators
{price 10 90}                       a price between whole units
{person} {first} {woman} {man} {last} {coin} {town} {street}    names
{now} {past} {soon} {coming} {later}    dates of the site's calendar
{day} {month} {time} {phone} {address}
{coming:council}                    the same value in the whole site
{elsewhere} {road} {lead} {photo} {rooms} {length} {product} {workers}
                                    drawn if not given: another town, another street...
{site} {place} {item} {other} {category}...   given by the caller
"""

import datetime
import re
from collections.abc import Hashable, Sequence
from random import Random
from typing import TypeVar

from snellen.build.sites.calendar import Calendar
from snellen.build.sites.language import Language

_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_SLOT = re.compile(r"\{(\w+)(?::(\w+))?(?: (\d+) (\d+))?\}(?: ([\w\u064b-\u0652]+))?")
_BEFORE_I = re.compile(r"\by (?=(?:[IiÍí]|[Hh]i(?!e)))")
_TRIES = 12
_NAMES = frozenset({"woman", "man", "last", "town", "street", "coin"})
_FORMATS = frozenset({"phone", "address", "person"})
_DATES = frozenset({"now", "past", "soon", "coming", "later"})
_TIMES = frozenset({"morning", "midday", "evening", "time", "before_close"})
_OTHERS = {"elsewhere": "{town}", "road": "{street}", "lead": "{last}", "photo": "{person}",
           "product": "{coin}", "rooms": "3", "length": "4", "workers": "4"}  # fmt: skip


T = TypeVar("T", bound=Hashable)


class Writer:
    """The writer of a site's texts; it repeats no sentence.

    Texts about one subject agree: equal slots for numbers give equal numbers. For example,
    `{n 24 70}` is the same number of seats in all texts of a kind.

    Args:
        language: The language.
        random: The source of random numbers.
        known: The values of slots: the site, its place...
        calendar: The calendar of its dates and times.
    """

    def __init__(
        self,
        language: Language,
        random: Random,
        known: dict[str, str],
        calendar: Calendar | None = None,
    ) -> None:
        self.language = language
        self.calendar = calendar or Calendar()
        self.random = random
        self._known = dict(known)
        self._written: set[str] = set()
        self._wordings: dict[str, str] = {}
        self._numbers: dict[tuple[str, str], str] = {}
        self._said: set[tuple[str, str]] = set()
        self._uses: dict[Hashable, int] = {}
        self._dates = random.choice(language.words.formats.dates)

    def know(self, **known: str) -> None:
        """Add values of slots."""
        self._known |= known

    def text(self, template: str, about: str | None = None, /, **known: str) -> str:
        """Fill in a template.

        Args:
            template: The template.
            about: The subject whose numbers must agree; None draws new numbers.
            known: Additional values of slots.

        Raises:
            KeyError: It has a slot without a value.
        """
        return self._filled(self._chosen(template), about, self._known | known)

    def wording(self, template: str, /, **known: str) -> str:
        """Fill in a template with the wording that the whole site uses for it."""
        if template not in self._wordings:
            self._wordings[template] = self._chosen(template)
        return self._filled(self._wordings[template], None, self._known | known)

    def label(self, template: str) -> str:
        """Return a label, with its first letter capitalized."""
        text = self.wording(template)
        return text[:1].upper() + text[1:]

    def heading(self, template: str) -> tuple[str, str]:
        """Return a page's heading and its short form, the label of links to the page.

        The short form is the first choice in the template: `Plans` of `[Plans|Prices] of {site}`.
        """
        short = ""
        if (first := _CHOICE.search(template)) is not None:
            short = self.random.choice(first[1].split("|"))
            template = template[: first.start()] + short + template[first.end() :]
        heading = self.text(template)
        return heading, heading if "{" in short or not short else short

    def paragraph(
        self, templates: Sequence[str], count: int = 3, about: str = "", /, **known: str
    ) -> str:
        """Return a paragraph of up to `count` new sentences about a subject."""
        space = "" if self.language.code == "zh" else " "
        return space.join(self._said_of(templates, count, about, known).values())

    def sentences(
        self, templates: Sequence[str], count: int, about: str = "", /, **known: str
    ) -> list[str]:
        """Return up to `count` new sentences about a subject, in the order of their templates."""
        said = self._said_of(templates, count, about, known)
        return [said[template] for template in templates if template in said]

    def _said_of(
        self, templates: Sequence[str], count: int, about: str, known: dict[str, str]
    ) -> dict[str, str]:
        """Return new sentences, by their templates."""
        order = self.random.sample(templates, len(templates))
        order.sort(key=lambda template: self._uses.get(template, 0))
        sentences: dict[str, str] = {}
        for template in order:
            if len(sentences) == count:
                break
            if (about, template) in self._said:
                continue
            text = self.text(template, about, **known)
            if text not in self._written:
                self._said.add((about, template))
                self._uses[template] = self._uses.get(template, 0) + 1
                self._written.add(text)
                sentences[template] = text
        return sentences

    def least_used(self, choices: Sequence[T], count: int) -> list[T]:
        """Return `count` choices; those that were returned least often come first."""
        order = self.random.sample(choices, len(choices))
        order.sort(key=lambda choice: self._uses.get(choice, 0))
        for choice in order[:count]:
            self._uses[choice] = self._uses.get(choice, 0) + 1
        return order[:count]

    def several(self, template: str, count: int, /, **known: str) -> list[str]:
        """Return up to `count` distinct texts from one template."""
        found: dict[str, None] = {}
        for _ in range(count * _TRIES):
            if len(found) == count:
                break
            found[self.text(template, **known)] = None
        return list(found)

    def pick(self, texts: Sequence[str], /, **known: str) -> str:
        """Fill in a random template."""
        return self.text(self.random.choice(texts), **known)

    def date(self, day: datetime.date) -> str:
        """Return a day in the site's date format."""
        return self.language.date(day.day, day.month, day.year, self._dates)

    def weekday(self, day: datetime.date) -> str:
        """Return the day of the week in the form that sentences use."""
        return self.language.weekdays[day.weekday()]

    def price(self, low: int, high: int) -> str:
        """Return a random price between two whole amounts."""
        cents = self.random.choice((0, 0, 50, 90, 99))
        return self.language.price(self.random.randrange(low, high) * 100 + cents)

    def _chosen(self, template: str) -> str:
        while True:
            chosen = _CHOICE.sub(lambda found: self.random.choice(found[1].split("|")), template)
            if chosen == template:
                return chosen
            template = chosen

    def _filled(self, template: str, about: str | None, values: dict[str, str]) -> str:
        text = _SLOT.sub(lambda found: self._fill(found, about, values), template)
        # In Spanish, `y` becomes `e` before the sound of an i.
        return _BEFORE_I.sub("e ", text) if self.language.code == "es" else text

    def _fill(self, found: re.Match[str], about: str | None, values: dict[str, str]) -> str:
        name, kept, low, high, noun = found.groups()
        rest = f" {noun}" if noun else ""
        if kept is not None:
            key = ("", f"{name}:{kept}")
            if key not in self._numbers:
                self._numbers[key] = self._drawn(name)
            return self._numbers[key] + rest
        if low is None:
            return (values[name] if name in values else self._drawn(name)) + rest
        key = (about or "", f"{name} {low} {high}")
        if about is None or key not in self._numbers:
            self._numbers[key] = self._number(name, int(low), int(high))
        number = self._numbers[key]
        if noun and name == "n":
            value = int("".join(filter(str.isdigit, number)))
            rest = f" {self.language.counted(value, noun)}"
        return number + rest

    def _number(self, name: str, low: int, high: int) -> str:
        if name == "price":
            return self.price(low, high)
        value = self.random.randrange(low, high + 1)
        return str(value) if name == "digits" else self.language.number(value)

    def _drawn(self, name: str) -> str:
        random, words = self.random, self.language.words
        if name in _NAMES:
            return self._chosen(getattr(words.names, name))
        if name in _FORMATS:
            return self.text(getattr(words.formats, name))
        if name in _OTHERS:
            return self._filled(_OTHERS[name], None, {})
        if name in _DATES:
            return self.date(getattr(self.calendar, name)(random))
        if name in _TIMES:
            return self.language.time(self.calendar.time(name, random))
        match name:
            case "first":
                return self._drawn(random.choice(("woman", "man")))
            case "day":
                return self.language.weekdays[random.choice(self.calendar.days)]
            case "month":
                return random.choice(self.language.months)
            case _:
                raise KeyError(name)
