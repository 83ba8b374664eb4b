"""Each route, page and tool goes by one end of a phase: the one that organizers moved it to.

`DOORS` has what each shows while a phase is open, in the while after its end in which announced
files may arrive, and then. A door that is in neither list fails the test.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hosted import NOON, as_lines
from mcp import Client
from starlette.applications import Starlette
from starlette.routing import BaseRoute, Mount, Route

from snellen.server.attempts.register import Clock
from snellen.server.attempts.service import Service
from snellen.server.challenge.models import PhaseChange
from snellen.server.challenge.service import Challenge
from snellen.server.challenge.workers import Worker
from snellen.server.exam.file import GRACE_MS, ExamFile, Phase
from snellen.server.exam.phases import Phases
from snellen.server.exam.rules import Rules
from snellen.server.grading.exam import read_exam, references_digest
from snellen.server.host import Host, LazyHost
from snellen.server.http.app import Hosted, challenge_routes
from snellen.server.http.auth import Tokens
from snellen.server.mcp.server import ExamServer
from snellen.server.screenshots.service import Screenshots
from snellen.server.settings import Settings
from snellen.server.store import queries
from snellen.server.store.schema import open_store
from snellen.server.store.tables.exams import Scope
from snellen.tasks.samples import exam_folder

HOUR = 3_600_000
SOON, LATE = NOON + HOUR, NOON + 5 * HOUR
REST = "/v1/exams/sample"
OPEN, GRACE, FINAL = range(3)


@dataclass
class World:
    """A hosted exam, its callers, and a clock."""

    challenge: Challenge
    settings: Settings
    time: list[int]
    app: Starlette
    http: httpx2.AsyncClient
    browser: httpx2.AsyncClient
    agent: Client
    items: Sequence[str]
    ids: Sequence[str] = ()
    attempt: str = ""
    leased: str = ""
    number: Iterator[int] = field(default_factory=count)

    async def move(self, end: int) -> None:
        change = PhaseChange(end=datetime.fromtimestamp(end / 1000, UTC))
        await self.challenge.change_phase("main", "boss", change, "the network was down")

    def file(self) -> bytes:
        """Return a file that was not uploaded before."""
        return as_lines({self.items[0]: f"answer {next(self.number)}"}).encode()

    async def call(self, tool: str, **given: object) -> dict[str, Any] | None:
        """Call a tool; return its JSON, or None if it refuses."""
        result = await self.agent.call_tool(tool, given)
        found = result.model_dump()["content"]
        return None if result.is_error else json.loads(found[0]["text"])

    async def report(self) -> dict[str, Any]:
        uri = f"exam://attempts/{self.ids[2]}/report"
        (content,) = (await self.agent.read_resource(uri)).model_dump()["contents"]
        return json.loads(content["text"])


Look = Callable[[World, Mapping[str, str]], Awaitable[object]]


def rest(method: str, path: str, see: Callable[[httpx2.Response], object], **more: object) -> Look:
    """Return what one sees through a route; `{}` in its path is a submission."""

    async def look(world: World, named: Mapping[str, str]) -> object:
        body: dict[str, Any] = {}
        if more.get("upload"):
            body = {"content": world.file(), "headers": {"content-type": "application/x-ndjson"}}
        elif "json" in more:
            body = {"json": {**dict(more["json"]), **named}}  # type: ignore[call-overload]
            named = {}
        address = REST + path.replace("{}", world.ids[0])
        return see(await world.http.request(method, address, params=dict(named), **body))

    return look


def page(method: str, path: str, see: Callable[[httpx2.Response], object], **form: object) -> Look:
    """Return what one sees on a page; `{0}` and `{1}` are submissions."""

    async def look(world: World, named: Mapping[str, str]) -> object:
        address = path.format(*world.ids)
        if method == "GET":
            return see(await world.browser.get(address, params=dict(named) or None))
        sent = {"files": {"file": ("a.jsonl", world.file())}} if form.get("upload") else {}
        return see(await world.browser.post(address, data={"chosen": "no"}, **sent))  # type: ignore[arg-type]

    return look


def tool(name: str) -> Look:
    """Return whether a tool of an open attempt accepts a call."""

    async def look(world: World, _: Mapping[str, str]) -> object:
        handles = {"attempt": world.attempt, "item": world.leased}
        if name in ("get_item", "list_items"):
            del handles["item"]
        elif name == "start_attempt":
            handles = {}
        elif name == "submit_answer":
            # The same answer again would be the earlier one, as after a lost reply.
            handles["answer"] = f"answer {next(world.number)}"
        return (await world.call(name, **handles)) is not None

    return look


def refused(response: httpx2.Response) -> bool:
    assert response.status_code < 500
    return response.status_code == 403


def says(words: str) -> Callable[[httpx2.Response], bool]:
    return lambda response: words in response.text


def state(response: httpx2.Response) -> str:
    read = response.json()
    (phase,) = read.get("exams", [read])[0]["phases"]
    return phase["state"]


def items(response: httpx2.Response) -> bool:
    """Return whether all items are shown."""
    read = response.json()
    status = read["submissions"][-1] if "submissions" in read else read
    return status["scores"][0]["items"] == 12


async def reported(world: World, _: Mapping[str, str]) -> object:
    return (await world.report())["shown"]


async def finished(world: World, _: Mapping[str, str]) -> object:
    read = await world.call("finish_attempt", attempt=world.ids[2])
    assert read is not None
    return read["shown"]


async def image(world: World, _: Mapping[str, str]) -> object:
    given = {"attempt": world.attempt, "item": world.leased}
    return not (await world.agent.call_tool("get_screenshot", given)).is_error


ENDS = (False, True, True)
"""Refused after the end."""
HIDES = (True, True, False)
"""Refused, or hidden, until all is final."""
CLOSES = (True, False, False)
CHOICE = {"json": {"chosen": False}}
DOORS: Mapping[str, tuple[Look, Sequence[object]]] = {
    "GET /v1/exams/{exam}": (rest("GET", "", state), ("open", "over", "over")),
    "POST /v1/exams/{exam}/submissions": (rest("POST", "/submissions", refused, upload=True), ENDS),
    "POST /v1/exams/{exam}/announcements": (
        rest("POST", "/announcements", refused, json={"sha256": sha256(b"x").hexdigest()}),
        ENDS,
    ),
    "GET /v1/exams/{exam}/quota": (rest("GET", "/quota", refused), ENDS),
    "GET /v1/exams/{exam}/submissions": (rest("GET", "/submissions", items), (False, False, True)),
    "GET /v1/exams/{exam}/submissions/{submission}": (
        rest("GET", "/submissions/{}", items),
        (False, False, True),
    ),
    "POST /v1/exams/{exam}/submissions/{submission}/choose": (
        rest("POST", "/submissions/{}/choose", refused, **CHOICE),
        ENDS,
    ),
    "POST /v1/exams/{exam}/submissions/{submission}/withdraw": (
        rest("POST", "/submissions/{}/withdraw", refused),
        ENDS,
    ),
    "GET /v1/exams/{exam}/submissions/{submission}/report": (
        rest("GET", "/submissions/{}/report", refused),
        HIDES,
    ),
    "GET /v1/exams/{exam}/leaderboard": (
        rest("GET", "/leaderboard", lambda response: response.json()["part"]),
        ("public", "public", "all"),
    ),
    "GET /v1/exams/{exam}/export": (rest("GET", "/export", refused), HIDES),
    "GET /": (page("GET", "/", says("<dd>open</dd>")), CLOSES),
    "GET /leaderboard": (page("GET", "/leaderboard", says("over a part of the items")), HIDES),
    "GET /submissions": (page("GET", "/submissions", says("No phase takes uploads")), ENDS),
    "POST /submissions": (page("POST", "/submissions", refused, upload=True), ENDS),
    "GET /submissions/{submission}": (page("GET", "/submissions/{1}", says("Withdraw it")), CLOSES),
    "GET /submissions/{submission}/report": (
        page("GET", "/submissions/{0}/report", refused),
        HIDES,
    ),
    "POST /submissions/{submission}/choose": (
        page("POST", "/submissions/{0}/choose", refused),
        ENDS,
    ),
    "POST /submissions/{submission}/withdraw": (
        page("POST", "/submissions/{0}/withdraw", refused),
        ENDS,
    ),
    "GET /compare": (page("GET", "/compare?one={0}&other={1}", refused), HIDES),
    "tool start_attempt": (tool("start_attempt"), CLOSES),
    "tool get_item": (tool("get_item"), CLOSES),
    "tool get_screenshot": (image, CLOSES),
    "tool submit_answer": (tool("submit_answer"), CLOSES),
    "tool finish_attempt": (finished, ("public", "public", "all")),
    "resource report": (reported, ("public", "public", "all")),
}
BY_NAME = {
    *("POST /v1/exams/{exam}/submissions", "POST /v1/exams/{exam}/announcements"),
    *("GET /v1/exams/{exam}/quota", "GET /v1/exams/{exam}/submissions"),
    *("GET /v1/exams/{exam}/leaderboard", "GET /v1/exams/{exam}/export", "GET /leaderboard"),
}
"""Doors that take the name of a phase; all others find it by themselves."""

NO_PHASE = {
    *("GET /v1/exams", "GET /v1/openapi.json", "GET /api", "GET /style.css", "GET /{rest:path}"),
    # Items may be seen from a start on, and still after an end.
    *("GET /v1/exams/{exam}/items", "GET /v1/exams/{exam}/image", "GET /items", "GET /item"),
    *("GET /image", "tool list_benchmarks", "tool list_items"),
    *("GET /v1/exams/{exam}/submissions/{submission}/file", "GET /submissions/{submission}/file"),
}
FOR_OTHERS = ("organize", "annotat", "join", "sign", "invit", "request", "token", "events", "alike")
"""Words in the addresses of organizers and raters, who see everything, and of accounts."""
ORGANIZERS = ("remove", "restore", "baseline", "retry", "rescore", "change")


def doors_of(routes: Sequence[BaseRoute], prefix: str = "") -> Iterator[str]:
    """Yield the doors of an application."""
    for route in routes:
        if isinstance(route, Mount):
            yield from doors_of(route.routes, prefix + route.path)
        elif isinstance(route, Route):
            for method in sorted((route.methods or {"GET"}) - {"HEAD"}):
                yield f"{method} {prefix}{route.path}"


Opening = Callable[[int], AbstractAsyncContextManager[World]]


@pytest.fixture
def world(tmp_path: Path) -> Opening:
    """Return a function that opens an exam whose phase has an end, with two graded submissions."""

    @asynccontextmanager
    async def opened(end: int) -> AsyncGenerator[World]:
        time, folder = [NOON], exam_folder("wireframes")
        main = Phase.model_validate(
            {
                "name": "main",
                "end": datetime.fromtimestamp(end / 1000, UTC),
                "public_share": 0.5,
                "counts": "chosen",
                "reports": "public",
            }
        )
        rules = Rules(submissions=50)
        file = ExamFile(name="sample", packs=(str(folder),), rules=rules, phases=(main,))
        settings = Settings((folder,), tmp_path / "exam.sqlite", rules, file=file)
        exam, database = read_exam(settings), open_store(tmp_path / "exam.sqlite")
        clock, digest = Clock(now=lambda: time[0]), references_digest(settings)
        moves = Phases(file, lambda: database.read(lambda c: queries.MOVES.all(c, {})))
        host = Host(Service(exam, database, clock, moves, lambda: digest), Screenshots(), database)
        challenge = Challenge(file, host.service.exam, digest, database, clock)
        await challenge.begin()
        tokens, served = Tokens.of(database, file), Hosted(challenge, settings, 0)
        app = Starlette(routes=challenge_routes(served, tokens, guarded=True))
        token = tokens.create("ada", (Scope.SUBMIT,))
        transport, host_name = httpx2.ASGITransport(app), "http://127.0.0.1"
        lazy = LazyHost(lambda: host)
        own = {"Sec-Fetch-Site": "same-origin"}
        try:
            async with (
                httpx2.AsyncClient(
                    transport=transport,
                    base_url=host_name,
                    headers={"Authorization": f"Bearer {token}"},
                ) as http,
                httpx2.AsyncClient(transport=transport, base_url=host_name, headers=own) as browser,
                Client(ExamServer(lazy).server) as agent,
            ):
                sent = await browser.post("/signin", data={"token": token})
                assert sent.status_code == 303
                asked = list(exam.asked("screenqa/short"))
                made = World(challenge, settings, time, app, http, browser, agent, asked)
                await prepare(made)
                yield made
        finally:
            await lazy.close()

    return opened


async def prepare(world: World) -> None:
    """Grade two submissions, finish an attempt, and open another one."""
    kind = {"content-type": "application/x-ndjson"}
    sent = [
        await world.http.post(f"{REST}/submissions", content=world.file(), headers=kind)
        for _ in range(2)
    ]
    worker = Worker(world.challenge, world.settings)
    try:
        while await asyncio.to_thread(worker.step):
            pass
    finally:
        worker.close()
    first = await world.call("start_attempt")
    assert first is not None
    done = first["attempt"]
    await world.call("get_item", attempt=done)
    await world.call("finish_attempt", attempt=done)
    second = await world.call("start_attempt")
    assert second is not None
    world.attempt = second["attempt"]
    leased = await world.call("get_item", attempt=world.attempt)
    assert leased is not None
    world.leased = leased["item"]
    world.ids = [*(each.json()["id"] for each in sent), done]


async def check(world: World, at: int, expected: int) -> None:
    """Look through every door at a time, by the phase's name and without it."""
    world.time[0] = at
    for name, (look, shown) in DOORS.items():
        for named in ({}, {"phase": "main"}) if name in BY_NAME else ({},):
            found = await look(world, named)
            assert found == shown[expected], (name, named, at - NOON, expected)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("end", "moved", "moments"),
    [
        (SOON, None, ((SOON, OPEN), (SOON + 1, GRACE), (SOON + GRACE_MS + 1, FINAL))),
        (
            SOON,
            LATE,
            (
                *((SOON - 1, OPEN), (SOON + 1, OPEN), (SOON + GRACE_MS + 1, OPEN), (LATE, OPEN)),
                *((LATE + 1, GRACE), (LATE + GRACE_MS + 1, FINAL)),
            ),
        ),
        (
            LATE,
            SOON,
            (
                *((SOON, OPEN), (SOON + 1, GRACE), (SOON + GRACE_MS + 1, FINAL)),
                *((LATE - 1, FINAL), (LATE + GRACE_MS + 1, FINAL)),
            ),
        ),
    ],
    ids=["as in the file", "moved to a later time", "moved to an earlier time"],
)
async def test_every_door_goes_by_the_end_that_holds(
    world: Opening, end: int, moved: int | None, moments: Sequence[tuple[int, int]]
) -> None:
    async with world(end) as here:
        if moved is not None:
            await here.move(moved)
        for at, expected in moments:
            await check(here, at, expected)


@pytest.mark.slow
async def test_a_new_door_is_in_the_table(world: Opening) -> None:
    async with world(SOON) as here:
        tools = [f"tool {each.name}" for each in (await here.agent.list_tools()).tools]
        found = {*doors_of(here.app.routes), *tools, "resource report"}
    others = {
        name
        for name in found
        if any(word in name for word in FOR_OTHERS) or name.rpartition("/")[2] in ORGANIZERS
    }
    assert found - others - NO_PHASE == DOORS.keys()
