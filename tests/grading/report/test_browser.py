"""The page in a real browser: nothing runs that should not, and the list of items works."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from snellen.grading.models.reports import MetricValue
from snellen.grading.models.scores import Outcome
from snellen.grading.report.html import render_html
from snellen.grading.report.page import ItemList, ItemRow, Page, Thumbnail

if TYPE_CHECKING:
    from playwright.sync_api import Page as Tab

pytestmark = pytest.mark.browser

MakePage = Callable[..., Page]
LONG_KEY = "a_metric_with_a_very_long_name"
PIXEL = (
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00!\xf9\x04\x01\x00\x00\x00\x00,"
    b"\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
)


def written(page: Page, folder: Path) -> Path:
    path = folder / "report.html"
    path.write_bytes(b"".join(render_html(page)))
    return path


@pytest.fixture
def show(open_tab: Callable[..., "Tab"], tmp_path: Path) -> Callable[..., "Tab"]:
    """Open a page, or the file of one that several tests have."""

    def open_page(page: Page | Path, fragment: str = "", **settings: Any) -> "Tab":
        path = page if isinstance(page, Path) else written(page, tmp_path)
        return open_tab(path, fragment, **settings)

    return open_page


@pytest.fixture(scope="module")
def listed(full_page: MakePage, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of sixty items."""
    return written(full_page(item_list=items()), tmp_path_factory.mktemp("listed"))


