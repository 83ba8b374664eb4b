"""Layout: the part of a page that contains an element, and the relations between parts."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from snellen.sdk.demo.findings import Finding, first, no_idea
from snellen.sdk.demo.marks import ground_of, red_box
from snellen.sdk.exam.client import ExamItem
from snellen.sdk.ocr.pictures import Box, Picture, Pixels

_BAR = 150
_SIDE = 0.27
_ALIKE = 6
_HEADER = 80
_AROUND = 260
_NARROW = 0.4
_GUTTER = 16


def region(question: ExamItem, pictures: Mapping[str, Picture]) -> Finding:
    """Return the part of the page that contains the element in the red box."""
    picture = first(question, pictures)
    box = red_box(picture.pixels)
    if box is None:
        return no_idea("there is no red box to be seen")
    return Finding(region_of(picture, box), f"at {box.left:.0f}, {box.top:.0f}", box)


def region_of(picture: Picture, box: Box) -> str:
    """Return the part of the page that contains a box.

    A bar is near the upper or lower end of the page; a bottom bar can also be an area with its own
    background that covers the page's width, down to its end. A sidebar is a column near a side that
    is narrow compared with its neighbor, or has its own background or a line.
    """
    width, height = picture.width, picture.height
    if box.top < min(_HEADER, 0.15 * height) and box.height < _BAR:
        return "top bar"
    if box.top >= height - min(_BAR, 0.2 * height) or _on_last_ground(picture, box):
        return "bottom bar"
    side = _narrow_column(picture, box)
    if side:
        return side
    if box.right <= _SIDE * width and _column(picture, box, left=True):
        return "left sidebar"
    if box.left >= (1 - _SIDE) * width and _column(picture, box, left=False):
        return "right sidebar"
    return "top bar" if box.bottom <= min(_BAR, 0.2 * height) else "main content"


def _narrow_column(picture: Picture, box: Box) -> str:
    """Return the sidebar that contains a box, by the columns of nearby texts; empty: none."""
    near = [
        one
        for one in picture.boxes
        if one.bottom > box.top - _AROUND and one.top < box.bottom + _AROUND and one.top > _HEADER
    ]
    columns = _columns([*near, box])
    if len(columns) < 2:
        return ""
    own = next(n for n, (left, right) in enumerate(columns) if left <= box.left <= right)
    widths = [right - left for left, right in columns]
    content = columns[-1][1] - columns[0][0]
    others = max(width for n, width in enumerate(widths) if n != own)
    if widths[own] > _NARROW * content or others < 1.5 * widths[own]:
        return ""
    return {0: "left sidebar", len(columns) - 1: "right sidebar"}.get(own, "")


def _columns(boxes: Sequence[Box]) -> list[tuple[float, float]]:
    """Return the left and right edges of the columns of boxes, from left to right.

    A gutter separates two columns.
    """
    found: list[tuple[float, float]] = []
    for box in sorted(boxes):
        if found and box.left <= found[-1][1] + _GUTTER:
            found[-1] = (found[-1][0], max(found[-1][1], box.right))
        else:
            found.append((box.left, box.right))
    return found


def _on_last_ground(picture: Picture, box: Box) -> bool:
    """Whether the background of a box covers the page's width, down to its end."""
    below = picture.pixels[int(box.bottom) + 2 :]
    if below.shape[0] > 900 or not below.size:
        return False
    ground = np.array(ground_of(picture.pixels, box.grown(6)), np.int16)
    top = np.array(ground_of(picture.pixels, Box(2, 0, picture.width - 2, 0.5 * picture.height)))
    if int(np.abs(ground - top).max()) <= _ALIKE:
        return False
    edges = below[:, [2, 6, -7, -3]].astype(np.int16)
    return float((np.abs(edges - ground).max(axis=2) <= _ALIKE).mean()) > 0.5


def _column(picture: Picture, box: Box, *, left: bool) -> bool:
    """Whether an edge of a background, or a line, is between a box and the page's middle."""
    middle = picture.width // 2
    y = int(min(max(box.center[1], 0), picture.height - 1))
    span = (int(box.right) + 4, middle) if left else (middle, int(box.left) - 4)
    if span[1] - span[0] < 20:
        return False
    upper, lower = max(y - 60, 0), min(y + 60, picture.height)
    part = picture.pixels[upper:lower, span[0] : span[1]].astype(np.int16)
    if part.shape[0] < 8:
        return False
    # A column of pixels that differs from the previous one over its whole height is an edge.
    changes = np.abs(np.diff(part, axis=1)).max(axis=2) > 3
    return bool((changes.mean(axis=0) > 0.95).any())


_WITHIN = 2.0
_FITS = 0.02


def parts(question: ExamItem, pictures: Mapping[str, Picture]) -> Finding:
    """Return the relation of every two parts on the page, which is the first image."""
    page, *cut = question.images
    if len(cut) < 2 or any(image.name not in pictures for image in question.images):
        return no_idea("there are no parts to find on a page")
    found: dict[str, Box] = {}
    for image in cut:
        place = locate(pictures[image.name].pixels, pictures[page.name].pixels)
        if place is not None:
            found[image.name] = place
    if len(found) < 2:
        return no_idea("the parts can't be found on the page")
    said = [
        f"{first} is at the [{relation(found[first], found[second])}] of {second}"
        for first, second in combinations(sorted(found), 2)
    ]
    return Finding("\n".join(said), f"{len(found)} of {len(cut)} parts were found on the page")


def locate(part: Pixels, page: Pixels) -> Box | None:
    """Return the box of a part in a page, or None if it does not occur.

    Args:
        part: The part.
        page: The page.
    """
    import cv2

    height, width = part.shape[:2]
    if height > page.shape[0] or width > page.shape[1]:
        return None
    fits = np.asarray(cv2.matchTemplate(page, part, cv2.TM_SQDIFF))
    y, x = map(int, np.unravel_index(int(np.argmin(fits)), fits.shape))
    there = page[y : y + height, x : x + width].astype(np.int16)
    # The pixels differ slightly if the exam sends a photograph as a JPEG.
    if float(np.abs(there - part).mean()) / 255 > _FITS:
        return None
    return Box(x, y, x + width, y + height)


def relation(one: Box, other: Box) -> str:
    """Return the relation of a box to another.

    `contain` if one is within the other, up to 2 pixels; `overlap` if they share an area; a side
    if they share rows or columns; else a corner.

    >>> relation(Box(0, 0, 10, 10), Box(20, 2, 30, 12))
    'left'
    >>> relation(Box(0, 0, 9, 9), Box(20, 20, 30, 30))
    'top-left'
    """
    if _within(one, other) or _within(other, one):
        return "contain"
    if one.shared(other) > 0:
        return "overlap"
    rows = min(one.bottom, other.bottom) - max(one.top, other.top)
    columns = min(one.right, other.right) - max(one.left, other.left)
    across = "left" if one.center[0] < other.center[0] else "right"
    down = "top" if one.center[1] < other.center[1] else "bottom"
    if rows > 0:
        return across
    if columns > 0:
        return down
    return f"{down}-{across}"


def _within(inner: Box, outer: Box) -> bool:
    return (
        inner.left >= outer.left - _WITHIN
        and inner.top >= outer.top - _WITHIN
        and inner.right <= outer.right + _WITHIN
        and inner.bottom <= outer.bottom + _WITHIN
    )
