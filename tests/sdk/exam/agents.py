"""A scripted agent, run as a command: reads its prompt, takes one item, answers it, or fails."""

import asyncio
import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import TextContent


async def take(behavior: str, notes: Path) -> None:
    prompt = sys.stdin.read()
    attempt, client = os.environ["SNELLEN_ATTEMPT"], os.environ["SNELLEN_CLIENT"]
    assert re.search(rf'attempt "{attempt}" and client "{client}"', prompt)
    server = configured()
    assert server["url"] == os.environ["SNELLEN_URL"]
    headers = server.get("headers", {})
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(server["url"], http_client=http)) as exam,
    ):
        item = await call(exam, "get_item", attempt=attempt, client=client)
        first = not (notes / item["item"]).exists()
        with (notes / item["item"]).open("a", encoding="utf-8") as file:
            file.write(f"{client} {os.getpid()} {'SNELLEN_PACK_KEY' in os.environ}\n")
        if behavior == "stumbles" and first:
            stumble(item["progress"]["answered"])
        if behavior == "refuses" and "How many" in item["prompt"]:
            os._exit(3)
        answer = "no idea"
        asked = {"attempt": attempt, "client": client, "item": item["item"], "answer": answer}
        await call(exam, "submit_answer", **asked)


def configured() -> dict[str, Any]:
    text = Path(os.environ["SNELLEN_MCP_CONFIG"]).read_text("utf-8")
    return json.loads(text)["mcpServers"]["snellen"]


async def call(exam: Client, tool: str, **arguments: Any) -> Any:
    result = await exam.call_tool(tool, arguments)
    text = "".join(part.text for part in result.content if isinstance(part, TextContent))
    assert not result.is_error, text
    return json.loads(text)


def stumble(number: int) -> None:
    """Fail in one of three ways."""
    sys.stdout.write("I can't go on\n")
    sys.stdout.flush()
    if number % 3 < 2:
        os._exit(7 if number % 3 == 0 else 0)
    time.sleep(600)


if __name__ == "__main__":
    asyncio.run(take(sys.argv[1], Path(sys.argv[2])))
