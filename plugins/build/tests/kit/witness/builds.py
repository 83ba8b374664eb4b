"""The folder of a build: its frozen pages, with which an audit compares items.

Only the captured data of a build are trusted: `snapshots/` and the settings in `build.json`. Items
in `made/` and `data/` may be faulty like the pack itself.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import msgspec

from snellen.build.build import SNAPSHOTS, BuildSettings
from snellen.build.pages import Page
from snellen.build.snapshots import SNAPSHOT, Change, Snapshot
from snellen.grading.errors import DataError, InputError

_SETTINGS = "build.json"


@dataclass(frozen=True)
class FrozenPage:
    """A page of a build.

    Attributes:
        site: The site's name.
        page: The page's name.
        snapshot: The captured page.
    """

    site: str
    page: str
    snapshot: Snapshot = field(repr=False)

    @property
    def name(self) -> str:
        """The site and the page: unique in a build."""
        return f"{self.site}/{self.page}"

    @cached_property
    def changed_files(self) -> tuple[str, ...]:
        """The files that differ from those of the snapshot, by digest."""
        changed: list[str] = []
        for name, digest in self.snapshot.captured.digests.items():
            try:
                data = (self.snapshot.folder / name).read_bytes()
            except OSError:
                changed.append(name)
                continue
            if hashlib.sha256(data).hexdigest() != digest:
                changed.append(name)
        return tuple(changed)

    def change(self, task: str, mode: str | None = None) -> Change | None:
        """Return the page's first change for a task, or the one with a mode."""
        changes = self.snapshot.captured.changes
        return next(
            (
                candidate
                for candidate in changes
                if candidate.task == task and mode in (None, candidate.mode)
            ),
            None,
        )


@dataclass(frozen=True)
class BuildFolder:
    """A build's settings and pages.

    Attributes:
        folder: The path of the folder.
        settings: The settings of the build.
        pages: The pages by the names of site and page.
    """

    folder: Path
    settings: BuildSettings
    pages: Mapping[str, FrozenPage] = field(repr=False)

    @cached_property
    def titles(self) -> Mapping[str, str]:
        """The titles of the pages, by the names of their sites and files."""
        pages = [page.snapshot for page in self.pages.values()]
        return {page.captured.source: page.screen.title for page in pages}

    @cached_property
    def _by_code(self) -> Mapping[str, FrozenPage]:
        return {code_of(name): page for name, page in self.pages.items()}

    def page(self, name: str) -> FrozenPage | None:
        """Return a page by its name or by its code in items."""
        return self.pages.get(name) or self._by_code.get(name)


def code_of(name: str) -> str:
    """Return the code of a page in items, from the names of its site and page."""
    site, _, page = name.partition("/")
    parts = Page(site, page, Path(), Path())
    return f"{parts.site_code}/{parts.page_code}"


def open_build(folder: Path) -> BuildFolder:
    """Open the folder of a build.

    Raises:
        InputError: The folder is not a build.
        DataError: A snapshot can't be read.
    """
    try:
        settings = msgspec.json.decode((folder / _SETTINGS).read_bytes(), type=BuildSettings)
    except OSError:
        raise InputError(
            f"it is not the folder of a build: it has no {_SETTINGS}; snellen build writes"
            " such a folder as EXAM.build",
            file=str(folder),
        ) from None
    except msgspec.DecodeError as error:
        raise DataError(str(error), file=str(folder / _SETTINGS)) from None
    pages = {
        f"{place.parent.name}/{place.name}": FrozenPage(
            place.parent.name, place.name, Snapshot(place)
        )
        for file in sorted((folder / SNAPSHOTS).glob(f"*/*/{SNAPSHOT}"))
        if (place := file.parent)
    }
    return BuildFolder(folder, settings, pages)
