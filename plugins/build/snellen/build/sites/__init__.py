"""The page generator: realistic, unpublished sites from a seed.

Equal seeds give equal bytes on every platform.
"""

import re
import shutil
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeVar

from snellen.build.chance import draw
from snellen.build.sites.calendar import Calendar, draw_calendar
from snellen.build.sites.drafts import Layout, PageDraft, SiteDraft, Thing
from snellen.build.sites.families import FAMILIES, Family
from snellen.build.sites.frame import document
from snellen.build.sites.kinds import KINDS, Kind, PagePlan
from snellen.build.sites.language import KindWords, Language, language
from snellen.build.sites.templates import ABOUT_ONE_THING, STRUCTURES
from snellen.build.sites.themes import THEMES, Theme
from snellen.build.sites.writer import Writer
from snellen.grading.errors import InputError

__all__ = ["Site", "SitePage", "generate_site", "generate_sites", "write_sites"]


_TURNS = ("en", "zh", "de", "en", "es", "ar", "en")
_THINGS = (10, 15)
# The maximum age in days of a site's things; news are younger than other things.
_SPANS = {"news": 12, "social": 8, "mail": 30}
_TOOLS = ("quill", "lantern", "pebble", "tern", "ripple", "sprig", "moss", "kite", "finch", "loam",
          "otter", "cedar", "plume", "harbor", "ember", "drift", "clover", "marten")  # fmt: skip
_ENDS = ("", "ctl", "kit", "box", "sync", "db", "run", "wire")
_SENDERS = ("info", "hello", "office", "team", "contact", "mail", "post")
_DASH = "\N{EN DASH}"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SitePage:
    """One page of a site."""

    kind: str  # its structure: `home`, `listing`, `detail`, `form`...
    title: str  # the text of its `<title>`


@dataclass(frozen=True, slots=True)
class Site:
    """A complete site."""

    name: str  # its folder, unique among the sites of a seed
    kind: str  # `shop`, `bank`, `clinic`...
    language: str  # `en`, `zh`...
    family: str  # the name of its design family
    theme: str  # the name of its theme
    calendar: Calendar  # its today and its opening hours
    pages: Mapping[str, SitePage]  # its pages, by path
    files: Mapping[str, bytes]  # all its files, by path


def generate_site(seed: int, number: int, *, most: int = 6) -> Site:
    """Return a site of three to six pages that link to one another.

    Kinds and languages take turns, in an order that the seed shuffles, so that a few dozen sites
    have all of them. A kind has several design families, a family several themes.

    Args:
        seed: The seed of all random choices.
        number: The index of the site, from 0.
        most: The maximum number of pages.
    """
    kind = _turn(seed, "kind", number, tuple(KINDS))
    code = _turn(seed, "language", number, _TURNS)
    name = f"{kind}-{code}-{number:03}"
    random = draw(seed, name, "site")
    spoken = language(code)
    family = FAMILIES[random.choice(KINDS[kind].families)]
    theme = THEMES[random.choice(family.themes)]
    calendar = draw_calendar(KINDS[kind].hours, KINDS[kind].weekend, random)
    year = str(random.randrange(1921, 2022))
    writer = Writer(spoken, random, {"year": year}, calendar)
    site = _draft(kind, family, theme, spoken, writer, random, most)
    pages: dict[str, SitePage] = {}
    written: dict[str, bytes] = {}
    for plan in site.pages:
        draft = PageDraft(site, plan, writer, random)
        path = site.href(plan.key)
        title = _title(site.headings[plan.key], site.title)
        pages[path] = SitePage(plan.structure, title)
        written[path] = document(draft, STRUCTURES[plan.structure](draft), title).encode()
    return Site(name, kind, code, family.name, theme.name, calendar, pages, written)


def generate_sites(pages: int, seed: int) -> Iterator[Site]:
    """Yield sites until they have `pages` pages in total; the last site may have fewer pages."""
    number = 0
    while pages > 0:
        site = generate_site(seed, number, most=min(6, pages))
        yield site
        pages -= len(site.pages)
        number += 1


def write_sites(folder: Path, *, pages: int, seed: int) -> list[Site]:
    """Write sites with `pages` pages in total below a folder, each into its own folder.

    A site that is already complete is left unchanged, so an interrupted call can be resumed.

    Raises:
        InputError: One of the folders has other contents.
    """
    sites: list[Site] = []
    for site in generate_sites(pages, seed):
        _write(folder / site.name, site.files)
        sites.append(site)
    return sites


