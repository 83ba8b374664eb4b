"""The examples of clients say what those clients need, and what they say works."""

import json
import os
import re
import runpy
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from string import Template
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from snellen.cli.places import default_store
from snellen.server.host import LazyHost, open_exam
from snellen.server.http.auth import Tokens
from snellen.server.mcp.server import ExamServer
from snellen.server.settings import Settings
from snellen.server.store.schema import open_store
from snellen.server.store.tables.exams import Scope
from snellen.tasks.pack.read import read_manifest
from snellen.tasks.samples import exam_folder

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples" / "clients"

Configured = dict[str, dict[str, Any]]


def of_claude_code() -> Configured:
    configured = json.loads((EXAMPLES / "claude_code.mcp.json").read_text())["mcpServers"]
    for server in configured.values():
        assert server.pop("alwaysLoad") is True
    assert configured["snellen"].pop("type") == "stdio"
    assert configured["snellen-remote"].pop("type") == "http"
    return configured


def of_codex() -> Configured:
    configured = tomllib.loads((EXAMPLES / "codex.toml").read_text())["mcp_servers"]
    for server in configured.values():
        assert server.pop("required") is True
    remote = configured["snellen-remote"]
    remote["headers"] = {"Authorization": f"Bearer ${{{remote.pop('bearer_token_env_var')}}}"}
    return configured


configurations = pytest.mark.parametrize("read", [of_claude_code, of_codex])


@configurations
async def test_the_command_of_a_configuration_serves_the_exam(
    read: Callable[[], Configured], organized: Callable[..., Path], tmp_path: Path
) -> None:
    organized()
    server = read()["snellen"]
    assert server.keys() == {"command", "args"}
    with (tmp_path / "log").open("w") as log:
        async with Client(stdio_client(StdioServerParameters(**server), errlog=log)) as client:
            assert len((await client.list_tools()).tools) == 7


@configurations
async def test_the_header_of_a_configuration_opens_a_server_that_asks_for_tokens(
    read: Callable[[], Configured], serve: Callable[..., Any], token: str
) -> None:
    remote = read()["snellen-remote"]
    assert remote.pop("url") == "http://127.0.0.1:8765/mcp"
    assert remote.keys() == {"headers"}
    headers = {
        name: Template(value).substitute(TOKEN=token) for name, value in remote["headers"].items()
    }
    served = serve()
    async with (
        httpx2.AsyncClient(headers=headers) as http_client,
        Client(streamable_http_client(served.url, http_client=http_client)) as client,
    ):
        assert len((await client.list_tools()).tools) == 7


