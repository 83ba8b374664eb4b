"""Organizers over HTTP: what their tokens open, and nobody else's."""

import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from sqlalchemy import Connection

from snellen.server.attempts.models import Caller
from snellen.server.attempts.service import Service
from snellen.server.errors import NoSuchAttemptError
from snellen.server.exam.rules import Rules
from snellen.server.host import LazyHost, open_exam
from snellen.server.http.app import organizer_routes, web_app
from snellen.server.http.auth import Tokens
from snellen.server.http.organizer import is_organizer_path
from snellen.server.mcp.server import ExamServer
from snellen.server.mcp.tools import TOOLS
from snellen.server.settings import Address, Settings
from snellen.server.store.schema import open_store
from snellen.server.store.tables.exams import Attempt, Scope, State
from snellen.tasks.samples import sample_pack

ROUTES = [
    ("GET", "/attempts"),
    ("GET", "/attempts/1"),
    ("GET", "/attempts/1/report"),
    ("GET", "/attempts/1/answers"),
    ("POST", "/attempts/sweep"),
    ("POST", "/attempts/1/reissue"),
]
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
ME = Caller("alice")


@dataclass
class Door:
    """A server in memory: its rules, its tokens, and a way to knock."""

    service: Service
    tokens: Tokens
    http: httpx2.AsyncClient

    async def ask(
        self, path: str, token: str | None = None, *, method: str = "GET"
    ) -> tuple[int, Any]:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        response = await self.http.request(method, path, headers=headers)
        return response.status_code, response.json()

    def change(self, statement: str) -> None:
        """Change the store behind the server's back."""

        def work(connection: Connection) -> None:
            connection.exec_driver_sql(statement)

        self.tokens.database.submit(work).result()

    async def take(self, golds: Mapping[str, str], right: int, *, finish: bool = True) -> Attempt:
        """Answer every item, the first of them rightly."""
        attempt = (await self.service.start(ME)).attempt
        for number in range(attempt.progress.open):
            leased = await self.service.lease(attempt, ME)
            answer = golds[leased.question.item.prompt] if number < right else "no idea"
            await self.service.submit(attempt, ME, leased.item.opaque, answer)
        if finish:
            await self.service.finish(attempt)
        return self.service.numbered(attempt.id)


Served = Callable[..., Any]


@pytest.fixture
def door(store: Path) -> Served:
    """Return a function that serves the sample in memory, by some rules."""

    @asynccontextmanager
    async def serve(*, guarded: bool = True, **rules: object) -> AsyncGenerator[Door]:
        settings = Settings((sample_pack(),), store, Rules.model_validate(rules))
        opened = open_exam(settings)
        tokens = Tokens(opened.database)
        app = web_app(
            ExamServer(LazyHost(lambda: opened)),
            Address(),
            tokens if guarded else None,
            organizer_routes(opened.service, tokens),
        )
        transport = httpx2.ASGITransport(app)
        async with httpx2.AsyncClient(
            transport=transport, base_url="http://127.0.0.1:8765"
        ) as http:
            yield Door(opened.service, tokens, http)
        opened.close()

    return serve


@pytest.mark.parametrize(("method", "path"), ROUTES)
async def test_only_a_token_for_organizing_opens_a_route(
    door: Served, method: str, path: str
) -> None:
    async with door(sample=1) as served:
        await served.service.finish((await served.service.start(ME)).attempt)
        status, said = await served.ask(path, method=method)
        assert (status, "there is no token yet" in said["error"]) == (403, True)
        take = served.tokens.create("alice")
        status, said = await served.ask(path, take, method=method)
        assert status == 403
        assert "not for organizing; `snellen token create NAME --scope organize`" in said["error"]
        assert (await served.ask(path, method=method))[0] == 401
        assert (await served.ask(path, "nonsense", method=method))[0] == 401
        boss = served.tokens.create("boss", [Scope.ORGANIZE])
        if path.endswith("answers"):
            headers = {"Authorization": f"Bearer {boss}"}
            assert (await served.http.get(path, headers=headers)).status_code == 200
        else:
            assert (await served.ask(path, boss, method=method))[0] == 200
        served.tokens.revoke("boss")
        assert (await served.ask(path, boss, method=method))[0] == 401


@pytest.mark.parametrize("guarded", [True, False])
async def test_a_server_without_tokens_is_as_closed_to_strangers(
    door: Served, guarded: bool
) -> None:
    async with door(guarded=guarded, sample=1) as served:
        assert (await served.ask("/attempts"))[0] == 403
        # A token that is made while the server runs opens the organizer's routes at once.
        boss = served.tokens.create("boss", [Scope.ORGANIZE])
        assert (await served.ask("/attempts", boss))[0] == 200
        assert (await served.ask("/attempts"))[0] == 401


