"""In each state of a phase, nothing comes out that is not to be seen yet: over MCP, REST and pages.

Three exams are equal but for what their participant got right: `right` and `other` have as many
right answers in each part of the items, `worse` has none in the private part. Every GET of the
OpenAPI document, every page and file that links lead to, and every tool and resource of MCP is
called in each state as an anonymous visitor, as the participant and as another one. If scores are
hidden, the answers of the three exams are equal, and so they are for whom only the public part is
shown. While no item's outcome is shown, those of the first two are. No answer holds a reference
that nobody gave, a path of the server, or an item before the start.
"""

import asyncio
import json
import re
import zlib
from collections import deque
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from html import unescape
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from hosted import NOON, as_lines
from markers import markers_in
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent
from PIL import Image
from starlette.applications import Starlette
from starlette.routing import Mount

import snellen.server
from snellen import sdk
from snellen.server.attempts.register import Clock
from snellen.server.attempts.service import Service
from snellen.server.challenge.models import Upload, UploadBody
from snellen.server.challenge.service import Challenge
from snellen.server.challenge.workers import AttemptCollector, Worker
from snellen.server.exam.file import ExamFile, Phase
from snellen.server.grading.answers import public_mask
from snellen.server.grading.exam import read_exam, references_digest
from snellen.server.host import Host, LazyHost
from snellen.server.http.app import Hosted, challenge_routes, monitor_routes, web_app
from snellen.server.http.auth import Tokens
from snellen.server.http.observe import RequestMetrics
from snellen.server.mcp.server import ExamServer
from snellen.server.screenshots.service import Screenshots
from snellen.server.settings import Address, Settings
from snellen.server.store.schema import open_store
from snellen.server.store.tables.exams import Scope
from snellen.tasks.pack.write import Part, write_pack

pytestmark = pytest.mark.slow

TASK = "screenqa/short"
URL = "http://127.0.0.1:8765"
MINUTE = 60_000
START, END = (datetime.fromtimestamp(NOON / 1000 + side, UTC) for side in (-3600, 3600))
BEFORE, OPEN, AFTER = (NOON + hours * 60 * MINUTE for hours in (-2, 0, 2))
SHARE: dict[str, object] = {"public_share": 0.5}
FIRST_SCREEN = 48_151_623
SCREENS = range(FIRST_SCREEN, FIRST_SCREEN + 12)
"""The numbers of screens: no other number is like them."""


def said(kind: str, screen: int) -> str:
    """Return a text about a screen that looks random and is the same in each run."""
    return kind + sha256(f"{kind} {screen}".encode()).hexdigest()[:24]


@dataclass(frozen=True)
class Pack:
    """A pack of a question on each of some screens.

    Attributes:
        settings: What its exam is opened with.
        items: The ids of its items.
        public: Those in the public part of a phase that has one.
    """

    settings: Settings
    items: Sequence[str]
    public: frozenset[str]

    def answers(self, which: str) -> dict[str, str]:
        """Return the answers of one of the three exams, which are all of the same length."""
        parts = [
            [item for item in self.items if (item in self.public) is public]
            for public in (True, False)
        ]
        right: set[str] = set()
        for place, part in enumerate(parts):
            half = len(part) // 2
            if which != "worse" or place == 0:
                right |= {*(part[-half:] if which == "other" else part[:half])}
        return {
            item: said("known" if item in right else "wrong", int(item.split("/")[1]))
            for item in self.items
        }


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Pack:
    """Write the pack; each item has a reference that is given and one that is not."""
    folder = tmp_path_factory.mktemp("published")
    (folder / "images").mkdir()
    (folder / "short_answers").mkdir()
    (folder / "answers_and_bboxes").mkdir()
    rows: list[dict[str, object]] = []
    for screen in SCREENS:
        shade = screen % 256
        Image.new("RGB", (60, 80), (shade, 255 - shade, 100)).save(
            folder / "images" / f"{screen}.png"
        )
        golds = [said("known", screen), said("gold", screen)]
        question = f"What is {said('item', screen)}?"
        rows.append({"image_id": screen, "question": question, "ground_truth": golds})
    (folder / "short_answers" / "test.json").write_text(json.dumps(rows))
    data = sdk.load(TASK, folder, images=folder / "images")
    made = folder / "pack"
    write_pack([Part(data)], made, name="phased")
    settings = Settings((made,), folder / "exam.sqlite")
    report = sdk.grade(dict.fromkeys(data.ids, "x"), data=data, progress=False)
    phase = Phase.model_validate({"name": "main", **SHARE})
    mask = public_mask(report, references_digest(settings), phase)
    public = frozenset(
        item for item, shown in zip(report.scores.ids, mask.tolist(), strict=True) if shown
    )
    assert 4 <= len(public) <= 8
    return Pack(settings, list(data.ids), public)


