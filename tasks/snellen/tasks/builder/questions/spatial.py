"""Where the parts of a page are: what can be seen of them, and how boxes lie to each other."""

from collections.abc import Iterable

from snellen.tasks.builder.screen.elements import Element, Ltrb, Screen

SITE_PARTS = frozenset({"banner", "navigation", "contentinfo"})
"""The landmarks that a site's pages have in common."""

_COVERED = 0.05


def is_readable(element: Element) -> bool:
    """Whether all of an element can be seen."""
    return element.covered <= _COVERED and not element.cut and not element.clipped


def inside(screen: Screen, element: Element) -> Iterable[Element]:
    """Yield what is in an element, at any depth, in document order."""
    for child in screen.children(element):
        yield child
        yield from inside(screen, child)


def meet(one: Ltrb, other: Ltrb, margin: float = 0.0) -> bool:
    """Whether two boxes are less than a margin apart, or overlap."""
    return (
        one[0] < other[2] + margin
        and other[0] < one[2] + margin
        and one[1] < other[3] + margin
        and other[1] < one[3] + margin
    )


def rounded(box: Ltrb) -> list[float]:
    """Return a box in pixels, to a tenth."""
    return [round(side, 1) for side in box]


def fractions(box: Ltrb, screen: Screen) -> list[float]:
    """Return a box in fractions of the image."""
    left, top, right, bottom = box
    return [
        round(left / screen.width, 5),
        round(top / screen.height, 5),
        round(right / screen.width, 5),
        round(bottom / screen.height, 5),
    ]
