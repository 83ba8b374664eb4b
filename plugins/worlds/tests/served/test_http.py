"""`snellen serve` lets agents act over HTTP, on the screen and by tools."""

import asyncio
import json
import subprocess
import sys
from base64 import b64decode
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx2
import pytest
from desk_oracle import app_of, ending, goal_of
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from PIL import Image

from snellen.server.http.auth import Tokens
from snellen.server.store.schema import open_store
from snellen.server.store.tables.exams import Scope
from snellen.tasks.samples.generated import generated_exam
from snellen.worlds.desk.templates.table import draw

SNELLEN = [sys.executable, "-c", "from snellen.cli import main; main()"]
COUNT = 4
SEED = 11


@pytest.fixture
def token(store: Path) -> Callable[[str], str]:
    """Return what makes somebody's token; a server that starts later asks for one."""

    def create(name: str) -> str:
        database = open_store(store)
        try:
            return Tokens(database).create(name, (Scope.TAKE,))
        finally:
            database.close()

    return create


@pytest.fixture
def connect(agent_of: Callable[[Client], Any]) -> Callable[[str, str], Any]:
    """Return what connects an agent to a server's address, with a token."""

    @asynccontextmanager
    async def connect(url: str, token: str) -> AsyncGenerator[Any]:
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            yield agent_of(client)

    return connect


async def test_an_agent_that_acts_by_tools_over_http_needs_no_browser(
    serve: Callable[..., Any],
    token: Callable[[str], str],
    connect: Callable[[str, str], Any],
    environment: dict[str, str],
    store: Path,
    tmp_path: Path,
) -> None:
    generated_exam("desk").make(tmp_path / "desk", seed=SEED, count=COUNT)
    tasks = {task.goal: task for task in draw(COUNT, SEED)}
    anns = token("ann")
    environment["SNELLEN_BROWSER"] = "none-is-installed"
    exam = tmp_path / "exam.toml"
    exam.write_text(
        'name = "desk"\npacks = ["./desk"]\n[rules]\ndoor = "tools"\n'
        '[[phases]]\nname = "main"\nexact = true\n'
    )
    served = serve(str(exam), "--store", str(store))
    async with connect(served.url, anns) as agent:
        names = {tool.name for tool in (await agent.client.list_tools()).tools}
        assert "mail" in names
        assert "act" not in names
        await agent.start()
        for _ in tasks:
            item = await agent.item()
            task = tasks[goal_of(item)]
            for verb, arguments in task.calls:
                given = {"attempt": agent.attempt, "item": item["item"], "action": verb}
                assert "refused" not in await agent.call(app_of(verb), **given, **arguments)
            await agent.answer(item["item"], ending(task))
        report = await agent.finish()
    found = {task["task"]: task for task in report["tasks"]}
    assert found.keys() == {"desk/l3", "desk/l4"}
    assert sum(task["items"] for task in found.values()) == COUNT
    for task in found.values():
        assert task["metrics"]["sr"] == 1.0
        assert "|door:tools" in task["signature"]


@pytest.mark.browser
@pytest.mark.slow
async def test_agents_that_act_over_http_see_their_own_screens_and_nobody_elses(
    serve: Callable[..., Any],
    token: Callable[[str], str],
    connect: Callable[[str, str], Any],
    store: Path,
) -> None:
    anns, bobs = token("ann"), token("bob")
    served = serve("--env", "desk-easy", "--store", str(store))
    async with (
        connect(served.url, anns) as ann,
        connect(served.url, bobs) as bob,
        connect(served.url, anns) as again,
    ):
        opened: list[dict[str, str]] = []
        for agent in (ann, bob):
            await agent.start()
            opened.append({"attempt": agent.attempt, "item": (await agent.item())["item"]})
        of_ann, of_bob = opened
        before = await bob.result("get_screenshot", **of_bob)
        # Two connections of one agent act in one episode: one after the other.
        acted = await asyncio.gather(
            *(each.result("act", **of_ann, action="left_click", coordinate=[35, 80])
              for each in (ann, again))
        )  # fmt: skip
        assert sorted(json.loads(ann.text(each))["step"] for each in acted) == [1, 2]
        with Image.open(BytesIO(screen(ann, acted[0]))) as shown:
            assert shown.size == (1280, 800)
        assert "attempt" in await bob.refused("act", **of_ann, action="wait")
        assert screen(bob, await bob.result("get_screenshot", **of_bob)) == screen(bob, before)
        assert (await bob.item(item=of_bob["item"]))["step"] == 0
        assert screen(ann, acted[0]) != screen(bob, before)
        await ann.answer(of_ann["item"], "done")
        report = await ann.finish()
    assert {task["task"] for task in report["tasks"]} == {"desk/l3"}
    assert sum(task["answered"] for task in report["tasks"]) == 1


