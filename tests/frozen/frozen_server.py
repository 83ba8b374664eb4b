"""The tools that the MCP server lists, and the OpenAPI document of its REST API."""

import asyncio
import json
import subprocess
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from frozen_command import command, environment
from mcp import Client
from stored import digest

from snellen.grading.errors import SnellenError
from snellen.server.exam.rules import Rules
from snellen.server.host import Host, lazy_host
from snellen.server.mcp.server import ExamServer
from snellen.server.settings import Settings
from snellen.tasks.samples import exam_folder

SECONDS = 60
EXAM = """
name = "sample"
packs = ["{pack}"]
store = "exam.sqlite"
[[phases]]
name = "main"
"""


def tools(folder: Path) -> dict[str, object]:
    """Return the tools of each kind of exam: without interactive items, by screen, by tools."""
    store = folder / "exam.sqlite"
    by_tools = Rules.model_validate({"door": "tools"})
    variants = {
        "plain": Settings((exam_folder("wireframes"),), store),
        "interactive": Settings((), store, episodes=("desk",)),
        "by tools": Settings((), store, by_tools, episodes=("desk",)),
    }
    found: dict[str, object] = {}
    for name, settings in variants.items():
        listed = asyncio.run(_listed(settings))
        found[f"{name}: names in order"] = [tool["name"] for tool in listed]
        found.update({f"{name}: {tool['name']}": tool for tool in listed})
    return found


async def _listed(settings: Settings) -> list[dict[str, Any]]:
    def refuse() -> Host:
        raise SnellenError("the tools are listed before the exam is opened")

    host = lazy_host(settings, refuse)
    async with Client(ExamServer(host).server) as client:
        listed = await client.list_tools()
    await host.close()
    return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed.tools]


def openapi(folder: Path) -> dict[str, object]:
    """Return a digest of each path, method and schema that `snellen serve` documents."""
    (folder / "exam.toml").write_text(EXAM.format(pack=exam_folder("wireframes").as_posix()))
    with subprocess.Popen(
        command("serve", str(folder / "exam.toml"), "--port", "0"),
        env=environment(folder / "home"),
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stderr is not None
        said: list[str] = []
        try:
            for line in process.stderr:
                said.append(line)
                if line.startswith("serving on "):
                    url = line.removeprefix("serving on ").strip().removesuffix("/mcp")
                    with urlopen(f"{url}/v1/openapi.json", timeout=SECONDS) as answer:
                        return _entries(json.load(answer))
        finally:
            process.kill()
    raise AssertionError(f"the server did not start: {''.join(said)}")


def _entries(document: dict[str, Any]) -> dict[str, object]:
    entries: dict[str, object] = {
        f"{method.upper()} {path}": digest(operation)
        for path, methods in document.pop("paths").items()
        for method, operation in methods.items()
    }
    for kind, parts in document.pop("components").items():
        entries |= {f"{kind} {name}": digest(part) for name, part in parts.items()}
    # The title, the servers and who may call.
    return {**entries, "the rest": digest(document)}
