"""Relations: where parts that were cut out of a page lie on it, and how they lie to one another."""

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from snellen.sdk.demo.saying import Finding, no_idea
from snellen.sdk.exam.client import ExamItem
from snellen.sdk.ocr.pictures import Box, Picture, Pixels

_WITHIN = 2.0
_FITS = 0.02


def parts(question: ExamItem, pictures: Mapping[str, Picture]) -> Finding:
    """Say how every two of the parts lie on the page that is the first image."""
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
    """Return where a part was cut out of a page, or None where it does not occur.

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
    # Not quite the same where the exam sends a photograph as a JPEG.
    if float(np.abs(there - part).mean()) / 255 > _FITS:
        return None
    return Box(x, y, x + width, y + height)


def relation(one: Box, other: Box) -> str:
    """Return how a box lies to another.

    `contain` where one lies within the other, up to 2 pixels; `overlap` where they share an area;
    a side where they share rows or columns; else a corner.

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
    across = "left" if one.centre[0] < other.centre[0] else "right"
    down = "top" if one.centre[1] < other.centre[1] else "bottom"
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
