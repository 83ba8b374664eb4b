"""Styles of charts: colors, sizes, lines, positions of the legend."""

from dataclasses import dataclass
from random import Random

COLORS = {
    "blue": "#2f6fb0",
    "orange": "#e07b1f",
    "green": "#3f9150",
    "red": "#c8342c",
    "purple": "#7a4fa3",
    "brown": "#7d5236",
    "pink": "#e377b5",
    "gray": "#85898f",
    "black": "#1c1c1e",
    "yellow": "#e8c30b",
}
"""Colors that are distinct at a glance, by name."""

_GROUNDS = (("#ffffff", "#222222"), ("#fbfaf6", "#2b2620"), ("#f3f6fa", "#1d2a3a"))
_SIZES = ((640, 400), (720, 440), (600, 420), (760, 430))


@dataclass(frozen=True, slots=True)
class Style:
    """The style of one chart.

    Attributes:
        size: Width and height in pixels, without a note.
        colors: Names of different colors, one for each series (for a pie: for each label).
        ground: The background's color.
        ink: The text's color.
        text: The text's height in pixels.
        gap: The share of a label's space that bars leave free.
        centered: Whether the title is centered.
        framed: Whether the plot has a frame.
        legend: `right` or `bottom`.
        hole: The radius of a pie's hole, as a share of the pie's; 0 for none.
        marker: The marks of a line's points: `circle`, `square` or `diamond`.
    """

    size: tuple[int, int]
    colors: tuple[str, ...]
    ground: str
    ink: str
    text: int
    gap: float
    centered: bool
    framed: bool
    legend: str
    hole: float
    marker: str


def draw_style(random: Random) -> Style:
    ground, ink = random.choice(_GROUNDS)
    return Style(
        size=random.choice(_SIZES),
        colors=tuple(random.sample(list(COLORS), 8)),
        ground=ground,
        ink=ink,
        text=random.choice((13, 14, 15)),
        gap=random.choice((0.2, 0.3, 0.42)),
        centered=random.random() < 0.5,
        framed=random.random() < 0.3,
        legend=random.choice(("right", "bottom")),
        hole=random.choice((0.0, 0.0, 0.5)),
        marker=random.choice(("circle", "square", "diamond")),
    )
