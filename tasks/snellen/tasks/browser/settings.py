"""How pages are shown and how long they may take."""

from dataclasses import dataclass
from typing import Final

DESKTOP: Final = (1280, 800)
PHONE: Final = (390, 844)
MAX_HEIGHT: Final = 5500


@dataclass(frozen=True, slots=True)
class BrowserSettings:
    """What a capture depends on, apart from the browser itself.

    Attributes:
        width: Of the window, in CSS pixels, which are the image's pixels.
        height: Of the window; the image is as tall as the page.
        max_height: Of a page, in pixels; a taller one is skipped.
        load_seconds: A page that has not loaded by then is skipped.
        page_seconds: All that is done in one visit of a page; a page whose scripts keep the
            browser busy for longer is skipped, and the browser is started anew.
        settle_seconds: How long to wait for a page that keeps changing before taking it as it is.
        shots: How many images to take at most until two in a row are equal.
        sandbox: Whether Chromium shuts its renderers in; None: unless run by root, for whom
            Chromium refuses it.
    """

    width: int = DESKTOP[0]
    height: int = DESKTOP[1]
    max_height: int = MAX_HEIGHT
    load_seconds: float = 15.0
    page_seconds: float = 60.0
    settle_seconds: float = 2.0
    shots: int = 4
    sandbox: bool | None = None

    @property
    def upright(self) -> bool:
        """Whether the window is that of a phone: taller than wide."""
        return self.height > self.width