@pytest.fixture(scope="module")
def wide(full_page: MakePage, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of long words."""
    page = full_page("a-very-long-name-without-any-space-" * 3)
    return written(page, tmp_path_factory.mktemp("wide"))


@pytest.fixture(scope="module")
def numbered(full_page: MakePage, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with the largest number and a long name of it."""
    value = MetricValue(value=1.0, value_answered=1.0, as_published=1.0)
    page = full_page(primary=LONG_KEY, metrics={LONG_KEY: value}, breakdowns=())
    return written(page, tmp_path_factory.mktemp("numbered"))


def ids(tab: "Tab") -> list[str]:
    return tab.locator(".item h3").all_inner_texts()


def items(count: int = 60) -> ItemList:
    rows = [
        ItemRow(
            item_id=f"i{number}",
            attempt=0,
            outcome=Outcome.UNPARSED if number % 10 == 9 else Outcome.ANSWERED,
            values=(((number * 7) % count) / count,),
            question=f"Question: what about {number}?",
            answer=f"answer {number}" if number else None,
            failures=(number % 2,),
            tags=("even" if number % 2 == 0 else "odd",),
            image=0 if number == 3 else None,
        )
        for number in range(count)
    ]
    return ItemList(rows, ("f1",), ("parity",), (Thumbnail(PIXEL, "image/gif"),))


def test_the_worst_items_come_first_a_page_at_a_time(
    show: Callable[..., "Tab"], listed: Path
) -> None:
    tab = show(listed)
    by_value = sorted(range(60), key=lambda number: (number * 7) % 60)
    assert ids(tab) == [f"i{number}" for number in by_value[:25]]
    assert tab.locator("output").inner_text() == "1 – 25 of 60 items"
    tab.get_by_role("button", name="Next").first.click()
    assert ids(tab) == [f"i{number}" for number in by_value[25:50]]
    tab.get_by_role("button", name="Next").last.click()
    assert ids(tab) == [f"i{number}" for number in by_value[50:]]
    assert tab.get_by_role("button", name="Next").last.is_disabled()
    tab.get_by_role("button", name="Back").last.click()
    assert ids(tab) == [f"i{number}" for number in by_value[25:50]]
    tab.get_by_label("Order").select_option("id")
    assert ids(tab) == [f"i{number}" for number in range(25)]


def test_items_can_be_found_by_outcome_fault_tag_and_text(
    show: Callable[..., "Tab"], listed: Path
) -> None:
    tab = show(listed)
    tab.get_by_label("Order").select_option("given")
    tab.get_by_label("Outcome").select_option(label="unparsed (6)")
    assert ids(tab) == ["i9", "i19", "i29", "i39", "i49", "i59"]
    tab.get_by_label("Outcome").select_option("")
    tab.get_by_label("parity").select_option(label="odd (30)")
    tab.get_by_label("Search").fill("ABOUT 2")
    tab.locator("output", has_text="of 5 items").wait_for()
    assert ids(tab) == ["i21", "i23", "i25", "i27", "i29"]
    tab.get_by_label("Went wrong").select_option(label="extra-words (30)")
    assert tab.locator("output").inner_text() == "No item matches."


def test_a_link_leads_to_its_item(show: Callable[..., "Tab"], listed: Path) -> None:
    tab = show(listed, fragment="#item=i40")
    assert tab.locator(".item.chosen h3").inner_text() == "i40"
    assert tab.locator(".item.chosen").evaluate("element => element === document.activeElement")
    tab.evaluate("location.hash = '#item=i3'")
    assert tab.locator(".item.chosen h3").inner_text() == "i3"
    assert tab.locator(".item.chosen img").evaluate("image => image.naturalWidth") == 1


@pytest.mark.parametrize(
    ("fragment", "name"), [("#item=i400", "i400"), ("#item=%E0%A4%A", "%E0%A4%A")]
)
def test_a_link_to_an_item_that_is_not_there_says_so(
    show: Callable[..., "Tab"], listed: Path, fragment: str, name: str
) -> None:
    tab = show(listed, fragment=fragment)
    said = f"This page lists no item “{name}”. 1 – 25 of 60 items"
    assert tab.locator("output").inner_text() == said
    tab.evaluate("location.hash = '#item=i3'")
    tab.locator(".item.chosen").wait_for()
    assert "no item" not in tab.locator("output").inner_text()


def test_a_picture_opens_by_key_and_by_click_and_closes_again(
    show: Callable[..., "Tab"], listed: Path
) -> None:
    tab = show(listed, fragment="#item=i3")
    assert tab.locator(".item.chosen img").get_attribute("alt") == "screenshot of i3"
    button = tab.locator(".item.chosen button")
    button.press("Enter")
    assert tab.locator("dialog[open] img").get_attribute("alt") == "screenshot of i3"
    tab.keyboard.press("Escape")
    assert tab.locator("dialog[open]").count() == 0
    assert button.evaluate("element => element === document.activeElement")
    button.click()
    tab.locator("dialog[open]").get_by_role("button", name="Close").click()
    assert tab.locator("dialog[open]").count() == 0


def test_a_phone_shows_ten_items_with_the_picture_under_the_answer(
    show: Callable[..., "Tab"], listed: Path
) -> None:
    small = {"width": 390, "height": 844}
    tab = show(listed, fragment="#item=i3", viewport=small)
    assert tab.locator(".item").count() == 10
    # Both in one look: the page may still be on its way to the item.
    places = "item => ['dl', 'img'].map(name => item.querySelector(name).getBoundingClientRect())"
    answer, image = tab.locator(".item.chosen").evaluate(places)
    assert image["top"] >= answer["bottom"]
    tab.set_viewport_size({"width": 1440, "height": 900})
    answer, image = tab.locator(".item.chosen").evaluate(places)
    assert image["right"] <= answer["left"]


def test_one_page_of_items_has_no_second_pager(
    show: Callable[..., "Tab"], full_page: MakePage
) -> None:
    tab = show(full_page(item_list=items(1)))
    assert tab.locator("output").inner_text() == "1 – 1 of 1 item"
    assert tab.locator(".pager.below").is_hidden()


def test_a_link_leads_to_its_item_past_the_pictures_above_it(
    show: Callable[..., "Tab"], full_page: MakePage
) -> None:
    buffer = io.BytesIO()
    Image.new("RGB", (400, 800), "teal").save(buffer, "PNG")
    rows = [row._replace(image=0, values=(0.5,)) for row in items(9).rows]
    pictured = ItemList(rows, ("f1",), ("parity",), (Thumbnail(buffer.getvalue(), "image/png"),))
    small = {"width": 390, "height": 844}
    tab = show(full_page(item_list=pictured), "#item=i7", viewport=small, reduced_motion="reduce")
    # The page's policy lets no code wait that is made of text, as `wait_for_function` does.
    tab.evaluate(
        "async () => { const shown = () => {"
        " const top = document.querySelector('.item.chosen')?.getBoundingClientRect().top;"
        " const images = [...document.querySelectorAll('.item img')];"
        " return images.every(each => each.naturalWidth === 400) && 0 <= top && top < 150; };"
        " while (!shown()) await new Promise(requestAnimationFrame); }"
    )


@pytest.mark.parametrize("width", [360, 960, 1440])
def test_the_number_and_its_sign_stay_on_one_line(
    show: Callable[..., "Tab"], numbered: Path, width: int
) -> None:
    tab = show(numbered, viewport={"width": width, "height": 900})
    lines = "e => e.getBoundingClientRect().height / parseFloat(getComputedStyle(e).lineHeight)"
    assert tab.locator(".number").evaluate(lines) == pytest.approx(1, abs=0.2)
    assert tab.locator(".number").inner_text().split() == ["100.0%"]
    assert tab.locator(".metric").inner_text() == LONG_KEY


def test_no_text_becomes_code(show: Callable[..., "Tab"], full_page: MakePage, nasty: str) -> None:
    rows = [
        ItemRow(nasty, 0, Outcome.ANSWERED, (0.0,), nasty, nasty, nasty, nasty, nasty, nasty),
        ItemRow("other", 0, Outcome.ANSWERED, (0.5,), "other"),
    ]
    page = full_page(nasty, item_list=ItemList(rows, (nasty,), (), with_references=True))
    tab = show(page)
    assert tab.title().startswith("screenqa/short")
    said = [text for text in tab.locator(".item").first.locator("dd").all_inner_texts() if text]
    assert {"".join(text.split()) for text in said} == {"".join(nasty.split())}
    assert tab.locator(".item img, .item script, .item svg, .item b").count() == 0


@pytest.mark.parametrize("width", [360, 390, 768, 1440, 2200])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_screen(
    show: Callable[..., "Tab"], wide: Path, width: int, scheme: str
) -> None:
    tab = show(wide, viewport={"width": width, "height": 900}, color_scheme=scheme)
    assert tab.evaluate("document.documentElement.scrollWidth") <= width


def test_all_but_the_items_is_there_without_scripts(
    show: Callable[..., "Tab"], full_page: MakePage
) -> None:
    tab = show(full_page(), java_script_enabled=False)
    assert "needs JavaScript" in tab.locator("#items").inner_text()
    assert tab.locator("#browser").is_hidden()
    assert tab.locator("svg.drawing").count() == 5
    assert tab.get_by_role("button").count() == 0


def test_every_control_can_be_reached_by_the_keyboard(
    show: Callable[..., "Tab"], listed: Path
) -> None:
    tab = show(listed)
    reached: set[str] = set()
    for _ in range(90):
        tab.keyboard.press("Tab")
        reached.add(
            tab.evaluate(
                "(e => e.closest('label')?.firstChild.textContent || e.textContent)"
                "(document.activeElement)"
            )
        )
    assert {
        "To the number",
        "Metrics",
        "As a table",
        "Search",
        "Order",
        "Outcome",
        "Next",
    } <= reached


def test_the_page_prints(show: Callable[..., "Tab"], full_page: MakePage) -> None:
    tab = show(full_page())
    printed = tab.pdf(format="A4", print_background=True)
    assert printed.startswith(b"%PDF")
    tab.emulate_media(media="print")
    assert tab.locator("nav").is_hidden()
    assert tab.locator(".controls").is_hidden()


@pytest.mark.slow
def test_8419_items_are_listed_at_once(show: Callable[..., "Tab"], full_page: MakePage) -> None:
    tab = show(full_page(count=8419))
    assert tab.locator(".item").count() == 25
    assert tab.locator("output").inner_text() == "1 – 25 of 8,419 items"
