"""Stand-in screens: published layouts drawn with Pillow, where the screenshots are not at hand.

Source of the layouts: Screen Annotation (Google Research, CC BY 4.0), one screen a row: a tree of
`TYPE text left right top bottom (children)`, coordinates in 0..999 of the screen. A stand-in shows
every text in its place; what is no text (icons, pictures) is a plain shape. It is for tests and
demonstrations: a score on stand-ins is no score of the benchmark.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from snellen.grading.errors import DataError

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont

SIZE = (720, 1280)
"""Width and height of a stand-in, in pixels."""

KINDS = (
    "BUTTON",
    "CHECKBOX",
    "IMAGE",
    "KEYBOARD",
    "LABEL",
    "LIST_ITEM",
    "MAP",
    "NAVIGATION_BAR",
    "PAGER_INDICATOR",
    "PICTOGRAM",
    "RADIO_BUTTON",
    "SWITCH",
    "TEXT",
    "TEXT_INPUT",
    "TOOLBAR",
)
_ELEMENT = re.compile(
    rf"(?:^|[,(] ?)({'|'.join(KINDS)})(?: (.*?))??"
    r" (-?\d{1,4}) (-?\d{1,4}) (-?\d{1,4}) (-?\d{1,4})(?=,|\(|\)| \(|$)",
    re.DOTALL,
)
_PARTS = 999


@dataclass(frozen=True, slots=True)
class Element:
    """One element of a layout; sides in 0..999 of the screen."""

    kind: str
    text: str
    left: int
    top: int
    right: int
    bottom: int

    def holds(self, other: "Element") -> bool:
        """Whether the middle of another element lies in this one."""
        x, y = (other.left + other.right) / 2, (other.top + other.bottom) / 2
        return self.left <= x <= self.right and self.top <= y <= self.bottom


def read_layout(annotation: str) -> tuple[Element, ...]:
    """Return a layout's elements, outer ones before those that they hold.

    >>> layout = read_layout("TOOLBAR 0 999 31 98 (TEXT Settings 470 674 44 89)")
    >>> [element.text for element in layout]
    ['', 'Settings']
    """
    found: list[Element] = []
    for match in _ELEMENT.finditer(annotation):
        sides = [min(max(int(side), 0), _PARTS) for side in match.groups()[2:]]
        left, right, top, bottom = sides
        if left < right and top < bottom:
            found.append(Element(match[1], (match[2] or "").strip(), left, top, right, bottom))
    return tuple(found)


def read_layouts(path: Path) -> Mapping[str, tuple[Element, ...]]:
    """Read a file of layouts, `screen_id,screen_annotation`.

    Raises:
        DataError: It can't be read or has other columns.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"can't read it: {error}", file=str(path)) from error
    rows = csv.DictReader(io.StringIO(text))
    if rows.fieldnames is None or not {"screen_id", "screen_annotation"} <= set(rows.fieldnames):
        raise DataError("expected the columns screen_id and screen_annotation", file=str(path))
    return {row["screen_id"]: read_layout(row["screen_annotation"]) for row in rows}


def draw_screen(layout: tuple[Element, ...], size: tuple[int, int] = SIZE) -> bytes:
    """Return a layout as a PNG; the same layout gives the same pixels."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", size, "#ffffff")
    pen = ImageDraw.Draw(image)
    for element in layout:
        _draw(pen, element, size)
    for element in layout:
        if _speaks(element, layout):
            _write(pen, element, size)
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=6)
    return out.getvalue()


def draw_screens(layouts: Mapping[str, tuple[Element, ...]], folder: Path) -> Iterator[Path]:
    """Draw each layout to `FOLDER/ID.png`, as `--images` of the ScreenQA tasks takes them."""
    folder.mkdir(parents=True, exist_ok=True)
    for screen, layout in layouts.items():
        path = folder / f"{screen}.png"
        path.write_bytes(draw_screen(layout))
        yield path


_FILLS = {
    "BUTTON": "#dbe7fb",
    "IMAGE": "#e4e4e4",
    "KEYBOARD": "#eceff1",
    "LIST_ITEM": "#f7f7f7",
    "MAP": "#dfeee0",
    "NAVIGATION_BAR": "#eef1f6",
    "TOOLBAR": "#e3e9f3",
}
_OUTLINED = frozenset({"TEXT_INPUT", "CHECKBOX", "RADIO_BUTTON", "SWITCH"})
_TEXTS = frozenset(
    {"TEXT", "LABEL", "BUTTON", "TEXT_INPUT", "LIST_ITEM", "TOOLBAR", "NAVIGATION_BAR"}
)
_INK, _LINE, _SHAPE = "#1b1b1f", "#8a93a3", "#9aa7bd"


def _box(element: Element, size: tuple[int, int]) -> tuple[float, float, float, float]:
    across, down = (size[0] - 1) / _PARTS, (size[1] - 1) / _PARTS
    return (
        element.left * across,
        element.top * down,
        element.right * across,
        element.bottom * down,
    )


def _draw(pen: "ImageDraw", element: Element, size: tuple[int, int]) -> None:
    box = _box(element, size)
    radius = min(box[2] - box[0], box[3] - box[1]) / 6
    if element.kind in _FILLS:
        pen.rounded_rectangle(box, radius, fill=_FILLS[element.kind])
    elif element.kind == "PICTOGRAM":
        pen.ellipse(box, outline=_SHAPE, width=2)
    elif element.kind == "PAGER_INDICATOR":
        pen.rectangle(box, outline=_SHAPE)
    if element.kind in _OUTLINED:
        pen.rounded_rectangle(box, radius, outline=_LINE, width=2)


def _speaks(element: Element, layout: tuple[Element, ...]) -> bool:
    if element.kind not in _TEXTS or not element.text:
        return False
    # An outer element's text repeats what is written inside it.
    return element.kind == "TEXT" or not any(
        other.kind == "TEXT" and other is not element and element.holds(other) for other in layout
    )


def _write(pen: "ImageDraw", element: Element, size: tuple[int, int]) -> None:
    left, top, right, bottom = _box(element, size)
    room, height = max(right - left, 1), max(bottom - top, 1)
    lines = _lines(element.text, room, height)
    step = height / len(lines)
    points = max(8, min(40, round(step * 0.72)))
    while points > 8 and max(_font(points).getlength(line) for line in lines) > room * 1.02:
        points -= 1
    for number, line in enumerate(lines):
        pen.text((left, top + (number + 0.5) * step), line, _INK, _font(points), anchor="lm")


def _lines(text: str, room: float, height: float) -> list[str]:
    """Break a text into as many lines as give it the largest letters."""
    words = text.split()
    best, largest = [text], 0.0
    for count in range(1, min(len(words), 12) + 1):
        lines = _broken(words, count)
        widest = max(_font(20).getlength(line) for line in lines) / 20
        points = min(height / len(lines) * 0.72, room / max(widest, 0.01))
        if points > largest:
            best, largest = lines, points
    return best


def _broken(words: list[str], count: int) -> list[str]:
    target = sum(map(len, words)) / count
    lines: list[str] = []
    line: list[str] = []
    for word in words:
        if line and sum(map(len, line)) + len(word) / 2 > target and len(lines) < count - 1:
            lines.append(" ".join(line))
            line = []
        line.append(word)
    return [*lines, " ".join(line)]


@cache
def _font(points: int) -> "FreeTypeFont":
    from PIL import ImageFont

    # Pillow's own: every machine draws the same pixels.
    font = ImageFont.load_default(points)
    assert isinstance(font, ImageFont.FreeTypeFont)
    return font
