"""WebRSSBench's changes on pages in a browser: their conditions hold."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from snellen.build.browser.session import Session
from snellen.build.capture import CaptureSettings, capture_page
from snellen.build.pages import Page
from snellen.build.perturb.color import STRONG
from snellen.build.perturb.text import skeleton
from snellen.build.screen.contrast import contrast
from snellen.build.snapshots import Change, Snapshot
from snellen.build.writers.table import MAKING

pytestmark = pytest.mark.browser

MakePage = Callable[..., Page]

CHANGES = MAKING["webrssbench"].changes
PAGE = """<!doctype html><html lang="en"><head><title>Tables</title>
<meta name="description" content="Book a table in Fernbrook: garden seats, an open kitchen, fresh
menus and dinner until midnight.">
<style>
  body { margin: 0; font: 16px sans-serif; background: #fff }
  main, footer, header { padding: 16px }
  .go { background: linear-gradient(#0b57d0, #0b57d0) !important; color: #fff !important }
  button { padding: 8px 16px; border: 1px solid #888; background: #fff; color: #111 }
  .go { background: #0b57d0 !important }
  .paid { background: #fff3c4 !important; padding: 8px }
</style></head><body>
<header><a href="/">Home</a></header>
<main>
  <h1>Book a table in Fernbrook</h1>
  <p>Garden seats, an open kitchen and fresh menus: dinner until midnight, with guests at ease.</p>
  <label for="n">E-mail</label> <input id="n" placeholder="name@example.com">
  <label for="c">City</label> <input id="c" placeholder="Where you live">
  <p><button class="go">Book now</button> <button>Save draft</button>
     <button>Clear filters</button> <button>Share</button></p>
  <section><h2>Menus</h2><p>Fresh every morning from the market.</p></section>
  <section><h2>Seats</h2><p>Forty in the garden, twelve inside.</p></section>
  <section class="paid"><p>Somebody paid for this text to be read.</p></section>
</main>
<footer><p>Alder Street 4</p><p>Open every day</p></footer>
</body></html>"""


@pytest.fixture
def capture(session: Session, make_page: MakePage, tmp_path: Path) -> Callable[..., Snapshot]:
    def take(html: str = PAGE, seed: int = 7, task: str = "") -> Snapshot:
        wanted = [one for one in CHANGES if task in one.name]
        settings = CaptureSettings(seed=seed, clicks=0, renders=1)
        folder = tmp_path / f"snapshot-{seed}-{Random(html).getrandbits(32)}"
        return capture_page(session, make_page(html), folder, settings, wanted)

    return take


def by_name(snapshot: Snapshot) -> dict[str, Change]:
    return {f"{one.task.split('/')[1]}/{one.mode}": one for one in snapshot.captured.changes}


def test_a_page_that_has_all_carries_every_change(capture: Callable[..., Snapshot]) -> None:
    snapshot = capture()
    assert snapshot.captured.dropped == ()
    changes = by_name(snapshot)
    assert list(changes) == [one.name.removeprefix("webrssbench/") for one in CHANGES]
    assert all(change.pixels > 0 for change in changes.values())

    # Colors: how many, another color, legible, and the call to action where it was.
    partial, every = changes["color/partial"], changes["color/all"]
    assert partial.record["recolored"] == len(partial.elements) == 1
    assert every.record["recolored"] == len(every.elements) == 4
    for one in (*partial.elements, *every.elements):
        assert one.after is not None
        assert one.after.background in STRONG
        assert one.after.background != one.before.background
        assert contrast(one.after.color, one.after.background) >= 3
        assert one.after.text == one.before.text
        assert one.after.box == pytest.approx(one.before.box, abs=0.5)

    # Low contrast: all of it, what the page's own sheet calls important included.
    pale = changes["color/low_contrast"]
    for one in pale.elements:
        assert one.after is not None
        assert (one.after.color, one.after.background) == ("#c9c9c9", "#ededed")
        assert one.after.text == one.before.text

    # Text: another one that reads the same.
    (edited,) = changes["text/edit"].elements
    assert edited.after is not None
    assert edited.after.text != edited.before.text
    assert skeleton(edited.after.text) == skeleton(edited.before.text)

    # Hints: gone, the fields where they were.
    for name in ("hint_text/removed", "form_filling/removed"):
        for one in changes[name].elements:
            assert one.after is not None
            assert (bool(one.before.placeholder), one.after.placeholder) == (True, "")
            assert one.after.box == pytest.approx(one.before.box, abs=2)
    assert len(changes["form_filling/removed"].elements) == 1


def test_layouts_change_by_several_operators(capture: Callable[..., Snapshot]) -> None:
    seen: set[str] = set()
    for seed in range(5):
        (change,) = capture(seed=seed, task="layout").captured.changes
        operators = change.record["operators"]
        assert operators[0] in {"delete", "insert", "swap"}
        assert len(operators) == len(set(operators))
        assert change.record["level"] == ("easy", "medium", "hard")[len(operators) - 1]
        seen |= set(operators)
    assert len(seen) >= 3


@pytest.mark.parametrize(
    ("html", "reasons"),
    [
        (
            "<!doctype html><html lang=en><h1>Nothing to press</h1>",
            {
                "color": "no button with a text",
                "text": "no button with known words",
                "layout": "no description",
                "hint_text": "no empty text field",
                "form_filling": "no empty text field",
            },
        ),
        (
            "<!doctype html><html lang=fi><button style='background: #00f'>Osta</button>"
            "<label for=a>Etunimi</label><input id=a placeholder='Etunimi ensin'>",
            {
                "color": "fewer than two buttons",
                "text": "no words for the language",
                "layout": "no description",
                "form_filling": "no words for the language",
            },
        ),
    ],
    ids=["bare", "unknown language"],
)
def test_what_a_page_cannot_carry_is_said(
    capture: Callable[..., Snapshot], html: str, reasons: dict[str, str]
) -> None:
    dropped = capture(html).captured.dropped
    assert {one.task.split("/")[1]: one.reason for one in dropped} == reasons
