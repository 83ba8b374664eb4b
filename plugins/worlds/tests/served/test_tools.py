"""The desk by its applications' tools, over MCP: the same worlds, limits and checker, no screen."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from desk_oracle import app_of, ending, goal_of
from lamps import lit, write_lamps
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from typer.testing import CliRunner

from snellen import sdk
from snellen.cli.app import app
from snellen.server.episodes import queries
from snellen.server.exam.rules import Door, Rules
from snellen.server.host import lazy_host, open_exam
from snellen.server.mcp.server import ExamServer
from snellen.server.mcp.tools import TOOLS
from snellen.server.settings import Settings
from snellen.tasks.benchmarks.desk.load import write_rows
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.pack.write import Part, write_pack
from snellen.worlds.desk.apps.table import APPS
from snellen.worlds.desk.kit.verbs import UNDO
from snellen.worlds.desk.tasks import Task
from snellen.worlds.desk.templates.table import draw, rows_of

MCP = "from snellen.cli import main; main()"
COUNT = 87
SEED = 11


@pytest.fixture(scope="module")
def tasks() -> Sequence[Task]:
    """Return one task of each template."""
    return draw(COUNT, SEED)


@pytest.fixture(scope="module")
def desk(tasks: Sequence[Task], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a pack of them."""
    folder = tmp_path_factory.mktemp("desk")
    write_rows(rows_of(tasks), folder)
    parts = [Part(load_task(task, folder)) for task in ("desk/l3", "desk/l4")]
    write_pack(parts, folder / "pack", name="desk")
    return folder / "pack"


@pytest.fixture
def take(
    desk: Path, store: Path, agent_of: Callable[[Client], Any], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Any]:
    """Serve the desk by its tools, again and again on the same store; there is no browser."""
    monkeypatch.setenv("SNELLEN_BROWSER", "none-is-installed")

    @asynccontextmanager
    async def take(**rules: Any) -> AsyncGenerator[Any]:
        settings = Settings((desk,), store, Rules(door=Door.TOOLS, **rules))
        host = lazy_host(settings, lambda: open_exam(settings))
        async with Client(ExamServer(host).server) as client:
            yield agent_of(client)
        await host.close()

    return take


def keys(tasks: Sequence[Task]) -> dict[str, Task]:
    """Return tasks by what their agent sees of them: twins and worlds alike may share a goal."""
    found = {task.goal: task for task in tasks}
    assert len(found) == len(tasks)
    return found


async def call(agent: Any, verb: str, item: str, **arguments: object) -> dict[str, Any]:
    given = {"attempt": agent.attempt, "item": item, "action": verb, **arguments}
    return await agent.call(app_of(verb), **given)


def properties(tool: Any) -> dict[str, dict[str, Any]]:
    return tool.input_schema["properties"]


async def test_the_oracle_by_tools_succeeds_in_every_task(
    take: Callable[..., Any], tasks: Sequence[Task]
) -> None:
    by_goal = keys(tasks)
    async with take() as agent:
        await agent.start()
        for _ in tasks:
            item = await agent.item()
            task = by_goal[goal_of(item)]
            assert item["steps_left"] == task.limit
            for step, (name, arguments) in enumerate(task.calls, 1):
                said = await call(agent, name, item["item"], **arguments)
                assert "refused" not in said
                assert said["steps_left"] == task.limit - step
            await agent.answer(item["item"], ending(task))
        report = await agent.finish()
    found = {task["task"]: task for task in report["tasks"]}
    levels = [task.tags["level"] for task in tasks]
    assert found.keys() == {"desk/l3", "desk/l4"}
    for name, level in (("desk/l3", "L3"), ("desk/l4", "L4")):
        assert found[name]["metrics"]["sr"] == 1.0
        assert found[name]["items"] == levels.count(level)
        assert "|door:tools" in found[name]["signature"]
    assert report["cost"]["image_tokens"] == 0


async def test_an_agent_that_does_nothing_succeeds_where_nothing_was_to_be_changed_and_said(
    take: Callable[..., Any], tasks: Sequence[Task]
) -> None:
    async with take() as agent:
        await agent.start()
        for _ in tasks:
            await agent.answer((await agent.item())["item"], "done")
        report = await agent.finish()
    assert [task["metrics"]["sr"] for task in report["tasks"]] == [0.0, 0.0]


