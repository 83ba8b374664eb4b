"""Take the exam with no framework: `python examples/clients/raw_client.py [URL]`.

Without a URL it starts `snellen mcp` on this machine; with one it calls a server, and shows it the
token that the environment variable TOKEN holds. Where your model would be asked is `answer`.
"""

import asyncio
import base64
import json
import os
import sys
from collections.abc import Callable
from typing import Any, TextIO

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent

SERVER = StdioServerParameters(command="snellen", args=["mcp"])


def answer(prompt: str, images: list[bytes]) -> str:
    """Ask your model; this one looks at nothing."""
    assert prompt or images
    return "<no answer>"


async def take(client: Client, ask: Callable[[str, list[bytes]], str]) -> dict[str, Any]:
    """Take the whole exam and return its report."""
    attempt = told(await client.call_tool("start_attempt", {}))
    given = {"attempt": attempt["attempt"]}
    following = attempt["next"]
    while following == "get_item":
        result = await client.call_tool("get_item", given)
        item = told(result)
        said = ask(item["prompt"], images(result))
        answered = {**given, "item": item["item"], "answer": said}
        following = told(await client.call_tool("submit_answer", answered))["next"]
    return told(await client.call_tool("finish_attempt", given))


def told(result: CallToolResult) -> dict[str, Any]:
    """Return the JSON of a result; a refusal says in words what to do instead."""
    text = next(part.text for part in result.content if isinstance(part, TextContent))
    if result.is_error:
        raise RuntimeError(text)
    return json.loads(text)


def images(result: CallToolResult) -> list[bytes]:
    """Return the images of a result; an item may have none."""
    return [base64.b64decode(part.data) for part in result.content if part.type == "image"]


async def on_this_machine(log: TextIO) -> dict[str, Any]:
    """Take the exam of a server that is started for it, and writes a line a call to a log."""
    async with Client(stdio_client(SERVER, errlog=log)) as client:
        return await take(client, answer)


async def of_a_server(url: str, token: str) -> dict[str, Any]:
    """Take the exam of a server that runs."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http_client,
        Client(streamable_http_client(url, http_client=http_client)) as client,
    ):
        return await take(client, answer)


def main() -> None:
    """Take the exam and print its number, and everything that the number depends on."""
    if len(sys.argv) > 1:
        report = asyncio.run(of_a_server(sys.argv[1], os.environ["TOKEN"]))
    else:
        with open(os.devnull, "w") as log:
            report = asyncio.run(on_this_machine(log))
    for task in report["tasks"]:
        print(task["signature"])
    print(report["value"])


if __name__ == "__main__":
    main()
