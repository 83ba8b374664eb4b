"""No two statements of a site contradict each other: its days, hours, counts, names."""

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import cache
from importlib import import_module
from urllib.parse import unquote
from xml.etree.ElementTree import Element

import pytest

from snellen.build.sites import Site, generate_sites
from snellen.build.sites.kinds import KINDS
from snellen.build.sites.language import LANGUAGES, language

DAYS = [date(2025, 6, 1) + timedelta(days) for days in range(900)]
ASKING = ("form", "signin", "checkout")


@cache
def sites() -> list[Site]:
    return [site for seed in (7, 61803) for site in generate_sites(120, seed)]


@cache
def tree(content: bytes) -> Element:
    parse: Callable[..., Element] = import_module("html5lib").parse
    return parse(content.decode(), namespaceHTMLElements=False)


def pages(*structures: str) -> Iterator[tuple[Site, str, Element]]:
    """Yield the pages of these structures, or all."""
    for site in sites():
        for path, page in site.pages.items():
            if not structures or page.kind in structures:
                yield site, path, tree(site.files[path])


def text(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())


def shown(page: Element) -> str:
    """Return what a page says, without its styles and scripts, a line for each text."""
    (body,) = page.iter("body")
    inside = [element for element in body.iter() if element.tag not in ("script", "style")]
    return "\n".join((each.text or "") for each in inside) + "\n".join(
        each.tail or "" for each in body.iter()
    )


def with_class(page: Element, css: str) -> list[Element]:
    return [each for each in page.iter() if css in (each.get("class") or "").split()]


@cache
def written(code: str) -> dict[str, date]:
    """Return the days by the ways in which sites of a language write them."""
    spoken = language(code)
    return {
        spoken.date(day.day, day.month, day.year, pattern): day
        for day in DAYS
        for pattern in spoken.words.formats.dates
    }


def dates(code: str, said: str) -> list[date]:
    """Return the days that a text names."""
    found = [
        (place.start(), way, day)
        for way, day in written(code).items()
        if way in said
        for place in re.finditer(rf"(?<!\d){re.escape(way)}", said)
    ]
    return [day for _, _, day in sorted(found)]


@cache
def times(code: str) -> dict[str, int]:
    return {language(code).time(minutes): minutes for minutes in range(0, 1440, 15)}


@pytest.mark.slow
def test_every_day_to_come_is_one_on_which_the_site_is_open() -> None:
    compared = 0
    for site, path, page in pages():
        today = site.calendar.today
        for day in dates(site.language, shown(page)):
            if day > today + timedelta(6):
                assert day.weekday() in site.calendar.days, (site.name, path, day)
                assert day > site.calendar.monday + timedelta(6), (site.name, path, day)
                compared += 1
    assert compared > 100


def test_what_was_written_or_used_lies_before_today_and_the_newest_comes_first() -> None:
    compared = 0
    for site, path, page in pages("inbox", "feed", "account", "dashboard"):
        rows = [text(list(row)[-1] if site.pages[path].kind == "inbox" else row)
                for row in page.iter("tr")]  # fmt: skip
        rows += [text(each) for each in with_class(page, "meta") if "·" in text(each)]
        found = [day for row in rows for day in dates(site.language, row)[:1]]
        assert all(day <= site.calendar.today for day in found), (site.name, path)
        assert found == sorted(found, reverse=True), (site.name, path)
        compared += len(found)
    assert compared > 60


def test_a_mail_answers_what_came_before_it_and_an_article_names_what_comes_after() -> None:
    compared = 0
    for site, path, page in pages("message", "article"):
        (main,) = page.iter("main")
        own, *_ = dates(site.language, shown_meta(main))
        assert own <= site.calendar.today
        for paragraph in main.iter("p"):
            if "meta" in (paragraph.get("class") or ""):
                continue
            for day in dates(site.language, text(paragraph)):
                assert day < own or day > site.calendar.today, (site.name, path, own, day)
                compared += 1
    assert compared > 10


def shown_meta(main: Element) -> str:
    """Return what is said of an article or a mail beside its title."""
    first = [text(each) for each in main.iter("p") if each.get("class") == "meta"]
    return "\n".join([*first, *(text(each) for each in main.iter("dd"))])


