"""Originals: the same pixels as stored, and nothing that is not pixels."""

import io
import struct
import zlib
from collections.abc import Callable

import pytest
from PIL import Image, PngImagePlugin

from snellen.server.screenshots.encoding import LOSSLESS_BYTES
from snellen.server.screenshots.originals import as_stored
from snellen.server.screenshots.requests import Format, ViewRequest
from snellen.server.screenshots.service import Screenshots
from snellen.server.screenshots.sources import Source

PROFILE = b"a colour profile"
LIMIT = 1_000_000
SECRET = "the answer is 42"
Encode = Callable[..., bytes]


def pixels(data: bytes) -> tuple[tuple[int, int], bytes]:
    image = Image.open(io.BytesIO(data))
    return image.size, image.convert("RGB").tobytes()


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


@pytest.mark.parametrize("mode", ["RGB", "L", "P", "1"])
def test_a_plain_png_goes_out_byte_for_byte(mode: str, noise: Image.Image, encoded: Encode) -> None:
    data = encoded(noise.convert(mode))
    found = as_stored(data, Format.AUTO, LIMIT)
    assert found is not None
    assert (found.data, found.media_type) == (data, "image/png")


@pytest.mark.parametrize(
    ("mode", "options"),
    [("RGBA", {}), ("LA", {}), ("I;16", {}), ("P", {"transparency": 3}), ("RGB", {"save_all": 1})],
)
def test_a_png_that_clients_may_show_otherwise_is_encoded_anew(
    mode: str, options: dict[str, object], noise: Image.Image, encoded: Encode
) -> None:
    if "save_all" in options:
        options = {"save_all": True, "append_images": [noise.rotate(180)]}
    source = Image.new("I;16", (9, 9), 700) if mode == "I;16" else noise.convert(mode)
    assert as_stored(encoded(source, **options), Format.AUTO, LIMIT) is None


def test_what_a_png_says_beside_its_pixels_stays_here(noise: Image.Image, encoded: Encode) -> None:
    plain = encoded(noise)
    notes = PngImagePlugin.PngInfo()
    notes.add_text("Comment", SECRET)
    data = encoded(noise, pnginfo=notes, icc_profile=PROFILE, dpi=(72, 72))
    gamma = data[:33] + chunk(b"gAMA", struct.pack(">I", 100_000)) + data[33:] + SECRET.encode()
    found = as_stored(gamma, Format.AUTO, LIMIT)
    assert found is not None
    assert found.data == plain


@pytest.mark.parametrize("options", [{"quality": 90}, {"progressive": True}, {"subsampling": 2}])
@pytest.mark.parametrize("mode", ["RGB", "L"])
def test_a_jpeg_keeps_its_pixels_and_loses_its_notes(
    mode: str, options: dict[str, object], noise: Image.Image, encoded: Encode
) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x010E] = SECRET
    source = noise.convert(mode)
    noted = encoded(source, "JPEG", exif=exif, comment=SECRET, icc_profile=PROFILE, **options)
    found = as_stored(noted + SECRET.encode(), Format.AUTO, LIMIT)
    assert found is not None
    assert found.media_type == "image/jpeg"
    assert found.data == encoded(source, "JPEG", **options)
    assert pixels(found.data) == pixels(noted)


def test_a_jpeg_with_restarts_and_filling_is_followed_to_its_end(
    noise: Image.Image, encoded: Encode
) -> None:
    data = encoded(noise, "JPEG", restart_marker_rows=1)
    filled = data[:2] + b"\xff\xff" + data[2:]
    found = as_stored(filled, Format.JPEG, LIMIT)
    assert found is not None
    assert found.data == data


def test_a_jpeg_of_four_inks_is_encoded_anew(noise: Image.Image, encoded: Encode) -> None:
    assert as_stored(encoded(noise.convert("CMYK"), "JPEG"), Format.AUTO, LIMIT) is None


