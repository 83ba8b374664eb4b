"""Random texts that stand for references, and whether one is in some bytes."""

from base64 import b64encode
from collections.abc import Iterable
from hashlib import md5, sha1, sha256


def is_in(marker: str, data: bytes) -> bool:
    """Whether a text is in some bytes: as it is, coded in a usual way, or as a digest of it."""
    return any(form in data for form in forms(marker))


def forms(marker: str) -> Iterable[bytes]:
    """Yield a text in the forms in which it may hide."""
    raw = marker.encode()
    yield raw
    yield raw[4:]
    yield raw[::-1]
    yield marker.upper().encode()
    yield marker.encode("utf-16-le")
    yield raw.hex().encode()
    for shift in range(3):
        # Wherever in a longer text it stands, its middle is coded in one of three ways.
        yield b64encode(b"\0" * shift + raw)[4:-4]
    for digest in (md5, sha1, sha256):
        yield digest(raw).digest()
        yield digest(raw).hexdigest().encode()
