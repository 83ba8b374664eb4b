"""Agents that take the sample exam: in memory, over standard input and output, over HTTP."""

import json
import os
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Generator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import CallToolResult, ImageContent, TextContent

from snellen.sdk.cli.serving import grade_taken
from snellen.server.app import Face
from snellen.server.opening import Opening, open_exam
from snellen.server.rules import Rules
from snellen.server.settings import Settings
from snellen.tasks.samples import sample_pack

SECONDS = 60


@dataclass
class Agent:
    """A client of an exam, and the attempt that it works on."""

    client: Client
    attempt: str = ""

    async def result(self, tool: str, **arguments: object) -> CallToolResult:
        """Call a tool and return what came, as it came."""
        return await self.client.call_tool(tool, arguments)

    async def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Call a tool that must work and return its JSON."""
        result = await self.result(tool, **arguments)
        text = self.text(result)
        assert not result.is_error, text
        return json.loads(text)

    async def refused(self, tool: str, **arguments: object) -> str:
        """Call a tool that must refuse and return what it says."""
        result = await self.result(tool, **arguments)
        assert result.is_error
        assert [content.type for content in result.content] == ["text"]
        return self.text(result)

    async def start(self, **arguments: object) -> str:
        """Start an attempt and work on it from now on."""
        self.attempt = (await self.call("start_attempt", **arguments))["attempt"]
        return self.attempt

    async def item(self, **arguments: object) -> dict[str, Any]:
        """Get an item of the attempt."""
        return await self.call("get_item", attempt=self.attempt, **arguments)

    async def answer(self, item: str, answer: object, **arguments: object) -> dict[str, Any]:
        """Answer an item of the attempt."""
        return await self.call(
            "submit_answer", attempt=self.attempt, item=item, answer=answer, **arguments
        )

    @staticmethod
    def text(result: CallToolResult) -> str:
        """Return the text of a result."""
        found = [content.text for content in result.content if isinstance(content, TextContent)]
        assert len(found) == 1
        return found[0]

    @staticmethod
    def images(result: CallToolResult) -> list[ImageContent]:
        """Return the images of a result."""
        return [content for content in result.content if isinstance(content, ImageContent)]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Return where the exam's store will be."""
    return tmp_path / "exam.sqlite"


@pytest.fixture
def opening(store: Path) -> Callable[..., Opening]:
    """Return a function that offers the sample by some rules."""

    def offer(**rules: object) -> Opening:
        settings = Settings((sample_pack(),), store, Rules.model_validate(rules))
        return Opening(lambda: open_exam(settings, grade_taken))

    return offer


@pytest.fixture(params=["2026-07-28", "legacy"])
def era(request: pytest.FixtureRequest) -> str:
    """Return each of the two ways in which clients speak the protocol."""
    return request.param


@pytest.fixture
def exam(opening: Callable[..., Opening], era: str) -> Callable[..., Any]:
    """Return a function that lets an agent take the sample in memory, by some rules."""

    @asynccontextmanager
    async def take(**rules: object) -> AsyncGenerator[Agent]:
        offered = opening(**rules)
        try:
            async with Client(Face(offered).server, mode=era) as client:
                yield Agent(client)
        finally:
            await offered.close()

    return take


@pytest.fixture
def agent_of() -> Callable[[Client], Agent]:
    """Return what makes an agent of a client."""
    return Agent


@pytest.fixture(scope="session")
def golds() -> Mapping[str, str]:
    """Return an answer to each question of the sample that its reference holds."""
    folder = sample_pack()
    lines = (folder / "references.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    gold = {record["item_id"]: record["gold"][0] for record in records if "item_id" in record}
    items = map(json.loads, (folder / "items.jsonl").read_text(encoding="utf-8").splitlines())
    return {item["item"]["prompt"]: gold[item["item"]["id"]] for item in items}


SERVE = [sys.executable, "-c", "from snellen.sdk.cli import main; main()", "serve"]


def environment_of(home: Path) -> dict[str, str]:
    """Return the environment of a server of its own, which finds this code and a home."""
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry),
        "SNELLEN_HOME": str(home),
        "SNELLEN_PACK_KEY": "",
        "PYTHONUNBUFFERED": "1",
    }


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return the environment of a server of its own."""
    return environment_of(tmp_path / "home")


@dataclass
class Served:
    """A server of its own: its address, and all that it wrote once it is stopped."""

    process: subprocess.Popen[str]
    url: str
    said: list[str]

    def stop(self) -> str:
        """Ask it to stop and return what it wrote to standard error."""
        self.process.terminate()
        _, rest = self.process.communicate(timeout=SECONDS)
        self.said.append(rest)
        return "".join(self.said)


@contextmanager
def serving(environment: Mapping[str, str]) -> Generator[Callable[..., Served]]:
    """Start servers; they are gone at the end."""
    started: list[subprocess.Popen[str]] = []

    def start(*options: str, descriptors: tuple[int, int] | None = None) -> Served:
        def limited() -> None:
            import resource

            assert descriptors is not None
            resource.setrlimit(resource.RLIMIT_NOFILE, descriptors)

        process = subprocess.Popen(
            [*SERVE, "--port", "0", *options],
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=None if descriptors is None else limited,
        )
        started.append(process)
        assert process.stderr is not None
        said: list[str] = []
        for line in process.stderr:
            said.append(line)
            if line.startswith("serving on "):
                return Served(process, line.removeprefix("serving on ").strip(), said)
        raise AssertionError(f"the server did not start: {''.join(said)}")

    try:
        yield start
    finally:
        for process in started:
            process.kill()
            process.wait()
            if process.stderr is not None:
                process.stderr.close()


@pytest.fixture
def serve(environment: dict[str, str]) -> Iterator[Callable[..., Served]]:
    """Return a function that starts `snellen serve` with some options."""
    with serving(environment) as start:
        yield start


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a server that several tests knock at."""
    home = tmp_path_factory.mktemp("shared")
    with serving(environment_of(home)) as start:
        yield start()
