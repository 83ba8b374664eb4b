"""The targets of clicks: each element is clicked on a freshly loaded page."""

import re
import time
from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from snellen.build.browser.problems import PageError
from snellen.build.browser.session import Session
from snellen.build.browser.visits import Visit
from snellen.build.pages import Page
from snellen.build.screen.elements import Element, Screen
from snellen.build.snapshots import Click

if TYPE_CHECKING:
    from playwright.sync_api import Page as Tab

CLICKED = frozenset({"link", "button", "menuitem", "tab"})
CLICK_MS = 1500
QUIET_SECONDS = 0.15
LATE_SECONDS = 1.5
POLL_MS = 40
ENOUGH = 8
"""The number of different titles to find for a page; a question has no more options."""
ALIKE = 5
"""If this many pages have the same title, the titles of the site do not distinguish pages."""

# The path to an element from the root: its index among its siblings at each level.
_PATHS = """(ids) => Object.fromEntries(ids.map((id) => {
  const path = [];
  let element = document.querySelector(`[data-snellen-id="${id}"]`);
  for (; element && element.parentElement; element = element.parentElement) {
    path.unshift([...element.parentElement.children].indexOf(element));
  }
  return [id, path];
}))"""

_TITLE = "() => document.title"
_HEADINGS = """() => [...document.querySelectorAll("h1, h2, h3, h4, [role=heading]")]
  .filter((heading) => heading.checkVisibility())
  .map((heading) => heading.innerText)
  .join(" ")"""

_STATE = "() => `${document.readyState} ${location.href} ${document.title}`"

_MARK = """(path) => {
  let element = document.documentElement;
  for (const place of path) element = element?.children[place];
  element?.setAttribute("data-snellen-click", "");
  return element ? element.tagName.toLowerCase() : "";
}"""


class Target(NamedTuple):
    """An element to click, and its path from the document's root."""

    element: Element
    path: Sequence[int]


def choose_targets(visit: Visit, screen: Screen, budget: int, random: Random) -> Sequence[Target]:
    """Choose the elements to click: links to different pages first, then others.

    Args:
        visit: The page with marked elements.
        screen: The elements of the page.
        budget: The maximum number of elements.
        random: The source of random choices.
    """
    able = [
        element
        for element in screen.elements
        if element.role in CLICKED and not element.disabled and element.covered < 0.5
    ]
    random.shuffle(able)
    # Of links to the same page, prefer one whose text does not repeat its address.
    able.sort(key=_tells)
    here = urlsplit(visit.tab.url).path
    seen: set[str] = set()
    ranked: list[tuple[int, int, Element]] = []
    for place, element in enumerate(able):
        target = urlsplit(element.href)
        inside = bool(element.href) and not target.scheme and target.path != here
        new = inside and target.path not in seen
        seen.add(target.path)
        rank = 0 if new else 1 if not element.href else 3 if target.scheme else 2
        ranked.append((rank, place, element))
    chosen = [element for _, _, element in sorted(ranked, key=lambda each: each[:2])[:budget]]
    paths = visit.run(_PATHS, [element.id for element in chosen])
    return [Target(element, paths[str(element.id)]) for element in chosen if paths[str(element.id)]]


def _tells(element: Element) -> bool:
    """Whether a link's text has a word of its address."""
    words = set(re.findall(r"[^\W_]{3,}", f"{element.text} {element.alt}".casefold()))
    return bool(words & set(re.findall(r"[^\W_]{3,}", urlsplit(element.href).path.casefold())))


def follow_clicks(
    session: Session, page: Page, targets: Sequence[Target], seed: int
) -> list[Click]:
    """Click each target on a freshly loaded page and return the results.

    Stops when there are as many titles as a question can use, or enough pages that all have the
    same title. A click that blocks the browser counts as failed, and the browser is restarted.

    Args:
        session: The browser.
        page: The page.
        targets: The elements to click.
        seed: The seed of the pages' `Math.random`.

    Raises:
        PageError: The page can't be opened any more.
    """
    clicks: list[Click] = []
    while len(clicks) < len(targets) and not _enough(clicks):
        opened = clicking = False
        try:
            with session.visit(page, follow=True, light=True, seed=seed) as visit:
                opened = True
                for place in range(len(clicks), len(targets)):
                    clicking = True
                    clicks.append(_follow(visit, targets[place]))
                    # A failure after this line is caused by the last click, which is already
                    # counted.
                    clicking = False
                    if place + 1 == len(targets) or _enough(clicks):
                        break
                    visit.open_again()
        except PageError:
            if not opened:
                raise
            if clicking:
                clicks.append(Click(targets[len(clicks)].element.id, "", outcome="failed"))
    return clicks


