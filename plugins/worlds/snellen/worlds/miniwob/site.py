"""The pages of the installed package `miniwob`, as responses of a file server."""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from snellen.grading.errors import DataError, MissingExtraError
from snellen.tasks.environments.base import Reply, Request

_TYPES: Final = {
    # No page declares its charset.
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".gif": "image/gif",
    ".png": "image/png",
    ".woff": "font/woff",
}
_MISSING: Final = Reply(404, "text/html; charset=utf-8", b"<!doctype html><title>Not Found</title>")

# They show brands of airlines, and they are graded in another way.
_LEFT_OUT: Final = "flight"


class Site:
    """The files of MiniWoB++, without its copies of airlines' pages.

    Args:
        folder: The package's folder `html`.

    Raises:
        DataError: The folder holds no pages.
    """

    def __init__(self, folder: Path) -> None:
        self._files: Mapping[str, Path] = {
            f"/{path.relative_to(folder).as_posix()}": path
            for path in folder.rglob("*")
            if path.suffix in _TYPES and path.relative_to(folder).parts[0] != _LEFT_OUT
        }
        self.pages = tuple(
            sorted(path.stem for name, path in self._files.items() if name == page_path(path.stem))
        )
        if not self.pages:
            raise DataError("there are no pages in it; install the package again", file=str(folder))

    def answer(self, request: Request) -> Reply:
        """Answer a request for a file."""
        file = self._files.get(urlsplit(request.url).path)
        if file is None:
            return _MISSING
        return Reply(200, _TYPES[file.suffix], file.read_bytes())


@cache
def installed_site() -> Site:
    """Return the site of the installed package.

    Raises:
        MissingExtraError: It is not installed.
        DataError: It holds no pages.
    """
    return Site(Path(str(_distribution().locate_file("miniwob/html"))))


def installed_version() -> str:
    """Return the package's version, such as `1.1.0`.

    Raises:
        MissingExtraError: It is not installed.
    """
    return _distribution().version


def page_path(page: str) -> str:
    """Return the path of a page on the site."""
    return f"/miniwob/{page}.html"


def _distribution() -> Distribution:
    try:
        return distribution("miniwob")
    except PackageNotFoundError:
        raise MissingExtraError("MiniWoB++", "miniwob") from None
