"""Episodes over MCP, many agents at once, against a bare Playwright script of the same clicks.

An agent's step is a call of `act`: it is counted, done, waited for, written to the store and
answered with a screenshot. The peer clicks on a page that shows the same and takes a screenshot; it
has a browser of its own, keeps nothing and waits for nothing. Both take turns. Standard error
has the server's log.
"""

import asyncio
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from _timing import options, print_episodes
from mcp import Client
from mcp.types import TextContent
from playwright.async_api import Page, async_playwright

from snellen.server.host import lazy_host, open_exam
from snellen.server.mcp.server import ExamServer
from snellen.server.settings import Settings
from snellen.tasks.browser.finding import HEADLESS, find_browser
from snellen.tasks.pack.read import open_pack
from snellen.tasks.samples.generated import generated_exam
from snellen.worlds.desk.desktop import Desktop
from snellen.worlds.desk.environment import SIZE
from snellen.worlds.desk.page import document

PLACES = [(300 + 37 * step % 700, 120 + 53 * (step % 9)) for step in range(15)]
"""On the desktop: between controls and on some, the dock excepted."""


class Agent:
    """One examinee."""

    def __init__(self, client: Client, number: int) -> None:
        self._client = client
        self._name = f"agent {number}"
        self._this: dict[str, str] = {}

    async def call(self, tool: str, **given: Any) -> dict[str, Any]:  # noqa: ANN401  # JSON
        """Call a tool that must work."""
        result = await self._client.call_tool(tool, given)
        text = next(part.text for part in result.content if isinstance(part, TextContent))
        if result.is_error:
            raise RuntimeError(text)
        return json.loads(text)

    async def begin(self) -> float:
        """Start an attempt and open an episode; return how long the latter took."""
        attempt = (await self.call("start_attempt"))["attempt"]
        start = time.perf_counter()
        item = (await self.call("get_item", attempt=attempt, client=self._name))["item"]
        self._this = {"attempt": attempt, "item": item, "client": self._name}
        return time.perf_counter() - start

    async def act(self, count: int, took: list[float]) -> None:
        """Take steps, and note what each took."""
        for x, y in PLACES[:count]:
            start = time.perf_counter()
            await self.call("act", **self._this, action="left_click", coordinate=[x, y])
            took.append(time.perf_counter() - start)

    async def end(self) -> None:
        """End the episode."""
        await self.call("submit_answer", **self._this, answer="done")


async def bare(page: Page, count: int) -> None:
    """Click and take screenshots."""
    for x, y in PLACES[:count]:
        await page.mouse.click(x, y)
        await page.screenshot()


async def measure(agents: int, count: int, rounds: int) -> None:
    """Measure, and print the table."""
    with tempfile.TemporaryDirectory(prefix="snellen-") as room:
        pack = Path(room) / "pack"
        generated_exam("desk").make(pack, seed=3, count=58)
        settings = Settings((pack,), Path(room) / "exam.sqlite")
        host = lazy_host(settings, lambda: open_exam(settings))
        took: list[float] = []
        fresh: list[float] = []
        ours: list[float] = []
        peers: list[float] = []
        world = next(line.world for line in open_pack(pack).lines)
        assert world is not None
        start: Any = world.start
        html = document(Desktop(start["state"]).page)
        async with async_playwright() as driver, Client(ExamServer(host).server) as client:
            chromium = await driver.chromium.launch(
                executable_path=find_browser(HEADLESS).program, args=["--no-sandbox"]
            )
            tabs = [
                await chromium.new_page(viewport={"width": SIZE[0], "height": SIZE[1]})
                for _ in range(agents)
            ]
            for tab in tabs:
                await tab.set_content(html)
            await Agent(client, -1).begin()
            for number in range(rounds):
                team = [Agent(client, number * agents + each) for each in range(agents)]
                fresh += [await agent.begin() for agent in team]
                begun = time.perf_counter()
                await asyncio.gather(*(agent.act(count, took) for agent in team))
                ours.append(time.perf_counter() - begun)
                await asyncio.gather(*(agent.end() for agent in team))
                begun = time.perf_counter()
                await asyncio.gather(*(bare(tab, count) for tab in tabs))
                peers.append(time.perf_counter() - begun)
            crowd = [Agent(client, 10_000 + each) for each in range(2 * agents)]
            await asyncio.gather(*(agent.begin() for agent in crowd))
            await asyncio.gather(*(agent.act(3, []) for agent in crowd))
            await chromium.close()
        await host.close()
    print_episodes(agents, agents * count, (ours, peers), took, fresh, target=9)
    print(f"agents at once without an error {2 * agents}   (target 16)")


def main() -> None:
    """Measure episodes on the desk over MCP."""
    given = options(str(__doc__).partition("\n")[0])
    agents, count, rounds = (2, 2, 1) if given.quick else (8, 15, given.rounds or 5)
    asyncio.run(measure(agents, count, rounds))


if __name__ == "__main__":
    main()
