"""Random choices that depend on a seed and on what they are for, never on the order of the work."""

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")


def draw(seed: int, *names: str) -> random.Random:
    """Return a source of random choices for one purpose.

    Two pages, or two tasks of a page, have sources of their own, so that leaving one out or
    working on several at once changes nothing elsewhere.

    >>> draw(7, "shop/index", "visualwebbench/webqa").randrange(100)
    6
    """
    digest = hashlib.sha256("\0".join([str(seed), *names]).encode()).digest()
    return random.Random(int.from_bytes(digest, "big"))  # must repeat, not be secret


def by_turns(
    source: random.Random, items: Iterable[Item], kind: Callable[[Item], str]
) -> list[Item]:
    """Return items in a random order, by turns among their kinds: one of each, then a second."""
    drawn = list(items)
    source.shuffle(drawn)
    turns: Counter[str] = Counter()
    order: list[tuple[int, float]] = []
    for item in drawn:
        turns[kind(item)] += 1
        # At random among the kinds, too, so that the most frequent one does not come first.
        order.append((turns[kind(item)], source.random()))
    return [item for _, item in sorted(zip(order, drawn, strict=True), key=lambda pair: pair[0])]