async def test_the_seven_tools_and_the_applications_are_listed_and_act_is_not(
    take: Callable[..., Any],
) -> None:
    async with take() as agent:
        listed = (await agent.client.list_tools()).tools
    assert [tool.name for tool in listed] == [*list(TOOLS)[:-1], *APPS, list(TOOLS)[-1]]
    tools = {tool.name: tool for tool in listed}
    for owner in APPS.values():
        schema = tools[owner.name].input_schema
        assert schema["required"] == ["attempt", "item", "action"]
        verbs = [*owner.verbs, UNDO] if owner.name == "sheet" else owner.verbs
        assert schema["properties"]["action"]["enum"] == [verb.name for verb in verbs]
        named = {name for verb in verbs for name in verb.arguments.model_fields}
        assert schema["properties"].keys() == {"attempt", "item", "client", "action"} | named
        assert {"anyOf", "oneOf", "allOf", "$ref"}.isdisjoint(schema)
        annotations = tools[owner.name].annotations
        assert annotations is not None
        assert annotations.read_only_hint is False
        assert annotations.idempotent_hint is False
    mail = tools["mail"].input_schema["properties"]
    assert mail["to"]["items"] == {"type": "string"}
    event = tools["calendar"].input_schema["properties"]
    assert event["date"] == {"type": "string", "description": "YYYY-MM-DD"}
    assert event["start"] == {"type": "string", "description": "HH:MM"}


async def test_a_description_names_each_action_with_its_arguments_and_defaults(
    take: Callable[..., Any],
) -> None:
    async with take() as agent:
        listed = {tool.name: tool for tool in (await agent.client.list_tools()).tools}
    lines = (listed["mail"].description or "").splitlines()
    assert "read_message(message)" in lines
    assert "reply_to_message(message, body): Reply to the sender of a message." in lines
    assert any(line.startswith("list_messages(folder=inbox, text?): ") for line in lines)
    # A client may send every default in a schema, and read_message has no folder.
    assert all("default" not in known for known in properties(listed["mail"]).values())
    # Gemini's API refuses empty values and formats.
    assert properties(listed["mail"])["label"] == {
        "type": "string",
        "description": "Work, Private, Later, or empty",
    }
    assert properties(listed["notes"])["notebook"]["enum"] == ["Ideas", "Meetings", "Personal"]


async def test_the_list_of_tools_has_at_most_16_kilobytes(take: Callable[..., Any]) -> None:
    # Hosts hand all of it to the model at every turn.
    async with take() as agent:
        listed = await agent.client.list_tools()
    sent = listed.model_dump(mode="json", by_alias=True, exclude_none=True)
    assert len(json.dumps(sent, separators=(",", ":")).encode()) <= 16_384


async def test_an_action_of_another_application_is_refused_without_a_step(
    take: Callable[..., Any],
) -> None:
    async with take() as agent:
        await agent.start()
        item = await agent.item()
        given = {"attempt": agent.attempt, "item": item["item"]}
        said = await agent.refused("mail", **given, action="list_events")
        assert "'list_messages'" in said
        assert "the argument 'action' is missing" in await agent.refused("mail", **given)
        assert "no such tool" in await agent.refused("list_messages", **given)
        assert (await call(agent, "read_clock", item["item"]))["step"] == 1


async def test_arguments_of_other_actions_may_be_null_and_otherwise_cost_a_step(
    take: Callable[..., Any],
) -> None:
    # Clients in strict mode send null for every argument that they leave out.
    async with take() as agent:
        await agent.start()
        number = (await agent.item())["item"]
        message = (await call(agent, "list_messages", number))["result"][0]["id"]
        said = await call(agent, "read_message", number, message=message, folder=None, to=None)
        assert "result" in said
        said = await call(agent, "read_message", number, message=message, folder="inbox")
        assert said["refused"] == "Folder: read_message has no such argument; it takes message"
        assert said["step"] == 3


async def test_there_is_no_screen_and_the_rules_say_so(take: Callable[..., Any]) -> None:
    async with take() as agent:
        started = await agent.call("start_attempt")
        assert any("no screen" in rule for rule in started["rules"])
        agent.attempt = started["attempt"]
        result = await agent.result("get_item", attempt=agent.attempt)
        assert not agent.images(result)
        item = json.loads(agent.text(result))
        assert item["images"] == []
        said = await agent.refused("get_screenshot", attempt=agent.attempt, item=item["item"])
        assert "no screen" in said
        said = await agent.refused("act", attempt=agent.attempt, item=item["item"], action="wait")
        assert "no such tool" in said
        assert "with the application's tools" in (agent.client.instructions or "")
        (message,) = (await agent.client.get_prompt("take_exam")).messages
        assert "with the application's tools" in message.content.text


