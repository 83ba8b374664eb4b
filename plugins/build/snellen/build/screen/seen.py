"""The visible box of an element: its painted shape or its ink."""

import io
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from snellen.build.screen.elements import Element, Ltrb, Screen

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]

SAME = 0.5
"""Two boxes with a smaller intersection over union are different places."""

_VISIBLE = 28
"""The minimum range of a visible text's pixel values, of 255."""

_INKED = 40
_SHADED, _EVEN = 6, 0.9
"""The maximum distance, of 255, of a gradient's pixels from their median, and the share of a
box's edge that must be within it."""

_BUSY = 0.6
_EDGE = 5
"""The minimum difference, of 255, of the median colors on the two sides of a visible edge."""

_BANDED = 0.15
"""If a heading's ink covers a smaller share of its band, its box is ambiguous."""

_BORDER, _BESIDE = 2, 4
"""The maximum width of a border, and the minimum width of the empty space beside it, in pixels."""

_OUT = 3
_GAP, _GAP_LINES, _LINE = 60.0, 3.0, 30.0
_LARGEST = 200_000
_BAND = 4.0
_PRESSED = frozenset({"link", "button", "tab", "menuitem"})
_SHAPED = frozenset(
    {"textbox", "searchbox", "spinbutton", "combobox", "listbox", "slider", "checkbox", "radio",
     "switch"}
)  # fmt: skip
_PICTURED = frozenset({"img", "svg", "canvas", "video"})


class Extent(NamedTuple):
    """The visible extent of an element."""

    box: Ltrb  # the box that a person would draw around it
    painted: Ltrb | None  # its painted shape; None for none
    ink: Ltrb | None  # its ink, of text or icons; None if that can't be measured

    @property
    def record(self) -> dict[str, list[float] | None]:
        """The boxes that were considered, for a record."""
        return {
            name: None if box is None else [round(side, 1) for side in box]
            for name, box in self._asdict().items()
        }


def decoded(png: bytes) -> "Pixels":
    """Return an image's pixels, an array of (rows, columns, 3) in RGB."""
    import numpy as np
    from PIL import Image

    with Image.open(io.BytesIO(png)) as image:
        return np.asarray(image.convert("RGB"))


def without_unseen(screen: Screen, pixels: "Pixels") -> Screen:
    """Return a screen on which texts that leave no trace in the image count as cut."""
    elements = tuple(
        msgspec.structs.replace(each, cut=True)
        if each.ink is not None and not each.cut and not _is_drawn(pixels, each.ink)
        else each
        for each in screen.elements
    )
    return msgspec.structs.replace(screen, elements=elements)


def seen(screen: Screen, element: Element, pixels: "Pixels") -> Extent | None:
    """Return the visible extent of an element; None if its box is ambiguous.

    It is the painted shape. For a link, a button, a heading or a text without a shape it is the
    ink; for any other element without a shape, its box if the ink covers at least half of it.
    """
    if element.split:
        return None
    inside = list(screen.inside(element))
    inks = [part.ink for part in (element, *inside) if part.ink is not None]
    pressed = element.role in _PRESSED
    icons = [part.box for part in inside if pressed and part.tag in _PICTURED]
    # A picture in a line of text extends beyond the line.
    region = _around(inks) if inks else _around([element.box, *icons])
    if inks and pressed and (icons or region[3] - region[1] < 2 * max(element.font_size, 8)):
        # An icon is beside its text or above it.
        left, top, right, bottom = element.box
        inks += icons
        _, highest, _, lowest = _around(inks)
        region = (left, max(top, highest - _BAND), right, min(bottom, lowest + _BAND))
    ink = ink_of(pixels, region) or (_around(inks) if inks else None)
    picture = element.tag in _PICTURED or element.role == "img"
    if element.role in _SHAPED and element.kind in {"checkbox", "radio"}:
        return Extent(element.box, element.box, ink)
    if element.painted and not picture:
        edges = _seen_edges(pixels, element.box)
        if edges.bounded:
            if element.role == "heading" and ink and overlap(element.box, ink) < _BANDED:
                return None
            return Extent(element.box, element.box, ink)
        if edges.some:
            return None
    if ink is None:
        return Extent(element.box, element.box, None) if picture else None
    if pressed or (element.role in {"heading", ""} and not picture):
        return None if _parted(pixels, ink) else Extent(ink, None, ink)
    return Extent(element.box, element.box, ink) if overlap(element.box, ink) >= SAME else None


