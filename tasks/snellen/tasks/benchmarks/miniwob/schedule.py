"""Which episodes an exam has: pages with seeds, drawn or as BrowserGym draws them."""

from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np

NOT_IN_BROWSERGYM: Final = frozenset(
    {"button-delay", "chase-circle", "hover-shape", "moving-items", "simon-says"}
)
"""Pages that BrowserGym leaves out: they end by time alone, or are about it."""

_SEEDS: Final = 5

# BrowserGym draws below `2 ^ 32`, which is no power in Python.
_BELOW: Final = 2 ^ 32


class Start(NamedTuple):
    """An episode's beginning: the page, and the seed of all that it draws."""

    page: str
    seed: int


def drawn(pages: Iterable[str], seed: int, count: int = 1) -> list[Start]:
    """Draw seeds for each page.

    Args:
        pages: Such as `click-button`.
        seed: Of the draw.
        count: Episodes of each page, all different.
    """
    random = np.random.default_rng(seed)
    return [
        Start(page, int(each))
        for page in pages
        for each in random.choice(2**31, size=count, replace=False, shuffle=False)
    ]


def browsergym_seeds(pages: Iterable[str]) -> list[Start]:
    """Return the 625 episodes of BrowserGym's `miniwob`, with the seeds of its tasks.

    Only 590 of them are different: the seeds are drawn from 34.

    Args:
        pages: All pages, in any order.
    """
    # BrowserGym lists its tasks by name.
    kept = sorted(set(pages) - NOT_IN_BROWSERGYM)
    random = np.random.RandomState(42)
    return [Start(page, int(random.randint(0, _BELOW))) for page in kept for _ in range(_SEEDS)]


def page_seed(seed: int) -> int:
    """Return the seed that BrowserGym hands to a page, of its task's seed.

    >>> page_seed(0), page_seed(1), page_seed(2)
    (985772, 128037, 875688)
    """
    return int(np.random.RandomState(seed).randint(0, 1_000_000))


def browsergym_schedule(pages: Iterable[str]) -> list[Start]:
    """Return BrowserGym's 625 episodes with the seeds that its pages get.

    Args:
        pages: All pages, in any order.
    """
    return [Start(page, page_seed(seed)) for page, seed in browsergym_seeds(pages)]
