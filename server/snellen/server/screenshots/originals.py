"""Originals: a stored file goes out as it is, where it shows the same as its pixels do.

To encode again what was encoded well makes it larger, or worse. What is not
pixels stays here: texts, profiles, orientations, thumbnails and whatever follows the image's end.
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple

from snellen.server.screenshots.encoding import LOSSLESS_BYTES, Encoded
from snellen.server.screenshots.requests import Format

_PNG = b"\x89PNG\r\n\x1a\n"
_NEEDED = (b"IHDR", b"PLTE", b"IDAT", b"IEND")
_CHANGING = (b"tRNS", b"acTL")
"""Chunks that make of the pixels something else: what is transparent, several frames."""
_OPAQUE = (0, 2, 3)
"""Colour types of PNG without an alpha channel: grey, RGB, palette."""

# Of a JPEG: tables, frame, restart interval and scans; Adobe's, which says how colours are kept.
_TABLES = (0xDB, 0xC4, 0xDD, 0xDA)
_FRAMES = (0xC0, 0xC1, 0xC2)
_JFIF, _SCAN, _END = 0xE0, 0xDA, 0xD9
_JFIF_BYTES = 16
"""Of the segment without a thumbnail."""
_ADOBE, _ADOBE_BYTES = 0xEE, 14
_IN_SCAN = (0x00, *range(0xD0, 0xD8))
"""What may follow 255 within a scan: a stuffed zero, or a restart."""


class _Segment(NamedTuple):
    kind: int
    data: bytes


def as_stored(data: bytes, form: Format, max_bytes: int) -> Encoded | None:
    """Return a stored image as it can be sent, or None where it has to be encoded.

    It must be known to be an image: nothing is decoded here.

    Args:
        data: The stored file: PNG without transparency at up to 8 bits a channel, JPEG in grey
            or three colours, or plain lossy WebP; nothing else is sent as it is.
        form: How it is asked for.
        max_bytes: The most bytes; of a PNG that was not asked for as such 400,000, above which
            some clients make a JPEG of it.
    """
    if data.startswith(_PNG) and form in (Format.AUTO, Format.PNG):
        most = max_bytes if form is Format.PNG else min(LOSSLESS_BYTES, max_bytes)
        return _within(_plain_png(data), "image/png", most)
    if data.startswith(b"\xff\xd8") and form in (Format.AUTO, Format.JPEG):
        return _within(_plain_jpeg(data), "image/jpeg", max_bytes)
    if data[:4] == b"RIFF" and data[8:16] == b"WEBPVP8 " and form in (Format.AUTO, Format.WEBP):
        return _within(_plain_webp(data), "image/webp", max_bytes)
    return None


def _within(data: bytes | None, media_type: str, most: int) -> Encoded | None:
    return None if data is None or len(data) > most else Encoded(data, media_type)


def _plain_png(data: bytes) -> bytes | None:
    depth, colour = data[24], data[25]
    if depth > 8 or colour not in _OPAQUE:
        return None
    kept, place = [_PNG], len(_PNG)
    while place + 12 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, place)
        end = place + 12 + length
        if kind in _CHANGING:
            return None
        if kind in _NEEDED:
            kept.append(data[place:end])
        if kind == b"IEND":
            return b"".join(kept)
        place = end
    return None


def _plain_webp(data: bytes) -> bytes | None:
    size, pixels = struct.unpack_from("<I8xI", data, 4)
    # Nothing but pixels, and the byte that fills up an odd number of them.
    plain = size == 12 + pixels + pixels % 2 and len(data) >= size + 8
    return data[: size + 8] if plain else None


def _plain_jpeg(data: bytes) -> bytes | None:
    kept = [b"\xff\xd8"]
    for segment in _segments(data):
        kind = segment.kind
        if kind in _FRAMES and segment.data[9] not in (1, 3):
            return None  # four inks, which clients show in four ways
        if kind == _END:
            kept.append(segment.data)
            return b"".join(kept)
        plain_jfif = kind == _JFIF and len(segment.data) == _JFIF_BYTES + 2
        adobe = kind == _ADOBE and segment.data[4:9] == b"Adobe"
        if adobe and len(segment.data) != _ADOBE_BYTES + 2:
            return None  # it says more than how colours are kept
        if plain_jfif or adobe or kind in _TABLES or kind in _FRAMES:
            kept.append(segment.data)
        elif not (0xE0 <= kind <= 0xEF or kind == 0xFE):
            return None  # a way of coding that few read
    return None


def _segments(data: bytes) -> Iterator[_Segment]:
    """Yield what a JPEG is made of after its start; a scan has its coded pixels with it."""
    place = 2
    while place + 4 <= len(data) and data[place] == 0xFF:
        kind = data[place + 1]
        if kind == 0xFF:  # filling
            place += 1
            continue
        if kind == _END:
            break
        end = place + 2 + int.from_bytes(data[place + 2 : place + 4], "big")
        if kind == _SCAN:
            end = _scan_end(data, end)
        yield _Segment(kind, data[place:end])
        place = end
    if data[place : place + 2] == b"\xff\xd9":
        yield _Segment(_END, b"\xff\xd9")


def _scan_end(data: bytes, place: int) -> int:
    while 0 <= (found := data.find(b"\xff", place)) < len(data) - 1:
        if data[found + 1] not in _IN_SCAN:
            return found
        place = found + 2
    return len(data)
