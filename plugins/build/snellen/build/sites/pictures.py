"""Pictures as SVG: random scenes of simple shapes."""

from collections.abc import Callable
from html import escape
from itertools import pairwise
from random import Random
from typing import NamedTuple
from urllib.parse import quote

from snellen.build.chance import draw
from snellen.build.sites.markup import Html, tag

_SKIES = (("#bfe3f7", "#f7e3c4"), ("#f8cfa8", "#e98f6d"), ("#cdd9ea", "#8fa9c9"),
          ("#d8f0e2", "#8cc7b0"), ("#e6d9f2", "#a58bc9"))  # fmt: skip
_GREENS = ("#4f8a5b", "#6da06f", "#38694c", "#8bb174", "#2f5d50")
TINTS = ("#c8553d", "#e0a458", "#588b8b", "#2d4a67", "#8e4162", "#3f7d58", "#d17a22", "#5b5f97")
_SKINS = ("#f2cfb4", "#d9a47c", "#b0764e", "#8a5638", "#5f3b26")
WIDTH = 480
TINTED = frozenset({"product", "room", "cards", "tools", "case", "portrait"})
"""The scenes whose main object has the tint of the picture."""


class Brush(NamedTuple):
    """The inputs of the drawing of a scene."""

    random: Random  # the source of random numbers
    height: int  # the height of the picture; all pictures have the same width
    form: int  # the index of the object in the scene, such as a table or a lamp
    tint: str  # the color of the main object


def picture(
    shows: str,
    alt: str,
    random: Random,
    *,
    tint: str = TINTS[0],
    form: int = 0,
    wide: bool = True,
    css: str = "",
) -> Html:
    """Return a picture as an image element with inline data.

    Args:
        shows: Its scene, from `SCENES`.
        alt: Its alternative text.
        random: The source of random numbers.
        tint: The color of the main object, used if the scene is in `TINTED`.
        form: The index of the object in the scene, such as a table or a lamp.
        wide: Whether its aspect ratio is 5:3 instead of 1:1.
        css: Its CSS class.
    """
    height = 288 if wide else WIDTH
    shapes = "".join(SCENES[shows](Brush(random, height, form, tint)))
    drawn = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}">{shapes}</svg>'
    )
    source = "data:image/svg+xml," + quote(drawn, safe=" =:/;,'()")
    return tag("img", class_=css or None, src=source, alt=alt, width=WIDTH, height=height)


def logo(title: str, color: str, back: str) -> Html:
    """Return the small logo beside a site's name, the same on all of its pages."""
    shape = draw(0, title, "logo").randrange(4)
    inner = (
        f'<circle cx="16" cy="16" r="15" fill="{color}"/>'
        f'<path d="M8 20 L16 8 L24 20 Z" fill="{back}"/>',
        f'<rect x="1" y="1" width="30" height="30" rx="7" fill="{color}"/>'
        f'<circle cx="16" cy="16" r="7" fill="{back}"/>',
        f'<path d="M16 1 L31 16 L16 31 L1 16 Z" fill="{color}"/><path d="M11 16 H21 M16 11 V21" '
        f'stroke="{back}" stroke-width="3"/>',
        f'<path d="M2 26 C2 8 12 2 30 2 C30 20 22 30 2 30 Z" fill="{color}"/>'
        f'<path d="M6 27 L22 10" stroke="{back}" stroke-width="3"/>',
    )[shape]
    return Html(
        f'<svg width="32" height="32" viewBox="0 0 32 32" role="img" '
        f'aria-label="{escape(title)}">{inner}</svg>'
    )


def _rect(x: int, y: int, width: int, height: int, fill: str, more: str = "") -> str:
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{fill}"{more}/>'


def _circle(x: int, y: int, radius: int, fill: str) -> str:
    return f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{fill}"/>'


def _sky(random: Random, height: int) -> list[str]:
    top, low = random.choice(_SKIES)
    return [
        f'<defs><linearGradient id="s" x2="0" y2="1"><stop stop-color="{top}"/>'
        f'<stop offset="1" stop-color="{low}"/></linearGradient></defs>',
        _rect(0, 0, WIDTH, height, "url(#s)"),
    ]