def _write(folder: Path, contents: Mapping[str, bytes]) -> None:
    if folder.exists():
        there = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        if there == dict(contents):
            return
        raise InputError("holds other pages; name a folder that is empty", file=str(folder))
    fresh = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    for path, content in contents.items():
        (fresh / path).write_bytes(content)
    fresh.rename(folder)


def _turn(seed: int, what: str, number: int, choices: Sequence[T]) -> T:
    """Return the choice for a number: each block of numbers has every choice once, shuffled."""
    block, place = divmod(number, len(choices))
    order = list(choices)
    draw(seed, what, str(block)).shuffle(order)
    return order[place]


def _draft(
    kind: str,
    family: Family,
    theme: Theme,
    spoken: Language,
    writer: Writer,
    random: Random,
    most: int,
) -> SiteDraft:
    """Draw the data that all pages of a site share."""
    plan, words = KINDS[kind], spoken.kinds[kind]
    calendar, place, street = writer.calendar, writer.text("{town}"), writer.text("{street}")
    product, tool = _product(spoken, writer)
    # Without another subject, `{street}` is the site's own street.
    writer.know(place=place, street=street, product=product, tool=tool,
                workers=str(random.randrange(2, 9)))  # fmt: skip
    title = writer.pick(words.names, town=place)
    address = writer.text(spoken.words.formats.address, town=place)
    host, phone = writer.text("{person}"), writer.text("{phone}")
    email = f"{random.choice(_SENDERS)}@{_slug(title) or tool}.example"
    pages = _pages(plan, random, most)
    writer.know(site=title, host=host, phone=phone, email=email,
                opens=spoken.time(calendar.opens), closes=spoken.time(calendar.closes))  # fmt: skip
    things = _things(kind, words, pages, writer, random)
    writer.know(category=things[0].category)
    headings: dict[str, str] = {}
    labels: dict[str, str] = {}
    for page in pages:
        about = next((thing.name for thing in things if thing.key == page.key), None)
        if about is not None:
            headings[page.key] = labels[page.key] = about
        elif page.structure == "home":
            headings[page.key] = writer.pick(words.slogans)
            labels[page.key] = writer.heading(spoken.words.ui["home"])[1]
        else:
            headings[page.key], labels[page.key] = writer.heading(words.titles[page.key])
    return SiteDraft(
        kind=kind,
        plan=plan,
        language=spoken,
        words=words,
        family=family,
        theme=theme,
        layout=_layout(family, random),
        calendar=calendar,
        today=writer.date(calendar.today),
        title=title,
        place=place,
        founded=int(writer.text("{year}")),
        phone=phone,
        email=email,
        address=address,
        host=host,
        person=writer.text("{person}"),
        number=str(random.randrange(1000000, 9999999)),
        since=writer.date(calendar.today - timedelta(random.randrange(200, 2500))),
        hours=_hours(spoken, calendar, random),
        facts=tuple((writer.label(name), writer.text(value, "")) for name, value in
                    words.facts.items()),
        things=tuple(things),
        pages=pages,
        headings=headings,
        labels=labels,
    )  # fmt: skip


def _pages(plan: Kind, random: Random, most: int) -> tuple[PagePlan, ...]:
    first, *rest = plan.pages
    count = min(random.randrange(3, min(6, len(plan.pages)) + 1), most)
    chosen = sorted(random.sample(range(len(rest)), count - 1))
    return (first, *(rest[place] for place in chosen))