def test_a_timetable_lies_within_the_hours_and_what_comes_up_is_in_it_at_the_same_time() -> None:
    compared = 0
    for site, path, page in pages("timetable"):
        calendar, spoken = site.calendar, language(site.language)
        (caption,) = page.iter("caption")
        assert set(dates(site.language, text(caption))) == {calendar.monday}, path
        cells: dict[str, tuple[int, int]] = {}
        for row in (row for body in page.iter("tbody") for row in body):
            minutes = times(site.language)[text(row[0])]
            assert calendar.opens <= minutes <= calendar.closes - 90, (site.name, path)
            for day, cell in zip(calendar.days, row[1:], strict=True):
                if any(map(str.isalpha, text(cell))):
                    assert text(cell) not in cells, (site.name, text(cell))
                    cells[text(cell)] = (day, minutes)
        (main,) = page.iter("main")
        for name, value in zip(main.iter("dt"), main.iter("dd"), strict=True):
            (day, *_) = dates(site.language, text(value))
            weekday, minutes = cells[text(name)]
            assert day.weekday() == weekday
            assert day > calendar.monday + timedelta(6)
            assert spoken.time(minutes) in text(value)
            compared += 1
    assert compared > 10


def test_a_tile_says_what_the_last_month_of_its_chart_shows() -> None:
    compared = 0
    for site, path, page in pages("dashboard"):
        said = [[text(each) for each in tile] for tiles in with_class(page, "tiles")
                for tile in tiles]  # fmt: skip
        values = {name: value for name, value, *_ in said}
        for figure in page.iter("figure"):
            (named,) = (text(each) for each in figure.iter("h2"))
            texts = [text(each) for each in figure.iter() if each.get("text-anchor") == "middle"]
            numbers = [each for each in texts if each.isdecimal()]
            if numbers:
                assert re.sub(r"\D", "", values[named]) == numbers[-1], (site.name, path)
                compared += 1
    assert compared > 5


def test_the_quantities_of_an_order_add_up() -> None:
    compared = 0
    for site, path, page in pages("checkout"):
        (main,) = page.iter("main")
        (foot,) = main.iter("tfoot")
        rows = [row for body in main.iter("tbody") for row in body]
        total = int(text(list(foot[0])[1]))
        assert sum(int(text(list(row)[1])) for row in rows) == total, (site.name, path)
        compared += 1
    assert compared > 2


def test_the_hours_beside_a_phone_number_are_those_of_the_site() -> None:
    for site, path, page in pages():
        opens, closes = (language(site.language).time(each) for each in
                         (site.calendar.opens, site.calendar.closes))  # fmt: skip
        for panel in (each for each in page.iter("section") if with_tel(each)):
            assert opens in text(panel), (site.name, path)
            assert closes in text(panel), (site.name, path)


def with_tel(section: Element) -> bool:
    return any((link.get("href") or "").startswith("tel:") for link in section.iter("a"))


