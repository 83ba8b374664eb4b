"""An image, and the lines of text that a reader finds in it.

Boxes are left, top, right, bottom in pixels of the image, with the origin in its top left corner.
"""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Pixels: TypeAlias = NDArray[np.uint8]
"""An image as an array (rows, columns, 3): red, green, blue."""

_STRIP = 1100
_AREA = 1_600_000
_FLAT = 160
_THUMBNAIL = (480, 900)
_QUALITY = 60
_MARK = (0, 160, 60)


class Box(NamedTuple):
    """A rectangle of an image.

    >>> Box(0, 0, 10, 4).holds(5, 2), Box(0, 0, 10, 4).center
    (True, (5.0, 2.0))
    """

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """The width, in pixels."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """The height, in pixels."""
        return self.bottom - self.top

    @property
    def area(self) -> float:
        """The area, in square pixels; 0 for an empty or inverted box."""
        return max(self.width, 0.0) * max(self.height, 0.0)

    @property
    def center(self) -> tuple[float, float]:
        """The center point, x and y."""
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    def holds(self, x: float, y: float) -> bool:
        """Whether a point lies in it."""
        return self.left <= x <= self.right and self.top <= y <= self.bottom

    def shared(self, other: "Box") -> float:
        """Return the area that two boxes share."""
        return Box(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        ).area

    def grown(self, by: float) -> "Box":
        """Return the box with its sides moved outward, or inward for a negative distance."""
        return Box(self.left - by, self.top - by, self.right + by, self.bottom + by)

    def joined(self, other: "Box") -> "Box":
        """Return the smallest box around two."""
        return Box(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )

    def beside(self, other: "Box") -> float:
        """Return the common share of the rows, relative to the less tall box, 0..1."""
        common = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(common, 0.0) / max(min(self.height, other.height), 1.0)

    def above(self, other: "Box") -> float:
        """Return the common share of the columns, relative to the narrower box, 0..1."""
        common = min(self.right, other.right) - max(self.left, other.left)
        return max(common, 0.0) / max(min(self.width, other.width), 1.0)


class Line(NamedTuple):
    """A line of text, with its box."""

    text: str
    box: Box


class Reading(NamedTuple):
    """The text of one line, with the reader's confidence, 0..1."""

    text: str
    sure: float


class Reader(Protocol):
    """Finds lines of text in an image and reads them one by one."""

    def find(self, pixels: Pixels) -> Sequence[Box]:
        """Return the boxes of lines of text."""
        ...

    def read(self, pixels: Pixels) -> Reading:
        """Read an image of one line."""
        ...


class Notes(Protocol):
    """The stored boxes and readings of an image."""

    boxes: list[Box] | None
    readings: dict[Box, Reading]


@dataclass(slots=True)
class PlainNotes:
    """Notes in memory, which are lost with the picture."""

    boxes: list[Box] | None = None
    readings: dict[Box, Reading] = field(default_factory=dict[Box, Reading])


