"""`snellen mcp`, started as a host starts it."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from snellen.server.store.schema import open_store

COMMAND = ["-c", "from snellen.cli import main; main()", "mcp"]
AgentOf = Callable[[Client], Any]


def started(environment: dict[str, str], *options: str) -> StdioServerParameters:
    return StdioServerParameters(command=sys.executable, args=[*COMMAND, *options], env=environment)


@pytest.mark.slow
async def test_it_serves_the_sample_without_any_argument(
    environment: dict[str, str], era: str, agent_of: AgentOf, tmp_path: Path
) -> None:
    with (tmp_path / "log").open("w+") as log:
        async with Client(stdio_client(started(environment), errlog=log), mode=era) as client:
            agent = agent_of(client)
            assert len((await client.list_tools()).tools) == 7
            assert len((await agent.call("list_benchmarks"))["tasks"]) == 28
            await agent.start(tasks=["screenqa/short"])
            item = await agent.item()
            await agent.answer(item["item"], "a very secret answer")
            report = await agent.call("finish_attempt", attempt=agent.attempt)
            assert report["tasks"][0]["answered"] == 1
        log.seek(0)
        text = log.read()
    lines = [json.loads(line) for line in text.splitlines()]
    calls = [line["tool"] for line in lines if line["event"] == "call"]
    assert calls == [
        *("list_benchmarks", "start_attempt", "get_item", "submit_answer", "finish_attempt")
    ]
    assert "secret" not in text
    assert agent.attempt not in text
    assert agent.attempt[:4] in text


@pytest.mark.slow
async def test_an_attempt_goes_on_in_another_process(
    environment: dict[str, str], agent_of: AgentOf, tmp_path: Path
) -> None:
    store = str(tmp_path / "attempts.sqlite")
    with (tmp_path / "log").open("w") as log:
        server = started(environment, "wireframes", "--store", store, "--seed", "7")
        async with Client(stdio_client(server, errlog=log)) as client:
            agent = agent_of(client)
            handle = await agent.start()
            item = (await agent.item())["item"]
            await agent.answer(item, "kept")
        async with Client(stdio_client(server, errlog=log)) as client:
            agent = agent_of(client)
            agent.attempt = handle
            assert (await agent.answer(item, "kept"))["again"] is True
            assert (await agent.item())["progress"] == {"answered": 1, "open": 11}


@pytest.mark.slow
def test_a_host_that_reads_no_log_does_not_stop_the_exam(environment: dict[str, str]) -> None:
    process = subprocess.Popen(
        [sys.executable, *COMMAND],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        greet(process)
        # More lines than any pipe holds.
        for number in range(1, 1500):
            answer = send(process, "tools/call", number, name="list_benchmarks", arguments={})
            assert answer["id"] == number
        process.stdin.close()
        process.stdout.close()
        assert process.wait(30) == 0


def greet(process: subprocess.Popen[str]) -> None:
    client = {"name": "test", "version": "1"}
    send(
        process,
        "initialize",
        0,
        protocolVersion="2025-06-18",
        capabilities={},
        clientInfo=client,
    )
    assert process.stdin is not None
    process.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')


def send(process: subprocess.Popen[str], method: str, number: int, **params: Any) -> Any:
    assert process.stdin is not None
    assert process.stdout is not None
    call = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    process.stdin.write(json.dumps(call) + "\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


@pytest.mark.slow
def test_listing_the_tools_opens_neither_pack_nor_store(
    environment: dict[str, str], tmp_path: Path
) -> None:
    code = (
        "import asyncio, sys\n"
        "sys.argv = ['snellen', 'mcp']\n"
        "from snellen.cli import serving\n"
        "from snellen.server import host, stdio\n"
        "from mcp import Client\n"
        "from snellen.server.mcp.server import ExamServer\n"
        "async def look(offered):\n"
        "    async with Client(ExamServer(offered).server) as client:\n"
        "        await client.list_tools()\n"
        "        heavy = {'numpy', 'sqlalchemy', 'PIL', 'scipy', 'structlog'}\n"
        "        print(sorted(heavy & sys.modules.keys()))\n"
        "asyncio.run(look(host.LazyHost(lambda: None)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
    assert not (tmp_path / "home").exists()


@pytest.mark.slow
def test_an_interrupt_ends_it_and_keeps_its_traces(
    environment: dict[str, str], tmp_path: Path
) -> None:
    store = tmp_path / "attempts.sqlite"
    process = subprocess.Popen(
        [sys.executable, *COMMAND, "--store", str(store)],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        greet(process)
        send(process, "tools/call", 1, name="start_attempt", arguments={})
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 128 + signal.SIGINT
    database = open_store(store)
    count = database.read(lambda c: c.exec_driver_sql("select count(*) from traces").scalar())
    database.close()
    assert count == 1
