"""Changes of a live page: kept if their conditions hold, and always undone."""

import io
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from snellen.tasks.builder.browser.session import Session
from snellen.tasks.builder.capture import CaptureSettings, capture_page
from snellen.tasks.builder.pages import Page
from snellen.tasks.builder.perturb.applying import differing_pixels, pixels_of
from snellen.tasks.builder.perturb.base import Attempted, ChangeMaker, Declined
from snellen.tasks.builder.screen.elements import MARKED, After, Element, Screen

if TYPE_CHECKING:
    from playwright.sync_api import Page as Tab

pytestmark = pytest.mark.browser

MakePage = Callable[..., Page]
QUICK = CaptureSettings(seed=7, clicks=0, renders=1)

SHOP = """<!doctype html><html lang=en><meta name=description content="Shoes for rain.">
<title>Shoes</title><body style="margin:0;background:#fff"><h1>Rain shoes</h1>
<p>Dry feet.</p><button style="background:#06c;color:#fff">Buy</button>
<footer>Small print</footer>"""


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
