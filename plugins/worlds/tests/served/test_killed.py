"""The server is killed in the middle of an episode: the next one has all that the store has."""

import asyncio
import base64
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from httpx2 import TransportError
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from snellen.tasks.benchmarks.miniwob.schedule import Start
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.pack.write import Part, write_pack
from snellen.tasks.samples.generated import generated_exam
from snellen.worlds.miniwob.episodes import make_episodes

pytestmark = [pytest.mark.browser, pytest.mark.thorough]

SNELLEN = [sys.executable, "-c", "from snellen.cli import main; main()"]
# The shell writes down its number, which is the server's from then on.
NUMBERED = 'echo $$ > "$0"; exec "$@"'
KILLS = 8
SEED = 3
# A call takes a tenth of a second or two.
LONGEST = 0.3


def of_the_desk(folder: Path) -> Sequence[tuple[int, int]]:
    """Write a task whose world is opened again from a snapshot; return what may be clicked."""
    generated_exam("desk").make(folder, seed=11, count=1)
    return [(35, 80), (35, 180), (35, 280), (600, 400), (95, 570)]


def of_miniwob(folder: Path) -> Sequence[tuple[int, int]]:
    """Write a task whose inputs are done again; return what may be clicked: its check boxes."""
    make_episodes([Start("click-checkboxes", 2)], folder.with_name("rows"))
    part = Part(load_task("miniwob/episode", folder.with_name("rows")))
    write_pack([part], folder, name="miniwob")
    return [(40, 240), (40, 320), (40, 400)]


@pytest.fixture
def start(
    request: pytest.FixtureRequest,
    store: Path,
    tmp_path: Path,
    environment: Mapping[str, str],
    serve: Callable[..., Any],
) -> Callable[[Path], Any]:
    """Return what starts a server of a pack, always on one store: its client, and what kills it."""

    @asynccontextmanager
    async def mcp(pack: Path) -> AsyncGenerator[tuple[Client, Callable[[], None]]]:
        number = tmp_path / "number"
        server = (*SNELLEN, "mcp", str(pack), "--store", str(store))
        command = StdioServerParameters(
            command="sh", args=["-c", NUMBERED, str(number), *server], env=dict(environment)
        )
        with (tmp_path / "log").open("a") as log:
            async with Client(stdio_client(command, errlog=log)) as client:
                yield client, lambda: os.kill(int(number.read_text()), signal.SIGKILL)

    @asynccontextmanager
    async def http(pack: Path) -> AsyncGenerator[tuple[Client, Callable[[], None]]]:
        served = serve(str(pack), "--store", str(store))
        try:
            async with Client(served.url) as client:
                yield client, served.process.kill
        except* TransportError:
            assert served.process.wait(10) == -signal.SIGKILL

    return mcp if request.param == "over stdio" else http


# Both transports have one service, and it is the service that opens worlds again.
@pytest.mark.parametrize(
    ("write", "start"),
    [(of_the_desk, "over HTTP"), (of_miniwob, "over stdio")],
    indirect=["start"],
)
async def test_no_acknowledged_step_is_lost_or_done_twice(
    write: Callable[[Path], Sequence[tuple[int, int]]],
    start: Callable[[Path], Any],
    store: Path,
    tmp_path: Path,
    agent_of: Callable[[Client], Any],
) -> None:
    places = await asyncio.to_thread(write, tmp_path / "pack")
    random = Random(SEED)
    this: dict[str, str] = {}
    taken, shown = {0}, b""
    under_way = 0
    for number in range(KILLS):
        async with start(tmp_path / "pack") as (client, kill):
            agent = agent_of(client)
            if not this:
                attempt = await agent.start()
                this = {"attempt": attempt, "item": (await agent.item())["item"]}
            last = await agent.result("get_item", **this)
            assert steps(agent, last) in taken
            assert shown in (b"", screen(agent, last))
            # The first server is killed while nothing is under way.
            for seconds in (None, random.uniform(0, LONGEST) if number else None):
                step = steps(agent, last)
                click = {"action": "left_click", "coordinate": random.choice(places)}
                acting = asyncio.ensure_future(agent.result("act", **this, **click))
                await asyncio.wait([acting], timeout=seconds)
                taken, shown = {step, step + 1}, b""
                if acting.done():
                    last = acting.result()
                    assert steps(agent, last) == step + 1
                    taken, shown = {step + 1}, screen(agent, last)
            kill()
            under_way += not shown
            await asyncio.gather(acting, return_exceptions=True)
    assert 0 < under_way < KILLS
    async with start(tmp_path / "pack") as (client, _):
        agent = agent_of(client)
        agent.attempt = this["attempt"]
        await agent.answer(this["item"], "done")
        await agent.finish(this["attempt"])
    # What was done is what the store says was done: it leads to the same screenshots again.
    replay = [*SNELLEN, "replay", "1", str(tmp_path / "pack"), "--store", str(store)]
    done = await asyncio.to_thread(
        subprocess.run, replay, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "the same final state" in done.stdout


def steps(agent: Any, result: Any) -> int:
    """Return how many steps were taken, as a result says."""
    return json.loads(agent.text(result))["step"]


def screen(agent: Any, result: Any) -> bytes:
    """Return the screenshot of a result."""
    (image,) = agent.images(result)
    return base64.b64decode(image.data)
