"""What the numbers of a point or a box count, and what a whole image measures in them.

A view shows the whole image, scaled, so two spaces differ by a factor along each axis. Every
reading of coordinates rests on this module: the protocols that state a space, the coordinate
audit and the failure tags.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, floor, sqrt
from typing import TypeAlias

from snellen.grading.models.geometry import Size, Space

Extent: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class CoordinateSpace:
    """A space that an answer's numbers are in.

    Attributes:
        id: Its name, and that of the protocol that reads it, if there is one.
        words: What the numbers count.
        whole: What the whole image measures along each axis; None: it depends on the image.
    """

    id: str
    words: str
    whole: float | None = None

    def extent(self, image: Extent | None, view: Size | None = None) -> Extent | None:
        """Return what a whole image measures in the space: along x, along y.

        Args:
            image: The width and height of the original, in pixels; None if unknown.
            view: The size of the image that the model saw; None: that to which UI-TARS and
                Qwen2-VL resize the original.

        Returns:
            The two measures; None if they depend on a size that is unknown.
        """
        if self.whole is not None:
            return self.whole, self.whole
        if self is VIEW:
            if view is None and image is not None:
                view = ui_tars_view(*image)
            return None if view is None else (view.width, view.height)
        return image


UNIT = CoordinateSpace(Space.UNIT.value, "fractions of the image, 0 to 1", 1.0)
HUNDRED = CoordinateSpace("hundred", "hundredths of the image, 0 to 100", 100.0)
THOUSAND = CoordinateSpace(Space.THOUSAND.value, "thousandths of the image, 0 to 1000", 1000.0)
PIXELS = CoordinateSpace(Space.PIXELS.value, "pixels of the original image")
VIEW = CoordinateSpace(Space.VIEW.value, "pixels of the resized image that was seen")


@lru_cache(maxsize=4096)
def ui_tars_view(width: float, height: float) -> Size | None:
    """Return the size to which UI-TARS and Qwen2-VL resize an image: multiples of 28.

    Args:
        width: Of the original, in pixels.
        height: Of the original, in pixels.

    Returns:
        The size, in pixels; None for an image more than 200 times as long as it is wide, which
        the published code refuses.

    Source: MMBench-GUI models/local_uitars.py, `smart_resize`.
    """
    if max(width, height) / min(width, height) > 200:
        return None
    smallest, largest = 100 * 28**2, 16384 * 28**2
    wide, high = (max(28, round(side / 28) * 28) for side in (width, height))
    if wide * high > largest:
        shrink = sqrt(height * width / largest)
        wide, high = (floor(side / shrink / 28) * 28 for side in (width, height))
    elif wide * high < smallest:
        grow = sqrt(smallest / (height * width))
        wide, high = (ceil(side * grow / 28) * 28 for side in (width, height))
    return Size(width=wide, height=high)
