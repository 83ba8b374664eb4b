"""Lettered boxes and titles after clicks, from hand-made pages."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from inked import inked
from ten_links import NAMES, TITLES, link, links

from snellen.build.items import Made, Maker, PageItems, Refused
from snellen.build.questions.intents import intents
from snellen.build.questions.names import candidates
from snellen.build.questions.spatial import meet
from snellen.build.screen.elements import Element, Screen
from snellen.build.snapshots import Captured, Click, Snapshot
from snellen.build.writers.visualwebbench.clicks import (
    CLICK_ITEMS,
    action_prediction,
    offered,
)
from snellen.build.writers.visualwebbench.shared import Reason
from snellen.build.writers.visualwebbench.write import (
    GROUND_ITEMS,
    action_ground,
    element_ground,
)


def page(
    tmp_path: Path,
    elements: Sequence[Element],
    clicks: Sequence[Click] = (),
    title: str = "Shop",
    source: str = "shop/index.html",
) -> Snapshot:
    (tmp_path / "screen.png").write_bytes(inked(elements, (400, 600)))
    screen = Screen(400, 600, tuple(elements), language="en", title=title)
    captured = Captured("index", "shop", source, screen, clicks=tuple(clicks))
    (tmp_path / "snapshot.json").write_bytes(msgspec.json.encode(captured))
    return Snapshot(tmp_path)


def made(maker: Maker, snapshot: Snapshot, seed: int = 1) -> list[Made]:
    found = list(maker(snapshot, Random(seed)))
    assert all(isinstance(one, Made) for one in found), found
    return [one for one in found if isinstance(one, Made)]


def reason(maker: Maker, snapshot: Snapshot) -> str:
    (only,) = maker(snapshot, Random(1))
    assert isinstance(only, Refused)
    return only.reason


def test_the_right_option_is_the_described_element(tmp_path: Path) -> None:
    snapshot = page(tmp_path, links())
    items = made(element_ground, snapshot)
    assert len(items) == GROUND_ITEMS
    for item in items:
        right = item.row["options"][item.row["answer"]]
        (element,) = (each for each in snapshot.screen.elements if list(each.box) == right)
        assert item.row["elem_desc"] == f"link “{element.text}”"
        assert item.record["element"] == element.id
        assert item.row["raw_image"] == "raw_image/shop/index.png"
        assert item.images[item.row["image"]] != item.images[item.row["raw_image"]]
    assert len({item.row["elem_desc"] for item in items}) == GROUND_ITEMS
    assert len({item.row["answer"] for item in items}) == GROUND_ITEMS


@pytest.mark.slow
@pytest.mark.parametrize("maker", [element_ground, action_ground])
def test_no_two_options_meet_and_none_is_called_like_the_target(
    tmp_path: Path, maker: Maker
) -> None:
    crowd = [*links(), *(link(10 + n, f"Near {n}", box=(60 + n, 30, 160, 60)) for n in range(5))]
    snapshot = page(tmp_path, crowd)
    for seed in range(10):
        for item in made(maker, snapshot, seed):
            assert len(item.row["options"]) == 8
            for one, other in combinations(item.row["options"], 2):
                assert not meet(tuple(one), tuple(other))


def test_no_other_option_opens_the_page_of_the_target(tmp_path: Path) -> None:
    arrows = [link(10 + n, name, href="/News.html") for n, name in enumerate(["Next", "Onward"])]
    snapshot = page(tmp_path, [*links(), *arrows])
    for seed in range(10):
        for item in made(action_ground, snapshot, seed):
            ids: list[int] = item.record["candidates"]
            target: int = item.record["element"]
            hrefs = [snapshot.screen.elements[place].href for place in ids]
            assert hrefs.count(snapshot.screen.elements[target].href) == 1


@pytest.mark.slow
def test_letters_are_balanced(tmp_path: Path) -> None:
    snapshot = page(tmp_path, links())
    counts = Counter(
        item.row["answer"] for seed in range(40) for item in made(element_ground, snapshot, seed)
    )
    assert set(counts) == set(range(8))
    assert max(counts.values()) < 2.5 * 120 / 8


@pytest.mark.slow
def test_what_two_descriptions_fit_is_never_asked_for(tmp_path: Path) -> None:
    twice = [*links(), link(10, "NEWS!")]
    snapshot = page(tmp_path, twice)
    for seed in range(20):
        assert not any(
            "news" in item.row["elem_desc"].casefold()
            for item in made(element_ground, snapshot, seed)
        )


def test_a_page_where_each_name_comes_twice_is_refused(tmp_path: Path) -> None:
    snapshot = page(tmp_path, links(NAMES[:5] * 2))
    assert reason(element_ground, snapshot) == Reason.NOT_UNIQUE


def test_a_page_with_few_elements_is_refused(tmp_path: Path) -> None:
    assert reason(element_ground, page(tmp_path, links(NAMES[:7]))) == Reason.FEW_CANDIDATES
    same_place = [link(place, name, box=(20, 20, 120, 50)) for place, name in enumerate(NAMES)]
    assert reason(action_ground, page(tmp_path, same_place)) == Reason.FEW_CANDIDATES


@pytest.mark.parametrize(
    "fault",
    [
        {"covered": 0.5},
        {"cut": True},
        {"clipped": True},
        {"box": (20, 20, 26, 26)},
        {"box": (0, 0, 400, 600)},
        {"text": "", "own": ""},
        {"text": "2,500", "own": "2,500"},
        {"text": "\uf0c9 Menu", "own": "\uf0c9 Menu"},
    ],
)
def test_what_can_not_be_seen_or_called_is_no_candidate(
    tmp_path: Path, fault: dict[str, Any]
) -> None:
    assert candidates(page(tmp_path, [link(0, "Home", **fault)])) == []
    assert len(candidates(page(tmp_path, [link(0, "Home")]))) == 1


@pytest.mark.parametrize(("width", "asked_for"), [(32, True), (160, False)])
def test_a_logo_may_show_another_name_than_its_link_has_and_an_icon_none(
    tmp_path: Path, width: int, asked_for: bool
) -> None:
    one = link(0, "", box=(20, 20, 20 + width, 50), painted=True)
    one = msgspec.structs.replace(one, name="Home")
    picture = link(1, "", tag="img", role="img", alt="Home", box=one.box, painted=True, parent=0)
    found = [each.kind for each in candidates(page(tmp_path, [one, picture]))]
    assert found == ["link"] * asked_for


def test_of_a_link_and_the_heading_in_it_the_link_is_meant(tmp_path: Path) -> None:
    inner = Element(1, "h3", (20, 20, 80, 40), 0, "heading", text="Home", own="Home", level=3)
    (only,) = candidates(page(tmp_path, [link(0, "Home"), inner]))
    assert only.kind == "link"


def test_a_field_is_called_by_its_visible_label(tmp_path: Path) -> None:
    label = Element(0, "label", (10, 10, 90, 30), text="E-mail", own="E-mail")
    field = Element(1, "input", (10, 40, 200, 70), role="textbox", label="E-mail")
    unseen = Element(2, "input", (10, 80, 200, 110), role="textbox", name="Digit 1 of 6")
    found = candidates(page(tmp_path, [label, field, unseen]))
    assert [(each.kind, each.name) for each in found] == [("", "E-mail"), ("textbox", "E-mail")]


@pytest.mark.slow
def test_instructions_say_what_is_done_and_are_marked_as_made(tmp_path: Path) -> None:
    button = link(10, "Buy now", role="button", href="", box=(200, 20, 300, 50))
    disabled = link(11, "Pay", role="button", disabled=True, box=(200, 80, 300, 110))
    heading = link(12, "Offers", role="heading", box=(200, 140, 300, 170))
    snapshot = page(tmp_path, [*links(), button, disabled, heading])
    items = [item for seed in range(30) for item in made(action_ground, snapshot, seed)]
    said = {item.row["instruction"] for item in items}
    assert "Use what starts the purchase of the item." in said
    assert any("“News”" in text for text in said)
    assert not any("Pay" in text or "Offers" in text for text in said)
    assert {item.tags["synthetic"] for item in items} == {"yes"}


def test_a_link_that_looks_like_a_button_is_clicked(tmp_path: Path) -> None:
    painted = [link(place, name, painted=True) for place, name in enumerate(NAMES)]
    for item in made(action_ground, page(tmp_path, painted)):
        quoted = item.tags["difficulty"] == "easy"
        assert item.row["instruction"].startswith("Click “") == quoted


START = "Get back to the start page."
LOGO = link(0, "Fernbrook Shop", href="/index.html")
BACK = Click(0, "Fernbrook Shop", "/index.html")


def wishes(folder: Path, *first: Element, clicks: Sequence[Click] = (), **more: str) -> set[str]:
    """Return the purposes on a page that begins with some elements."""
    snapshot = page(folder, [*first, *links()[len(first) :]], clicks, **more)
    return {one.text for one in intents(snapshot, candidates(snapshot))}


def test_what_is_wanted_is_told_by_what_it_does_and_not_only_by_its_label(tmp_path: Path) -> None:
    items = made(action_ground, page(tmp_path, [LOGO, *links()[1:]], [BACK]))
    told = {one.row["instruction"]: one for one in items if one.tags["difficulty"] == "hard"}
    assert 1 <= len(told) < len(items)
    for text, item in told.items():
        place: int = item.record["element"]
        name = NAMES[place] if place else "Fernbrook"
        assert name.casefold() not in text.casefold()


@pytest.mark.parametrize(
    "other",
    [
        {"text": "Home", "href": "#"},  # It is called so, wherever it leads.
        {"text": "Home", "href": "/"},
        {"text": "Home", "href": "/", "role": "menuitem"},
        {"text": "Start page", "href": "welcome.html"},
        {"text": "Back to home", "href": "welcome.html"},
        {
            "text": "Fernbrook",
            "href": "https://shop.example.com/uk/index.html",
            "landmark": "banner",
        },
    ],
)
def test_two_ways_to_the_start_page_are_no_question(tmp_path: Path, other: dict[str, Any]) -> None:
    second = link(1, other.pop("text"), **other)
    inner = "shop/about.html"
    assert START in wishes(tmp_path, LOGO, clicks=[BACK], source=inner)
    assert START not in wishes(tmp_path, LOGO, second, clicks=[BACK], source=inner)


@pytest.mark.parametrize(
    ("label", "click", "told"),
    [
        ("Fernbrook Shop", Click(0, "Offers – Fernbrook Shop", "/"), True),
        ("Home", Click(0, "Fernbrook", "/index.html"), True),
        ("Back to home", Click(0, "Fernbrook", "/index.html"), True),
        ("Home", None, False),  # Nobody has seen where it leads.
        ("Home", Click(0, "Welcome", "/welcome.html"), False),
        ("Home", Click(0, "", "/index.html", "failed"), False),
        ("Login", Click(0, "Dashboard – Fernbrook", "/index.html"), False),
        ("OK", Click(0, "Fernbrook", "/index.html"), False),
    ],
)
def test_the_way_to_the_start_page_is_a_click_that_led_there(
    tmp_path: Path, label: str, click: Click | None, told: bool
) -> None:
    first = link(0, label, href="/index.html")
    said = wishes(tmp_path, first, clicks=[click] if click else [], source="shop/about.html")
    assert (START in said) is told


def test_a_link_that_runs_a_script_leads_nowhere(tmp_path: Path) -> None:
    for href in ("javascript:", "javascript:;", "#", "?"):
        assert START not in wishes(
            tmp_path, link(0, "OK", href=href), clicks=[Click(0, "", "", "same")]
        )


def test_a_title_that_other_titles_end_with_is_the_sites_name(tmp_path: Path) -> None:
    site = "fernbrook.example - garden and home"
    clicked = [Click(0, site, "/forms.html"), Click(1, "Roses", "/roses.html")]
    told = wishes(tmp_path, *links()[:2], clicks=clicked, title=f"Tables - {site}")
    assert f"Go to the page with the title “{site}”." not in told
    assert "Go to the page with the title “Roses”." in told


@pytest.mark.parametrize(
    ("headings", "href", "told"),
    [
        ("Our roses", "/1.html", True),
        ("About us", "/1.html", False),
        ("About us", "/our_roses.html", True),
        ("", "/roses.png", False),
        (None, "/1.html", True),
    ],
)
def test_a_title_tells_a_page_if_its_headings_or_its_address_say_so(
    tmp_path: Path, headings: str | None, href: str, told: bool
) -> None:
    clicked = [Click(0, "Roses - Shop", href, headings=headings), Click(1, "Web - Shop", "/2")]
    wish = "Go to the page with the title “Roses - Shop”."
    assert (wish in wishes(tmp_path, *links()[:2], clicks=clicked)) is told
    found = made(action_prediction, page(tmp_path, links(), clicked))
    assert ("Roses - Shop" in map(right_of, found)) is told


@pytest.mark.parametrize(("other", "told"), [("Make appointment", False), ("News", True)])
def test_what_two_elements_say_in_other_words_is_no_purpose(
    tmp_path: Path, other: str, told: bool
) -> None:
    first = link(0, "Make an appointment", tag="button", role="button", href="")
    found = wishes(tmp_path, first, link(1, other), link(2, other))
    assert ("Use what books an appointment." in found) is told


@pytest.mark.parametrize(("role", "told"), [("link", True), ("button", False)])
def test_a_button_that_is_no_link_is_no_way_to_the_page_it_opens(
    tmp_path: Path, role: str, told: bool
) -> None:
    first, second, *others = links()
    if role == "button":
        first = msgspec.structs.replace(first, tag="button", role=role, href="")
    clicked = [Click(0, "Roses - Shop", "/our_roses.html"), Click(1, "Web - Shop", "/2")]
    wish = "Go to the page with the title “Roses - Shop”."
    assert (wish in wishes(tmp_path, first, second, clicks=clicked)) is told
    found = made(action_prediction, page(tmp_path, [first, second, *others], clicked))
    assert ("Roses - Shop" in map(right_of, found)) is told


@pytest.mark.parametrize(("heading", "told"), [("Our roses", True), ("The Garden Book", False)])
def test_a_title_that_stands_on_the_page_names_no_other_page(
    tmp_path: Path, heading: str, told: bool
) -> None:
    first, second = link(0, "Start", href="/book.html"), link(1, heading, role="heading", href="")
    clicked = [Click(0, "The Garden Book", "/book.html", headings="The Garden Book")]
    found = wishes(tmp_path, first, second, clicks=clicked)
    assert ("Go to the page with the title “The Garden Book”." in found) is told


def test_a_title_that_two_pages_share_names_neither(tmp_path: Path) -> None:
    titles = ("Roses - Shop", "Roses - Shop", "Contact - Shop", "Garden tools - Shop")
    clicked = [
        Click(place, title, f"/{place}.html", headings=title) for place, title in enumerate(titles)
    ]
    found = made(action_prediction, page(tmp_path, links(), clicked))
    assert set(map(right_of, found)) == {"Contact - Shop", "Garden tools - Shop"}


@pytest.mark.parametrize(
    ("titles", "told"),
    [
        (["Gardens - Shop", "Web - Shop", "Contact - Shop", "Garden tools - Shop"], True),
        (["Gardens - Shop", "Web - Garden", "Contact - Garden", "Tools - Garden"], False),
    ],
)
def test_a_word_of_one_other_title_is_not_the_site_s_name(
    tmp_path: Path, titles: list[str], told: bool
) -> None:
    clicked = [
        Click(place, title, f"/{place}", headings="About us" if place else "All gardens")
        for place, title in enumerate(titles)
    ]
    found = wishes(tmp_path, *links()[:4], clicks=clicked)
    assert (f"Go to the page with the title “{titles[0]}”." in found) is told


@pytest.mark.parametrize(
    ("other", "told"), [("First name", False), ("Customer name", False), ("Size", True)]
)
def test_who_one_is_is_asked_for_by_one_field_of_all_kinds_of_names(
    tmp_path: Path, other: str, told: bool
) -> None:
    names = [link(place, label, tag="label") for place, label in enumerate(("Full name", other))]
    given = {"tag": "input", "role": "textbox", "kind": "text"}
    fields = [
        msgspec.structs.replace(link(place + 2, ""), label=one.text, name=one.text, **given)
        for place, one in enumerate(names)
    ]
    labels = [msgspec.structs.replace(one, role="") for one in names]
    assert ("Say who you are." in wishes(tmp_path, *labels, *fields)) is told


@pytest.mark.parametrize("second", ["file", "text"])
def test_two_fields_for_files_are_not_told_apart_by_what_is_written_on_one(
    tmp_path: Path, second: str
) -> None:
    first = link(0, "Choose file", role="button", kind="file")
    told = wishes(tmp_path, first, link(1, "Photos", role="button", kind=second))
    assert ("Use what lets the user choose a file to upload." in told) is (second == "text")


@pytest.mark.parametrize(
    ("href", "told"),
    [("files/pack.zip", True), ("", True), ("download.html", False), ("get/", False)],
)
def test_a_link_to_a_page_downloads_nothing(tmp_path: Path, href: str, told: bool) -> None:
    snapshot = page(tmp_path, [link(0, "Download", href=href), *links()[1:]])
    said = {one.text for one in intents(snapshot, candidates(snapshot))}
    assert ("Use what downloads the file." in said) is told


@pytest.mark.parametrize(
    ("name", "wish"),
    [
        ("Privacy policy", "Find out how the site treats personal data."),
        ("Privacy & security", None),
        ("Settings", None),
    ],
)
def test_what_a_user_sets_is_no_policy(tmp_path: Path, name: str, wish: str | None) -> None:
    snapshot = page(tmp_path, [link(0, name)])
    assert [one.text for one in intents(snapshot, candidates(snapshot))] == [wish][: bool(wish)]


@pytest.mark.parametrize("second", ["login Sign in", "Sign in »", "Sign in"])
def test_two_ways_to_sign_in_are_no_question(tmp_path: Path, second: str) -> None:
    """An icon font writes icons as words."""
    for other, told in (("Contact", True), (second, False)):
        snapshot = page(tmp_path, [link(0, "Sign in"), link(1, other), *links()[2:]])
        said = {one.text for one in intents(snapshot, candidates(snapshot))}
        assert ("Use what signs the user in to the account." in said) is told


def test_a_link_in_a_line_of_text_has_no_effect_of_its_own(tmp_path: Path) -> None:
    for line, told in (("", True), ("raster, , output", False)):
        place = len(links())
        row = Element(place, "p", (10, 10, 300, 40), text="raster, Export, output", own=line)
        word = msgspec.structs.replace(link(0, "Export"), parent=place)
        snapshot = page(tmp_path, [word, *links()[1:], row])
        said = {one.text for one in intents(snapshot, candidates(snapshot))}
        assert ("Use what exports the data to a file." in said) is told


def test_what_a_menu_is_can_not_be_seen_from_its_name(tmp_path: Path) -> None:
    """A link `Menu` may lead to the dishes, and a click on it may fail."""
    for element in (link(0, "Menu", href="/menu.html"), link(0, "Menu", role="button", href="")):
        told = wishes(tmp_path, element, clicks=[Click(0, "", "", "failed")])
        assert told == wishes(tmp_path, link(0, "Roses"))


@pytest.mark.parametrize(
    ("element", "click", "told"),
    [
        (link(0, "About us", href="/us.html"), None, True),
        (link(0, "About us", href="/us.html"), Click(0, "Our story", "/us.html"), True),
        (link(0, "About us", href="/us.html"), Click(0, "", "", "same"), False),
        (link(0, "About us", href="/us.html"), Click(0, "", "/us.html", "failed"), False),
        (link(0, "About us", href="/index.html#!"), None, False),
        (link(0, "About us", href="javascript:;"), None, False),
        (link(0, "About us", role="button", href="/us.html"), None, False),
    ],
)
def test_what_leads_to_no_other_page_is_not_said_to(
    tmp_path: Path, element: Element, click: Click | None, told: bool
) -> None:
    said = wishes(tmp_path, element, clicks=[click] if click else [])
    assert ("Go to where the site tells about itself." in said) is told


def test_what_supports_people_answers_no_common_questions(tmp_path: Path) -> None:
    for name, told in (("FAQ", True), ("Support", False)):
        snapshot = page(tmp_path, [link(0, name)])
        said = {one.text for one in intents(snapshot, candidates(snapshot))}
        assert ("Look for answers to common questions." in said) is told


def test_contact_beside_contact_us_is_another_way_to_do_it(tmp_path: Path) -> None:
    for other, told in (("Gallery", True), ("Contact", False)):
        snapshot = page(tmp_path, [link(0, "Contact us"), link(1, other), *links()[2:]])
        wishes = {intent.text for intent in intents(snapshot, candidates(snapshot))}
        assert ("Use what opens a way to contact us." in wishes) is told


@pytest.mark.parametrize(
    ("second", "more", "told"),
    [
        (link(1, "News"), {}, True),
        (link(1, "News"), {"source": "shop/us.html"}, False),
        (link(1, "News"), {"title": "Music for all: Contact us"}, False),
        (link(1, "News"), {"title": "Write"}, False),
        (link(1, "Contact us today", role="heading", href=""), {}, False),
        (link(1, "a@fernbrook.example", href="mailto:a@fernbrook.example"), {}, False),
    ],
)
def test_a_page_that_serves_a_purpose_itself_has_no_link_for_it(
    tmp_path: Path, second: Element, more: dict[str, str], told: bool
) -> None:
    for name in ("Contact us", "Contact"):
        clicked = [Click(0, "Write", "/us.html", "page", "Write"), Click(2, "All", "/all.html"),
                   Click(3, "All", "/every.html")]  # fmt: skip
        said = wishes(tmp_path, link(0, name, href="/us.html"), second, clicks=clicked, **more)
        served = {"Use what opens a way to contact us.", "Find out how to get in touch."} & said
        assert bool(served) is told


def test_a_title_that_all_pages_have_does_not_say_that_a_link_leads_to_this_one(
    tmp_path: Path,
) -> None:
    clicked = [Click(0, "Shop", "/us.html"), Click(1, "Shop", "/news.html")]
    about = link(0, "About us", href="/us.html")
    for seen, told in ((clicked, True), (clicked[:1], False)):
        said = wishes(tmp_path, about, clicks=seen)
        assert ("Go to where the site tells about itself." in said) is told


def test_two_links_of_one_name_are_not_told_apart_by_the_page_that_they_lead_to(
    tmp_path: Path,
) -> None:
    clicked = [Click(0, "Our garden – Shop", "/garden/")]
    first = link(0, "Roses", href="garden/")
    for other, wishes in (("Tulips", 1), ("roses", 0)):
        elements = [first, link(1, other, href="guide/"), *links()[2:]]
        snapshot = page(tmp_path, elements, clicked)
        found = intents(snapshot, candidates(snapshot))
        assert sum(intent.way == "destination" for intent in found) == wishes


def test_two_links_to_one_page_are_one_address_however_they_are_written(tmp_path: Path) -> None:
    def told(*first: Element) -> set[str]:
        clicked = [Click(0, "Our garden – Shop", "/garden/")]
        snapshot = page(tmp_path, [*first, *links()[len(first) :]], clicked)
        found = intents(snapshot, candidates(snapshot))
        return {one.text for one in found if one.way == "destination"}

    way = "Go to the page with the title “Our garden – Shop”."
    first = link(0, "Roses", href="garden/")
    assert told(first) == {way}
    assert told(first, link(1, "Tulips", href="./garden/index.html#top")) == set()


def test_the_gold_is_what_is_seen_and_the_record_has_what_was_considered(tmp_path: Path) -> None:
    wide = [
        link(
            n, name, box=(20, 20 + 50 * n, 380, 50 + 50 * n), ink=(20, 28 + 50 * n, 80, 42 + 50 * n)
        )
        for n, name in enumerate(NAMES)
    ]
    filled = [msgspec.structs.replace(one, painted=True) for one in wide]
    for elements, box, shape in ((wide, "ink", None), (filled, "box", "box")):
        for item in made(element_ground, page(tmp_path, elements)):
            place: int = item.record["element"]
            element = elements[place]
            gold = list(getattr(element, box))
            assert item.row["options"][item.row["answer"]] == item.record["box"] == gold
            assert item.record["ink"] == list(element.ink or ())
            assert item.record["painted"] == (shape and list(element.box))


def test_an_answer_that_is_written_in_the_box_is_not_asked_for(tmp_path: Path) -> None:
    told = [Click(place, f"{name} – Shop") for place, name in enumerate(NAMES)]
    assert reason(action_prediction, page(tmp_path, links(), told)) == Reason.SAID


@pytest.mark.parametrize(
    "said", ["Next", "« Previous", "Read more", "Zurück", "下一页", "14", "4.2", "[3]"]
)
def test_where_the_next_page_or_a_number_leads_is_not_asked_for(tmp_path: Path, said: str) -> None:
    clicked = [Click(0, "Our garden – Shop", outcome="page")]
    snapshot = page(tmp_path, [link(0, said), *links()[1:]], clicked)
    assert reason(action_prediction, snapshot) == Reason.NO_CLICKS


def clicks(count: int, outcome: str = "page") -> list[Click]:
    return [Click(place, f"{TITLES[place]} – Shop", outcome=outcome) for place in range(count)]


def test_the_right_title_is_where_the_click_led(tmp_path: Path) -> None:
    snapshot = page(tmp_path, links(), clicks(10))
    items = filled([snapshot])
    assert len(items) == CLICK_ITEMS
    for item in items:
        place: int = item.record["element"]
        element = snapshot.screen.elements[place]
        assert right_of(item) == f"{TITLES[place]} – Shop"
        assert len(set(item.row["options"])) == CLICK_ITEMS
        left, top, _, _ = item.row["bbox"]
        assert (left * 400, top * 600) == pytest.approx((20, element.box[1]), abs=0.01)


def right_of(item: Made) -> str:
    return item.row["options"][item.row["answer"]]


def filled(
    snapshots: Sequence[Snapshot], seed: int = 1, sites: Sequence[str] = ("shop",)
) -> list[Made]:
    """Return the items of pages, alternating among sites, with their options."""
    pages = [
        PageItems(
            sites[number % len(sites)],
            f"page-{number}",
            [
                one._replace(row={**one.row, "id": f"page-{number}/{one.row['id']}"})
                for one in made(action_prediction, snapshot, seed + number)
            ],
            [],
        )
        for number, snapshot in enumerate(snapshots)
    ]
    return [one for each in offered(pages, seed) for one in each.made]


def folder(tmp_path: Path, name: str) -> Path:
    (tmp_path / name).mkdir()
    return tmp_path / name


def test_each_title_of_a_site_is_as_often_right_and_as_often_offered(tmp_path: Path) -> None:
    """Also the start page's, to which the logo of all pages leads."""
    home = link(0, "Fernbrook Shop", href="/index.html")
    shown = [home, *links()[1:]]
    snapshots = [
        page(folder(tmp_path, f"{n}"), shown, [clicks(10)[0], *clicks(10)[n : n + 2]])
        for n in (1, 3, 5, 7)
    ]
    items = filled(snapshots)
    right = Counter(map(right_of, items))
    assert right == dict.fromkeys((f"{title} – Shop" for title in TITLES[:9]), 1)
    assert all(len(set(item.row["options"])) == 8 for item in items)
    assert {option for item in items for option in item.row["options"]} == set(right)


