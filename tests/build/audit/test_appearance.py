"""What an item's reference says is compared with what its picture shows."""

import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFont

from snellen.build.audit.appearance import CHECKS
from snellen.build.audit.builds import FrozenPage
from snellen.build.audit.views import Sight, View
from snellen.build.questions.marks import mark_letters
from snellen.build.screen.elements import Element
from snellen.build.snapshots import Snapshot
from snellen.tasks.audit.items import items_of
from snellen.tasks.audit.models import Fault
from snellen.tasks.audit.pictures import pixels_of
from snellen.tasks.pack.read import open_pack, open_references
from snellen.tasks.samples import exam_folder

PACK = open_pack(exam_folder("sample-full"))
BLUE, GREEN, WHITE = "#0b57d0", "#1b7f3b", "#ffffff"


def faults(*buttons: tuple[str, str, int]) -> set[Fault]:
    """Return the faults of a page whose first button is called the most important."""
    image = Image.new("RGB", (640, 360), WHITE)
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(16)
    for text, fill, top in buttons:
        pen.rectangle((40, top, 139, top + 35), fill=fill, outline=BLUE)
        pen.text((60, top + 8), text, WHITE if fill != WHITE else BLUE, font)
    out = io.BytesIO()
    image.save(out, "PNG")
    items = items_of(PACK, open_references(PACK), "webrssbench/color")
    item = next(one for one in items if one.tags["state"] == "before")
    top = buttons[0][2]
    asked = replace(item, record={"box": [40, top, 140, top + 36]})
    digest = next(iter(item.line.images.values())).sha256
    view = View(asked, Sight(None, {digest: pixels_of(out.getvalue())}, [asked]))
    found = {one.fault for check in CHECKS for one in check(view)}
    return found & {Fault.FLAT, Fault.TWO_PLACES}


NONE: set[Fault] = set()


@pytest.mark.parametrize(
    ("buttons", "expected"),
    [
        ([("Book now", BLUE, 40), ("Share", WHITE, 100)], NONE),
        ([("Book now", BLUE, 40), ("Paid", GREEN, 100), ("Paid", GREEN, 160)], NONE),
        ([("Book now", WHITE, 40), ("Share", WHITE, 100)], {Fault.FLAT}),
        ([("Paid", GREEN, 40), ("Paid", GREEN, 100)], {Fault.TWO_PLACES}),
    ],
)
def test_the_most_important_button_is_filled_and_there_once(
    buttons: list[tuple[str, str, int]], expected: set[Fault]
) -> None:
    assert faults(*buttons) == expected


@pytest.mark.parametrize("card", [False, True])
def test_of_equal_buttons_the_heading_of_a_card_names_one(card: bool) -> None:
    item = items_of(PACK, open_references(PACK), "mmbench-gui/l2_advanced")[0]
    shown = item.line.item.images[0]
    image = Image.new("RGB", (int(shown.width or 0), int(shown.height or 0)), WHITE)
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(16)
    left, top, right, bottom = View(item, Sight(None, {}, [item])).target or (0, 0, 0, 0)
    for down in (0, bottom - top + 20):
        for step, fill in enumerate((BLUE, GREEN, "#d6a000")):
            pen.rectangle((left + 6 * step, top + down, right, bottom + down), fill=fill)
        pen.text((left + 20, top + down), "Choose", WHITE, font)
    wish = f"{'For “Team”, u' if card else 'U'}se what chooses a plan."
    prompt = item.line.item.model_copy(update={"prompt": wish})
    asked = replace(item, line=item.line.model_copy(update={"item": prompt}), record={"role": "x"})
    out = io.BytesIO()
    image.save(out, "PNG")
    digest = next(iter(item.line.images.values())).sha256
    view = View(asked, Sight(None, {digest: pixels_of(out.getvalue())}, [asked]))
    found = {one.fault for check in CHECKS for one in check(view)}
    assert (Fault.TWO_PLACES in found) is not card


@pytest.mark.parametrize("marked", [True, False])
def test_a_letter_may_stand_at_what_its_element_holds(
    blank: Callable[[], Any], freeze: Callable[..., Snapshot], marked: bool
) -> None:
    ribbon, other = (1100.0, 20.0, 1260.0, 40.0), (40.0, 200.0, 160.0, 220.0)
    page = blank()
    page.elements += [
        Element(0, "a", (0, 2, 2, 18), role="link", text="Fork me"),
        Element(1, "div", ribbon, 0, own="Fork me", ink=ribbon),
        Element(2, "a", other, role="link", text="Prices", own="Prices", ink=other),
    ]
    frozen = FrozenPage("shop", "index", freeze(page))
    item = items_of(PACK, open_references(PACK), "visualwebbench/element_ground")[0]
    record = {"candidates": [0, 2], "element": 2, "box": list(other)}
    asked = replace(item, record=record, right=frozenset({1}))
    png = mark_letters(frozen.snapshot.image(), [ribbon if marked else (600, 400, 700, 420), other])
    digest = next(iter(item.line.images.values())).sha256
    view = View(asked, Sight(frozen, {digest: pixels_of(png)}, [asked]))
    found = {one.fault for check in CHECKS for one in check(view)}
    assert (Fault.WRONG_MARK in found) is not marked
