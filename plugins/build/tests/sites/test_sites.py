import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from typing import TypeVar
from xml.etree.ElementTree import Element, TreeBuilder

import pytest

from snellen.build.screen.prose import is_prose
from snellen.build.sites import Site, generate_site, generate_sites, write_sites
from snellen.build.sites.families import FAMILIES
from snellen.build.sites.kinds import KINDS
from snellen.build.sites.language import LANGUAGES, language
from snellen.build.sites.templates import STRUCTURES
from snellen.build.sites.themes import THEMES, Theme
from snellen.grading.errors import InputError

VOID = {"br", "hr", "img", "input", "link", "meta"}

T = TypeVar("T")


class Reader(HTMLParser):
    """A tree of a page whose tags must all be closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.builder = TreeBuilder()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), f"an attribute of <{tag}> comes twice"
        self.builder.start(tag, {name: value or "" for name, value in attrs})
        if tag in VOID:
            self.builder.end(tag)
        else:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        self.builder.end(tag)

    def handle_data(self, data: str) -> None:
        if self.open:
            self.builder.data(data)


class Page:
    """One page as it is read back."""

    def __init__(self, site: Site, path: str) -> None:
        self.name = f"{site.name}/{path}"
        reader = Reader()
        reader.feed(site.files[path].decode())
        reader.close()
        assert not reader.open
        self.root = reader.builder.close()

    def all(self, *tags: str) -> list[Element]:
        return [element for element in self.root.iter() if element.tag in tags]

    def values(self, attribute: str, *tags: str) -> list[str]:
        return [
            element.attrib[attribute]
            for element in (self.all(*tags) if tags else self.root.iter())
            if attribute in element.attrib
        ]


def text(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())


def paragraphs(element: Element) -> Iterator[str]:
    """Yield what paragraphs say, except what buttons that can't be undone do."""
    if element.get("class") == "danger-zone":
        return
    if element.tag == "p" and element.get("class") != "meta":
        yield text(element)
    for child in element:
        yield from paragraphs(child)


@pytest.fixture(scope="module")
def sites() -> list[Site]:
    return list(generate_sites(200, 7))


@pytest.fixture(scope="module")
def pages(sites: list[Site]) -> list[Page]:
    return [Page(site, path) for site in sites for path in site.files]


def test_numbers_of_phones_keep_their_order_in_arabic(pages: list[Page]) -> None:
    numbers = [
        found
        for page in pages
        if page.root.get("dir") == "rtl"
        for found in re.findall(r"04\d\d.550.1\d\d", "".join(page.root.itertext()))
    ]
    assert numbers
    # Unicode's bidirectional rules, W4: of the spaces only this one belongs to the digits.
    assert {character for found in numbers for character in found if not character.isdigit()} == {
        "\u00a0"
    }


def test_what_is_paid_for_stands_in_the_content_and_beside_it() -> None:
    """In the content it is of no other part of the page: no other element is."""
    pages = [
        content.decode().partition("</main>")
        for site in generate_sites(60, 7)
        for path, content in site.files.items()
        if path.endswith(".html")
    ]
    assert any('class="sponsored"' in main for main, _, _ in pages)
    assert any('class="sponsored"' in beside for _, _, beside in pages)


def test_equal_seeds_give_equal_bytes_on_every_platform() -> None:
    digest = hashlib.sha256()
    for site in generate_sites(20, 7):
        for path, content in site.files.items():
            digest.update(f"{site.name}/{path}\0".encode())
            digest.update(content)
    assert digest.hexdigest() == "fc68bc7ec94a0d476615adcb4075b91d9c508b8529aea3b020805c56ce00b8eb"


def test_what_is_no_price_is_called_what_it_is(sites: list[Site]) -> None:
    shown = {
        text(cost)
        for site in sites
        if site.kind == "jobs"
        for path in site.pages
        for card in Page(site, path).all("li")
        for cost in spans(card, "price")
    }
    assert shown
    assert all(": " in one for one in shown)


def test_a_page_says_once_when_it_was_changed(sites: list[Site]) -> None:
    said = 0
    for site in sites:
        ways = re.findall(r"[^\[|\]]+", language(site.language).words.ui["updated"])[:2]
        for path in site.pages:
            notes = [text(one) for one in Page(site, path).all("p") if one.get("class") == "meta"]
            dates = [note for note in notes if note.startswith(tuple(ways))]
            said += len(dates)
            assert len(dates) <= 1, (site.name, path, dates)
    assert said > 5


def test_a_site_does_not_depend_on_those_before_it() -> None:
    assert list(generate_sites(20, 7))[3] == generate_site(7, 3)


