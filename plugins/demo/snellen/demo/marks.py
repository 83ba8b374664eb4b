"""Marks drawn on an image: boxes in one color, some with a letter."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from snellen.demo.ocr.pictures import Box, Picture, Pixels

Mask: TypeAlias = NDArray[np.bool_]

RED = (255, 0, 0)
_NEAR = 60
_LEAST_SIDE = 8
_THICKEST = 10
_COVERED = 0.85
_SLACK = 3
_TAG = 34
_HOLLOW = 0.45
_EXACT = 8


class _Edge(NamedTuple):
    """A horizontal line, in pixels; `right` and `bottom` are exclusive."""

    left: int
    right: int
    top: int
    bottom: int


def red_box(pixels: Pixels) -> Box | None:
    """Return the largest box that is drawn in red; None: there is none."""
    return max(outlines(pixels, RED), key=lambda box: box.area, default=None)


def outlines(pixels: Pixels, color: tuple[int, int, int], near: int = _NEAR) -> list[Box]:
    """Return the rectangles that are drawn in a color as outlines, not filled.

    Args:
        pixels: The image.
        color: Red, green, blue.
        near: The maximum difference of each channel.
    """
    mask = _near_to(pixels, color, near)
    edges = [edge for edge in _edges(mask) if edge.bottom - edge.top <= _THICKEST]
    found: list[Box] = []
    for place, upper in enumerate(edges):
        for lower in edges[place + 1 :]:
            if abs(upper.left - lower.left) > _TAG + _SLACK:
                continue
            # A letter at a box makes one of its edges longer.
            inner, outer = sorted((upper, lower), key=lambda edge: edge.right - edge.left)
            before, after = inner.left - outer.left, outer.right - inner.right
            same = min(before, after) >= -_SLACK and before + after <= _TAG
            tall = lower.bottom - upper.top >= _LEAST_SIDE and lower.top >= upper.bottom
            if same and tall and _sides(mask, inner, upper.top, lower.bottom):
                found.append(Box(inner.left, upper.top, inner.right, lower.bottom))
                break
    return found


def lettered_boxes(picture: Picture, letters: Sequence[str]) -> dict[str, Box]:
    """Return the boxes that have a letter at one of their corners, by that letter.

    Args:
        picture: The image.
        letters: The possible letters.
    """
    found: dict[str, Box] = {}
    for color in colors_of_marks(picture.pixels):
        for box in outlines(picture.pixels, color, _EXACT):
            # The filled area of a letter is a rectangle of that color, too.
            if _near_to(picture.cut(box), color, _EXACT).mean() > _HOLLOW:
                continue
            for tag in _tags(picture.pixels, box, color):
                said, sure = picture.reader.read(_enlarged(picture.cut(tag)))
                letter = said.strip(" .:()[]").upper()
                if sure >= picture.sure and letter in letters and letter not in found:
                    found[letter] = box
                    break
        if len(found) == len(letters):
            break
    return found


def colors_of_marks(pixels: Pixels, most: int = 40) -> list[tuple[int, int, int]]:
    """Return the colors of thin horizontal and vertical lines, vivid and dark colors first.

    Args:
        pixels: The image.
        most: The maximum number of colors.
    """
    wide = pixels.astype(np.int32)
    packed = wide[..., 0] << 16 | wide[..., 1] << 8 | wide[..., 2]
    level, upright = _thin(packed), _thin(packed.T)
    both = [color for color, count in level.items() if min(count, upright.get(color, 0)) >= _TAG]
    colors = [(one >> 16, one >> 8 & 255, one & 255) for one in both]
    # Marks are usually vivid, or at least dark.
    ranked = sorted(colors, key=lambda one: (vividness(one) < 0.3, sum(one), one))
    return ranked[:most]


def filled_around(pixels: Pixels, box: Box, reach: tuple[float, float] | None = None) -> Box | None:
    """Return the area of one color behind a text, such as a button or badge; None: it is too large.

    Args:
        pixels: The image.
        box: The text's box.
        reach: The maximum distance of the area's edges from the text, horizontal and vertical, in
            pixels; None: derived from the text's height.
    """
    height, width = pixels.shape[:2]
    left, top = max(int(box.left) - 1, 0), max(int(box.top) - 1, 0)
    right, bottom = min(int(box.right) + 1, width), min(int(box.bottom) + 1, height)
    if right - left < 2 or bottom - top < 2:
        return None
    ground = _ground(pixels[top:bottom, left:right])
    alike = _near_to(pixels, ground, 12)
    across, down = reach or (38 * box.height, 2.5 * box.height)
    reach_x, reach_y = int(across), int(down)
    middle_y, middle_x = int(box.center[1]), int(box.center[0])
    new_left = _run(alike[top:bottom, max(left - reach_x, 0) : left][:, ::-1].mean(axis=0))
    new_right = _run(alike[top:bottom, right : right + reach_x].mean(axis=0))
    new_top = _run(alike[max(top - reach_y, 0) : top, left:right][::-1].mean(axis=1))
    new_bottom = _run(alike[bottom : bottom + reach_y, left:right].mean(axis=1))
    grown = Box(left - new_left, top - new_top, right + new_right, bottom + new_bottom)
    bounded = (
        new_left < min(reach_x, left)
        and new_right < min(reach_x, width - right)
        and new_top < min(reach_y, top)
        and new_bottom < min(reach_y, height - bottom)
    )
    return grown if bounded and grown.holds(middle_x, middle_y) else None


def button_around(pixels: Pixels, box: Box) -> Box | None:
    """Return the small area in whose middle a text is, as on a button; None: there is none."""
    around = filled_around(pixels, box)
    if around is None or around.height > 4.5 * box.height:
        return None
    left, right = box.left - around.left, around.right - box.right
    above, below = box.top - around.top, around.bottom - box.bottom
    level = abs(left - right) <= 0.4 * max(left, right) + 4
    upright = abs(above - below) <= 0.4 * max(above, below) + 4
    return around if level and upright and min(left, right) >= 2 else None


def field_around(pixels: Pixels, box: Box) -> Box | None:
    """Return the frame of a field with a text at its left, vertically centered; None: none."""
    around = filled_around(pixels, box)
    if around is None or around.height > 3.2 * box.height or around.width > 40 * box.height:
        return None
    left = box.left - around.left
    above, below = box.top - around.top, around.bottom - box.bottom
    upright = abs(above - below) <= 0.4 * max(above, below) + 4
    return around if upright and 2 <= left <= 2.5 * box.height and min(above, below) >= 2 else None


def ground_of(pixels: Pixels, box: Box) -> tuple[int, int, int]:
    """Return the most frequent color in a box."""
    part = pixels[
        max(int(box.top), 0) : int(box.bottom) + 1, max(int(box.left), 0) : int(box.right) + 1
    ]
    return _ground(part) if part.size else (255, 255, 255)


def vividness(color: tuple[int, int, int]) -> float:
    """Return a color's difference from gray, 0..1."""
    return (max(color) - min(color)) / 255


