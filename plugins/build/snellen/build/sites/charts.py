"""Charts as inline SVG: bars, lines and shares, labeled so that their values can be read.

Each value of a bar or a line is written beside it. If the step of the axis is given, no value is
written; each value lies on a line of the axis and is read there.
"""

from collections.abc import Sequence
from math import cos, pi, sin

from snellen.build.sites.markup import Html, join, tag

WIDTH, HEIGHT = 480, 260
_LEFT, _TOP, _BOTTOM = 52, 26, 36
SLICES = ("#2f6fb0", "#d17a22", "#4d8f55", "#8e4162", "#5b5f97", "#7a6a52")


TICKS = 8
"""The number of steps of an axis from which values are read."""


def tick(most: int) -> int:
    """Return the smallest round step such that `TICKS` steps reach a number.

    >>> tick(96), tick(940)
    (20, 200)
    """
    size = 1
    while True:
        for digit in (1, 2, 5):
            if digit * size * TICKS >= most:
                return digit * size
        size *= 10


def bars(title: str, labels: Sequence[str], values: Sequence[int], step: int = 0) -> Html:
    """Return a bar chart; values are written unless `step` is given."""
    top = TICKS * step or _limit(values)
    axis = _axis(top, TICKS if step else 4)
    room = (WIDTH - _LEFT - 8) // len(values)
    parts: list[Html | None] = []
    for place, (label, value) in enumerate(zip(labels, values, strict=True)):
        tall = _tall(value, top)
        x, y = _LEFT + place * room + room // 6, HEIGHT - _BOTTOM - tall
        wide = room * 2 // 3
        parts += [
            tag("rect", x=x, y=y, width=wide, height=tall, fill="var(--primary)"),
            None if step else _text(x + wide // 2, y - 6, str(value)),
            _text(x + wide // 2, HEIGHT - 12, label),
        ]
    return _chart(title, axis, parts)


def line(title: str, labels: Sequence[str], values: Sequence[int], step: int = 0) -> Html:
    """Return a line chart with one line; values are written unless `step` is given."""
    top = TICKS * step or _limit(values)
    axis = _axis(top, TICKS if step else 4)
    room = (WIDTH - _LEFT - 30) // max(1, len(values) - 1)
    places = [
        (_LEFT + 12 + place * room, HEIGHT - _BOTTOM - _tall(value, top))
        for place, value in enumerate(values)
    ]
    points = " ".join(f"{x},{y}" for x, y in places)
    parts: list[Html | None] = [
        Html(f'<polyline points="{points}" fill="none" stroke="var(--link)" stroke-width="3"/>')
    ]
    for place, ((x, y), label, value) in enumerate(zip(places, labels, values, strict=True)):
        around = values[max(place - 1, 0) : place + 2]
        # Above a peak and below a valley, the line does not cross the number.
        away = -9 if value * len(around) >= sum(around) else 20
        parts += [
            tag("circle", cx=x, cy=y, r=4, fill="var(--link)"),
            None if step else _text(x, y + away, str(value)),
            _text(x, HEIGHT - 12, label),
        ]
    return _chart(title, axis, parts)


def shares(title: str, labels: Sequence[str], values: Sequence[int]) -> Html:
    """Return a pie chart with a key beside it, in whole percent that add up to 100."""
    parts: list[Html] = []
    percents = percentages(values)
    angle = -pi / 2
    for place, (label, percent) in enumerate(zip(labels, percents, strict=True)):
        end = angle + 2 * pi * percent / 100
        x, y = 130 + 96 * cos(angle), 130 + 96 * sin(angle)
        u, v = 130 + 96 * cos(end), 130 + 96 * sin(end)
        color = SLICES[place % len(SLICES)]
        parts += [
            Html(f'<path d="M130 130 L{x:.1f} {y:.1f} A96 96 0 {int(percent > 50)} 1 '
                 f'{u:.1f} {v:.1f} Z" fill="{color}"/>'),
            tag("rect", x=262, y=48 + 36 * place, width=16, height=16, fill=color),
            _text(288, 61 + 36 * place, f"{label}: {percent} %", anchor="start"),
        ]  # fmt: skip
        angle = end
    return _chart(title, None, parts)


def percentages(values: Sequence[int]) -> list[int]:
    """Return whole percentages that add up to 100, by the largest remainder method.

    >>> percentages([1, 1, 1])
    [34, 33, 33]
    """
    total = sum(values)
    floors = [100 * value // total for value in values]
    rest = 100 - sum(floors)
    order = sorted(range(len(values)), key=lambda place: -(100 * values[place] % total))
    return [floor + (place in order[:rest]) for place, floor in enumerate(floors)]


def _limit(values: Sequence[int]) -> int:
    size = 10 ** (len(str(max(values))) - 1)
    return (max(values) // size + 1) * size


def _tall(value: int, top: int) -> int:
    return (HEIGHT - _TOP - _BOTTOM) * value // top


def _axis(top: int, steps: int) -> list[Html]:
    parts: list[Html] = []
    for part in range(steps + 1):
        y = HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * part // steps
        parts += [
            Html(f'<path d="M{_LEFT} {y} H{WIDTH - 8}" stroke="var(--line)"/>'),
            _text(_LEFT - 6, y + 4, f"{top * part / steps:g}", anchor="end"),
        ]
    return parts


def _text(x: int, y: int, text: str, anchor: str = "middle") -> Html:
    return tag("text", text, x=x, y=y, text_anchor=anchor, fill="var(--text)", font_size=14)


def _chart(title: str, axis: list[Html] | None, parts: Sequence[Html | None]) -> Html:
    return Html(
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{join(title).replace(chr(34), "&quot;")}">{join(axis, parts)}</svg>'
    )
