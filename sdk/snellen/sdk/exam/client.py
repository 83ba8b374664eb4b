"""ExamClient: an exam over MCP, with the same information that any agent gets."""

import asyncio
import json
import os
import sys
from base64 import b64decode
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Generator,
    Mapping,
    Sequence,
)
from contextlib import (
    AbstractAsyncContextManager,
    asynccontextmanager,
    contextmanager,
    nullcontext,
)
from dataclasses import dataclass, field, replace
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, Literal, TextIO, TypeVar, cast

from snellen.grading.errors import InputError, SnellenError

if TYPE_CHECKING:
    from mcp import Client
    from mcp.types import CallToolResult

T = TypeVar("T")

_COMMAND = ("-P", "-c", "from snellen.cli import main; main()", "mcp")
_SECONDS = 120.0
_TRIES = 4
_LAST_WORDS = 500


class ExamRefusedError(InputError):
    """The exam rejects a call; the message is the server's."""


class ExamUnreachableError(SnellenError):
    """The exam's server can't be reached, or its response is not that of an exam server."""


@dataclass(frozen=True, slots=True)
class ExamImage:
    """An image of an item: its name, and its size if the exam states it."""

    name: str
    width: int | None = None
    height: int | None = None


@dataclass(frozen=True, slots=True)
class ExamItem:
    """An item of an attempt, as any agent gets it.

    Attributes:
        id: The item's id in this attempt.
        task: The task's id.
        prompt: The prompt.
        kind: The form of the answer: `text`, `choice`, `point`, `box`, `label`, `relations`...
        example: An invented answer in that form.
        options: The options to choose from.
        space: The space of coordinates in the answer: `pixels`, `unit`, `thousand`; None: not
            stated.
        images: Its images.
        screenshot: The first image, encoded, scaled down if it is large; None without images.
        client: The name of the context that holds it; each item has its own context.
    """

    id: str
    task: str
    prompt: str
    kind: str
    example: str = ""
    options: Sequence[str] = ()
    space: str | None = None
    images: Sequence[ExamImage] = ()
    screenshot: bytes | None = field(default=None, repr=False)
    client: str = "main"


