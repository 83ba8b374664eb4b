"""The text that stands in a pack's pictures, read by OCR once and kept by the picture's digest."""

import io
from functools import cache

import numpy as np

from snellen.sdk.ocr.pictures import Reader
from snellen.sdk.ocr.reader import RapidReader, Shelf, cache_folder
from snellen.tasks.audit.solvers import Texts
from snellen.tasks.pack.layout import PackImage
from snellen.tasks.pack.reading import Pack


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
    images: dict[str, PackImage] = {
        image.sha256: image
        for line in pack.lines
        for image in line.images.values()
        if image.sha256 and image.file
    }

    @cache
    def text(digest: str) -> str:
        from PIL import Image

        if digest not in images:
            return ""
        with Image.open(io.BytesIO(pack.read_image(images[digest]))) as opened:
            pixels = np.array(opened.convert("RGB"), dtype=np.uint8)
        picture = kept.open(pixels, eyes)
        lines = [line.text for line in picture.lines()]
        kept.keep(picture)
        return "\n".join(lines)

    return text
