"""Serves an exam in this process, calls all that can be called and keeps every byte of it.

Usage: watched.py FILE. The file is JSON: `packs`, `rules`, `key`, `era`, `answers` (question to
what is answered) and `out`, a folder, in which it leaves

    before.jsonl   every request and response until the attempt is finished
    after.jsonl    the same from then on
    begun/         the store's files as they were just before
    store.json     all that the store held then, times taken out of it
    opened.json    every file that was opened

and on standard error the server's log. Time and chance are made up, so that nothing depends on
them: what differs between two runs differs because the packs do.
"""

import asyncio
import itertools
import json
import shutil
import sys
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

OPENED: set[str] = set()


def note(event: str, arguments: tuple[Any, ...]) -> None:
    """Note each file that is opened; from before anything of the server is imported."""
    if event == "open" and isinstance(arguments[0], str):
        OPENED.add(arguments[0])


sys.addaudithook(note)

import httpx2  # noqa: E402
from mcp import Client, MCPError  # noqa: E402
from mcp.client.streamable_http import streamable_http_client  # noqa: E402
from mcp.types import CallToolResult, TextContent  # noqa: E402
from sqlalchemy import Connection, inspect, text  # noqa: E402

from snellen.sdk.cli.serving import grade_taken  # noqa: E402
from snellen.server.app import Face  # noqa: E402
from snellen.server.attempts import Clock, Service  # noqa: E402
from snellen.server.auth import Scope, Tokens  # noqa: E402
from snellen.server.logs import lines_to_stderr, log_libraries  # noqa: E402
from snellen.server.opening import Opened, Opening, read_exam  # noqa: E402
from snellen.server.rules import Rules  # noqa: E402
from snellen.server.screenshots.service import Screenshots  # noqa: E402
from snellen.server.settings import Address, Settings  # noqa: E402
from snellen.server.store.schema import open_store  # noqa: E402
from snellen.server.web import PATH, web_app  # noqa: E402

URL = "http://127.0.0.1:8765"
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
FORGED = "att_" + "0" * 48
MOST_KEPT = 10_000
"""How much of a request is kept: what is sent is no secret."""
DEEP = json.loads("[" * 40 + "]" * 40)

ODD: list[object] = [None, "", " ", 5, -1.5, True, [], {}, [[]], DEEP, "x" * 300, "{"]
"""What stands in the place of each argument of each tool."""

ODD_ANSWERS: list[object] = [
    *ODD,
    "y" * 200_000,
    [1, 2, 3, 4],
    {"x": 1, "y": 2},
    {"point": "here"},
    ["a", None],
    10**400,
    "<no answer>",
    "Z",
    "A and B",
    "[[1, 2], [3, 4",
]
ODD_URIS = ["", "x", "exam://", "exam://benchmarks/", "exam://benchmarks/no/such", "file:///etc"]

ODD_BODIES: list[bytes] = [
    b"",
    b"{",
    b"[]",
    b"null",
    b'"text"',
    b"\xff\xfe\x00",
    b'{"jsonrpc": "2.0"}',
    b'{"jsonrpc": "1.0", "id": 1, "method": "tools/list"}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "no/such"}',
    b'{"jsonrpc": "2.0", "id": null, "method": "tools/list"}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": []}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 5}}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "nosuch"}}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": 5}}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": {"name": "take_exam"}}',
    b'[{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}]',
    b'{"jsonrpc": "2.0", "id": 1, "method": "completion/complete", "params": {}}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "logging/setLevel", "params": {"level": "debug"}}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": ' + b"[" * 5000,
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "x": "' + b"x" * 5_000_000 + b'"}',
]


