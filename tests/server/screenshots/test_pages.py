"""Images: every kind of image gives its colors, and what is none or damaged is refused."""

import struct
import zlib
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image

from snellen.grading.errors import DataError
from snellen.server.screenshots import pages
from snellen.server.screenshots.frames import Extent
from snellen.server.screenshots.pages import decode, probe

Encode = Callable[..., bytes]
WHITE = (255, 255, 255)


def shown(page: Image.Image) -> Image.Image:
    assert page.mode in ("L", "RGB")
    return page.convert("RGB")


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width: int, height: int, depth: int, color: int, rows: bytes, *more: bytes) -> bytes:
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, 0))
    body = chunk(b"IDAT", zlib.compress(rows))
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(more) + body + chunk(b"IEND", b"")


@pytest.mark.parametrize("form", ["PNG", "WEBP", "BMP"])
def test_lossless_formats_give_the_pixels_that_were_put_in(
    form: str, noise: Image.Image, encoded: Encode
) -> None:
    options = {"lossless": True} if form == "WEBP" else {}
    assert decode(encoded(noise, form, **options)).tobytes() == noise.tobytes()


@pytest.mark.parametrize(
    ("mode", "form"),
    [
        ("1", "PNG"),
        ("L", "PNG"),
        ("LA", "PNG"),
        ("P", "PNG"),
        ("P", "GIF"),
        ("RGB", "PNG"),
        ("RGBA", "PNG"),
        ("RGBA", "WEBP"),
        ("L", "JPEG"),
        ("CMYK", "JPEG"),
        ("RGB", "JPEG"),
        ("RGB", "BMP"),
    ],
)
def test_every_mode_gives_the_right_colors(mode: str, form: str, encoded: Encode) -> None:
    # Left half black, right half white: what every mode can say.
    image = Image.new("RGB", (64, 32), "black")
    image.paste(WHITE, (32, 0, 64, 32))
    options = {"lossless": True} if form == "WEBP" else {}
    page = shown(decode(encoded(image.convert(mode), form, **options)))
    pixels = np.asarray(page).astype(int)
    assert abs(pixels[:, :30] - 0).max() <= 3
    assert abs(pixels[:, 34:] - 255).max() <= 3


@pytest.mark.parametrize("color", ["red", "lime", "blue", "#123456"])
@pytest.mark.parametrize(
    ("mode", "form"), [("RGB", "PNG"), ("P", "PNG"), ("P", "GIF"), ("RGBA", "PNG"), ("RGB", "BMP")]
)
def test_colors_are_not_swapped(color: str, mode: str, form: str, encoded: Encode) -> None:
    image = Image.new("RGB", (9, 5), color)
    flat = image.quantize(4) if mode == "P" else image.convert(mode)
    assert shown(decode(encoded(flat, form))).getpixel((4, 2)) == image.getpixel((4, 2))


def test_a_cmyk_jpeg_keeps_its_hue(encoded: Encode) -> None:
    image = Image.new("CMYK", (32, 32), (0, 255, 255, 0))
    red, green, blue = np.asarray(shown(decode(encoded(image, "JPEG", quality=95))))[16, 16]
    assert red > 220 > 40 > max(green, blue)


def test_what_is_transparent_lies_on_white(encoded: Encode) -> None:
    image = Image.new("RGBA", (4, 1), (0, 0, 0, 0))
    image.putpixel((1, 0), (200, 0, 0, 255))
    image.putpixel((2, 0), (0, 0, 0, 128))
    page = shown(decode(encoded(image)))
    assert [page.getpixel((x, 0)) for x in range(3)] == [WHITE, (200, 0, 0), (127, 127, 127)]


def test_a_palette_with_a_transparent_color_lies_on_white(encoded: Encode) -> None:
    image = Image.new("P", (2, 1))
    image.putpalette([10, 20, 30, 200, 100, 50])
    image.putpixel((1, 0), 1)
    page = shown(decode(encoded(image, "PNG", transparency=0)))
    assert [page.getpixel((x, 0)) for x in range(2)] == [WHITE, (200, 100, 50)]


@pytest.mark.parametrize(
    ("color", "key", "row"),
    [
        (2, struct.pack(">HHH", 1, 2, 3), bytes([0, 1, 2, 3, 9, 8, 7])),
        (0, struct.pack(">H", 1), bytes([0, 1, 9])),
    ],
)
def test_one_color_that_stands_for_transparent_is_white(color: int, key: bytes, row: bytes) -> None:
    page = shown(decode(png(2, 1, 8, color, row, chunk(b"tRNS", key))))
    second = (9, 8, 7) if color == 2 else (9, 9, 9)
    assert [page.getpixel((x, 0)) for x in range(2)] == [WHITE, second]


def test_sixteen_bits_a_channel_keep_their_upper_eight() -> None:
    grey = struct.pack(">HHH", 0x1234, 0xFFFF, 0x00FF)
    page = shown(decode(png(3, 1, 16, 0, b"\0" + grey)))
    assert [page.getpixel((x, 0)) for x in range(3)] == [(0x12,) * 3, WHITE, (0,) * 3]
    color = struct.pack(">HHH", 0x1234, 0xABCD, 0x00FF)
    page = shown(decode(png(1, 1, 16, 2, b"\0" + color)))
    assert page.getpixel((0, 0)) == (0x12, 0xAB, 0)


