"""Longest common subsequences: the length, and the one that a published table walk picks.

The length does not depend on the algorithm, so it comes from RapidFuzz. RapidFuzz needs strings, so
each token becomes one character. The choice among several equally long subsequences depends on the
algorithm; `trace` reproduces one rule, without its table.
"""

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# The code points below and above the surrogates, without 0, which means an unknown token.
MOST_TOKENS = 0x110000 - 0x800 - 1
_FIRST_SURROGATE = 0xD800
_SURROGATES = 0x800
_FEW = "".join(map(chr, range(1, 0x100)))


class Trace(NamedTuple):
    """One longest common subsequence."""

    tokens: list[str]  # its tokens, from last to first
    row: int  # the row of its first token, among the rows with a common token, from 1; 0 if none
    column: int  # the column of its first token, counted in the same way


@cache
def _similarity() -> Callable[..., int]:
    from rapidfuzz.distance import LCSseq

    return LCSseq.similarity


def lcs_length(first: Sequence[str], second: Sequence[str]) -> int:
    """Count the tokens of a longest common subsequence.

    Example:
        >>> lcs_length("the cat sat down".split(), "down sat the cat".split())
        2
    """
    distinct = dict.fromkeys(second)
    if len(distinct) > MOST_TOKENS:
        numbers = {token: number for number, token in enumerate(distinct, 1)}
        return _similarity()(
            [numbers.get(token, 0) for token in first], [numbers[token] for token in second]
        )
    letters = dict(zip(distinct, _FEW if len(distinct) < len(_FEW) else _letters(), strict=False))
    return _similarity()(
        "".join([letters.get(token, "\0") for token in first]),
        "".join([letters[token] for token in second]),
    )


def lcs_lengths(
    first: Sequence[str],
    firsts: NDArray[np.int64],
    second: Sequence[str],
    seconds: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Count the characters of a longest common subsequence of each of many pairs of strings.

    Args:
        first: Strings, as `spell` writes them.
        firsts: For each pair, an index into `first`.
        second: More strings.
        seconds: For each pair, an index into `second`.
    """
    from rapidfuzz.process import cpdist

    return np.asarray(
        cpdist(
            [first[number] for number in firsts.tolist()],
            [second[number] for number in seconds.tolist()],
            scorer=_similarity(),
            dtype=np.int64,
        ),
        dtype=np.int64,
    )


def spell(numbers: NDArray[np.int64]) -> str:
    """Write token numbers, 0 to `MOST_TOKENS`, as a string with one character for each.

    Example:
        >>> spell(np.array([72, 105]))
        'Hi'
    """
    points = np.where(numbers < _FIRST_SURROGATE, numbers, numbers + _SURROGATES)
    return points.astype("<u4").tobytes().decode("utf-32-le")


def trace(rows: Sequence[str], columns: Sequence[str], common: AbstractSet[str]) -> Trace:
    """Find the longest common subsequence that the textbook table walk picks.

    The walk starts at the last row and column of the table of lengths. Where row and column hold
    the same token it takes the token and goes up and left; else it goes up if the length above is
    greater than the length on the left, and left if it is not. It ends at row 0 or column 0.

    The table is never built. Each of its rows is one integer whose clear bits are the columns where
    the length rises by one (Hyyrö 2004, "Bit-parallel LCS-length computation revisited", section
    3). In that form the walk goes left until it meets a column that holds the row's token, or one
    where the length rises. There it leaves the row. The walk always passes columns without a common
    token, so they are left out. A row without a common token repeats the row above. Such rows only
    move the walk left to a rise, so in the row above the walk can stop only at the rises.

    Time and memory grow with the product of the common tokens on both sides, divided by the bits
    of a machine word.

    Args:
        rows: The tokens of one side.
        columns: The common tokens of the other side; swapping the sides can change the result among
            equally long subsequences.
        common: A set that contains at least the tokens of both sides.

    Example:
        >>> trace(["a", "x", "b"], ["b", "a"], {"a", "b"})
        Trace(tokens=['b'], row=2, column=1)
    """
    masks = dict.fromkeys(common, 0)
    bit = 1
    for token in columns:
        masks[token] |= bit
        bit <<= 1
    flat = full = bit - 1
    kept: list[str] = []
    stops: list[int] = []
    for token in rows:
        if token in masks:
            mask = masks[token]
            hits = flat & mask
            # The carry sets bits beyond the last column; they are never read.
            flat = (flat + hits) | (flat - hits)
            kept.append(token)
            stops.append(full ^ flat | mask)
        elif stops:
            stops[-1] = full ^ flat
    taken: list[str] = []
    row = column = 0
    left = len(columns)
    while stops and left:
        token = kept.pop()
        left = (stops.pop() & ((1 << left) - 1)).bit_length()
        if left and columns[left - 1] == token:
            taken.append(token)
            row, column = len(kept) + 1, left
            left -= 1
    return Trace(taken, row, column)


def _letters() -> Iterator[str]:
    return map(chr, chain(range(1, _FIRST_SURROGATE), range(0xE000, 0x110000)))
