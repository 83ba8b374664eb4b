"""Drafts: the data of a site before its pages are written, and of a page during its writing."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from snellen.build.sites.calendar import Calendar
from snellen.build.sites.families import Family
from snellen.build.sites.kinds import Kind, PagePlan
from snellen.build.sites.language import KindWords, Language
from snellen.build.sites.markup import Child, Html
from snellen.build.sites.themes import Theme
from snellen.build.sites.writer import Writer


@dataclass(frozen=True, slots=True)
class Thing:
    """An entry of a site: a product, a course, a message or a headline.

    Attributes:
        name: Its name, unique in the site.
        category: Its category, one of the site's.
        cents: Its price in cents.
        fields: Its properties, as pairs of label and value.
        day: The day on which it was written or added.
        date: `day` in the site's date format.
        coming: The day on which it takes place; a weekly event takes place on its weekday.
        minutes: The time at which it takes place, in minutes since midnight.
        stars: Its rating in tenths, 10..50.
        person: The person related to it, such as an author or a sender.
        known: Other values that sentences about it may use: its town, its street...
        key: The key of its page; empty if it has none.
    """

    name: str
    category: str
    cents: int
    fields: tuple[tuple[str, str], ...]
    day: datetime.date
    date: str
    coming: datetime.date
    minutes: int
    stars: int
    person: str
    known: Mapping[str, str]
    key: str = ""


@dataclass(frozen=True, slots=True)
class Layout:
    """The arrangement of a site's content, independent of its theme."""

    hero: str  # `split`, `banner`, `over` (text over the picture), `boxed` or `plain`
    listing: str  # `cards`, `tiles` (text over pictures), `rows` or `table`
    cards: int  # the number of cards in a row
    aside_first: bool  # whether the sidebar comes before the text
    search: bool  # whether the header has a search field
    crumbs: bool  # whether pages have breadcrumbs
    wide_pictures: bool  # whether pictures are wide instead of square
    icons: bool  # whether tools, such as print, are icons instead of words


@dataclass(frozen=True, slots=True)
class SiteDraft:
    """The data that all pages of a site share."""

    kind: str  # the name of its kind
    plan: Kind  # its kind
    language: Language
    words: KindWords  # the texts of sites of the kind
    family: Family  # its design family
    theme: Theme  # its colors
    layout: Layout
    calendar: Calendar  # its today and its opening hours
    today: str  # today in the site's date format
    title: str  # its name
    place: str  # its town
    founded: int  # the year in which it was founded
    phone: str  # its phone number
    email: str  # its email address
    address: str  # its street, number and town
    host: str  # the person responsible for it
    person: str  # the name of the signed-in user
    number: str  # the customer number of that user
    since: str  # the day on which that user joined
    hours: tuple[tuple[str, str], ...]  # its opening hours, as pairs of days and hours
    facts: tuple[tuple[str, str], ...]  # facts about it, as pairs of label and value
    things: tuple[Thing, ...]  # the things that it offers
    pages: tuple[PagePlan, ...]
    headings: dict[str, str]  # the first heading of each page, by the page's key
    labels: dict[str, str]  # the label of links to each page, by the page's key

    def href(self, key: str) -> str:
        """Return the path of a page."""
        return f"{key}.html"

    def key_of(self, *structures: str, besides: str = "") -> str | None:
        """Return the key of the first page of the first structure that has a page, or None."""
        for structure in structures:
            for page in self.pages:
                if page.structure == structure and page.key != besides:
                    return page.key
        return None

    def label(self, key: str) -> str:
        """Return the label of links to a page."""
        return self.labels[key]


class Act(NamedTuple):
    """A clear button: its text, and the keys of the pages where its action can be done."""

    text: str
    keys: Sequence[str]


