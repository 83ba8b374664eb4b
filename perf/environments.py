"""Episodes of MiniWoB++, against a bare Playwright script that does the same clicks.

A step is an input, the wait until the page is at rest, its word on the reward and a screenshot. The
peer only clicks and takes the screenshot: its pages come from the same files, in a browser of its
own, and nothing waits for them. Both take turns. Memory is the proportional set size of all of the
browser's processes, less what it has without an episode.
"""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from _timing import options, print_episodes
from playwright.async_api import Page, Route, async_playwright

from snellen.tasks.browser.finding import HEADLESS, find_browser
from snellen.tasks.environments.base import Request
from snellen.tasks.environments.browser import Browser
from snellen.tasks.environments.inputs import Input, InputKind
from snellen.worlds.miniwob.episodes import MiniWoB, MiniWoBEpisode
from snellen.worlds.miniwob.site import installed_site, page_path

PAGES = (
    *("click-checkboxes", "email-inbox", "social-media-all", "enter-text"),
    *("drag-items", "choose-date", "number-checkboxes", "terminal"),
)
# On the goal, where a click does nothing and ends nothing.
PLACES = [(60 + 40 * step % 400, 40 + 20 * (step % 5)) for step in range(20)]


async def bare_page(context_page: Page, page: str) -> None:
    """Open a page as a script would that knows nothing of episodes."""
    site = installed_site()

    async def serve(route: Route) -> None:
        reply = site.answer(Request("GET", route.request.url))
        await route.fulfill(status=reply.status, content_type=reply.type, body=reply.body)

    await context_page.route("**/*", serve)
    await context_page.goto("https://miniwob.invalid" + page_path(page))
    await context_page.evaluate(
        "() => { Math.seedrandom(1); core.EPISODE_MAX_TIME = 2147483647; core.startEpisodeReal(); }"
    )


async def steps_of(episode: MiniWoBEpisode, count: int, took: list[float]) -> None:
    """Do some steps, and note what each took."""
    for x, y in PLACES[:count]:
        start = time.perf_counter()
        await episode.act(Input(InputKind.CLICK, ((x, y),)))
        await episode.view()
        took.append(time.perf_counter() - start)


async def bare_steps(page: Page, count: int) -> None:
    """Click and take screenshots."""
    for x, y in PLACES[:count]:
        await page.mouse.click(x / 4, y / 4)
        await page.screenshot()


def pss(root: int) -> int:
    """Return the proportional set size of a process's browser processes, in bytes."""
    total = 0
    parents: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int(
                (folder / "stat").read_text().rpartition(")")[2].split()[1]
            )
        except (FileNotFoundError, ProcessLookupError):
            continue
    for process in parents:
        above = process
        while above not in (0, root):
            above = parents.get(above, 0)
        try:
            folder = Path(f"/proc/{process}")
            if above != root or b"chrom" not in (folder / "cmdline").read_bytes().split(b"\0")[0]:
                continue
            lines = (folder / "smaps_rollup").read_text().splitlines()
        except (FileNotFoundError, ProcessLookupError):
            continue
        total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024
    return total


async def timed(work: Callable[[], Awaitable[object]]) -> float:
    """Return how many seconds some work takes."""
    start = time.perf_counter()
    await work()
    return time.perf_counter() - start


async def measure(agents: int, count: int, rounds: int) -> None:
    """Measure, and print the table."""
    miniwob = MiniWoB(Browser())
    pages = [PAGES[number % len(PAGES)] for number in range(agents)]
    await (await miniwob.open({"page": "click-test", "seed": 1})).close()
    async with async_playwright() as driver:
        empty = pss(os.getpid())
        fresh: list[float] = []
        episodes: list[MiniWoBEpisode] = []
        for page in pages:
            start = time.perf_counter()
            episodes.append(await miniwob.open({"page": page, "seed": 1}))
            await episodes[-1].view()
            fresh.append(time.perf_counter() - start)
        each = (pss(os.getpid()) - empty) / agents / 1e6
        chromium = await driver.chromium.launch(
            executable_path=find_browser(HEADLESS).program, args=["--no-sandbox"]
        )
        tabs = [
            await chromium.new_page(viewport={"width": 160, "height": 210}, device_scale_factor=4)
            for _ in pages
        ]
        for tab, page in zip(tabs, pages, strict=True):
            await bare_page(tab, page)
        took: list[float] = []
        ours: list[float] = []
        peers: list[float] = []
        for _ in range(rounds):
            ours.append(
                await timed(lambda: asyncio.gather(*(steps_of(e, count, took) for e in episodes)))
            )
            peers.append(await timed(lambda: asyncio.gather(*(bare_steps(t, count) for t in tabs))))
        await chromium.close()
    for episode in episodes:
        await episode.close()
    await miniwob.close()
    print_episodes(agents, agents * count, (ours, peers), took, fresh, target=15)
    print(f"memory of a running episode     {each:.0f} MB   (target at most 60 MB)")


def main() -> None:
    """Measure episodes of MiniWoB++."""
    given = options(str(__doc__).partition("\n")[0])
    agents, count, rounds = (2, 2, 1) if given.quick else (8, 20, given.rounds or 5)
    asyncio.run(measure(agents, count, rounds))


if __name__ == "__main__":
    main()
