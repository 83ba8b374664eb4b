"""The desk's tools as WebMCP tools of a page, for browsers that are not the server's.

WebMCP is a draft of the W3C's Web Machine Learning group: a page gives tools to the browser, which
gives them to its agent. Chromium has it behind a flag.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

import msgspec
from pydantic import JsonValue

from snellen.tasks.browser.pinning import script
from snellen.tasks.environments.base import (
    NO_HISTORY,
    Answered,
    CallError,
    EpisodeError,
    History,
    Reply,
    Request,
)
from snellen.worlds.desk.toolset import NAME, DeskCalls, DeskToolset

_POLICY: Final = "default-src 'none'; script-src 'unsafe-inline'; connect-src 'self'"
_TEXT: Final = "text/plain; charset=utf-8"


class _Call(msgspec.Struct):
    tool: str
    arguments: dict[str, Any]


class ToolPage:
    """One world whose tools a page has; see `snellen.tasks.environments.base.PageEpisode`.

    Args:
        calls: The world.
        page: The page.
    """

    def __init__(self, calls: DeskCalls, page: str) -> None:
        self._calls = calls
        self._page = page

    def answer(self, request: Request) -> Answered:
        """Return the page, or call a tool; a call that is refused counts, too."""
        if (request.method, request.url) == ("GET", ""):
            headers = {"content-security-policy": _POLICY}
            return Answered(Reply(200, "text/html; charset=utf-8", self._page.encode(), headers))
        if (request.method, request.url) != ("POST", "call"):
            return Answered(Reply(404, _TEXT, b"there is nothing here"))
        try:
            call = msgspec.json.decode(request.body, type=_Call)
        except msgspec.MsgspecError:
            return Answered(Reply(400, _TEXT, b"not a call of a tool"))
        done: dict[str, JsonValue] = {"tool": call.tool, "arguments": call.arguments}
        try:
            said = {"result": self._calls.call(call.tool, call.arguments)}
        except CallError as error:
            said, done = {"refused": str(error)}, {**done, "refused": True}
        return Answered(Reply(200, "application/json", msgspec.json.encode(said)), done)

    def repeat(self, done: Mapping[str, JsonValue]) -> None:
        """Call a tool once more, unless it was refused.

        Raises:
            EpisodeError: It is refused now.
        """
        call = msgspec.convert({**done, "refused": None}, _Call)
        try:
            if not done.get("refused"):
                self._calls.call(call.tool, call.arguments)
        except CallError as error:
            raise EpisodeError(f"{call.tool} is refused: {error}") from error

    @property
    def snapshot(self) -> JsonValue:
        """The data to open it again in this state."""
        return self._calls.snapshot

    @property
    def result(self) -> dict[str, JsonValue]:
        """The data that a grader needs."""
        return self._calls.result


class ToolPages:
    """The pages of the desk's tools; see `snellen.tasks.environments.base.Pages`."""

    def __init__(self) -> None:
        self._toolset = DeskToolset()
        tools = [
            {
                "name": tool.name,
                "description": f"{tool.app}: {tool.description}",
                "inputSchema": tool.arguments.model_json_schema(),
            }
            for tool in self._toolset.tools
        ]
        # No text of a tool can end the script.
        given = json.dumps(tools).replace("<", "\\u003c")
        self._page = (
            "<!doctype html><meta charset='utf-8'><title>Desktop</title><p id='said'></p>"
            f"<script>({script('worlds/desk/webmcp.js')})({given})</script>"
        )

    @property
    def name(self) -> str:
        """`desk`."""
        return NAME

    def open(self, world: JsonValue, history: History = NO_HISTORY) -> ToolPage:
        """Open an episode, or open it again from its snapshot.

        Raises:
            DataError: `world` is not a world of this environment.
        """
        return ToolPage(self._toolset.open(world, history), self._page)
