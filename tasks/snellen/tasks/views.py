"""Views: an item's image as it is sent to a model, at its own size or scaled down.

Pillow is imported when an image is first looked at.
"""

import io
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from snellen.grading.errors import DataError

if TYPE_CHECKING:
    from PIL.Image import Image

_MEDIA_TYPES = {
    "PNG": "image/png",
    "JPEG": "image/jpeg",
    # A JPEG with several pictures in it, as some phones make; readers show the first.
    "MPO": "image/jpeg",
    "WEBP": "image/webp",
    "GIF": "image/gif",
}
_JPEG = {"format": "JPEG", "quality": 95, "subsampling": 0}
_PNG = {"format": "PNG", "compress_level": 1}
_CARRIED = ("exif", "icc_profile")


@dataclass(frozen=True, slots=True)
class View:
    """An encoded image, ready to be sent."""

    data: bytes = field(repr=False)  # the encoded bytes
    media_type: str  # what they are, such as `image/png`: read from the bytes, not from a name
    width: int  # in pixels, of `data`
    height: int  # in pixels, of `data`


def view(data: bytes, max_side: int | None = None) -> View:
    """Return an image with no side longer than asked for.

    An image that fits is passed on byte for byte. A larger one is scaled by one factor, with
    Lanczos's filter, so that its longer side is `max_side`. A JPEG stays a JPEG (quality 95,
    colors at full resolution, so that colored text keeps its edges), anything else becomes a
    PNG; of several frames the first is taken. What models' APIs don't take (BMP, TIFF) becomes a
    PNG at any size.

    Pixels are never turned: sizes and coordinates are those of the pixels as stored. An EXIF
    orientation is carried over, so that a scaled view is read as the original would be.

    Args:
        data: The encoded image.
        max_side: The longest side of the view, in pixels; None: as it is.

    Raises:
        DataError: The bytes are no image, or a damaged one.
        ValueError: `max_side` is less than 1.
    """
    from PIL import Image, UnidentifiedImageError

    if max_side is not None and max_side < 1:
        raise ValueError(f"max_side must be at least 1, not {max_side}")
    try:
        with warnings.catch_warnings():
            # Long pages have many pixels; Pillow refuses what is twice as large on its own.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(data))
        with image:
            width, height = image.size
            media_type = _MEDIA_TYPES.get(image.format or "")
            fits = max_side is None or max(width, height) <= max_side
            if fits and media_type is not None:
                return View(data, media_type, width, height)
            size = (width, height) if max_side is None or fits else _fit(width, height, max_side)
            return _encoded(image, size)
    except UnidentifiedImageError:
        raise DataError(f"{len(data):,} bytes that are no image Pillow knows") from None
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise DataError(f"the image can't be read: {error}") from None


def _fit(width: int, height: int, max_side: int) -> tuple[int, int]:
    scale = max_side / max(width, height)
    return max(1, round(width * scale)), max(1, round(height * scale))


def _encoded(image: "Image", size: tuple[int, int]) -> View:
    from PIL.Image import Resampling

    carried: dict[str, Any] = {key: image.info[key] for key in _CARRIED if key in image.info}
    jpeg = image.format in ("JPEG", "MPO")
    pixels = _blendable(image)
    if size != pixels.size:
        pixels = pixels.resize(size, Resampling.LANCZOS)
    out = io.BytesIO()
    pixels.save(out, **(_JPEG if jpeg else _PNG), **carried)
    return View(out.getvalue(), "image/jpeg" if jpeg else "image/png", *size)


def _blendable(image: "Image") -> "Image":
    """Return the image in a mode whose neighbouring pixels can be averaged."""
    if image.mode == "1":
        return image.convert("L")
    if image.mode in ("P", "PA"):
        return image.convert("RGBA" if image.has_transparency_data else "RGB")
    return image
