"""Capturing pages: all or nothing, reproducibly, with changes and clicks that are correct."""

import io
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from PIL import Image

from snellen.grading.errors import InputError
from snellen.tasks.browser.settings import BrowserSettings
from snellen.tasks.builder.browser.session import Session
from snellen.tasks.builder.capture import CaptureSettings, capture_page
from snellen.tasks.builder.pages import Page
from snellen.tasks.builder.perturb.color import COLOR_CHANGES
from snellen.tasks.builder.screen.elements import Element
from snellen.tasks.builder.snapshots import Click, Snapshot

pytestmark = pytest.mark.browser

MakePage = Callable[..., Page]
QUICK = CaptureSettings(seed=7, clicks=0, renders=1)

SHOP = """<!doctype html><html lang=en><meta name=description content="Shoes for rain.">
<title>Shoes</title><body style="margin:0;background:#fff"><h1>Rain shoes</h1>
<p>Dry feet.</p><button style="background:#06c;color:#fff">Buy</button>
<footer>Small print</footer>"""


def screen_of(snapshot: Snapshot) -> dict[str, Element]:
    return {each.text: each for each in snapshot.screen.elements}


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_page_is_frozen_with_its_image_its_elements_and_its_markup(
    session: Session, make_page: MakePage, tmp_path: Path
) -> None:
    page = make_page(SHOP)
    snapshot = capture_page(session, page, tmp_path / "kept", CaptureSettings(clicks=0))
    said = snapshot.captured
    assert (said.site, said.page) == (page.site_code, page.page_code)
    assert (said.source, said.stable) == ("shop/index.html", True)
    assert (said.screen.title, said.screen.description) == ("Shoes", "Shoes for rain.")
    assert (said.screen.language, said.problems) == ("en", ())
    with Image.open(io.BytesIO(snapshot.image())) as image:
        assert image.size == (said.screen.width, said.screen.height) == (1280, 800)
        left, top, _, _ = screen_of(snapshot)["Buy"].box
        assert image.convert("RGB").getpixel((round(left) + 3, round(top) + 3)) == (0, 0x66, 0xCC)
    html = (tmp_path / "kept" / "page.html").read_text("utf-8-sig")
    assert re.search(r'<h1 data-snellen-id="\d+">Rain shoes</h1>', html)


def test_capturing_again_gives_the_same_bytes(
    session: Session, make_page: MakePage, tmp_path: Path
) -> None:
    page = make_page(SHOP.replace("<footer>", "<button>Back</button><a href=a.html>More</a>"))
    settings = CaptureSettings(seed=7, clicks=2, renders=1)
    for name in ("one", "two"):
        snapshot = capture_page(session, page, tmp_path / name, settings, COLOR_CHANGES)
        assert len(snapshot.captured.changes) >= 2
        assert len(snapshot.captured.clicks) == 2
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_a_page_that_was_saved_with_marks_is_marked_anew(
    session: Session, make_page: MakePage, tmp_path: Path
) -> None:
    page = make_page(SHOP)
    first = capture_page(session, page, tmp_path / "first", QUICK)
    saved = (tmp_path / "first" / "page.html").read_text("utf-8-sig")
    hidden = '<p hidden data-snellen-id="0">not seen</p>'
    again = make_page(saved.replace("<h1", f"{hidden}<h1", 1))
    second = capture_page(session, again, tmp_path / "second", QUICK)
    assert second.screen == first.screen
    html = (tmp_path / "second" / "page.html").read_text("utf-8-sig")
    assert "<p hidden" in html
    numbers = re.findall(r'data-snellen-id="(\d+)"', html)
    assert sorted(map(int, numbers)) == [each.id for each in second.screen.elements]


CLICKS = """<!doctype html><title>Start</title>
<a href=a.html>page</a> <a href=late.html>late</a> <a href=#here>hash</a>
<a href=a.html target=_blank>popup</a> <a href=https://example.com/>outside</a>
<a href=a.zip download>download</a> <a href=none.html>missing</a>
<button onclick="alert('x')">dialog</button><button onclick="document.title = 'New'">title</button>
<button>nothing</button><button disabled>off</button><button onclick="while (true);">hang</button>
<button onclick="localStorage.x = 1; document.title = localStorage.seen || 'First';
localStorage.seen = 'Second'">storage</button>
<a href=folder>folder</a><button onclick="window.open('a.html')">window</button>"""


