"""Episodes on a real desktop: played over MCP, broken in the middle, played again and shown."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from mcp import Client

from snellen.server.host import lazy_host, open_exam
from snellen.server.mcp.server import ExamServer
from snellen.server.settings import Settings
from snellen.tasks.samples.generated import generated_exam

pytestmark = [pytest.mark.browser, pytest.mark.slow]

KILLS = 4
SEED = 2
# A step takes a tenth of a second or two.
LONGEST = 0.2


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """Return a pack of tasks on the desk."""
    generated_exam("desk").make(tmp_path / "desk", seed=11, count=3)
    return tmp_path / "desk"


def browsers() -> list[int]:
    """Return the processes of browsers that this process started, and of nobody else's."""
    listed = subprocess.run(
        ["ps", "-A", "-ww", "-o", "pid=,ppid=,args="], capture_output=True, text=True, check=True
    )
    started, found = {os.getpid()}, list[int]()
    for line in sorted(listed.stdout.splitlines(), key=lambda line: int(line.split()[0])):
        number, parent, program = line.split(None, 2)
        if int(parent) in started:
            started.add(int(number))
            if "--disable-smooth-scrolling" in program:
                found.append(int(number))
    return found


async def test_a_desktop_goes_on_after_its_browser_was_killed_and_plays_again_the_same(
    desk: Path, store: Path, tmp_path: Path, agent_of: Callable[[Client], Any]
) -> None:
    settings = Settings((desk,), store)
    host = lazy_host(settings, lambda: open_exam(settings))
    async with Client(ExamServer(host).server) as client:
        agent = agent_of(client)
        await agent.start()
        item = (await agent.item())["item"]
        this = {"attempt": agent.attempt, "item": item}
        click = {**this, "action": "left_click"}
        random = Random(SEED)
        for number in range(KILLS):
            said = await agent.call("act", **click, coordinate=[35, 80])
            assert said["step"] == 2 * number + 1
            acting = asyncio.ensure_future(agent.call("act", **click, coordinate=[35, 180]))
            # Some steps are over before that, and their browser dies idle.
            await asyncio.wait([acting], timeout=random.uniform(0, LONGEST))
            killed = await asyncio.to_thread(browsers)
            assert killed
            for process in killed:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            assert (await acting)["step"] == 2 * number + 2
        await agent.answer(item, "done")
        await agent.finish()
    await host.close()
    done = await asyncio.to_thread(
        subprocess.run,
        [
            *(sys.executable, "-c", "from snellen.cli import main; main()"),
            *("replay", "1", str(desk), "--store", str(store)),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    shots = 2 * KILLS + 1
    assert f"{shots} of {shots} screenshots are the same, the same final state" in done.stdout
