"""Working through pages: each is captured once, then its items are made.

    my-exam.build/
        build.json          what it was begun with: a build that goes on must be the same
        snapshots/          a folder a page, frozen
        made/               a folder a page: its items

Each folder is whole or not there, so a build that was stopped goes on with the pages that it lacks.
"""

import shutil
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import msgspec

from snellen.grading.errors import InputError, UnknownNameError
from snellen.tasks.browser.settings import BrowserSettings
from snellen.tasks.builder.browser.problems import PageError
from snellen.tasks.builder.crew import Lost, run_all
from snellen.tasks.builder.items import PageItems, make_items, read_items
from snellen.tasks.builder.pages import Page
from snellen.tasks.builder.snapshots import SNAPSHOT, Snapshot
from snellen.tasks.builder.writers.table import CLICKED, changes_for, made_tasks, makers_for

SNAPSHOTS, MADE = "snapshots", "made"
_BEGUN = "build.json"


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """What a build depends on.

    Attributes:
        seed: What all choices are drawn from.
        tasks: The tasks to make; empty: all that there is a maker for.
        pages: The digest of the pages, of which another build in the same folder must not go on.
        clicks: How many elements of a page to click at most, for action prediction.
        browser: How pages are shown.
    """

    seed: int = 0
    tasks: tuple[str, ...] = ()
    pages: str = ""
    clicks: int = 12
    browser: BrowserSettings = field(default_factory=BrowserSettings)


class PageDone(NamedTuple):
    """What came of one page.

    Attributes:
        page: Its id.
        problem: Why there is nothing of it, one of few reasons; None: there is.
        message: The same for people.
        capture_seconds: How long the browser took; 0 where it was captured before.
        make_seconds: How long its items took.
    """

    page: str
    problem: str | None = None
    message: str = ""
    capture_seconds: float = 0.0
    make_seconds: float = 0.0


class Worked(NamedTuple):
    """What came of all pages: the items of those that could be captured, and the others."""

    items: Sequence[PageItems]
    snapshots: Sequence[Snapshot]
    problems: Sequence[PageDone]

    @property
    def refused(self) -> Mapping[str, Mapping[str, int]]:
        """By task and reason, how many pages could not carry it."""
        counts: dict[str, Counter[str]] = {}
        for page in self.items:
            for task, reason in page.refused:
                counts.setdefault(task, Counter())[reason] += 1
        return {task: dict(sorted(counts[task].items())) for task in sorted(counts)}

    @property
    def unstable(self) -> Sequence[str]:
        """The pages of which two renders differed."""
        return [
            f"{page.site}/{page.page}"
            for page, snapshot in zip(self.items, self.snapshots, strict=True)
            if not snapshot.captured.stable
        ]


def work_through(
    pages: Sequence[Page],
    folder: Path,
    settings: BuildSettings,
    jobs: int = 1,
    watch: Callable[[PageDone], None] = lambda _: None,
) -> Worked:
    """Capture pages and make their items, going on where an earlier build stopped.

    Args:
        pages: The pages.
        folder: Where the build keeps what it made.
        settings: What it depends on; the same as when it was begun.
        jobs: How many pages at a time, each with a browser of its own.
        watch: Called with each page when it is done.

    Raises:
        InputError: The folder was begun with other settings, something can't be written, or there
            is no browser.
        MissingExtraError: Playwright is not installed.
    """
    check_tasks(settings.tasks)
    _begin(folder, settings)
    problems: list[PageDone] = []
    open_pages = [page for page in pages if not _is_made(folder, page)]
    for page in pages:
        if _is_made(folder, page):
            watch(PageDone(page.id))
    room = partial(_room, folder, settings)
    for done in run_all(room, open_pages, jobs):
        if isinstance(done, Lost):
            done = PageDone(done.job.id, "crashes", "the process that worked on it died")
        if done.problem is not None:
            problems.append(done)
        watch(done)
    built = [page for page in pages if _is_made(folder, page)]
    return Worked(
        [read_items(folder / MADE / page.id, page.site, page.page) for page in built],
        [Snapshot(folder / SNAPSHOTS / page.id) for page in built],
        sorted(problems),
    )


def check_tasks(tasks: Sequence[str]) -> None:
    """Refuse tasks that there is no maker for.

    Raises:
        UnknownNameError: There is none for one of them.
    """
    for task in tasks:
        if task not in made_tasks():
            raise UnknownNameError("task that items are made for", task, made_tasks())


def _begin(folder: Path, settings: BuildSettings) -> None:
    """Note what a build was begun with, or check that it was begun with the same."""
    file = folder / _BEGUN
    said = msgspec.json.format(msgspec.json.encode(settings), indent=1)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not file.exists():
            file.write_bytes(said)
        elif file.read_bytes() != said:
            raise InputError(
                "a build with other settings was begun there; remove the folder to begin anew, or"
                " name another",
                file=str(folder),
            )
    except OSError as error:
        raise InputError(f"can't write there: {error.strerror}", file=str(folder)) from error


def _is_made(folder: Path, page: Page) -> bool:
    return (folder / MADE / page.id).is_dir()


@contextmanager
def _room(folder: Path, settings: BuildSettings) -> Generator[Callable[[Page], PageDone]]:
    """Give what captures a page and makes its items, with a browser that is started once."""
    from snellen.tasks.builder.browser.session import Session

    with Session(settings.browser) as session:
        yield partial(_page, session, folder, settings)


def _page(session: object, folder: Path, settings: BuildSettings, page: Page) -> PageDone:
    from snellen.tasks.builder.browser.session import Session
    from snellen.tasks.builder.capture import CaptureSettings, capture_page

    assert isinstance(session, Session)
    start = perf_counter()
    place = folder / SNAPSHOTS / page.id
    try:
        if (place / SNAPSHOT).is_file():
            snapshot = Snapshot(place)
        else:
            shutil.rmtree(place, ignore_errors=True)
            clicked = not settings.tasks or CLICKED in settings.tasks
            capture = CaptureSettings(settings.seed, settings.clicks if clicked else 0)
            changes = changes_for(settings.tasks)
            snapshot = capture_page(session, page, place, capture, changes)
    except PageError as error:
        return PageDone(page.id, error.reason, str(error))
    captured = perf_counter()
    make_items(snapshot, makers_for(settings.tasks), settings.seed, folder / MADE / page.id)
    return PageDone(
        page.id,
        capture_seconds=captured - start,
        make_seconds=perf_counter() - captured,
    )