@pytest.fixture
def token(environment: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a token of the store that a server uses where none is named."""
    monkeypatch.setenv("SNELLEN_HOME", environment["SNELLEN_HOME"])
    database = open_store(default_store())
    try:
        return Tokens(database).create("somebody", (Scope.TAKE,))
    finally:
        database.close()


TASKS = [task.task for task in read_manifest(exam_folder("sample")).tasks]


@pytest.mark.slow
def test_the_raw_client_takes_the_exam_on_this_machine(organized: Callable[..., Path]) -> None:
    organized()
    *lines, (total, signature) = [line.split(maxsplit=1) for line in raw_client()]
    assert [task for _, task in lines] == TASKS
    assert all(0.0 <= float(value) <= 1.0 for value, _ in (*lines, (total, "")))
    assert "|contexts:continuous|" in signature


async def test_the_raw_clients_loop_survives_refusals_and_shows_every_image(store: Path) -> None:
    loop = runpy.run_path(str(EXAMPLES / "raw_client.py"))["take"]
    shown: dict[str, int] = {}

    def ask(prompt: str, images: list[bytes]) -> str:
        shown[prompt] = len(images)
        return "nothing that can be read" if len(shown) % 2 else "x" * 200_000

    settings = Settings((exam_folder("sample"),), store)
    host = LazyHost(lambda: open_exam(settings))
    async with Client(ExamServer(host).server) as client:
        report = await loop(client, ask)
    await host.close()
    # One half of each pair, and no other item with its image.
    assert report["answered"] == report["items"] == 53
    assert report["rewritten"] > 0
    assert max(shown.values()) == 5


@pytest.mark.slow
def test_the_raw_client_takes_the_exam_of_a_server(serve: Callable[..., Any], token: str) -> None:
    (value, task), (total, _) = [
        line.split(maxsplit=1) for line in raw_client(serve("wireframes").url, TOKEN=token)
    ]
    assert task == "screenqa/short"
    assert 0.0 <= float(value) < 1.0
    assert round(float(total), 4) == float(value)


def raw_client(*arguments: str, **variables: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, EXAMPLES / "raw_client.py", *arguments],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout.splitlines()


PAGES = sorted((ROOT / "docs" / "clients").glob("*.md"))
of_every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def blocks(page: Path, *kinds: str) -> list[str]:
    """Return the blocks of some kinds that stand in a page."""
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"^```(?:{'|'.join(kinds)})\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def test_every_example_of_a_client_is_in_the_docs() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    for example in EXAMPLES.iterdir():
        assert f"`examples/clients/{example.name}`" in pages or example.name.startswith("__")


@of_every_page
def test_what_a_page_shows_of_an_example_is_in_it(page: Path) -> None:
    examples = [path.read_text(encoding="utf-8") for path in EXAMPLES.iterdir() if path.is_file()]
    shown = blocks(page, "py", "json", "toml")
    assert shown
    for block in shown:
        code = "\n".join(line for line in block.splitlines() if line)
        assert any(code in without_remarks(example) for example in examples), block


def without_remarks(text: str) -> str:
    """Return a text without empty lines and without remarks on top of a line of TOML."""
    lines = text.splitlines()
    return "\n".join(line for line in lines if line and not line.startswith("# "))


@of_every_page
def test_a_page_of_a_client_says_all_that_its_reader_needs(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    needed = ("pip install .", "Tested with", "HOST/mcp", "TOKEN", "`snellen take`", "Good to know")
    assert not [words for words in needed if words not in text]


@of_every_page
def test_every_client_is_a_tab_of_the_page_of_clients(page: Path) -> None:
    title = page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
    tab = f'=== "{title}"\n\n    --8<-- "clients/{page.name}:3:"\n'
    assert tab in (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("page", "package"), [("claude_code", "@anthropic-ai/claude-code"), ("codex", "@openai/codex")]
)
def test_a_page_says_which_release_of_a_host_was_tried(page: str, package: str) -> None:
    installed = (ROOT / ".ci" / "conformance").read_text(encoding="utf-8")
    found = re.search(rf"{package}@([\d.]+\d)", installed)
    assert found is not None
    for told in (f"clients/{page}.md", "clients.md"):
        assert found[1] in (ROOT / "docs" / told).read_text(encoding="utf-8")


@of_every_page
def test_the_commands_of_a_page_are_those_of_a_shell(page: Path) -> None:
    for block in blocks(page, "bash"):
        subprocess.run(["bash", "-n"], input=block, text=True, check=True)


def test_the_registry_is_told_of_this_version() -> None:
    server = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
    assert server["version"] == server["packages"][0]["version"] == version("snellen")
    assert len(server["description"]) <= 100
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"<!-- mcp-name: {server['name']} -->" in readme


async def test_what_the_registry_is_told_to_run_serves_the_exam(
    organized: Callable[..., Path], tmp_path: Path
) -> None:
    organized()
    package = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))["packages"][0]
    assert package["transport"] == {"type": "stdio"}
    arguments = [argument["value"] for argument in package["packageArguments"]]
    command = StdioServerParameters(command=package["identifier"], args=arguments)
    with (tmp_path / "log").open("w") as log:
        async with Client(stdio_client(command, errlog=log)) as client:
            assert len((await client.list_tools()).tools) == 7
