"""The pages of a folder and their sites."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from snellen.grading.errors import InputError

SUFFIXES = (".html", ".htm", ".xhtml")

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a site."""

    site: str  # the site's name, safe as a folder name
    page: str  # the page's name in its site, safe as a folder name
    root: Path  # the site's folder: it contains everything that the page may load
    path: Path  # the page's file, relative to the site's folder
    generated: bool = False  # whether the page generator wrote it

    @property
    def id(self) -> str:
        """The site and the page: unique in a build."""
        return f"{self.site}/{self.page}"

    @property
    def site_code(self) -> str:
        """The site's name in items: a code, since a name such as `bank` would answer questions."""
        return _code("s", self.site)

    @property
    def page_code(self) -> str:
        """The page's name in items, a code for the same reason."""
        return _code("p", self.id)


class Skipped(NamedTuple):
    """A page that is not used, by its id or path, and the reason."""

    page: str
    reason: str


class Pages(NamedTuple):
    """The pages of a folder, by site and path, and the skipped pages."""

    pages: Sequence[Page]
    skipped: Sequence[Skipped]


def find_pages(folder: Path) -> Pages:
    """Find the pages of a folder.

    If the folder has no page of its own and at least two of its folders have one, each of its
    folders with pages at any depth is a site; else the folder is one site. An unpacked package,
    with a `package.json`, is a site if it has pages at any depth. Hidden files and folders are
    ignored. A link that leads out of the site is skipped.

    Raises:
        InputError: The folder can't be read or has no page.
    """
    if not folder.is_dir():
        raise InputError("there is no such folder", file=str(folder))
    root = folder.resolve()
    sites = _sites(root)
    pages: list[Page] = []
    skipped: list[Skipped] = []
    names: dict[str, Path] = {}
    for site_root in sites:
        site = _safe(site_root.name) or "site"
        for path in _walk(site_root):
            inside = path.relative_to(site_root)
            if not path.resolve().is_relative_to(site_root):
                skipped.append(Skipped(str(path.relative_to(root)), "a link leads out of the site"))
                continue
            page = Page(site, _page_name(inside), site_root, inside)
            if (first := names.setdefault(page.id, path)) is not path:
                skipped.append(
                    Skipped(
                        str(path.relative_to(root)),
                        f"{first.relative_to(root)} has the same name without its suffix",
                    )
                )
                continue
            pages.append(page)
    if not pages and not skipped:
        raise InputError(
            f"it has no pages: files that end in {', '.join(SUFFIXES)}", file=str(folder)
        )
    return Pages(pages, skipped)


def _sites(root: Path) -> Sequence[Path]:
    if any(_is_page(entry) for entry in root.iterdir()):
        return [root]
    folders = sorted(
        entry for entry in root.iterdir() if entry.is_dir() and not entry.name.startswith(".")
    )
    if sum(map(_is_site, folders)) < 2:
        return [root]
    return [folder for folder in folders if next(_walk(folder), None) is not None]


def _is_site(folder: Path) -> bool:
    """Whether a folder has pages itself, or is a package with pages at any depth."""
    if (folder / "package.json").is_file():
        return next(_walk(folder), None) is not None
    return any(map(_is_page, folder.iterdir()))


def _walk(root: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if _is_page(Path(place, name)):
                yield Path(place, name)


def _is_page(path: Path) -> bool:
    return path.suffix.lower() in SUFFIXES and not path.name.startswith(".") and path.is_file()


def _page_name(inside: Path) -> str:
    return "-".join(part for part in map(_safe, inside.with_suffix("").parts) if part) or "page"


def _code(kind: str, name: str) -> str:
    from hashlib import sha256

    return f"{kind}{sha256(name.encode()).hexdigest()[:8]}"


def _safe(name: str) -> str:
    """Return a name of letters, digits, dashes and underscores; a hash replaces lost characters."""
    safe = _UNSAFE.sub("-", name).strip("-")
    if safe == name and len(safe) <= _LONGEST:
        return safe
    from hashlib import sha256

    return f"{safe[:_LONGEST]}-{sha256(name.encode()).hexdigest()[:8]}".strip("-")
