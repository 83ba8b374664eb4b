"""From the boxes of a page's crops to the relations of all their pairs.

The published script labels every ordered pair of crops by two rules; the repository has deleted
it since. `centers` does the same, `projections` does not have its flaws: it counts in pixels, so
that a long page is not held to a coarser rule than a wide one, and two parts of one row stay in
one row however little their middles differ in height.
"""

from collections.abc import Mapping
from itertools import combinations
from typing import Literal, NamedTuple, TypeAlias

from snellen.grading.parse.relations import Relation

Rule: TypeAlias = Literal["centers", "projections"]

CENTER_THRESHOLD = 0.01
"""Centers closer than this, in fractions of the page, count as level (`_precise_dir`)."""

CONTAINMENT_PIXELS = 2.0
"""How far a contained box may reach out of its container under `projections`."""


class PageBox(NamedTuple):
    """A box on a page as the published files have it: its left top corner and its extent."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Its right side."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """Its lower side."""
        return self.y + self.height

    def scaled(self, across: float, down: float) -> "PageBox":
        """Return the box with x and width times `across`, y and height times `down`."""
        return PageBox(self.x * across, self.y * down, self.width * across, self.height * down)


def centers(first: PageBox, second: PageBox) -> Relation:
    """Say how the first box lies to the second, as the published labeller does.

    Inside, contain, overlap, and else the direction from the second's center to the first's,
    with 0.01 of the page as level. Equal boxes are `inside` either way; touching ones do not
    overlap; two small ones closer than the threshold both ways do.

    Args:
        first: A box in fractions of the page's width and height.
        second: Another.

    Source: annoy-worker/WebRSSBench, "1.choose and label.py" (c8b9b06), `build_relations`.

    >>> str(centers(PageBox(0, 0, 0.1, 0.1), PageBox(0.5, 0.005, 0.1, 0.1)))
    'left'
    """
    if _holds(second, first, 0):
        return Relation.INSIDE
    if _holds(first, second, 0):
        return Relation.CONTAIN
    if _meet(first, second):
        return Relation.OVERLAP
    right = first.x + first.width / 2 - (second.x + second.width / 2)
    down = first.y + first.height / 2 - (second.y + second.height / 2)
    vertical = "" if abs(down) < CENTER_THRESHOLD else "top" if down < 0 else "bottom"
    horizontal = "" if abs(right) < CENTER_THRESHOLD else "left" if right < 0 else "right"
    return _direction(vertical, horizontal)


def projections(first: PageBox, second: PageBox) -> Relation:
    """Say how the first box lies to the second by what they share of a row or a column.

    Inside and contain with two pixels' tolerance, overlap where they share an area, and else: two
    boxes that share part of a row lie left or right, two that share part of a column lie above or
    below, and others diagonally. So the relation seen from the other side is always the inverse,
    but for boxes that hold each other within the tolerance, which are `inside` both ways.

    Args:
        first: A box in pixels.
        second: Another.

    >>> str(projections(PageBox(0, 0, 90, 40), PageBox(200, 30, 90, 40)))
    'left'
    """
    if _holds(second, first, CONTAINMENT_PIXELS):
        return Relation.INSIDE
    if _holds(first, second, CONTAINMENT_PIXELS):
        return Relation.CONTAIN
    if _meet(first, second):
        return Relation.OVERLAP
    vertical = _side(first.y, first.bottom, second.y, second.bottom, ("top", "bottom"))
    horizontal = _side(first.x, first.right, second.x, second.right, ("left", "right"))
    return _direction(vertical, horizontal)


def label(boxes: Mapping[str, PageBox], rule: Rule) -> dict[str, str]:
    """Label every pair of a page's crops, as a reference in its published shape.

    Args:
        boxes: The crops' boxes by name: in fractions of the page for `centers`, in pixels for
            `projections`.
        rule: How boxes become relations.

    Returns:
        From pairs `crop_1|crop_2`, names in the order of strings, to relations.
    """
    relate = centers if rule == "centers" else projections
    return {
        f"{first}|{second}": str(relate(boxes[first], boxes[second]))
        for first, second in combinations(sorted(boxes), 2)
    }


def _holds(outer: PageBox, inner: PageBox, tolerance: float) -> bool:
    return (
        inner.x >= outer.x - tolerance
        and inner.y >= outer.y - tolerance
        and inner.right <= outer.right + tolerance
        and inner.bottom <= outer.bottom + tolerance
    )


def _meet(first: PageBox, second: PageBox) -> bool:
    return (
        first.x < second.right
        and second.x < first.right
        and first.y < second.bottom
        and second.y < first.bottom
    )


def _side(
    start: float, end: float, other_start: float, other_end: float, names: tuple[str, str]
) -> str:
    """Name the side on which an interval lies of another; "" where they share a part."""
    if start < other_end and other_start < end:
        return ""
    return names[0] if start + end < other_start + other_end else names[1]


def _direction(vertical: str, horizontal: str) -> Relation:
    sides = [side for side in (vertical, horizontal) if side]
    return Relation("-".join(sides)) if sides else Relation.OVERLAP
