"""Pages: images decoded once, as plain rows of pixels from which any region can be cut.

Pillow says what a file is and decodes it. Where pyvips is installed it decodes plain PNGs, only
as far down as is needed, and WebP in half of the memory; the pixels, and every view of them, are
the same. Both are imported when the first image is looked at.

Memory is what large images cost: what is not grey or RGB becomes it some rows at a time.
"""

import io
import logging
import struct
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from snellen.grading.errors import DataError, SnellenError
from snellen.server.screenshots.frames import Extent, Region

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP")
"""What is decoded, by Pillow's names; a JPEG of several pictures, as some phones make, is one."""
MOST_PIXELS = 50_000_000
"""Of an image: above it a small file could fill the memory. Pillow itself warns at 89 million."""
MOST_BYTES = 64 << 20
_BAND_PIXELS = 1 << 20
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEADER = struct.Struct(">IIBBBBB")


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Page:
    """Decoded pixels, from the top down to some row.

    Attributes:
        full: The size of the image.
        rows: How many of its rows are here.
        mode: `RGB` or `L`: three bytes a pixel, or one.
        pixels: The rows, one after another.
    """

    full: Extent
    rows: int
    mode: str
    pixels: bytes | bytearray = field(repr=False)

    def cut(self, region: Region) -> "Image":
        """Return a region as an image; its rows must be here."""
        from PIL import Image

        stride = self.full.width * len(self.mode)
        band = memoryview(self.pixels)[region.top * stride : region.bottom * stride]
        image = Image.frombytes(self.mode, (self.full.width, region.extent.height), band)
        if region.extent.width == self.full.width:
            return image
        return image.crop((region.left, 0, region.right, region.extent.height))


def page_bytes(page: Page) -> int:
    """Return what a page weighs."""
    return len(page.pixels)


def decode(data: bytes, rows_of: Callable[[Extent], int] | None = None) -> Page:
    """Decode an image.

    Pixels are never turned: an EXIF orientation is not looked at, nor is a color profile. Of
    several frames the first is taken. What is transparent lies on white; of 16 bits a channel
    the upper 8 are kept; CMYK and palettes become RGB.

    Args:
        data: The encoded image.
        rows_of: From the image's size, how many rows are needed; None: all. More may come.

    Raises:
        DataError: The bytes are no image of a kind that is taken, or a damaged one, or it is too
            large.
    """
    with _opened(data) as image:
        full = Extent(*image.size)
        rows = full.height if rows_of is None else rows_of(full)
        if _vips() is not None:
            if _plain_png(data, image):
                return _png_by_vips(data, image, full, rows)
            if image.format == "WEBP" and getattr(image, "n_frames", 1) == 1:
                return _webp_by_vips(data, image, full)
        image.load()
        return _in_bands(full, full.height, lambda top, bottom: _crop(image, top, bottom))


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


# ---- plain PNGs by libvips -------------------------------------------------------------------


def _plain_png(data: bytes, image: "Image") -> bool:
    """Whether libvips and Pillow read the same pixels from a file without further ado.

    Eight bits a channel, grey, RGB or RGBA, no interlace, no color that stands for transparent,
    one frame.
    """
    if image.format != "PNG" or len(data) < 29:
        return False
    _, _, depth, color, _, _, interlace = _HEADER.unpack_from(data, 16)
    return (
        (depth, interlace) == (8, 0)
        and color in (0, 2, 6)
        and "transparency" not in image.info
        and getattr(image, "n_frames", 1) == 1
    )


@cache
def _vips() -> Any:  # noqa: ANN401  # pyvips has no types, and may not be there
    """Return pyvips, or None where it is not installed or its library can't be loaded."""
    logging.getLogger("pyvips").setLevel(logging.WARNING)
    try:
        import pyvips  # pyright: ignore[reportMissingTypeStubs]  # it has none
    except (ImportError, OSError):
        return None
    # Its cache of operations would hold on to every file.
    pyvips.cache_set_max(0)  # pyright: ignore[reportUnknownMemberType]  # it has no types
    return cast("Any", pyvips)


def _png_by_vips(data: bytes, image: "Image", full: Extent, rows: int) -> Page:
    vips = _vips()
    # The last few rows cost less than decoding everything a second time.
    rows = full.height if rows * 16 > full.height * 15 else rows
    with _vips_faults():
        pixels = vips.Image.pngload_buffer(data, access="sequential", fail_on="truncated")
        if image.mode not in ("RGB", "L"):
            return _in_bands(full, rows, _bands_of(pixels, image.mode))
        if rows < full.height:
            pixels = pixels.crop(0, 0, full.width, rows)
        # A buffer of libvips's own, which is as good as bytes here: copying it takes as long as
        # cutting ten views.
        return Page(full, rows, image.mode, cast("bytes", pixels.write_to_memory()))


def _webp_by_vips(data: bytes, image: "Image", full: Extent) -> Page:
    with _vips_faults():
        pixels = _vips().Image.webpload_buffer(data, access="sequential", fail_on="truncated")
        mode = "RGBA" if pixels.bands == 4 else "RGB"
        return _in_bands(full, full.height, _bands_of(pixels, mode))


def _bands_of(pixels: Any, mode: str) -> "Callable[[int, int], Image]":  # noqa: ANN401  # a vips image
    from PIL import Image

    region = _vips().Region.new(pixels)

    def band(top: int, bottom: int) -> Image.Image:
        size = (pixels.width, bottom - top)
        return Image.frombytes(mode, size, region.fetch(0, top, *size))

    return band


@contextmanager
def _vips_faults() -> Generator[None]:
    vips = _vips()
    try:
        yield
    except vips.Error as error:
        reason = str(error).strip().splitlines()[-1:]
        raise DataError(f"the image can't be read: {''.join(reason)}") from None


# ---- every mode as grey or RGB ---------------------------------------------------------------


def _in_bands(full: Extent, rows: int, band: "Callable[[int, int], Image]") -> Page:
    """Return rows of an image as grey or RGB; a band is some of them, from a row up to another."""
    height = max(1, _BAND_PIXELS // full.width)
    pixels, mode = bytearray(), ""
    for top in range(0, rows, height):
        flat = _flat(band(top, min(rows, top + height)))
        if not pixels:
            mode = flat.mode
            pixels = bytearray(rows * full.width * len(mode))
        row = full.width * len(mode)
        pixels[top * row : top * row + flat.height * row] = flat.tobytes()
    return Page(full, rows, mode, pixels)


def _crop(image: "Image", top: int, bottom: int) -> "Image":
    return image.crop((0, top, image.width, bottom))


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
