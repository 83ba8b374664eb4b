"""Serves an exam in this process, calls all that can be called and keeps every byte of it.

Usage: watched.py FILE. The file is JSON: `packs`, `rules`, `key`, `era`, `transport` (`http` or
`stdio`), `answers` (task to prompt, its characters sorted, to what is answered) and `out`, a
folder, in which it leaves

    before.jsonl   every request and response until the attempt is finished
    after.jsonl    the same from then on
    begun/         the store's files as they were just before
    store.json     all that the store held then, times taken out of it
    opened.json    every file that was opened

and on standard error the server's log. Time and chance are fixed, so that nothing depends on
them: what differs between two runs differs because the packs do.
"""

import asyncio
import io
import itertools
import json
import os
import shutil
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

OPENED: set[str] = set()


def note(event: str, arguments: tuple[Any, ...]) -> None:
    """Note each file that is opened; from before anything of the server is imported."""
    if event == "open" and isinstance(arguments[0], str):
        OPENED.add(arguments[0])


sys.addaudithook(note)

import anyio  # noqa: E402
import httpx2  # noqa: E402
from mcp import Client, MCPError  # noqa: E402
from mcp.client.streamable_http import streamable_http_client  # noqa: E402
from mcp.server.stdio import stdio_server  # noqa: E402
from mcp.shared.message import SessionMessage  # noqa: E402
from mcp.types import CallToolResult, TextContent, jsonrpc_message_adapter  # noqa: E402
from sqlalchemy import Connection, inspect, text  # noqa: E402

from snellen.server.attempts.service import Clock, Service  # noqa: E402
from snellen.server.exam.rules import Rules  # noqa: E402
from snellen.server.grading.exam import read_exam  # noqa: E402
from snellen.server.host import Host, LazyHost  # noqa: E402
from snellen.server.http.app import PATH, monitor_routes, web_app  # noqa: E402
from snellen.server.http.auth import Tokens  # noqa: E402
from snellen.server.http.observe import RequestMetrics  # noqa: E402
from snellen.server.logs import lines_to_stderr, log_libraries  # noqa: E402
from snellen.server.mcp.server import ExamServer  # noqa: E402
from snellen.server.screenshots.service import Screenshots  # noqa: E402
from snellen.server.settings import Address, Settings  # noqa: E402
from snellen.server.store.schema import open_store  # noqa: E402
from snellen.server.store.tables.exams import Scope  # noqa: E402

URL = "http://127.0.0.1:8765"
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
FORGED = "att_" + "0" * 48
MOST_KEPT = 10_000
"""How much of a request is kept: what is sent is no secret."""
DEEP = json.loads("[" * 40 + "]" * 40)

ODD: list[object] = [
    *(None, "", " ", 5, -1.5, True, [], {}, [[]], DEEP, "x" * 300, "{"),
    *("-1", "999999999", "\u0663", "nan", 1e308, 2**63, "\u202e\0\U0001f600", [1e308] * 4),
]
"""What stands in the place of each argument of each tool."""

ODD_ANSWERS: list[object] = [
    *("", True, [], {}, DEEP, "nan"),
    [1, 2, 3, 4],
    {"x": 1, "y": 2},
    {"point": "here"},
    ["a", None],
    10**400,
    "<no answer>",
    "Z",
    "A and B",
    "[[1, 2], [3, 4",
    "crop_1 is at the [left",
    {"success": 2, "cost": -1},
    {"name": "click"},
]
ODD_URIS = ["", "x", "exam://", "exam://benchmarks/", "exam://benchmarks/no/such", "file:///etc"]

ODD_PATHS = [
    "/",
    "/health",
    "/metrics",
]

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


@dataclass
class Traffic:
    """All that went to and fro, in order."""

    kept: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def sent(self, words: str, data: bytes, **answer: object) -> None:
        """Keep what a client sent, and what came back where that is known."""
        text = data[:MOST_KEPT].decode("utf-8", "replace")
        self.kept.append({"request": f"{words} {text}", **answer})

    def write(self, file: Path) -> None:
        """Write what was kept so far and keep it no longer."""
        lines = "".join(json.dumps(one) + "\n" for one in self.kept)
        file.write_text(lines, encoding="utf-8")
        self.kept.clear()


