"""Finding an installed Chromium and the library that drives it."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from snellen.grading.errors import InputError, MissingExtraError, MissingProgramError

if TYPE_CHECKING:
    from playwright.sync_api._context_manager import PlaywrightContextManager

VARIABLE = "SNELLEN_BROWSER"
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HEADLESS = "chromium-headless-shell"
"""The browser without windows, which shows the same pixels for less memory and time."""
HOW = (
    "install one (Debian and Ubuntu: apt-get install chromium fonts-liberation fonts-dejavu-core"
    f" fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji), or name its program in {VARIABLE}"
)


class FoundBrowser(NamedTuple):
    """The browser's program, and how it was found: by the variable's name or by its own."""

    program: Path
    by: str


class BrowserStatus(NamedTuple):
    """What a build would find, for people.

    Attributes:
        found: The browser's program; None: there is none that could be used.
        version: What the program says of itself, `Chromium 156.0.7000.0`; empty on Windows, where
            it would open a window instead.
        problem: What is missing and how to get it; empty: nothing.
    """

    found: FoundBrowser | None
    version: str = ""
    problem: str = ""


def find_browser(*preferred: str) -> FoundBrowser:
    """Return the Chromium to use: what SNELLEN_BROWSER names, or the first one on PATH.

    Args:
        preferred: Programs that are looked for before the usual ones.

    Raises:
        MissingProgramError: There is none, or the variable names what is no program.
    """
    named = os.environ.get(VARIABLE)
    if named:
        found = shutil.which(named)
        if found is None:
            raise MissingProgramError(
                f"{VARIABLE} is {named!r}, which is no program that can be run"
            )
        return FoundBrowser(Path(found), VARIABLE)
    for name in (*preferred, *PROGRAMS):
        found = shutil.which(name)
        if found is not None:
            return FoundBrowser(Path(found), name)
    raise MissingProgramError(f"there is no Chromium on this machine: {HOW}")


def browser_status(seconds: float = 20.0) -> BrowserStatus:
    """Say which browser a build would use, or what is missing; nothing is raised.

    Args:
        seconds: How long the program may take to say its version.
    """
    try:
        found = find_browser()
    except InputError as error:
        return BrowserStatus(None, problem=error.message)
    if os.name == "nt":
        return BrowserStatus(found)
    try:
        said = subprocess.run(
            [found.program, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=True,
        ).stdout
    except subprocess.TimeoutExpired:
        problem = f"{found.program} says nothing; {HOW}"
    except (OSError, subprocess.CalledProcessError) as error:
        problem = f"{found.program} can't be run ({error}); {HOW}"
    else:
        return BrowserStatus(found, " ".join(said.split()))
    return BrowserStatus(None, problem=problem)


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