def ink_of(pixels: "Pixels", box: Ltrb) -> Ltrb | None:
    """Return the box around everything drawn inside a box; None if empty or on a picture."""
    import numpy as np

    height, width, _ = pixels.shape
    left, top = max(int(box[0]), 0), max(int(box[1]), 0)
    right, bottom = min(int(-(-box[2] // 1)), width), min(int(-(-box[3] // 1)), height)
    if right - left < 2 or bottom - top < 2:
        return None
    if (right - left) * (bottom - top) > _LARGEST:
        return None
    part = pixels[top:bottom, left:right].astype(np.int32)
    edges = np.concatenate((part[0], part[-1], part[:, 0], part[:, -1]))
    values, counts = np.unique(edges @ np.array([1 << 16, 1 << 8, 1]), return_counts=True)
    most = int(values[counts.argmax()])
    ground = np.array([most >> 16, most >> 8 & 255, most & 255])
    if 2 * counts.max() < len(edges):
        # A gradient has no single ground color, so the median counts; a picture has no ground.
        ground = np.median(edges, axis=0)
        if (np.abs(edges - ground).max(axis=1) <= _SHADED).mean() < _EVEN:
            return None
    drawn = np.abs(part - ground).max(axis=2) > _INKED
    for sides in (drawn.T, drawn.T[::-1]):
        # A line along all of a side, and nothing beside it, is the border of an element, not ink.
        border = next((n for n, side in enumerate(sides) if not side.all()), 0)
        if border <= _BORDER and not sides[border : border + _BESIDE].any():
            sides[:border] = False
    if not 0 < drawn.mean() < _BUSY:
        return None
    columns, rows = np.flatnonzero(drawn.any(axis=0)), np.flatnonzero(drawn.any(axis=1))
    return (
        float(left + columns[0]),
        float(top + rows[0]),
        float(left + columns[-1] + 1),
        float(top + rows[-1] + 1),
    )


class _Edges(NamedTuple):
    """The visible edges of a shape."""

    bounded: bool  # whether its end is visible, above and below
    some: bool  # whether at least two of its sides are visible; they may belong to the surroundings


def _seen_edges(pixels: "Pixels", box: Ltrb) -> _Edges:
    """Return the visible edges of a shape: a declared color may equal the ground's.

    Sides at the image's edge can't be measured; the other sides decide.
    """
    import numpy as np

    height, width, _ = pixels.shape
    left, top, right, bottom = (round(side) for side in box)
    across, down = slice(max(left, 0) + 1, right - 1), slice(max(top, 0) + 1, bottom - 1)
    sides = {
        "left": ((down, left), (down, left - _OUT), left >= _OUT),
        "right": ((down, right - 1), (down, right + _OUT - 1), right + _OUT <= width),
        "top": ((top, across), (top - _OUT, across), top >= _OUT),
        "bottom": ((bottom - 1, across), (bottom + _OUT - 1, across), bottom + _OUT <= height),
    }
    seen_sides = {
        name: float(np.abs(np.median(inner, axis=0) - np.median(outer, axis=0)).max()) >= _EDGE
        for name, (within, beyond, known) in sides.items()
        if known and (inner := pixels[within]).size and (outer := pixels[beyond]).size
    }
    count = sum(seen_sides.values())
    enough = count >= min(2, len(seen_sides))
    above_and_below = seen_sides.get("top", True) and seen_sides.get("bottom", True)
    return _Edges(bounded=enough and above_and_below, some=enough)


def _parted(pixels: "Pixels", ink: Ltrb) -> bool:
    """Whether the ink has a gap too wide for one box."""
    import numpy as np

    left, top, right, bottom = (round(side) for side in ink)
    part = pixels[top:bottom, left:right].astype(np.int32)
    drawn = np.abs(part - np.median(part, axis=(0, 1))).max(axis=2) > _INKED
    columns = np.flatnonzero(drawn.any(axis=0))
    gaps = np.diff(columns)
    return bool(gaps.size and gaps.max() > max(_GAP, _GAP_LINES * min(bottom - top, _LINE)))


def overlap(one: Ltrb, other: Ltrb) -> float:
    """Return the intersection of two boxes over their union."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    if across <= 0 or down <= 0:
        return 0.0
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (one, other)]
    return across * down / (sum(areas) - across * down)


def _is_drawn(pixels: "Pixels", box: Ltrb) -> bool:
    left, top, right, bottom = (round(side) for side in box)
    part = pixels[max(top, 0) : bottom, max(left, 0) : right]
    if not part.size:
        return False
    return bool((part.max(axis=(0, 1)).astype(int) - part.min(axis=(0, 1))).max() >= _VISIBLE)


def _around(boxes: list[Ltrb]) -> Ltrb:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)
