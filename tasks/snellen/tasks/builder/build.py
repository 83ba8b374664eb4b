"""The build, page by page: each page is captured once, then its items are made.

    my-exam.build/
        build.json          the settings; a resumed build must have the same
        snapshots/          a folder for each page, never changed
        made/               a folder for each page: its items

Each folder is complete or absent, so a stopped build resumes with the missing pages.
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
    """The settings that determine a build.

    Attributes:
        seed: The seed of all random choices.
        tasks: The tasks to make; empty for all.
        pages: The digest of the pages; a build of other pages must not resume in the same folder.
        clicks: The maximum number of elements of a page to click, for action prediction.
        browser: The settings of the browser.
    """

    seed: int = 0
    tasks: tuple[str, ...] = ()
    pages: str = ""
    clicks: int = 12
    browser: BrowserSettings = field(default_factory=BrowserSettings)


class PageDone(NamedTuple):
    """The result of one page.

    Attributes:
        page: Its id.
        problem: The reason for a failure, one of few; None if it succeeded.
        message: The same for people.
        capture_seconds: The time of the capture; 0 if it was captured before.
        make_seconds: The time of making its items.
    """

    page: str
    problem: str | None = None
    message: str = ""
    capture_seconds: float = 0.0
    make_seconds: float = 0.0


class Worked(NamedTuple):
    """The results of all pages: the items of the captured pages, and the failed pages."""

    items: Sequence[PageItems]
    snapshots: Sequence[Snapshot]
    problems: Sequence[PageDone]

    @property
    def refused(self) -> Mapping[str, Mapping[str, int]]:
        """The number of pages that could not carry a task, by task and reason."""
        counts: dict[str, Counter[str]] = {}
        for page in self.items:
            for task, reason in page.refused:
                counts.setdefault(task, Counter())[reason] += 1
        return {task: dict(sorted(counts[task].items())) for task in sorted(counts)}

    @property
    def unstable(self) -> Sequence[str]:
        """The pages whose two renders differed."""
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
    """Capture pages and make their items; resume an earlier build in the same folder.

    Args:
        pages: The pages.
        folder: The folder of the build.
        settings: The settings; on resuming, the same as before.
        jobs: The number of pages to work on at a time, each with its own browser.
        watch: Called with each page when it is done.

    Raises:
        InputError: The folder belongs to a build with other settings, can't be written, or there is
            no browser.
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
    """Refuse tasks that can't be made.

    Raises:
        UnknownNameError: A task is unknown.
    """
    for task in tasks:
        if task not in made_tasks():
            raise UnknownNameError("task that items can be made for", task, made_tasks())


def _begin(folder: Path, settings: BuildSettings) -> None:
    """Store the settings of a new build, or check that they equal the stored ones."""
    file = folder / _BEGUN
    encoded = msgspec.json.format(msgspec.json.encode(settings), indent=1)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not file.exists():
            file.write_bytes(encoded)
        elif file.read_bytes() != encoded:
            raise InputError(
                "the folder has a build with other settings; remove the folder to start again, or"
                " choose another",
                file=str(folder),
            )
    except OSError as error:
        raise InputError(f"can't be written: {error.strerror}", file=str(folder)) from error


def _is_made(folder: Path, page: Page) -> bool:
    return (folder / MADE / page.id).is_dir()


@contextmanager
def _room(folder: Path, settings: BuildSettings) -> Generator[Callable[[Page], PageDone]]:
    """Yield the function that captures a page and makes its items; its browser is started once."""
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
