"""Positions recomputed: places in prompts, parts of a page, boxes of elements."""

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import cast

from snellen.build.screen.elements import Element, Screen
from snellen.grading.metrics.boxes import Ltrb, iou
from snellen.grading.parse.regions import Region
from snellen.tasks.benchmarks.webrssbench.positions import PageBox, projections
from witness.faults import Fault
from witness.views import (
    Check,
    Evidence,
    View,
    same_box,
    shown_after,
    written_box,
)

# ---- positions ---------------------------------------------------------------------------------

_PLACES = re.compile(
    r"at the (?:(top|bottom) )?(left|center|right) of the screen"
    r"|on the (left|right) of the screen, halfway down|(in the middle of the screen)",
    re.IGNORECASE,
)
_DIRECTIONS: Mapping[str, str] = MappingProxyType(
    {
        "to the left": "left",
        "to the right": "right",
        "above": "top",
        "below": "bottom",
        "above and to the left": "top-left",
        "above and to the right": "top-right",
        "below and to the left": "bottom-left",
        "below and to the right": "bottom-right",
    }
)


def _said_place(view: View) -> Iterator[Evidence]:
    """Compare the position in an instruction with the reference."""
    box, size = view.target, view.size
    match = _PLACES.search(view.prompt)
    if box is None or size is None or match is None:
        return
    across = (box[0] + box[2]) / 2 / size[0]
    down = (box[1] + box[3]) / 2 / size[1]
    side = match[2] or match[3] or "center"
    height = match[1] or "middle"
    sides = {"left": (0, 1 / 3), "center": (1 / 3, 2 / 3), "right": (2 / 3, 1)}
    heights = {"top": (0, 1 / 3), "middle": (1 / 3, 2 / 3), "bottom": (2 / 3, 1)}
    for value, (low, high) in (
        (across, sides[side.lower()]),
        (down, heights[height.lower()]),
    ):
        if not low - 0.02 <= value <= high + 0.02:
            yield Evidence(Fault.WRONG_BOX, match[0], written_box(box))
            return


_GROUPED: Mapping[Region, Callable[[Ltrb, tuple[float, float]], bool]] = MappingProxyType(
    {
        Region.TOP: lambda box, size: box[1] < 450,
        Region.BOTTOM: lambda box, size: box[3] > size[1] - 450,
        Region.LEFT: lambda box, size: box[2] <= 0.5 * size[0],
        Region.RIGHT: lambda box, size: box[0] >= 0.5 * size[0],
    }
)
_LANDMARKS: Mapping[Region, frozenset[str]] = MappingProxyType(
    {
        Region.TOP: frozenset({"banner", "navigation"}),
        Region.BOTTOM: frozenset({"contentinfo"}),
        Region.LEFT: frozenset({"navigation", "complementary"}),
        Region.RIGHT: frozenset({"navigation", "complementary"}),
        Region.MAIN: frozenset({"main"}),
    }
)


def _region(view: View) -> Iterator[Evidence]:
    """Compare the page part in the reference with the element's position and landmarks."""
    gold, size = view.item.gold, view.size
    if not isinstance(gold, Region) or not view.boxes or size is None:
        return
    fits = _GROUPED.get(gold)
    if fits is not None and not fits(view.boxes[0], size):
        yield Evidence(Fault.WRONG_OPTION, f"a part with {written_box(view.boxes[0])}", str(gold))
        return
    screen, wanted = view.screen, _LANDMARKS.get(gold)
    if screen is None or wanted is None or not view.elements:
        return
    element = view.elements[0]
    around = {
        element.landmark,
        element.role,
        *(ancestor.role for ancestor in screen.ancestors(element)),
    }
    if not around & wanted:
        yield Evidence(Fault.WRONG_OPTION, ", ".join(sorted(filter(None, around))), str(gold))


