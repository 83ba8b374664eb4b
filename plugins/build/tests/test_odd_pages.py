"""Unusual pages: the questions that a careful person would ask, or a refusal with the reason."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from snellen.build.browser.problems import PageError
from snellen.build.browser.session import Session
from snellen.build.capture import CaptureSettings, capture_page
from snellen.build.items import Made
from snellen.build.pages import Page
from snellen.build.questions.lookup import lookups
from snellen.build.questions.names import UNREAD, candidates
from snellen.build.screen.elements import Element
from snellen.build.screen.fields import text_fields
from snellen.build.snapshots import Snapshot
from snellen.build.writers.visualwebbench.write import MAKERS

pytestmark = pytest.mark.browser

MakePage = Callable[..., Page]
Check = Callable[[Snapshot], object]
QUICK = CaptureSettings(clicks=0, renders=1)
WORDS = "The shop in the old harbor sells running shoes and boots and repairs what it has sold. "
LONG = WORDS * 2
LINKS = "".join(f"<p><a href=/{n}.html>Link to page {n * 'x'}</a></p>" for n in range(1, 12))


def element(snapshot: Snapshot, text: str) -> Element:
    (found,) = (each for each in snapshot.screen.elements if each.own == text)
    return found


def readable(snapshot: Snapshot, text: str) -> bool:
    each = element(snapshot, text)
    return not each.cut and not each.clipped and each.covered <= 0.05


def answers(snapshot: Snapshot) -> dict[tuple[str, ...], str]:
    return {one.names: one.fragments[0] for one in lookups(snapshot) if one.kind != "row"}


def items(snapshot: Snapshot, task: str) -> list[Any]:
    """Return the references of a task's items, and the reasons for refusals."""
    found = MAKERS[f"visualwebbench/{task}"](snapshot, Random(1))
    return [one.row["answer"] if isinstance(one, Made) else one.reason for one in found]


def pair(label: str, value: str) -> str:
    return f"<dl><dt>{label}</dt><dd>{value}</dd></dl>"


