"""The pages that are made when the site is built: the help of every command, and every protocol."""

from pathlib import Path

from parts import made
from stored import digest


def pages(folder: Path, *_: str) -> dict[str, object]:
    """Return a digest of each page."""
    del folder
    return {name: digest(text) for name, text in made().items()}
