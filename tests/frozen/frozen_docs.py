"""The pages that are made when the site is built: the help of every command, and every protocol."""

import sys
from pathlib import Path

from stored import digest

sys.path.append(str(Path(__file__).parents[2] / "docs"))

from parts import made


def pages(folder: Path) -> dict[str, object]:
    """Return a digest of each page."""
    del folder
    return {name: digest(text) for name, text in made().items()}