def test_of_each_title_there_are_as_many_items_as_give_the_most_in_all(tmp_path: Path) -> None:
    shown = links()
    often = [page(folder(tmp_path, f"often-{n}"), shown, clicks(4)) for n in range(3)]
    rare = page(folder(tmp_path, "rare"), shown, clicks(6)[3:])
    items = filled([*often, rare])
    # Four titles three times are more than six titles once; the fourth has one item too many.
    assert Counter(map(right_of, items)) == dict.fromkeys(
        (f"{title} – Shop" for title in TITLES[:4]), 3
    )
    assert all(len(item.row["options"]) == 4 for item in items)


def test_titles_of_other_sites_are_no_options(tmp_path: Path) -> None:
    snapshots = [
        page(folder(tmp_path, f"{n}"), links(), clicks(10)[first : first + 4])
        for n, first in enumerate((0, 4))
    ]
    for item in filled(snapshots, sites=("shop", "cafe")):
        first = 0 if right_of(item) in {f"{title} – Shop" for title in TITLES[:4]} else 4
        own = {f"{title} – Shop" for title in TITLES[first : first + 4]}
        assert set(item.row["options"]) == own


def test_what_no_other_title_of_the_site_says_is_not_asked_for(tmp_path: Path) -> None:
    """On its own page another title, which is not an option, has the word too."""
    told = [Click(9, f"{NAMES[0]} – Shop", outcome="page")]
    led = [Click(0, f"{NAMES[0]} and {TITLES[0]}", outcome="page"), *clicks(4)[1:], *told]
    covered = [*links()[:9], link(9, NAMES[9], covered=0.4)]
    items = made(action_prediction, page(tmp_path, covered, led))
    assert f"{NAMES[0]} and {TITLES[0]}" in set(map(right_of, items))
    assert set(map(right_of, filled([page(tmp_path, covered, led)]))) == {
        f"{title} – Shop" for title in TITLES[1:4]
    }