def test_a_jpeg_that_is_cut_off_is_encoded_anew(noise: Image.Image, encoded: Encode) -> None:
    data = encoded(noise, "JPEG")
    for size in (3, 30, len(data) // 2, len(data) - 2):
        assert as_stored(data[:size], Format.AUTO, LIMIT) is None


def test_a_plain_webp_goes_out_and_one_with_notes_does_not(
    noise: Image.Image, encoded: Encode
) -> None:
    data = encoded(noise, "WEBP", quality=80)
    found = as_stored(data + SECRET.encode(), Format.WEBP, LIMIT)
    assert found is not None
    assert (found.data, found.media_type) == (data, "image/webp")
    exif = Image.Exif()
    exif[0x010E] = SECRET
    for options in ({"exif": exif}, {"lossless": True}):
        assert as_stored(encoded(noise, "WEBP", **options), Format.AUTO, LIMIT) is None


def test_a_webp_with_something_beside_its_pixels_is_encoded_anew(
    noise: Image.Image, encoded: Encode
) -> None:
    data = encoded(noise, "WEBP", quality=80)
    more = data + b"EXIF" + struct.pack("<I", len(SECRET)) + SECRET.encode()
    noted = more[:4] + struct.pack("<I", len(more) - 8) + more[8:]
    assert pixels(noted) == pixels(data)
    assert as_stored(noted, Format.AUTO, LIMIT) is None
    assert as_stored(data[:30], Format.AUTO, LIMIT) is None


def test_a_jpeg_says_of_its_colours_no_more_than_it_must(
    noise: Image.Image, encoded: Encode
) -> None:
    data = encoded(noise, "JPEG")
    words = SECRET.encode()

    def noted(note: bytes) -> bytes:
        return data[:2] + b"\xff\xee" + struct.pack(">H", len(note) + 2) + note + data[2:]

    found = as_stored(noted(words), Format.AUTO, LIMIT)
    assert found is not None
    assert found.data == data
    colours = b"Adobe\0\x64\0\0\0\0\1"
    kept = as_stored(noted(colours), Format.AUTO, LIMIT)
    assert kept is not None
    assert kept.data == noted(colours)
    assert as_stored(noted(colours + words), Format.AUTO, LIMIT) is None


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "GIF", "BMP"])
def test_another_format_is_given_when_it_is_asked_for(
    form: str, noise: Image.Image, encoded: Encode
) -> None:
    data = encoded(noise, form)
    for asked in (Format.PNG, Format.JPEG, Format.WEBP):
        found = as_stored(data, asked, LIMIT)
        assert (found is not None) == (asked.value == form.lower())


def test_what_is_too_large_for_clients_is_encoded_anew(encoded: Encode) -> None:
    size = 400
    draw = Image.effect_noise((size, size), 90).tobytes() * 3
    data = encoded(Image.frombytes("RGB", (size, size), draw), compress_level=0)
    assert LOSSLESS_BYTES < len(data) < LIMIT
    assert as_stored(data, Format.AUTO, LIMIT) is None
    assert as_stored(data, Format.PNG, LIMIT) is not None
    assert as_stored(data, Format.PNG, LOSSLESS_BYTES) is None


async def test_a_view_of_the_whole_is_never_larger_than_its_file(
    page: Image.Image, encoded: Encode
) -> None:
    data = encoded(page.crop((0, 0, 1280, 862)))
    shots = Screenshots()
    source = Source("small", "screen", lambda: data)
    whole = await shots.view(source)
    part = await shots.view(source, ViewRequest(region=(0, 0, 1280, 861)))
    scaled = await shots.view(source, ViewRequest(max_side=640))
    shots.close()
    assert len(whole.data) <= len(data)
    assert data not in (part.data, scaled.data)


async def test_a_file_that_is_smaller_than_its_view_would_be_goes_out(
    noise: Image.Image, encoded: Encode
) -> None:
    shots = Screenshots()
    files = [encoded(noise, "JPEG", quality=30), encoded(noise, "WEBP", quality=30)]
    for number, data in enumerate(files):
        view = await shots.view(Source(str(number), "screen", lambda data=data: data))
        assert view.data == data
    shots.close()
