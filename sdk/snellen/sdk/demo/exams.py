"""The exam as the agent meets it: over MCP, with what any agent is told and nothing else."""

import asyncio
import io
import json
import os
import sys
from base64 import b64decode
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from snellen.grading.errors import InputError, SnellenError

if TYPE_CHECKING:
    from mcp import Client
    from mcp.types import CallToolResult

    from snellen.sdk.ocr.pictures import Pixels

_COMMAND = ("-P", "-c", "from snellen.sdk.cli import main; main()", "mcp")
_SECONDS = 120.0
# What a view may hold at full size, by the server's defaults.
_SIDE = 1568
_AREA = 1_150_000


class ExamRefusedError(InputError):
    """The exam refuses a call; the message is the server's."""


class ExamUnreachableError(SnellenError):
    """The exam's server can't be reached, or is gone."""


@dataclass(frozen=True, slots=True)
class ImageOf:
    """An image of a question: its name, and its size where the exam says it."""

    name: str
    width: int | None = None
    height: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question as `get_item` gives it.

    Attributes:
        id: The item's id in this attempt.
        task: The task's id.
        prompt: What is asked.
        kind: The form of the answer: `text`, `choice`, `point`, `box`, `label`, `relations`...
        example: A made-up answer in that form.
        options: What there is to choose from.
        space: What coordinates in the answer count: `pixels`, `unit`, `thousand`; None: unsaid.
        images: Its images.
    """

    id: str
    task: str
    prompt: str
    kind: str
    example: str = ""
    options: Sequence[str] = ()
    space: str | None = None
    images: Sequence[ImageOf] = ()


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt at an exam, through one connection.

    Attributes:
        client: The connection.
        handle: The attempt's handle.
        sizes: Sizes of images that the exam had not said, by item and name.
    """

    client: "Client"
    handle: str
    sizes: dict[tuple[str, str], tuple[int, int]] = field(
        default_factory=dict[tuple[str, str], tuple[int, int]]
    )

    async def open_items(self) -> list[str]:
        """Return the ids of the items that are not answered."""
        found: list[str] = []
        asked: dict[str, Any] = {"attempt": self.handle, "status": "open"}
        while True:
            page = await told(self.client, "list_items", asked)
            found += [item["item"] for item in page["items"]]
            if "next_cursor" not in page:
                return found
            asked["cursor"] = page["next_cursor"]

    async def question(self, item: str) -> Question:
        """Take an item, under a name of its own: one question a context."""
        given = await told(self.client, "get_item", self._of(item))
        form = given["answer_format"]
        return Question(
            id=given["item"],
            task=given["task"],
            prompt=given["prompt"],
            kind=form["kind"],
            example=form.get("example", ""),
            options=tuple(form.get("options", ())),
            space=form.get("space"),
            images=tuple(
                ImageOf(one["name"], one.get("width"), one.get("height")) for one in given["images"]
            ),
        )

    async def pixels(self, question: Question, image: ImageOf) -> "Pixels":
        """Look at a whole image at full size, piece by piece where it is large."""
        width, height = image.width, image.height
        if width is None or height is None:
            width, height = await self._size(question, image)
        whole = np.zeros((height, width, 3), np.uint8)
        for left, top, right, bottom in pieces(width, height):
            region = [left, top, right, bottom]
            result = await call(
                self.client,
                "get_screenshot",
                {**self._of(question.id), "image": image.name, "region": region},
            )
            whole[top:bottom, left:right] = _image(result, (right - left, bottom - top))
        return whole

    async def answer(self, question: Question, said: object) -> float | None:
        """Hand in an answer; returns its score where the exam tells it at once."""
        given = await told(self.client, "submit_answer", {**self._of(question.id), "answer": said})
        score = given.get("score")
        return _number(score)

    async def finish(self) -> dict[str, Any]:
        """Close the attempt and return its report."""
        return await told(self.client, "finish_attempt", {"attempt": self.handle})

    def _of(self, item: str) -> dict[str, Any]:
        return {"attempt": self.handle, "item": item, "client": f"baseline-{item}"}

    async def _size(self, question: Question, image: ImageOf) -> tuple[int, int]:
        asked = {**self._of(question.id), "image": image.name, "max_side": 64}
        result = await call(self.client, "get_screenshot", asked)
        # The view's id ends with "of WIDTHxHEIGHT at WIDTHxHEIGHT".
        size = str(json.loads(_text(result))["view"]["id"]).rsplit(" of ", 1)[1].split(" at ")[0]
        width, height = size.split("x")
        return int(width), int(height)


