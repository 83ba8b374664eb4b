# pyright: basic
"""Let Claude act: `python examples/agents/anthropic_computer.py MODEL PACK`.

`pip install anthropic`; its key is read from ANTHROPIC_API_KEY.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from acting import Task, take
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client


async def play(task: Task, create: Callable[..., Awaitable[Any]]) -> object:
    """Forward the model's tool calls until it calls no tool; its last words are the answer."""
    width, height = task.size
    tool = {"type": "computer_20250124", "name": "computer"}
    tool |= {"display_width_px": width, "display_height_px": height}
    messages = [{"role": "user", "content": [words(task.prompt), screenshot(task)]}]
    while True:
        reply = await create(tools=[tool], messages=messages)
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls or task.ended:
            said = [block.text for block in reply.content if block.type == "text"]
            return said[-1] if said else "done"
        results: list[dict[str, Any]] = []
        for call in calls:
            seen = [words(await task.act(call.input)), screenshot(task)]
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": seen})
        messages.append({"role": "assistant", "content": reply.content})
        messages.append({"role": "user", "content": results})


def words(text: str) -> dict[str, Any]:
    """Return a text as the API takes it."""
    return {"type": "text", "text": text}


def screenshot(task: Task) -> dict[str, Any]:
    """Return the screenshot as the API takes it."""
    source = {"type": "base64", "media_type": "image/png", "data": task.screen}
    return {"type": "image", "source": source}


async def main(model: str, pack: str) -> None:
    """Print the report."""
    from anthropic import AsyncAnthropic  # pyright: ignore[reportMissingImports]

    create = partial(
        AsyncAnthropic().beta.messages.create,
        model=model,
        max_tokens=4096,
        betas=["computer-use-2025-01-24"],
    )
    server = StdioServerParameters(command="snellen", args=["mcp", pack])
    async with Client(stdio_client(server)) as client:
        print(await take(client, partial(play, create=create), model=model))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
