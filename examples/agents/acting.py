"""Take an exam of interactive tasks: the loop that the agents beside this file share.

An agent is a function that plays one task: it asks its model, forwards what the model wants to
`Task.act`, and returns the answer.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from mcp import Client
from mcp.types import CallToolResult, ImageContent, TextContent, TextResourceContents


class Task:
    """A task that is played.

    Attributes:
        prompt: What is to be done, and by which rules.
        screen: The last screenshot: a PNG in base64.
        size: Its width and height.
        ended: Whether no further step is taken: what remains is the answer.
    """

    def __init__(self, client: Client, attempt: str, opened: CallToolResult, rules: str) -> None:
        item = told(opened)
        self._client = client
        self.given = {"attempt": attempt, "item": item["item"]}
        self.prompt = f"{item['prompt']}\n\n{rules}"
        self.size: tuple[int, int] = item["images"][0]["width"], item["images"][0]["height"]
        self.screen = image(opened)
        self.ended: bool = item["ended"]

    async def act(self, action: Mapping[str, Any]) -> str:
        """Forward an action; return what is said of it, beside the new screenshot."""
        while True:
            result = await self._client.call_tool("act", {**action, **self.given})
            if not (result.is_error and "call again" in text(result)):
                break
            await asyncio.sleep(5)
        if result.is_error:
            self.ended = True
            return text(result)
        self.screen, self.ended = image(result), told(result)["ended"]
        return text(result)


async def take(
    client: Client, play: Callable[[Task], Awaitable[object]], **start: str
) -> dict[str, Any]:
    """Take the whole exam and return its report."""
    started = told(await client.call_tool("start_attempt", dict(start)))
    attempt, following = started["attempt"], started["next"]
    while following == "get_item":
        opened = await client.call_tool("get_item", {"attempt": attempt})
        task = Task(client, attempt, opened, "\n".join(started["rules"]))
        answered = {**task.given, "answer": await play(task)}
        following = told(await client.call_tool("submit_answer", answered))["next"]
    summary = told(await client.call_tool("finish_attempt", {"attempt": attempt}))
    page = (await client.read_resource(summary["details"])).contents[0]
    return json.loads(page.text if isinstance(page, TextResourceContents) else "{}")


def text(result: CallToolResult) -> str:
    """Return the text of a result."""
    return next(part.text for part in result.content if isinstance(part, TextContent))


def told(result: CallToolResult) -> dict[str, Any]:
    """Return the JSON of a result; a refusal says in words what to do instead."""
    if result.is_error:
        raise RuntimeError(text(result))
    return json.loads(text(result))


def image(result: CallToolResult) -> str:
    """Return the screenshot of a result."""
    return next(part.data for part in result.content if isinstance(part, ImageContent))
