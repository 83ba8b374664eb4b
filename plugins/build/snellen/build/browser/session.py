"""One browser with a context for each page, which can load only the page's own folder.

with Session(BrowserSettings()) as session:
    for page in find_pages(folder).pages:
        with session.visit(page) as visit:
            visit.settle()
            visit.shoot()
"""

import os
import re
import tempfile
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from snellen.build.browser.deadline import Deadline
from snellen.build.browser.devtools import Channel, Json
from snellen.build.browser.problems import PageError
from snellen.build.browser.serving import Folder, url_of
from snellen.build.browser.visits import Visit, closed_early
from snellen.build.pages import Page
from snellen.grading.errors import InputError
from snellen.tasks.browser import pinning
from snellen.tasks.browser.finding import HOW, find_browser, load_playwright
from snellen.tasks.browser.settings import BrowserSettings

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Playwright

_ANY = re.compile("")


class Session:
    """A running browser.

    If a page blocks the browser, the browser is restarted and the session continues. A session must
    not be used by two threads.

    Args:
        settings: The settings of the browser.
        program: Chromium's program; None to find it.
        fonts: Further folders of fonts.

    Raises:
        MissingExtraError: Playwright is not installed.
        InputError: There is no Chromium, or it does not start.
    """

    def __init__(
        self,
        settings: BrowserSettings | None = None,
        *,
        program: Path | None = None,
        fonts: Sequence[Path] = (),
    ) -> None:
        self.settings = settings or BrowserSettings()
        self._program = program or find_browser().program
        self._door = load_playwright()
        self._fonts = tuple(fonts)
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._process = 0
        self._room: tempfile.TemporaryDirectory[str] | None = None
        self._folders: dict[Path, Folder] = {}

    def __enter__(self) -> Self:
        self._room = tempfile.TemporaryDirectory(prefix="snellen-")
        self._config.write_text(pinning.fontconfig(self._fonts), encoding="utf-8")
        try:
            self._playwright = self._door.start()
            self._start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the browser; a second call does nothing."""
        if self._browser is not None:
            self._close_browser(self._browser)
            self._browser = None
        if self._playwright is not None:
            self._playwright.stop()
            self._playwright = None
        if self._room is not None:
            self._room.cleanup()
            self._room = None

    @property
    def version(self) -> str:
        """Chromium's version."""
        return self._running.version

    @property
    def fonts(self) -> dict[str, str]:
        """The installed pinned font families, and the digests of their files."""
        return dict(pinning.font_digests(self._config))

    @contextmanager
    def visit(
        self,
        page: Page,
        *,
        follow: bool = False,
        light: bool = False,
        seed: int = 1,
        settings: BrowserSettings | None = None,
    ) -> Generator[Visit]:
        """Open a page in its own context, and close it in every case.

        Args:
            page: The page.
            follow: Whether navigation to other pages is allowed; otherwise it is refused.
            light: Whether to load no pictures, fonts and videos.
            seed: The seed of its `Math.random`.
            settings: Settings to use instead of the session's.

        Raises:
            PageError: The page is missing, never loads, blocks the browser, navigates away at once
                or crashes; also if that happens during the visit.
            InputError: The page's site is not a folder, or the browser can't be restarted.
        """
        from playwright.sync_api import Error

        settings = settings or self.settings
        folder = self._folder(page.root)
        url = url_of(page)
        file = str(page.root / page.path)
        with closing(Deadline(settings.page_seconds)) as deadline:
            try:
                with self._context(settings, seed) as context:
                    # The time of a restart of the browser does not count for the page.
                    deadline.start(self._process)
                    visit = Visit(
                        context, folder, url, settings, file, deadline, follow=follow, light=light
                    )
                    visit.open()
                    yield visit
            except Error as error:
                if deadline.passed:
                    raise PageError(
                        "keeps the browser busy",
                        f"it kept the browser busy for {settings.page_seconds:g} seconds",
                        file=file,
                    ) from None
                if closed_early(error):
                    raise PageError("crashes", "the browser's page crashed", file=file) from error
                reason = error.message.splitlines()[0] if error.message else "for no given reason"
                raise PageError("failed", f"the browser failed: {reason}", file=file) from error

    @contextmanager
    def _context(self, settings: BrowserSettings, seed: int) -> Generator["BrowserContext"]:
        from playwright.sync_api import Error

        context = self._running.new_context(**pinning.context_options(settings))
        try:
            context.add_init_script(pinning.init_script(seed))
            context.route_web_socket(_ANY, lambda socket: socket.close())
            yield context
        finally:
            # If the browser is gone, there is nothing left to close.
            with suppress(Error):
                context.close()

    def _folder(self, root: Path) -> Folder:
        if root not in self._folders:
            self._folders[root] = Folder(root)
        return self._folders[root]

    @property
    def _config(self) -> Path:
        if self._room is None:
            raise RuntimeError("the session is not open: use it in a with statement")
        return Path(self._room.name, "fonts.conf")

    @property
    def _running(self) -> "Browser":
        if self._browser is None or not self._browser.is_connected():
            self._start()
        assert self._browser is not None
        return self._browser

    def _start(self) -> None:
        from playwright.sync_api import Error

        if self._playwright is None:
            raise RuntimeError("the session is not open: use it in a with statement")
        sandbox = self.settings.sandbox
        if sandbox is None:
            sandbox = not (hasattr(os, "geteuid") and os.geteuid() == 0)
        try:
            self._browser = self._playwright.chromium.launch(
                executable_path=self._program,
                args=list(pinning.FLAGS),
                # As for people: no window without a click. A page behind a window is hardly drawn.
                ignore_default_args=["--disable-popup-blocking"],
                env={**os.environ, "FONTCONFIG_FILE": str(self._config)},
                chromium_sandbox=sandbox,
                handle_sigint=False,
                timeout=60_000,
            )
        except Error as error:
            output = "\n".join(error.message.splitlines()[:4])
            raise InputError(f"Chromium doesn't start; {HOW}. It said: {output}") from error
        channel = Channel(self._browser.new_browser_cdp_session())
        processes: list[Json] = channel.send("SystemInfo.getProcessInfo")["processInfo"]
        self._process = next(int(each["id"]) for each in processes if each["type"] == "browser")
        channel.close()

    def _close_browser(self, browser: "Browser") -> None:
        from playwright.sync_api import Error

        with suppress(Error):
            browser.close()
