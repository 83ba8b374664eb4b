"""Thumbnails of the items' images for a report's page, within a budget."""

import hashlib
import io
from collections.abc import Callable

from pydantic import Field

from snellen.grading.errors import DataError
from snellen.grading.models.base import Closed
from snellen.grading.report.page import Thumbnail

MEDIA = "image/webp"


class ThumbnailBudget(Closed):
    """The maximum size of the thumbnails of a page.

    Attributes:
        total: The maximum size of all thumbnails together, as embedded in the file, in bytes.
        side: The longest side of a small thumbnail, in pixels.
        large_side: The longest side of the first thumbnails, which are legible when enlarged.
        large_share: The share of `total` for large thumbnails; 0: none is large.
        quality: The quality of WebP, 1..100.
    """

    total: int = Field(default=4_000_000, ge=0)
    side: int = Field(default=320, ge=16)
    large_side: int = Field(default=1280, ge=16)
    large_share: float = Field(default=0.5, ge=0, le=1)
    quality: int = Field(default=60, ge=1, le=100)


class Album:
    """The thumbnails of a page; equal images share one.

    Args:
        budget: The budget. After the first large thumbnail that does not fit, all are small. After
            the first small one that does not fit, no more are added.
    """

    def __init__(self, budget: ThumbnailBudget) -> None:
        self.budget = budget
        self.images: list[Thumbnail] = []
        self.left_out = 0
        self.unreadable = 0
        self._indices: dict[bytes, int | None] = {}
        self._room = budget.total
        self._large_room = int(budget.total * budget.large_share)

    def ask(self, load: Callable[[], bytes]) -> int | None:
        """Return an image's index in `images`, after adding it if it fits; None if it does not."""
        if self._room <= 0:
            self.left_out += 1
            return None
        try:
            data = load()
        except DataError:
            # A missing image is counted and reported; the score does not need it.
            self.unreadable += 1
            return None
        digest = hashlib.sha256(data).digest()
        if digest not in self._indices:
            small = self._large(data) or shrink(data, self.budget.side, self.budget.quality)
            if small is not None and not self._fits(small):
                self._room = 0
                self.left_out += 1
                return None
            self._indices[digest] = None if small is None else self._take(small)
        index = self._indices[digest]
        self.unreadable += index is None
        return index

    def _large(self, data: bytes) -> bytes | None:
        """Return a large thumbnail, or None if it does not fit."""
        if self._large_room <= 0:
            return None
        large = shrink(data, self.budget.large_side, self.budget.quality)
        if large is None:
            return None
        self._large_room -= _embedded(large)
        return large if self._large_room >= 0 else None

    def _fits(self, small: bytes) -> bool:
        return _embedded(small) <= self._room

    def _take(self, small: bytes) -> int:
        self._room -= _embedded(small)
        self.images.append(Thumbnail(small, MEDIA))
        return len(self.images) - 1


def _embedded(data: bytes) -> int:
    """Return the size of data in base64, in bytes."""
    return 4 * -(-len(data) // 3)


def shrink(data: bytes, side: int, quality: int) -> bytes | None:
    """Return an image as WebP whose longest side is at most `side`; None: it can't be read."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data)) as opened:
            # JPEG is decoded at an eighth, a quarter or half of its size if that is large enough.
            opened.draft("RGB", (side, side))
            picture = opened.convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
    picture.thumbnail((side, side), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    picture.save(buffer, "WEBP", quality=quality, method=2)
    return buffer.getvalue()
