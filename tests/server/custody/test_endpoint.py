"""No route and no page shows a participant a reference: two exams that differ in gold alone.

Every route of the whole application is called with tokens of both scopes that examinees hold, and
with a rater's, for every task, item and image, before and after the same files were graded. A route
that refuses a caller an item of every task is not called for the others, and HEAD is not either. If
scores are hidden, the answers of the two exams are equal, byte by byte. If scores and reports are
public they differ, and no text of a reference is in them. The routes are those that the application
has, so that a new one fails the test until it is called.
"""

import asyncio
import json
import re
import zlib
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from markers import markers_in
from starlette.applications import Starlette
from starlette.routing import Mount, Route

from snellen.annotate.models import RaterAnswer
from snellen.annotate.service import AnnotationPlan, Annotations
from snellen.grading.models.items import AnswerKind
from snellen.server.attempts.register import Clock
from snellen.server.challenge.models import Upload, UploadBody
from snellen.server.challenge.service import Challenge
from snellen.server.challenge.workers import Worker
from snellen.server.exam.file import ExamFile, Phase
from snellen.server.grading.exam import references_digest
from snellen.server.host import LazyHost, open_exam
from snellen.server.http.app import Hosted, challenge_routes, web_app
from snellen.server.http.auth import Tokens
from snellen.server.mcp.server import ExamServer
from snellen.server.settings import Address, Settings
from snellen.server.store.database import Database
from snellen.server.store.tables.annotations import AnnotationMode
from snellen.server.store.tables.exams import Scope
from snellen.tasks.hosted import JobState
from snellen.tasks.pack.read import Pack

pytestmark = [pytest.mark.thorough, pytest.mark.slow]

ExamFiles = Any
"""An exam on disk, as the fixture `exams` makes two."""
Query = Mapping[str, str]
NOON = 1_767_268_800_000
HIDDEN = {"scores": "hidden", "reports": "hidden"}
PUBLIC = {"scores": "public", "reports": "public"}
OTHERS = "what-another-rater-answered"
CALLED_ELSEWHERE = {"/mcp", "/mcp/", "/{rest:path}"}
"""Paths that `watched.py` calls, and the one that stands for all that there is not."""


def lines_for(exam: ExamFiles) -> bytes:
    """Return a file that says what is right for an exam."""
    lines: list[str] = []
    for task, data in exam.data.items():
        for name in data.ids:
            item = data.item(name)
            answer = exam.right[task]["".join(sorted(item.prompt))]
            match answer:
                case {"option": option}:
                    answer = "ABCDEFGH"[item.answer_format.options.index(option)]
                case _:
                    pass
            line = {"task": task, "item_id": name, "response": answer}
            lines.append(json.dumps(line) + "\n")
    return "".join(lines).encode()


@asynccontextmanager
async def hosting(
    exam: ExamFiles, folder: Path, rules: Mapping[str, object], files: Sequence[bytes]
) -> AsyncGenerator[tuple[Starlette, Challenge, Tokens, list[str]]]:
    """Serve an exam that two participants uploaded files to, all of which are graded."""
    settings = Settings(tuple(exam.packs), folder / "exam.sqlite", key=exam.key)
    host = open_exam(settings)
    try:
        phase = Phase.model_validate({"name": "main", "counts": "all", **rules})
        file = ExamFile(name="custody", packs=tuple(map(str, exam.packs)), phases=(phase,))
        clock = Clock(now=lambda: NOON, random=Random(7).randbytes)
        challenge = Challenge(
            file, host.service.exam, references_digest(settings), host.database, clock
        )
        await challenge.begin()
        tokens = Tokens(host.database, lambda: NOON)
        ids: list[str] = []
        for caller, body in product(("ada", "bob"), files):
            upload_body = UploadBody([zlib.compress(body)], sha256(body).digest(), len(body))
            given = Upload(caller, upload_body, ".jsonl", NOON)
            ids.append((await challenge.submissions.keep(given))[0].id)
        worker = Worker(challenge, settings)
        try:
            while await asyncio.to_thread(worker.step):
                pass
        finally:
            worker.close()
        served = Hosted(challenge, settings, 0)
        annotated(host.service.exam.packs, host.database)
        app = web_app(
            ExamServer(LazyHost(lambda: host)),
            Address(),
            tokens,
            challenge_routes(served, tokens, guarded=True),
        )
        yield app, challenge, tokens, ids
    finally:
        host.close()


