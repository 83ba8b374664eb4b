"""`snellen serve`: a real server, several agents, tokens, and what comes over a wire."""

import asyncio
import http.client
import json
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette
from starlette.routing import Mount

from snellen.server.challenge.models import PhaseChange
from snellen.server.exam.file import read_exam_file
from snellen.server.host import LazyHost, open_challenge, open_exam
from snellen.server.http.app import web_app
from snellen.server.http.auth import Tokens
from snellen.server.mcp.server import ExamServer
from snellen.server.settings import Address, Settings
from snellen.server.store.schema import open_store
from snellen.server.store.tables.exams import Scope
from snellen.tasks.samples import exam_folder

Serve = Callable[..., Any]
AgentOf = Callable[[Client], Any]

HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
SERVE_COMMAND = [sys.executable, "-c", "from snellen.cli import main; main()"]
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


def token(store: Path, name: str, *scopes: Scope) -> str:
    database = open_store(store)
    try:
        return Tokens(database).create(name, scopes or (Scope.TAKE,))
    finally:
        database.close()


@asynccontextmanager
async def connect(url: str, held: str | None = None, era: str = "auto") -> AsyncGenerator[Client]:
    headers = {} if held is None else {"Authorization": f"Bearer {held}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http_client:
        transport = streamable_http_client(url, http_client=http_client)
        async with Client(transport, mode=era) as client:
            yield client


def post(url: str, body: bytes | object, **headers: str) -> tuple[int, bytes, Mapping[str, str]]:
    """Send one request as it is and return status, body and headers."""
    split = urlsplit(url)
    connection = http.client.HTTPConnection(split.hostname or "", split.port or 0, timeout=30)
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request("POST", split.path, data, {**HEADERS, **named})
    response = connection.getresponse()
    found = response.status, response.read(), dict(response.getheaders())
    connection.close()
    return found


def get(url: str, path: str) -> int:
    split = urlsplit(url)
    connection = http.client.HTTPConnection(split.hostname or "", split.port or 0, timeout=30)
    connection.request("GET", path)
    response = connection.getresponse()
    response.read()
    connection.close()
    return response.status


async def work(agent: Any, client: str, golds: Mapping[str, str]) -> int:
    """Answer items until none is left for this client."""
    answered = 0
    while True:
        result = await agent.result("get_item", attempt=agent.attempt, client=client)
        if result.is_error:
            assert "every item is answered" in agent.text(result) or "leased" in agent.text(result)
            return answered
        item = json.loads(agent.text(result))
        await agent.answer(item["item"], golds[item["prompt"]], client=client)
        answered += 1


@pytest.mark.slow
async def test_several_agents_share_an_attempt_on_one_connection_and_on_many(
    serve: Serve, store: Path, golds: Mapping[str, str], era: str, agent_of: AgentOf
) -> None:
    served = serve("wireframes", "--store", str(store))
    async with connect(served.url, era=era) as first, connect(served.url, era=era) as second:
        one, other = agent_of(first), agent_of(second)
        other.attempt = await one.start()
        done = await asyncio.gather(
            *(work(one, f"one {n}", golds) for n in range(4)),
            *(work(other, f"other {n}", golds) for n in range(4)),
        )
        assert sum(done) == 12
        report = await other.call("finish_attempt", attempt=other.attempt)
        assert report["value"] == 1.0


@pytest.mark.slow
async def test_attempts_on_one_connection_are_never_mixed_up(
    serve: Serve, store: Path, golds: Mapping[str, str], agent_of: AgentOf
) -> None:
    served = serve("wireframes", "--store", str(store))

    async def take(client: Client, right: bool) -> float:
        agent = agent_of(client)
        await agent.start()
        answers = golds if right else dict.fromkeys(golds, "zzz")
        await work(agent, "main", answers)
        return (await agent.call("finish_attempt", attempt=agent.attempt))["value"]

    async with connect(served.url) as client:
        values = await asyncio.gather(*(take(client, n % 2 == 0) for n in range(6)))
    assert values == [1.0, 0.0] * 3


async def test_an_application_below_a_prefix_asks_for_tokens_too(
    store: Path, opening: Callable[..., LazyHost]
) -> None:
    host = opening()
    opened = await host.get()
    app = web_app(ExamServer(host), Address(), Tokens(opened.database))
    outer = Starlette(routes=[Mount("/spring", app)])
    held = Tokens(opened.database).create("alice")
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(
            transport=httpx2.ASGITransport(outer), base_url="http://127.0.0.1", headers=HEADERS
        ) as http_client,
    ):
        statuses = [
            (await http_client.post("/spring/mcp", json=LIST, headers=known)).status_code
            for known in ({}, {"Authorization": f"Bearer {held}"})
        ]
    assert statuses == [401, 200]
    await host.close()


