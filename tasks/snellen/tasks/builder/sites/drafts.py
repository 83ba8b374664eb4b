"""What is known of a site before its pages are written, and of a page while it is."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from snellen.tasks.builder.sites.calendar import Calendar
from snellen.tasks.builder.sites.families import Family
from snellen.tasks.builder.sites.kinds import Kind, PagePlan
from snellen.tasks.builder.sites.language import KindWords, Language
from snellen.tasks.builder.sites.markup import Child, Html
from snellen.tasks.builder.sites.themes import Theme
from snellen.tasks.builder.sites.writer import Writer


@dataclass(frozen=True, slots=True)
class Thing:
    """One of what a site offers: a product, a course, a message, a headline.

    Attributes:
        name: What it is called, unique in the site.
        category: Which of the site's categories it is in.
        cents: What it costs, in cents.
        fields: What is known of it.
        day: On which day it was written or added.
        date: That day, as the site writes dates.
        coming: The day on which it takes place; also the weekday on which it does every week.
        minutes: At what time, in minutes since midnight.
        stars: Its rating in tenths, 10..50.
        person: Somebody who goes with it.
        known: What sentences about it may name besides: its town, its street...
        key: Its page, or empty.
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
    """How a site arranges what it shows, whatever its theme.

    Attributes:
        hero: `split`, `banner`, `over` (text over the picture), `boxed` or `plain`.
        listing: `cards`, `tiles` (text over pictures), `rows` or `table`.
        cards: How many stand beside one another.
        aside_first: Whether what stands beside the text comes before it.
        search: Whether the header has a search.
        crumbs: Whether pages say where one is.
        wide_pictures: Whether pictures are wide rather than square.
        icons: Whether tools such as print are icons rather than words.
    """

    hero: str
    listing: str
    cards: int
    aside_first: bool
    search: bool
    crumbs: bool
    wide_pictures: bool
    icons: bool


@dataclass(frozen=True, slots=True)
class SiteDraft:
    """What all pages of a site have in common.

    Attributes:
        kind: The name of its kind.
        plan: Its kind.
        language: Its language.
        words: What sites of the kind say.
        family: Its design family.
        theme: Its colors.
        layout: How it arranges things.
        calendar: Its today and its hours.
        today: That day, as it writes dates.
        title: What it calls itself.
        place: Where it is.
        founded: In which year it began.
        phone: Its number.
        email: Its address for mail.
        address: Its street, number and town.
        host: Who answers for it.
        person: Who has signed in, with a number and since a day.
        number: Of that person, as a customer.
        since: When that person joined.
        hours: When it is open, by days.
        facts: What is known of it.
        things: What it offers.
        pages: Its pages.
        headings: The first heading of each page, by key.
        labels: What links to each page are called, by key.
    """

    kind: str
    plan: Kind
    language: Language
    words: KindWords
    family: Family
    theme: Theme
    layout: Layout
    calendar: Calendar
    today: str
    title: str
    place: str
    founded: int
    phone: str
    email: str
    address: str
    host: str
    person: str
    number: str
    since: str
    hours: tuple[tuple[str, str], ...]
    facts: tuple[tuple[str, str], ...]
    things: tuple[Thing, ...]
    pages: tuple[PagePlan, ...]
    headings: dict[str, str]
    labels: dict[str, str]

    def href(self, key: str) -> str:
        """Return the path of a page."""
        return f"{key}.html"

    def key_of(self, *structures: str, besides: str = "") -> str | None:
        """Return the first page of one of these structures, or None."""
        for structure in structures:
            for page in self.pages:
                if page.structure == structure and page.key != besides:
                    return page.key
        return None

    def label(self, key: str) -> str:
        """Return what links to a page are called."""
        return self.labels[key]


class Act(NamedTuple):
    """A clear button: what it says, and the pages where that is done, of which a site has one."""

    text: str
    keys: Sequence[str]


