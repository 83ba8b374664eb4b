r"""Sentences from templates.

[We|Our people] open at {time}.     one of several, nested as one likes
{n 3 40}   {digits 1890 2020}       a number, with separators of thousands or without
{price 10 90}                       a price between whole units
{person} {first} {last} {town} {street} {date} {day} {month} {time} {phone}
{site} {place} {item} {other} {category}...   given by whoever asks
"""

import re
from collections.abc import Sequence
from random import Random

from snellen.tasks.builder.sites.language import Language

_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_SLOT = re.compile(r"\{(\w+)(?: (\d+) (\d+))?\}")
_TRIES = 12


class Writer:
    """Writes the texts of a site, and no sentence twice.

    Args:
        language: The language.
        random: What its choices are drawn from.
        known: What templates may name: the site, its place...
    """

    def __init__(self, language: Language, random: Random, known: dict[str, str]) -> None:
        self.language = language
        self.random = random
        self._known = dict(known)
        self._written: set[str] = set()
        self._uses: dict[str, int] = {}

    def know(self, **known: str) -> None:
        """Let templates name something more."""
        self._known |= known

    def text(self, template: str, **known: str) -> str:
        """Return what a template becomes.

        Raises:
            KeyError: It names what is not known.
        """
        while True:
            chosen = _CHOICE.sub(lambda found: self._choose(found[1]), template)
            if chosen == template:
                break
            template = chosen
        values = self._known | known
        return _SLOT.sub(lambda found: self._fill(found, values), template)

    def fresh(self, template: str, **known: str) -> str | None:
        """Return what a template becomes, but nothing that was written before."""
        for _ in range(_TRIES):
            text = self.text(template, **known)
            if text not in self._written:
                self._written.add(text)
                return text
        return None

    def sentences(self, templates: Sequence[str], count: int, **known: str) -> list[str]:
        """Return new sentences from the templates that were used least."""
        order = list(templates)
        self.random.shuffle(order)
        order.sort(key=lambda template: self._uses.get(template, 0))
        found: list[str] = []
        for template in order:
            if len(found) == count:
                break
            text = self.fresh(template, **known)
            if text is not None:
                self._uses[template] = self._uses.get(template, 0) + 1
                found.append(text)
        return found

    def paragraph(self, templates: Sequence[str], count: int = 3, **known: str) -> str:
        """Return a paragraph of new sentences, as many as there are up to a count."""
        space = "" if self.language.code == "zh" else " "
        return space.join(self.sentences(templates, count, **known))

    def several(self, template: str, count: int, **known: str) -> list[str]:
        """Return different things from one template, as many as there are up to a count."""
        found: dict[str, None] = {}
        for _ in range(count * _TRIES):
            if len(found) == count:
                break
            found[self.text(template, **known)] = None
        return list(found)

    def pick(self, texts: Sequence[str], **known: str) -> str:
        """Return one of several templates, filled in."""
        return self.text(self.random.choice(texts), **known)

    def date(self, year: int = 2026) -> str:
        """Return a day of a year."""
        return self.language.date(self.random.randrange(1, 29), self.random.randrange(1, 13), year)

    def price(self, low: int, high: int) -> str:
        """Return a price between two whole amounts."""
        cents = self.random.choice((0, 0, 50, 90, 99))
        return self.language.price(self.random.randrange(low, high) * 100 + cents)

    def _choose(self, texts: str) -> str:
        return self.random.choice(texts.split("|"))

    def _fill(self, found: re.Match[str], values: dict[str, str]) -> str:
        name = found[1]
        if found[2] is not None:
            low, high = int(found[2]), int(found[3])
            if name == "price":
                return self.price(low, high)
            value = self.random.randrange(low, high + 1)
            return str(value) if name == "digits" else self.language.number(value)
        if name in values:
            return values[name]
        random, words = self.random, self.language.words
        match name:
            case "person":
                return self.language.person(random)
            case "first":
                return random.choice(words.first)
            case "last":
                return random.choice(words.last)
            case "town":
                return random.choice(words.towns)
            case "street":
                return random.choice(words.streets)
            case "day":
                return random.choice(words.weekdays)
            case "month":
                return random.choice(words.months)
            case "date":
                return self.date()
            case "time":
                return self.language.time(random.randrange(32, 80) * 15)
            case "phone":
                return self.language.phone(random)
            case _:
                raise KeyError(name)
