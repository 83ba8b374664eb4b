"""Measurements of pictures: content of a box, positions of a part, sharpness of edges."""

from collections import Counter
from random import Random

import numpy as np
from numpy.typing import NDArray

from snellen.grading.metrics.boxes import Ltrb
from snellen.tasks.item_audit.pictures import Pixels, colors_of
from witness.views import color_number

SHARP = 0.66
"""The minimum sharpness: the share of a steep edge's height between two adjacent pixels."""

_REACH = 3
_QUIET = 6
_STEEPEST = 0.95
_SHADE = 8
_FEW_PLACES = 200
_COLORS_TRIED = 8
_SPOTS = 24
_INK = 48
_RINGS = 3


def sharpness(pixels: Pixels) -> float:
    """Return the share of a picture's steepest edges that is between two adjacent pixels.

    Text and edges of a screenshot change within a pixel, at any contrast; blurred ones in several.
    """
    gray = colors_of(pixels).astype(np.int16).sum(axis=2)
    adjacent = _steep(np.abs(gray[:, 1:] - gray[:, :-1]))
    wide = _steep(np.abs(gray[:, _REACH:] - gray[:, :-_REACH]))
    return adjacent / wide if wide > 0 else 1.0


def _steep(steps: NDArray[np.int16]) -> float:
    """Return the 95th percentile of all but the faintest steps."""
    counts = np.bincount(steps.ravel())
    counts[: _QUIET + 1] = 0
    reached = np.cumsum(counts) < _STEEPEST * counts.sum()
    return float(np.count_nonzero(reached))


def extent(mask: NDArray[np.bool_]) -> Ltrb:
    """Return the box around the set pixels of a mask: left, top, right, bottom."""
    rows, columns = np.nonzero(mask.any(axis=1))[0], np.nonzero(mask.any(axis=0))[0]
    return float(columns[0]), float(rows[0]), float(columns[-1] + 1), float(rows[-1] + 1)


def differing(one: Pixels, other: Pixels) -> int:
    """Return the number of pixels that differ, including pixels that only one picture has."""
    height, width = (min(sides) for sides in zip(one.shape, other.shape, strict=True))
    differ = int(np.count_nonzero(one[:height, :width] != other[:height, :width]))
    return differ + one.size + other.size - 2 * height * width