class Watched(httpx2.AsyncBaseTransport):
    """Passes requests on to an application and keeps them with all that came back."""

    def __init__(self, app: Any, traffic: Traffic) -> None:
        self._inner = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
        self._traffic = traffic
        self._count = 0

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Serve one request."""
        sent = await request.aread()
        # Two runs are compared, and an id that the server draws would differ.
        self._count += 1
        request.headers["X-Request-Id"] = f"{self._count:08}"
        response = await self._inner.handle_async_request(request)
        body = await response.aread()
        self._traffic.sent(
            f"{request.method} {request.url.path}",
            sent,
            status=response.status_code,
            headers=response.headers.multi_items(),
            body=body.decode("utf-8", "backslashreplace"),
        )
        return response


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


async def fumble(caller: Caller, given: Mapping[str, object]) -> None:
    """Make every malformed call: each argument of each tool odd, missing or misspelt."""
    good = {**given, "answer": "x"}
    tools = (await caller.client.list_tools()).tools
    for tool in tools:
        if tool.name == "finish_attempt":
            continue
        takes = tool.input_schema["properties"]
        fits = {name: value for name, value in good.items() if name in takes}
        for name in (*takes, "nosuch"):
            odd = [*ODD, *ODD_ANSWERS] if name == "answer" else ODD
            for value in odd:
                await caller.call(tool.name, **{**fits, name: value})
        for name in fits:
            await caller.call(tool.name, **{n: v for n, v in fits.items() if n != name})
    await caller.call("finish_attempt")
    await caller.call("finish_attempt", attempt=FORGED)
    await caller.call("finish_attempt", attempt=given["attempt"], nosuch=1)


def halves(given: Mapping[str, object]) -> Iterator[bytes]:
    """Yield what the client itself would not send: half a surrogate pair in each argument."""
    good = {**given, "answer": "x"}
    for name in good:
        call = {"name": "submit_answer", "arguments": {**good, name: "\ud800"}}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        yield json.dumps(body).encode()


async def steal(thief: Caller, handles: Sequence[str], item: str) -> None:
    """Try another's handle, and forged ones."""
    for known in handles:
        await thief.call("list_items", attempt=known)
        await thief.call("get_item", attempt=known)
        await thief.call("get_screenshot", attempt=known, item=item)
        await thief.call("submit_answer", attempt=known, item=item, answer="x")
        await thief.call("finish_attempt", attempt=known)
        await thief.read(f"exam://attempts/{known}/report")


async def take(caller: Caller, handle: str, answers: Mapping[str, Any]) -> dict[str, object]:
    """Take all items but one: look at them, answer them twice and once more.

    One of each task is given every odd answer. Returns what calls about the one that is left open
    are made with.
    """
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
    begun: set[str] = set()
    left: dict[str, object] = {}
    for number, one in enumerate(items):
        client = f"agent {number}"
        known: dict[str, object] = {"attempt": handle, "item": one["item"], "client": client}
        given = await caller.told("get_item", **known)
        if given["images"]:
            for view in VIEWS[number % len(VIEWS) :][:4]:
                await caller.call("get_screenshot", **known, **view)
        if not left:
            left = known
            continue
        if one["task"] not in begun:
            begun.add(one["task"])
            for odd in ODD_ANSWERS:
                await caller.call("submit_answer", **known, answer=odd)
            continue
        answer = in_form(answers[one["task"]]["".join(sorted(given["prompt"]))], given)
        for said in (answer, answer, "something else", answer, "a third thing"):
            await caller.call("submit_answer", **known, answer=said)
        await caller.call("get_item", **known)
    await caller.call("list_items", attempt=handle, status="answered")
    return left


def in_form(answer: Any, given: Mapping[str, Any]) -> Any:
    """Return an answer as it is asked for: an option by the letter that it has here."""
    match answer:
        case {"option": option}:
            return "ABCDEFGH"[given["answer_format"]["options"].index(option)]
        case _:
            return answer