def test_an_interlaced_png_is_read(noise: Image.Image) -> None:
    # The seven passes of Adam7, of a picture of 1 by 1 only the first.
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 1))
    body = chunk(b"IDAT", zlib.compress(b"\0\x0a\x14\x1e"))
    data = b"\x89PNG\r\n\x1a\n" + header + body + chunk(b"IEND", b"")
    assert shown(decode(data)).getpixel((0, 0)) == (10, 20, 30)


def test_pixels_are_taken_as_stored_whatever_exif_says(encoded: Encode) -> None:
    image = Image.new("RGB", (40, 20), "white")
    exif = Image.Exif()
    exif[0x0112] = 6
    for form in ("JPEG", "PNG", "WEBP"):
        assert decode(encoded(image, form, exif=exif)).size == (40, 20)


@pytest.mark.parametrize("form", ["GIF", "PNG", "WEBP"])
def test_of_several_frames_the_first_is_taken(form: str, encoded: Encode) -> None:
    frames = [Image.new("RGB", (20, 10), color) for color in ("red", "blue")]
    options = {"lossless": True} if form == "WEBP" else {}
    data = encoded(frames[0], form, save_all=True, append_images=frames[1:], **options)
    assert shown(decode(data)).getpixel((3, 3)) == (255, 0, 0)


# ---- what is refused -------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "GIF", "BMP"])
@pytest.mark.parametrize("part", [0.1, 0.5, 0.98])
def test_a_cut_off_file_is_refused(
    form: str, part: float, noise: Image.Image, encoded: Encode
) -> None:
    data = encoded(noise, form)
    with pytest.raises(DataError):
        decode(data[: int(len(data) * part)])


def test_a_png_that_is_cut_off_after_its_pixels_is_refused(
    noise: Image.Image, encoded: Encode
) -> None:
    data = encoded(noise)
    with pytest.raises(DataError, match="cut off before its end"):
        decode(data[:-8])


def test_a_damaged_png_is_refused(noise: Image.Image, encoded: Encode) -> None:
    data = bytearray(encoded(noise))
    data[len(data) // 2] ^= 0xFF
    with pytest.raises(DataError, match="the image can't be read"):
        decode(bytes(data))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<html>no such page</html>",
        b"\x89PNG\r\n\x1a\n",
        b"%PDF-1.7 " + b"x" * 100,
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n",
    ],
)
def test_what_is_no_image_is_refused(data: bytes) -> None:
    with pytest.raises(DataError, match=r"no PNG, JPEG|can't be read"):
        decode(data)
    with pytest.raises(DataError, match=r"no PNG, JPEG|can't be read"):
        probe(data)


def test_a_tiff_is_refused(noise: Image.Image, encoded: Encode) -> None:
    with pytest.raises(DataError, match="no PNG, JPEG, WebP, GIF or BMP image"):
        decode(encoded(noise, "TIFF"))


@pytest.mark.parametrize("size", [(30_000, 30_000), (9_000, 9_000), (80_000_001, 1)])
def test_a_bomb_is_refused_before_it_is_decoded(size: tuple[int, int]) -> None:
    data = png(*size, 8, 2, b"\0" * 1000)
    with pytest.raises(DataError, match="the image is too large"):
        decode(data)
    with pytest.raises(DataError, match="the image is too large"):
        probe(data)


def test_a_bomb_of_another_format_is_refused() -> None:
    header = b"GIF89a" + struct.pack("<HHBBB", 65_000, 65_000, 0, 0, 0)
    data = header + b"," + struct.pack("<HHHHB", 0, 0, 65_000, 65_000, 0) + b"\x02\x00;"
    with pytest.raises(DataError, match="the image is too large"):
        decode(data)


def test_a_file_that_is_too_long_is_refused() -> None:
    with pytest.raises(DataError, match=r"an image of 67,108,865 bytes; at most 67,108,864"):
        decode(bytes(pages.MOST_BYTES + 1))


def test_the_size_is_known_without_decoding(noise: Image.Image, encoded: Encode) -> None:
    for form in ("PNG", "JPEG", "WEBP", "GIF", "BMP"):
        assert probe(encoded(noise, form)) == Extent(120, 300)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "form"),
    [("RGBA", "PNG"), ("LA", "PNG"), ("P", "PNG"), ("RGBA", "WEBP"), ("RGB", "BMP"), ("L", "BMP")],
)
def test_an_image_of_many_rows_is_the_same_as_its_parts(
    mode: str, form: str, encoded: Encode
) -> None:
    # Two million pixels: more than are made grey or RGB together.
    pixels = np.random.default_rng(1).integers(0, 256, (22_011, 100, 4), dtype=np.uint8)
    colors = Image.fromarray(pixels, "RGBA")
    options: dict[str, object] = {"lossless": True} if form == "WEBP" else {}
    height = 16_000 if form == "WEBP" else colors.height
    image = colors.crop((0, 0, 100, height))
    image = image.convert("RGB").quantize(64) if mode == "P" else image.convert(mode)
    if mode == "P":
        image.info["transparency"] = 3
    whole = image.convert("RGBA")
    expected = Image.alpha_composite(Image.new("RGBA", whole.size, "white"), whole).convert("RGB")
    assert shown(decode(encoded(image, form, **options))).tobytes() == expected.tobytes()