@asynccontextmanager
async def served_here(options: Sequence[str]) -> "AsyncGenerator[Client]":
    """Start `snellen mcp` on this machine, connected over pipes, while this is open.

    Args:
        options: What `snellen mcp` takes: packs and rules.

    Raises:
        ExamUnreachableError: It does not start, or goes away.
    """
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    server = StdioServerParameters(
        command=sys.executable, args=[*_COMMAND, *options], env=dict(os.environ)
    )
    with open(os.devnull, "w") as log:  # noqa: ASYNC230  # nothing is written by this process
        async with _connected(Client(stdio_client(server, errlog=log)), "snellen mcp") as client:
            yield client


@asynccontextmanager
async def served_at(url: str, token: str | None = None) -> "AsyncGenerator[Client]":
    """Connect to an exam that is served over HTTP.

    Raises:
        ExamUnreachableError: It can't be reached, or turns the caller away.
    """
    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=_SECONDS) as http:
        transport = streamable_http_client(url, http_client=http)
        async with _connected(Client(transport), url) as client:
            yield client


async def start(client: "Client", tasks: Sequence[str] = (), model: str | None = None) -> Attempt:
    """Start an attempt of one question a context.

    Raises:
        ExamRefusedError: There is no such attempt to be had.
    """
    asked: dict[str, Any] = {"contexts": "fresh"}
    if tasks:
        asked["tasks"] = list(tasks)
    if model is not None:
        asked["model"] = model
    return Attempt(client, str((await told(client, "start_attempt", asked))["attempt"]))


async def offered(client: "Client") -> Mapping[str, int]:
    """Return the tasks that an exam offers, each with the number of its items."""
    given = await told(client, "list_benchmarks", {})
    return {task["task"]: task["items"] for task in given["tasks"]}


async def told(client: "Client", tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Call a tool and return the JSON that it says."""
    return cast("dict[str, Any]", json.loads(_text(await call(client, tool, arguments))))


async def call(client: "Client", tool: str, arguments: Mapping[str, Any]) -> "CallToolResult":
    """Call a tool and return its result.

    Raises:
        ExamRefusedError: The exam refuses the call.
    """
    result = await client.call_tool(tool, dict(arguments))
    if result.is_error:
        raise ExamRefusedError(f"the exam refuses {tool}: {_text(result)}")
    return result


def pieces(width: int, height: int) -> list[tuple[int, int, int, int]]:
    """Cut an image into regions that are each shown at full size.

    >>> pieces(1280, 1700)
    [(0, 0, 1280, 850), (0, 850, 1280, 1700)]
    """
    columns = -(-width // _SIDE)
    across = -(-width // columns)
    rows = max(-(-height // min(_SIDE, _AREA // across)), 1)
    down = -(-height // rows)
    return [
        (left, top, min(left + across, width), min(top + down, height))
        for top in range(0, height, down)
        for left in range(0, width, across)
    ]


@asynccontextmanager
async def _connected(client: "Client", where: str) -> "AsyncGenerator[Client]":
    import httpx2
    from mcp import MCPError

    try:
        async with client:
            yield client
    except (OSError, httpx2.HTTPError, MCPError, ExceptionGroup) as error:
        inner = _innermost(error)
        if isinstance(inner, SnellenError | asyncio.CancelledError | KeyboardInterrupt):
            raise inner from None
        said = str(inner) or type(inner).__name__
        raise ExamUnreachableError(f"the exam at {where} can't be reached: {said}") from error


def _innermost(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error


def _text(result: "CallToolResult") -> str:
    from mcp.types import TextContent

    return "".join(part.text for part in result.content if isinstance(part, TextContent))


def _image(result: "CallToolResult", size: tuple[int, int]) -> "Pixels":
    from mcp.types import ImageContent
    from PIL import Image

    data = next(part.data for part in result.content if isinstance(part, ImageContent))
    with Image.open(io.BytesIO(b64decode(data))) as image:
        shown = image.convert("RGB")
    # A server with narrower limits sends less; then it is seen as sharply as that allows.
    return np.asarray(shown if shown.size == size else shown.resize(size))


def _number(score: object) -> float | None:
    if isinstance(score, dict):
        score = cast("dict[str, object]", score).get("value")
    return float(score) if isinstance(score, int | float) else None
