"""Random choices that depend on a seed and a purpose, not on the order of the work."""

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")


def draw(seed: int, *names: str) -> random.Random:
    """Return a source of random choices for one purpose.

    Pages, and tasks of a page, have separate sources. Leaving one out or working in parallel does
    not change the others.

    >>> draw(7, "shop/index", "visualwebbench/webqa").randrange(100)
    6
    """
    digest = hashlib.sha256("\0".join([str(seed), *names]).encode()).digest()
    return random.Random(int.from_bytes(digest, "big"))  # must repeat, not be secret


def by_turns(
    source: random.Random, items: Iterable[Item], kind: Callable[[Item], str]
) -> list[Item]:
    """Return items in a random order that alternates among their kinds."""
    drawn = list(items)
    source.shuffle(drawn)
    turns: Counter[str] = Counter()
    order: list[tuple[int, float]] = []
    for item in drawn:
        turns[kind(item)] += 1
        # Random among the kinds as well, so that the most frequent one does not come first.
        order.append((turns[kind(item)], source.random()))
    return [item for _, item in sorted(zip(order, drawn, strict=True), key=lambda pair: pair[0])]