def _near_to(pixels: Pixels, color: tuple[int, int, int], near: int) -> Mask:
    import cv2

    low, high = ([channel + by for channel in color] for by in (-near, near))
    return np.asarray(cv2.inRange(pixels, np.array(low), np.array(high))) > 0


def _edges(mask: Mask) -> list[_Edge]:
    """Return a mask's horizontal lines: equal runs of at least `_LEAST_SIDE` pixels in each row."""
    open_edges: dict[tuple[int, int], _Edge] = {}
    closed: list[_Edge] = []
    for row in map(int, np.flatnonzero(mask.sum(axis=1) >= _LEAST_SIDE)):
        going: dict[tuple[int, int], _Edge] = {}
        for left, right in _runs(mask[row]):
            before = open_edges.get((left, right))
            if before is not None and before.bottom == row:
                del open_edges[left, right]
                going[left, right] = before._replace(bottom=row + 1)
            else:
                going[left, right] = _Edge(left, right, row, row + 1)
        closed += open_edges.values()
        open_edges = going
    return sorted([*closed, *open_edges.values()], key=lambda edge: edge.top)


def _runs(row: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    changes = np.flatnonzero(np.diff(np.concatenate(([0], row.astype(np.int8), [0]))))
    for left, right in zip(changes[::2], changes[1::2], strict=True):
        if right - left >= _LEAST_SIDE:
            yield int(left), int(right)


def _sides(mask: Mask, edge: _Edge, top: int, bottom: int) -> bool:
    left = mask[top:bottom, edge.left : edge.left + _SLACK].any(axis=1).mean()
    right = mask[top:bottom, max(edge.right - _SLACK, 0) : edge.right].any(axis=1).mean()
    return bool(left >= _COVERED and right >= _COVERED)


def _thin(packed: NDArray[np.int32]) -> dict[int, int]:
    """Return the number of pixels in horizontal lines up to 4 pixels thick, by color."""
    same = packed[:, :-1] == packed[:, 1:]
    off = np.ones(same.shape, bool)
    off[:-4] &= packed[:-4, :-1] != packed[4:, :-1]
    off[4:] &= packed[4:, :-1] != packed[:-4, :-1]
    colors, counts = np.unique(packed[:, :-1][same & off], return_counts=True)
    return dict(zip(map(int, colors), map(int, counts), strict=True))


def _tags(pixels: Pixels, box: Box, color: tuple[int, int, int]) -> list[Box]:
    """Return the possible places of a box's letter: small areas of its color at its corners."""
    import cv2

    found: list[Box] = []
    for corner_x, corner_y in (
        (box.left, box.top),
        (box.right, box.top),
        (box.left, box.bottom),
        (box.right, box.bottom),
    ):
        x, y = max(int(corner_x) - _TAG, 0), max(int(corner_y) - _TAG, 0)
        part = pixels[y : int(corner_y) + _TAG, x : int(corner_x) + _TAG]
        if min(part.shape[:2]) < _LEAST_SIDE:
            continue
        solid = _near_to(part, color, _EXACT).astype(np.uint8)
        # Closing fills the letter's gaps; opening removes the lines of the box.
        solid = np.asarray(cv2.morphologyEx(solid, cv2.MORPH_CLOSE, np.ones((7, 7), np.uint8)))
        solid = np.asarray(cv2.morphologyEx(solid, cv2.MORPH_OPEN, np.ones((7, 7), np.uint8)))
        _, _, areas, _ = cv2.connectedComponentsWithStats(solid, connectivity=4)
        for left, top, width, height, _ in np.asarray(areas)[1:].tolist():
            if min(width, height) >= _LEAST_SIDE and max(width, height) <= _TAG:
                found.append(Box(x + left, y + top, x + left + width, y + top + height))
    return found


def _enlarged(pixels: Pixels) -> Pixels:
    """Return an image three times as large, with a margin, so that OCR reads single letters."""
    margin = np.pad(pixels, ((2, 2), (6, 6), (0, 0)), mode="edge")
    return np.ascontiguousarray(margin.repeat(3, axis=0).repeat(3, axis=1))


def _ground(part: Pixels) -> tuple[int, int, int]:
    flat = part.reshape(-1, 3).astype(np.int32)
    colors, counts = np.unique(flat[:, 0] << 16 | flat[:, 1] << 8 | flat[:, 2], return_counts=True)
    most = int(colors[int(np.argmax(counts))])
    return most >> 16, most >> 8 & 255, most & 255


def _run(shares: NDArray[np.float64]) -> int:
    """Return the number of shares before the first one below `_COVERED`."""
    off = np.flatnonzero(shares < _COVERED)
    return int(off[0]) if len(off) else len(shares)
