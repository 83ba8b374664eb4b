"""An agent without a model: it looks at an item's image and says what its script has for it.

Usage: taking.py FILE. The file is JSON:

    script   a file of JSON: what is seen (digest of pixels and prompt) to what is done about it
    handle   the attempt to go on with; null: begin one
    said     answers that were acknowledged before, item to answer, to be handed in again
    slipped  items with a call that was refused before: a malformed answer is refused only once
    era      how the protocol is spoken
    command  the server's command line, to speak with over standard input and output, or
    url      the server's address, and
    token    what it lets in

Each line of its output is JSON: an attempt that was begun, an answer that is about to be handed
in, one that was acknowledged, or the report. It goes on until it is done or somebody kills it.
"""

import asyncio
import io
import json
import os
import sys
from base64 import b64decode
from collections.abc import AsyncGenerator, Collection, Mapping
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, ImageContent, TextContent, TextResourceContents
from PIL import Image

SLIPS: list[dict[str, object]] = [
    {"answer": None},
    {"answer": " "},
    {"answer": {"the answer": ["is", "no", {"text": 1}]}},
    {"anwser": "misspelt"},
    {"answer": "x", "space": "nowhere"},
    {"answer": "x", "item": "nosuchitem"},
    {"answer": "x", "attempt": "att_" + "0" * 48},
    {"answer": "x", "client": ["x"]},
    {},
]
"""Calls of submit_answer that must be refused, and must change nothing."""


def digest(encoded: bytes, prompt: str) -> str:
    """Return what is seen: the pixels of an image and the words of a prompt."""
    with Image.open(io.BytesIO(encoded)) as image:
        pixels = image.convert("RGB")
    return sha256(f"{pixels.size}|{prompt}|".encode() + pixels.tobytes()).hexdigest()


def say(**words: object) -> None:
    """Write a line at once: what is acknowledged is told before anything else happens."""
    os.write(1, json.dumps(words).encode() + b"\n")


class Taker:
    """Takes an exam as its script says."""

    def __init__(
        self,
        client: Client,
        script: Mapping[str, Mapping[str, Any]],
        slipped: Collection[str] = (),
    ) -> None:
        self._client = client
        self._slipped = slipped
        self._script = script
        self._handle = ""

    async def take(self, handle: str | None, said: Mapping[str, str]) -> None:
        """Begin an attempt or go on with one, and take it to its report."""
        if handle is None:
            handle = (await self._call("start_attempt", model="scripted"))["attempt"]
            say(begun=handle)
        self._handle = handle
        for item, answer in said.items():
            assert (await self._submit(item, answer))["again"] is True
        for item in await self._open_items():
            await self._answer(item)
        summary = await self._call("finish_attempt", attempt=handle)
        kept = await self._client.read_resource(f"exam://attempts/{handle}/report")
        content = kept.contents[0]
        assert isinstance(content, TextResourceContents)
        report = json.loads(content.text)
        assert (report["total"], report["value"]) == (summary["total"], summary["value"])
        say(report=report)

    async def _open_items(self) -> list[str]:
        found: list[str] = []
        cursor: dict[str, str] = {}
        while True:
            page = await self._call("list_items", attempt=self._handle, status="open", **cursor)
            found += [one["item"] for one in page["items"]]
            if "next_cursor" not in page:
                return found
            cursor = {"cursor": page["next_cursor"]}

    async def _answer(self, item: str) -> None:
        given = await self._result("get_item", attempt=self._handle, item=item)
        seen = image_of(given)
        if seen.mime_type == "image/jpeg":
            # Its pixels are not quite those of the screen.
            seen = await self._look(item)
        known = self._script[digest(b64decode(seen.data), json.loads(text_of(given))["prompt"])]
        if known["slip"] is not None and item not in self._slipped:
            say(slipping=item)
            await self._look(item)
            number: int = known["slip"]
            slip = {"attempt": self._handle, "item": item, **SLIPS[number]}
            result = await self._client.call_tool("submit_answer", slip)
            assert result.is_error, text_of(result)
            say(refused=text_of(result), item=item)
        if known["say"] is not None:
            say(trying=known["name"], item=item)
            await self._submit(item, known["say"])
            say(stored=known["name"], item=item, answer=known["say"])

    async def _look(self, item: str) -> ImageContent:
        arguments = {"attempt": self._handle, "item": item, "format": "png"}
        return image_of(await self._result("get_screenshot", **arguments))

    async def _submit(self, item: str, answer: str) -> dict[str, Any]:
        return await self._call("submit_answer", attempt=self._handle, item=item, answer=answer)

    async def _call(self, tool: str, **arguments: object) -> dict[str, Any]:
        return json.loads(text_of(await self._result(tool, **arguments)))

    async def _result(self, tool: str, **arguments: object) -> CallToolResult:
        result = await self._client.call_tool(tool, arguments)
        assert not result.is_error, text_of(result)
        return result


def image_of(result: CallToolResult) -> ImageContent:
    """Return the one image of a result."""
    (image,) = [one for one in result.content if isinstance(one, ImageContent)]
    return image


def text_of(result: CallToolResult) -> str:
    """Return the one text of a result."""
    (text,) = [one.text for one in result.content if isinstance(one, TextContent)]
    return text


@asynccontextmanager
async def connected(given: Mapping[str, Any]) -> AsyncGenerator[Client]:
    """Connect to the server, which is begun here where it is spoken with over pipes."""
    if "command" in given:
        command, *arguments = given["command"]
        server = StdioServerParameters(command=command, args=arguments, env=dict(os.environ))
        async with Client(stdio_client(server), mode=given["era"]) as client:
            yield client
        return
    headers = {"Authorization": f"Bearer {given['token']}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http_client:
        transport = streamable_http_client(given["url"], http_client=http_client)
        async with Client(transport, mode=given["era"]) as client:
            yield client


async def main(given: Mapping[str, Any], script: Mapping[str, Mapping[str, Any]]) -> None:
    """Take the exam that is given."""
    async with connected(given) as client:
        await Taker(client, script, given["slipped"]).take(given["handle"], given["said"])


if __name__ == "__main__":
    told = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    asyncio.run(main(told, json.loads(Path(told["script"]).read_text(encoding="utf-8"))))