async def test_reading_is_a_step_and_so_is_what_is_refused(take: Callable[..., Any]) -> None:
    async with take() as agent:
        await agent.start()
        item = await agent.item()
        number, left = item["item"], item["steps_left"]
        said = await call(agent, "list_messages", number)
        assert (said["step"], said["steps_left"]) == (1, left - 1)
        assert {"id", "subject"} <= said["result"][0].keys()
        message = said["result"][0]["id"]
        read = await call(agent, "read_message", number, message=message)
        assert read["result"]["subject"] == said["result"][0]["subject"]
        wrong: list[tuple[dict[str, object], str]] = [
            ({"message": "m999"}, "There is no message m999"),
            ({}, "Message: Field required"),
            ({"message": [1]}, "Message: Input should be a valid string"),
            ({"mesage": "x"}, "Mesage: read_message has no such argument; it takes message"),
        ]
        for step, (arguments, words) in enumerate(wrong, 3):
            said = await call(agent, "read_message", number, **arguments)
            assert said["step"] == step
            assert said["refused"] == words
            assert "result" not in said


async def test_calls_end_at_the_limit(take: Callable[..., Any], tasks: Sequence[Task]) -> None:
    async with take() as agent:
        await agent.start()
        item = await agent.item()
        limit = keys(tasks)[goal_of(item)].limit
        for left in reversed(range(limit)):
            said = await call(agent, "list_messages", item["item"])
            assert (said["steps_left"], said["ended"]) == (left, left == 0)
        given = {"attempt": agent.attempt, "item": item["item"], "action": "list_messages"}
        refused = await agent.refused("mail", **given)
        assert f"all {limit} steps are used" in refused


async def test_a_server_that_comes_back_goes_on_with_the_state_as_it_was(
    take: Callable[..., Any], tasks: Sequence[Task]
) -> None:
    by_goal = keys(tasks)
    async with take() as agent:
        await agent.start()
        while True:
            item = await agent.item()
            task = by_goal[goal_of(item)]
            if len(task.calls) > 1:
                break
            await agent.answer(item["item"], ending(task))
        (name, arguments), *rest = task.calls
        await call(agent, name, item["item"], **arguments)
        handle = agent.attempt
    async with take() as agent:
        agent.attempt = handle
        assert (await agent.item(item=item["item"]))["step"] == 1
        for name, arguments in rest:
            await call(agent, name, item["item"], **arguments)
        await agent.answer(item["item"], ending(task))
        items = await agent.call("list_items", attempt=handle, status="answered")
        answered = len(items["items"])
        report = await agent.finish(handle)
    right = sum(task["items"] * task["metrics"]["sr"] for task in report["tasks"])
    assert right == pytest.approx(answered)


async def test_every_call_is_stored_as_it_came(take: Callable[..., Any], store: Path) -> None:
    from snellen.server.store.schema import open_store

    async with take() as agent:
        await agent.start()
        item = await agent.item()
        await call(agent, "read_message", item["item"], message="nowhere")
    database = open_store(store)
    try:
        found = database.read(lambda c: queries.STEPS.all(c, {"a": 1, "p": 0, "e": 1}))
        tools = database.read(
            lambda c: c.exec_driver_sql("select tool from traces").scalars().all()
        )
    finally:
        database.close()
    assert [step.number for step in found] == [0, 1]
    assert [step.frame for step in found] == [None, None]
    assert json.loads(found[1].given) == {
        "tool": "read_message",
        "arguments": {"message": "nowhere"},
    }
    assert found[1].note == "There is no message nowhere"
    # A trace has the name of the action, as a step does.
    assert tools == ["start_attempt", "get_item", "read_message"]


async def test_an_attempt_by_tools_is_played_again_without_a_browser(
    take: Callable[..., Any], tasks: Sequence[Task], desk: Path, store: Path, tmp_path: Path
) -> None:
    by_goal = keys(tasks)
    async with take(sample=3) as agent:
        await agent.start()
        for number in range(6):
            item = await agent.item()
            await call(agent, "read_message", item["item"], message="x" * 5_000)
            for name, arguments in by_goal[goal_of(item)].calls:
                await call(agent, name, item["item"], **arguments)
            if number < 5:
                await agent.answer(item["item"], "done")
        await agent.finish()
    arguments = ["replay", "1", str(desk), "--store", str(store)]
    result = await asyncio.to_thread(CliRunner().invoke, app, arguments)
    assert result.exit_code == 0, result.output
    assert result.stdout.count("the same final state; there were no screenshots") == 6


