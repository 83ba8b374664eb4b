"""`snellen mcp PACK` with a pack of the desk, taken by an oracle by mouse and keyboard.

The oracles of all templates use mouse and keyboard in plugins/worlds/tests/desk, without a server.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from desk_oracle import SEED, DeskOracle, OracleRun
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from snellen.tasks.environments.browser import Browser
from snellen.tasks.samples.generated import generated_exam
from snellen.worlds.desk.environment import Desk
from snellen.worlds.desk.tasks import Task
from snellen.worlds.desk.templates.table import LONG_TEMPLATES, draw

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
    tasks = draw(count, SEED)
    # Of so few as two each can be done.
    assert any(task.reason for task in tasks) == (count > 2)
    taken = await run(tmp_path, tasks, environment)
    found = {task["task"]: task for task in taken.report["tasks"]}
    assert found.keys() == {"desk/l3", "desk/l4"}
    check(taken, tasks)


# Each template once as one that can be done; the first comes again, as it can not be done before.
LONG_SEED, LONG_COUNT = 4, 11


@pytest.mark.browser
@pytest.mark.thorough
async def test_the_oracle_succeeds_on_long_tasks(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    generated_exam("desk-long").make(tmp_path / "pack", seed=LONG_SEED, count=LONG_COUNT)
    tasks = draw(LONG_COUNT, LONG_SEED, known=LONG_TEMPLATES)
    assert {task.tags["template"] for task in tasks if not task.reason} == set(LONG_TEMPLATES)
    check(await run(tmp_path, tasks, environment), tasks)


async def run(folder: Path, tasks: Sequence[Task], environment: dict[str, str]) -> OracleRun:
    """Let the oracle take the exam that the folder has a pack of."""
    command = StdioServerParameters(
        command=sys.executable,
        args=["-c", MCP, "mcp", str(folder / "pack")],
        env=environment,
    )
    browser = Browser()
    try:
        with (folder / "log").open("w") as log:
            async with Client(stdio_client(command, errlog=log)) as client:
                return await DeskOracle(client, tasks, Desk(browser)).take()
    finally:
        await browser.close()


def check(taken: OracleRun, tasks: Sequence[Task]) -> None:
    for task in taken.report["tasks"]:
        assert task["metrics"]["sr"] == 1.0
        assert task["answered"] == task["items"]
        assert "error" not in task["outcomes"]
    assert sum(task["items"] for task in taken.report["tasks"]) == len(tasks)
    assert taken.differing == 0, f"of {taken.steps} steps"
