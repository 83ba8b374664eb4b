"""`snellen serve` lets agents act over HTTP, on the screen and by tools."""

import asyncio
import json
from base64 import b64decode
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx2
import pytest
from desk_oracle import ending, goal_of
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from PIL import Image

from snellen.server.http.auth import Tokens
from snellen.server.store.schema import open_store
from snellen.server.store.tables.exams import Scope
from snellen.tasks.environments.desk.templates.table import draw
from snellen.tasks.environments.packs import make_episode_pack

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
    make_episode_pack("desk", tmp_path / "desk", seed=SEED, count=COUNT)
    tasks = {task.goal: task for task in draw(COUNT, SEED)}
    anns = token("ann")
    environment["SNELLEN_BROWSER"] = "none-is-installed"
    served = serve(str(tmp_path / "desk"), "--door", "tools", "--store", str(store))
    async with connect(served.url, anns) as agent:
        names = {tool.name for tool in (await agent.client.list_tools()).tools}
        assert "read_message" in names
        assert "act" not in names
        await agent.start()
        for _ in tasks:
            item = await agent.item()
            task = tasks[goal_of(item)]
            for tool, arguments in task.calls:
                given = {"attempt": agent.attempt, "item": item["item"], **arguments}
                assert "refused" not in await agent.call(tool, **given)
            await agent.answer(item["item"], ending(task))
        report = await agent.call("finish_attempt", attempt=agent.attempt)
    (task,) = report["tasks"]
    assert (task["metrics"]["sr"], task["items"]) == (1.0, COUNT)
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
    served = serve("--env", "desk", "--sample", "1", "--store", str(store))
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
        report = await ann.call("finish_attempt", attempt=ann.attempt)
    assert {task["task"] for task in report["tasks"]} == {"desk/l3", "desk/l4"}
    assert sum(task["answered"] for task in report["tasks"]) == 1


def screen(agent: Any, result: Any) -> bytes:
    """Return the screenshot of a result."""
    (image,) = agent.images(result)
    return b64decode(image.data)