def _things(
    kind: str, words: KindWords, pages: Sequence[PagePlan], writer: Writer, random: Random
) -> list[Thing]:
    plan = KINDS[kind]
    keys = [page.key for page in pages if page.structure in ABOUT_ONE_THING]
    fields = _fields(words, writer, random)
    total = random.randrange(*_THINGS)
    each = -(-total // len(words.items))
    named = {
        name: (writer.label(category), known)
        for category, template in words.items.items()
        for name, known in _named(plan, template, each, writer).items()
    }
    days = _days(len(named), _SPANS.get(kind, 60), writer.calendar, random)
    low, high = plan.price
    things = [
        Thing(
            name=name,
            category=category,
            cents=_cents(low, high, random),
            fields=tuple(
                (label, writer.text(value, name, **about.words)) for label, value in fields
            ),
            day=day,
            date=writer.date(day),
            coming=about.coming,
            minutes=about.minutes,
            stars=random.randrange(31, 50),
            person=writer.text("{person}"),
            known=about.words | {"past": writer.date(writer.calendar.past(random, day))},
        )
        for day, (name, (category, about)) in zip(days, named.items(), strict=True)
    ]
    chosen = random.sample(range(len(things)), len(keys))
    for key, place in zip(keys, chosen, strict=True):
        things[place] = replace(things[place], key=key)
    return things


class _About(NamedTuple):
    """The values that all texts about one thing share."""

    coming: date
    minutes: int
    words: dict[str, str]


def _named(plan: Kind, template: str, count: int, writer: Writer) -> dict[str, _About]:
    """Return distinct names from one template, each with the shared values of that thing."""
    found: dict[str, _About] = {}
    for _ in range(12 * count):
        if len(found) < count:
            about = _about(plan, writer)
            found.setdefault(writer.text(template, **about.words), about)
    return found


def _about(plan: Kind, writer: Writer) -> _About:
    calendar, random = writer.calendar, writer.random
    coming, minutes = calendar.coming(random), random.choice(calendar.slots)
    words = {
        "town": writer.text("{place}" if plan.local else "{town}"),
        "elsewhere": writer.text("{elsewhere}"),
        "lead": writer.text("{person}" if writer.language.code == "zh" else "{last}"),
        "photo": writer.text("{photo}"),
        "rooms": str(random.randrange(3, 6)),
        "length": str(random.randrange(4, 11)),
        "soon": writer.date(calendar.soon(random)),
        "coming": writer.date(coming),
        "later": writer.date(calendar.later(random)),
        "day": writer.weekday(coming),
        "time": writer.language.time(minutes),
    }
    if not plan.local:
        words["street"] = writer.text("{road}")
    return _About(coming, minutes, words)


def _days(count: int, span: int, calendar: Calendar, random: Random) -> list[date]:
    """Return the days on which things were added; the latest is today."""
    ago = [0, *(random.randrange(1, span) for _ in range(count - 1))]
    random.shuffle(ago)
    return [calendar.today - timedelta(days) for days in ago]


def _product(spoken: Language, writer: Writer) -> tuple[str, str]:
    """Return the name of a program and the command that starts it."""
    name = writer.text("{coin}")
    command = _slug(name).replace("-", "")
    if not command or spoken.code == "ar":
        command = name = writer.random.choice(_TOOLS) + writer.random.choice(_ENDS)
    return name, command


def _title(heading: str, site: str) -> str:
    return heading if site in heading else f"{heading} {_DASH} {site}"


def _cents(low: int, high: int, random: Random) -> int:
    """Return a random price in cents; the larger the range, the rounder the price."""
    step = 1 if high < 200 else 5 if high < 1000 else 10
    rest = random.choice((0, 0, 50, 90, 95)) if step < 10 else 0
    return random.randrange(low, high, step) * 100 + rest


def _fields(words: KindWords, writer: Writer, random: Random) -> list[tuple[str, str]]:
    """Return the fields of a site's things, as pairs of label and template of the value."""
    measured = [(label, text) for label, text in words.fields.items() if "~" in text]
    others = [(label, text) for label, text in words.fields.items() if "~" not in text]
    # Tables show the first three fields; up to two of them are columns of numbers.
    chosen = random.sample(measured, min(2, len(measured)))
    chosen.append(others.pop(random.randrange(len(others))))
    random.shuffle(chosen)
    chosen += random.sample(others, min(5 - len(chosen), len(others)))
    comma = f"{{}}{writer.language.words.formats.comma}{{}}"
    unit = random.choice(("{} ({})", comma, "{} [{}]"))
    fields: list[tuple[str, str]] = []
    for label, text in chosen:
        value, _, measure = text.partition("~")
        name = writer.label(label)
        said = not measure or _says(name, measure)
        fields.append((name if said else unit.format(name, measure), value))
    return fields


def _layout(family: Family, random: Random) -> Layout:
    return Layout(
        hero=random.choice(family.heroes),
        listing=random.choice(family.listings),
        cards=random.choice(family.cards),
        aside_first=random.randrange(4) == 0,
        search=random.choice(family.search),
        crumbs=random.choice(family.crumbs),
        wide_pictures=random.randrange(3) > 0,
        icons=random.choice(family.icons),
    )


def _says(label: str, measure: str) -> bool:
    """Return whether a label contains the unit already: `Rooms` of `Rooms (rooms)`."""
    name, unit = label.casefold(), measure.casefold()
    return unit in name or name in unit or any(word in unit.split() for word in name.split())


def _hours(spoken: Language, calendar: Calendar, random: Random) -> tuple[tuple[str, str], ...]:
    names = random.choice((spoken.weekdays, spoken.short_weekdays))
    days = [day[:1].upper() + day[1:] for day in names]
    first, *_, last = calendar.days
    return (
        (f"{days[first]} {_DASH} {days[last]}", spoken.hours(calendar.opens, calendar.closes)),
        (days[calendar.short_day], spoken.hours(*calendar.short_hours)),
    )


def _slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub("[^a-z0-9]+", "-", plain).strip("-")