# ---- an exam that can be in each state ---------------------------------------------------------


class Recorder(httpx2.AsyncBaseTransport):
    """Passes requests on to an application and keeps what comes back.

    Attributes:
        kept: Who called what, with the status, the headers and the body.
    """

    def __init__(self, app: Starlette, who: str, kept: list[tuple[str, str]]) -> None:
        self._inner = httpx2.ASGITransport(app, raise_app_exceptions=False)
        self._who = who
        self._kept = kept
        self._numbers = count()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Serve one request."""
        request.headers["X-Request-Id"] = f"{next(self._numbers):08}"
        sent = await request.aread()
        response = await self._inner.handle_async_request(request)
        body = await response.aread()
        assert response.status_code not in (429, 500), (request.url, body)
        address = str(request.url).removeprefix(URL)
        asked = f"{self._who} {request.method} {address} {sent.decode(errors='replace')}"
        headers = sorted(f"{key}: {value}" for key, value in response.headers.items())
        text = body.decode("utf-8", "backslashreplace")
        self._kept.append((asked, "\n".join([str(response.status_code), *headers, text])))
        return response


class Exam:
    """One of the three exams, with its store and a clock."""

    def __init__(self, pack: Pack, which: str, folder: Path) -> None:
        self.pack, self.which = pack, which
        self.time = OPEN
        self.database = open_store(folder / f"{which}.sqlite")
        self.tokens = Tokens(self.database, lambda: self.time)
        names = {"ada": (Scope.TAKE, Scope.SUBMIT), "bob": (Scope.TAKE, Scope.SUBMIT)}
        self.secrets = {name: self.tokens.create(name, scopes) for name, scopes in names.items()}
        self.ids: list[str] = []
        self.handles: list[str] = []
        self._random = Random(7)

    def clock(self) -> Clock:
        """Return the exam's clock, whose randomness is the same in the three exams."""
        return Clock(now=lambda: self.time, random=self._random.randbytes)

    def opened(self, **rules: object) -> tuple[Starlette, Challenge, Service]:
        """Open the exam with a phase by some rules."""
        settings = self.pack.settings
        known = {"name": "main", "start": START, "end": END, "counts": "all", **rules}
        phase = Phase.model_validate(known)
        file = ExamFile(name="phased", packs=(str(settings.packs[0]),), phases=(phase,))
        digest = references_digest(settings)
        exam = read_exam(settings)
        challenge = Challenge(file, exam.spec, digest, self.database, self.clock())
        service = Service(
            exam, self.database, self.clock(), challenge.phases, secret=lambda: digest
        )
        host = Host(service, Screenshots(), self.database)
        app = web_app(
            ExamServer(LazyHost(lambda: host)),
            Address(),
            self.tokens,
            [
                *monitor_routes(service, challenge, self.tokens, RequestMetrics()),
                *challenge_routes(Hosted(challenge, settings, 0), self.tokens, guarded=True),
            ],
        )
        return app, challenge, service

    async def take_part(self) -> None:
        """Let ada upload a file and take an attempt, and bob upload two, one of them no file."""
        app, challenge, service = self.opened(**SHARE)
        await challenge.begin()
        answers = self.pack.answers(self.which)
        nothing = dict.fromkeys(self.pack.items, "nothing")
        for caller, lines in (
            ("ada", as_lines(answers)),
            ("bob", as_lines(nothing)),
            ("bob", "nonsense\n"),
        ):
            body = lines.encode()
            upload_body = UploadBody([zlib.compress(body)], sha256(body).digest(), len(body))
            given = Upload(caller, upload_body, ".jsonl", OPEN)
            self.ids.append((await challenge.submissions.keep(given))[0].id)
        by_question = {said("item", screen): screen for screen in SCREENS}
        async with app.router.lifespan_context(app), self.agent(app, "ada", []) as client:
            handle = (await told(client, "start_attempt"))["attempt"]
            for _ in SCREENS:
                item = await told(client, "get_item", attempt=handle)
                (question,) = re.findall(r"item[0-9a-f]{24}", item["prompt"])
                answer = answers[f"test/{by_question[question]}/0"]
                await told(
                    client, "submit_answer", attempt=handle, item=item["item"], answer=answer
                )
            await told(client, "finish_attempt", attempt=handle)
            self.handles.append(handle)
        await AttemptCollector(challenge, service).collect()
        worker = Worker(challenge, self.pack.settings)
        try:
            while await asyncio.to_thread(worker.step):
                pass
        finally:
            worker.close()
        listed = [row.id for row in challenge.submissions.listed("ada")]
        self.ids += [each for each in listed if each not in self.ids]
        assert len(self.ids) == 4

    @asynccontextmanager
    async def agent(
        self, app: Starlette, who: str, kept: list[tuple[str, str]]
    ) -> AsyncGenerator[Client]:
        """Connect an agent over MCP; what it is sent is kept."""
        headers = {} if who == "anonymous" else {"Authorization": f"Bearer {self.secrets[who]}"}
        transport = Recorder(app, f"{who} over MCP", kept)
        async with (
            httpx2.AsyncClient(transport=transport, headers=headers) as http,
            Client(streamable_http_client(f"{URL}/mcp", http_client=http)) as client,
        ):
            yield client

    async def crawl(self, at: int, **rules: object) -> "Answers":
        """Call all that can be called at a time, with a phase by some rules."""
        self.time = at
        self._random = Random(at)
        app, challenge, _ = self.opened(**rules)
        if not self.ids:
            await challenge.begin()
        kept: list[tuple[str, str]] = []
        async with app.router.lifespan_context(app):
            for who in ("anonymous", *self.secrets):
                await self.look(app, who, kept)
            for who in self.secrets:
                async with self.agent(app, who, kept) as client:
                    await self.act(client)
        return Answers(kept)

    async def look(self, app: Starlette, who: str, kept: list[tuple[str, str]]) -> None:
        """GET every route of the OpenAPI document, and all that links lead to."""
        headers = {} if who == "anonymous" else {"Authorization": f"Bearer {self.secrets[who]}"}
        transport = Recorder(app, who, kept)
        async with httpx2.AsyncClient(
            transport=transport, base_url=URL, headers=headers, follow_redirects=False
        ) as http:
            waiting = deque(["/", "/ready", "/health", "/v1/openapi.json"])
            waiting += self.addresses(app)
            seen = set(waiting)
            if who == "anonymous":
                call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
                assert (await http.post("/mcp", json=call)).status_code == 401
            while waiting:
                address = waiting.popleft()
                response = await http.get(address)
                assert "paths" in response.text or address != "/v1/openapi.json"
                if "html" in response.headers.get("content-type", ""):
                    for link in links(response.text, address):
                        if link not in seen:
                            seen.add(link)
                            waiting.append(link)

    def addresses(self, app: Starlette) -> Iterator[str]:
        """Yield every GET of the OpenAPI document and every page, with what leads to all of it."""
        mounts = [route for route in app.routes if isinstance(route, Mount)]
        (rest,) = [mount.app for mount in mounts if isinstance(mount.app, FastAPI)]
        paths = {f"/v1{path}": methods for path, methods in rest.openapi()["paths"].items()}
        queries = {
            "items": ["", "?limit=200"],
            "image": [f"?item={item}" for item in self.pack.items],
            "leaderboard": [
                "",
                "?format=csv",
                "?source=attempt",
                f"?task={TASK}",
                *(f"?tag=image_id={screen}" for screen in SCREENS),
            ],
            "openapi.json": [""],
        }
        for path, methods in paths.items():
            if "get" in methods:
                for query in queries.get(path.rpartition("/")[2], [""]):
                    yield from (address + query for address in self.filled(path))
        for path in ("leaderboard", "submissions", "compare", "items", "organize", "api"):
            for query in queries.get(path, [""]):
                yield f"/{path}{query}"
        yield from ("/organize/export", "/organize/alike", "/annotate", "/metrics")
        for item in self.pack.items:
            yield from (f"/item?item={item}", f"/image?item={item}")
        for one in self.ids:
            yield from (f"/submissions/{one}{rest}" for rest in ("", "/file", "/report"))
            yield from (f"/compare?one={one}&other={other}" for other in self.ids)

    def filled(self, path: str) -> Iterator[str]:
        """Yield a path with all that can stand in it."""
        path = path.replace("{exam}", "phased").replace("{phase}", "main")
        path = path.replace("{name}", "ada")
        if "{submission}" in path:
            yield from (path.replace("{submission}", one) for one in (*self.ids, "sub_0"))
        else:
            yield path

    async def act(self, client: Client) -> None:
        """Call every tool, read every resource and get every prompt."""
        tools = [tool.name for tool in (await client.list_tools()).tools]
        resources = [str(each.uri) for each in (await client.list_resources()).resources]
        await client.list_resource_templates()
        for prompt in (await client.list_prompts()).prompts:
            await client.get_prompt(prompt.name, {})
        resources += [f"exam://benchmarks/{TASK}", "exam://benchmarks/screenqa"]
        resources += [f"exam://attempts/{handle}/report" for handle in self.handles]
        for uri in resources:
            with suppress(MCPError):  # what it said is kept
                await client.read_resource(uri)
        started = await client.call_tool("start_attempt", {})
        new = [] if started.is_error else [json.loads(text_of(started))["attempt"]]
        await client.call_tool("list_benchmarks", {})
        for handle in (*self.handles, *new):
            got = await client.call_tool("get_item", {"attempt": handle})
            item = "nosuch" if got.is_error else json.loads(text_of(got))["item"]
            for tool in tools:
                given = {"attempt": handle, "item": item, "answer": "nothing"}
                takes = {
                    "submit_answer": given,
                    "get_screenshot": {"attempt": handle, "item": item},
                }
                if tool not in ("start_attempt", "list_benchmarks"):
                    await client.call_tool(tool, takes.get(tool, {"attempt": handle}))
        assert {*tools} == {
            *("list_benchmarks", "start_attempt", "list_items", "get_item", "get_screenshot"),
            *("submit_answer", "finish_attempt"),
        }


