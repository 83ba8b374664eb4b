"""Capturing a page: once in a browser, to a folder with everything that items are made from.

Changes are applied to the live page, their conditions are checked, and they are undone.
"""

import io
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from snellen.build import snapshots
from snellen.build.browser.problems import PageError
from snellen.build.browser.session import Session
from snellen.build.browser.shots import measured_shot
from snellen.build.browser.visits import Requests, Visit
from snellen.build.chance import draw
from snellen.build.clicks import Target, choose_targets, follow_clicks
from snellen.build.pages import Page
from snellen.build.perturb import base
from snellen.build.screen.elements import Screen
from snellen.build.screen.html import Extracted, extract, extract_again
from snellen.build.screen.seen import decoded, without_unseen
from snellen.tasks.browser.pinning import script

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


# If a larger share of a page's characters is in no font, its text is not what people see.
MISSING_SHARE = 0.02

_CHARSET = b"\xef\xbb\xbf"
# A byte order mark, which overrides the encoding that the page's markup declares.


@dataclass(frozen=True, slots=True)
class CaptureSettings:
    """The settings of a capture.

    Attributes:
        seed: The seed of random choices.
        clicks: The maximum number of elements to click; fewer if those lead to enough pages.
        renders: The maximum number of renders: two, and a third if the first two differ; 1 accepts
            the first as stable.
    """

    seed: int = 0
    clicks: int = 12
    renders: int = 3


class _Render(NamedTuple):
    """One cold render: the elements, the image and the markup of the page."""

    found: Extracted
    image: bytes
    html: bytes


@dataclass(slots=True)
class _Changed:
    changes: list[snapshots.Change] = field(default_factory=list[snapshots.Change])
    images: dict[str, bytes] = field(default_factory=dict[str, bytes])
    dropped: list[snapshots.Dropped] = field(default_factory=list[snapshots.Dropped])


def capture_page(
    session: Session,
    page: Page,
    folder: Path,
    settings: CaptureSettings | None = None,
    changes: Sequence[base.ChangeMaker] = (),
) -> snapshots.Snapshot:
    """Freeze a page: its image, its elements, the effects of changes and the targets of clicks.

    Args:
        session: The browser.
        page: The page.
        folder: The folder to write, all or nothing, so that a build can resume.
        settings: The settings of the capture.
        changes: Perturbations to try, each on the unchanged page.

    Raises:
        PageError: The page can't be captured; other pages are not affected.
        InputError: The folder is not empty or can't be written, or there is no browser.
    """
    settings = settings or CaptureSettings()
    seed = draw(settings.seed, page.id, "Math.random").getrandbits(32)
    first = None
    if settings.renders > 1:
        with session.visit(page, seed=seed) as visit:
            first = visit.shoot(_height(visit))
    with ExitStack() as stack:
        visit = stack.enter_context(session.visit(page, seed=seed))
        render = _render(visit, first)
        stable = first is None or render.image == first
        if not stable and settings.renders > 2:
            stack.pop_all().close()
            visit = stack.enter_context(session.visit(page, seed=seed))
            render = _render(visit)
        problems = _problems(visit.requests, render, stable=stable)
        targets = choose_targets(
            visit,
            render.found.screen,
            settings.clicks,
            draw(settings.seed, page.id, "clicks"),
        )
        changed = _change(session, page, visit, render, settings.seed, changes, stack, seed)
    clicks, trouble = _click(session, page, targets, seed)
    captured = snapshots.Captured(
        page=page.page_code,
        site=page.site_code,
        source=f"{page.site}/{page.path.as_posix()}",
        screen=render.found.screen,
        generated=page.generated,
        changes=tuple(changed.changes),
        dropped=tuple(changed.dropped),
        clicks=tuple(clicks),
        facts=render.found.facts,
        stable=stable,
        seed=settings.seed,
        browser=f"Chromium {session.version}",
        problems=(*problems, *trouble),
    )
    images = {f"{snapshots.CHANGES}/{name}": image for name, image in changed.images.items()}
    return snapshots.write_snapshot(
        folder, captured, {snapshots.SCREEN: render.image, snapshots.PAGE: render.html, **images}
    )


def _height(visit: Visit) -> int:
    """Wait until a page is at rest and return its height in CSS pixels."""
    height = int(visit.settle()["height"])
    limit = visit.settings.max_height
    if height > limit:
        raise PageError(
            "too tall",
            f"it is {height:,} pixels tall; the limit is {limit:,} (max_height)",
            file=visit.file,
        )
    return height


def _render(visit: Visit, last: bytes | None = None) -> _Render:
    """Settle a page, measure it and take its image.

    Args:
        visit: The page.
        last: Its image in an earlier visit; an equal image needs no second screenshot.
    """
    height = _height(visit)
    extracted, image = measured_shot(visit, height, lambda: extract(visit, height), last)
    extracted = extracted._replace(screen=without_unseen(extracted.screen, decoded(image)))
    if not extracted.screen.elements:
        raise PageError("nothing to see", "nothing of it is visible", file=visit.file)
    shown = sum(len(element.own) for element in extracted.screen.elements)
    if len(extracted.missing) > MISSING_SHARE * max(shown, 1):
        raise PageError(
            "no font",
            f"no font has these of its characters: {extracted.missing[:20]}; install fonts for its"
            " script (apt-get install fonts-noto-core fonts-noto-cjk)",
            file=visit.file,
        )
    return _Render(extracted, image, _CHARSET + visit.tab.content().encode("utf-8", "replace"))