class Watched(httpx2.AsyncBaseTransport):
    """Passes requests on to an application and keeps them with all that came back."""

    def __init__(self, app: Any) -> None:
        self._inner = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
        self.kept: list[dict[str, Any]] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Serve one request."""
        sent = await request.aread()
        response = await self._inner.handle_async_request(request)
        body = await response.aread()
        self.kept.append(
            {
                "request": f"{request.method} {request.url.path} "
                + sent[:MOST_KEPT].decode("utf-8", "replace"),
                "status": response.status_code,
                "headers": response.headers.multi_items(),
                "body": body.decode("utf-8", "backslashreplace"),
            }
        )
        return response

    def write(self, file: Path) -> None:
        """Write what was kept so far and keep it no longer."""
        lines = "".join(json.dumps(one) + "\n" for one in self.kept)
        file.write_text(lines, encoding="utf-8")
        self.kept.clear()


class Caller:
    """One who calls: a good agent, a clumsy one or a thief."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, tool: str, **arguments: object) -> CallToolResult:
        """Call a tool, whatever comes of it."""
        return await self.client.call_tool(tool, arguments)

    async def told(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Call a tool that must work and return its JSON."""
        result = await self.call(tool, **arguments)
        (words,) = [one.text for one in result.content if isinstance(one, TextContent)]
        assert not result.is_error, words
        return json.loads(words)

    async def read(self, uri: str) -> None:
        """Read a resource, whatever comes of it."""
        with suppress(MCPError):  # what it said was kept
            await self.client.read_resource(uri)

    async def prompt(self, name: str, **arguments: str) -> None:
        """Get a prompt, whatever comes of it."""
        with suppress(MCPError):  # what it said was kept
            await self.client.get_prompt(name, arguments)


async def look_around(caller: Caller) -> None:
    """Call what needs no attempt."""
    client = caller.client
    await client.list_tools()
    await client.list_resources()
    await client.list_resource_templates()
    await client.list_prompts()
    for name, arguments in (
        ("take_exam", {}),
        ("take_exam", {"tasks": "screenqa, nosuch"}),
        ("take_exam", {"task": "x"}),
        ("nosuch", {}),
    ):
        await caller.prompt(name, **arguments)
    offered = await caller.told("list_benchmarks")
    for uri in ["exam://rules", *(one["card"] for one in offered["tasks"]), *ODD_URIS]:
        await caller.read(uri)
    await caller.call("nosuch", attempt="x")


async def fumble(caller: Caller, handle: str, item: str) -> None:
    """Make every malformed call: each argument of each tool odd, missing or misspelt."""
    good: dict[str, object] = {"attempt": handle, "item": item, "answer": "x", "client": "clumsy"}
    tools = (await caller.client.list_tools()).tools
    for tool in tools:
        if tool.name == "finish_attempt":
            continue
        takes = tool.input_schema["properties"]
        fits = {name: value for name, value in good.items() if name in takes}
        for name in (*takes, "nosuch"):
            odd = ODD_ANSWERS if name == "answer" else ODD
            for value in odd:
                await caller.call(tool.name, **{**fits, name: value})
        for name in fits:
            await caller.call(tool.name, **{n: v for n, v in fits.items() if n != name})
    await caller.call("finish_attempt")
    await caller.call("finish_attempt", attempt=FORGED)
    await caller.call("finish_attempt", attempt=handle, nosuch=1)


async def send_halves(http: httpx2.AsyncClient, handle: str, item: str) -> None:
    """Send what the client itself would not: half a surrogate pair in each argument."""
    good = {"attempt": handle, "item": item, "answer": "x", "client": "clumsy"}
    for name in good:
        call = {"name": "submit_answer", "arguments": {**good, name: "\ud800"}}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        await http.post(URL + PATH, content=json.dumps(body).encode(), headers=HEADERS)


async def steal(thief: Caller, handle: str, item: str) -> None:
    """Try another's handle, and a forged one."""
    for known in (handle, FORGED, handle[:-1], handle.upper()):
        await thief.call("list_items", attempt=known)
        await thief.call("get_item", attempt=known)
        await thief.call("get_screenshot", attempt=known, item=item)
        await thief.call("submit_answer", attempt=known, item=item, answer="x")
        await thief.call("finish_attempt", attempt=known)
        await thief.read(f"exam://attempts/{known}/report")


async def take(caller: Caller, handle: str, answers: Mapping[str, Any]) -> None:
    """Take all items but one of each task: look at them, answer them twice and once more."""
    cursor: dict[str, str] = {}
    items: list[dict[str, Any]] = []
    while True:
        page = await caller.told("list_items", attempt=handle, **cursor)
        items += page["items"]
        if "next_cursor" not in page:
            break
        cursor = {"cursor": page["next_cursor"]}
    for status in ("open", "answered"):
        await caller.call("list_items", attempt=handle, status=status)
    left: set[str] = set()
    for number, one in enumerate(items):
        client = f"agent {number}"
        known: dict[str, object] = {"attempt": handle, "item": one["item"], "client": client}
        given = await caller.told("get_item", **known)
        if given["images"]:
            for view in VIEWS[number % len(VIEWS) :][:4]:
                await caller.call("get_screenshot", **known, **view)
        if one["task"] not in left:
            left.add(one["task"])
            continue
        answer = in_form(answers[question_of(given["prompt"])], given["prompt"])
        for said in (answer, answer, "something else", answer, "a third thing"):
            await caller.call("submit_answer", **known, answer=said)
        await caller.call("get_item", **known)
    await caller.call("list_items", attempt=handle, status="answered")


def question_of(prompt: str) -> str:
    """Return a prompt without its options, which may stand in any order."""
    return prompt.partition("\nOptions:")[0]


def in_form(answer: Any, prompt: str) -> Any:
    """Return an answer as it is asked for: an option by the letter that it has here."""
    if not isinstance(answer, dict):
        return answer
    (letter,) = [line[0] for line in prompt.splitlines() if line[1:] == f". {answer['option']}"]
    return letter


VIEWS: list[dict[str, object]] = [
    {},
    {"format": "jpeg"},
    {"region": [10, 10, 30, 40], "zoom": 2},
    {"region": [0, 0, 500, 500], "space": "thousand", "format": "png"},
    {"tile": 1},
    {"tile": 99},
    {"region": [5, 5, 1, 1]},
    {"image": "nosuch"},
    {"max_side": 20},
]


async def knock(http: httpx2.AsyncClient) -> None:
    """Send what is no call at all."""
    for body in ODD_BODIES:
        for era in ({}, {"MCP-Protocol-Version": "2026-07-28"}, {"MCP-Protocol-Version": "x"}):
            await http.post(URL + PATH, content=body, headers={**HEADERS, **era})
    for method, path in itertools.product(("GET", "DELETE", "PUT"), (PATH, "/", "/health")):
        if (method, path) != ("GET", PATH):  # a stream that would not end
            await http.request(method, URL + path)
    await http.post(URL + PATH, content=b"{}", headers={"Content-Type": "text/plain"})
    await http.post(URL + PATH, content=b"{}", headers={**HEADERS, "Authorization": "Bearer x"})
    await http.post(URL + PATH, content=b"{}", headers={**HEADERS, "Host": "evil.example"})


def held(connection: Connection) -> dict[str, list[str]]:
    """Return all that a store holds, but for tokens and how long calls took."""
    found: dict[str, list[str]] = {}
    for table in sorted(set(inspect(connection).get_table_names()) - {"tokens"}):
        rows = connection.execute(text(f'SELECT * FROM "{table}"')).mappings()
        found[table] = sorted(
            repr({name: value for name, value in row.items() if name != "microseconds"})
            for row in rows
        )
    return found


def ticking() -> Iterator[int]:
    """Return times a millisecond apart."""
    return itertools.count(1_700_000_000_000)


@asynccontextmanager
async def client_of(app: Watched, token: str, era: str) -> AsyncGenerator[Caller]:
    """Return one who calls with a token."""
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(transport=app, headers=headers) as http:
        transport = streamable_http_client(URL + PATH, http_client=http)
        async with Client(transport, mode=era) as client:
            yield Caller(client)


async def watch(given: Mapping[str, Any], out: Path) -> None:
    """Serve the exam and do all of it."""
    store = out / "store" / "exam.sqlite"
    key = None if given["key"] is None else Path(given["key"])
    packs = tuple(Path(pack) for pack in given["packs"])
    settings = Settings(packs, store, Rules.model_validate(given["rules"]), key)
    database = open_store(store)
    times, random = ticking(), Random(7)
    clock = Clock(now=lambda: next(times), random=random.randbytes)
    tokens = Tokens(database)
    names = ("agent", "thief")
    secrets = [tokens.create(name, [Scope.TAKE]) for name in names]
    service = Service(read_exam(settings, grade_taken), database, clock)
    opening = Opening(lambda: Opened(service, Screenshots(), database))
    web = web_app(Face(opening), Address(), tokens)
    app = Watched(web)
    async with (
        web.router.lifespan_context(web),
        client_of(app, secrets[0], given["era"]) as agent,
    ):
        await look_around(agent)
        handle = (await agent.told("start_attempt", model="watched"))["attempt"]
        await agent.read(f"exam://attempts/{handle}/report")
        await take(agent, handle, given["answers"])
        open_items = await agent.told("list_items", attempt=handle, status="open")
        item = open_items["items"][0]["item"]
        async with client_of(app, secrets[1], given["era"]) as thief:
            await steal(thief, handle, item)
        await fumble(agent, handle, item)
        async with httpx2.AsyncClient(transport=app) as http:
            await knock(http)
            http.headers["Authorization"] = f"Bearer {secrets[0]}"
            await knock(http)
            await send_halves(http, handle, item)
        await agent.read(f"exam://attempts/{handle}/report")
        await service.flush()
        (out / "store.json").write_text(json.dumps(database.read(held)), encoding="utf-8")
        shutil.copytree(store.parent, out / "begun")
        app.write(out / "before.jsonl")
        await agent.call("finish_attempt", attempt=handle)
        await agent.read(f"exam://attempts/{handle}/report")
        await agent.call("submit_answer", attempt=handle, item=item, answer="late")
        await agent.call("get_item", attempt=handle)
        app.write(out / "after.jsonl")
    await opening.close()
    lines_to_stderr().drain(10)
    (out / "opened.json").write_text(json.dumps(sorted(OPENED)), encoding="utf-8")


def main() -> None:
    """Read what to do and do it."""
    given = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    log_libraries()
    out = Path(given["out"])
    asyncio.run(watch(given, out))


if __name__ == "__main__":
    main()
