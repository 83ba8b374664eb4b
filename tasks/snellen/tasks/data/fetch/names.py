"""What files of snellen's own are called in a folder that is fetched into."""

from pathlib import PureWindowsPath

MANIFEST = "snellen-fetch.json"
LOCK = ".snellen-fetch.lock"
FRESH = f".{MANIFEST}.new"
"""The manifest while it is written."""

PART = ".part"
"""What the name of a file ends in while it is not whole."""

_OWN = frozenset({MANIFEST, LOCK, FRESH})


def is_own(path: str) -> bool:
    """Say whether a path names a file of snellen's own, on any system, or leads through one.

    >>> [is_own(path) for path in ("snellen-fetch.json", "a/Snellen-Fetch.JSON", "fetch.json")]
    [True, True, False]
    """
    return any(part.casefold().rstrip(". ") in _OWN for part in PureWindowsPath(path).parts)
