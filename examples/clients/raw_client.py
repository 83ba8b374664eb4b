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
TRIES = 2


def answer(prompt: str, images: list[bytes]) -> str:
    """Ask your model; this one looks at nothing."""
    assert prompt or images
    return "<no answer>"


async def take(client: Client, ask: Callable[[str, list[bytes]], str]) -> dict[str, Any]:
    """Take the whole exam and return its report, whatever the exam replies."""
    started = json.loads(words(await client.call_tool("start_attempt", {})))
    given, given_up = {"attempt": started["attempt"]}, set[str]()
    reply = await client.call_tool("get_item", given)
    while (item := item_in(reply)) is not None and item["item"] not in given_up:
        prompt, pictures = item["prompt"], await all_images(client, given, item, reply)
        for number in range(2 * TRIES):
            # The model's answer may be too long, also the second time: then the item gets none.
            said = ask(prompt, pictures) if number < TRIES else "?"
            answered = {**given, "item": item["item"], "answer": said}
            reply = await client.call_tool("submit_answer", {**answered, "next": True})
            if not reply.is_error:
                break
            # It says what is wrong. An answer that can't be read a second time is kept.
            prompt = f"{item['prompt']}\n\n{words(reply)}"
        else:
            given_up.add(item["item"])
        if item_in(reply) is None:
            reply = await client.call_tool("get_item", given)
    return json.loads(words(await client.call_tool("finish_attempt", given)))


def item_in(reply: CallToolResult) -> dict[str, Any] | None:
    """Return the item in a reply; None: it has none, such as at the end."""
    found: dict[str, Any] = {} if reply.is_error else json.loads(words(reply))
    return found if "prompt" in found else found.get("next_item")


async def all_images(
    client: Client, given: dict[str, str], item: dict[str, Any], reply: CallToolResult
) -> list[bytes]:
    """Return an item's images; large ones beside the first have to be asked for."""
    found = images(reply)
    views = item.get("views") or ([item["view"]] if "view" in item else [])
    for image in item.get("images", ()):
        if not any(view["id"].startswith(f"{image['name']} ") for view in views):
            asked = {**given, "item": item["item"], "image": image["name"]}
            found += images(await client.call_tool("get_screenshot", asked))
    return found


def words(reply: CallToolResult) -> str:
    """Return the text of a reply: JSON, or what is wrong and what to do."""
    return "".join(part.text for part in reply.content if isinstance(part, TextContent))


def images(reply: CallToolResult) -> list[bytes]:
    """Return the images of a reply; it may have none."""
    return [base64.b64decode(part.data) for part in reply.content if part.type == "image"]


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
    """Take the exam and print each task's score, then the total and all that it depends on."""
    if len(sys.argv) > 1:
        report = asyncio.run(of_a_server(sys.argv[1], os.environ["TOKEN"]))
    else:
        with open(os.devnull, "w") as log:
            report = asyncio.run(on_this_machine(log))
    for task in report["tasks"]:
        print(task["value"], task["task"])
    print(report["value"], report["signature"])


if __name__ == "__main__":
    main()
