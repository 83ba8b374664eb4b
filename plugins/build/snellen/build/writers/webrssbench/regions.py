"""WebRSSBench's UI grouping: the part of the page that a marked element belongs to."""

from collections.abc import Iterator, Sequence
from random import Random

from snellen.build.chance import draw
from snellen.build.items import Made, PageItems, Refused, without
from snellen.build.questions.marks import mark_box
from snellen.build.questions.spatial import meet
from snellen.build.screen.buttons import is_advertised
from snellen.build.screen.elements import Element, Screen
from snellen.build.snapshots import Snapshot
from snellen.build.writers.webrssbench.rows import (
    Ask,
    image_name,
    made,
    marked_record,
    refused,
    sized,
)

GROUPING = "webrssbench/ui_grouping"

TOO_OFTEN = "left out, so that no part is asked about more often than another"

NO_REGIONS = "no part of it is marked by landmarks"

TOP, LEFT, RIGHT, MAIN, BOTTOM, OTHER = (
    "top bar",
    "left sidebar",
    "right sidebar",
    "main content",
    "bottom bar",
    "other",
)
_PARTS = (TOP, LEFT, RIGHT, MAIN, BOTTOM, OTHER)
_MOST = {OTHER: 3}
_BARS = frozenset({"banner", "navigation", "complementary", "contentinfo"})
_ABOVE = frozenset({"dialog", "alertdialog"})
_UNCLEAR = frozenset({"alert", "status", "tooltip"})
_ASKED = frozenset({"button", "heading", "img", "link", "textbox", "searchbox", "combobox"})
_EDGES = frozenset({"aside", "footer", "header", "nav"})
_CONTENT = frozenset({"main", "article", "section", "region", "form"})
_FOOT, _EDGE = 90.0, 40.0
_WIDE, _NARROW = 0.6, 0.36
_TOP, _SMALLEST, _TALL = 200.0, (20.0, 12.0), 200.0


def make_ui_grouping(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for the part of an element, once for each part of a page; more often for the rarest.

    Every page has a top and a content, and few have all parts: `evened` removes the surplus.
    """
    screen = snapshot.screen
    parts: dict[str, list[Element]] = {}
    for element in screen.elements:
        if _can_be_asked(screen, element) and (part := region_of(screen, element)):
            parts.setdefault(part, []).append(element)
    if not parts:
        yield refused("ui_grouping", NO_REGIONS)
        return
    chosen = [
        (part, element)
        for part in sorted(parts)
        for element in random.sample(parts[part], min(_MOST.get(part, 1), len(parts[part])))
    ]
    for part, element in chosen:
        name = image_name(snapshot, f"part-{element.id}")
        image = mark_box(snapshot.image(), element.box)
        yield made(
            Ask(GROUPING, snapshot, part, element=f"element-{element.id}"),
            {"image": sized(name, image)},
            {name: image},
            record={**marked_record(element), "parts": sorted(parts)},
        )


def evened(pages: Sequence[PageItems], seed: int) -> Sequence[PageItems]:
    """Remove items of the parts that are too frequent, so that none is a good guess.

    Each part keeps as many items as the rarest one has. If one of the six parts is missing, a guess
    is correct in 20 percent of the cases instead of 17; if more are missing, one item of each part
    is kept. Removed items are drawn at random and counted as refused.

    Args:
        pages: The items of all pages.
        seed: The seed of random choices.
    """
    places: dict[str, list[tuple[float, int, int]]] = {}
    for number, page in enumerate(pages):
        for place, item in enumerate(page.made):
            if item.task == GROUPING:
                lot = draw(seed, page.site, page.page, str(item.row["element"])).random()
                places.setdefault(str(item.row["reference"]), []).append((lot, number, place))
    if not places:
        return pages
    most = min(map(len, places.values())) if len(places) >= len(_PARTS) - 1 else 1
    out = {spot[1:] for spots in places.values() for spot in sorted(spots)[most:]}
    return without(pages, out, Refused(GROUPING, TOO_OFTEN))


def region_of(screen: Screen, element: Element) -> str | None:
    """Return the part of the page that an element belongs to; None if that is ambiguous.

    The outermost landmark around it decides, and its position must agree: a bar is wide and at an
    edge; a sidebar is narrow, tall and at an edge; links below the first words of the content are
    not a bar. A dialog over the page is `other`.
    """
    around = [element, *screen.ancestors(element)]
    bars = [outer for outer in around if outer.role in _BARS]
    above = next((outer for outer in around if outer.role in _ABOVE), None)
    if above is not None:
        return None if bars or not _lies_over(screen, above) else OTHER
    # Whether an advertisement belongs to the part around it is ambiguous.
    if is_advertised(screen, element):
        return None
    if any(outer.role in _UNCLEAR for outer in around):
        return None
    inside_main = any(outer.role == "main" for outer in around)
    for bar in reversed(bars):
        part = _part_of(screen, bar)
        if part is not None and not (inside_main and part in {TOP, BOTTOM}):
            return part
    # A footer inside the content is no landmark but looks like one.
    edge = element.box[3] > screen.height - _FOOT or any(outer.tag in _EDGES for outer in around)
    return MAIN if inside_main and not bars and not edge else None


def _lies_over(screen: Screen, dialog: Element) -> bool:
    """Whether a dialog covers something of the page."""
    return any(
        (other.own or other.painted)
        and meet(dialog.box, other.box)
        and not screen.nested(dialog, other)
        for other in screen.elements
    )


def _part_of(screen: Screen, bar: Element) -> str | None:
    wide = bar.width >= _WIDE * screen.width
    left, top, right, bottom = bar.box
    if wide and bar.role in {"banner", "navigation"} and top < _TOP and bar.height < 2 * _TOP:
        return TOP if bar.role == "banner" or _is_above_all(screen, bar) else None
    if wide and bar.role == "contentinfo" and bottom > screen.height - _TOP:
        return BOTTOM
    if bar.width > _NARROW * screen.width or bar.height < max(_TALL, bar.width * 0.8):
        return None
    if bar.role not in {"navigation", "complementary"}:
        return None
    if right <= screen.width * 0.45:
        return LEFT
    return RIGHT if left >= screen.width * 0.55 else None


def _is_above_all(screen: Screen, bar: Element) -> bool:
    """Whether a navigation is a bar at the top, not a row of links within the content."""
    if any(outer.role in _CONTENT or outer.tag in _CONTENT for outer in screen.ancestors(bar)):
        return False
    if any(outer.role == "banner" for outer in screen.ancestors(bar)):
        return True
    above = (
        outer
        for outer in screen.elements
        if outer.own and outer.box[3] <= bar.box[1] + 1 and outer.landmark not in _BARS
    )
    return (bar.painted or bar.box[1] <= _EDGE) and next(above, None) is None


def _can_be_asked(screen: Screen, element: Element) -> bool:
    suitable = element.role in _ASKED or (element.tag == "p" and bool(element.own))
    return (
        suitable
        and element.width >= _SMALLEST[0]
        and element.height >= _SMALLEST[1]
        and element.covered == 0
        and not element.clipped
        and element.width <= _WIDE * screen.width
        and element.height <= screen.height / 3
    )
