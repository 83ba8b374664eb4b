"""ROUGE of words that are already split, with exact F, for the robust protocols.

Source: Lin 2004, "ROUGE: A Package for Automatic Evaluation of Summaries", sections 2 and 3.
`metrics.rouge` and `metrics.rouge101` reproduce the two packages behind published numbers.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import NamedTuple

from snellen.grading.metrics.lcs import lcs_length


class WordRouge(NamedTuple):
    """The three F values, 0 to 1."""

    rouge1: float
    rouge2: float
    rougeL: float  # noqa: N815  # its name everywhere


def word_rouge(prediction: Sequence[str], reference: Sequence[str]) -> WordRouge:
    """Score the words of a prediction against those of one reference.

    ROUGE-1 and ROUGE-2 count shared n-grams by the smaller of the two counts. ROUGE-L takes one
    longest common subsequence of the whole texts. F is twice the shared count over the sum of both
    sizes, so equal texts score exactly 1. One exception: a single word has no pairs, so its ROUGE-2
    is 0. Two texts without words score 1 in all three.

    Source: Lin 2004, section 2 (ROUGE-N) and section 3 (ROUGE-L).

    >>> word_rouge("the cat".split(), "the cat sat".split())
    WordRouge(rouge1=0.8, rouge2=0.6666666666666666, rougeL=0.8)
    """
    if not prediction and not reference:
        return WordRouge(1.0, 1.0, 1.0)
    sizes = len(prediction) + len(reference)
    pairs = list(pairwise(prediction)), list(pairwise(reference))
    return WordRouge(
        _f(_clipped(prediction, reference), sizes),
        _f(_clipped(*pairs), len(pairs[0]) + len(pairs[1])),
        _f(lcs_length(prediction, reference), sizes),
    )


def _clipped(ours: Sequence[Hashable], theirs: Sequence[Hashable]) -> int:
    left, right = Counter(ours), Counter(theirs)
    return sum(min(left[gram], right[gram]) for gram in left.keys() & right.keys())


def _f(common: int, sizes: int) -> float:
    return 2 * common / sizes if common else 0.0
