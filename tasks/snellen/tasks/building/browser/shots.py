"""Images of a page at rest: two in a row must be equal."""

import time

from snellen.tasks.building.browser.problems import PageError
from snellen.tasks.building.browser.visits import Visit

PAUSE = 0.25


def still_shot(visit: Visit, height: int) -> bytes:
    """Return an image of a page, once two in a row were equal.

    Args:
        visit: The page, settled.
        height: Of the image.

    Raises:
        PageError: No two in a row were equal.
    """
    last = visit.shoot(height)
    for attempt in range(1, max(2, visit.settings.shots)):
        shot = visit.shoot(height)
        if shot == last:
            return shot
        last = shot
        time.sleep(PAUSE * attempt)
    raise PageError(
        "never at rest",
        f"of {visit.settings.shots} images no two in a row were equal",
        file=visit.file,
    )
