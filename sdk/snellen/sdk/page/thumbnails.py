"""Small pictures of the items for a report's page, within a budget."""

import hashlib
import io
from collections.abc import Callable

from pydantic import Field

from snellen.grading.errors import DataError
from snellen.grading.models.base import Closed
from snellen.grading.report.page import Thumbnail

MEDIA = "image/webp"


class ThumbnailBudget(Closed):
    """How much room pictures may take in a page.

    Attributes:
        total: The bytes of the file that all pictures may take together, as embedded.
        side: The longest side of a small picture, in pixels.
        large_side: The longest side of the first pictures, which can be read when enlarged.
        large_share: The share of `total` that pictures of that size may take; 0: none is large.
        quality: WebP's, 1..100.
    """

    total: int = Field(default=4_000_000, ge=0)
    side: int = Field(default=320, ge=16)
    large_side: int = Field(default=1280, ge=16)
    large_share: float = Field(default=0.5, ge=0, le=1)
    quality: int = Field(default=60, ge=1, le=100)


class Album:
    """The thumbnails taken so far, each picture once.

    Args:
        budget: Once a large picture does not fit, all are small; once a small one does not, none
            is taken any more.
    """

    def __init__(self, budget: ThumbnailBudget) -> None:
        self.budget = budget
        self.images: list[Thumbnail] = []
        self.left_out = 0
        self.unreadable = 0
        self._places: dict[bytes, int | None] = {}
        self._room = budget.total
        self._large_room = int(budget.total * budget.large_share)

    def ask(self, load: Callable[[], bytes]) -> int | None:
        """Return the place of a picture among `images`, taking it if there is room; else None."""
        if self._room <= 0:
            self.left_out += 1
            return None
        try:
            data = load()
        except DataError:
            # A picture that is not there is counted and said; the number does not need it.
            self.unreadable += 1
            return None
        digest = hashlib.sha256(data).digest()
        if digest not in self._places:
            small = self._large(data) or shrink(data, self.budget.side, self.budget.quality)
            if small is not None and not self._fits(small):
                self._room = 0
                self.left_out += 1
                return None
            self._places[digest] = None if small is None else self._take(small)
        place = self._places[digest]
        self.unreadable += place is None
        return place

    def _large(self, data: bytes) -> bytes | None:
        """Return a picture at the larger side, or None if there is no more room for such."""
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
    """Return how many bytes base64 makes of some."""
    return 4 * -(-len(data) // 3)


def shrink(data: bytes, side: int, quality: int) -> bytes | None:
    """Return a picture as a WebP of at most so long a side, or None for what can't be read."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data)) as opened:
            # For JPEG: decodes at an eighth, a quarter or a half of the size where that is enough.
            opened.draft("RGB", (side, side))
            picture = opened.convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
    picture.thumbnail((side, side), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    picture.save(buffer, "WEBP", quality=quality, method=2)
    return buffer.getvalue()
