"""Nothing that a file holds beside its pixels goes out, wherever it is in the file."""

import io
import struct
import zlib
from collections.abc import Callable
from hashlib import sha256

import pytest
from PIL import Image, PngImagePlugin

from snellen.server.screenshots.requests import Format, ViewRequest
from snellen.server.screenshots.service import Screenshots
from snellen.server.screenshots.sources import Source

Encode = Callable[..., bytes]
SECRET = b"the answer is 42"
START = b"\x89PNG\r\n\x1a\n"


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def chunks(data: bytes) -> list[tuple[bytes, bytes]]:
    """Return the chunks of a PNG, kind and data; the coded pixels are one chunk."""
    found: list[tuple[bytes, bytes]] = []
    place = len(START)
    while place < len(data):
        length, kind = struct.unpack_from(">I4s", data, place)
        body = data[place + 8 : place + 8 + length]
        if kind == b"IDAT" and found[-1][0] == kind:
            body = found.pop()[1] + body
        found.append((kind, body))
        place += 12 + length
    return found


def changed(data: bytes, change: Callable[[bytes, bytes], bytes]) -> bytes:
    return START + b"".join(chunk(kind, change(kind, body)) for kind, body in chunks(data))


def after_pixels(data: bytes) -> bytes:
    return changed(data, lambda kind, body: body + SECRET if kind == b"IDAT" else body)


def within_pixels(data: bytes) -> bytes:
    """Put a row too many into the stream of the coded pixels."""
    return changed(
        data,
        lambda kind, body: (
            zlib.compress(zlib.decompress(body) + SECRET, 0) if kind == b"IDAT" else body
        ),
    )


def after_end(data: bytes) -> bytes:
    return data + SECRET


def in_palette(data: bytes) -> bytes:
    return changed(data, lambda kind, body: body + SECRET[:15] if kind == b"PLTE" else body)


def jpeg_segment(kind: int, body: bytes) -> Callable[[bytes], bytes]:
    segment = struct.pack(">BBH", 0xFF, kind, len(body) + 2) + body
    return lambda data: data[:2] + segment + data[2:]


def before_jpeg_end(data: bytes) -> bytes:
    assert data.endswith(b"\xff\xd9")
    return data[:-2] + SECRET + data[-2:]


def riff(data: bytes) -> bytes:
    more = data + b"EXIF" + struct.pack("<I", len(SECRET)) + SECRET
    return more[:4] + struct.pack("<I", len(more) - 8) + more[8:]


CASES = [
    ("PNG", "RGB", after_pixels),
    ("PNG", "RGB", within_pixels),
    ("PNG", "RGB", after_end),
    ("PNG", "P", in_palette),
    ("JPEG", "RGB", before_jpeg_end),
    ("JPEG", "RGB", after_end),
    ("JPEG", "RGB", jpeg_segment(0xFE, SECRET)),
    ("JPEG", "RGB", jpeg_segment(0xE1, SECRET)),
    ("JPEG", "RGB", jpeg_segment(0xDB, b"\x03" + 4 * SECRET)),
    ("WEBP", "RGB", after_end),
    ("WEBP", "RGB", riff),
]


async def views(data: bytes) -> list[bytes]:
    """Return the whole image at full size in every format."""
    shots = Screenshots()
    source = Source(sha256(data).hexdigest(), "screen", lambda: data)
    found = [(await shots.view(source, ViewRequest(format=form))).data for form in Format]
    shots.close()
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("form", "mode", "hide"), CASES, ids=range(len(CASES)))
async def test_a_file_with_something_hidden_gives_the_views_of_one_without(
    form: str,
    mode: str,
    hide: Callable[[bytes], bytes],
    noise: Image.Image,
    encoded: Encode,
) -> None:
    picture = noise.quantize(50) if mode == "P" else noise
    data = encoded(picture, form)
    hidden = hide(data)
    assert SECRET[:15] in hidden
    with Image.open(io.BytesIO(hidden)) as known, Image.open(io.BytesIO(data)) as plain:
        assert known.convert("RGB").tobytes() == plain.convert("RGB").tobytes()
    found = await views(hidden)
    assert found == await views(data)
    assert not any(SECRET[:15] in view for view in found)


async def test_what_a_png_says_beside_its_pixels_stays_here(
    noise: Image.Image, encoded: Encode
) -> None:
    notes = PngImagePlugin.PngInfo()
    notes.add_text("Comment", SECRET.decode())
    noted = encoded(noise, pnginfo=notes, icc_profile=SECRET, dpi=(72, 72))
    assert await views(noted) == await views(encoded(noise))


async def test_a_jpeg_keeps_its_pixels_where_a_lossless_view_is_small_enough(
    noise: Image.Image, encoded: Encode
) -> None:
    data = encoded(noise, "JPEG", quality=60)
    shots = Screenshots()
    view = await shots.view(Source("jpeg", "screen", lambda: data))
    shots.close()
    with Image.open(io.BytesIO(view.data)) as shown, Image.open(io.BytesIO(data)) as stored:
        assert shown.convert("RGB").tobytes() == stored.convert("RGB").tobytes()
