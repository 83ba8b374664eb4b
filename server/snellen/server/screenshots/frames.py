"""Frames: the part of an image that a view shows, its size, and the coordinate mapping.

Coordinates are pixels of the image as stored, the origin in its top left corner. A region goes
from its left and top up to, and not including, its right and bottom.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple

from snellen.server.errors import ExamError


class Extent(NamedTuple):
    """A width and a height, in pixels."""

    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.width} x {self.height}"


class Position(NamedTuple):
    """A point of the original image, in pixels."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Region:
    """A rectangle of an image, in its pixels."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def extent(self) -> Extent:
        """Its width and height."""
        return Extent(self.right - self.left, self.bottom - self.top)

    def __str__(self) -> str:
        return f"columns {self.left}-{self.right}, rows {self.top}-{self.bottom}"


@dataclass(frozen=True, slots=True)
class Frame:
    """The relation of a view to its image.

    >>> page = Extent(1280, 9000)
    >>> frame = Frame("screen", page, Region(0, 1000, 1280, 2000), Extent(640, 500))
    >>> frame.to_image(10, 20)
    Position(x=20.0, y=1040.0)
    >>> frame.id
    'screen 0,1000,1280,2000 of 1280x9000 at 640x500'
    >>> read_frame(frame.id) == frame
    True
    """

    image: str  # the image's name in its item
    full: Extent  # the size of the whole image
    region: Region  # the region that is shown
    shown: Extent  # the size of the view

    @property
    def whole(self) -> bool:
        """Whether the whole image is shown."""
        return self.region == Region(0, 0, *self.full)

    @property
    def scale_x(self) -> float:
        """Image pixels per view pixel, horizontally."""
        return self.region.extent.width / self.shown.width

    @property
    def scale_y(self) -> float:
        """Image pixels per view pixel, vertically."""
        return self.region.extent.height / self.shown.height

    @property
    def id(self) -> str:
        """The view's id, which is recorded with an answer; `read_frame` parses it."""
        region, full, shown = self.region, self.full, self.shown
        return (
            f"{self.image} {region.left},{region.top},{region.right},{region.bottom}"
            f" of {full.width}x{full.height} at {shown.width}x{shown.height}"
        )

    def to_image(self, x: float, y: float) -> Position:
        """Convert a point of the view to the image."""
        return Position(self.region.left + x * self.scale_x, self.region.top + y * self.scale_y)

    def mapping(self) -> str:
        """Return the conversion from view to image coordinates, as a sentence."""
        if self.whole and self.shown == self.full:
            return "View pixels are image pixels."
        across = _term("x", self.region.left, self.scale_x)
        down = _term("y", self.region.top, self.scale_y)
        return f"In image pixels: x = {across}, y = {down}."


_ID = re.compile(
    r"(?P<image>.+) (\d+),(\d+),(\d+),(\d+) of (\d+)x(\d+) at (\d+)x(\d+)", re.DOTALL | re.ASCII
)


def read_frame(text: str) -> Frame:
    """Parse the output of `Frame.id`.

    Raises:
        ExamError: It is not a view's id, or its view is not possible.
    """
    match = _ID.fullmatch(text)
    if match:
        numbers = [int(number) for number in match.groups()[1:]]
        region, full = Region(*numbers[:4]), Extent(*numbers[4:6])
        frame = Frame(match["image"], full, region, Extent(*numbers[6:]))
        if (
            region.left < region.right <= full.width
            and region.top < region.bottom <= full.height
            and min(frame.shown) > 0
        ):
            return frame
    raise ExamError(
        f"{text[:80]!r} is no view; give what get_screenshot said of the view, unchanged",
        field="view",
    )


def factor(value: float) -> str:
    """Write a scale: four decimals at most, fewer where they say nothing."""
    return f"{value:.4f}".rstrip("0").rstrip(".")


def _term(axis: str, offset: int, scale: float) -> str:
    term = f"{axis}_view" if scale == 1 else f"{axis}_view * {factor(scale)}"
    return f"{offset} + {term}" if offset else term
