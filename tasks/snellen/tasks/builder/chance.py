"""Random choices that depend on a seed and on what they are for, never on the order of the work."""

import hashlib
import random


def draw(seed: int, *names: str) -> random.Random:
    """Return a source of random choices for one purpose.

    Two pages, or two tasks of a page, have sources of their own, so that leaving one out or
    working on several at once changes nothing elsewhere.

    >>> draw(7, "shop/index", "visualwebbench/webqa").randrange(100)
    6
    """
    digest = hashlib.sha256("\0".join([str(seed), *names]).encode()).digest()
    return random.Random(int.from_bytes(digest, "big"))  # must repeat, not be secret
