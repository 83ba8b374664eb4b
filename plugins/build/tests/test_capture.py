"""Capturing pages: all or nothing, reproducibly, with changes and clicks that are correct."""

import io
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from snellen.build.browser.session import Session
from snellen.build.capture import CaptureSettings, capture_page, differing_pixels, pixels_of
from snellen.build.pages import Page
from snellen.build.perturb.base import Attempted, ChangeMaker, Declined
from snellen.build.perturb.color import COLOR_CHANGES
from snellen.build.screen.elements import MARKED, After, Element, Screen
from snellen.build.snapshots import Click, Snapshot
from snellen.grading.errors import InputError
from snellen.tasks.browser.settings import BrowserSettings

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
            "a.html": "<title>About  us</title><h1>Who we <b>are</b></h1><h2 hidden>x</h2>",
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
    assert (found["page"].headings, found["title"].headings) == ("Who we are", None)


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


def button(screen: Screen) -> Element:
    return next(each for each in screen.elements if each.role == "button")


def recolor(tab: "Tab", screen: Screen, random: Random) -> Attempted:
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

    return recolor(tab, screen, random)._replace(checks=[promise])


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
    ChangeMaker("webrssbench/color", "partial", recolor),
    ChangeMaker("test", "declines", decline),
    ChangeMaker("test", "nothing", do_nothing),
    ChangeMaker("test", "moves", move_what_stays),
    ChangeMaker("test", "renames", rename_what_stays),
    ChangeMaker("test", "removes", remove_what_stays),
    ChangeMaker("test", "promises", break_a_promise),
    ChangeMaker("test", "much", edit_much),
    ChangeMaker("test", "fails", fail),
    ChangeMaker("test", "grows", grow),
    ChangeMaker("test", "last", recolor),
]


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
    color, much, _ = said.changes
    (changed,) = color.elements
    assert changed.before == button(snapshot.screen)
    assert changed.after is not None
    assert changed.after.background == color.record["color"] != changed.before.background
    assert changed.after.box == changed.before.box
    assert 0 < color.pixels <= changed.before.width * changed.before.height
    images = (snapshot.image(), snapshot.image(color))
    assert color.pixels == differing_pixels(*map(pixels_of, images))
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


SIDEBAR = """<!doctype html><title>t</title><body style="margin:0">
<nav id=side style="width:224px;height:1400px;background:#06c"><a href=a.html>Home</a></nav>
<button style="background:#c00;color:#fff">Buy</button><script>
const toggle = () => { if (innerWidth < 500) side.style.width = "104px"; };
addEventListener("resize", toggle);
onresize = toggle;
</script>"""


def test_the_image_shows_the_elements_where_they_are_measured(
    session: Session, make_page: MakePage, tmp_path: Path
) -> None:
    makers = [ChangeMaker("test", str(number), recolor) for number in range(2)]
    snapshot = capture_page(session, make_page(SIDEBAR), tmp_path / "kept", QUICK, makers)
    side = next(each for each in snapshot.screen.elements if each.tag == "nav")
    assert side.box == (0, 0, 224, 1400)
    assert len(snapshot.captured.changes) == 2
    for image in (snapshot.image(), *map(snapshot.image, snapshot.captured.changes)):
        with Image.open(io.BytesIO(image)) as opened:
            shown = opened.convert("RGB")
        assert [shown.getpixel((x, 1000)) for x in (223, 224)] == [(0, 0x66, 0xCC), (255,) * 3]
