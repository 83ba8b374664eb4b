"""Charts as pictures."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import cos, pi, sin
from typing import TYPE_CHECKING, TypeAlias

from PIL import Image, ImageDraw, ImageFont

from snellen.build.charts.styles import COLORS, Style
from snellen.build.charts.tables import LARGEST, Table, written

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


_MARGIN = 18.0
_GRID = "#cfd4da"
_LIGHT = frozenset({"yellow", "pink", "orange"})
_NOTE = 16


@dataclass(frozen=True, slots=True)
class _Plot:
    """The area of the marks, in pixels; values are mapped to it, with `top` at the axis's end."""

    left: float
    upper: float
    right: float
    lower: float
    top: float

    def up(self, value: float) -> float:
        """Return the y coordinate of a value on a vertical axis."""
        return self.lower - (self.lower - self.upper) * value / self.top

    def along(self, value: float) -> float:
        """Return the x coordinate of a value on a horizontal axis."""
        return self.left + (self.right - self.left) * value / self.top

    def across(self, place: float, count: int) -> float:
        """Return the x coordinate of a label's middle, for labels side by side."""
        return self.left + (self.right - self.left) * (place + 0.5) / count

    def down(self, place: float, count: int) -> float:
        """Return the y coordinate of a label's middle, for labels one below another."""
        return self.upper + (self.lower - self.upper) * (place + 0.5) / count


def draw_chart(table: Table, style: Style, *, note: str = "", marked: int | None = None) -> bytes:
    """Draw a table's chart.

    Args:
        table: The content.
        style: The style.
        note: A text below the chart.
        marked: The index of the one bar with another color, for charts of one series.

    Returns:
        A PNG; the same bytes for the same arguments and the same Pillow.
    """
    width, height = style.size
    lines = wrapped(note, _NOTE, width - 2 * _MARGIN)
    below = round(len(lines) * _NOTE * 1.4 + _MARGIN) if lines else 0
    canvas = Canvas(width, height + below, style.ground)
    upper = _headings(canvas, table, style)
    names = [series.name for series in table.series]
    if table.kind == "pie":
        _pie(canvas, table, style, upper)
    else:
        right, lower = float(width), float(height)
        if len(names) > 1:
            right, lower = _legend(canvas, names, style, upper)
        if table.kind == "rows":
            _rows(canvas, table, style, upper, marked)
        else:
            _upright(canvas, table, style, (upper, right, lower), marked)
    for number, line in enumerate(lines):
        y = height + _NOTE * (0.7 + 1.4 * number)
        canvas.text((_MARGIN, y), line, style.ink, _NOTE, "lm")
    return canvas.png()


def _headings(canvas: Canvas, table: Table, style: Style) -> float:
    """Write the title and the unit; return the y coordinate of their end."""
    x, anchor = (style.size[0] / 2, "mm") if style.centered else (_MARGIN, "lm")
    title = f"{table.title} by {table.over}"
    canvas.text((x, 24), title, style.ink, style.text + 6, anchor)
    canvas.text((x, 48), f"in {table.unit}", style.ink, style.text, anchor)
    return 70.0


def _legend(canvas: Canvas, names: list[str], style: Style, upper: float) -> tuple[float, float]:
    """Draw the legend; return the right and the lower limit of the plot."""
    width, height = style.size
    side = style.text
    if style.legend == "right":
        wide = max(width_of(name, style.text) for name in names) + 2 * side + _MARGIN
        for number, name in enumerate(names):
            _entry(canvas, (width - wide, upper + 14 + 26 * number), name, style, number)
        return width - wide, height
    x = _MARGIN + 40
    for number, name in enumerate(names):
        _entry(canvas, (x, height - 18), name, style, number)
        x += width_of(name, style.text) + 2 * side + 18
    return width, height - 30


def _entry(canvas: Canvas, at: tuple[float, float], name: str, style: Style, number: int) -> None:
    half = style.text / 2
    color = COLORS[style.colors[number]]
    canvas.rect(at[0], at[1] - half, at[0] + style.text, at[1] + half, color)
    canvas.text((at[0] + style.text + 8, at[1]), name, style.ink, style.text, "lm")