def test_another_seed_gives_other_pages() -> None:
    assert generate_site(7, 0).files != generate_site(8, 0).files


@pytest.mark.parametrize("count", [0, 1, 2, 7, 40])
def test_there_are_as_many_pages_as_asked_for(count: int) -> None:
    assert sum(len(site.files) for site in generate_sites(count, 3)) == count


def test_sites_have_three_to_six_pages(sites: list[Site]) -> None:
    assert {len(site.pages) for site in sites[:-1]} == {3, 4, 5, 6}


def test_200_pages_show_every_kind_language_family_and_nearly_every_structure(
    sites: list[Site],
) -> None:
    assert {site.kind for site in sites} == set(KINDS)
    assert {site.language for site in sites} == set(LANGUAGES)
    assert {site.family for site in sites} == set(FAMILIES)
    assert len({site.theme for site in sites}) >= len(THEMES) - 2
    shown = {page.kind for site in sites for page in site.pages.values()}
    assert len(shown) >= len(STRUCTURES) - 2
    assert len({site.name for site in sites}) == len(sites)


@pytest.mark.slow
def test_pages_are_valid_html(sites: list[Site]) -> None:
    parser: Callable[..., object] = import_module("html5lib").HTMLParser(strict=True).parse
    for site in sites:
        for content in site.files.values():
            parser(content.decode())


def test_titles_are_unique_in_a_site_and_are_those_that_are_told(sites: list[Site]) -> None:
    for site in sites:
        titles = [text(Page(site, path).all("title")[0]) for path in site.pages]
        assert titles == [page.title for page in site.pages.values()]
        assert len(set(titles)) == len(titles)


def test_every_page_has_what_a_page_must_have(pages: list[Page]) -> None:
    for page in pages:
        (heading,) = page.all("h1")
        assert text(heading), page.name
        assert page.root.get("lang"), page.name
        assert page.root.get("dir") in ("ltr", "rtl"), page.name
        for landmark in ("header", "nav", "main", "footer"):
            assert page.all(landmark), (page.name, landmark)
        (description,) = [
            e.get("content", "") for e in page.all("meta") if e.get("name") == "description"
        ]
        assert len(description) >= 20, page.name


def test_a_description_says_what_its_page_is_for(pages: list[Page]) -> None:
    first: Counter[str] = Counter()
    for page in pages:
        (said,) = (e.get("content", "") for e in page.all("meta") if e.get("name") == "description")
        (title,) = page.all("title")
        assert not said.startswith(text(title)), page.name
        sentence = re.split(r"(?<=[.。])\s*", said)[0]
        assert len(sentence) > 12, page.name
        first[sentence] += 1
        # It is no list of what stands on the page.
        assert sentence.count(",") + sentence.count("،") + sentence.count("，") < 4, page.name
        if "/item-" in page.name:
            continue  # What a thing is called may be anything.
        plain = re.sub(r"[“„«].*?[”“»]", "", sentence)
        assert is_prose(plain, page.root.get("lang", "")), (page.name, sentence)
    assert max(first.values()) == 1


def test_what_a_call_to_action_says_is_done_where_it_leads() -> None:
    for kind, plan in KINDS.items():
        keys = {page.key for page in plan.pages}
        assert {key.removeprefix("@") for key in plan.acts if key} <= keys, kind
        for code in LANGUAGES:
            assert len(language(code).kinds[kind].act) == len(plan.acts), (kind, code)


def test_buttons_of_english_sites_lead_to_the_page_that_they_name(sites: list[Site]) -> None:
    forms = {
        "trial": "register", "account": "register", "appointment": "appointment",
        "table": "booking", "viewing": "viewing", "apply": "application", "plan": "plans",
        "profile": "profile", "reading": "meter", "basket": "", "subscribe": "",
    }  # fmt: skip
    led: Counter[str] = Counter()
    for site in (site for site in sites if site.language == "en"):
        for path in site.pages:
            for each in Page(site, path).all("a"):
                if "primary" not in each.get("class", "").split():
                    continue
                words = text(each).casefold().split()
                target = each.get("href", "").removesuffix(".html")
                for word in words:
                    if word in forms and (target, word) != ("tariffs", "plan"):
                        assert target == forms[word] or target == "account", (site.name, text(each))
                        led[word] += 1
    assert led.total() > 5


def test_what_sends_a_form_stands_below_one(pages: list[Page]) -> None:
    sends = re.compile(r"^(Send (application|request|message|mail)|Save and apply)$")
    buttons = [(page, each) for page in pages for each in page.all("button", "a")]
    sent = [(page, each) for page, each in buttons if sends.match(text(each))]
    assert len(sent) > 2
    for page, each in sent:
        assert each in [inner for form in page.all("form") for inner in form.iter()], page.name


