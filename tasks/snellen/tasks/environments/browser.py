"""The one browser of a server, in which each episode has its own context.

Playwright's asynchronous interface drives it on the caller's event loop. The browser's flags block
the network; the routes of each stage block it again.
"""

import asyncio
import os
import tempfile
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from snellen.grading.errors import MissingExtraError
from snellen.tasks.browser.finding import HEADLESS, HOW, find_browser
from snellen.tasks.browser.pinning import FLAGS, fontconfig
from snellen.tasks.environments.base import EpisodeError
from snellen.tasks.environments.stage import Answer, Stage, StageSettings, open_stage

if TYPE_CHECKING:
    from playwright.async_api import Browser as Chromium
    from playwright.async_api import Playwright

_LAUNCH_SECONDS: Final = 60.0
_STAGE_SECONDS: Final = 30.0
_CLOSE_SECONDS: Final = 10.0

# A scroll ends at once, without an animation.
_MORE_FLAGS: Final = ("--disable-smooth-scrolling",)


class Browser:
    """A Chromium that starts with the first page, and again after it has ended.

    All calls must come from one event loop.

    Args:
        program: Chromium's program; None: the one that is found, the headless shell first.

    Raises:
        MissingExtraError: Playwright is not installed.
        InputError: There is no Chromium.
    """

    def __init__(self, program: Path | None = None) -> None:
        if find_spec("playwright") is None:
            raise MissingExtraError("acting in pages in a browser", "build")
        self._program = program or find_browser(HEADLESS).program
        self._lock = asyncio.Lock()
        self._driver: Playwright | None = None
        self._chromium: Chromium | None = None
        self._fonts: tempfile.TemporaryDirectory[str] | None = None

    async def stage(self, settings: StageSettings, answer: Answer) -> Stage:
        """Open a page in its own context.

        Args:
            settings: Its settings.
            answer: Answers the page's requests to its own origin; all others are aborted.

        Raises:
            EpisodeError: The browser doesn't start, or the page can't be loaded.
        """
        from playwright.async_api import Error

        for last in (False, True):
            chromium = await self._running()
            try:
                async with asyncio.timeout(_STAGE_SECONDS):
                    return await open_stage(chromium, settings, answer)
            except TimeoutError:
                await self._drop(chromium)
                raise EpisodeError("the browser hangs: it was closed, and starts again") from None
            except EpisodeError:
                if last or chromium.is_connected():
                    raise
            except Error as error:
                # The browser may have ended a moment ago: try once more with a new one.
                if last or chromium.is_connected():
                    raise EpisodeError(f"no page opens: {error.message}") from error
        raise AssertionError("the second try returns or raises")

    async def close(self) -> None:
        """Close the browser; a second call does nothing."""
        async with self._lock:
            await self._end()

    async def _running(self) -> "Chromium":
        async with self._lock:
            if self._chromium is None or not self._chromium.is_connected():
                await self._end()
                self._chromium = await self._launch()
            return self._chromium

    async def _launch(self) -> "Chromium":
        from playwright.async_api import Error, async_playwright

        self._fonts = tempfile.TemporaryDirectory(prefix="snellen-")
        config = Path(self._fonts.name) / "fonts.conf"
        config.write_text(fontconfig(), encoding="utf-8")
        try:
            async with asyncio.timeout(_LAUNCH_SECONDS):
                self._driver = await async_playwright().start()
                return await self._driver.chromium.launch(
                    executable_path=self._program,
                    args=[*FLAGS, *_MORE_FLAGS],
                    env={**os.environ, "FONTCONFIG_FILE": str(config)},
                    # Chromium refuses its sandbox to root.
                    chromium_sandbox=not (hasattr(os, "geteuid") and os.geteuid() == 0),
                    handle_sigint=False,
                    handle_sigterm=False,
                    handle_sighup=False,
                    timeout=_LAUNCH_SECONDS * 1000,
                )
        except TimeoutError:
            await self._end()
            raise EpisodeError(f"{self._program} doesn't start within a minute") from None
        except Error as error:
            await self._end()
            said = "\n".join(error.message.splitlines()[:4])
            raise EpisodeError(f"Chromium doesn't start; {HOW}. It said: {said}") from error

    async def _drop(self, chromium: "Chromium") -> None:
        async with self._lock:
            if self._chromium is chromium:
                await self._end()

    async def _end(self) -> None:
        from playwright.async_api import Error

        # The driver ends with its browser, whatever its state is: both start again.
        for door in (
            self._chromium and self._chromium.close,
            self._driver and self._driver.stop,
        ):
            if door:
                with suppress(Error, TimeoutError):
                    async with asyncio.timeout(_CLOSE_SECONDS):
                        await door()
        self._chromium = self._driver = None
        if self._fonts is not None:
            self._fonts.cleanup()
            self._fonts = None
