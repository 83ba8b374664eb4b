"""Pictures by how they look: small grids of colors that survive another encoding.

A picture becomes a grid of mean colors, 64 across; two look the same where no cell differs
by more than a step that noise of encoding stays under and a line of a marked box does not.
"""

import io
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from snellen.grading.errors import DataError
from snellen.tasks.pack.layout import PackImage
from snellen.tasks.pack.reading import Pack

ACROSS = 64
"""How many cells a grid has across."""

STEP = 12
"""How far a cell's mean color may differ, of 255, in two pictures that look the same."""

SCALED_STEP = 30
"""The same of pictures of different sizes, blurred."""

BLANK = 3
"""A picture whose cells all lie this near to one another shows nothing."""

_TALLEST = 512
_THREADS = 2


@dataclass(frozen=True, slots=True)
class Look:
    """How a picture looks.

    Attributes:
        grid: Cells down x across x 3, the mean colors.
        size: Width and height in pixels.
    """

    grid: NDArray[np.uint8] = field(repr=False)
    size: tuple[int, int]

    @property
    def blank(self) -> bool:
        """Whether it shows nothing."""
        flat = self.grid.reshape(-1, 3)
        return bool((flat.max(axis=0).astype(int) - flat.min(axis=0) <= BLANK).all())


def look_of(data: bytes) -> Look:
    """Return how a picture looks.

    Raises:
        DataError: It can't be read.
    """
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data)) as opened:
            size = opened.size
            down = min(_TALLEST, max(1, round(ACROSS * size[1] / size[0])))
            small = opened.convert("RGB").resize((ACROSS, down), Image.Resampling.BOX)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise DataError(f"the image can't be read: {error}") from None
    return Look(np.asarray(small, dtype=np.uint8), size)


def alike(one: Look, other: Look) -> bool:
    """Whether two pictures look the same, whatever their encoding.

    Pictures of different sizes may be one picture that was scaled, whose edges then fall a little
    otherwise into the cells: they are blurred by a cell, and a larger step is allowed.
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


def looks_of(
    pack: Pack, images: Iterable[PackImage], watch: Callable[[int], None] = lambda _: None
) -> Mapping[str, Look]:
    """Return how each of a pack's pictures looks, by its digest; those on the web are left out.

    Raises:
        DataError: A picture can't be read or was changed.
    """
    files = {image.sha256 or "": image for image in images if image.file is not None}
    found: dict[str, Look] = {}

    def look(image: PackImage) -> Look:
        return look_of(pack.read_image(image))

    with ThreadPoolExecutor(_THREADS) as pool:
        done = pool.map(look, files.values())
        for digest, seen in zip(files, done, strict=True):
            found[digest] = seen
            watch(len(found))
    return found