def test_some_charts_are_read_from_their_axis_and_each_of_their_values_is_on_a_line(
    pages: list[Page],
) -> None:
    def number(element: Element, name: str) -> float:
        return float(element.get(name, "nan"))

    unwritten = written = 0
    for page in pages:
        for chart in page.all("svg"):
            rects = [e for e in chart.iter("rect") if e.get("fill") == "var(--primary)"]
            rects = [each for each in rects if chart.get("role") == "img" and each.get("x")]
            named = [e for e in chart.iter("text") if e.get("text-anchor") == "middle"]
            texts = list(map(text, named))
            if not rects or not texts or chart.get("viewbox") != "0 0 480 260":
                continue
            if any(said.isdecimal() for said in texts):
                written += 1
                continue
            unwritten += 1
            lines = {
                float((each.get("d") or "").split()[1])
                for each in chart.iter("path")
                if "H" in (each.get("d") or "")
            }
            tops = [number(each, "y") for each in rects]
            assert set(tops) <= lines, page.name
            assert len(set(tops)) == len(tops), page.name
    assert min(written, unwritten) > 2


def test_arabic_runs_from_right_to_left(sites: list[Site]) -> None:
    for site in sites:
        directions = {Page(site, path).root.get("dir") for path in site.pages}
        assert directions == {"rtl" if site.language == "ar" else "ltr"}


def test_most_pages_have_a_clear_primary_button(pages: list[Page]) -> None:
    found = [
        any("primary" in css.split() for css in p.values("class", "a", "button")) for p in pages
    ]
    assert sum(found) > 0.9 * len(pages)


def test_a_good_share_of_pages_has_facts_forms_pictures_and_buttons_that_cannot_be_undone(
    pages: list[Page],
) -> None:
    def share(has: Callable[[Page], Sequence[object]]) -> float:
        return sum(bool(has(page)) for page in pages) / len(pages)

    assert share(lambda page: page.all("table")) > 0.5
    assert share(lambda page: page.all("dl")) > 0.8
    assert share(lambda page: page.all("label")) > 0.4
    assert share(lambda page: page.values("placeholder")) > 0.4
    assert share(lambda page: [c for c in page.values("class", "button") if c == "danger"]) > 0.15
    assert share(lambda page: page.values("alt", "img")) > 0.4
    assert share(lambda page: page.all("polyline")) > 0.02


def test_ids_are_unique_and_every_label_has_its_field(pages: list[Page]) -> None:
    for page in pages:
        ids = page.values("id")
        assert len(set(ids)) == len(ids), page.name
        assert set(page.values("for")) <= set(ids), page.name
        assert set(page.values("aria-controls")) <= set(ids), page.name


def test_every_link_leads_to_a_page_of_the_site(sites: list[Site]) -> None:
    for site in sites:
        for path in site.pages:
            page = Page(site, path)
            for target in page.values("href", "a") + page.values("action", "form"):
                if target.startswith(("mailto:", "tel:")):
                    continue
                place, _, part = target.partition("#")
                assert place.split("?")[0] in {"", *site.pages}, (page.name, target)
                assert not part or place or part in page.values("id"), (page.name, target)


def test_nothing_is_loaded_from_elsewhere(sites: list[Site]) -> None:
    for site in sites:
        for content in site.files.values():
            assert not re.findall(rb'(?:src|href|action)="(?:https?:)?//[^"]*', content)


def test_no_paragraph_comes_twice_in_a_site(sites: list[Site]) -> None:
    for site in sites:
        seen: Counter[str] = Counter()
        for path in site.pages:
            (main,) = Page(site, path).all("main")
            seen.update(said for said in paragraphs(main) if len(said) > 60)
        assert not [said for said, count in seen.items() if count > 1], site.name


def test_hardly_a_sentence_comes_twice_in_200_pages(pages: list[Page]) -> None:
    said: Counter[str] = Counter()
    for page in pages:
        for paragraph in paragraphs(page.all("main")[0]):
            parts = re.split(r"(?<=[.!?。])\s*", paragraph)
            said.update(part for part in parts if len(part) > 25)
    assert said.total() > 500
    assert sum(count for count in said.values() if count > 1) < 0.12 * said.total()


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_says_what_english_says(code: str) -> None:
    english, other = language("en"), language(code)
    assert set(other.kinds) == set(KINDS)
    assert set(other.words.ui) == set(english.words.ui)
    assert set(other.words.form_fields) == set(english.words.form_fields)
    assert set(other.words.lists) == set(english.words.lists)
    assert len(other.months) == len(other.short_months) == 12
    assert len(other.weekdays) == 7
    for kind, said in other.kinds.items():
        assert set(said.titles) == set(english.kinds[kind].titles), kind
        assert len(said.items) == len(english.kinds[kind].items), kind


