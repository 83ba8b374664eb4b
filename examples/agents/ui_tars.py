# pyright: basic
"""Let UI-TARS act: `python examples/agents/ui_tars.py URL MODEL PACK`.

URL is where the model is served as OpenAI's chat completions, such as http://127.0.0.1:8000/v1 of
vLLM. `pip install openai`. Its coordinates count thousandths, which the attempt is started with;
UI-TARS-1.5 counts pixels of the image that it was resized to: scale them first.
"""

import asyncio
import re
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from acting import Task, take
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

FORM = """
Answer in two lines, Thought: ... and Action: ..., with one of the actions click(start_box='(x,y)'),
left_double(start_box='(x,y)'), right_single(start_box='(x,y)'), drag(start_box='(x,y)',
end_box='(x,y)'), hotkey(key='ctrl c'), type(content='...'), scroll(start_box='(x,y)',
direction='down'), wait(), finished(content='...').
"""
FINISHED = re.compile(r"(?:finished|call_user)\((?:content=)?(['\"]?)(.*?)\1\)\s*", re.DOTALL)


async def play(task: Task, create: Callable[..., Awaitable[Any]]) -> object:
    """Forward the model's text until it says `finished`; its content is the answer."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": seen(task, task.prompt + FORM)}]
    while True:
        reply = (await create(messages=messages)).choices[0].message.content
        end = FINISHED.fullmatch(reply.rpartition("Action:")[2].strip())
        if end or task.ended:
            return (end and end[2].replace("\\'", "'")) or "done"
        said = await task.act({"action": reply})
        messages.append({"role": "assistant", "content": reply})
        messages.append({"role": "user", "content": seen(task, said)})


def seen(task: Task, text: str) -> list[dict[str, Any]]:
    """Return a text and the screenshot as the API takes them."""
    url = {"url": f"data:image/png;base64,{task.screen}"}
    return [{"type": "text", "text": text}, {"type": "image_url", "image_url": url}]


async def main(url: str, model: str, pack: str) -> None:
    """Print the report."""
    from openai import AsyncOpenAI

    served = AsyncOpenAI(base_url=url, api_key="none")
    create = partial(served.chat.completions.create, model=model)
    server = StdioServerParameters(command="snellen", args=["mcp", pack])
    async with Client(stdio_client(server)) as client:
        agent = partial(play, create=create)
        print(await take(client, agent, model=model, space="thousand"))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
