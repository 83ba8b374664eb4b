"""Images decoded as grey or RGB, and what is refused before anything is decoded.

Pillow says what a file is and decodes it. It is imported when the first image is looked at.
"""

import io
import struct
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from snellen.grading.errors import DataError, SnellenError
from snellen.server.screenshots.frames import Extent

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP")
"""What is decoded, by Pillow's names; a JPEG of several pictures, as some phones make, is one."""
MOST_PIXELS = 50_000_000
"""Of an image: above it a small file could fill the memory. Pillow itself warns at 89 million."""
MOST_BYTES = 64 << 20
_BAND_PIXELS = 1 << 20
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def decode(data: bytes) -> "Image":
    """Return an image as grey or RGB (`L` or `RGB`).

    Pixels are never turned: an EXIF orientation is not looked at, nor is a color profile. Of
    several frames the first is taken. What is transparent lies on white; of 16 bits a channel
    the upper 8 are kept; CMYK and palettes become RGB.

    Raises:
        DataError: The bytes are no image of a kind that is taken, or a damaged one, or it is too
            large.
    """
    from PIL import Image

    with _opened(data) as image:
        image.load()
        # Some rows at a time: several copies of a large image would fill the memory. Into a new
        # image, since the first one knows what else the file holds.
        height = max(1, _BAND_PIXELS // image.width)
        flat = None
        for top in range(0, image.height, height):
            band = _flat(image.crop((0, top, image.width, min(image.height, top + height))))
            flat = flat or Image.new(band.mode, image.size)
            flat.paste(band, (0, top))
        assert flat is not None, "an image has rows"
        return flat


def probe(data: bytes) -> Extent:
    """Return an image's size; of its pixels nothing is decoded.

    Raises:
        DataError: As `decode`, for what can be seen without decoding.
    """
    with _opened(data) as image:
        return Extent(*image.size)


@contextmanager
def _opened(data: bytes) -> Generator["Image"]:
    from PIL import Image, UnidentifiedImageError

    if len(data) > MOST_BYTES:
        raise DataError(f"an image of {len(data):,} bytes; at most {MOST_BYTES:,} are taken")
    try:
        _check_png(data)
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            _check_size(Extent(*image.size))
            yield image
    except UnidentifiedImageError:
        raise DataError(
            f"{len(data):,} bytes that are no PNG, JPEG, WebP, GIF or BMP image"
        ) from None
    except SnellenError:
        raise
    except (OSError, SyntaxError, ValueError, EOFError) as error:
        raise DataError(f"the image can't be read: {error}") from None
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise DataError(f"the image is too large: {error}") from None


# ---- before anything is decoded --------------------------------------------------------------


def _check_size(size: Extent) -> None:
    if size.width * size.height > MOST_PIXELS:
        raise DataError(
            f"the image is too large: {size} px are {size.width * size.height:,},"
            f" at most {MOST_PIXELS:,} are taken"
        )


def _check_png(data: bytes) -> None:
    """Follow a PNG's chunks to its end: a decoder that stops early would not miss what is cut.

    Its size is looked at before a library does, which would warn of it and go on.
    """
    if not data.startswith(_SIGNATURE):
        return
    if len(data) >= 24:
        _check_size(Extent(*struct.unpack_from(">II", data, 16)))
    place = len(_SIGNATURE)
    while place + 12 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, place)
        place += 12 + length
        if kind == b"IEND" and place <= len(data):
            return
    raise DataError("the image can't be read: the PNG is cut off before its end")


# ---- every mode as grey or RGB ---------------------------------------------------------------


def _flat(image: "Image") -> "Image":
    """Return an image as `L` or `RGB`, what is transparent on white."""
    from PIL import Image

    if image.mode in ("L", "RGB") and not image.has_transparency_data:
        return image
    if image.mode == "1" and not image.has_transparency_data:
        return image.convert("L")
    if image.mode.startswith("I;16"):
        # Little endian: of two bytes the second is the upper one. Converting would clip.
        low_first = image.tobytes("raw", "I;16")
        return Image.frombytes("L", image.size, low_first[1::2])
    if not image.has_transparency_data:
        return image.convert("RGB")
    clear = image.convert("RGBA")
    if clear.getchannel("A").getextrema() == (255, 255):
        return clear.convert("RGB")
    white = Image.new("RGBA", clear.size, "white")
    return Image.alpha_composite(white, clear).convert("RGB")
