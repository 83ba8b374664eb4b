"""Random texts that stand for references, and whether one is in some bytes."""

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import md5, sha1, sha256

_BLOCK = 8


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


def markers_in(markers: Sequence[str], data: bytes) -> Sequence[str]:
    """Return the texts that are in some bytes by `is_in`; for many texts and many bytes.

    A form that is in the bytes covers a whole aligned block of them, since it is at least as long
    as two blocks. So only texts that share a block with the bytes are searched for.
    """
    owners = _owners(tuple(markers))
    near: set[str] = set()
    for start in range(0, len(data), _BLOCK):
        near |= owners.get(data[start : start + _BLOCK], frozenset())
    return [marker for marker in markers if marker in near and is_in(marker, data)]


@lru_cache(4)
def _owners(markers: tuple[str, ...]) -> Mapping[bytes, frozenset[str]]:
    """Return which of some texts have a block in one of their forms, wherever it begins."""
    owners: dict[bytes, set[str]] = {}
    for marker in markers:
        for form in forms(marker):
            assert len(form) >= 2 * _BLOCK
            for start in range(len(form) - _BLOCK + 1):
                owners.setdefault(form[start : start + _BLOCK], set()).add(marker)
    return {block: frozenset(held) for block, held in owners.items()}