@pytest.mark.slow
async def test_without_a_token_it_says_that_only_this_machine_is_served(
    serve: Serve, store: Path
) -> None:
    served = serve("wireframes", "--store", str(store))
    assert post(served.url, LIST)[0] == 200
    assert "anyone on this machine can take the exam" in served.stop()


@pytest.mark.slow
def test_without_a_token_it_listens_nowhere_else(environment: dict[str, str], store: Path) -> None:
    done = subprocess.run(
        [*SERVE_COMMAND, "serve", "--host", "0.0.0.0", "--port", "0", "--store", str(store)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "snellen token create" in done.stderr


@pytest.mark.slow
async def test_with_tokens_each_sees_its_own_attempts_only(
    serve: Serve, store: Path, agent_of: AgentOf
) -> None:
    first, second = token(store, "first"), token(store, "second")
    served = serve("wireframes", "--store", str(store), "--host", "0.0.0.0")
    url = served.url.replace("0.0.0.0", "127.0.0.1")
    async with connect(url, first) as one, connect(url, second) as other:
        mine, stranger = agent_of(one), agent_of(other)
        stranger.attempt = await mine.start()
        item = (await mine.item())["item"]
        for tool, arguments in (
            ("get_item", {}),
            ("get_screenshot", {"item": item}),
            ("submit_answer", {"item": item, "answer": "x"}),
            ("finish_attempt", {}),
        ):
            said = await stranger.refused(tool, attempt=stranger.attempt, **arguments)
            assert said == "no attempt of yours has this handle; start_attempt returns one"
        assert (await mine.answer(item, "x"))["again"] is False
    log = served.stop()
    assert '"caller":"first"' in log
    assert first not in log
    assert mine.attempt not in log


@pytest.mark.slow
async def test_who_shows_no_good_token_is_turned_away(serve: Serve, store: Path) -> None:
    good, organizer = token(store, "good"), token(store, "boss", Scope.ORGANIZE)
    served = serve("wireframes", "--store", str(store))
    assert post(served.url, LIST, Authorization=f"Bearer {good}")[0] == 200
    for held in (None, "Bearer nonsense", f"Basic {good}", "Bearer", good):
        headers = {} if held is None else {"Authorization": held}
        status, body, answered = post(served.url, LIST, **headers)
        assert status == 401
        assert answered["www-authenticate"] == "Bearer"
        assert "oken" in json.loads(body)["error"]
    status, body, _ = post(served.url, LIST, Authorization=f"Bearer {organizer}")
    assert status == 403
    assert "not for taking" in json.loads(body)["error"]
    # A token counts until it is revoked, without a new start.
    database = open_store(store)
    Tokens(database).revoke("good")
    database.close()
    assert post(served.url, LIST, Authorization=f"Bearer {good}")[0] == 401
    assert good not in served.stop()


@pytest.mark.slow
def test_who_takes_the_exam_shows_a_token_and_well_known_pages_are_not_there(
    serve: Serve, store: Path
) -> None:
    token(store, "somebody")
    served = serve("wireframes", "--store", str(store))
    assert get(served.url, "/health") == 200
    assert get(served.url, "/.well-known/oauth-authorization-server") == 404
    assert get(served.url, "/.well-known/oauth-protected-resource/mcp") == 404
    for path in ("/mcp", "/mcp/x", "/metrics", "/submissions", "/v1/tokens"):
        assert get(served.url, path) == 401
    for path in ("/", "/leaderboard", "/v1/exams"):
        assert get(served.url, path) == 200
    for path in ("/health/x", "/reports", "/v1/x"):
        assert get(served.url, path) == 404


@pytest.mark.slow
def test_without_tokens_well_known_pages_are_not_there_either(shared: Any) -> None:
    assert get(shared.url, "/.well-known/oauth-authorization-server") == 404
    assert get(shared.url, "/health") == 200


@pytest.mark.slow
def test_a_page_of_another_site_can_not_reach_it(shared: Any) -> None:
    assert post(shared.url, LIST, Host="evil.example.org")[0] == 421
    assert post(shared.url, LIST, Origin="https://evil.example.org")[0] == 403


@pytest.mark.slow
def test_a_name_that_was_allowed_is_served(serve: Serve, store: Path) -> None:
    served = serve("wireframes", "--store", str(store), "--name", "exam.example.org")
    assert post(served.url, LIST, Host="exam.example.org")[0] == 200
    assert post(served.url, LIST, Host="exam.example.org:443")[0] == 200


@pytest.mark.parametrize(
    ("body", "statuses"),
    [
        (b"{", {400}),
        (b"", {400}),
        (b"[]", {400}),
        (b"\xff\xfe", {400}),
        ({"jsonrpc": "2.0", "id": 1, "method": "nothing"}, {200, 400, 404}),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/call"}, {200, 400}),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 3}}, {200, 400}),
        (
            {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "tools/call",
                "params": {"name": "get_item", "arguments": [1]},
            },
            {200, 400},
        ),
        (b"[" * 100_000, {400}),
    ],
    ids=range(9),
)
@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
def test_a_malformed_message_is_refused_and_the_server_lives(
    shared: Any, body: bytes | object, statuses: set[int], version: str
) -> None:
    status, answer, _ = post(shared.url, body, MCP_Protocol_Version=version)
    assert status in statuses
    assert status != 200 or b'"error"' in answer
    assert b"Traceback" not in answer
    assert post(shared.url, LIST)[0] == 200


def test_a_body_of_more_than_four_mebibytes_is_refused(shared: Any) -> None:
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "submit_answer", "arguments": {"answer": "x" * (4 << 20)}},
    }
    assert post(shared.url, call)[0] == 413
    assert post(shared.url, LIST)[0] == 200


