"""`snellen mcp PACK` with a pack of the desk, taken by an oracle by mouse and keyboard.

The oracles of all templates use mouse and keyboard in plugins/worlds/tests/desk, without a server.
"""

import sys
from pathlib import Path

import pytest
from desk_oracle import SEED, DeskOracle
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from snellen.tasks.environments.browser import Browser
from snellen.tasks.samples.generated import generated_exam
from snellen.worlds.desk.environment import Desk
from snellen.worlds.desk.templates.table import draw

MCP = "from snellen.cli import main; main()"


@pytest.mark.browser
@pytest.mark.parametrize(
    "count",
    [
        pytest.param(2, marks=pytest.mark.slow),
        # So many that every application has one of its own.
        pytest.param(22, marks=pytest.mark.thorough),
    ],
)
async def test_the_oracle_succeeds_on_both_levels_and_sees_what_its_own_desktop_shows(
    count: int, tmp_path: Path, environment: dict[str, str]
) -> None:
    generated_exam("desk").make(tmp_path / "pack", seed=SEED, count=count)
    command = StdioServerParameters(
        command=sys.executable,
        args=["-c", MCP, "mcp", str(tmp_path / "pack")],
        env=environment,
    )
    tasks = draw(count, SEED)
    # Of so few as two each can be done.
    assert any(task.reason for task in tasks) == (count > 2)
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
        assert task["answered"] == task["items"]
        assert "error" not in task["outcomes"]
    assert sum(task["items"] for task in found.values()) == count
    assert taken.differing == 0, f"of {taken.steps} steps"