class Written(httpx2.AsyncHTTPTransport):
    """Sends what no client writes: numbers that are none."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = request.content.replace(b'"<NaN>"', b"NaN").replace(b'"<1e999>"', b"1e999")
        headers = [each for each in request.headers.items() if each[0] != "content-length"]
        return await super().handle_async_request(
            httpx2.Request(request.method, request.url, headers=headers, content=body)
        )


@pytest.mark.browser
@pytest.mark.slow
async def test_what_no_client_writes_is_a_step_that_says_why(
    serve: Callable[..., Any], store: Path, agent_of: Callable[[Client], Any]
) -> None:
    served = serve("--env", "desk", "--sample", "1", "--store", str(store))
    async with (
        httpx2.AsyncClient(transport=Written(), timeout=60) as http,
        Client(streamable_http_client(served.url, http_client=http)) as client,
    ):
        agent = agent_of(client)
        await agent.start()
        this = {"attempt": agent.attempt, "item": (await agent.item())["item"]}
        click = {**this, "action": "left_click"}
        for step, (given, said) in enumerate(
            [
                ({**click, "coordinate": ["<NaN>", 5]}, "[x, y] in finite numbers"),
                ({**click, "coordinate": [5, "<1e999>"]}, "[x, y] in finite numbers"),
                ({**this, "action": "type", "text": "x" * 1_000_000}, "the limit is 2,000"),
            ],
            1,
        ):
            told = await agent.call("act", **given)
            assert told["step"] == step
            assert said in told["note"]
        answer = {"status": "done", "answer": "<NaN>"}
        assert "finite number" in await agent.refused("submit_answer", **this, answer=answer)
        await agent.answer(this["item"], "done")


@pytest.mark.parametrize("door", ["over stdio", "over HTTP"])
async def test_without_a_browser_whoever_starts_the_server_hears_what_to_install(
    door: str,
    environment: dict[str, str],
    store: Path,
    tmp_path: Path,
    agent_of: Callable[[Client], Any],
) -> None:
    make = generated_exam("desk").make
    await asyncio.to_thread(make, tmp_path / "desk", seed=SEED, count=COUNT)
    environment["SNELLEN_BROWSER"] = "none-is-installed"
    options = [str(tmp_path / "desk"), "--store", str(store)]
    if door == "over HTTP":
        done = await asyncio.to_thread(
            subprocess.run,
            [*SNELLEN, "serve", *options],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2
        assert "SNELLEN_BROWSER" in done.stderr
        return
    command = StdioServerParameters(
        command=SNELLEN[0], args=[*SNELLEN[1:], "mcp", *options], env=environment
    )
    with (tmp_path / "log").open("w") as log:
        async with Client(stdio_client(command, errlog=log)) as client:
            said = await agent_of(client).refused("start_attempt")
    # Whoever reads it can do something about it.
    assert "can't be opened: SNELLEN_BROWSER is 'none-is-installed'" in said
    assert "SNELLEN_BROWSER" in (tmp_path / "log").read_text()


def screen(agent: Any, result: Any) -> bytes:
    """Return the screenshot of a result."""
    (image,) = agent.images(result)
    return b64decode(image.data)
