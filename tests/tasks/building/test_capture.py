"""Capturing pages: whole or not at all, the same each time, with changes and clicks that hold."""

import io
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from snellen.grading.errors import InputError
from snellen.tasks.building.browser.problems import PageError
from snellen.tasks.building.browser.session import Session
from snellen.tasks.building.browser.settings import BrowserSettings
from snellen.tasks.building.capture import CaptureSettings, capture_page
from snellen.tasks.building.changes.base import (
    MARKED,
    After,
    Attempted,
    ChangeMaker,
    Declined,
)
from snellen.tasks.building.elements import Element, Screen
from snellen.tasks.building.pages import Page
from snellen.tasks.building.pixels import differing_pixels
from snellen.tasks.building.snapshots import Click, Snapshot

if TYPE_CHECKING:
    from playwright.sync_api import Page as Tab

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


def button(screen: Screen) -> Element:
    return next(each for each in screen.elements if each.role == "button")


def recolour(tab: "Tab", screen: Screen, random: Random) -> Attempted:
    color = random.choice(["#800000", "#008000"])
    target = button(screen)
    tab.locator(MARKED % target.id).evaluate(
        "(each, color) => { each.style.background = color }", color
    )
    return Attempted([target.id], {"color": color}, kept=[target.id])


def decline(tab: "Tab", screen: Screen, random: Random) -> Declined:
    del tab, screen, random
    return Declined("no banner")


def do_nothing(tab: "Tab", screen: Screen, random: Random) -> Attempted:
    del random
    tab.locator(MARKED % button(screen).id).evaluate("(each) => { each.dataset.unseen = 1 }")
    return Attempted([])


def move_what_stays(tab: "Tab", screen: Screen, random: Random) -> Attempted:
    del random
    tab.evaluate(
        "() => document.body.prepend(Object.assign(document.createElement('div'),"
        " {textContent: 'Banner'}))"
    )
    return Attempted([], kept=[button(screen).id])


def rename_what_stays(tab: "Tab", screen: Screen, random: Random) -> Attempted:
    del random
    target = button(screen)
    tab.locator(MARKED % target.id).evaluate("(each) => { each.firstChild.data = 'Bug' }")
    return Attempted([target.id], kept=[target.id], tolerance=50)


def remove_what_stays(tab: "Tab", screen: Screen, random: Random) -> Attempted:
    del random
    target = button(screen)
    tab.locator(MARKED % target.id).evaluate("(each) => each.remove()")
    return Attempted([target.id], kept=[target.id])


def break_a_promise(tab: "Tab", screen: Screen, random: Random) -> Attempted:
    def promise(after: After) -> str | None:
        return "no purple button" if button(after.screen).background != "#800080" else None

    return recolour(tab, screen, random)._replace(checks=[promise])


def edit_much(tab: "Tab", screen: Screen, random: Random) -> Attempted:
    del random
    tab.evaluate("""() => {
      const body = document.body;
      const [title, text] = [body.querySelector("h1"), body.querySelector("p")];
      body.append(title);
      text.before(document.createElement("hr"));
      text.innerHTML = "<b>other</b> words";
      text.firstChild.append("!");
      body.querySelector("footer").remove();
      const style = document.createElement("style");
      style.textContent = "button { border: 9px solid red !important }";
      document.head.append(style);
      body.setAttribute("style", "background:#eee");
      text.firstChild.remove();
    }""")
    footer = next(each for each in screen.elements if each.tag == "footer")
    return Attempted([footer.id])


def fail(tab: "Tab", screen: Screen, random: Random) -> Attempted:
    del screen, random
    tab.evaluate("() => { document.body.style.background = 'red'; throw new Error('no') }")
    return Attempted([])


def grow(tab: "Tab", screen: Screen, random: Random) -> Attempted:
    del screen, random
    tab.evaluate("() => { document.body.style.height = '9000px' }")
    return Attempted([])


def set_a_property(tab: "Tab", screen: Screen, random: Random) -> Attempted:
    del screen, random
    tab.evaluate("() => { document.querySelector('input').value = 'unseen by the record' }")
    return Attempted([])


MAKERS = [
    ChangeMaker("webrssbench/color", "partial", recolour),
    ChangeMaker("test", "declines", decline),
    ChangeMaker("test", "nothing", do_nothing),
    ChangeMaker("test", "moves", move_what_stays),
    ChangeMaker("test", "renames", rename_what_stays),
    ChangeMaker("test", "removes", remove_what_stays),
    ChangeMaker("test", "promises", break_a_promise),
    ChangeMaker("test", "much", edit_much),
    ChangeMaker("test", "fails", fail),
    ChangeMaker("test", "grows", grow),
    ChangeMaker("test", "last", recolour),
]


