# ruff: noqa: INP001  (mkdocs loads it by its path)
"""Pages that are made when the site is built: each command, and the protocols of each benchmark."""

import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))

from parts import made

PAGES = made()


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages below the one that they are part of in the navigation."""
    for section in config.nav or []:
        for title, entries in section.items():
            section[title] = (
                [_with_pages(entry) for entry in entries] if isinstance(entries, list) else entries
            )
    return config


def _with_pages(entry: dict[str, Any]) -> dict[str, Any]:
    """Return an entry with the pages that are part of its page."""
    ((title, page),) = entry.items()
    parts = [name for name in PAGES if name.startswith(f"{page.removesuffix('.md')}/")]
    return {title: [page, *parts]} if parts else entry


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages."""
    for name, text in PAGES.items():
        files.append(File.generated(config, name, content=text))
    return files
