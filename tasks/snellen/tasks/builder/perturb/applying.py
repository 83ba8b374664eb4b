"""Applying changes to a live page, checking their conditions, and undoing them."""

import io
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from snellen.tasks.browser.pinning import script
from snellen.tasks.builder.browser.problems import PageError
from snellen.tasks.builder.browser.shots import measured_shot
from snellen.tasks.builder.browser.visits import Visit
from snellen.tasks.builder.chance import draw
from snellen.tasks.builder.perturb.base import (
    CONTROL_DIFFERS,
    FAILED,
    NEVER_AT_REST,
    NOTHING_CHANGED,
    TOO_TALL,
    ChangeMaker,
    Declined,
    broken,
)
from snellen.tasks.builder.screen.elements import Screen
from snellen.tasks.builder.screen.html import extract_again
from snellen.tasks.builder.snapshots import Change, ChangedElement, Dropped

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Shown:
    """The page at rest: its elements and its image."""

    screen: Screen
    image: bytes

    @cached_property
    def pixels(self) -> "NDArray[np.uint32]":
        """The image's pixels, decoded once for all changes."""
        return pixels_of(self.image)


class Applied(NamedTuple):
    """The result of one change.

    Attributes:
        change: The change; None if it was dropped.
        image: Its image.
        dropped: The reason why it was dropped.
        restored: Whether the page is restored, so that another change can be tried on it.
    """

    change: Change | None
    image: bytes
    dropped: Dropped | None
    restored: bool


def apply_change(visit: Visit, rest: Shown, maker: ChangeMaker, seed: int, page: str) -> Applied:
    """Try a change on a live page and undo it.

    Args:
        visit: The page, extracted with marks.
        rest: The page without the change.
        maker: The maker of the change.
        seed: The seed of the build.
        page: The page's id.

    Raises:
        PageError: The page can't be used any more.
    """
    from playwright.sync_api import Error

    def dropped(reason: str, detail: str = "", *, restored: bool = True) -> Applied:
        return Applied(None, b"", Dropped(maker.task, maker.mode, reason, detail), restored)

    visit.run(script("builder/perturb/recording.js"), {"undo": False})
    try:
        attempted = maker.make(visit.tab, rest.screen, draw(seed, page, "change", maker.name))
    except Error as error:
        if visit.tab.is_closed():
            raise
        _take_back(visit)
        restored = _restored(visit, rest)
        return dropped(FAILED, error.message.partition("\n")[0], restored=restored)
    if isinstance(attempted, Declined):
        _take_back(visit)
        return dropped(attempted.reason)
    height = _height(visit)
    if height > visit.settings.max_height:
        _take_back(visit)
        return dropped(TOO_TALL, restored=_restored(visit, rest))
    try:
        after, image = measured_shot(visit, height, lambda: extract_again(visit, height))
    except PageError:
        _take_back(visit)
        return dropped(NEVER_AT_REST, restored=_restored(visit, rest))
    _take_back(visit)
    if not _restored(visit, rest):
        return dropped(CONTROL_DIFFERS, restored=False)
    pixels = 0 if image == rest.image else differing_pixels(rest.pixels, pixels_of(image))
    reason = NOTHING_CHANGED if pixels == 0 else broken(attempted, rest.screen, after)
    if reason is not None:
        return dropped(reason)
    change = Change(
        task=maker.task,
        mode=maker.mode,
        image=f"{maker.name.replace('/', '-')}.png",
        width=rest.screen.width,
        height=height,
        seed=seed,
        pixels=pixels,
        elements=tuple(
            ChangedElement(number, rest.screen.elements[number], after.elements.get(number))
            for number in attempted.elements
        ),
        record=attempted.record,
    )
    return Applied(change, image, None, restored=True)


def _take_back(visit: Visit) -> None:
    visit.run(script("builder/perturb/recording.js"), {"undo": True})


def _restored(visit: Visit, rest: Shown) -> bool:
    height = _height(visit)
    return height == rest.screen.height and visit.shoot(height) == rest.image


def _height(visit: Visit) -> int:
    return int(
        visit.run(
            "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() =>"
            " done(Math.max((document.scrollingElement ?? document.documentElement).scrollHeight,"
            " innerHeight)))))"
        )
    )


def pixels_of(encoded: bytes) -> NDArray[np.uint32]:
    """Return an image's pixels, an array of (rows, columns) of one number each.

    Args:
        encoded: A PNG.
    """
    with Image.open(io.BytesIO(encoded)) as image:
        parts = np.asarray(image.convert("RGBA"))
    return parts.view(np.uint32)[:, :, 0]


def differing_pixels(one: NDArray[np.uint32], other: NDArray[np.uint32]) -> int:
    """Return the number of pixels that differ, including pixels that only one image has.

    Args:
        one: Pixels as returned by `pixels_of`.
        other: Pixels of the other image.
    """
    height = min(one.shape[0], other.shape[0])
    width = min(one.shape[1], other.shape[1])
    differ = int(np.count_nonzero(one[:height, :width] != other[:height, :width]))
    return differ + one.size + other.size - 2 * height * width