async def test_a_token_for_organizing_alone_takes_no_exam(door: Served) -> None:
    async with door() as served:
        boss = served.tokens.create("boss", [Scope.ORGANIZE])
        status, said = await served.ask("/mcp", boss, method="POST")
        assert (status, "not for taking the exam" in said["error"]) == (403, True)


async def test_an_examinee_sees_no_tool_of_an_organizer(door: Served) -> None:
    async with door():
        assert len(TOOLS) == 7
        assert not [name for name in TOOLS if "attempts" in name or "sweep" in name]


async def test_attempts_are_listed_page_by_page(door: Served, golds: Mapping[str, str]) -> None:
    async with door(sample=2) as served:
        boss = served.tokens.create("boss", [Scope.ORGANIZE])
        numbers = [(await served.take(golds, right)).id for right in (2, 1, 0)]
        status, first = await served.ask("/attempts?limit=2", boss)
        assert status == 200
        assert [(one["number"], one["value"]) for one in first["attempts"]] == [
            (numbers[0], 1.0),
            (numbers[1], 0.5),
        ]
        assert first["next"] == numbers[1]
        _, rest = await served.ask(f"/attempts?after={first['next']}", boss)
        assert [one["number"] for one in rest["attempts"]] == [numbers[2]]
        assert rest["next"] is None


async def test_the_answers_are_those_of_an_export(door: Served, golds: Mapping[str, str]) -> None:
    async with door() as served:
        boss = served.tokens.create("boss", [Scope.ORGANIZE])
        attempt = await served.take(golds, 5)
        headers = {"Authorization": f"Bearer {boss}"}
        (exported,) = served.service.export(attempt)
        for query in ("", "?task=screenqa/short"):
            path = f"/attempts/{attempt.id}/answers{query}"
            response = await served.http.get(path, headers=headers)
            assert response.text == exported.lines()
            assert response.headers["content-type"].startswith("application/x-ndjson")
        lines = [json.loads(line) for line in exported.lines().splitlines()]
        assert len(lines) == 12
        assert {line["task"] for line in lines} == {"screenqa/short"}


async def test_a_report_is_the_examinees_or_made_where_there_is_none(
    door: Served, golds: Mapping[str, str]
) -> None:
    async with door() as served:
        boss = served.tokens.create("boss", [Scope.ORGANIZE])
        finished = await served.take(golds, 6)
        status, report = await served.ask(f"/attempts/{finished.id}/report", boss)
        assert (status, report) == (200, json.loads(finished.report))
        given_up = await served.take(golds, 3, finish=False)
        path = f"/attempts/{given_up.id}/report"
        status, said = await served.ask(path, boss)
        assert status == 409
        assert said["error"].startswith("the attempt is open: its answers are graded when")
        assert f"`snellen attempts close {given_up.id}`" in said["error"]
        await served.service.abandon(given_up)
        status, report = await served.ask(path, boss)
        assert (status, report["state"], report["value"]) == (200, "abandoned", 3 / 12)
        # It is the organizer's alone: the examinee who gave up gets none.
        assert served.service.numbered(given_up.id).report is None


async def test_details_count_the_calls_that_have_just_been_made(door: Served) -> None:
    async with door() as served:
        boss = served.tokens.create("boss", [Scope.ORGANIZE])
        attempt = (await served.service.start(ME)).attempt
        status, found = await served.ask(f"/attempts/{attempt.id}", boss)
        assert status == 200
        assert (found["state"], found["report"], found["rules"]["mode"]) == ("open", None, "exam")
        assert (found["cost"]["calls"], found["total"]) == (0, 12)


async def test_an_organizer_replaces_a_handle(door: Served) -> None:
    async with door() as served:
        boss = served.tokens.create("boss", [Scope.ORGANIZE])
        started = await served.service.start(ME)
        path = f"/attempts/{started.attempt.id}/reissue"
        status, said = await served.ask(path, boss, method="POST")
        assert (status, said["number"]) == (200, started.attempt.id)
        assert served.service.attempt(said["attempt"], ME.name).id == started.attempt.id
        with pytest.raises(NoSuchAttemptError):
            served.service.attempt(started.handle, ME.name)
        await served.service.abandon(started.attempt)
        status, said = await served.ask(path, boss, method="POST")
        assert (status, "was abandoned" in said["error"]) == (409, True)