async def test_a_comparison_with_a_run_on_the_screen_says_that_the_doors_differ(
    take: Callable[..., Any], tasks: Sequence[Task], desk: Path, store: Path, tmp_path: Path
) -> None:
    by_goal = keys(tasks)
    async with take(sample=3) as agent:
        await agent.start()
        for _ in range(6):
            item = await agent.item()
            for name, arguments in by_goal[goal_of(item)].calls:
                await call(agent, name, item["item"], **arguments)
            await agent.answer(item["item"], ending(by_goal[goal_of(item)]))
        await agent.finish()

    def snellen(*arguments: str | Path) -> str:
        result = CliRunner(env={"COLUMNS": "200"}).invoke(app, [str(each) for each in arguments])
        assert result.exit_code == 0, result.output
        return result.stdout

    def report(answers: Path, saved: Path) -> str:
        asked = tmp_path / "tools" / "desk-l3.items.txt"
        given = ("--task", "desk/l3", "--data", desk, "--items", asked)
        snellen("grade", answers, *given, "-o", saved)
        return sdk.load_report(saved).signature

    snellen("attempts", "export", "1", desk, "--store", store, "-o", tmp_path / "tools")
    tools = tmp_path / "tools" / "desk-l3.jsonl"
    # On the screen a record says no door.
    screen = tmp_path / "screen.jsonl"
    screen.write_text(tools.read_text(encoding="utf-8").replace(', "door": "tools"', ""))
    assert "|door:tools|" in report(tools, tmp_path / "tools.json")
    assert "door" not in report(screen, tmp_path / "screen.json")
    said = snellen("compare", tmp_path / "screen.json", tmp_path / "tools.json")
    assert "acted through different interfaces (screen and tools)" in said
    said = snellen("compare", tmp_path / "tools.json", tmp_path / "tools.json")
    assert "interfaces" not in said


async def test_two_calls_at_once_are_done_one_after_the_other(take: Callable[..., Any]) -> None:
    async with take() as agent:
        await agent.start()
        item = await agent.item()
        said = await asyncio.gather(*(call(agent, "list_messages", item["item"]) for _ in range(3)))
        assert sorted(each["step"] for each in said) == [1, 2, 3]


async def test_tasks_are_made_once_at_the_first_start(
    environment: dict[str, str], store: Path, tmp_path: Path, agent_of: Callable[[Client], Any]
) -> None:
    arguments = ["-c", MCP, "mcp", "--env", "desk", "--door", "tools", "--store", str(store)]
    command = StdioServerParameters(command=sys.executable, args=arguments, env=environment)
    manifest = Path(environment["SNELLEN_HOME"], "episodes", "desk", "manifest.json")

    async def start(number: int) -> bytes:
        with (tmp_path / f"log{number}").open("w") as log:
            async with Client(stdio_client(command, errlog=log)) as client:
                assert len((await client.list_tools()).tools) == len(TOOLS) + len(APPS)
                assert (await agent_of(client).call("start_attempt"))["items"] == COUNT
        return await asyncio.to_thread(manifest.read_bytes)

    # Two at once, and one later.
    made = [*await asyncio.gather(start(1), start(2)), await start(3)]
    assert len(set(made)) == 1
    said = [(tmp_path / f"log{number}").read_text().count("making desk") for number in (1, 2, 3)]
    assert sorted(said) == [0, 0, 1]


async def test_tools_are_listed_also_where_no_tasks_can_be_made(
    environment: dict[str, str], store: Path, tmp_path: Path, agent_of: Callable[[Client], Any]
) -> None:
    await asyncio.to_thread(Path(environment["SNELLEN_HOME"]).write_text, "no folder")
    arguments = ["-c", MCP, "mcp", "--env", "desk", "--door", "tools", "--store", str(store)]
    command = StdioServerParameters(command=sys.executable, args=arguments, env=environment)
    with (tmp_path / "log").open("w") as log:
        async with Client(stdio_client(command, errlog=log)) as client:
            assert len((await client.list_tools()).tools) == len(TOOLS) + len(APPS)
            assert "can't be opened" in await agent_of(client).refused("start_attempt")
    assert '"event":"not opened"' in (tmp_path / "log").read_text()


def test_an_environment_without_tools_is_refused_at_the_start(tmp_path: Path) -> None:
    pack = write_lamps(tmp_path / "pack", [lit(0)])
    manifest = pack / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"lamps"', '"miniwob"'))
    run = subprocess.run(
        [sys.executable, "-c", MCP, "mcp", str(pack), "--door", "tools"],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert run.returncode == 2
    assert "miniwob has no tools" in run.stderr