async def told(client: Client, tool: str, **arguments: object) -> dict[str, Any]:
    """Call a tool that must work and return its JSON."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, text_of(result)
    return json.loads(text_of(result))


def text_of(result: CallToolResult) -> str:
    """Return the text of a tool's result."""
    return next(each.text for each in result.content if isinstance(each, TextContent))


def links(html: str, address: str) -> Iterator[str]:
    """Yield the addresses of this site that a page leads to by GET."""
    for found in re.findall(r'(?:href|src|action)="([^"#]+)', html):
        link = unescape(found).replace(URL, "")
        if link.startswith("?"):
            yield address.partition("?")[0] + link
        elif link.startswith("/"):
            yield link


@dataclass(frozen=True)
class Answers:
    """All that came back, in order: what was asked for, and the answer."""

    all: Sequence[tuple[str, str]]

    def whole(self) -> bytes:
        """Return all that came back as bytes."""
        return "\0".join(answer for _, answer in self.all).encode()

    def of(self, who: str, address: str) -> str:
        """Return what came back to a caller from an address."""
        (found,) = [said for asked, said in self.all if asked == f"{who} GET {address} "]
        return found

    def shown(self) -> Mapping[str, Sequence[str]]:
        """Return the answers by what was asked, without the files that participants sent."""
        found: dict[str, list[str]] = {}
        for asked, answer in self.all:
            if "/file " not in asked:
                found.setdefault(asked, []).append(OWN.sub("", answer))
        return found


