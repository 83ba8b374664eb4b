"""Names of participants and teams: two that look the same are one name."""

from collections.abc import Iterable
from unicodedata import normalize


def folded(name: str) -> str:
    r"""Return a name without case and without compatible forms of characters (NFKC).

    >>> folded("ANN") == folded("ann") == folded("\uff41nn")
    True
    """
    return normalize("NFKC", normalize("NFKC", name).casefold())


def look_alike(name: str, others: Iterable[str | None]) -> str | None:
    """Return the one of other names that looks the same, if possible an equal one; None: none."""
    found: str | None = None
    for other in others:
        if other == name:
            return name
        if other is not None and folded(other) == folded(name):
            found = other
    return found