def _problems(requests: Requests, render: _Render, *, stable: bool) -> list[str]:
    problems: list[str] = []
    if not stable:
        problems.append("two renders differed")
    if requests.outside:
        hosts = sorted({address.split("/")[2] for address in requests.outside if "//" in address})
        problems.append(f"asks for what is not in its folder: {', '.join(hosts)}")
    if requests.missing:
        problems.append(f"its folder lacks {', '.join(sorted(set(requests.missing))[:5])}")
    if render.found.missing:
        problems.append(f"no font has {render.found.missing[:20]}")
    return problems


def _change(
    session: Session,
    page: Page,
    visit: Visit,
    render: _Render,
    seed: int,
    makers: Sequence[base.ChangeMaker],
    stack: ExitStack,
    random_seed: int,
) -> _Changed:
    changed = _Changed()
    rest = PageAtRest(render.found.screen, render.image)
    usable = True
    for maker in makers:
        if not usable:
            # A page that can't be restored is loaded again.
            stack.pop_all().close()
            visit = stack.enter_context(session.visit(page, seed=random_seed))
            again = _render(visit, render.image)
            if (again.image, again.found) != (render.image, render.found):
                changed.dropped.append(
                    snapshots.Dropped(maker.task, maker.mode, base.CONTROL_DIFFERS)
                )
                continue
        applied = apply_change(visit, rest, maker, seed, page.id)
        usable = applied.restored
        if applied.dropped is not None:
            changed.dropped.append(applied.dropped)
        if applied.change is not None:
            changed.changes.append(applied.change)
            changed.images[applied.change.image] = applied.image
    return changed


def _click(
    session: Session, page: Page, targets: Sequence[Target], seed: int
) -> tuple[list[snapshots.Click], list[str]]:
    try:
        return follow_clicks(session, page, targets, seed), []
    except PageError as error:
        return [], [f"clicks: {error.message}"]


@dataclass(frozen=True)
class PageAtRest:
    """The page at rest: its elements and its image."""

    screen: Screen
    image: bytes

    @cached_property
    def pixels(self) -> "NDArray[np.uint32]":
        """The image's pixels, decoded once for all changes."""
        return pixels_of(self.image)


class Applied(NamedTuple):
    """The result of one change."""

    change: snapshots.Change | None  # the change; None if it was dropped
    image: bytes
    dropped: snapshots.Dropped | None  # the reason why it was dropped
    restored: bool  # whether the page is restored, so that another change can be tried on it


def apply_change(
    visit: Visit, rest: PageAtRest, maker: base.ChangeMaker, seed: int, page: str
) -> Applied:
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
        return Applied(
            None, b"", snapshots.Dropped(maker.task, maker.mode, reason, detail), restored
        )

    visit.run(script("build/perturb/recording.js"), {"undo": False})
    try:
        attempted = maker.make(visit.tab, rest.screen, draw(seed, page, "change", maker.name))
    except Error as error:
        if visit.tab.is_closed():
            raise
        _take_back(visit)
        restored = _restored(visit, rest)
        return dropped(base.FAILED, error.message.partition("\n")[0], restored=restored)
    if isinstance(attempted, base.Declined):
        _take_back(visit)
        return dropped(attempted.reason)
    height = _height_now(visit)
    if height > visit.settings.max_height:
        _take_back(visit)
        return dropped(base.TOO_TALL, restored=_restored(visit, rest))
    try:
        after, image = measured_shot(visit, height, lambda: extract_again(visit, height))
    except PageError:
        _take_back(visit)
        return dropped(base.NEVER_AT_REST, restored=_restored(visit, rest))
    _take_back(visit)
    if not _restored(visit, rest):
        return dropped(base.CONTROL_DIFFERS, restored=False)
    pixels = 0 if image == rest.image else differing_pixels(rest.pixels, pixels_of(image))
    reason = base.NOTHING_CHANGED if pixels == 0 else base.broken(attempted, rest.screen, after)
    if reason is not None:
        return dropped(reason)
    change = snapshots.Change(
        task=maker.task,
        mode=maker.mode,
        image=f"{maker.name.replace('/', '-')}.png",
        width=rest.screen.width,
        height=height,
        seed=seed,
        pixels=pixels,
        elements=tuple(
            snapshots.ChangedElement(
                number, rest.screen.elements[number], after.elements.get(number)
            )
            for number in attempted.elements
        ),
        record=attempted.record,
    )
    return Applied(change, image, None, restored=True)


def _take_back(visit: Visit) -> None:
    visit.run(script("build/perturb/recording.js"), {"undo": True})


def _restored(visit: Visit, rest: PageAtRest) -> bool:
    height = _height_now(visit)
    return height == rest.screen.height and visit.shoot(height) == rest.image


def _height_now(visit: Visit) -> int:
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