OWN = re.compile(r'[0-9a-f]{64}|etag: \S+|"graded":"[^"]+"')
"""Digests of files that a participant sent and of answers with these, and when it was graded."""


@pytest.fixture(scope="module")
def texts(pack: Pack) -> Mapping[str, Sequence[str]]:
    """Return the texts that must not come out: of golds, of items, and of paths."""
    home = Path(snellen.server.__file__).parents[2]
    return {
        "golds": [said("gold", screen) for screen in SCREENS],
        "items": [said("item", screen) for screen in SCREENS],
        "screens": [str(screen) for screen in SCREENS],
        "paths": [str(pack.settings.packs[0].parent), str(home), str(Path.cwd())],
    }


@pytest.fixture
def untaken(pack: Pack, tmp_path: Path) -> Iterator[Exam]:
    """Return an exam in which nobody took part yet."""
    exam = Exam(pack, "right", tmp_path)
    yield exam
    exam.database.close()


@pytest.fixture(scope="module")
def exams(pack: Pack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sequence[Exam]]:
    """Let the participants of three exams take part."""
    folder = tmp_path_factory.mktemp("stores")
    found = [Exam(pack, which, folder) for which in ("right", "other", "worse")]
    for exam in found:
        asyncio.run(exam.take_part())
    yield found
    for exam in found:
        exam.database.close()


