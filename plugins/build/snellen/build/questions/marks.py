"""Marks on screenshots: a red box, boxes with letters, and crops.

Marks do not hide what they mark: a box is drawn around it, and a letter beside it, or inside it on
an empty place.
"""

import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from snellen.build.screen.elements import Ltrb

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont

LETTERS = "ABCDEFGH"

_COLORS = ("#d6001c", "#0b57d0", "#0a7d33", "#a3007f", "#b34700", "#5b21b6", "#00707a", "#3d3d3d")
_OUTLINE = 2
_POINTS = 14
_PADDING = 3
_QUIET = 2.0
"""A place with at most this standard deviation of pixel values, of 255, is empty."""

_Rect = tuple[int, int, int, int]


def mark_box(png: bytes, box: Ltrb, color: str = "red", width: int = 3) -> bytes:
    """Return an image with a box around one part of it.

    Args:
        png: The image.
        box: Left, top, right, bottom in pixels; the line is drawn outside of it.
        color: The color of the line, as a Pillow color.
        width: The width of the line, in pixels.
    """
    from PIL import ImageDraw

    image = _opened(png)
    _outline(ImageDraw.Draw(image), _rect(box), color, width, image.size)
    return _saved(image)


def mark_letters(png: bytes, boxes: Sequence[Ltrb]) -> bytes:
    """Return an image with boxes lettered from A.

    A letter touches its box and has its color. It is placed to hide neither another letter nor the
    content of a box: outside, preferably on an empty place; else inside its box on an empty place.

    Args:
        png: The image.
        boxes: At most eight, left, top, right, bottom in pixels.
    """
    from PIL import ImageDraw, ImageFont

    image = _opened(png)
    clean = image.convert("L")
    pen = ImageDraw.Draw(image)
    font = ImageFont.load_default(_POINTS)
    assert isinstance(font, ImageFont.FreeTypeFont)
    rects = [_rect(box) for box in boxes]
    for left, top, right, bottom in rects:
        # A white line around a dark one keeps it visible on a dark background.
        around = (left - _OUTLINE, top - _OUTLINE, right + _OUTLINE, bottom + _OUTLINE)
        _outline(pen, around, "white", 1, image.size)
    for rect, color in zip(rects, _COLORS, strict=False):
        _outline(pen, rect, color, _OUTLINE, image.size)
    labels: list[_Rect] = []
    for rect, color, letter in zip(rects, _COLORS, LETTERS, strict=False):
        label = _place(clean, rect, rects, labels, _size(font, letter))
        labels.append(label)
        pen.rectangle((label[0], label[1], label[2] - 1, label[3] - 1), fill=color)
        middle = ((label[0] + label[2]) / 2, (label[1] + label[3]) / 2)
        pen.text(middle, letter, fill="white", font=font, anchor="mm")
    return _saved(image)


def crop(png: bytes, box: Ltrb) -> bytes:
    """Return a part of an image, including pixels that are partly in the box.

    Args:
        png: The image.
        box: Left, top, right, bottom in pixels; clipped to the image.
    """
    image = _opened(png)
    left, top, right, bottom = _rect(box)
    width, height = image.size
    return _saved(image.crop((max(left, 0), max(top, 0), min(right, width), min(bottom, height))))


def _opened(png: bytes) -> "Image":
    from PIL import Image

    with Image.open(io.BytesIO(png)) as image:
        return image.convert("RGB")


def _saved(image: "Image") -> bytes:
    written = io.BytesIO()
    # Writing images is half of the time of making items: this level saves a third for 7 % more
    # bytes.
    image.save(written, "PNG", compress_level=3)
    return written.getvalue()


def _rect(box: Ltrb) -> _Rect:
    """Return the smallest box of whole pixels around a box."""
    left, top, right, bottom = box
    return int(left // 1), int(top // 1), int(-(-right // 1)), int(-(-bottom // 1))


def _outline(pen: "ImageDraw", rect: _Rect, color: str, width: int, size: tuple[int, int]) -> None:
    """Draw a line around a box; at the image's edge, the line is inside."""
    left, top, right, bottom = rect
    outer = (
        max(left - width, 0),
        max(top - width, 0),
        min(right + width, size[0]) - 1,
        min(bottom + width, size[1]) - 1,
    )
    pen.rectangle(outer, outline=color, width=width)


def _size(font: "FreeTypeFont", letter: str) -> tuple[int, int]:
    left, top, right, bottom = font.getbbox(letter)
    return int(right - left) + 2 * _PADDING, int(bottom - top) + 2 * _PADDING


def _place(
    image: "Image",
    rect: _Rect,
    boxes: Sequence[_Rect],
    labels: Sequence[_Rect],
    size: tuple[int, int],
) -> _Rect:
    """Return the place where a letter hides least."""
    return min(
        _inside(_places(rect, size), image.size),
        key=lambda place: _cost(image, place, boxes, labels),
    )


def _places(rect: _Rect, size: tuple[int, int]) -> Iterator[_Rect]:
    left, top, right, bottom = rect
    width, height = size
    corners = (
        (left - _OUTLINE, top - _OUTLINE - height),
        (right + _OUTLINE - width, top - _OUTLINE - height),
        (left - _OUTLINE - width, top - _OUTLINE),
        (right + _OUTLINE, top - _OUTLINE),
        (left - _OUTLINE, bottom + _OUTLINE),
        (right + _OUTLINE - width, bottom + _OUTLINE),
        (left - _OUTLINE - width, bottom + _OUTLINE - height),
        (right + _OUTLINE, bottom + _OUTLINE - height),
        (right - width, top),
        (right - width, bottom - height),
        (left, top),
        (left, bottom - height),
    )
    for x, y in corners:
        yield x, y, x + width, y + height


def _inside(places: Iterator[_Rect], size: tuple[int, int]) -> Sequence[_Rect]:
    """Return the places inside the image; if there are none, the candidates moved into it."""
    candidates = list(places)
    fitting = [
        place
        for place in candidates
        if place[0] >= 0 and place[1] >= 0 and place[2] <= size[0] and place[3] <= size[1]
    ]
    return fitting or [_moved(place, size) for place in candidates]


def _moved(place: _Rect, size: tuple[int, int]) -> _Rect:
    left, top, right, bottom = place
    x = max(min(left, size[0] - (right - left)), 0)
    y = max(min(top, size[1] - (bottom - top)), 0)
    return x, y, x + right - left, y + bottom - top


def _cost(
    image: "Image", place: _Rect, boxes: Sequence[_Rect], labels: Sequence[_Rect]
) -> tuple[bool, bool, bool]:
    """Rank a place: hiding a letter is worst, then the content of a box, then anything else."""
    from PIL import ImageStat

    quiet = ImageStat.Stat(image.crop(place)).stddev[0] <= _QUIET
    return (
        any(_meet(place, label) for label in labels),
        not quiet and any(_meet(place, box) for box in boxes),
        not quiet,
    )


def _meet(one: _Rect, other: _Rect) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
