"""The exam as the runner knows it: over MCP, as the agents do, with nothing that they lack."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from mcp.types import TextContent

from snellen.grading.errors import InputError, SnellenError

_TRIES = 4
_SECONDS = 60.0


class UnreachableError(SnellenError):
    """The exam's server can't be reached, or answers what no such server says."""


class RefusedError(InputError):
    """The exam refuses what was asked of it; the message is the server's."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where an attempt stands.

    Attributes:
        answered: How many items are answered.
        open: How many are not.
        holders: Who holds those that are open and held, by the client's name.
    """

    answered: int
    open: int
    holders: Sequence[str]

    @property
    def free(self) -> int:
        """How many are open and nobody's."""
        return self.open - len(self.holders)


@dataclass(frozen=True, slots=True)
class Examiner:
    """An exam's server.

    Attributes:
        url: Where it is, as `http://127.0.0.1:8765/mcp`.
        token: What it asks for; None where it asks for none.
    """

    url: str
    token: str | None = field(default=None, repr=False)

    @property
    def headers(self) -> dict[str, str]:
        """What a request carries besides its own."""
        return {} if self.token is None else {"Authorization": f"Bearer {self.token}"}

    async def start(self, tasks: Sequence[str], model: str | None) -> str:
        """Start an attempt of one item a context and return its handle.

        Raises:
            RefusedError: Such an attempt is not to be had.
            UnreachableError: The server can't be reached.
        """
        asked: dict[str, Any] = {"contexts": "fresh"}
        if tasks:
            asked["tasks"] = list(tasks)
        if model is not None:
            asked["model"] = model
        # Not again: an attempt whose handle was lost may have been counted.
        return str((await self._once("start_attempt", asked))["attempt"])

    async def standing(self, attempt: str) -> Standing:
        """Return where an attempt stands.

        Raises:
            RefusedError: There is no such attempt.
            UnreachableError: The server can't be reached.
        """
        holders: list[str] = []
        asked: dict[str, Any] = {"attempt": attempt, "status": "open"}
        while True:
            page = await self._call("list_items", asked)
            holders += [item["held_by"] for item in page["items"] if "held_by" in item]
            if "next_cursor" not in page:
                progress = page["progress"]
                return Standing(progress["answered"], progress["open"], holders)
            asked["cursor"] = page["next_cursor"]

    async def items_of(self, attempt: str, client: str) -> Sequence[bool]:
        """Return, of the items that a client had, whether each is answered.

        Raises:
            RefusedError: There is no such attempt.
            UnreachableError: The server can't be reached.
        """
        page = await self._call("list_items", {"attempt": attempt, "client": client})
        return [bool(item["answered"]) for item in page["items"]]

    async def finish(self, attempt: str) -> dict[str, Any]:
        """Close an attempt and return its report.

        Raises:
            RefusedError: It has none.
            UnreachableError: The server can't be reached.
        """
        return await self._call("finish_attempt", {"attempt": attempt})

    async def _call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        for number in range(_TRIES - 1):
            try:
                return await self._once(tool, arguments)
            except UnreachableError:
                await asyncio.sleep(2.0**number)
        return await self._once(tool, arguments)

    async def _once(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        import httpx2
        from mcp import Client, MCPError
        from mcp.client.streamable_http import streamable_http_client

        try:
            async with (
                httpx2.AsyncClient(headers=self.headers, timeout=_SECONDS) as http,
                Client(streamable_http_client(self.url, http_client=http)) as client,
            ):
                result = await client.call_tool(tool, arguments)
        except (OSError, httpx2.HTTPError, MCPError, ExceptionGroup) as error:
            raise UnreachableError(
                f"the exam at {self.url} can't be reached, or turns the caller away:"
                f" {_innermost(error)}"
            ) from error
        text = "".join(part.text for part in result.content if isinstance(part, TextContent))
        if result.is_error:
            raise RefusedError(f"the exam refuses {tool}: {text}")
        try:
            return cast("dict[str, Any]", json.loads(text))
        except ValueError:
            raise UnreachableError(f"{self.url} is no exam's: {tool} returns no JSON") from None


def _innermost(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return str(error) or type(error).__name__