def check_kept_back(answers: Answers, texts: Mapping[str, Sequence[str]]) -> None:
    """Check that no reference that nobody gave came out, and no path of the server."""
    whole = answers.whole()
    assert len(answers.all) > 150
    assert markers_in(texts["golds"], whole) == []
    assert [path for path in texts["paths"] if path.encode() in whole] == []


def check_equal(one: Answers, other: Answers) -> None:
    """Check that the answers of two exams are equal, but for what the participant sent."""
    left, right = one.shown(), other.shown()
    assert left.keys() == right.keys()
    for asked, found in left.items():
        assert found == right[asked], asked


HIDDEN: dict[str, object] = {"scores": "hidden"}
OWN_SCORES: dict[str, object] = {"scores": "own"}
PUBLIC: dict[str, object] = {"scores": "public"}


async def test_before_the_start_no_item_comes_out(
    untaken: Exam, texts: Mapping[str, Sequence[str]]
) -> None:
    for rules in (PUBLIC, {**PUBLIC, "exact": True}, {**PUBLIC, "reports": "public"}):
        answers = await untaken.crawl(BEFORE, **rules)
        check_kept_back(answers, texts)
        for asked, answer in answers.all:
            shown = [text for text in (*texts["items"], *texts["screens"]) if text in answer]
            # What was asked for may come back in an error.
            assert not [text for text in shown if text not in asked], asked
    later = (await untaken.crawl(OPEN)).whole()
    assert all(text.encode() in later for text in texts["items"])


@pytest.mark.parametrize("at", [OPEN, AFTER])
async def test_with_hidden_scores_nothing_depends_on_what_is_right(
    exams: Sequence[Exam], texts: Mapping[str, Sequence[str]], at: int
) -> None:
    for rules in (HIDDEN, {**HIDDEN, **SHARE}):
        found = [await exam.crawl(at, **rules) for exam in exams]
        for answers in found:
            check_kept_back(answers, texts)
            check_equal(found[0], answers)


async def test_while_a_part_is_private_nothing_depends_on_what_is_right_in_it(
    exams: Sequence[Exam], texts: Mapping[str, Sequence[str]]
) -> None:
    for rules in (PUBLIC, OWN_SCORES, {"reports": "public"}):
        found = [await exam.crawl(OPEN, **SHARE, **rules) for exam in exams]
        for answers in found:
            check_kept_back(answers, texts)
            check_equal(found[0], answers)


@pytest.mark.parametrize("at", [OPEN, AFTER])
async def test_without_reports_nothing_depends_on_which_answers_are_right(
    exams: Sequence[Exam], texts: Mapping[str, Sequence[str]], at: int
) -> None:
    right, other, worse = exams
    rules = PUBLIC if at == OPEN else OWN_SCORES
    one, two = await right.crawl(at, **rules), await other.crawl(at, **rules)
    check_kept_back(one, texts)
    check_equal(one, two)
    # The scores are there, and only for whom they are.
    shown = one.of("ada", f"/v1/exams/phased/submissions/{right.ids[0]}")
    assert '"value":' in shown
    with pytest.raises(AssertionError):
        check_equal(one, await worse.crawl(at, **rules))


async def test_after_the_end_the_private_part_is_shown_with_public_scores(
    exams: Sequence[Exam], texts: Mapping[str, Sequence[str]]
) -> None:
    right, _, worse = exams
    board = "/v1/exams/phased/leaderboard"
    during = [await exam.crawl(OPEN, **SHARE, **PUBLIC) for exam in (right, worse)]
    after = [await exam.crawl(AFTER, **SHARE, **PUBLIC) for exam in (right, worse)]
    for answers in after:
        check_kept_back(answers, texts)
    (some, same), (all_of, others) = (
        [OWN.sub("", answers.of("anonymous", board)) for answers in found]
        for found in (during, after)
    )
    assert some == same
    assert all_of != others


async def test_with_public_reports_no_reference_and_no_path_comes_out(
    exams: Sequence[Exam], texts: Mapping[str, Sequence[str]]
) -> None:
    for at in (OPEN, AFTER):
        answers = await exams[0].crawl(at, **PUBLIC, reports="public")
        check_kept_back(answers, texts)
        report = answers.of("anonymous", f"/v1/exams/phased/submissions/{exams[0].ids[0]}/report")
        assert report.startswith("200\n")
        assert said("known", FIRST_SCREEN) in report