def _spatial(view: View) -> Iterator[Evidence]:
    """Recompute the relation of a question's boxes."""
    boxes, own = view.boxes, view.right_text
    if view.matrix is None or own is None or not boxes:
        return
    right: str | None = None
    if view.kind in {"marked pair", "named pair"} and len(boxes) == 2:
        recorded = str(view.record.get("relation", ""))
        right = next((text for text, name in _DIRECTIONS.items() if name == recorded), None)
        if view.kind == "marked pair":
            first, second = (PageBox(b[0], b[1], b[2] - b[0], b[3] - b[1]) for b in boxes)
            seen = str(projections(second, first))
            right = next((text for text, name in _DIRECTIONS.items() if name == seen), right)
    elif view.kind == "nearest box" and len(boxes) > 2:
        x, y = _middle(boxes[-1])
        distances = [(x - u) ** 2 + (y - v) ** 2 for u, v in map(_middle, boxes[:-1])]
        right = f"box {chr(ord('A') + distances.index(min(distances)))}"
    elif view.kind == "order of boxes":
        side = 0 if "left edge" in view.prompt else 1
        order = sorted(range(len(boxes)), key=lambda place: boxes[place][side])
        right = ", ".join(chr(ord("A") + place) for place in order)
    if right is not None and right != own:
        yield Evidence(Fault.WRONG_OPTION, right, own)


def _middle(box: Ltrb) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def check_boxes(view: View) -> Iterator[Evidence]:
    """Compare the record's boxes with the boxes of its elements on the page."""
    screen = view.screen
    if screen is None or not view.elements:
        return
    boxes, elements = view.boxes, view.elements
    upper = 0.0
    window: object = view.record.get("window")
    if isinstance(window, list):
        upper = float(cast("list[float]", window)[0])
    page = view.sight.page
    moved = shown_after(view)
    if moved and page is not None:
        change = page.change(view.task, view.item.tags.get("mode"))
        after = {item.id: item.after for item in change.elements if item.after} if change else {}
        elements = [after.get(item.id, item) for item in elements]
    for place, box in enumerate(boxes):
        # One box for several elements belongs to one of them.
        owners = elements[place : place + 1] if len(boxes) == len(elements) else elements
        on_page = (box[0], box[1] + upper, box[2], box[3] + upper)
        if not any(_is_box_of(screen, element, on_page) for element in owners):
            wanted = ", ".join(written_box(element.box) for element in owners)
            yield Evidence(Fault.WRONG_BOX, wanted, written_box(on_page))
            return


_BAND = 5.0
_SEEN = 0.5


def _is_box_of(screen: Screen, element: Element, box: Ltrb) -> bool:
    """Whether a box is an element's own, or that of content drawn inside it."""
    inner = [
        candidate.ink
        for candidate in screen.elements
        if candidate.ink is not None
        and (
            candidate.id == element.id
            or any(o.id == element.id for o in screen.ancestors(candidate))
        )
    ]
    lefts, tops, rights, bottoms = zip(*(inner or [box]), strict=True)
    around = (min(lefts), min(tops), max(rights), max(bottoms))
    # Tall letters of low lines are drawn beyond the element.
    if same_box(box, element.box) or any(same_box(box, own) for own in (*inner, around) if inner):
        return True
    # For a picture or an icon, only its space is known.
    left, top, right, bottom = element.box
    room = (left - _BAND, top - _BAND, right + _BAND, bottom + _BAND)
    within = all(a >= b for a, b in zip(box[:2], room[:2], strict=True)) and all(
        a <= b for a, b in zip(box[2:], room[2:], strict=True)
    )
    return within and (iou(box, around) >= _SEEN or _covers(box, around) >= _SEEN)


def _covers(box: Ltrb, other: Ltrb) -> float:
    """Return the share of another box inside a box: an icon may be beside the text."""
    across = min(box[2], other[2]) - max(box[0], other[0])
    down = min(box[3], other[3]) - max(box[1], other[1])
    area = (other[2] - other[0]) * (other[3] - other[1])
    return max(across, 0.0) * max(down, 0.0) / area if area else 0.0


CHECKS: tuple[Check, ...] = (
    _said_place,
    _region,
    _spatial,
)
