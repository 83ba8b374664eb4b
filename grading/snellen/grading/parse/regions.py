"""UI grouping: which of six page regions did a text name.

WebRSSBench names its classes in three ways: the prompt (A.2), the annotators' guideline (B.2) and
the main text. "Auxiliary area" is left or right in the prompt and "other" in the guideline, so
with a side it is that side and alone it is `other`.
"""

import re
from enum import StrEnum


class Region(StrEnum):
    """The six classes, by the side of the page."""

    TOP = "top"
    LEFT = "left"
    RIGHT = "right"
    MAIN = "main"
    BOTTOM = "bottom"
    OTHER = "other"


# prompt A.2, guideline B.2, main text; then spellings of these.
_NAMES: dict[Region, tuple[str, ...]] = {
    Region.TOP: ("top sidebar", "top bar", "topbar"),
    Region.LEFT: ("left auxiliary area", "left sidebar", "left side bar", "left auxiliary"),
    Region.RIGHT: ("right auxiliary area", "right sidebar", "right side bar", "right auxiliary"),
    Region.MAIN: ("main content area", "main content", "main area"),
    Region.BOTTOM: ("bottom sidebar", "bottom bar", "bottombar"),
    Region.OTHER: ("auxiliary area", "ads", "ad", "advertisement", "advertisements"),
}
# One word that also occurs in the middle of a sentence ("at the top of the left sidebar"): it
# counts only where no name does.
_SHORT: dict[Region, tuple[str, ...]] = {
    Region.TOP: ("top",),
    Region.LEFT: ("left",),
    Region.RIGHT: ("right",),
    Region.MAIN: ("main",),
    Region.BOTTOM: ("bottom",),
    Region.OTHER: ("other", "others", "else"),
}
_NOT_WORDS = re.compile(r"[\W_]+")
_DENIAL = r"(?:\b(?:not|than|instead of) (?:(?:in|on|at|part|of|the|a|an) ){0,4}+)?"


def _table(names: dict[Region, tuple[str, ...]]) -> tuple[re.Pattern[str], dict[str, Region]]:
    """Compile an alias table so that the longest alias matches first."""
    regions = {alias: region for region, aliases in names.items() for alias in aliases}
    longest_first = "|".join(sorted(regions, key=len, reverse=True))
    return re.compile(rf"({_DENIAL})\b({longest_first})\b"), regions


_TABLES = (_table(_NAMES), _table(_SHORT))


def region(text: str) -> Region | None:
    """Read the region that a text names, under any of its published names.

    Case, punctuation and spacing count for nothing. The longest name wins at each place and the
    last place wins in the text; a name after "not" is passed over, and single words such as "top"
    count only where no full name does.

    Returns:
        The region; None where the text names none, which scores as wrong.

    Source: WebRSSBench appendix A.2 and B.2 for the names; how to read an answer is published
    nowhere, so that is a decision.

    >>> region("Left auxiliary area."), region("auxiliary area")
    (<Region.LEFT: 'left'>, <Region.OTHER: 'other'>)
    >>> region("It is at the top of the right sidebar")
    <Region.RIGHT: 'right'>
    """
    plain = _NOT_WORDS.sub(" ", text.casefold())
    for pattern, regions in _TABLES:
        named = [alias for denial, alias in pattern.findall(plain) if not denial]
        if named:
            return regions[named[-1]]
    return None