PAGES: dict[str, tuple[str, Check]] = {
    "an iframe may say what the page says, too": (
        LINKS + pair("Seats", "69") + "<iframe srcdoc='<p>Seats 70'></iframe>",
        lambda page: (
            page.screen.unread == ("iframe",)
            and items(page, "element_ground") == items(page, "action_ground") == [UNREAD]
            and answers(page) == {}
        ),
    ),
    "an open shadow root is read, and what has no parent in it stops nothing": (
        "<div id=host></div><script>host.attachShadow({mode: 'open'}).innerHTML ="
        " '<b>$5</b><h3>Tea</h3>'</script>" + pair("Seats", "69"),
        lambda page: element(page, "Tea").text and answers(page)["Seats",] == "69",
    ),
    "nobody can look into a closed shadow root": (
        LINKS + pair("Seats", "69") + "<div id=host></div><script>"
        "host.attachShadow({mode: 'closed'}).innerHTML = '<p>Seats 70'</script>",
        lambda page: (
            page.screen.unread == ("closed shadow root",)
            and items(page, "element_ground") == [UNREAD]
            and answers(page) == {}
        ),
    ),
    "what a component shows in its slot is there once": (
        "<my-card><h2 slot=name>Oak table</h2></my-card><script>customElements.define('my-card',"
        " class extends HTMLElement { constructor() { super(); this.attachShadow({mode: 'open'})"
        ".innerHTML = '<section><slot name=name></slot><p>In stock</section>' } })</script>",
        lambda page: element(page, "Oak table") and element(page, "In stock"),
    ),
    "a page that is a canvas has nothing to ask for": (
        "<canvas id=c width=600 height=400></canvas><script>const pen = c.getContext('2d');"
        "pen.font = '40px sans-serif'; pen.fillText('Seats 69', 50, 80)</script>",
        lambda page: page.screen.unread == ("canvas",) and items(page, "webqa") == [UNREAD],
    ),
    "words of a drawing are words of the page": (
        pair("Seats", "69") + "<svg width=200 height=60><text x=9 y=30>Se<tspan>ats</tspan></text>",
        lambda page: (
            any(each.own == "Seats" and each.tag == "text" for each in page.screen.elements)
            and answers(page) == {}
        ),
    ),
    "a text in two columns has no box of its own": (
        f"<div style='columns: 2; width: 600px'><p>{LONG * 3}</p><p>{LONG}</p></div>",
        lambda page: not any(LONG * 3 in text for text in items(page, "element_ocr")),
    ),
    "what a fixed bar hides is not asked for": (
        "<div style='position: fixed; inset: 0 0 auto; height: 90px; background: #fff'>Bar</div>"
        "<h1>Hidden heading</h1>" + "<p style='height: 90px'></p>" + pair("Seats", "69"),
        lambda page: not readable(page, "Hidden heading") and answers(page) == {("Seats",): "69"},
    ),
    "behind an open dialog nothing is asked for": (
        pair("Seats", "69")
        + "<dialog id=d><p>Guests: 12</p></dialog><script>d.showModal()</script>",
        lambda page: answers(page) == {("Guests",): "12"} and not readable(page, "69"),
    ),
    "behind a veil nothing is asked for": (
        pair("Seats", "69") + "<div style='position: fixed; inset: 0; background: rgb(0 0 0/.4)'>"
        "</div><div style='position: fixed; top: 200px; z-index: 2'><p>Guests: 12</p></div>",
        lambda page: answers(page) == {("Guests",): "12"},
    ),
    "digits that are turned round from right to left are not asked for": (
        "<html lang=ar dir=rtl>" + pair("الهاتف", "+971 50 123 4567") + pair("المقاعد", "69"),
        lambda page: answers(page) == {("المقاعد",): "69"},
    ),
    "marks of direction are no text": (
        "<html lang=ar dir=rtl>" + pair("الرمز", "&#x200e;ABC&#x200f; 7&#x202c;"),
        lambda page: answers(page) == {("الرمز",): "ABC 7"},
    ),
    "vertical writing is read": (
        "<html lang=zh><h1 style='writing-mode: vertical-rl; height: 300px'>海边的商店</h1>",
        lambda page: items(page, "heading_ocr") == ["海边的商店"],
    ),
    "words of a box that is no box are those of what is around it": (
        pair("Seats", "69") + "<p>About <span style='display: contents'>Seats</span></p>"
        "<div><i style='display: contents'>Tickets</i></div>",
        lambda page: element(page, "About Seats") and element(page, "Tickets"),
    ),
    "a table with cells over several rows is no list of rows": (
        "<table><tr><th>Day<th>Room<tr><td rowspan=2>Mon<td>A 1<tr><td>A 2</table>",
        lambda page: answers(page) == {},
    ),
    "the mark of a footnote is no part of a value, nor is a badge": (
        pair("Seats", "69<sup>a</sup>")
        + pair("Plan", "Basic <span style='font-size: 9px; background: #fc0'>new</span>"),
        lambda page: answers(page) == {("Seats",): "69", ("Plan",): "Basic"},
    ),
    "small print and a mark are no part of a heading": (
        "<h1>Prices<sup>2</sup></h1>",
        lambda page: (
            items(page, "heading_ocr") == ["small print or a badge stands in the first heading"]
        ),
    ),
    "a picture that is not there is not asked for": (
        "<img src=lost.png alt='A red boat' width=200 height=90><div style='height: 2000px'></div>"
        "<img src=late.svg loading=lazy alt='A blue boat' width=200 height=90>",
        lambda page: [each.name for each in candidates(page)] == ["A blue boat"],
    ),
    "on a dark page the gold is what is bright": (
        "<html style='color-scheme: dark; background: #111'><body style='color: #eee'>"
        "<a href=/a style='display: block; color: #9cf'>Read on</a>",
        lambda page: (
            [each.seen.painted for each in candidates(page)] == [None]
            and candidates(page)[0].box[2] < 90
        ),
    ),
    "a film may show anything": (
        LINKS + "<video width=300 height=200 src=film.mp4></video>",
        lambda page: items(page, "action_ground") == [UNREAD],
    ),
    "what CSS draws over a text hides it": (
        "<style>section { position: relative } section::after { content: ''; position: absolute;"
        " inset: 0; background: #ddd }</style><section>"
        + pair("Seats", "69")
        + "</section>"
        + pair("Guests", "12"),
        lambda page: answers(page) == {("Guests",): "12"},
    ),
    "numbers that CSS counts are out of reach, words that it adds are not": (
        "<style>h1::before { counter-increment: n; content: counter(n) '. ' }"
        "h2::before { content: 'Part ' }</style><h1>Counted</h1><h2>One</h2>",
        lambda page: not readable(page, "Counted") and readable(page, "Part One"),
    ),
    "an ordered list is read with its numbers": (
        "<ol start=3 style='width: 700px'><li>" + WORDS + "<li>" + WORDS + "</ol>",
        lambda page: items(page, "element_ocr") == [f"3. {WORDS}4. {WORDS}".strip()],
    ),
    "what is blurred, faint or of the color of its ground can not be read": (
        "<p style='filter: blur(4px)'>Blurred</p><p style='opacity: .2'>Faint</p>"
        "<p style='color: #fefefe'>White</p><p style='color: rgb(0 0 0/.2)'>Pale</p><p>Plain</p>",
        lambda page: [each.own for each in page.screen.elements if not each.cut] == ["Plain"],
    ),
    "a hint that a floating label hides is no hint": (
        "<style>input { width: 300px } .f::placeholder { color: transparent }</style>"
        "<label for=a>Town</label><input id=a class=f placeholder='Town of yours'>"
        "<label for=b>City</label><input id=b placeholder='City of yours'>",
        lambda page: (
            [each.placeholder for each in text_fields(page.screen)] == ["", "City of yours"]
        ),
    ),
    "a part that scrolls may hold more": (
        LINKS + f"<div style='height: 60px; overflow: auto; width: 200px'>{LONG}</div>",
        lambda page: (
            items(page, "webqa") == [UNREAD] and UNREAD not in items(page, "element_ground")
        ),
    ),
}
"""By what it is about: a body, and whether what comes of it is right."""