@pytest.mark.slow
def test_clicks_lead_where_they_lead(
    session: Session, make_page: MakePage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = "<title>Early</title><script>setTimeout(() => document.title = 'Late', 100)</script>"
    page = make_page(
        CLICKS,
        {
            "a.html": "<title>About  us</title><p>x",
            "late.html": late,
            "a.zip": b"PK",
            "folder/index.html": "<title>Inner</title><p>y",
        },
    )
    monkeypatch.setattr(session, "settings", BrowserSettings(page_seconds=9))
    said = capture_page(
        session, page, tmp_path / "kept", CaptureSettings(seed=1, clicks=20, renders=1)
    ).captured
    found: Mapping[str, Click] = {
        said.screen.elements[click.element].text: click for click in said.clicks
    }
    told = {text: (click.outcome, click.title, click.href) for text, click in found.items()}
    assert told == {
        "page": ("page", "About us", "/a.html"),
        "late": ("page", "Late", "/late.html"),
        "hash": ("same", "", "/index.html#here"),
        "popup": ("popup", "About us", "/a.html"),
        "window": ("popup", "About us", "/a.html"),
        "outside": ("outside", "", "https://example.com/"),
        "download": ("download", "", "/a.zip"),
        "missing": ("failed", "", "/none.html"),
        "dialog": ("dialog", "", ""),
        "title": ("title", "New", "/index.html"),
        "nothing": ("same", "", ""),
        "hang": ("failed", "", ""),
        "storage": ("title", "First", "/index.html"),
        "folder": ("page", "Inner", "/folder/"),
    }


def test_clicks_are_as_many_as_asked_for_and_go_to_different_pages_first(
    session: Session, make_page: MakePage, tmp_path: Path
) -> None:
    links = "".join(f"<p><a href=a.html>again {n}</a> <button>b{n}</button>" for n in range(6))
    page = make_page(
        f"<title>t</title>{links}<p><a href=b.html>other</a>",
        {"a.html": "<title>A</title>", "b.html": "<title>B</title>"},
    )
    said = capture_page(
        session, page, tmp_path / "kept", CaptureSettings(seed=3, clicks=3, renders=1)
    ).captured
    assert len(said.clicks) == 3
    assert {click.title for click in said.clicks[:2]} == {"A", "B"}


@pytest.mark.slow
def test_clicks_end_where_as_many_titles_are_known_as_a_question_has_options(
    session: Session, make_page: MakePage, tmp_path: Path
) -> None:
    pages = {f"{n}.html": f"<title>Page {n}</title>" for n in range(10)}
    page = make_page(
        "<title>t</title>" + "".join(f"<p><a href={name}>x</a>" for name in pages), pages
    )
    said = capture_page(session, page, tmp_path / "kept", CaptureSettings(renders=1)).captured
    assert len({click.title for click in said.clicks}) == len(said.clicks) == 8


@pytest.mark.slow
def test_clicks_end_where_all_pages_have_one_title(
    session: Session, make_page: MakePage, tmp_path: Path
) -> None:
    pages = {f"{n}.html": "<title>Kit</title>" for n in range(9)}
    page = make_page(
        "<title>Kit</title>" + "".join(f"<p><a href={name}>x</a>" for name in pages), pages
    )
    said = capture_page(session, page, tmp_path / "kept", CaptureSettings(renders=1)).captured
    assert len(said.clicks) == 5


def test_a_page_that_renders_differently_is_listed_as_unstable(
    session: Session, make_page: MakePage, tmp_path: Path
) -> None:
    page = make_page(
        "<title>t</title><p id=p>x<script>p.textContent = crypto.randomUUID()</script>"
    )
    said = capture_page(session, page, tmp_path / "kept", CaptureSettings(clicks=0)).captured
    assert not said.stable
    assert said.problems == ("two renders differed",)


def test_a_folder_that_holds_something_is_left_alone(
    session: Session, make_page: MakePage, tmp_path: Path
) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="not an empty folder"):
        capture_page(session, make_page(SHOP), tmp_path / "kept", QUICK)
    assert files(tmp_path / "kept") == {"mine.txt": b"mine"}