def annotated(packs: Sequence[Pack], database: Database) -> None:
    """Let raters check and make the references of each pack; one has answered some items."""
    service = Annotations(packs, database, Clock(now=lambda: NOON))
    for (number, pack), mode in product(enumerate(packs), AnnotationMode):
        tasks = [task for task in pack.index if kind_of(pack, task) is not AnswerKind.EPISODE]
        name = f"{mode}-{number}"
        service.create(AnnotationPlan(name, pack, tasks, mode=mode))
        given = [
            RaterAnswer(task=place.task, item_id=place.item, rater="eve", given=OTHERS)
            for place in service.places(name)
            if kind_of(pack, place.task) is AnswerKind.TEXT
        ]
        service.take_over(name, given[:3])


def kind_of(pack: Pack, task: str) -> AnswerKind:
    """Return what the first item of a task asks for."""
    return pack.line(task, next(iter(pack.index[task]))).item.answer_format.kind


def addresses(app: Starlette) -> set[tuple[str, str]]:
    """Return every method and path that an application answers."""
    found: set[tuple[str, str]] = set()
    for route in app.routes:
        if isinstance(route, Mount):
            rest = route.app
            assert isinstance(rest, FastAPI)
            paths: Mapping[str, Mapping[str, object]] = rest.openapi()["paths"]
            for path, methods in paths.items():
                found |= {(method.upper(), route.path + path) for method in methods}
            # What the document does not name: itself.
            found.add(("GET", f"{route.path}/openapi.json"))
            named = {
                route.path + inner.path
                for inner in rest.routes
                if isinstance(inner, Route | APIRoute)
            }
            assert named <= {path for _, path in found}
        else:
            assert isinstance(route, Route)
            if route.path not in CALLED_ELSEWHERE:
                found |= {(method, route.path) for method in route.methods or {"GET"}}
    return found


def queries_of(path: str, challenge: Challenge, ids: Sequence[str]) -> list[Query]:
    """Return the queries that an address is called with: those that lead to all that it shows."""
    exam = challenge.exam
    tasks = [{"task": task} for task in exam.offers]
    if path.startswith("/annotate/"):
        pack = exam.packs[int(path.split("/")[2].rpartition("-")[2])]
        items = [(task, item) for task in pack.index for item in pack.index[task]]
        return [{}, *({"task": task, "item": item} for task, item in items)]
    match path.rpartition("/")[2]:
        case "items":
            return [{}, *tasks, *({**task, "limit": "200"} for task in tasks if "/v1" in path)]
        case "item" | "image":
            return [
                {"task": task, "item": item, **name}
                for task in exam.offers
                for item in exam.asked(task)
                for name in (
                    {},
                    *({"name": each.name} for each in exam.line(task, item).item.images),
                )
            ]
        case "leaderboard":
            return [{}, *tasks, {"format": "csv"}, {"tag": "x=y"}, {"sort": "-value"}]
        case "report":
            return [{}, *tasks]
        case "compare":
            pairs = [{"one": one, "other": other} for one, other in product(ids[:2], ids[2:])]
            return [{**pair, **task} for pair, task in product(pairs, tasks)]
        case _:
            return [{}]


BODIES: Mapping[str, Mapping[str, Any]] = {
    "/v1/tokens": {"json": {"name": "mallory", "scopes": ["admin"]}},
    "/v1/join": {"json": {"name": "mallory", "code": "invitation_x"}},
    "/v1/invitations": {"json": {"uses": 1}},
    "baseline": {"json": {"baseline": True}},
    "remove": {"json": {"why": "because"}},
    "restore": {"json": {"why": "because"}},
    "rescore": {"json": {"why": "because"}},
}


async def crawl(
    app: Starlette, challenge: Challenge, tokens: Tokens, ids: Sequence[str]
) -> tuple[list[tuple[str, int, str, bytes]], set[tuple[str, str]]]:
    """Call everything with all three tokens; return what was answered, and what was called."""
    answers: list[tuple[str, int, str, bytes]] = []
    called: set[tuple[str, str]] = set()
    transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
    scopes = (("ada", Scope.SUBMIT), ("agent", Scope.TAKE), ("rater", Scope.ANNOTATE))
    for name, scope in scopes:
        headers = {
            "Authorization": f"Bearer {tokens.create(name, [scope])}",
            "Sec-Fetch-Site": "same-origin",
            "X-Request-Id": "custody",
        }
        async with httpx2.AsyncClient(
            transport=transport, base_url="http://127.0.0.1", headers=headers
        ) as http:
            for method, path in sorted(addresses(app)):
                called.add((method, path))
                last = path if path in BODIES else path.rpartition("/")[2]
                more: Mapping[str, Any] = BODIES.get(last, {}) if path.startswith("/v1") else {}
                for address in filled(path, ids, len(challenge.exam.packs)):
                    queries = queries_of(address, challenge, ids)
                    first = a_query_of_each_task(queries)
                    rest = [query for query in queries if query not in first]
                    statuses: set[int] = set()
                    for index, query in enumerate([*first, *rest]):
                        if index == len(first) and (method == "HEAD" or statuses == {403}):
                            break
                        if method == "POST" and address.startswith("/annotate/"):
                            more = {"data": {**query, "text": "zebra", "option": "A"}}
                        sent = await http.request(method, address, params=query, **more)
                        shown = sorted(f"{key}: {value}" for key, value in sent.headers.items())
                        # A cookie that is taken back says the time.
                        told = re.sub(r"expires=[^;]+", "", "\n".join(shown))
                        asked = f"{name} {method} {address} {query}"
                        answers.append((asked, sent.status_code, told, sent.content))
                        statuses.add(sent.status_code)
                        # The limit of calls in a minute is no part of this test.
                        assert sent.status_code != 429
    return answers, called


