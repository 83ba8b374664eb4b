"""Capturing a page: once in a browser, to a folder that holds all that items are made of."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from snellen.tasks.builder.browser.problems import PageError
from snellen.tasks.builder.browser.session import Session
from snellen.tasks.builder.browser.shots import measured_shot
from snellen.tasks.builder.browser.visits import Requests, Visit
from snellen.tasks.builder.chance import draw
from snellen.tasks.builder.clicks import Target, choose_targets, follow_clicks
from snellen.tasks.builder.pages import Page
from snellen.tasks.builder.perturb.applying import Shown, apply_change
from snellen.tasks.builder.perturb.base import CONTROL_DIFFERS, ChangeMaker
from snellen.tasks.builder.screen.html import Extracted, extract
from snellen.tasks.builder.screen.seen import decoded, without_unseen
from snellen.tasks.builder.snapshots import (
    CHANGES,
    PAGE,
    SCREEN,
    Captured,
    Change,
    Click,
    Dropped,
    Snapshot,
    write_snapshot,
)

# More than this share of a page's characters in no font: its text is not what is seen.
MISSING_SHARE = 0.02

_CHARSET = b"\xef\xbb\xbf"
# Over whatever the page's own markup says of its encoding.


@dataclass(frozen=True, slots=True)
class CaptureSettings:
    """What is captured of a page.

    Attributes:
        seed: What choices are drawn from.
        clicks: How many elements to click at most; fewer where that leads to enough pages.
        renders: How many times to render at most: twice, and a third time when the first two
            differ; 1 takes the first as it is, and calls it stable.
    """

    seed: int = 0
    clicks: int = 12
    renders: int = 3


class _Render(NamedTuple):
    """One cold render: what is on the page, its image and its markup."""

    found: Extracted
    image: bytes
    html: bytes


@dataclass(slots=True)
class _Changed:
    changes: list[Change] = field(default_factory=list[Change])
    images: dict[str, bytes] = field(default_factory=dict[str, bytes])
    dropped: list[Dropped] = field(default_factory=list[Dropped])


def capture_page(
    session: Session,
    page: Page,
    folder: Path,
    settings: CaptureSettings | None = None,
    changes: Sequence[ChangeMaker] = (),
) -> Snapshot:
    """Freeze a page: its image, its elements, what changes do to it and where clicks lead.

    Args:
        session: The browser.
        page: The page.
        folder: Where to; written whole or not at all, so that a build resumes after what is there.
        settings: What is captured.
        changes: Perturbations to try, each on the page as it was.

    Raises:
        PageError: The page can't be captured; the others of a site can.
        InputError: The folder holds something or can't be written, or there is no browser.
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
    captured = Captured(
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
    images = {f"{CHANGES}/{name}": image for name, image in changed.images.items()}
    return write_snapshot(folder, captured, {SCREEN: render.image, PAGE: render.html, **images})


def _height(visit: Visit) -> int:
    """Wait until a page is at rest and return how tall it is."""
    height = int(visit.settle()["height"])
    limit = visit.settings.max_height
    if height > limit:
        raise PageError(
            "too tall",
            f"it is {height:,} pixels tall, and {limit:,} are taken (max_height)",
            file=visit.file,
        )
    return height


def _render(visit: Visit, last: bytes | None = None) -> _Render:
    """Settle a page, measure it and take its image.

    Args:
        visit: The page.
        last: Its image in an earlier visit: one that is equal needs no other to be sure.
    """
    height = _height(visit)
    found, image = measured_shot(visit, height, lambda: extract(visit, height), last)
    found = found._replace(screen=without_unseen(found.screen, decoded(image)))
    if not found.screen.elements:
        raise PageError("nothing to see", "nothing of it is visible", file=visit.file)
    shown = sum(len(element.own) for element in found.screen.elements)
    if len(found.missing) > MISSING_SHARE * max(shown, 1):
        raise PageError(
            "no font",
            f"no font has these characters of it: {found.missing[:20]}; install fonts for its"
            " script (apt-get install fonts-noto-core fonts-noto-cjk)",
            file=visit.file,
        )
    return _Render(found, image, _CHARSET + visit.tab.content().encode("utf-8", "replace"))


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
    makers: Sequence[ChangeMaker],
    stack: ExitStack,
    random_seed: int,
) -> _Changed:
    changed = _Changed()
    rest = Shown(render.found.screen, render.image)
    usable = True
    for maker in makers:
        if not usable:
            # A page that can't be put back as it was is loaded anew.
            stack.pop_all().close()
            visit = stack.enter_context(session.visit(page, seed=random_seed))
            again = _render(visit, render.image)
            if (again.image, again.found) != (render.image, render.found):
                changed.dropped.append(Dropped(maker.task, maker.mode, CONTROL_DIFFERS))
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
) -> tuple[list[Click], list[str]]:
    try:
        return follow_clicks(session, page, targets, seed), []
    except PageError as error:
        return [], [f"clicks: {error.message}"]