VIEWS: list[dict[str, object]] = [
    {},
    {"format": "jpeg"},
    {"region": [10, 10, 30, 40], "zoom": 2},
    {"region": [0, 0, 500, 500], "space": "thousand", "format": "png"},
    {"tile": 1},
    {"tile": 99},
    {"region": [5, 5, 1, 1]},
    {"image": "nosuch"},
    {"image": "detail"},
    {"max_side": 20},
]


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


# ---- two ways of being served ----------------------------------------------------------------


@dataclass(frozen=True)
class Door:
    """A way in.

    Attributes:
        client: Connects one who calls; the number says who.
        knock: Sends what is no call at all, then some bodies as they are.
        strangers: Handles that the second caller may not use, made of the first one's.
    """

    client: Callable[[int], AbstractAsyncContextManager[Caller]]
    knock: Callable[[Sequence[bytes]], Awaitable[None]]
    strangers: Callable[[str], Sequence[str]]


@asynccontextmanager
async def over_http(
    face: ExamServer, service: Service, tokens: Tokens, era: str, traffic: Traffic
) -> AsyncGenerator[Door]:
    """Serve over HTTP, with a token for each caller."""
    secrets = [tokens.create(name, [Scope.TAKE]) for name in ("agent", "thief")]
    routes = monitor_routes(service, None, tokens, RequestMetrics())
    web = web_app(face, Address(), tokens, routes)
    app = Watched(web, traffic)

    @asynccontextmanager
    async def client(number: int) -> AsyncGenerator[Caller]:
        headers = {"Authorization": f"Bearer {secrets[number]}"}
        async with httpx2.AsyncClient(transport=app, headers=headers) as http:
            transport = streamable_http_client(URL + PATH, http_client=http)
            async with Client(transport, mode=era) as connected:
                yield Caller(connected)

    async def knock(bodies: Sequence[bytes]) -> None:
        async with httpx2.AsyncClient(transport=app) as http:
            await knock_at(http)
            http.headers["Authorization"] = f"Bearer {secrets[0]}"
            await knock_at(http)
            for body in bodies:
                await http.post(URL + PATH, content=body, headers=HEADERS)

    async with web.router.lifespan_context(web):
        yield Door(client, knock, lambda handle: [handle, *forged(handle)])


def forged(handle: str) -> list[str]:
    """Return handles that look like one."""
    return [FORGED, handle[:-1], handle.upper()]


async def knock_at(http: httpx2.AsyncClient) -> None:
    """Send what is no call at all."""
    for body in ODD_BODIES:
        for era in ({}, {"MCP-Protocol-Version": "2026-07-28"}, {"MCP-Protocol-Version": "x"}):
            await http.post(URL + PATH, content=body, headers={**HEADERS, **era})
    for method, path in itertools.product(("GET", "DELETE", "PUT"), (PATH, *ODD_PATHS)):
        if (method, path) != ("GET", PATH):  # a stream that would not end
            await http.request(method, URL + path)
    await http.post(URL + PATH, content=b"{}", headers={"Content-Type": "text/plain"})
    await http.post(URL + PATH, content=b"{}", headers={**HEADERS, "Authorization": "Bearer x"})
    await http.post(URL + PATH, content=b"{}", headers={**HEADERS, "Host": "evil.example"})


@asynccontextmanager
async def over_pipes(face: ExamServer, era: str, traffic: Traffic) -> AsyncGenerator[Door]:
    """Serve over standard input and output, which are pipes; all callers are one there."""

    @asynccontextmanager
    async def client(_: int) -> AsyncGenerator[Caller]:
        async with Wire.to(face, traffic) as wire, Client(wire.streams(), mode=era) as connected:
            yield Caller(connected)

    async def knock(bodies: Sequence[bytes]) -> None:
        for number, body in enumerate((*ODD_BODIES, *bodies)):
            # How a connection goes on may depend on what came first.
            async with Wire.to(face, traffic) as wire:
                await wire.send(body)
                last = {"jsonrpc": "2.0", "id": f"last {number}", "method": "ping"}
                await wire.send(json.dumps(last).encode())
                while (line := await wire.receive()) and f'"last {number}"' not in line:
                    pass

    yield Door(client, knock, forged)


