"""Finding an installed Chromium and the library that drives it."""

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from snellen.grading.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from playwright.sync_api._context_manager import PlaywrightContextManager

VARIABLE = "SNELLEN_BROWSER"
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HOW = (
    "install one (Debian and Ubuntu: apt-get install chromium fonts-liberation fonts-dejavu-core"
    f" fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji), or name its program in {VARIABLE}"
)


class FoundBrowser(NamedTuple):
    """The browser's program, and how it was found: by the variable's name or by its own."""

    program: Path
    by: str


def find_browser() -> FoundBrowser:
    """Return the Chromium to use: what SNELLEN_BROWSER names, or the first one on PATH.

    Raises:
        InputError: There is none, or the variable names what is no program.
    """
    named = os.environ.get(VARIABLE)
    if named:
        found = shutil.which(named)
        if found is None:
            raise InputError(f"{VARIABLE} is {named!r}, which is no program that can be run")
        return FoundBrowser(Path(found), VARIABLE)
    for name in PROGRAMS:
        found = shutil.which(name)
        if found is not None:
            return FoundBrowser(Path(found), name)
    raise InputError(f"there is no Chromium on this machine: {HOW}")


def load_playwright() -> "PlaywrightContextManager":
    """Return Playwright's door, still closed.

    Raises:
        MissingExtraError: Playwright is not installed.
    """
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise MissingExtraError("capturing pages in a browser", "build") from None
    return sync_playwright()