@pytest.mark.slow
@pytest.mark.parametrize("code", LANGUAGES)
def test_under_30_percent_of_a_pages_texts_stand_in_the_pages_of_another_seed(
    code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (pages_in(code, seed, monkeypatch) for seed in (11, 12))
    there = set[str]().union(*second)
    shares = [len(texts & there) / len(texts) for texts in first]
    assert sum(shares) / len(shares) < 0.30


def pages_in(code: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> list[set[str]]:
    """The different texts of each page of a site of every kind, digits masked."""

    def turn(seed: int, what: str, number: int, choices: Sequence[T]) -> T:
        return next((c for c in choices if c == code), choices[number % len(choices)])

    monkeypatch.setattr("snellen.build.sites._turn", turn)
    sites = [generate_site(seed, number) for number in range(len(KINDS))]
    assert {site.kind for site in sites} == set(KINDS)
    return [set(texts_of(Page(site, path))) for site in sites for path in site.pages]


def texts_of(page: Page) -> Iterator[str]:
    """What elements say, of over three characters or two words, and more than a number."""
    body = page.all("body")[0]
    inside = [element for element in body.iter() if element.tag not in ("script", "style")]
    for said in [*(each.text for each in inside), *(each.tail for each in body.iter())]:
        masked = re.sub(r"\d+", "#", " ".join((said or "").split()))
        if (len(masked) > 3 or " " in masked) and any(map(str.isalpha, masked)):
            yield masked


def test_statements_of_a_site_agree(sites: list[Site]) -> None:
    """What a label stands for in one place, it stands for in all others of the site."""
    compared = 0
    for site in sites:
        prices: dict[str, set[str]] = {}
        for path in site.pages:
            page = Page(site, path)
            for card in page.all("li"):
                names, costs = card.findall(".//h3") + card.findall(".//h2"), spans(card, "price")
                if len(names) == len(costs) == 1:
                    shown = text(costs[0]).rpartition(": ")[2]
                    prices.setdefault(text(names[0]), set()).add(shown)
            for table in page.all("table"):
                if table.find("./tfoot") is None:
                    for row in table.findall("./tbody/tr"):
                        last = row.findall("./td")[-1:]
                        if last and last[0].get("class") == "number":
                            name = text(row.findall("./th")[0])
                            prices.setdefault(name, set()).add(text(last[0]))
        compared += len(prices)
        assert not {name: costs for name, costs in prices.items() if len(costs) > 1}, site.name
    assert compared > 100


def spans(element: Element, css: str) -> list[Element]:
    return [span for span in element.iter("span") if span.get("class") == css]


@pytest.mark.slow
@pytest.mark.parametrize("code", LANGUAGES)
def test_every_structure_of_every_kind_can_be_written(
    code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen: dict[str, object] = {"language": code}

    def turn(seed: int, what: str, number: int, choices: Sequence[T]) -> T:
        wanted = chosen.get(what)
        return next((c for c in choices if c == wanted), choices[number % len(choices)])

    monkeypatch.setattr("snellen.build.sites._turn", turn)
    for kind in KINDS:
        chosen["kind"] = kind
        missing = {page.structure for page in KINDS[kind].pages}
        for number in range(40):
            missing -= {page.kind for page in generate_site(1, number).pages.values()}
            if not missing:
                break
        assert not missing, kind


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
def test_every_text_can_be_read_on_what_is_behind_it(theme: Theme) -> None:
    for front, back in theme.colors.pairs():
        assert contrast(front, back) >= 4.5, (front, back)


def contrast(front: str, back: str) -> float:
    """The contrast ratio of WCAG 2.2."""
    light, dark = sorted((luminance(front), luminance(back)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(color: str) -> float:
    parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_contrast_is_what_the_guideline_gives_for_known_colors() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)


def test_sites_are_written_into_folders_and_a_second_time_left_alone(tmp_path: Path) -> None:
    sites = write_sites(tmp_path, pages=9, seed=7)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(site.name for site in sites)
    first = tmp_path / sites[0].name / "index.html"
    assert first.read_bytes() == sites[0].files["index.html"]
    before = first.stat().st_mtime_ns
    assert write_sites(tmp_path, pages=9, seed=7) == sites
    assert first.stat().st_mtime_ns == before


def test_a_folder_with_other_pages_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / generate_site(7, 0).name
    folder.mkdir()
    (folder / "index.html").write_text("mine")
    with pytest.raises(InputError, match="holds other pages"):
        write_sites(tmp_path, pages=3, seed=7)
    assert (folder / "index.html").read_text() == "mine"
