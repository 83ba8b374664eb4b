"""A canvas for charts: smooth shapes and text in Pillow's own font, with reproducible bytes.

Everything is drawn at twice the size and reduced, so that edges are smooth. Coordinates are in
pixels of the finished picture. The font has the letters of ASCII.
"""

import io
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from PIL import Image, ImageDraw, ImageFont

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

Point: TypeAlias = tuple[float, float]

_SCALE = 2


class Canvas:
    """A picture to draw on."""

    def __init__(self, width: int, height: int, ground: str) -> None:
        self._image = Image.new("RGB", (width * _SCALE, height * _SCALE), ground)
        self._pen = ImageDraw.Draw(self._image)

    def rect(self, left: float, top: float, right: float, bottom: float, fill: str) -> None:
        """Fill a rectangle."""
        box = [round(side * _SCALE) for side in (left, top, right, bottom)]
        if box[2] > box[0] and box[3] > box[1]:
            self._pen.rectangle((box[0], box[1], box[2] - 1, box[3] - 1), fill=fill)

    def line(self, points: Sequence[Point], color: str, width: float = 1.0) -> None:
        """Draw a line through points."""
        scaled = [(x * _SCALE, y * _SCALE) for x, y in points]
        self._pen.line(scaled, fill=color, width=max(round(width * _SCALE), 1), joint="curve")

    def polygon(self, points: Sequence[Point], fill: str) -> None:
        """Fill a shape."""
        self._pen.polygon([(x * _SCALE, y * _SCALE) for x, y in points], fill=fill)

    def disc(self, middle: Point, radius: float, fill: str) -> None:
        """Fill a circle."""
        self._pen.ellipse(_around(middle, radius), fill=fill)

    def slice(self, middle: Point, radius: float, angles: Point, colors: tuple[str, str]) -> None:
        """Fill a slice of a circle between two angles, in degrees from the right, clockwise.

        Args:
            middle: The middle of the circle.
            radius: The radius of the circle.
            angles: The start and the end.
            colors: The colors of the slice and of its outline.
        """
        box = _around(middle, radius)
        self._pen.pieslice(box, *angles, fill=colors[0], outline=colors[1], width=2)

    def text(self, at: Point, text: str, color: str, size: int, anchor: str = "mm") -> None:
        """Write a text.

        Args:
            at: The position of its anchor.
            text: In ASCII.
            color: Its color.
            size: Its height in pixels.
            anchor: The point of the text at `at`, in Pillow's two letters: `mm` is its middle.
        """
        place = (round(at[0] * _SCALE), round(at[1] * _SCALE))
        self._pen.text(place, text, fill=color, font=_font(size * _SCALE), anchor=anchor)

    def png(self) -> bytes:
        """Return the picture as a PNG."""
        file = io.BytesIO()
        self._image.reduce(_SCALE).save(file, "PNG")
        return file.getvalue()


def width_of(text: str, size: int) -> float:
    """Return the width of a text in pixels."""
    return _font(size * _SCALE).getlength(text) / _SCALE


def wrapped(text: str, size: int, width: float) -> list[str]:
    """Return a text in lines of at most a width in pixels."""
    lines: list[str] = []
    for word in text.split():
        if lines and width_of(f"{lines[-1]} {word}", size) <= width:
            lines[-1] = f"{lines[-1]} {word}"
        else:
            lines.append(word)
    return lines


def _around(middle: Point, radius: float) -> tuple[float, float, float, float]:
    x, y, wide = middle[0] * _SCALE, middle[1] * _SCALE, radius * _SCALE
    return x - wide, y - wide, x + wide, y + wide


@cache
def _font(size: int) -> "FreeTypeFont":
    font = ImageFont.load_default(size)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise RuntimeError("Pillow was built without FreeType, which writes the text of charts")
    # The other layout engine, if installed, might place text differently.
    return font.font_variant(layout_engine=ImageFont.Layout.BASIC)
