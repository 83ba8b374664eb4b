"""The items of an exam whose contexts see several items: one of each pair, and no page twice."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from hashlib import sha256
from typing import NamedTuple


class PairedItem(NamedTuple):
    """An item with what its context sees."""

    task: str  # the task's id
    item: str  # the item's id
    pair: str | None  # the pair to which it belongs; None: none
    images: frozenset[str]  # the digests of its images


def without_other_halves(items: Iterable[PairedItem], seed: int) -> Collection[PairedItem]:
    """Return the items that one context may see together.

    One item of each pair stays, drawn by the seed. Of all pairs, the first items and the others are
    drawn equally often, but an item whose image other pairs show, too, is drawn only if its pair
    has no other. Then every item goes that shows an image of a pair of which another item stays.

    Args:
        items: All items, the halves of a pair in the pack's order.
        seed: The seed of the exam.
    """
    pairs: dict[str, list[PairedItem]] = defaultdict(list)
    single: list[PairedItem] = []
    chosen: list[PairedItem] = []
    for item in items:
        (single if item.pair is None else pairs[item.pair]).append(item)
    shown_by = Counter(image for halves in pairs.values() for image in _images(halves))

    def shares(item: PairedItem) -> bool:
        return any(shown_by[image] > 1 for image in item.images)

    def order(name: str) -> tuple[bool, bytes]:
        # The pairs without a free choice come first, and the others make up for them.
        return not any(map(shares, pairs[name])), _draw(seed, name)

    drawn: Counter[bool] = Counter()
    in_pairs: set[str] = set()
    seen: set[str] = set()
    for name in sorted(pairs, key=order):
        first, images = pairs[name][0], _images(pairs[name])
        ranks = {
            (shares(half), drawn[half is first], _draw(seed, f"{half.task}|{half.item}")): half
            for half in pairs[name]
        }
        half = ranks[min(ranks)]
        if in_pairs.isdisjoint(half.images) and seen.isdisjoint(images):
            chosen.append(half)
            drawn[half is first] += 1
            in_pairs |= images
            seen |= half.images
    return {*chosen, *(item for item in single if in_pairs.isdisjoint(item.images))}


def _images(items: Iterable[PairedItem]) -> frozenset[str]:
    return frozenset(image for item in items for image in item.images)


def _draw(seed: int, name: str) -> bytes:
    return sha256(f"{seed}|half|{name}".encode()).digest()
