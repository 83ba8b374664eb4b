"""Encoding views: small, and in a format that keeps text sharp."""

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from snellen.server.errors import ExamError
from snellen.server.screenshots.requests import Format

if TYPE_CHECKING:
    from PIL.Image import Image

_Colors = list[tuple[int, tuple[int, int, int]]]

LOSSLESS_BYTES = 400_000
"""Up to here clients pass an image on as it is; larger ones some turn into a JPEG themselves."""
MOST_COLORS = 256
_QUALITIES = (90, 80, 65, 50, 35, 20)

_PNG: dict[str, Any] = {"format": "PNG", "compress_level": 1}
# Method 0 is both faster and smaller than a PNG on photographs, where the next methods take five
# times as long. On flat surfaces with text method 1 is the faster one, and makes files of a
# tenth of the size.
_WEBP: dict[str, Any] = {"format": "WEBP", "lossless": True, "quality": 20}
_FLAT_COLORS = 1 << 14


@dataclass(frozen=True, slots=True)
class Encoded:
    """An encoded image; `media_type` is such as `image/png`."""

    data: bytes = field(repr=False)
    media_type: str


def encode(image: "Image", form: Format, max_bytes: int) -> Encoded:
    """Encode an image; the same pixels give the same bytes.

    `auto` is a PNG where a palette holds all colors, as of most text: nothing is lost, it is the
    smallest, and every client takes it. Else it is lossless WebP, as long as that stays under
    400,000 bytes; else, photographs, the smaller of that and a JPEG of quality 90 with its
    colors at full resolution. A lossy image that is too large is encoded again at a lower
    quality.

    Args:
        image: The pixels, grey or RGB.
        form: How to encode them.
        max_bytes: The most bytes.

    Raises:
        ExamError: It can't be made as small as that.
    """
    smallest: Encoded | None = None
    for encoded in _tries(image, form):
        if smallest is None or len(encoded.data) < len(smallest.data):
            smallest = encoded
        if len(smallest.data) <= _aim(encoded, form, max_bytes):
            return smallest
    size = len(smallest.data) if smallest else 0
    raise ExamError(
        f"this view is {size:,} bytes as {form}, at most {max_bytes:,} are sent: ask for a"
        " smaller region or max_side, or for format=auto",
        field="format",
    )


def _tries(image: "Image", form: Format) -> Iterator[Encoded]:
    if form in (Format.PNG, Format.AUTO):
        few = _paletted(image)
        if few is not None or form is Format.PNG:
            yield _saved(image if few is None else few, "image/png", _PNG)
    if form in (Format.WEBP, Format.AUTO):
        flat = image.getcolors(_FLAT_COLORS) is not None
        yield _saved(image, "image/webp", {**_WEBP, "method": 1 if flat else 0})
    if form is Format.WEBP:
        for quality in _QUALITIES:
            options = {"format": "WEBP", "quality": quality, "method": 0}
            yield _saved(image, "image/webp", options)
    if form in (Format.JPEG, Format.AUTO):
        for quality in _QUALITIES:
            options = {"format": "JPEG", "quality": quality, "subsampling": 0}
            yield _saved(image, "image/jpeg", options)


def _aim(encoded: Encoded, form: Format, max_bytes: int) -> int:
    """How small an encoding must be for no other to be tried."""
    lossless = encoded.media_type != "image/jpeg"
    return min(LOSSLESS_BYTES, max_bytes) if form is Format.AUTO and lossless else max_bytes


def _paletted(image: "Image") -> "Image | None":
    """Return the same pixels with a palette, or None where 256 colors don't hold them.

    Pillow's own ways to a palette look for colors that are near.
    """
    if image.mode == "L":
        return image
    colors = image.getcolors(MOST_COLORS)
    if colors is None:
        return None
    import numpy as np
    from PIL import Image

    # One number a pixel: red, green, blue and a byte that is left out, from the lowest up.
    pixels = np.frombuffer(image.tobytes("raw", "RGBX"), dtype="<u4") & 0xFFFFFF
    known = np.sort(np.array([_number(color) for _, color in cast("_Colors", colors)], dtype="<u4"))
    # A place for every color there is; only the pages of memory that are touched cost anything.
    table = np.empty(1 << 24, dtype=np.uint8)
    table[known] = np.arange(len(known), dtype=np.uint8)
    few = Image.frombytes("P", image.size, table[pixels].tobytes())
    few.putpalette(known.view(np.uint8).reshape(-1, 4)[:, :3].tobytes())
    return few


def _number(color: tuple[int, int, int]) -> int:
    red, green, blue = color
    return red | green << 8 | blue << 16


def _saved(image: "Image", media_type: str, options: dict[str, Any]) -> Encoded:
    out = io.BytesIO()
    image.save(out, **options)
    return Encoded(out.getvalue(), media_type)
