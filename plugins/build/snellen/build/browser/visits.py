"""One visit of one page: requests are answered from its folder, or refused and recorded."""

import base64
import io
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from snellen.build.browser.deadline import Deadline
from snellen.build.browser.devtools import Channel, Json
from snellen.build.browser.problems import PageError
from snellen.build.browser.serving import Folder
from snellen.tasks.browser.pinning import script
from snellen.tasks.browser.settings import BrowserSettings

if TYPE_CHECKING:
    from playwright.sync_api import (
        BrowserContext,
        Dialog,
        Download,
        Error,
        Request,
        Route,
    )
    from playwright.sync_api import Page as Tab

_HEAVY = frozenset({"image", "font", "media"})
# The look of a click's target does not matter: it needs only scripts and a title.
_LOOKS = _HEAVY | {"stylesheet"}

# The distance that a page extends to the left of its zero, as a right-to-left page may: DevTools
# counts from the leftmost pixel. No property has this value, and a style of `body` may change it.
_LEFT_OF_ZERO = """() => {
  const root = document.scrollingElement ?? document.documentElement;
  if (root.scrollWidth <= root.clientWidth) return 0;
  const [left, top] = [scrollX, scrollY];
  scrollTo({ left: -root.scrollWidth, top, behavior: "instant" });
  const least = scrollX;
  scrollTo({ left, top, behavior: "instant" });
  return Math.max(0, -least);
}"""


@dataclass(slots=True)
class Requests:
    """The requests of a page during a visit.

    Attributes:
        outside: Addresses of other sites, all refused.
        missing: Paths of its own site without a file.
        left: The targets of its navigations.
        statuses: The status of each page that was answered, by its address.
        dialogs: The texts of its dialogs, all dismissed.
        popups: The opened windows.
        downloads: The started downloads.
    """

    outside: list[str] = field(default_factory=list[str])
    missing: list[str] = field(default_factory=list[str])
    left: list[str] = field(default_factory=list[str])
    statuses: dict[str, int] = field(default_factory=dict[str, int])
    dialogs: list[str] = field(default_factory=list[str])
    popups: "list[Tab]" = field(default_factory=list["Tab"])
    downloads: list[str] = field(default_factory=list[str])


class Settled(dict[str, Any]):
    """The result of settling: the page's `height` in CSS pixels and its `url`."""


