"""Eight desks as one Gymnasium vector, against a bare Playwright script that does the same clicks.

A step is an action in each world: read, done, waited for, and seen as an array of pixels. The peer
clicks on a page that shows the same, takes a screenshot and decodes it; it waits for nothing. Both
take turns. Then episodes are opened and left, and the memory of this process and its browser is
compared between the first tenth and the last.
"""

import asyncio
import os
import statistics
import time
from io import BytesIO
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from _timing import options, print_episodes
from environments import pss
from PIL import Image
from playwright.async_api import Page, async_playwright

import snellen.worlds
from snellen.tasks.browser.finding import HEADLESS, find_browser
from snellen.worlds.desk.desktop import Desktop
from snellen.worlds.desk.environment import SIZE
from snellen.worlds.desk.page import document
from snellen.worlds.desk.templates.table import TEMPLATES

PLACES = [(300 + 37 * step % 700, 120 + 53 * (step % 9)) for step in range(15)]
"""On the desktop: between controls and on some, the dock excepted."""


async def bare(page: Page, count: int) -> None:
    """Click, take screenshots and decode them."""
    for x, y in PLACES[:count]:
        await page.mouse.click(x, y)
        with Image.open(BytesIO(await page.screenshot())) as image:
            np.asarray(image.convert("RGB"))


async def peers(worlds: int, count: int, rounds: int, ours: Any) -> list[float]:  # noqa: ANN401
    """Run both in turn, and return the seconds of the bare script's rounds."""
    html = document(Desktop(TEMPLATES["mail-delete"].make(1, "easy").state).page)
    took: list[float] = []
    async with async_playwright() as driver:
        chromium = await driver.chromium.launch(
            executable_path=find_browser(HEADLESS).program, args=["--no-sandbox"]
        )
        tabs = [
            await chromium.new_page(viewport={"width": SIZE[0], "height": SIZE[1]})
            for _ in range(worlds)
        ]
        for tab in tabs:
            await tab.set_content(html)
        for _ in range(rounds):
            await asyncio.to_thread(ours)
            start = time.perf_counter()
            await asyncio.gather(*(bare(tab, count) for tab in tabs))
            took.append(time.perf_counter() - start)
        await chromium.close()
    return took


def resident() -> float:
    """Return this process's resident memory, in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def measure(worlds: int, count: int, rounds: int, episodes: int) -> None:
    """Measure, and print the tables."""
    env = gymnasium.make_vec("snellen/desk-v0", num_envs=worlds)
    steps: list[float] = []
    times: list[float] = []

    def play() -> None:
        env.reset(seed=len(times))
        begun = time.perf_counter()
        for place in PLACES[:count]:
            start = time.perf_counter()
            env.step([{"action": "left_click", "coordinate": list(place)}] * worlds)
            steps.append(time.perf_counter() - start)
        times.append(time.perf_counter() - begun)

    bare_times = asyncio.run(peers(worlds, count, rounds, play))
    env.close()
    one = gymnasium.make("snellen/desk-v0")
    one.reset(seed=1)
    opened: list[float] = []
    memory: list[float] = []
    for number in range(episodes):
        start = time.perf_counter()
        one.reset(seed=number)
        opened.append(time.perf_counter() - start)
        one.step({"action": "left_click", "coordinate": list(PLACES[0])})
        memory.append(resident() + pss(os.getpid()) / 1e6 if number % 5 == 0 else memory[-1])
    one.close()
    print_episodes(worlds, worlds * count, (times, bare_times), steps, opened, target=12)
    tenth = max(1, episodes // 10)
    first, last = (statistics.median(part) for part in (memory[:tenth], memory[-tenth:]))
    print(f"memory, first and last tenth    {first:.0f} and {last:.0f} MB, {episodes} episodes")


def main() -> None:
    """Measure worlds for training."""
    given = options(str(__doc__).partition("\n")[0])
    gymnasium.register_envs(snellen.worlds)
    if given.quick:
        measure(2, 2, 1, 2)
    else:
        measure(8, 15, given.rounds or 5, 500)


if __name__ == "__main__":
    main()
