"""The oracle of each page, and the functions that parse goals."""

import re
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from miniwob_hand import Hand, LostError

Oracle: TypeAlias = Callable[[Hand], Awaitable[None]]
ORACLES: dict[str, Oracle] = {}
"""By page."""


def oracle(*pages: str) -> Callable[[Oracle], Oracle]:
    """Keep an oracle of some pages."""

    def keep(solve: Oracle) -> Oracle:
        ORACLES.update(dict.fromkeys(pages, solve))
        return solve

    return keep


def nth(text: str) -> int:
    """Return which one a text means, counted from 0: `the 2nd` is 1."""
    found = re.search(r"(\d+)(st|nd|rd|th)", text)
    if found is None:
        raise LostError(text)
    return int(found[1]) - 1


def after(goal: str, pattern: str) -> str:
    """Return the first group of a pattern in a goal."""
    found = re.search(pattern, goal)
    if found is None:
        raise LostError(goal)
    return found[1]