def a_query_of_each_task(queries: Sequence[Query]) -> list[Query]:
    """Return the first query of each task, and the first that names none."""
    return list({query.get("task"): query for query in reversed(queries)}.values())[::-1]


def filled(path: str, ids: Sequence[str], packs: int) -> list[str]:
    """Return a path with everything that can stand in it."""
    known = {
        "exam": ["custody"],
        "submission": [*ids, "sub_0"],
        "phase": ["main"],
        "name": ["ada", "bob"],
        "number:int": ["1"],
        "number": ["1"],
        "annotation": [f"{mode}-{number}" for mode in AnnotationMode for number in range(packs)],
    }
    names = re.findall(r"\{([^}]+)\}", path)
    found: list[str] = []
    for values in product(*(known[name] for name in names)):
        address = path
        for name, value in zip(names, values, strict=True):
            address = address.replace(f"{{{name}}}", value)
        found.append(address)
    return found


@pytest.fixture(autouse=True)
def many_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a token call as often as the crawl does."""
    monkeypatch.setattr("snellen.server.http.app.Access", _patient)


def _patient(tokens: Tokens, *, guarded: bool) -> Any:
    from snellen.server.http.api.access import Access

    return Access(tokens, guarded=guarded, calls_a_minute=10**6)


async def test_with_hidden_scores_two_exams_that_differ_in_gold_answer_alike(
    exams: Sequence[ExamFiles], tmp_path: Path
) -> None:
    files = [lines_for(exams[0]), b"nonsense\n"]
    seen: list[list[tuple[str, int, str, bytes]]] = []
    for number, exam in enumerate(exams):
        (tmp_path / str(number)).mkdir()
        async with hosting(exam, tmp_path / str(number), HIDDEN, files) as served:
            app, challenge, _, ids = served
            states = [challenge.submissions.status(each, None).state for each in ids]
            assert states == [JobState.GRADED, JobState.FAILED] * 2
            answers, called = await crawl(*served)
            assert called == addresses(app)
            seen.append(answers)
    assert len(seen[0]) == len(seen[1]) > 500
    for one, other in zip(*seen, strict=True):
        assert one == other
    statuses = {status for _, status, _, _ in seen[0]}
    assert statuses <= {200, 303, 401, 403, 404, 405, 409, 411, 413, 415, 422}
    assert sum(status == 200 for _, status, _, _ in seen[0]) > 100
    check_raters(seen[0])


def check_raters(answers: Sequence[tuple[str, int, str, bytes]]) -> None:
    """Check that a rater reaches items to rate and no more, and that only raters do."""
    rates = [(asked, status) for asked, status, _, _ in answers if " /annotate" in asked]
    assert {status for asked, status in rates if not asked.startswith("rater ")} == {403}
    mine = [status for asked, status in rates if asked.startswith("rater ")]
    assert mine.count(200) > 100
    assert mine.count(303) > 10
    organized = [status for asked, status, _, _ in answers if " /organize/annotations" in asked]
    assert {*organized} == {403}
    assert not [asked for asked, _, _, body in answers if OTHERS.encode() in body]


async def test_with_public_reports_no_text_of_a_reference_is_in_any_answer(
    exams: Sequence[ExamFiles], tmp_path: Path
) -> None:
    # What is uploaded is right for the other exam: its markers may come back, and do.
    files = [lines_for(exams[0]), b"nonsense\n"]
    async with hosting(exams[1], tmp_path, PUBLIC, files) as served:
        app, _, _, ids = served
        answers, called = await crawl(*served)
        assert called == addresses(app)
    reports = [asked for asked, status, _, _ in answers if "/report " in asked and status == 200]
    assert len(reports) > 10
    whole = b"\0".join(body + shown.encode() + b"\0" for _, _, shown, body in answers)
    assert any(marker.encode() in whole for marker in exams[0].markers)
    assert markers_in(exams[1].markers, whole) == []
    check_raters(answers)
    bobs = [status for asked, status, _, _ in answers if f"{ids[2]}/file" in asked]
    assert {*bobs} == {403, 404}
