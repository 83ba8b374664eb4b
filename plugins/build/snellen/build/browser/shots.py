"""Images of a page at rest: two consecutive images are equal and show what was measured."""

import time
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from snellen.build.browser.problems import PageError
from snellen.build.browser.visits import Visit
from snellen.tasks.browser.pinning import script

PAUSE = 0.25

Found = TypeVar("Found")


class Shot(NamedTuple, Generic[Found]):
    """The measurement of a page, and its image in the same state."""

    found: Found
    image: bytes


def still_shot(visit: Visit, height: int, last: bytes | None = None) -> bytes:
    """Return an image of a page, after two consecutive ones were equal.

    Args:
        visit: The page, settled.
        height: The height of the image, in pixels.
        last: The image of an earlier visit, which counts as the first image.

    Raises:
        PageError: No two consecutive images were equal, or they differ from the window.
    """
    for attempt in range(max(2, visit.settings.shots)):
        time.sleep(PAUSE * max(0, attempt - 1))
        shot = visit.shoot(height)
        if shot == last:
            if not visit.shows(shot):
                raise PageError(
                    "shown elsewhere",
                    "it extends to the left, and its image does not match the measured positions",
                    file=visit.file,
                )
            return shot
        last = shot
    raise PageError(
        "never at rest",
        f"no two consecutive images of {visit.settings.shots} were equal",
        file=visit.file,
    )


def measured_shot(
    visit: Visit, height: int, measure: Callable[[], Found], last: bytes | None = None
) -> Shot[Found]:
    """Measure a page and take its image, both in the same state.

    A script may notice that an image is taken and rearrange the page. Therefore the positions and
    colors of all elements are read before and after; if they differ, everything is repeated.

    Args:
        visit: The page, settled.
        height: The height of the image, in pixels.
        measure: Measures the page without changing how it looks.
        last: As for `still_shot`.

    Raises:
        PageError: The page keeps changing.
    """
    for _ in range(max(2, visit.settings.shots)):
        before = visit.run(script("build/browser/state.js"))
        measurement = measure()
        image = still_shot(visit, height, last)
        if visit.run(script("build/browser/state.js")) == before:
            return Shot(measurement, image)
        last = None
    raise PageError(
        "never at rest",
        "it changes whenever an image of it is taken",
        file=visit.file,
    )