def test_a_page_is_frozen_with_its_image_its_elements_and_its_markup(
    session: Session, make_page: MakePage, tmp_path: Path
) -> None:
    page = make_page(SHOP)
    snapshot = capture_page(session, page, tmp_path / "kept", CaptureSettings(clicks=0))
    said = snapshot.captured
    assert (said.site, said.page, said.source, said.stable) == ("shop", "index", "index.html", True)
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
    page = make_page(SHOP)
    for name in ("one", "two"):
        capture_page(session, page, tmp_path / name, QUICK, MAKERS)
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_changes_that_keep_their_promises_are_kept_and_others_dropped(
    session: Session, make_page: MakePage, tmp_path: Path
) -> None:
    snapshot = capture_page(session, make_page(SHOP), tmp_path / "kept", QUICK, MAKERS)
    said = snapshot.captured
    assert [(change.task, change.mode) for change in said.changes] == [
        ("webrssbench/color", "partial"),
        ("test", "much"),
        ("test", "last"),
    ]
    assert {dropped.mode: dropped.reason for dropped in said.dropped} == {
        "declines": "no banner",
        "nothing": "no pixel changed",
        "moves": "what must stay moved",
        "renames": "what must stay has another text",
        "removes": "what must stay is gone",
        "promises": "no purple button",
        "fails": "the edit failed",
        "grows": "the page became too tall",
    }
    colour, much, _ = said.changes
    (changed,) = colour.elements
    assert changed.before == screen_of(snapshot)["Buy"]
    assert changed.after is not None
    assert changed.after.background == colour.record["color"] != changed.before.background
    assert changed.after.box == changed.before.box
    assert 0 < colour.pixels <= changed.before.width * changed.before.height
    assert colour.pixels == differing_pixels(snapshot.image(), snapshot.image(colour))
    assert much.elements[0].after is None
    assert set(said.digests) == {
        "screen.png",
        "page.html",
        *(f"changes/{change.image}" for change in said.changes),
    }


def test_a_change_that_cant_be_taken_back_costs_a_new_load_but_not_the_next_change(
    session: Session, make_page: MakePage, tmp_path: Path
) -> None:
    page = make_page(f"{SHOP}<input style='width:300px'>")
    makers = [ChangeMaker("test", "property", set_a_property), MAKERS[0]]
    said = capture_page(session, page, tmp_path / "kept", QUICK, makers).captured
    assert [dropped.reason for dropped in said.dropped] == ["the page without it is not as before"]
    assert [change.task for change in said.changes] == ["webrssbench/color"]


CLICKS = """<!doctype html><title>Start</title>
<a href=a.html>page</a> <a href=late.html>late</a> <a href=#here>hash</a>
<a href=a.html target=_blank>popup</a> <a href=https://example.com/>outside</a>
<a href=a.zip download>download</a> <a href=none.html>missing</a>
<button onclick="alert('x')">dialog</button><button onclick="document.title = 'New'">title</button>
<button>nothing</button><button disabled>off</button><button onclick="while (true);">hang</button>
<button onclick="localStorage.x = 1; document.title = localStorage.seen || 'First';
localStorage.seen = 'Second'">storage</button>
<a href=folder>folder</a>"""


@pytest.mark.slow
def test_clicks_lead_where_they_lead(session: Session, make_page: MakePage, tmp_path: Path) -> None:
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
    settings = BrowserSettings(page_seconds=12)
    session.settings = settings
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


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        ("<title>t</title><div style='height:40000px'>x</div>", "too tall"),
        ("<title>t</title><p hidden>x", "nothing to see"),
        ("<title>t</title><p>" + "\U00013000\U00013001" * 20, "no font"),
        ("<script>location = 'other.html'</script>", "navigates away"),
    ],
)
def test_a_page_that_cant_be_captured_is_named_and_nothing_is_written(
    session: Session, make_page: MakePage, tmp_path: Path, html: str, reason: str
) -> None:
    page = make_page(html, {"other.html": "<p>x"})
    with pytest.raises(PageError) as caught:
        capture_page(session, page, tmp_path / "kept" / "page", QUICK)
    assert caught.value.reason == reason
    assert not (tmp_path / "kept").exists()


def test_a_page_that_is_never_at_rest_is_named(
    session: Session, make_page: MakePage, tmp_path: Path
) -> None:
    worker = "setInterval(() => postMessage(0), 5)"
    page = make_page(
        "<title>t</title><p>x<script>const worker = new Worker('w.js'); let n = 0;"
        "worker.onmessage = () => { document.body.style.background = `rgb(${++n % 255}, 0, 0)` }"
        "</script>",
        {"w.js": worker},
    )
    with pytest.raises(PageError) as caught:
        capture_page(session, page, tmp_path / "kept", QUICK)
    assert caught.value.reason == "never at rest"


def test_a_page_that_renders_differently_is_listed_as_unstable(
    session: Session, make_page: MakePage, tmp_path: Path
) -> None:
    page = make_page(
        "<title>t</title><p id=p>x<script>p.textContent = crypto.randomUUID()</script>"
    )
    said = capture_page(session, page, tmp_path / "kept", CaptureSettings(clicks=0)).captured
    assert not said.stable
    assert said.problems == ("two renders differed",)


def test_what_a_page_lacks_is_told(session: Session, make_page: MakePage, tmp_path: Path) -> None:
    page = make_page(
        "<title>t</title><link rel=stylesheet href=https://fonts.example.com/a.css>"
        "<img src=lost.png width=9 height=9><p>x"
    )
    said = capture_page(session, page, tmp_path / "kept", QUICK).captured
    assert said.problems == (
        "asks for what is not in its folder: fonts.example.com",
        "its folder lacks /lost.png",
    )


def test_a_folder_that_holds_something_is_left_alone(
    session: Session, make_page: MakePage, tmp_path: Path
) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="something there already"):
        capture_page(session, make_page(SHOP), tmp_path / "kept", QUICK)
    assert files(tmp_path / "kept") == {"mine.txt": b"mine"}