@dataclass(frozen=True, slots=True)
class PageDraft:
    """One page while it is written.

    Attributes:
        site: Its site.
        plan: Which page it is.
        writer: Writes its sentences.
        random: What its other choices are drawn from.
    """

    site: SiteDraft
    plan: PagePlan
    writer: Writer
    random: Random

    @property
    def heading(self) -> str:
        """Its first heading."""
        return self.site.headings[self.plan.key]

    @property
    def thing(self) -> Thing:
        """What the page is about; the first thing where it is about none."""
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
        """Return texts that belong together."""
        return [self.writer.text(text) for text in self.site.language.words.lists[key]]

    def measures(self) -> list[str]:
        """Return what the site's figures are of."""
        own = self.site.words.measures or self.site.language.words.lists["measures"]
        return [self.writer.text(text) for text in own]

    @property
    def price_label(self) -> str:
        """What the site calls what things cost."""
        return self.site.words.price or self.ui("price")

    def price(self, thing: Thing) -> str:
        """Return what a thing costs, as the language writes it."""
        return self.site.language.price(thing.cents)

    @property
    def acts(self) -> list[Act]:
        """The site's clear buttons, without those that are said on other pages alone."""
        texts = map(self.writer.wording, self.site.words.act)
        return [
            Act(text, (key.removeprefix("@"),))
            for text, key in zip(texts, self.site.plan.acts, strict=True)
            if not key.startswith("@") or key == f"@{self.plan.key}"
        ]

    def act(self) -> Act:
        """Return one of the site's clear buttons."""
        return self.random.choice(self.acts)

    def safe(self) -> str:
        """Return what a button says that sounds as if it couldn't be undone, and can."""
        return self.writer.wording(self.random.choice(self.site.words.safe))

    def facts(self, count: int) -> Sequence[tuple[str, str]]:
        """Return some of what is known of the site: what other pages have not said comes first."""
        return self.writer.least_used(self.site.facts, count)

    def purpose(self) -> str:
        """Return a sentence that says what the page is for."""
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
        """Return sentences that open the page: what it is for, then as `lead` does."""
        return self.together(self.purpose(), self.lead(*topics, of=of))

    def lead(self, *topics: str, of: Sequence[Thing] = ()) -> str:
        """Return a sentence for each topic, and one about the site.

        Args:
            topics: What the sentences are about.
            of: The things that they may name, if not all.
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
        """Return things, the newest first."""
        return sorted(things, key=lambda thing: thing.day, reverse=True)

    def past(self, count: int) -> list[str]:
        """Return days before today, the latest first."""
        calendar = self.site.calendar
        days = sorted((calendar.past(self.random) for _ in range(count)), reverse=True)
        return [self.writer.date(day) for day in days]

    def says(self, count: int, thing: Thing | None = None) -> str:
        """Return a paragraph about a thing."""
        thing = thing or self.thing
        known = self._known_of(thing)
        return self.writer.paragraph(self.site.words.says, count, thing.name, **known)

    def letter(self, count: int) -> list[str]:
        """Return what a letter says, two sentences at a time, from its thanks to its regards."""
        known = self._known_of(self.thing)
        said = self.writer.sentences(self.site.words.says, count, self.thing.name, **known)
        return [self.together(*said[start : start + 2]) for start in range(0, len(said), 2)]

    def _known_of(self, thing: Thing) -> dict[str, str]:
        named = {"item": thing.name, "category": thing.category, "other": self.other(thing).name}
        return named | dict(thing.known)

    def about(self, count: int) -> str:
        """Return a paragraph about the site, of sentences that no other page has."""
        return self.writer.paragraph(self.site.words.about, count)

    def line(self, *parts: str) -> str:
        """Return parts of a line, separated as the language separates them."""
        return self.site.language.words.formats.comma.join(parts)

    def _cited(self, thing: Thing) -> str:
        """Return a thing's name as it stands in a sentence.

        Headlines and subjects are in quotes, and so are German names, which would be inflected.
        """
        left, _, right = self.site.language.words.formats.quote.partition("{text}")
        inflected = self.site.language.code == "de" and left not in thing.name
        if self.site.plan.priced and not inflected:
            return thing.name
        return f"{left}{thing.name}{right}"

    def together(self, *sentences: str) -> str:
        """Return sentences as a paragraph."""
        space = "" if self.site.language.code == "zh" else " "
        return space.join(filter(None, sentences))

    def other(self, thing: Thing) -> Thing:
        """Return another thing of the site, of another category."""
        others = [other for other in self.site.things if other.category != thing.category]
        return self.random.choice(others or [thing])

    def sample(self, count: int, besides: Thing | None = None) -> list[Thing]:
        """Return different things of the site, those with pages first."""
        things = [thing for thing in self.site.things if thing != besides]
        self.random.shuffle(things)
        things.sort(key=lambda thing: not thing.key)
        return things[:count]


@dataclass(frozen=True, slots=True)
class Body:
    """What a structure makes of a page.

    Attributes:
        main: What stands in `<main>`, the first heading included.
        description: What is on the page, in a sentence or two.
        aside: What stands beside it.
        narrow: Whether it is one narrow column.
    """

    main: Html
    description: str
    aside: Sequence[Child] = field(default_factory=tuple)
    narrow: bool = False
