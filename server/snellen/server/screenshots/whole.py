"""Whole images, encoded again: a file may hold more than its pixels, and what is stored stays here.

Text chunks, bytes behind the end, color profiles and all frames but the first do not go out. What
was a JPEG is a JPEG of quality 90, everything else a PNG with the same pixels.
"""

import sys
from threading import Lock

from snellen.server.screenshots.frames import Region
from snellen.server.screenshots.pages import decode
from snellen.server.screenshots.requests import Format
from snellen.server.screenshots.service import Encoded, encode
from snellen.server.screenshots.shelf import Shelf
from snellen.server.screenshots.sources import Source

_BUDGET = 64 << 20
_JPEG = b"\xff\xd8"


class WholeImages:
    """Whole images in their own size; the last ones are kept, and one is made at a time.

    Args:
        budget: The bytes to keep.
    """

    def __init__(self, budget: int = _BUDGET) -> None:
        self._kept: Shelf[str, Encoded] = Shelf(budget, lambda encoded: len(encoded.data))
        self._one = Lock()

    def get(self, source: Source) -> Encoded:
        """Return an image; call it on a thread.

        Raises:
            DataError: The image can't be read, is damaged or too large.
        """
        return self._kept.get(source.digest, lambda: self._make(source))

    def _make(self, source: Source) -> Encoded:
        data = source.load()
        with self._one:
            page = decode(data)
            image = page.cut(Region(0, 0, page.full.width, page.full.height))
            form = Format.JPEG if data.startswith(_JPEG) else Format.PNG
            return encode(image, form, sys.maxsize)