def _landscape(brush: Brush) -> list[str]:
    random, height, _, _ = brush
    shapes = _sky(random, height)
    shapes.append(
        _circle(random.randrange(60, 420), height // 4, random.randrange(18, 38), "#fff4d6")
    )
    for layer in range(3):
        level = height * (5 + 2 * layer) // 12
        ridge = [f"{step * 80},{level + random.randrange(-40, 40)}" for step in range(7)]
        points = [f"0,{height}", *ridge, f"{WIDTH},{height}"]
        shapes.append(f'<polygon points="{" ".join(points)}" fill="{_GREENS[(layer * 2) % 5]}"/>')
    for _ in range(random.randrange(3, 9)):
        x, y = random.randrange(20, 460), height * 3 // 4 + random.randrange(0, height // 6)
        size = random.randrange(14, 34)
        shapes.append(
            f'<polygon points="{x},{y - 2 * size} {x - size},{y} {x + size},{y}" fill="#21483a"/>'
        )
    return shapes


def _skyline(brush: Brush) -> list[str]:
    random, height, _, _ = brush
    shapes = _sky(random, height)
    x = 0
    while x < WIDTH:
        width, tall = random.randrange(44, 92), random.randrange(height // 4, height * 4 // 5)
        shapes.append(_rect(x, height - tall, width, tall, random.choice(TINTS)))
        lit = random.choice(("#ffe9a8", "#dfeaf2", "#fff6df"))
        for row in range(height - tall + 12, height - 14, 26):
            for column in range(x + 8, x + width - 12, 18):
                if random.randrange(5):
                    shapes.append(_rect(column, row, 9, 13, lit))
        x += width + random.randrange(0, 10)
    shapes.append(_rect(0, height - 12, WIDTH, 12, "#4a4f57"))
    return shapes


def _product(brush: Brush) -> list[str]:
    random, height, form, tint = brush
    back, front = random.choice(("#f1ece4", "#e8eef2", "#eef0e6", "#f3e9ea")), tint
    other = random.choice(("#6b4f36", "#3a3f45", "#a8845c", "#77706a"))
    middle = height // 2
    shapes = [
        _rect(0, 0, WIDTH, height, back),
        f'<ellipse cx="240" cy="{middle + 104}" rx="150" ry="16" fill="#00000022"/>',
    ]
    if form == 0:  # a table
        shapes += [
            _rect(110, middle - 30, 260, 22, front, ' rx="6"'),
            _rect(130, middle - 8, 16, 110, other),
            _rect(334, middle - 8, 16, 110, other),
        ]
    elif form == 1:  # a lamp
        shapes += [
            f'<polygon points="190,{middle - 20} 290,{middle - 20} 270,{middle - 100} '
            f'210,{middle - 100}" fill="{front}"/>',
            _rect(234, middle - 20, 12, 110, other),
            _rect(190, middle + 88, 100, 14, other),
        ]
    elif form == 2:  # a cabinet
        shapes += [
            _rect(160, middle - 110, 160, 200, front, ' rx="6"'),
            _rect(238, middle - 100, 4, 180, other),
            *(_rect(x, middle + 90, 16, 16, other) for x in (170, 294)),
            *(_circle(x, middle - 10, 6, other) for x in (226, 254)),
        ]
    else:  # a chair
        shapes += [
            _rect(180, middle - 100, 18, 200, other),
            _rect(180, middle, 120, 22, front),
            _rect(282, middle, 18, 100, other),
            _rect(186, middle - 90, 14, 80, front, ' rx="5"'),
        ]
    return shapes  # fmt: skip


def _portrait(brush: Brush) -> list[str]:
    random, height, _, tint = brush
    skin, hair = random.choice(_SKINS), random.choice(("#2b1d14", "#5a3a22", "#b58a4b", "#777d84"))
    middle, dress = height // 2, tint
    return [
        _rect(0, 0, WIDTH, height, random.choice(("#dfe8ee", "#ece4da", "#e2ecdf", "#eadfe9"))),
        f'<ellipse cx="240" cy="{height + 20}" rx="150" ry="{height // 3}" fill="{dress}"/>',
        _rect(214, middle + 20, 52, 70, skin),
        _circle(240, middle - 14, 70 + random.randrange(8), hair),
        f'<ellipse cx="240" cy="{middle}" rx="56" ry="68" fill="{skin}"/>',
        _circle(220, middle - 6, 5, "#22201e"),
        _circle(260, middle - 6, 5, "#22201e"),
        f'<path d="M220 {middle + 28} q20 {random.randrange(6, 20)} 40 0" fill="none" '
        f'stroke="#7a3b2e" stroke-width="4"/>',
    ]


def _dish(brush: Brush) -> list[str]:
    random, height, _, _ = brush
    middle = height // 2
    shapes = [
        _rect(0, 0, WIDTH, height, random.choice(("#6b4a36", "#39424a", "#a9876a", "#cdbfae"))),
        _circle(240, middle, 124, "#f7f4ee"),
        _circle(240, middle, 92, "#e7e1d5"),
    ]
    for _ in range(random.randrange(9, 18)):
        color = random.choice(("#c8553d", "#e0a458", "#6d9a4a", "#8a5a33", "#f0d9a4", "#a4343a"))
        x, y = 240 + random.randrange(-60, 60), middle + random.randrange(-58, 58)
        shapes.append(_circle(x, y, random.randrange(9, 30), color))
    return shapes


def _room(brush: Brush) -> list[str]:
    random, height, _, tint = brush
    floor = height * 3 // 4
    wall, sofa = random.choice(("#e8e1d6", "#d9e3e4", "#e6dfe9", "#dfe6d5")), tint
    left = random.randrange(40, 160)
    return [
        _rect(0, 0, WIDTH, floor, wall),
        _rect(0, floor, WIDTH, height - floor, random.choice(("#b88a5e", "#8f6f53", "#a7a29a"))),
        _rect(left, 40, 120, 100, "#bfe0f2"),
        _rect(left + 57, 40, 6, 100, "#ffffff"),
        _rect(left, 87, 120, 6, "#ffffff"),
        _rect(left + 130, floor - 70, 190, 80, sofa, ' rx="14"'),
        _rect(left + 120, floor - 40, 24, 56, sofa, ' rx="8"'),
        _rect(left + 306, floor - 40, 24, 56, sofa, ' rx="8"'),
        _rect(20, floor - 90, 14, 96, "#6b4f36"),
        _circle(27, floor - 100, 24, random.choice(_GREENS)),
    ]


def _diagram(brush: Brush) -> list[str]:
    random, height, _, _ = brush
    shapes = [_rect(0, 0, WIDTH, height, random.choice(("#eef2f7", "#f3f0ea", "#eaf3ef")))]
    places = [(random.randrange(20, 110) + 150 * column, height * (1 + 2 * (column % 2)) // 5)
              for column in range(3)]  # fmt: skip
    for (x, y), (u, v) in pairwise(places):
        shapes.append(
            f'<path d="M{x + 45} {y + 25} L{u + 45} {v + 25}" stroke="#7b8794" stroke-width="4"/>'
        )
    for x, y in places:
        shapes.append(_rect(x, y, 90, 54, random.choice(TINTS), ' rx="8"'))
        shapes.append(_rect(x + 14, y + 16, 62, 6, "#ffffffcc"))
        shapes.append(_rect(x + 14, y + 30, random.randrange(24, 58), 6, "#ffffff99"))
    return shapes


def _abstract(brush: Brush) -> list[str]:
    random, height, _, _ = brush
    shapes = [_rect(0, 0, WIDTH, height, random.choice(("#f4efe6", "#22252b", "#e9e4f0")))]
    for _ in range(random.randrange(7, 14)):
        color, x, y = random.choice(TINTS), random.randrange(WIDTH), random.randrange(height)
        size = random.randrange(20, 110)
        shapes.append(
            _circle(x, y, size // 2, color)
            if random.randrange(2)
            else _rect(x - size, y - size // 3, 2 * size, size // 2, color)
        )
    return shapes


def _cards(brush: Brush) -> list[str]:
    random, height, _, tint = brush
    top = height // 2 - 84
    shapes = [_rect(0, 0, WIDTH, height, random.choice(("#eceff3", "#f3efe8", "#e9f0ec")))]
    for place, fill in enumerate((random.choice(("#3a3f45", "#77706a", "#a8845c")), tint)):
        x, y = 90 + 48 * place, top + 30 * place
        shapes += [
            _rect(x, y, 250, 150, fill, ' rx="14"'),
            _rect(x + 22, y + 44, 40, 30, "#e7d9a5", ' rx="5"'),
            _rect(x + 22, y + 98, 170 - random.randrange(30), 9, "#ffffffcc"),
            _rect(x + 22, y + 118, 80 + random.randrange(40), 7, "#ffffff88"),
            _circle(x + 214, y + 114, 15, "#ffffff66"),
        ]
    return shapes


def _tools(brush: Brush) -> list[str]:
    random, height, form, tint = brush
    middle, wood = height // 2, random.choice(("#a8845c", "#8f6f53", "#6b4f36"))
    shapes = [_rect(0, 0, WIDTH, height, random.choice(("#eceff3", "#f3efe8", "#efeae2")))]
    if form == 0:  # a first-aid case
        return [*shapes, _rect(130, middle - 70, 220, 150, tint, ' rx="16"'),
                _rect(200, middle - 96, 80, 30, wood, ' rx="8"'),
                _rect(222, middle - 44, 36, 100, "#ffffff"),
                _rect(190, middle - 12, 100, 36, "#ffffff")]  # fmt: skip
    if form == 1:  # a hammer
        return [*shapes, _rect(226, middle - 60, 28, 180, wood, ' rx="6"'),
                _rect(160, middle - 100, 160, 54, tint, ' rx="8"')]  # fmt: skip
    if form == 2:  # a folder and a pen
        return [*shapes, _rect(130, middle - 90, 200, 190, tint, ' rx="8"'),
                _rect(150, middle - 64, 120, 10, "#ffffffcc"),
                _rect(150, middle - 40, 90 + random.randrange(50), 10, "#ffffffcc"),
                _rect(352, middle - 80, 16, 160, wood, ' rx="8"')]  # fmt: skip
    return [*shapes, _rect(120, middle - 90, 240, 150, "#3a3f45", ' rx="10"'),  # a screen
            _rect(132, middle - 78, 216, 126, tint), _rect(222, middle + 60, 36, 34, "#3a3f45"),
            _rect(170, middle + 90, 140, 12, "#3a3f45", ' rx="6"'),
            _rect(150, middle - 54, 70 + random.randrange(80), 10, "#ffffffcc")]  # fmt: skip


def _hall(brush: Brush) -> list[str]:
    random, height, _, _ = brush
    ground, stone = height - 40, random.choice(("#e4dccb", "#d9d3c7", "#cfd4d8", "#e6d5c3"))
    left, count = random.randrange(60, 110), random.randrange(4, 7)
    wide = WIDTH - 2 * left
    shapes = [*_sky(random, height), _rect(0, ground, WIDTH, 40, random.choice(_GREENS))]
    top = ground - height // 2
    shapes += [
        _rect(left, top, wide, height // 2, stone),
        f'<polygon points="{left - 20},{top} 240,{top - 60} {WIDTH - left + 20},{top}" '
        f'fill="{random.choice(TINTS)}"/>',
        _rect(left - 14, ground - 14, wide + 28, 14, "#a79f92"),
    ]
    step = wide // count
    for place in range(count):
        shapes.append(_rect(left + place * step + step // 3, top + 10, step // 3, height // 2 - 24,
                            "#ffffff"))  # fmt: skip
    return shapes


def _turbines(brush: Brush) -> list[str]:
    random, height, _, _ = brush
    shapes = _landscape(brush)
    for place in range(random.randrange(2, 5)):
        x, y = 70 + place * 100 + random.randrange(40), height // 3 + random.randrange(-30, 30)
        shapes.append(_rect(x - 3, y, 6, height // 2, "#ffffff"))
        turn = random.randrange(120)
        shapes += [
            f'<path d="M{x} {y} l-5 -58 l10 0 z" fill="#ffffff" '
            f'transform="rotate({turn + 120 * blade} {x} {y})"/>'
            for blade in range(3)
        ]
    return shapes


SCENES: dict[str, Callable[[Brush], list[str]]] = {
    "landscape": _landscape,
    "skyline": _skyline,
    "product": _product,
    "portrait": _portrait,
    "dish": _dish,
    "room": _room,
    "diagram": _diagram,
    "abstract": _abstract,
    "cards": _cards,
    "tools": _tools,
    "case": lambda brush: _tools(brush._replace(form=0)),  # a first-aid case
    "hall": _hall,
    "turbines": _turbines,
}
"""The names of the scenes."""
