"""Contact sheets: self-contained, escaped, split if too large, and usable to remove items."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from snellen.grading.errors import DataError
from snellen.tasks.models import TaskData
from snellen.tasks.pack.preview_pages import preview_pages
from snellen.tasks.pack.read import Pack, open_references
from snellen.tasks.pack.remove import read_removed

if TYPE_CHECKING:
    from playwright.sync_api import Page as Tab

MakePack = Callable[..., Pack]
LoadShort = Callable[..., TaskData]
EVIL = '</script><script>alert("x")</script><img src=http://evil.example/x onerror=alert(1)> "\''
ROWS: list[dict[str, Any]] = [
    {"image_id": 5, "question": f"What is {EVIL} here?", "ground_truth": [f"gold {EVIL}"]},
    {"image_id": 9, "question": "What is it?", "ground_truth": ["plain gold"]},
    {"image_id": 9, "question": "Which one?", "ground_truth": ["second gold"]},
]


@pytest.fixture
def pack(make_pack: MakePack, load_short: LoadShort) -> Pack:
    """Three questions, one of which has a script that must not run."""
    return make_pack("exam", load_short(ROWS))


def test_a_page_loads_nothing_and_runs_only_its_own_script(pack: Pack) -> None:
    (page,) = preview_pages(pack, open_references(pack))
    text = page.data.decode()
    assert page.name == "preview.html"
    assert "default-src 'none'" in text
    assert "alert(&#34;x&#34;)" in text
    assert "<img src=http" not in text
    assert len(re.findall("<script", text)) == 2
    assert len(re.findall('class="card"', text)) == 3
    # One picture of the two is shown by two items, and is in the page once.
    assert len(re.findall(r'":"UklG', text)) == 2


def test_without_references_none_is_in_the_page(pack: Pack) -> None:
    (page,) = preview_pages(pack, None)
    assert b"plain gold" not in page.data
    assert b"question_word" not in page.data
    assert b"without references" in page.data


def test_the_same_pack_makes_the_same_pages(pack: Pack) -> None:
    references = open_references(pack)
    assert list(preview_pages(pack, references)) == list(preview_pages(pack, references))


def test_what_is_too_large_becomes_an_index_and_pages(pack: Pack) -> None:
    done: list[int] = []
    found = preview_pages(pack, open_references(pack), "sheet", budget=3500, watch=done.append)
    pages = list(found)
    assert [page.name for page in pages] == [
        "sheet.html",
        "sheet-001-screenqa-short-1-of-2.html",
        "sheet-002-screenqa-short-2-of-2.html",
    ]
    for page in pages[1:]:
        assert page.name.encode() in pages[0].data
        assert b'href="sheet.html"' in page.data
    assert done[-1] == 3


def test_a_changed_picture_stops_a_preview(pack: Pack) -> None:
    image = next(path for path in (pack.folder / "images").rglob("*.png"))
    image.write_bytes(b"x" * image.stat().st_size)
    with pytest.raises(DataError, match="does not match its digest"):
        list(preview_pages(pack, None))


@pytest.fixture
def tab(open_tab: Callable[..., "Tab"], pack: Pack, tmp_path: Path) -> "Tab":
    (page,) = preview_pages(pack, open_references(pack))
    path = tmp_path / page.name
    path.write_bytes(page.data)
    return open_tab(path, accept_downloads=True, viewport={"width": 390, "height": 800})


@pytest.mark.slow
@pytest.mark.browser
def test_removed_items_are_saved_as_a_list_that_removes_them(
    tab: "Tab", pack: Pack, tmp_path: Path
) -> None:
    tab.locator(".card").nth(1).get_by_label("remove").check()
    tab.locator(".card").nth(1).locator(".reason").fill("blurred")
    tab.locator(".card").nth(0).get_by_label("remove").check()
    assert "3 of 3 items, 2 removed" in tab.locator("#count").inner_text()
    with tab.expect_download() as waiting:
        tab.get_by_role("button", name="Save removed.txt").click()
    path = tmp_path / "removed.txt"
    waiting.value.save_as(path)
    assert [(one.item, one.reason) for one in read_removed(path, pack)] == [
        ("test/5/0", "removed by hand"),
        ("test/9/0", "blurred"),
    ]
    tab.reload()
    assert tab.locator(".card.out").count() == 2


@pytest.mark.slow
@pytest.mark.browser
def test_filters_narrow_the_list_and_pictures_come_when_they_are_near(tab: "Tab") -> None:
    # The page's policy lets no code wait that is made of text, as `wait_for_function` does.
    tab.evaluate(
        "async () => { while (!document.querySelector('img').naturalWidth)"
        " await new Promise(requestAnimationFrame); }"
    )
    tab.get_by_label("Text").fill("WHICH one")
    assert tab.locator(".card:visible").count() == 1
    tab.get_by_label("Text").fill("")
    tab.get_by_label("Tag").select_option("image_id")
    tab.get_by_label("Value").select_option("9")
    assert tab.locator(".card:visible").count() == 2
    tab.get_by_label("removed only").check()
    assert tab.get_by_text("No item fits the filters.").is_visible()
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
