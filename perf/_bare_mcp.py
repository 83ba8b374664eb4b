"""A bare MCP server with tools of the exam's names, which answer from memory and keep nothing.

It is given what to answer, as JSON: a tool's name to the contents of its result. So both servers
send the same bytes, and what is left between them is what the exam costs.
"""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import uvicorn
from mcp.server import MCPServer
from mcp.types import CallToolResult, ContentBlock, ToolAnnotations
from pydantic import Field, TypeAdapter

READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=False)
WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)

server = MCPServer("bare")
answers: dict[str, Any] = {}
contents: dict[str, list[ContentBlock]] = {}


def said(tool: str) -> CallToolResult:
    """Return what a tool answers."""
    return CallToolResult(content=contents[tool])


@server.tool(annotations=READS, structured_output=False)
async def list_benchmarks() -> CallToolResult:
    """List what can be taken."""
    return said("list_benchmarks")


@server.tool(annotations=READS, structured_output=False)
async def list_items(attempt: str, cursor: str | None = None) -> CallToolResult:
    """List the items."""
    return said("list_items")


@server.tool(annotations=WRITES, structured_output=False)
async def get_item(attempt: str, item: str | None = None, client: str = "main") -> CallToolResult:
    """Give an item."""
    return said("get_item")


@server.tool(annotations=READS, structured_output=False)
async def get_screenshot(
    attempt: str,
    item: str,
    image: str | None = None,
    max_side: Annotated[int | None, Field(ge=1)] = None,
    format: str = "auto",  # noqa: A002  # as the exam's tool names it
    client: str = "main",
) -> CallToolResult:
    """Give a view; its base64 is at hand."""
    return said("get_screenshot" if format == "auto" else "large")


@server.tool(annotations=WRITES, structured_output=False)
async def submit_answer(
    attempt: str, item: str, answer: str, client: str = "main"
) -> CallToolResult:
    """Remember an answer."""
    answers[item] = answer
    return said("submit_answer")


def main() -> None:
    """Serve `stdio CONTENTS` or `http PORT CONTENTS`."""
    kind, *rest = sys.argv[1:]
    adapter = TypeAdapter(dict[str, list[ContentBlock]])
    contents.update(adapter.validate_python(json.loads(Path(rest[-1]).read_text("utf-8"))))
    if kind == "stdio":
        server.run("stdio")
        return
    app = server.streamable_http_app(stateless_http=True)
    uvicorn.run(app, host="127.0.0.1", port=int(rest[0]), log_level="warning", access_log=False)


if __name__ == "__main__":
    main()