@dataclass(frozen=True, slots=True)
class Screenshot:
    """A view of an image.

    Attributes:
        data: The encoded image.
        view: The view's id, which ends with `of WIDTHxHEIGHT at WIDTHxHEIGHT`: the image's size
            and the view's.
    """

    data: bytes = field(repr=False)
    view: str


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of an attempt."""

    answered: int  # the number of answered items
    open: Sequence[str]  # the ids of the open items
    holders: Sequence[str]  # the clients that hold an open item

    @property
    def free(self) -> int:
        """The number of open items that no client holds."""
        return len(self.open) - len(self.holders)


@dataclass(frozen=True, slots=True)
class ExamAttempt:
    """An attempt at an exam.

    Iterating over it takes its open items one by one, each in its own context.
    """

    exam: "ExamClient"
    handle: str  # the attempt's handle, with which it can be resumed
    agent: str = "agent"  # the prefix of its contexts' names

    async def __aiter__(self) -> AsyncIterator[ExamItem]:
        """Yield all items that are open now."""
        for item in (await self.progress()).open:
            yield await self.item(item)

    async def progress(self) -> Progress:
        """Return the number of answered items, and the open items."""
        items: list[dict[str, Any]] = []
        arguments: dict[str, Any] = {"attempt": self.handle, "status": "open"}
        while True:
            page = await self.exam.call_json("list_items", arguments)
            items += page["items"]
            if "next_cursor" not in page:
                break
            arguments["cursor"] = page["next_cursor"]
        return Progress(
            page["progress"]["answered"],
            [item["item"] for item in items],
            [item["held_by"] for item in items if "held_by" in item],
        )

    async def answered_by(self, client: str) -> Sequence[bool]:
        """Return whether each of the items that a client held is answered."""
        page = await self.exam.call_json("list_items", {"attempt": self.handle, "client": client})
        return [bool(item["answered"]) for item in page["items"]]

    async def item(self, item: str | None = None, *, client: str | None = None) -> ExamItem:
        """Take an item; the same client gets the same item again until it is answered.

        Args:
            item: Its id; None: the next open item.
            client: The name of the context that takes it; None: a new context for each item.

        Raises:
            ExamRefusedError: There is no such item, or another client holds it.
        """
        client = client or (f"{self.agent}-{item}" if item else self.agent)
        arguments = {"attempt": self.handle, "client": client}
        result = await self.exam.call("get_item", arguments | ({"item": item} if item else {}))
        given = _json(result)
        answer = given["answer_format"]
        return ExamItem(
            id=given["item"],
            task=given["task"],
            prompt=given["prompt"],
            kind=answer["kind"],
            example=answer.get("example", ""),
            options=tuple(answer.get("options", ())),
            space=answer.get("space"),
            images=tuple(
                ExamImage(image["name"], image.get("width"), image.get("height"))
                for image in given["images"]
            ),
            screenshot=_image(result),
            client=client,
        )

    async def screenshot(self, item: ExamItem, image: str = "", **view: object) -> Screenshot:
        """Return a view of one of an item's images.

        Args:
            item: The item.
            image: The image's name; empty: the first image.
            **view: Arguments of `get_screenshot`: `region`, `space`, `tile`, `zoom`, `max_side`,
                `format`.

        Raises:
            ExamRefusedError: There is no such view, or the image can't be shown.
        """
        name = {"image": image} if image else {}
        result = await self.exam.call("get_screenshot", {**self._of(item), **name, **view})
        given, data = _json(result), _image(result)
        if data is None:
            raise ExamRefusedError(f"the exam can't show the image: {given.get('fault')}")
        return Screenshot(data, str(given["view"]["id"]))

    async def submit(self, item: ExamItem, answer: object) -> float | None:
        """Submit an answer; return its score if the exam reports it at once.

        Raises:
            ExamRefusedError: The answer is not in the item's form.
        """
        given = await self.exam.call_json("submit_answer", {**self._of(item), "answer": answer})
        score = given.get("score")
        if isinstance(score, dict):
            score = cast("dict[str, object]", score).get("value")
        return float(score) if isinstance(score, int | float) else None

    async def act(self, item: ExamItem, **action: object) -> bytes | None:
        """Act in an item's world; return the screenshot after it, encoded.

        Args:
            item: The item.
            **action: Arguments of `act`: `action="left_click"`, `coordinate=[35, 80]`.

        Raises:
            ExamRefusedError: The item is not interactive, or its episode is over.
            ExamUnreachableError: The server can't be reached; the action may have been done.
        """
        # No retry: an action must not be done twice.
        once = replace(self.exam, tries=1)
        return _image(await once.call("act", {**self._of(item), **action}))

    async def finish(self) -> dict[str, Any]:
        """Close the attempt and return its whole report; later answers are rejected."""
        await self.exam.call("finish_attempt", {"attempt": self.handle})
        return await self.exam.read_json(f"exam://attempts/{self.handle}/report")

    def _of(self, item: ExamItem) -> dict[str, Any]:
        return {"attempt": self.handle, "item": item.id, "client": item.client}


@dataclass(frozen=True, slots=True)
class ExamClient:
    """A connection to an exam; see `connect` and `launch`.

    Attributes:
        where: The exam's address, for messages.
        open: Opens a connection for one call.
        tries: The number of tries of a call whose connection fails.
    """

    where: str
    open: Callable[[], AbstractAsyncContextManager["Client"]] = field(repr=False)
    tries: int = 1

    @classmethod
    @asynccontextmanager
    async def connect(cls, url: str, token: str | None = None) -> AsyncGenerator["ExamClient"]:
        """Connect to an exam that is served over HTTP.

        A call whose connection fails is retried, so the server can be restarted in the meantime.

        Args:
            url: Its URL, such as `http://127.0.0.1:8765/mcp`.
            token: The server's token; None if it needs none.
        """
        import httpx2
        from mcp import Client
        from mcp.client.streamable_http import streamable_http_client

        async with httpx2.AsyncClient(headers=bearer(token), timeout=_SECONDS) as http:
            yield cls(url, lambda: Client(streamable_http_client(url, http_client=http)), _TRIES)

    @classmethod
    @asynccontextmanager
    async def launch(cls, options: Sequence[str] = ()) -> AsyncGenerator["ExamClient"]:
        """Start `snellen mcp` on this machine and connect to it over pipes, while this is open.

        Args:
            options: Arguments of `snellen mcp`: packs and rules; empty: the included sample.

        Raises:
            ExamUnreachableError: It does not start; the message has the end of its output.
        """
        from mcp import Client, StdioServerParameters
        from mcp.client.stdio import stdio_client

        server = StdioServerParameters(
            command=sys.executable, args=[*_COMMAND, *options], env=dict(os.environ)
        )
        started = False
        with TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
            try:
                async with Client(stdio_client(server, errlog=log)) as client:
                    started = True
                    yield cls("snellen mcp", lambda: nullcontext(client))
            except Exception as error:
                if started:
                    # The connection's tasks wrap the exception of the block.
                    raise _innermost(error) from None
                words = _last_words(log) or _words(error)
                raise ExamUnreachableError(f"snellen mcp does not start: {words}") from error

    async def tasks(self) -> Mapping[str, int]:
        """Return the tasks that the exam offers, each with the number of its items."""
        given = await self.call_json("list_benchmarks", {})
        return {task["task"]: task["items"] for task in given["tasks"]}

    async def start(
        self,
        tasks: Sequence[str] = (),
        *,
        model: str | None = None,
        agent: str = "agent",
        contexts: Literal["fresh", "continuous"] = "fresh",
    ) -> ExamAttempt:
        """Start an attempt, by default with one item per context.

        Args:
            tasks: Tasks or benchmarks; empty: all that the exam offers.
            model: The model's name, for the report.
            agent: The prefix of its contexts' names.
            contexts: Whether a context sees one item, or several and then one item of each pair.

        Raises:
            ExamRefusedError: The exam does not allow such an attempt.
            ExamUnreachableError: The server can't be reached.
        """
        arguments: dict[str, Any] = {"contexts": contexts}
        if tasks:
            arguments["tasks"] = list(tasks)
        if model is not None:
            arguments["model"] = model
        # No retry: an attempt whose handle was lost may have been counted.
        handle = str(_json(await self._once("start_attempt", arguments))["attempt"])
        return ExamAttempt(self, handle, agent)

    def resume(self, handle: str, *, agent: str = "agent") -> ExamAttempt:
        """Return an attempt that was started before; a wrong handle fails at its first use."""
        return ExamAttempt(self, handle, agent)

    async def call_json(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call a tool and return the JSON in its result; raises as `call` does."""
        return _json(await self.call(tool, arguments))

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> "CallToolResult":
        """Call a tool and return its result.

        Raises:
            ExamRefusedError: The exam rejects the call.
            ExamUnreachableError: The server can't be reached, after all retries.
        """
        return await self._repeated(lambda: self._once(tool, arguments))

    async def read_json(self, uri: str) -> dict[str, Any]:
        """Read a JSON resource; raises as `call` does."""
        from mcp.types import TextResourceContents

        async def once() -> dict[str, Any]:
            with self._reported():
                async with self.open() as client:
                    page = (await client.read_resource(uri)).contents[0]
            assert isinstance(page, TextResourceContents)
            return cast("dict[str, Any]", json.loads(page.text))

        return await self._repeated(once)

    async def _repeated(self, work: Callable[[], Awaitable[T]]) -> T:
        for number in range(self.tries - 1):
            try:
                return await work()
            except ExamUnreachableError:
                await asyncio.sleep(2.0**number)
        return await work()

    @contextmanager
    def _reported(self) -> Generator[None]:
        import httpx2
        from mcp import MCPError

        try:
            yield
        except (OSError, httpx2.HTTPError, MCPError, ExceptionGroup) as error:
            raise ExamUnreachableError(
                f"the exam at {self.where} can't be reached, or refuses the caller: {_words(error)}"
            ) from error

    async def _once(self, tool: str, arguments: Mapping[str, Any]) -> "CallToolResult":
        with self._reported():
            async with self.open() as client:
                result = await client.call_tool(tool, dict(arguments))
        if result.is_error:
            raise ExamRefusedError(f"the exam refuses {tool}: {_text(result)}")
        return result


def bearer(token: str | None) -> dict[str, str]:
    """Return the headers that carry a token."""
    return {} if token is None else {"Authorization": f"Bearer {token}"}


def _json(result: "CallToolResult") -> dict[str, Any]:
    try:
        return cast("dict[str, Any]", json.loads(_text(result)))
    except ValueError:
        raise ExamUnreachableError(
            "this server is not an exam: a tool did not return JSON"
        ) from None


def _text(result: "CallToolResult") -> str:
    from mcp.types import TextContent

    return "".join(part.text for part in result.content if isinstance(part, TextContent))


def _image(result: "CallToolResult") -> bytes | None:
    from mcp.types import ImageContent

    images = (part.data for part in result.content if isinstance(part, ImageContent))
    data = next(images, None)
    return None if data is None else b64decode(data)


def _innermost(error: Exception) -> Exception:
    while isinstance(error, ExceptionGroup):
        error = cast("ExceptionGroup[Exception]", error).exceptions[0]
    return error


def _words(error: Exception) -> str:
    inner = _innermost(error)
    return str(inner) or type(inner).__name__


def _last_words(log: TextIO) -> str:
    log.seek(0)
    return " ".join(log.read().split())[-_LAST_WORDS:]