def test_of_titles_that_differ_by_a_number_one_is_an_option(tmp_path: Path) -> None:
    led = [*clicks(4), Click(4, "Overview 2 – Shop"), Click(5, "Overview – Shop")]
    often = page(folder(tmp_path, "often"), links(), led)
    items = filled([often, page(folder(tmp_path, "again"), links(), led[:5])])
    assert {option for item in items for option in item.row["options"]} == {
        *(f"{title} – Shop" for title in TITLES[:4]),
        "Overview 2 – Shop",
    }


def test_a_word_that_the_box_writes_in_one_is_an_answer_that_it_tells(tmp_path: Path) -> None:
    shown = [link(0, "Login"), link(1, "Sign up now"), *links()[2:]]
    led = [Click(0, "Log in – Shop"), Click(1, "Signup – Shop"), *clicks(5)[2:]]
    items = made(action_prediction, page(tmp_path, shown, led))
    assert set(map(right_of, items)) == {f"{title} – Shop" for title in TITLES[2:5]}


def test_of_a_site_with_two_titles_nothing_is_asked(tmp_path: Path) -> None:
    snapshot = page(tmp_path, links(), clicks(2))
    items = made(action_prediction, snapshot)
    assert len(items) == 2
    (kept,) = offered([PageItems("shop", "index", items, [])], 1)
    assert not kept.made
    assert [one.reason for one in kept.refused] == [Reason.UNEVEN_TITLES] * 2


