"""Handles: what an attempt's caller holds, 192 random bits; the store keeps their digests alone."""

from collections.abc import Callable
from hashlib import sha256

_PREFIX = "att_"


def new_handle(random: Callable[[int], bytes]) -> str:
    """Make a handle of random bytes."""
    return _PREFIX + random(24).hex()


def digest_of(handle: str) -> bytes:
    """Return what the store keeps of a handle, or of what somebody gave as one."""
    return sha256(handle.encode("utf-8", "surrogatepass")).digest()