def _enough(clicks: Sequence[Click]) -> bool:
    titles = [click.title for click in clicks if click.outcome == "page"]
    return len(set(titles)) >= ENOUGH or (len(titles) >= ALIKE and len(set(titles)) == 1)


def _follow(visit: Visit, target: Target) -> Click:
    from playwright.sync_api import Error

    number, tab = target.element.id, visit.tab
    title, url = tab.title(), tab.url
    if visit.run(_MARK, target.path) != target.element.tag:
        return Click(number, "", outcome="failed")
    try:
        tab.locator("[data-snellen-click]").click(timeout=CLICK_MS, no_wait_after=True)
    except Error:
        if tab.is_closed():
            raise
        return Click(number, "", outcome="failed")
    href = target.element.href
    _wait(visit, link=bool(href) and "#" not in href)
    return _outcome(visit, number, " ".join(title.split()), url)


def _outcome(visit: Visit, number: int, title: str, url: str) -> Click:
    requests, tab = visit.requests, visit.tab
    if requests.dialogs:
        return Click(number, "", outcome="dialog")
    if requests.popups:
        popup = requests.popups[0]
        return Click(number, _read(popup, _TITLE), _inside(popup.url, url), "popup")
    if requests.downloads:
        return Click(number, "", _inside(requests.downloads[0], url), "download")
    outside = [address for address in requests.left if not _inside(address, url)]
    if outside:
        return Click(number, "", outside[0], "outside")
    now = tab.url
    if now.partition("#")[0] != url.partition("#")[0] or requests.left:
        status = requests.statuses.get(now.partition("#")[0], 200)
        if status != 200:
            return Click(number, "", _inside(now, url), "failed")
        return Click(number, _read(tab, _TITLE), _inside(now, url), "page", _read(tab, _HEADINGS))
    late = _read(tab, _TITLE)
    if late != title:
        return Click(number, late, _inside(now, url), "title")
    return Click(number, "", _inside(now, url) if now != url else "", "same")


def _wait(visit: Visit, *, link: bool) -> None:
    """Wait until everything that the click started has loaded and the title is stable.

    Args:
        visit: The page that was clicked on.
        link: Whether a navigation must follow; on a busy machine it may start late.
    """
    start = since = time.monotonic()
    loaded_at: float | None = None
    last: tuple[object, ...] = ()
    while (now := time.monotonic()) - start < visit.settings.load_seconds:
        visit.tab.wait_for_timeout(POLL_MS)
        requests = visit.requests
        if requests.dialogs or requests.downloads:
            return
        states = [_state(tab) for tab in (visit.tab, *requests.popups)]
        state = (len(requests.left), *states)
        if state != last:
            last, since = state, now
        if not all(each.startswith(("complete", "closed")) for each in states):
            loaded_at = None
            continue
        loaded_at = loaded_at or now
        # A title that keeps changing is accepted after a while.
        late = now - loaded_at >= LATE_SECONDS
        if late or (
            now - since >= QUIET_SECONDS and (requests.left or requests.popups or not link)
        ):
            return


def _state(tab: "Tab") -> str:
    from playwright.sync_api import Error

    try:
        return str(tab.evaluate(_STATE))
    except Error:
        # A navigation is in progress, or the window has closed itself.
        return "closed" if tab.is_closed() else "loading"


def _read(tab: "Tab", script: str) -> str:
    from playwright.sync_api import Error

    try:
        return " ".join(str(tab.evaluate(script)).split())
    except Error:
        # The window has closed itself.
        return ""


def _inside(address: str, url: str) -> str:
    """Return an address of the same site without its host; empty for another site."""
    target, page = urlsplit(address), urlsplit(url)
    if (target.scheme, target.netloc) != (page.scheme, page.netloc):
        return ""
    return address.removeprefix(f"{target.scheme}://{target.netloc}")