@pytest.mark.slow
@pytest.mark.parametrize("count", [4, 10])
def test_letters_of_titles_are_balanced(tmp_path: Path, count: int) -> None:
    snapshot = page(tmp_path, links(), clicks(count))
    items = [item for seed in range(60) for item in filled([snapshot], seed)]
    counts = Counter(item.row["answer"] for item in items)
    options = min(count, CLICK_ITEMS)
    assert set(counts) == set(range(options))
    assert max(counts.values()) < 1.6 * len(items) / options


def test_equal_titles_are_one_option(tmp_path: Path) -> None:
    again = Click(9, "START - shop", outcome="title")
    for item in filled([page(tmp_path, links(), [*clicks(5), again])]):
        assert len({option.casefold().replace("–", "-") for option in item.row["options"]}) == 5


@pytest.mark.parametrize(
    "led",
    [[], clicks(10, "popup"), clicks(10, "failed"), [Click(1, "Shop")]],
)
def test_pages_whose_clicks_lead_nowhere_are_refused(tmp_path: Path, led: list[Click]) -> None:
    assert reason(action_prediction, page(tmp_path, links(), led)) == Reason.NO_CLICKS


def test_what_is_covered_is_no_question(tmp_path: Path) -> None:
    covered = [link(place, name, covered=0.4) for place, name in enumerate(NAMES)]
    assert reason(action_prediction, page(tmp_path, covered, clicks(10))) == Reason.NO_CLICKS
