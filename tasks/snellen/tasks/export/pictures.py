"""Pictures at the sizes that fine-tuning takes.

Source: WebRSSBench (2025), on fine-tuning: a longest side over 1024 pixels is scaled down; a side
under 8 pixels, or one more than 200 times the other, is padded to at least 32 x 32.
"""

import io
from dataclasses import dataclass, field

from snellen.tasks.views import view

LONGEST = 1024
"""The longest side that is not scaled down, in pixels."""

SHORTEST = 8
"""A shorter side is padded, in pixels."""

SLIMMEST = 200
"""A picture so many times as long as wide is padded."""

PADDED = 32
"""Both sides of a padded picture are at least so long, in pixels."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A picture as it is exported.

    Attributes:
        data: The encoded bytes.
        ending: What its file's name ends in.
        size: Width and height in pixels.
        scale: What widths and heights were multiplied by.
        offset: How far the picture was moved by padding, right and down, in pixels.
    """

    data: bytes = field(repr=False)
    ending: str
    size: tuple[int, int]
    scale: tuple[float, float]
    offset: tuple[int, int] = (0, 0)

    def moved(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point of the original lies, in this picture's pixels."""
        return x * self.scale[0] + self.offset[0], y * self.scale[1] + self.offset[1]


def prepare(data: bytes) -> Prepared:
    """Bring a picture to the sizes that fine-tuning takes; one that has them stays as it is.

    Raises:
        DataError: It is no image, or a damaged one.
    """
    whole = view(data)
    seen = view(data, LONGEST)
    scale = (seen.width / whole.width, seen.height / whole.height)
    ending = {"image/jpeg": "jpg", "image/png": "png", "image/webp": "webp", "image/gif": "gif"}[
        seen.media_type
    ]
    short, long = sorted((whole.width, whole.height))
    if min(short, seen.width, seen.height) >= SHORTEST and long <= SLIMMEST * short:
        return Prepared(seen.data, ending, (seen.width, seen.height), scale)
    return _padded(seen.data, scale)


def _padded(data: bytes, scale: tuple[float, float]) -> Prepared:
    from PIL import Image

    with Image.open(io.BytesIO(data)) as opened:
        picture = opened.convert("RGB")
    size = (max(PADDED, picture.width), max(PADDED, picture.height))
    offset = ((size[0] - picture.width) // 2, (size[1] - picture.height) // 2)
    sheet = Image.new("RGB", size, "white")
    sheet.paste(picture, offset)
    out = io.BytesIO()
    sheet.save(out, "PNG", compress_level=6)
    return Prepared(out.getvalue(), "png", size, scale, offset)