@pytest.mark.slow
def test_a_server_that_is_asked_to_stop_keeps_its_traces(serve: Serve, store: Path) -> None:
    served = serve("wireframes", "--store", str(store))

    async def take() -> None:
        async with connect(served.url) as client:
            await client.call_tool("start_attempt", {})

    asyncio.run(take())
    served.stop()
    database = open_store(store)
    count = database.read(lambda c: c.exec_driver_sql("select count(*) from traces").scalar())
    database.close()
    assert count == 1


@pytest.mark.slow
def test_an_address_that_ends_with_a_slash_is_served_and_never_redirected(
    serve: Serve, store: Path
) -> None:
    good = token(store, "good")
    served = serve("wireframes", "--store", str(store))
    assert post(served.url + "/", LIST, Authorization=f"Bearer {good}")[0] == 200
    assert post(served.url + "/", LIST)[0] == 401
    assert get(served.url, "/health/") == 404
    assert get(served.url, "/attempts") == 404


@pytest.mark.slow
async def test_an_item_that_is_none_is_not_logged(
    serve: Serve, store: Path, agent_of: AgentOf
) -> None:
    served = serve("wireframes", "--store", str(store))
    async with connect(served.url) as client:
        agent = agent_of(client)
        await agent.start()
        item = (await agent.item())["item"]
        await agent.refused("submit_answer", attempt=agent.attempt, item="nonsense", answer="x")
        await agent.answer(item, "x")
    calls = [json.loads(line) for line in served.stop().splitlines() if '"submit_answer"' in line]
    assert [(call["outcome"], call.get("item")) for call in calls] == [
        ("refused", None),
        ("ok", item),
    ]


@pytest.mark.slow
async def test_an_attempt_outlives_a_server_that_was_killed(
    serve: Serve, store: Path, agent_of: AgentOf
) -> None:
    first = serve("wireframes", "--store", str(store))
    async with connect(first.url) as client:
        agent = agent_of(client)
        handle = await agent.start()
        item = (await agent.item())["item"]
        await agent.answer(item, "kept")
    first.process.kill()
    second = serve("wireframes", "--store", str(store))
    async with connect(second.url) as client:
        agent = agent_of(client)
        agent.attempt = handle
        assert (await agent.item())["progress"] == {"answered": 1, "open": 11}
        assert (await agent.answer(item, "kept"))["again"] is True


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("", True),
        ('mode = "deferred"', True),
        ("attempts = 1", False),
        ('mode = "practice"', False),
    ],
)
def test_a_server_says_where_attempts_are_not_limited(
    serve: Serve, store: Path, tmp_path: Path, rules: str, said: bool
) -> None:
    exam = tmp_path / "exam.toml"
    exam.write_text(f'name = "sample"\npacks = ["{exam_folder("wireframes")}"]\n[rules]\n{rules}\n')
    told = "".join(serve(str(exam), "--store", str(store)).said)
    assert ("attempts are not limited" in told and "attempts = 1" in told) is said


@pytest.mark.slow
async def test_a_server_says_at_its_start_that_the_exam_file_has_an_old_deadline(
    serve: Serve, store: Path, tmp_path: Path
) -> None:
    exam = tmp_path / "exam.toml"
    text = 'name = "exam"\npacks = ["{pack}"]\nstore = "{store}"\n[[phases]]\nname = "main"\n'
    exam.write_text(
        text.format(pack=exam_folder("wireframes"), store=store) + "end = 2036-01-01T00:00:00Z\n"
    )
    settings = Settings((exam_folder("wireframes"),), str(store), file=read_exam_file(exam))
    host = open_exam(settings)
    challenge = open_challenge(settings, host)
    change = PhaseChange.model_validate({"end": "2037-01-01T00:00:00Z"})
    await challenge.change_phase("main", "boss", change, "the network was down")
    host.close()
    assert (
        "phase main: the end moved from 2036-01-01 00:00 UTC to 2037-01-01 00:00 UTC; the exam file"
        " has the old value\n"
    ) in serve(str(exam)).said
