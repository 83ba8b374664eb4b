"""Calls and tokens that an agent needs an item, without its thoughts: `python perf/agent_cost.py`.

An agent takes the exam `sample` over MCP in memory. It sees every image of an item at a size at
which text can be read, by more calls where the item comes without, and answers with a word. Text
is what the agent writes to call a tool and what it reads of the result; a token is four characters.
Tokens of images are the server's estimate. The tools' list and the last report are counted apart.
"""

import asyncio
import json
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.types import TextContent

from snellen.server.host import LazyHost, open_exam
from snellen.server.mcp.server import ExamServer
from snellen.server.settings import Settings
from snellen.tasks.samples import DEFAULT, exam_folder

CHARACTERS = 4
READABLE = 0.6
"""The least view pixels for an image pixel: text of 14 pixels is then 8 high."""
BEFORE = {"calls": 2.3, "text tokens": 337.2, "image tokens": 1457.7}
"""An item's cost before `submit_answer` could return the next item."""


@dataclass
class Agent:
    """An agent that counts its calls and the characters of its conversation."""

    client: Client
    calls: int = 0
    characters: int = 0

    async def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Call a tool and return the JSON of its result."""
        result = await self.client.call_tool(tool, arguments)
        text = "".join(part.text for part in result.content if isinstance(part, TextContent))
        assert not result.is_error, text
        self.calls += 1
        self.characters += len(tool) + len(json.dumps(arguments)) + len(text)
        return json.loads(text)

    async def answer_all(self) -> None:
        """Answer every item of an attempt."""
        listed = (await self.client.list_tools()).tools
        schema = next(tool.input_schema for tool in listed if tool.name == "submit_answer")
        asks = {"next": True} if "next" in schema["properties"] else {}
        started = await self.call("start_attempt")
        attempt = {"attempt": started["attempt"]}
        self.calls, self.characters = 0, 0
        item = await self.call("get_item", **attempt)
        while True:
            for view in _missing(item):
                await self.call("get_screenshot", **attempt, item=item["item"], **view)
            answer = _answer(item["answer_format"])
            said = await self.call(
                "submit_answer", **attempt, item=item["item"], answer=answer, **asks
            )
            if "prompt" in (following := said.get("next_item", {})):
                item = following
            elif said["next"] == "finish_attempt":
                break
            else:
                item = await self.call("get_item", **attempt)
        calls, characters = self.calls, self.characters
        report = await self.call("finish_attempt", **attempt)
        items = sum(task["answered"] for task in report["tasks"])
        measured = {
            "calls": calls / items,
            "text tokens": characters / CHARACTERS / items,
            "image tokens": report["cost"]["image_tokens"] / items,
        }
        print(f"{items} items; an item:")
        for name, value in measured.items():
            share = f"  {100 * value / BEFORE[name]:.0f} %" if BEFORE[name] else ""
            print(f"  {name:13} {value:8.1f}  before {BEFORE[name]:8.1f}{share}")
        size = len(json.dumps([tool.model_dump(exclude_none=True) for tool in listed]))
        print(f"once: {size / CHARACTERS:.0f} tokens of tools,", end=" ")
        print(f"{(self.characters - characters) / CHARACTERS:.0f} of the report")


def _missing(item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the views that an agent must ask for to see all of an item."""
    views = item.get("views") or [item["view"]]
    for image in item.get("images", ()):
        own = [view for view in views if view["id"].startswith(f"{image['name']} ")]
        if not own:
            yield {"image": image["name"]}
        if len(own) == 1 and _scale(own[0]["id"]) < READABLE:
            tiles = re.search(r"Tiles 1-(\d+)", own[0]["shows"])
            for tile in range(1, int(tiles[1]) + 1 if tiles else 1):
                yield {"image": image["name"], "tile": tile}


def _scale(view: str) -> float:
    """Return a view's pixels for a pixel of the image."""
    found = re.search(r" (\d+),\d+,(\d+),\d+ of \d+x\d+ at (\d+)x", view)
    if found is None:
        full, shown = re.findall(r"(\d+)x\d+", view)[-2:]
        return int(shown) / int(full)
    return int(found[3]) / (int(found[2]) - int(found[1]))


def _answer(form: dict[str, Any]) -> str:
    """Return an answer in a form: its example, or the first option."""
    if form["kind"] == "choice":
        return "A"
    return str(form["example"])


async def main() -> None:
    """Take the exam and print what it cost."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings((exam_folder(DEFAULT),), Path(folder) / "exam.sqlite")
        host = LazyHost(lambda: open_exam(settings))
        async with Client(ExamServer(host).server) as client:
            await Agent(client).answer_all()
        await host.close()


if __name__ == "__main__":
    asyncio.run(main())
