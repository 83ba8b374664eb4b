"""The text that stands in a pack's pictures, read by OCR: of whole pictures, and of parts of them.

What was read in a whole picture is kept by the picture's digest.
"""

import io
from functools import cache, lru_cache

import numpy as np

from snellen.build.audit.reading import Reader as PartReader
from snellen.demo.ocr.pictures import Box, Picture, Pixels, Reader
from snellen.demo.ocr.reader import RapidReader, Shelf, cache_folder
from snellen.grading.metrics.boxes import Ltrb
from snellen.tasks.audit.solvers import Texts
from snellen.tasks.pack.format import PackImage
from snellen.tasks.pack.read import Pack

_MARGIN = 5
_PADDING = 12
_OPEN = 4


def page_texts(pack: Pack, reader: Reader | None = None, shelf: Shelf | None = None) -> Texts:
    """Return what reads a picture of a pack by its digest, a line of text a line.

    Args:
        pack: The pack.
        reader: What reads; None: RapidOCR.
        shelf: Where readings are kept; None: in the user's cache folder.

    Raises:
        MissingExtraError: RapidOCR is not installed.
    """
    eyes = reader or RapidReader()
    kept = shelf or Shelf(cache_folder())
    images = _images(pack)

    @cache
    def text(digest: str) -> str:
        if digest not in images:
            return ""
        picture = kept.open(_pixels(pack, images[digest]), eyes)
        lines = [line.text for line in picture.lines()]
        kept.keep(picture)
        return "\n".join(lines)

    return text


def part_texts(pack: Pack, reader: Reader | None = None) -> PartReader:
    """Return what reads a part of a picture of a pack, enlarged, by the picture's digest.

    Args:
        pack: The pack.
        reader: What reads; None: RapidOCR.

    Raises:
        MissingExtraError: RapidOCR is not installed.
    """
    eyes = reader or RapidReader()
    images = _images(pack)

    @lru_cache(maxsize=_OPEN)
    def pixels(digest: str) -> Pixels:
        return _pixels(pack, images[digest])

    def text(digest: str, box: Ltrb, scale: float) -> str:
        from PIL import Image

        if digest not in images:
            return ""
        part = Picture(pixels(digest), eyes).cut(Box(*box).grown(_MARGIN))
        image = Image.fromarray(np.ascontiguousarray(part))
        size = (round(image.width * scale), round(image.height * scale))
        enlarged = np.asarray(image.resize(size, Image.Resampling.BICUBIC))
        # Signs at the very edge are not found.
        room = ((_PADDING, _PADDING), (_PADDING, _PADDING), (0, 0))
        whole = Picture(np.pad(enlarged, room, mode="edge"), eyes)
        return " ".join(line.text for line in whole.lines())

    return text


def _images(pack: Pack) -> dict[str, PackImage]:
    return {image.sha256: image for line in pack.lines for image in line.images.values()}


def _pixels(pack: Pack, image: PackImage) -> Pixels:
    from PIL import Image

    with Image.open(io.BytesIO(pack.read_image(image))) as opened:
        return np.array(opened.convert("RGB"), dtype=np.uint8)