def test_a_list_has_as_many_parts_as_its_results_need() -> None:
    compared = 0
    for site, path, page in pages("listing"):
        (main,) = page.iter("main")
        said = text(list(main)[3])
        rows = [
            *(each for css in ("cards", "rows") for ul in with_class(main, css) for each in ul),
            *(row for body in main.iter("tbody") for row in body),
        ]
        parts = [text(each) for nav in with_class(main, "pages") for each in nav.iter("li")]
        numbers = [int(part) for part in parts if part.isdigit()]
        count = int("".join(filter(str.isdigit, said)))
        assert len(rows) <= count, (site.name, path)
        assert (numbers or [1])[-1] == -(-count // len(rows)), (site.name, path, said)
        compared += 1
    assert compared > 10


def test_no_title_names_the_site_twice_and_no_header_its_unit() -> None:
    for site, path, page in pages():
        parts = site.pages[path].title.split(" \N{EN DASH} ")
        assert len(set(parts)) == len(parts), (site.name, parts)
        for header in (each for each in page.iter("th") if each.get("scope") == "col"):
            words = re.findall(r"\w+", text(header).casefold())
            assert len(set(words)) == len(words), (site.name, path, words)


def test_a_site_on_a_street_has_its_address_there() -> None:
    found = 0
    for site, path, page in pages("home"):
        (footer,) = (each for each in page.iter("footer") if each.get("class") == "site")
        said = text(footer)
        for street in re.findall(r"(?:Café|Home|Museum|Center|Corner) (?:on|of) (\w+ \w+)",
                                 site.pages[path].title):  # fmt: skip
            assert re.search(rf"\d+ {street}", said), (site.name, said)
            found += 1
    assert found


def test_pictures_are_by_the_one_who_is_named_as_their_photographer() -> None:
    compared = 0
    for _, _, page in pages("article"):
        (caption,) = (text(each) for each in page.iter("figcaption"))
        labels, values = ([text(e) for e in page.iter(tag)] for tag in ("dt", "dd"))
        for label, value in zip(labels, values, strict=True):
            if label in {"Pictures", "Photos", "Fotos", "Bilder", "Imágenes", "摄影", "图片"}:
                assert caption.endswith(value)
                compared += 1
    assert compared


def test_no_name_stands_in_the_header_beside_a_form_that_asks_for_one() -> None:
    named = 0
    for site, path, page in pages():
        heads = [*with_class(page, "chip"), *(span for tools in with_class(page, "tools")
                                              for span in tools.iter("span"))]  # fmt: skip
        if site.pages[path].kind in ASKING:
            assert not heads, (site.name, path)
        named += len(heads)
    assert named > 20


def test_only_what_is_bought_is_rated_and_only_customers_praise() -> None:
    for site, path, page in pages():
        if not KINDS[site.kind].praised:
            assert not list(page.iter("blockquote")), (site.name, path)


def test_documentation_speaks_of_one_program_and_one_number_of_workers() -> None:
    compared = 0
    for site, path, page in pages("docs"):
        codes = " ".join(text(each) for each in page.iter("pre"))
        workers = set(re.findall(r"workers(?: = | )(\d+)", codes))
        rows = [row for row in page.iter("tr") if "--workers" in text(row)]
        workers |= {text(list(row)[1]) for row in rows}
        assert len(workers) == 1, (site.name, path, workers)
        compared += len(rows)
    assert compared


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_template_names_a_date_that_is_neither_past_nor_coming(code: str) -> None:
    for said in language(code).kinds.values():
        templates = (*said.about, *said.items.values(), *said.fields.values(), *said.says,
                     *said.facts.values())  # fmt: skip
        assert not any("{date" in template for template in templates)


def test_no_entry_of_a_list_is_empty() -> None:
    for site, path, page in pages():
        empty = [entry for entry in page.iter("li") if not text(entry) and not list(entry)]
        assert not empty, (site.name, path)


DRAWN = {
    "en": ("table|desk|console", "lamp", "cabinet|cupboard|wardrobe", "chair"),
    "de": ("tisch|Konsole", "leuchte|lampe", "schrank|Schrank", "stuhl|Stuhl"),
    "es": ("Mesa|Consola", "Lámpara", "Armario|Alacena", "Silla"),
    "zh": ("桌", "灯", "柜", "椅"),
    "ar": ("طاولة", "مصباح", "خزانة", "كرسي"),
}
"""The words for a table, a lamp, a cabinet and a chair, in the order of the pictures' forms."""


def test_the_picture_of_a_thing_shows_what_its_name_says() -> None:
    drawn: dict[tuple[str, ...], set[int]] = {}
    for site, _, page in pages("home", "listing", "detail"):
        for picture in page.iter("img") if site.kind == "shop" else ():
            name = picture.get("alt") or ""
            # A desk lamp is a lamp.
            *_, thing = (n for n, word in enumerate(DRAWN[site.language]) if re.search(word, name))
            shapes = re.findall(r"<(\w+)", unquote(picture.get("src") or ""))
            drawn.setdefault(tuple(shapes), set()).add(thing)
    assert sorted(drawn.values(), key=min) == [{0}, {1}, {2}, {3}]


def test_a_treatment_is_not_drawn_as_a_person() -> None:
    for kind in KINDS.values():
        if {page.structure for page in kind.pages} & {"listing", "detail"}:
            assert kind.picture != "portrait"
