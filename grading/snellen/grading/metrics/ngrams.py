"""Counts of the n-grams of many texts at once, for the two kinds of ROUGE.

Tokens become numbers, and a text with an n-gram becomes one integer. One sort puts equal n-grams of
both sides next to each other.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.grading.errors import MetricError
from snellen.grading.metrics.lcs import spell

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

# Characters and tokens of the pairs in one batch: enough that numpy's overhead is small, few enough
# to fit the cache.
_CHUNK = 1 << 18


class Grouped(NamedTuple):
    """The distinct references of items in a row; item i has texts[first[i]:first[i + 1]]."""

    texts: list[str]
    first: Ints


class Pairs(NamedTuple):
    """Pairs of each prediction with each reference of its item."""

    ours: Ints  # the prediction of each pair
    theirs: Ints  # the reference of each pair
    starts: Ints  # the first pair of each prediction


class Texts(NamedTuple):
    """Texts as token numbers in a row; text i is numbers[starts[i]:starts[i + 1]]."""

    numbers: Ints
    starts: Ints

    def sizes(self) -> Ints:
        """Count the tokens of each text."""
        return np.diff(self.starts)

    def pick(self, which: Ints) -> "Texts":
        """Return the texts with these indices, in this order."""
        sizes = self.sizes()[which]
        return Texts(self.numbers[_ranges(self.starts[which], sizes)], offsets(sizes))

    def spelled(self) -> list[str]:
        """Write each text as a string with one character for each token."""
        whole = spell(self.numbers)
        return [whole[start:stop] for start, stop in pairwise(self.starts.tolist())]


class Ngrams(NamedTuple):
    """The n-grams of texts on both sides: one line for each text and n-gram."""

    texts: int  # the number of texts
    owners: Ints  # the index of each line's text
    predicted: Ints  # the n-gram's count in the prediction
    expected: Ints  # the n-gram's count in the reference

    def clipped(self) -> Ints:
        """Count the shared n-grams of each text, by the smaller of the two counts."""
        both = np.minimum(self.predicted, self.expected)
        return np.bincount(self.owners, weights=both, minlength=self.texts).astype(np.int64)

    def lines(self, where: NDArray[np.bool_]) -> Ints:
        """Count the n-grams of each text for which `where` is true."""
        return np.bincount(self.owners[where], minlength=self.texts)


def group(references: Sequence[Sequence[str]]) -> Grouped:
    """Put the references of all items in a row, each text once per item.

    Raises:
        MetricError: If an item has no reference.
    """
    for number, texts in enumerate(references):
        if not texts:
            raise MetricError(f"item {number} has no reference for ROUGE")
    distinct = [dict.fromkeys(texts) for texts in references]
    sizes = np.fromiter(map(len, distinct), np.int64, len(distinct))
    return Grouped([text for texts in distinct for text in texts], offsets(sizes))


def checked(item_index: Sequence[int] | Ints, predictions: Sequence[str], items: int) -> Ints:
    """Return the items as an array.

    Raises:
        ValueError: If the number of items and predictions differs.
        IndexError: If an index is not from 0 to `items` - 1.
    """
    which = np.asarray(item_index, dtype=np.int64)
    if which.shape != (len(predictions),):
        raise ValueError(f"{which.size} items for {len(predictions)} predictions")
    if which.size and not 0 <= which.min() <= which.max() < items:
        raise IndexError(f"items are numbered from 0 to {items - 1}")
    return which


def chunks(items: Ints, predictions: Sequence[str], first: Ints, starts: Ints) -> Iterator[slice]:
    """Cut a batch where the number of characters and tokens to compare exceeds a limit.

    Args:
        items: The item of each prediction.
        predictions: The texts.
        first: The first reference of each item, as in `Grouped`.
        starts: The first token of each reference, as in `Texts`.
    """
    begin, end = first[items], first[items + 1]
    sizes = np.fromiter(map(len, predictions), np.int64, len(predictions))
    work = (1 + sizes) * (end - begin) + starts[end] - starts[begin]
    cuts = np.flatnonzero(np.diff(np.cumsum(work) // _CHUNK)) + 1
    for start, stop in pairwise([0, *cuts.tolist(), len(predictions)]):
        if start < stop:
            yield slice(start, stop)


def pair(items: Ints, first: Ints) -> Pairs:
    """Pair predictions of these items with the references of each."""
    counts = first[items + 1] - first[items]
    ours = np.repeat(np.arange(len(items)), counts)
    return Pairs(ours, _ranges(first[items], counts), offsets(counts)[:-1])


def count_ngrams(predicted: Texts, expected: Texts, tokens: int) -> tuple[Ngrams, Ngrams]:
    """Count the single tokens and the pairs of tokens of text i on both sides.

    Args:
        predicted: The predictions; token 0 is never counted.
        expected: The references, one per prediction.
        tokens: The greatest token number.

    Raises:
        MetricError: If a text's index and two tokens do not fit into an integer of 64 bits.
    """
    bits = max(tokens, 1).bit_length()
    texts = len(predicted.starts) - 1
    if texts.bit_length() + 2 * bits + 1 > 63:
        raise MetricError(f"{texts} references of one item are too many for ROUGE")
    ours, our_pairs = _keys(predicted, bits)
    theirs, their_pairs = _keys(expected, bits)
    return _count(ours, theirs, bits, texts), _count(our_pairs, their_pairs, 2 * bits, texts)


def offsets(sizes: Ints) -> Ints:
    """Return the start of each stretch, and the end of the last one."""
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))


def _keys(side: Texts, bits: int) -> tuple[Ints, Ints]:
    """Make a key of each token and of each pair: the text, shifted left, and the numbers."""
    owners = np.repeat(np.arange(len(side.starts) - 1), side.sizes())
    known = side.numbers > 0
    keys = owners << bits | side.numbers
    adjacent = known[1:] & known[:-1] & (owners[1:] == owners[:-1])
    return keys[known], (keys[:-1] << bits | side.numbers[1:])[adjacent]


def _count(predicted: Ints, expected: Ints, bits: int, texts: int) -> Ngrams:
    keys = np.concatenate((predicted << 1 | 1, expected << 1))
    if not keys.size:
        return Ngrams(texts, keys, keys, keys)
    keys.sort()
    grams = keys >> 1
    starts = np.flatnonzero(np.append(True, grams[1:] != grams[:-1]))
    ours = np.add.reduceat(keys & 1, starts)
    theirs = np.diff(np.append(starts, len(keys))) - ours
    return Ngrams(texts, grams[starts] >> bits, ours, theirs)


def _ranges(starts: Ints, sizes: Ints) -> Ints:
    """Join the ranges start, ..., start + size - 1."""
    ends = offsets(sizes)
    shifts: Ints = np.repeat(starts - ends[:-1], sizes)
    return np.arange(len(shifts)) + shifts
