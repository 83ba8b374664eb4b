# pyright: basic
"""Let a model of OpenAI act: `python examples/agents/openai_computer.py MODEL PACK`.

`pip install openai`; its key is read from OPENAI_API_KEY.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from acting import Task, take
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client


async def play(
    task: Task, create: Callable[..., Awaitable[Any]], *, preview: bool = False
) -> object:
    """Forward the model's computer calls until it makes none; its last words are the answer."""
    width, height = task.size
    tool: dict[str, Any] = {"type": "computer"}
    if preview:
        tool = {"type": "computer_use_preview", "environment": "browser"}
        tool |= {"display_width": width, "display_height": height}
    asked = [{"type": "input_text", "text": task.prompt}]
    asked.append({"type": "input_image", "image_url": address(task), "detail": "auto"})
    given: list[dict[str, Any]] = [{"role": "user", "content": asked}]
    more: dict[str, str] = {}
    while True:
        reply = await create(tools=[tool], input=given, truncation="auto", **more)
        more = {"previous_response_id": reply.id}
        calls = [item for item in reply.output if item.type == "computer_call"]
        if not calls or task.ended:
            return reply.output_text or "done"
        given = []
        for call in calls:
            actions = call.actions or [call.action]
            wanted = [action.model_dump(exclude_none=True) for action in actions]
            await task.act({"actions": wanted})
            seen = {"type": "computer_screenshot", "image_url": address(task)}
            answer = {"type": "computer_call_output", "call_id": call.call_id, "output": seen}
            # What it warns of is a page of the exam, which can reach nothing.
            checks = [check.model_dump() for check in call.pending_safety_checks]
            given.append({**answer, "acknowledged_safety_checks": checks})


def address(task: Task) -> str:
    """Return the screenshot as the API takes it."""
    return f"data:image/png;base64,{task.screen}"


async def main(model: str, pack: str) -> None:
    """Print the report."""
    from openai import AsyncOpenAI

    create = partial(AsyncOpenAI().responses.create, model=model)
    agent = partial(play, create=create, preview=model.startswith("computer-use-preview"))
    server = StdioServerParameters(command="snellen", args=["mcp", pack])
    async with Client(stdio_client(server)) as client:
        print(await take(client, agent, model=model))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