def ring(pixels: Pixels, box: Ltrb, color: str) -> float:
    """Return the share, 0..1, of a line around a box drawn in a color: of its second worst side.

    A letter may cover most of a short side.
    """
    number = color_number(color)
    height, width = pixels.shape
    left, top = int(box[0] // 1), int(box[1] // 1)
    right, bottom = int(-(-box[2] // 1)), int(-(-box[3] // 1))
    across = slice(max(left, 0), min(right, width))
    down = slice(max(top, 0), min(bottom, height))
    steps = range(1, _RINGS + 1)
    sides = (
        [pixels[_within(top - step, height), across] for step in steps],
        [pixels[_within(bottom - 1 + step, height), across] for step in steps],
        [pixels[down, _within(left - step, width)] for step in steps],
        [pixels[down, _within(right - 1 + step, width)] for step in steps],
    )
    shares = sorted(
        max(float((line == number).mean()) for line in lines) for lines in sides if lines[0].size
    )
    return shares[1] if len(shares) > 1 else 0.0


def _within(place: int, size: int) -> int:
    return min(max(place, 0), size - 1)


def find(pixels: Pixels, part: Pixels, most: int = 50) -> list[tuple[int, int]]:
    """Return the positions (left, top) of a part in a picture, at most `most`."""
    height, width = part.shape
    rows, columns = pixels.shape[0] - height + 1, pixels.shape[1] - width + 1
    if rows <= 0 or columns <= 0:
        return []
    values, counts = np.unique(part, return_counts=True)
    # The color of the part that is rarest in the picture leaves the fewest candidates.
    best: NDArray[np.bool_] | None = None
    fewest = rows * columns + 1
    for value in values[np.argsort(counts)[:_COLORS_TRIED]]:
        down, across = divmod(int(np.flatnonzero(part == value)[0]), width)
        room = pixels[down : down + rows, across : across + columns] == value
        if (count := int(np.count_nonzero(room))) < fewest:
            best, fewest = room, count
        if fewest < _FEW_PLACES:
            break
    assert best is not None
    tops, lefts = np.divmod(np.flatnonzero(best), columns)
    random = Random(0)
    for _ in range(_SPOTS):
        down, across = random.randrange(height), random.randrange(width)
        kept = pixels[tops + down, lefts + across] == part[down, across]
        tops, lefts = tops[kept], lefts[kept]
    places = [
        (left, top)
        for top, left in zip(tops[:_FEW_PLACES].tolist(), lefts[:_FEW_PLACES].tolist(), strict=True)
        if np.array_equal(pixels[top : top + height, left : left + width], part)
    ]
    return places[:most]


def stands_alone(pixels: Pixels, part: Pixels, place: tuple[int, int]) -> bool:
    """Whether nothing is drawn within a space's width to the left and right of a part's place.

    The word "Contact" is in "Contact us", too, but that is no second "Contact".
    """
    (left, top), (height, width) = place, part.shape
    space = max(height, _REACH)
    return all(
        len(np.unique(cut(pixels, (start, top, start + space, top + height)))) < 2
        for start in (left - _REACH - space, left + width + _REACH)
    )


def cut(pixels: Pixels, box: Ltrb) -> Pixels:
    """Return the part of a picture in a box, in whole pixels."""
    height, width = pixels.shape
    left, top = max(int(box[0]), 0), max(int(box[1]), 0)
    right, bottom = min(int(-(-box[2] // 1)), width), min(int(-(-box[3] // 1)), height)
    return pixels[top : max(bottom, top), left : max(right, left)]


def grown(box: Ltrb, by: float) -> Ltrb:
    """Return a box with its sides moved outward by some pixels."""
    return box[0] - by, box[1] - by, box[2] + by, box[3] + by


def seen_in(pixels: Pixels, box: Ltrb) -> Ltrb | None:
    """Return the box of the pixels that differ from the color around a box; None for none."""
    mask = _apart(cut(pixels, box), _around(pixels, box).most_common(1)[0][0], _SHADE)
    if not mask.any():
        return None
    left, top, right, bottom = extent(mask)
    x, y = max(int(box[0]), 0), max(int(box[1]), 0)
    return left + x, top + y, right + x, bottom + y


def _apart(pixels: Pixels, ground: int, least: int) -> NDArray[np.bool_]:
    """Return a mask of the pixels that differ from a color by more than `least` in a channel."""
    parts = np.ascontiguousarray(pixels).view(np.uint8).reshape(*pixels.shape, 4)
    base = np.array([ground], dtype=np.uint32).view(np.uint8)
    return np.asarray(np.abs(parts.astype(np.int16) - base).max(axis=-1) > least)


def _around(pixels: Pixels, box: Ltrb) -> Counter[int]:
    """Return how often each color is directly around a box."""
    outer, inner = cut(pixels, grown(box, 3)), cut(pixels, grown(box, 1))
    counts = _counts(outer)
    counts.subtract(_counts(inner))
    return counts


def _counts(pixels: Pixels) -> Counter[int]:
    values, counts = np.unique(pixels, return_counts=True)
    return Counter({int(value): int(count) for value, count in zip(values, counts, strict=True)})


def crosses(pixels: Pixels, box: Ltrb) -> bool:
    """Whether the content of a box continues beyond its top and bottom, or left and right, side.

    A box at a wrong position cuts through characters. On a photograph, where no color fills half of
    the surroundings, what crosses a side says nothing; nor does a side that is crossed as a whole.
    """
    height, width = pixels.shape
    left, top = int(box[0] // 1), int(box[1] // 1)
    right, bottom = int(-(-box[2] // 1)), int(-(-box[3] // 1))
    if left < 3 or top < 3 or right > width - 3 or bottom > height - 3:
        return False
    around = _around(pixels, box)
    ((ground, count),) = around.most_common(1)
    if 2 * count < around.total():
        return False
    for lines in (
        pixels[top - 2 : top + 1, left:right],
        pixels[bottom - 1 : bottom + 2, left:right],
        pixels[top:bottom, left - 2 : left + 1].T,
        pixels[top:bottom, right - 1 : right + 2].T,
    ):
        # Characters that only touch the box from both sides leave the line between them empty.
        through = _apart(lines, ground, _INK).all(axis=0)
        share = float(through.mean()) if through.size else 0.0
        if 0.08 < share < 0.6 and int(np.count_nonzero(np.diff(through.astype(np.int8)))) >= 4:
            return True
    return False
