# ruff: noqa: INP001  (mkdocs loads it by its path)
"""Pages that are made when the site is built: each command, and the protocols of each benchmark."""

import sys
from pathlib import Path
from typing import Any, cast

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))

from parts import made

PAGES = made()


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages below the one that they are part of in the navigation."""
    nav = cast("Any", config.nav)  # pyright: ignore[reportUnknownMemberType]  # has no type there
    for entry in (entry for tab in nav[1:] for entries in tab.values() for entry in entries):
        ((title, page),) = entry.items()
        below = [name for name in PAGES if name.startswith(f"{page.removesuffix('.md')}/")]
        if below:
            entry[title] = [page, *below]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages."""
    for name, text in PAGES.items():
        files.append(File.generated(config, name, content=text))
    return files