async def test_a_sweep_says_what_it_closed(door: Served) -> None:
    async with door(minutes=1) as served:
        boss = served.tokens.create("boss", [Scope.ORGANIZE])
        attempt = (await served.service.start(ME)).attempt
        served.change("update attempts set deadline = deadline - 60001")
        swept = await served.ask("/attempts/sweep", boss, method="POST")
        assert swept == (200, {"expired": 1, "abandoned": 0})
        assert served.service.numbered(attempt.id).closed is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/attempts?aftr=1", 400, "no parameter 'aftr' here; it takes after and limit"),
        ("/attempts/1?x=1", 400, "no parameter 'x' here; it takes none"),
        ("/attempts?after=x", 400, "after must be a number from 0 to"),
        ("/attempts?limit=0", 400, "limit must be a number from 1 to 100"),
        ("/attempts?limit=101", 400, "limit must be a number from 1 to 100"),
        (f"/attempts?after={10**30}", 400, "after must be a number from 0 to"),
        ("/attempts/9", 404, "there is no attempt 9 in this store"),
        (f"/attempts/{10**30}", 404, "there is no attempt 1000"),
        ("/attempts/1/answers", 409, "the attempt is open: its answers are exported when"),
        ("/attempts/1/answers?task=x/y", 400, "attempt 1 has only the tasks screenqa/short"),
    ],
)
async def test_what_can_not_be_answered_is_said(
    door: Served, path: str, status: int, said: str
) -> None:
    async with door(sample=1) as served:
        boss = served.tokens.create("boss", [Scope.ORGANIZE])
        await served.service.start(ME)
        found, body = await served.ask(path, boss)
        assert (found, said in body["error"]) == (status, True), body


@pytest.mark.parametrize("idle", ["0", "-5", "nan", "inf", "", "soon"])
async def test_a_sweep_of_what_is_not_idle_is_refused(door: Served, idle: str) -> None:
    async with door() as served:
        boss = served.tokens.create("boss", [Scope.ORGANIZE])
        attempt = (await served.service.start(ME)).attempt
        status, said = await served.ask(f"/attempts/sweep?idle={idle}", boss, method="POST")
        assert (status, "idle must be a number from 1 to" in said["error"]) == (400, True)
        assert served.service.numbered(attempt.id).state is State.OPEN


async def test_a_fault_says_nothing_of_itself(door: Served) -> None:
    async with door() as served:
        boss = served.tokens.create("boss", [Scope.ORGANIZE])
        attempt = (await served.service.start(ME)).attempt
        await served.service.close(attempt)
        served.change("""update attempts set report = '{"gold": "SECRET"}'""")
        status, said = await served.ask(f"/attempts/{attempt.id}", boss)
        assert status == 500
        assert "its log has the reason" in said["error"]
        assert "SECRET" not in said["error"]


@pytest.mark.parametrize(
    ("path", "theirs"),
    [
        ("/attempts", True),
        ("/attempts/", True),
        ("/attempts/1/report", True),
        ("/attemptsx", False),
        ("/mcp", False),
        ("/mcp/attempts", False),
        ("", False),
    ],
)
def test_which_paths_are_an_organizers(path: str, theirs: bool) -> None:
    assert is_organizer_path(path) is theirs


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), True),
        (("--mode", "deferred"), True),
        (("--attempts", "1"), False),
        (("--mode", "practice"), False),
    ],
)
def test_a_server_says_where_attempts_are_not_limited(
    serve: Served, store: Path, options: tuple[str, ...], said: bool
) -> None:
    told = "".join(serve("--store", str(store), *options).said)
    assert ("attempts are not limited" in told and "--attempts 1 allows one" in told) is said


@pytest.mark.slow
def test_a_real_server_answers_an_organizer(serve: Served, store: Path) -> None:
    served = serve("--store", str(store))
    database = open_store(store)
    boss = Tokens(database).create("boss", [Scope.ORGANIZE])
    database.close()
    url = served.url.removesuffix("/mcp") + "/attempts"
    found = httpx2.get(url, headers={"Authorization": f"Bearer {boss}"})
    assert (found.status_code, found.json()) == (200, {"attempts": [], "next": None})
    assert httpx2.get(url).status_code == 401
    log = [json.loads(line) for line in served.stop().splitlines() if line.startswith("{")]
    assert [
        (line["path"], line["status"], line["caller"]) for line in log if line["event"] == "request"
    ] == [("/attempts", 200, "boss"), ("/attempts", 401, None)]
    assert not any(boss in json.dumps(line) for line in log)
