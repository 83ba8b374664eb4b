"""Every view can be read: enough contrast, names for all controls, no text cut off."""

from collections.abc import AsyncIterator
from importlib.resources import files
from typing import Any, cast

import pytest
import pytest_asyncio

from snellen.tasks.environments.browser import Browser
from snellen.worlds.desk.environment import Desk
from snellen.worlds.desk.kit.look import look_of
from snellen.worlds.desk.kit.verbs import State
from snellen.worlds.desk.tasks import Walk
from snellen.worlds.desk.world.generator import make_world

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

VIEWS = {
    "home": (),
    "mail": ("dock:mail", "mail.open:"),
    "mail, menu": ("dock:mail", "mail.open:", "mail.label"),
    "mail, reply": ("dock:mail", "mail.open:", "mail.reply"),
    "mail, new": ("dock:mail", "mail.new"),
    "calendar": ("dock:calendar",),
    "calendar, event": ("dock:calendar", "calendar.open:"),
    "calendar, new": ("dock:calendar", "calendar.new", "form.date"),
    "calendar, time": ("dock:calendar", "calendar.new", "form.start"),
    "contacts": ("dock:contacts", "contacts.open:"),
    "contacts, edit": ("dock:contacts", "contacts.open:", "contacts.edit"),
    "contacts, remove": ("dock:contacts", "contacts.open:", "contacts.remove"),
    "files": ("dock:files", "files.folder:d2", "files.open:f"),
    "files, share": ("dock:files", "files.folder:d2", "files.open:f", "files.share"),
    "sheet": ("dock:sheet", "sheet.cell:C4"),
    "sheet, inventory": ("dock:sheet", "sheet.tab:s2"),
    "boards": ("dock:kanban",),
    "boards, card": ("dock:kanban", "kanban.open:"),
    "notes": ("dock:notes", "notes.open:"),
    "notes, new": ("dock:notes", "notes.new"),
    "shop": ("dock:shop",),
    "shop, product": ("dock:shop", "shop.open:"),
    "shop, cart": ("dock:shop", "shop.open:", "shop.add.go", "shop.tab:cart"),
    "shop, order": ("dock:shop", "shop.tab:orders", "shop.order:"),
    "travel": ("dock:travel",),
    "travel, book": ("dock:travel", "travel.book:"),
    "travel, bookings": ("dock:travel", "travel.tab:bookings"),
    "settings": ("dock:settings",),
    "settings, menu": ("dock:settings", "settings.v02"),
}
"""The controls that lead to each view; a key that ends in a colon or `f`: the first that fits."""

CUT = """() => [...document.querySelectorAll("#root *")].filter((part) => {
  const style = getComputedStyle(part);
  const box = part.getBoundingClientRect();
  const text = part.childElementCount === 0 && part.textContent.trim();
  if (!text || style.display === "inline" || box.width === 0) return false;
  // What a list has further down is seen after scrolling.
  const scrolls = part.closest(".listed");
  const fits = box.right <= 1281 && box.bottom <= 801 && box.left >= -1 && box.top >= -1;
  const cut = part.scrollWidth > part.clientWidth + 1 && style.textOverflow !== "ellipsis";
  return (!scrolls && !fits) || cut;
}).map((part) => `${part.className}: ${part.textContent.slice(0, 60)}`)"""

AXE = """async () => {
  %s;
  const found = await window.axe.run(document, { runOnly: ["color-contrast", "button-name",
    "label", "aria-input-field-name", "svg-img-alt"], resultTypes: ["violations"] });
  return found.violations.flatMap((each) => each.nodes.map((node) => `${each.id}: ${node.html}`));
}"""


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def desk(browser: Browser) -> AsyncIterator[Desk]:
    yield Desk(browser)


def walked(keys: tuple[str, ...], state: State) -> Walk:
    walk = Walk(state)
    for key in keys:
        controls = walk.desktop.page.controls.values()
        fitting = [control.key for control in controls if control.key == key]
        fitting += [control.key for control in controls if control.key.startswith(key)]
        walk.press(fitting[0])
    return walk


async def check_view(desk: Desk, state: State, keys: tuple[str, ...]) -> None:
    desktop = walked(keys, state).desktop
    episode = await desk.open(cast(Any, {"state": desktop.state, "ui": desktop.ui}))
    axe = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
    assert await episode.stage.run(AXE % axe.rstrip().rstrip(";")) == []
    assert await episode.stage.run(CUT) == []
    await episode.close()


@pytest.mark.parametrize("number", range(len(VIEWS)))
async def test_a_view_has_contrast_and_names_and_no_text_is_cut(desk: Desk, number: int) -> None:
    # Each in another look; the first one has none.
    keys, state = tuple(VIEWS.values())[number], make_world(21)
    del state["look"]
    await check_view(desk, {**state, "look": look_of(number)} if number else state, keys)