@dataclass(frozen=True)
class Wire:
    """A client's ends of the two pipes."""

    writer: asyncio.StreamWriter
    reader: asyncio.StreamReader
    traffic: Traffic

    @classmethod
    @asynccontextmanager
    async def to(cls, face: ExamServer, traffic: Traffic) -> AsyncGenerator["Wire"]:
        """Connect to a server of its own, as a host that starts one does."""
        (stdin, to_server), (from_server, stdout) = os.pipe(), os.pipe()

        async def serve() -> None:
            reads = io.TextIOWrapper(os.fdopen(stdin, "rb"), encoding="utf-8", errors="replace")
            writes = io.TextIOWrapper(os.fdopen(stdout, "wb"), encoding="utf-8")
            with reads, writes:
                async with stdio_server(anyio.wrap_file(reads), anyio.wrap_file(writes)) as ends:
                    await face.server.run(*ends, face.server.create_initialization_options())

        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=1 << 26)
        ending, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(from_server, "rb")
        )
        transport, protocol = await loop.connect_write_pipe(
            asyncio.streams.FlowControlMixin, os.fdopen(to_server, "wb")
        )
        writer = asyncio.StreamWriter(transport, protocol, None, loop)
        serving = asyncio.create_task(serve())
        try:
            yield cls(writer, reader, traffic)
        finally:
            writer.close()
            await serving
            ending.close()

    async def send(self, line: bytes) -> None:
        """Send a line."""
        self.traffic.sent("line", line)
        self.writer.write(line + b"\n")
        await self.writer.drain()

    async def receive(self) -> str:
        """Return the next line, or nothing at the end."""
        line = (await self.reader.readline()).decode("utf-8", "backslashreplace")
        self.traffic.kept.append({"request": "", "body": line})
        return line

    @asynccontextmanager
    async def streams(self) -> AsyncGenerator[Any]:
        """Speak over it as a client of the protocol does."""
        arrived, arriving = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        leaving, left = anyio.create_memory_object_stream[SessionMessage](0)

        async def receive() -> None:
            while line := await self.receive():
                await arrived.send(SessionMessage(jsonrpc_message_adapter.validate_json(line)))

        async def send() -> None:
            async for message in left:
                words = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                await self.send(words.encode())

        async with arrived, arriving, leaving, left:
            tasks = [asyncio.create_task(work()) for work in (receive, send)]
            try:
                yield arriving, leaving
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)


# ---- all of it -------------------------------------------------------------------------------


async def watch(given: Mapping[str, Any], out: Path) -> None:
    """Serve the exam and do all of it."""
    store = out / "store" / "exam.sqlite"
    key = None if given["key"] is None else Path(given["key"])
    packs = tuple(Path(pack) for pack in given["packs"])
    settings = Settings(packs, store, Rules.model_validate(given["rules"]), key)
    database = open_store(store)
    times, random = ticking(), Random(7)
    clock = Clock(now=lambda: next(times), random=random.randbytes)
    service = Service(read_exam(settings), database, clock)
    opening = LazyHost(lambda: Host(service, Screenshots(), database))
    face, traffic = ExamServer(opening), Traffic()
    if given["transport"] == "http":
        serving = over_http(face, service, Tokens(database), given["era"], traffic)
    else:
        serving = over_pipes(face, given["era"], traffic)
    async with serving as door, door.client(0) as agent:
        await look_around(agent)
        handle = (await agent.told("start_attempt", model="watched"))["attempt"]
        await agent.read(f"exam://attempts/{handle}/report")
        left = await take(agent, handle, given["answers"])
        item = str(left["item"])
        async with door.client(1) as thief:
            await steal(thief, door.strangers(handle), item)
        await fumble(agent, left)
        await door.knock([*halves(left)])
        await agent.read(f"exam://attempts/{handle}/report")
        await service.flush()
        (out / "store.json").write_text(json.dumps(database.read(held)), encoding="utf-8")
        shutil.copytree(store.parent, out / "begun")
        traffic.write(out / "before.jsonl")
        await agent.call("finish_attempt", attempt=handle)
        await agent.read(f"exam://attempts/{handle}/report")
        await agent.call("submit_answer", attempt=handle, item=item, answer="late")
        await agent.call("get_item", attempt=handle)
        traffic.write(out / "after.jsonl")
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