@dataclass
class Picture:
    """An image with its text. Each line is read only once, when it is needed."""

    pixels: Pixels
    reader: Reader  # the reader of its text
    notes: Notes = field(default_factory=PlainNotes)  # the stored boxes and readings
    sure: float = 0.5  # the minimum confidence of a line; lines below it are ignored

    @property
    def width(self) -> int:
        """The width, in pixels."""
        return self.pixels.shape[1]

    @property
    def height(self) -> int:
        """The height, in pixels."""
        return self.pixels.shape[0]

    @cached_property
    def boxes(self) -> list[Box]:
        """The boxes of lines of text, from top to bottom and from left to right."""
        if self.notes.boxes is None:
            self.notes.boxes = reading_order(list(self._found()))
        return self.notes.boxes

    def lines(self, where: Callable[[Box], bool] | None = None) -> list[Line]:
        """Return the lines in reading order: all, or those whose box satisfies `where`."""
        found = ((self.text(box), box) for box in self.boxes if where is None or where(box))
        return [Line(text, box) for text, box in found if text]

    def inside(self, region: Box) -> list[Line]:
        """Return the lines whose center is in a region."""
        return self.lines(lambda box: region.holds(*box.center))

    def text(self, box: Box) -> str:
        """Return the text of a line; empty if the reader's confidence is too low."""
        reading = self.notes.readings.get(box)
        if reading is None:
            reading = self.notes.readings[box] = self.reader.read(self.cut(box))
        return " ".join(reading.text.split()) if reading.sure >= self.sure else ""

    def cut(self, box: Box) -> Pixels:
        """Return a part of the image, at least one pixel."""
        left = min(max(int(box.left), 0), self.width - 1)
        top = min(max(int(box.top), 0), self.height - 1)
        right = max(min(int(np.ceil(box.right)), self.width), left + 1)
        bottom = max(min(int(np.ceil(box.bottom)), self.height), top + 1)
        return self.pixels[top:bottom, left:right]

    def crop(self, box: Box) -> "Picture":
        """Return a part as a new picture, without notes."""
        return Picture(np.ascontiguousarray(self.cut(box)), self.reader, sure=self.sure)

    def thumbnail(self, mark: Box | None = None) -> bytes:
        """Return the image as a small WebP of at most 480 x 900 pixels.

        Args:
            mark: The box that gets a green frame; a tall image is cropped around it.
        """
        from PIL import Image, ImageDraw

        image = Image.fromarray(self.pixels)
        width, height = _THUMBNAIL
        scale = min(width / image.width, 1.0)
        size = (max(round(image.width * scale), 1), max(round(image.height * scale), 1))
        small = image.resize(size)
        top = 0
        if mark is not None:
            left, upper, right, lower = (side * scale for side in mark)
            frame = (left - 2, upper - 2, right + 2, lower + 2)
            ImageDraw.Draw(small).rectangle(frame, outline=_MARK, width=2)
            top = max(0, min(int(upper) - height // 2, small.height - height))
        out = io.BytesIO()
        cut = small.crop((0, top, small.width, min(small.height, top + height)))
        cut.save(out, "WEBP", quality=_QUALITY)
        return out.getvalue()

    def _found(self) -> Sequence[Box]:
        found: list[Box] = []
        for top, bottom in strips(self.pixels):
            part = self.pixels[top:bottom]
            found += [
                Box(box.left, box.top + top, box.right, box.bottom + top)
                for box in self.reader.find(part)
            ]
        return found


def strips(pixels: Pixels) -> list[tuple[int, int]]:
    """Split a tall image into strips, at rows with the fewest changes, to avoid cuts through lines.

    A strip has at most 1,100 rows and 1.6 million pixels. The limit for very wide images is 320
    rows; the last strip has at least 160.

    >>> strips(np.zeros((2500, 4, 3), np.uint8))
    [(0, 1100), (1100, 2200), (2200, 2500)]
    >>> strips(np.zeros((1105, 4, 3), np.uint8))
    [(0, 945), (945, 1105)]
    """
    height, width = pixels.shape[:2]
    most, cuts = max(min(_STRIP, _AREA // width), 2 * _FLAT), [0]
    while height - cuts[-1] > most:
        # The detector would enlarge a strip of a few rows to the size of many screens.
        end = min(cuts[-1] + most, height - _FLAT)
        start = end - _FLAT
        rows = pixels[start + 1 : end + 1].astype(np.int16)
        changes = (np.abs(np.diff(rows, axis=1)).max(axis=2) > 24).sum(axis=1)
        cuts.append(start + 1 + len(changes) - 1 - int(np.argmin(changes[::-1])))
    return list(zip(cuts, [*cuts[1:], height], strict=True))


def reading_order(boxes: Sequence[Box]) -> list[Box]:
    """Sort boxes into rows from top to bottom, each from left to right.

    >>> reading_order([Box(50, 2, 90, 12), Box(0, 20, 9, 30), Box(0, 0, 40, 10)])[0].left
    0
    """
    rows: list[list[Box]] = []
    for box in sorted(boxes, key=lambda one: one.center[1]):
        if rows and rows[-1][-1].beside(box) > 0.5:
            rows[-1].append(box)
        else:
            rows.append([box])
    return [box for row in rows for box in sorted(row)]


def paragraphs(lines: Sequence[Line]) -> list[Line]:
    """Join close consecutive lines with the same left side, center or right side.

    >>> near = [Line("one", Box(0, 0, 50, 10)), Line("two", Box(0, 12, 40, 22))]
    >>> [line.text for line in paragraphs([*near, Line("far", Box(0, 60, 40, 70))])]
    ['one two', 'far']
    """
    joined: list[list[Line]] = []
    for line in lines:
        for group in reversed(joined):
            if _follows(group[-1].box, line.box):
                group.append(line)
                break
        else:
            joined.append([line])
    return [_one(group) for group in joined]


def _follows(upper: Box, lower: Box) -> bool:
    size = min(upper.height, lower.height)
    near = -0.4 * size <= lower.top - upper.bottom <= 0.75 * size
    alike = max(upper.height, lower.height) <= 1.4 * size
    straight = (
        abs(upper.left - lower.left) <= 0.6 * size
        or abs(upper.center[0] - lower.center[0]) <= 0.6 * size
        or abs(upper.right - lower.right) <= 0.3 * size
    )
    return near and alike and straight


def _one(group: Sequence[Line]) -> Line:
    box = group[0].box
    for line in group[1:]:
        box = box.joined(line.box)
    return Line(" ".join(line.text for line in group), box)