def _upright(
    canvas: Canvas, table: Table, style: Style, room: tuple[float, float, float],
    marked: int | None,
) -> None:  # fmt: skip
    upper, right, lower = room
    ticks = [written(table.step * number) for number in range(round(table.top / table.step) + 1)]
    left = _MARGIN + max(width_of(tick, style.text) for tick in ticks) + 8
    plot = _Plot(left, upper + 14, right - _MARGIN, lower - 34, table.top)
    every = -(-len(ticks) // (LARGEST + 4))
    for number, tick in enumerate(ticks):
        y = plot.up(table.step * number)
        canvas.line([(plot.left, y), (plot.right, y)], _GRID if number else style.ink)
        if number % every == 0:
            canvas.text((plot.left - 8, y), tick, style.ink, style.text, "rm")
    if style.framed:
        corners = [(plot.left, plot.upper), (plot.right, plot.upper), (plot.right, plot.lower)]
        canvas.line([*corners, (plot.left, plot.lower), corners[0]], style.ink)
    for place, label in enumerate(table.labels):
        x = plot.across(place, len(table.labels))
        canvas.text((x, plot.lower + 16), label, style.ink, style.text)
    if table.kind in {"line", "lines"}:
        _lines(canvas, table, style, plot)
    else:
        _bars(canvas, table, style, plot, marked)


def _bars(canvas: Canvas, table: Table, style: Style, plot: _Plot, marked: int | None) -> None:
    room = (plot.right - plot.left) / len(table.labels) * (1 - style.gap)
    side_by_side = len(table.series) if table.kind == "grouped" else 1
    wide = room / side_by_side
    for place in range(len(table.labels)):
        first = plot.across(place, len(table.labels)) - room / 2
        base = 0.0
        for number, series in enumerate(table.series):
            value = series.values[place]
            x = first + wide * (number if side_by_side > 1 else 0)
            name = style.colors[-1 if place == marked else number]
            upper, lower = plot.up(base + value), plot.up(base)
            canvas.rect(x, upper, x + wide - (1 if side_by_side > 1 else 0), lower, COLORS[name])
            if table.kind == "stacked":
                ink = style.ink if name in _LIGHT else "#ffffff"
                canvas.text((x + wide / 2, (upper + lower) / 2), written(value), ink, 13)
                base += value
            elif table.labelled:
                canvas.text((x + wide / 2, upper - 9), written(value), style.ink, 13)


def _lines(canvas: Canvas, table: Table, style: Style, plot: _Plot) -> None:
    for number, series in enumerate(table.series):
        color = COLORS[style.colors[number]]
        points = [
            (plot.across(place, len(table.labels)), plot.up(value))
            for place, value in enumerate(series.values)
        ]
        canvas.line(points, color, 2.5)
        for x, y in points:
            _marker(canvas, (x, y), style.marker, color)
    if table.labelled:
        values = table.series[0].values
        for place, value in enumerate(values):
            around = values[max(place - 1, 0) : place + 2]
            # Above a peak and below a valley, the line does not cross the number.
            away = -15 if value >= sum(around) / len(around) else 16
            at = (plot.across(place, len(values)), plot.up(value) + away)
            canvas.text(at, written(value), style.ink, 13)


def _marker(canvas: Canvas, at: tuple[float, float], shape: str, color: str) -> None:
    x, y = at
    if shape == "circle":
        canvas.disc(at, 4.5, color)
    elif shape == "square":
        canvas.rect(x - 4, y - 4, x + 4, y + 4, color)
    else:
        canvas.polygon([(x - 5.5, y), (x, y - 5.5), (x + 5.5, y), (x, y + 5.5)], color)


def _rows(canvas: Canvas, table: Table, style: Style, upper: float, marked: int | None) -> None:
    width, height = style.size
    left = _MARGIN + max(width_of(label, style.text) for label in table.labels) + 8
    plot = _Plot(left, upper, width - _MARGIN - 26, height - 34, table.top)
    for number in range(LARGEST + 1):
        x = plot.along(table.step * number)
        canvas.line([(x, plot.upper), (x, plot.lower)], _GRID if number else style.ink)
        tick = written(table.step * number)
        canvas.text((x, plot.lower + 14), tick, style.ink, style.text)
    half = (plot.lower - plot.upper) / len(table.labels) * (1 - style.gap) / 2
    for place, (label, value) in enumerate(zip(table.labels, table.series[0].values, strict=True)):
        y = plot.down(place, len(table.labels))
        color = COLORS[style.colors[-1 if place == marked else 0]]
        canvas.rect(plot.left, y - half, plot.along(value), y + half, color)
        canvas.text((plot.left - 8, y), label, style.ink, style.text, "rm")
        if table.labelled:
            canvas.text((plot.along(value) + 6, y), written(value), style.ink, 13, "lm")


def _pie(canvas: Canvas, table: Table, style: Style, upper: float) -> None:
    width, height = style.size
    values = table.series[0].values
    radius = (height - upper) / 2 - 34
    middle = (_MARGIN + radius + 60, (upper + height) / 2)
    start = -90.0
    for number, (label, value) in enumerate(zip(table.labels, values, strict=True)):
        end = start + 360 * value / sum(values)
        color = COLORS[style.colors[number]]
        canvas.slice(middle, radius, (start, end), (color, style.ground))
        angle = (start + end) / 2 * pi / 180
        at = (middle[0] + (radius + 18) * cos(angle), middle[1] + (radius + 14) * sin(angle))
        canvas.text(at, written(value), style.ink, style.text)
        # The legend is to the right of the values around the pie.
        beside = middle[0] + radius + 18 + width_of(written(max(values)), style.text)
        room = (max(width * 0.62, beside + 12), upper + 30 + 30 * number)
        _entry(canvas, room, label, style, number)
        start = end
    if style.hole:
        canvas.disc(middle, radius * style.hole, style.ground)