@dataclass(frozen=True, slots=True)
class PageDraft:
    """A page during its writing."""

    site: SiteDraft
    plan: PagePlan  # the page's plan
    writer: Writer  # the writer of its sentences
    random: Random  # the source of random numbers for its other choices

    @property
    def heading(self) -> str:
        """The page's first heading."""
        return self.site.headings[self.plan.key]

    @property
    def thing(self) -> Thing:
        """The thing that the page is about; the site's first thing if it is about none."""
        for thing in self.site.things:
            if thing.key == self.plan.key:
                return thing
        return self.site.things[0]

    def ui(self, key: str, **values: str | int) -> str:
        """Return a text of the interface."""
        known = {name: str(value) for name, value in values.items()}
        fixed = {"name": self.thing.name, "heading": self.heading}
        return self.writer.wording(self.site.language.words.ui[key], **(fixed | known))

    def texts(self, key: str) -> list[str]:
        """Return a list of texts of the language, by its key."""
        return [self.writer.text(text) for text in self.site.language.words.lists[key]]

    def measures(self) -> list[str]:
        """Return the names of the quantities that the site's figures measure."""
        own = self.site.words.measures or self.site.language.words.lists["measures"]
        return [self.writer.text(text) for text in own]

    @property
    def price_label(self) -> str:
        """The site's label for prices."""
        return self.site.words.price or self.ui("price")

    def price(self, thing: Thing) -> str:
        """Return the price of a thing in the format of the language."""
        return self.site.language.price(thing.cents)

    @property
    def acts(self) -> list[Act]:
        """The site's clear buttons, without those that appear only on other pages."""
        texts = map(self.writer.wording, self.site.words.act)
        return [
            Act(text, (key.removeprefix("@"),))
            for text, key in zip(texts, self.site.plan.acts, strict=True)
            if not key.startswith("@") or key == f"@{self.plan.key}"
        ]

    def act(self) -> Act:
        """Return a random one of the site's clear buttons."""
        return self.random.choice(self.acts)

    def safe(self) -> str:
        """Return the text of a button that sounds irreversible but can be undone."""
        return self.writer.wording(self.random.choice(self.site.words.safe))

    def facts(self, count: int) -> Sequence[tuple[str, str]]:
        """Return facts about the site; those that the fewest pages have come first."""
        return self.writer.least_used(self.site.facts, count)

    def purpose(self) -> str:
        """Return a sentence about the purpose of the page."""
        thing = self.thing
        known = {
            "label": self.site.label(self.plan.key),
            "item": self._cited(thing) if self.plan.structure == "detail" else thing.name,
            "category": thing.category,
            "person": thing.person,
        }
        said = self.site.language.words.lists[f"purpose_{self.plan.structure}"]
        return self.writer.paragraph(said, 1, self.plan.key, **known)

    def opening(self, *topics: str, of: Sequence[Thing] = ()) -> str:
        """Return the opening sentences of the page: its purpose, then those of `lead`."""
        return self.together(self.purpose(), self.lead(*topics, of=of))

    def lead(self, *topics: str, of: Sequence[Thing] = ()) -> str:
        """Return a sentence for each topic, and one about the site.

        Args:
            topics: The topics of the sentences.
            of: The things that they may name; empty means all.
        """
        site = self.site
        things = sorted(of or site.things, key=lambda thing: thing.cents)
        first = self.thing if self.thing.key == self.plan.key else self.random.choice(things)
        others = [thing for thing in of if thing != first]
        known = {
            "item": self._cited(first),
            "other": self._cited(self.random.choice(others) if others else self.other(first)),
            "count": site.language.number(len(things)),
            "low": self.price(things[0]),
            "cheapest": self._cited(things[0]),
            "high": self.price(things[-1]),
            "dearest": self._cited(things[-1]),
        }
        lists = site.language.words.lists
        said = [
            self.writer.paragraph(lists[f"leads_{topic}"], 1, self.plan.key, **known)
            for topic in topics
            if topic != "priced" or (site.plan.priced and site.plan.compared)
        ]
        return self.together(*said, self.about(1))

    def newest(self, things: Sequence[Thing]) -> list[Thing]:
        """Return things by their day, the newest first."""
        return sorted(things, key=lambda thing: thing.day, reverse=True)

    def past(self, count: int) -> list[str]:
        """Return random days before today in the site's date format, the latest first."""
        calendar = self.site.calendar
        days = sorted((calendar.past(self.random) for _ in range(count)), reverse=True)
        return [self.writer.date(day) for day in days]

    def says(self, count: int, thing: Thing | None = None) -> str:
        """Return a paragraph about a thing."""
        thing = thing or self.thing
        known = self._known_of(thing)
        return self.writer.paragraph(self.site.words.says, count, thing.name, **known)

    def letter(self, count: int) -> list[str]:
        """Return the paragraphs of a letter, two sentences each, from its thanks to its regards."""
        known = self._known_of(self.thing)
        said = self.writer.sentences(self.site.words.says, count, self.thing.name, **known)
        return [self.together(*said[start : start + 2]) for start in range(0, len(said), 2)]

    def _known_of(self, thing: Thing) -> dict[str, str]:
        named = {"item": thing.name, "category": thing.category, "other": self.other(thing).name}
        return named | dict(thing.known)

    def about(self, count: int) -> str:
        """Return a paragraph about the site with sentences that no other page has."""
        return self.writer.paragraph(self.site.words.about, count)

    def line(self, *parts: str) -> str:
        """Join the parts of a line with the language's separator."""
        return self.site.language.words.formats.comma.join(parts)

    def _cited(self, thing: Thing) -> str:
        """Return a thing's name in the form that sentences use.

        Headlines and subjects are quoted. German names are quoted too because they would otherwise
        be inflected.
        """
        left, _, right = self.site.language.words.formats.quote.partition("{text}")
        inflected = self.site.language.code == "de" and left not in thing.name
        if self.site.plan.priced and not inflected:
            return thing.name
        return f"{left}{thing.name}{right}"

    def together(self, *sentences: str) -> str:
        """Join sentences to a paragraph."""
        space = "" if self.site.language.code == "zh" else " "
        return space.join(filter(None, sentences))

    def other(self, thing: Thing) -> Thing:
        """Return a thing of another category, or the thing itself if there is only one category."""
        others = [other for other in self.site.things if other.category != thing.category]
        return self.random.choice(others or [thing])

    def sample(self, count: int, besides: Thing | None = None) -> list[Thing]:
        """Return random distinct things of the site; those with pages come first."""
        things = [thing for thing in self.site.things if thing != besides]
        self.random.shuffle(things)
        things.sort(key=lambda thing: not thing.key)
        return things[:count]


@dataclass(frozen=True, slots=True)
class Body:
    """The content of a page, as its structure builds it."""

    main: Html  # the content of `<main>`, including the first heading
    description: str  # a description of the page in one or two sentences
    aside: Sequence[Child] = field(default_factory=tuple)  # the content of the sidebar
    narrow: bool = False  # whether the content is one narrow column
