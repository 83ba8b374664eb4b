"""Resized views of a screenshot, in whose pixels models answer."""

from functools import lru_cache

import numpy as np

from snellen.grading.models.geometry import Size
from snellen.grading.parse.coordinates import ui_tars_point
from snellen.grading.protocols.base import FloatArray
from snellen.grading.protocols.spaces import Counted

LONGEST_SIDES = (1024, 1280, 1568, 2000, 2048)
"""To what APIs and their users scale the longest side of a screenshot down.

Where a run's view is not told, answers are read in pixels of each of these views too.
"""

VIEWS = {
    side: Counted(f"view_{side}", f"pixels of a view of which the longest side is {side}", None)
    for side in LONGEST_SIDES
}


def scaled(sizes: FloatArray, longest: float) -> FloatArray:
    """Return the sizes of images whose longest side is scaled down to so many pixels.

    Args:
        sizes: Widths and heights, images x 2; NaN where nobody knows.
        longest: The most that the longest side measures; a smaller image stays as it is.
    """
    factors = np.minimum(1.0, longest / sizes.max(axis=1, keepdims=True))
    return sizes * factors


@lru_cache(maxsize=4096)
def resized(width: float, height: float) -> Size | None:
    """Return the size that UI-TARS and Qwen2-VL see an image in, by how they scale a point."""
    corner = ui_tars_point("1000 1000", Size(width=width, height=height))
    return None if corner is None else Size(width=1000 / corner.x, height=1000 / corner.y)
