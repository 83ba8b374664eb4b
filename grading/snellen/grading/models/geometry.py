"""The spaces that coordinates are given in, and the sizes of images.

A pair of numbers means nothing until it is known what they count. Published graders guess ("a
value over 1 must be pixels"), so that pixel (1, 1) becomes the bottom right corner; here whatever
asks for coordinates or holds them says its `Space`.

A view shows the whole image, scaled, so all four spaces differ by a factor along each axis. The
origin is the top left corner, x grows to the right and y downwards.
"""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from snellen.grading.models.base import Closed

# Strict: a length read from a string or a bool is a mistake to report, not to repair.
Extent = Annotated[float, Field(strict=True, gt=0)]


class Space(StrEnum):
    """What a coordinate counts."""

    PIXELS = "pixels"
    """Pixels of the original image."""
    VIEW = "view"
    """Pixels of the view that was delivered, which may be smaller than the original."""
    UNIT = "unit"
    """Fractions of the image's width and height, 0 to 1."""
    THOUSAND = "thousand"
    """Thousandths of the image's width and height, 0 to 1000."""


class Size(Closed):
    """The width and height of an image, in pixels."""

    width: Extent
    height: Extent
