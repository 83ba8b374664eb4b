"""The looks of pictures: small grids of colors that do not depend on the encoding.

A picture is reduced to a grid of mean colors, 64 across. Two pictures look the same if no cell
differs by more than a step that is larger than the noise of encoding and smaller than the line of a
marked box.
"""

import io
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from snellen.grading.errors import DataError

Pixels: TypeAlias = NDArray[np.uint32]
"""A picture's pixels, an array of (rows, columns) of one number each: equal for equal colors."""

ACROSS = 64
"""The number of columns of a grid."""

STEP = 12
"""The maximum difference of a cell's mean color, of 255, in two pictures that look the same."""

SCALED_STEP = 30
"""The same for blurred pictures of different sizes."""

BLANK = 3
"""A picture is blank if its cells differ by at most this much."""

_TALLEST = 512


@dataclass(frozen=True, slots=True)
class Look:
    """The look of a picture."""

    grid: NDArray[np.uint8] = field(repr=False)  # the mean colors, an array of (rows, columns, 3)
    size: tuple[int, int]  # width and height in pixels

    @property
    def blank(self) -> bool:
        """Whether it is blank."""
        flat = self.grid.reshape(-1, 3)
        return bool((flat.max(axis=0).astype(int) - flat.min(axis=0) <= BLANK).all())


def pixels_of(data: bytes) -> Pixels:
    """Return an encoded image's pixels.

    Raises:
        DataError: The image can't be read.
    """
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data)) as opened:
            parts = np.asarray(opened.convert("RGBA"))
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise DataError(f"the image can't be read: {error}") from None
    return parts.view(np.uint32)[:, :, 0]


def colors_of(pixels: Pixels) -> NDArray[np.uint8]:
    """Return pixels as an array of (rows, columns, 3) in RGB."""
    parts = np.ascontiguousarray(pixels).view(np.uint8).reshape(*pixels.shape, 4)
    return parts[:, :, :3]


def number_of(color: tuple[int, int, int]) -> int:
    """Return the pixel number of a color."""
    return int(np.array([[[*color, 255]]], dtype=np.uint8).view(np.uint32)[0, 0, 0])


def look_at(pixels: Pixels) -> Look:
    """Return the look of a picture."""
    from PIL import Image

    height, width = pixels.shape
    down = min(_TALLEST, max(1, round(ACROSS * height / width)))
    # The fourth channel is not transparency here, and must be ignored.
    data = np.ascontiguousarray(pixels)
    image = Image.frombuffer("RGBX", (width, height), data, "raw", "RGBX", 0, 1)
    small = image.resize((ACROSS, down), Image.Resampling.BOX)
    return Look(np.asarray(small, dtype=np.uint8)[:, :, :3], (width, height))


def alike(one: Look, other: Look) -> bool:
    """Whether two pictures look the same, whatever their encoding.

    Pictures of different sizes may be one picture that was scaled. Its edges are then at other
    positions in the cells, so the grids are blurred by a cell and a larger step is allowed.
    """
    rows = min(len(one.grid), len(other.grid))
    if abs(len(one.grid) - len(other.grid)) > 1:
        return False
    first, second = one.grid[:rows].astype(np.float32), other.grid[:rows].astype(np.float32)
    if one.size == other.size:
        return bool(np.abs(first - second).max() <= STEP)
    return bool(np.abs(_blurred(first) - _blurred(second)).max() <= SCALED_STEP)


def _blurred(grid: NDArray[np.float32]) -> NDArray[np.float32]:
    rows, across = grid.shape[:2]
    edged = np.pad(grid, ((1, 1), (1, 1), (0, 0)), mode="edge")
    around = [edged[y : y + rows, x : x + across] for y in range(3) for x in range(3)]
    return np.asarray(np.mean(around, axis=0), dtype=np.float32)
