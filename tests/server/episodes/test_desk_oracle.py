"""`snellen mcp PACK` with a pack of the desk, taken by an oracle by mouse and keyboard."""

import sys
from pathlib import Path

import pytest
from desk_oracle import INFEASIBLE, SEED, DeskOracle
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from snellen.tasks.environments.browser import Browser
from snellen.worlds.desk.environment import Desk
from snellen.worlds.desk.templates.table import SETS, draw
from snellen.worlds.packs import make_episode_pack

MCP = "from snellen.cli import main; main()"


@pytest.mark.browser
@pytest.mark.parametrize(
    ("version", "sample"),
    [
        pytest.param(1, 2, marks=pytest.mark.slow),
        pytest.param(1, len(SETS[1]), marks=pytest.mark.thorough),
        pytest.param(2, 2, marks=pytest.mark.slow),
        pytest.param(2, len(SETS[2]), marks=pytest.mark.thorough),
    ],
)
async def test_the_oracle_succeeds_on_both_levels_and_sees_what_its_own_desktop_shows(
    version: int, sample: int, tmp_path: Path, environment: dict[str, str]
) -> None:
    make_episode_pack({1: "desk", 2: "desk-2"}[version], tmp_path / "pack", seed=SEED)
    command = StdioServerParameters(
        command=sys.executable,
        args=["-c", MCP, "mcp", str(tmp_path / "pack"), "--sample", str(sample)],
        env=environment,
    )
    tasks = draw(len(SETS[version]), SEED, version)
    if version == 1:
        assert {task.tags["template"] for task in tasks if task.reason} == INFEASIBLE
    browser = Browser()
    try:
        with (tmp_path / "log").open("w") as log:
            async with Client(stdio_client(command, errlog=log)) as client:
                taken = await DeskOracle(client, tasks, Desk(browser)).take()
    finally:
        await browser.close()
    found = {task["task"]: task for task in taken.report["tasks"]}
    assert found.keys() == {"desk/l3", "desk/l4"}
    for task in found.values():
        assert task["metrics"]["sr"] == 1.0
        assert task["answered"] == task["items"] >= min(sample, 14)
        assert "error" not in task["outcomes"]
    assert taken.differing == 0, f"of {taken.steps} steps"