class Visit:
    """An open page.

    Attributes:
        tab: Playwright's page.
        requests: Its requests so far.
        settings: The settings of the browser.
        file: The page's file, for people.
    """

    def __init__(
        self,
        context: "BrowserContext",
        folder: Folder,
        url: str,
        settings: BrowserSettings,
        file: str,
        deadline: Deadline,
        *,
        follow: bool,
        light: bool,
    ) -> None:
        self.settings = settings
        self.file = file
        self.requests = Requests()
        self._folder = folder
        self._url = url
        self._host = urlsplit(url).netloc
        self._follow = follow
        self._light = light
        self._deadline = deadline
        self._begun = False
        self._world: int | None = None
        context.route("**/*", self._answer)
        self.tab = context.new_page()
        context.on("page", self._popup)
        context.on("dialog", self._dialog)
        self.tab.on("download", self._download)
        # A crashed page never answers; a closed one fails at once.
        self.tab.on("crash", lambda tab: tab.close())

    def open(self) -> None:
        """Load the page.

        Raises:
            PageError: The file is missing, is not a page, never loads, or navigates away at once.
        """
        from playwright.sync_api import Error
        from playwright.sync_api import TimeoutError as Late

        end = time.monotonic() + self.settings.load_seconds
        loaded: list[Tab] = []
        self.tab.once("load", lambda tab: loaded.append(tab))
        try:
            response = self.tab.goto(
                self._url, timeout=1000 * self.settings.load_seconds, wait_until="commit"
            )
            # Waiting for the load event would never end if a script navigates away.
            while (
                not loaded and time.monotonic() < end and (self._follow or not self.requests.left)
            ):
                self.tab.wait_for_timeout(10)
        except Late:
            raise self._never() from None
        except Error:
            if self.requests.downloads:
                raise PageError("not a page", "the browser downloads it", file=self.file) from None
            if self.requests.left:
                raise self._leaves() from None
            raise
        if response is None or response.status != 200:
            raise PageError("no such file", "it can't be read as a page", file=self.file)
        if self.requests.left and not self._follow:
            raise self._leaves()
        if not loaded:
            raise self._never()

    def open_again(self) -> None:
        """Load the page again as if for the first time: its storage and windows are cleared.

        Raises:
            PageError: As for `open`.
        """
        self._deadline.renew()
        for popup in self.requests.popups:
            popup.close()
        self.requests = Requests()
        self._begun = False
        self.channel.send(
            "Storage.clearDataForOrigin",
            {"origin": f"https://{self._host}", "storageTypes": "all"},
        )
        self.open()

    def settle(self, *, scroll: bool = True, freeze: bool = True) -> Settled:
        """Wait until the page is at rest.

        Args:
            scroll: Whether to scroll through it first, so that lazy content is loaded.
            freeze: Whether to stop its timers afterwards.

        Raises:
            PageError: It navigates away.
        """
        state = self.run(
            script("build/browser/settling.js"),
            {
                "patience": 1000 * self.settings.load_seconds,
                "limit": 1000 * self.settings.settle_seconds,
                "quiet": 100,
                "scroll": self.settings.max_height if scroll else 0,
                "freeze": freeze,
            },
        )
        # Pages such as `about:blank` cause no request.
        url = str(state["url"])
        if not self.requests.left and urlsplit(url).netloc != self._host:
            self.requests.left.append(url)
        if self.requests.left and not self._follow:
            raise self._leaves()
        return Settled(state)

    def run(self, function: str, argument: object = None) -> Any:  # noqa: ANN401  # JSON of any kind
        """Call a JavaScript function in an isolated world, which the page's scripts can't access.

        Args:
            function: Its source; it must return JSON, or a promise of it.
            argument: The argument of the function.

        Raises:
            Error: Playwright's, if the function fails.
        """
        from playwright.sync_api import Error

        call = {
            "functionDeclaration": function,
            "arguments": [{"value": argument}],
            "awaitPromise": True,
            "returnByValue": True,
        }
        try:
            answer = self._call(call)
        except Error as error:
            if "context" not in error.message:
                raise
            # The world ended with its document.
            self._world = None
            answer = self._call(call)
        failure = answer.get("exceptionDetails")
        if failure:
            thrown: Mapping[str, Any] = failure.get("exception", {})
            raise Error(str(thrown.get("description") or failure.get("text")))
        return answer["result"].get("value")

    def shoot(self, height: int) -> bytes:
        """Take one PNG of the page from its top, as wide as the window.

        Its left edge is the zero of boxes, also on a page that extends to the left.

        Args:
            height: The height of the image, in pixels.
        """
        clip = {
            "x": self._beyond,
            "y": 0,
            "width": self.settings.width,
            "height": height,
            "scale": 1,
        }
        # Only if necessary: the window is enlarged for it, which takes three times as long.
        return self._shoot(captureBeyondViewport=height > self.settings.height, clip=clip)

    def shows(self, image: bytes) -> bool:
        """Whether an image of the page begins with the content of the window.

        Checked only if the page extends to the left; otherwise both begin at zero.

        Args:
            image: An image from `shoot`.
        """
        if not self._beyond:
            return True
        return _top(image, self.settings.height) == _top(self._shoot(), self.settings.height)

    @property
    def _beyond(self) -> int:
        return int(self.run(_LEFT_OF_ZERO))

    def _shoot(self, **where: object) -> bytes:
        answer = self.channel.send(
            "Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True, **where}
        )
        return base64.b64decode(answer["data"])

    @cached_property
    def channel(self) -> Channel:
        """The DevTools protocol of the page."""
        return Channel(self.tab.context.new_cdp_session(self.tab))

    def _call(self, call: Json) -> Json:
        if self._world is None:
            tree = self.channel.send("Page.getFrameTree")["frameTree"]
            made = self.channel.send(
                "Page.createIsolatedWorld",
                {"frameId": tree["frame"]["id"], "worldName": "snellen"},
            )
            self._world = int(made["executionContextId"])
        return self.channel.send(
            "Runtime.callFunctionOn", {**call, "executionContextId": self._world}
        )

    def _answer(self, route: "Route", request: "Request") -> None:
        from playwright.sync_api import Error

        try:
            self._answer_open(route, request)
        except Error:
            # The page is closed, so the answer is not needed.
            if not self.tab.is_closed():
                raise

    def _answer_open(self, route: "Route", request: "Request") -> None:
        url = request.url
        parts = urlsplit(url)
        page, main = self._what(request)
        inside = parts.scheme == "https" and parts.netloc == self._host
        leaves = main and self._begun
        self._begun = self._begun or main
        if leaves:
            self.requests.left.append(url)
        if not inside:
            self.requests.outside.append(url)
            route.abort("aborted" if page else "blockedbyclient")
            return
        if not self._follow and (leaves or (page and not main)):
            route.abort("aborted")
            return
        if self._light and request.resource_type in (_LOOKS if self.requests.left else _HEAVY):
            route.abort("blockedbyclient")
            return
        answer = self._folder.answer(url)
        if page:
            self.requests.statuses[url] = answer.status
        if answer.status != 200:
            self.requests.missing.append(parts.path)
        route.fulfill(status=answer.status, body=answer.body, content_type=answer.type)

    def _what(self, request: "Request") -> tuple[bool, bool]:
        """Return whether a request is for a page, and whether it is for the visit's own window."""
        from playwright.sync_api import Error

        if not request.is_navigation_request():
            return False, False
        try:
            frame = request.frame
        except Error:
            # The first request of a new window comes before its frame.
            return True, False
        return frame.parent_frame is None, frame == self.tab.main_frame

    def _popup(self, tab: "Tab") -> None:
        self.requests.popups.append(tab)
        if not self._follow:
            tab.close()

    def _dialog(self, dialog: "Dialog") -> None:
        if dialog.type == "beforeunload":
            dialog.accept()
            return
        self.requests.dialogs.append(dialog.message)
        dialog.dismiss()

    def _download(self, download: "Download") -> None:
        self.requests.downloads.append(download.url)

    def _never(self) -> PageError:
        return PageError(
            "never loads",
            f"it did not load within {self.settings.load_seconds:g} seconds",
            file=self.file,
        )

    def _leaves(self) -> PageError:
        return PageError(
            "navigates away", f"it navigates to {self.requests.left[0]}", file=self.file
        )


def _top(png: bytes, height: int) -> tuple[tuple[int, int], bytes]:
    """Return the size and the pixels of the upper part of an image."""
    from PIL import Image

    with Image.open(io.BytesIO(png)) as image:
        part = image.convert("RGB").crop((0, 0, image.width, height))
    return part.size, part.tobytes()


def closed_early(error: "Error") -> bool:
    """Whether the page or the browser was closed before the call."""
    return any(word in error.message for word in ("crashed", "has been closed", "Target closed"))