SQUARE = "<svg xmlns='http://www.w3.org/2000/svg' width='200' height='90'>{}</svg>"
FILES = {"late.svg": SQUARE.format("<rect x='9' y='9' width='180' height='70' fill='navy'/>")}


@pytest.mark.parametrize("danger", PAGES)
def test_a_careful_person_would_ask_the_same(
    session: Session, make_page: MakePage, tmp_path: Path, danger: str
) -> None:
    body, check = PAGES[danger]
    html = f"<!doctype html><html lang=en><title>t</title><meta charset=utf-8>{body}"
    if body.startswith("<html"):
        html = f"<!doctype html>{body}"
    snapshot = capture_page(session, make_page(html, FILES), tmp_path / "kept", QUICK)
    shown = [(e.tag, e.own, e.cut, e.covered) for e in snapshot.screen.elements]
    assert check(snapshot), (shown, answers(snapshot), snapshot.screen.unread)


def test_a_page_without_end_is_too_tall(
    session: Session, make_page: MakePage, tmp_path: Path
) -> None:
    page = make_page(
        "<title>t</title><div id=d></div><script>const more = () => { for (let n = 0; n < 30; n++)"
        " d.insertAdjacentHTML('beforeend', '<p style=height:40px>News</p>') }; more();"
        "addEventListener('scroll', more)</script>"
    )
    with pytest.raises(PageError) as caught:
        capture_page(session, page, tmp_path / "kept", QUICK)
    assert caught.value.reason in {"too tall", "never at rest"}
