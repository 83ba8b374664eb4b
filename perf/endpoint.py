"""What a hosted exam costs: a large upload from file to leaderboard, a request, a long leaderboard.

usage: python perf/endpoint.py [--quick]

All requests go to `snellen serve` itself, and in turn to a bare application of the same framework
over the same protocol of uvicorn. The bare one takes the same parameters, answers the same bytes
and checks nothing; it writes an upload to disk. Targets are of an unloaded machine with two cores.
"""

import asyncio
import json
import multiprocessing
import re
import secrets
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from itertools import cycle
from pathlib import Path
from statistics import median
from threading import Event, Thread
from typing import Annotated, NamedTuple

import httpx2
import numpy as np
import uvicorn
from _timing import options
from fastapi import FastAPI, Header, Query, Request
from sqlalchemy import Connection
from starlette.responses import Response

from snellen import sdk
from snellen.server.challenge import queries
from snellen.server.challenge.boards import HELD_MILLISECONDS, Boards
from snellen.server.challenge.service import Challenge
from snellen.server.exam.file import ExamFile, Phase
from snellen.server.grading.exam import references_digest
from snellen.server.host import open_exam
from snellen.server.http.actions import Actions
from snellen.server.http.api.access import Access
from snellen.server.http.api.api import rest_app
from snellen.server.http.api.exams import BoardQuery
from snellen.server.http.api.submissions import UploadQuery
from snellen.server.http.auth import Tokens
from snellen.server.http.connections import connection_limit, protocol
from snellen.server.settings import Settings
from snellen.server.store.schema import open_store
from snellen.server.store.statements import row_values
from snellen.server.store.tables.endpoint import JobRow, ScoreRow, SubmissionRow
from snellen.server.store.tables.exams import Scope
from snellen.tasks.hosted import JobState, Source
from snellen.tasks.pack.write import Part, write_pack

TASK = "screenqa/short"
TEAM = "lab"
EXAM = "/v1/exams/perf"
STATUS, BOARD, UPLOADS = (
    f"{EXAM}/{rest}" for rest in ("submissions/sub_000000", "leaderboard", "submissions")
)
TARGETS = {
    STATUS: ("status", 1.8),
    UPLOADS: ("upload of 2 KB", 3),
    BOARD: ("leaderboard", 2),
    EXAM: ("exam", 2),
}
"""Each measured path, with its name and the ratio to reach."""


LONG = {
    "nothing but /health": ("/health", False, None),
    "JSON of 5,000 rows": (f"{BOARD}?limit=5000", False, 1.0),
    "the same, exact": (f"{BOARD}?limit=5000", True, 1.0),
    "page of 100 rows": ("/leaderboard", False, 2.0),
    "CSV of all rows": (f"{BOARD}?format=csv", False, None),
    "50 of 1,000 uploads": (f"{UPLOADS}?limit=50", False, 0.3),
}
"""Requests about a long leaderboard: the path, whether an organizer asks, and the target."""


class Cost(NamedTuple):
    """What a request costs its server, and how long it takes, in microseconds."""

    processor: float
    wall: float


class LongCost(NamedTuple):
    """What a request about a long leaderboard takes after a change and again, in microseconds.

    Attributes:
        new: The time after a change.
        again: The time without one.
        processor: The processor time after a change.
        health: The longest wait for `/health` meanwhile, in milliseconds.
    """

    new: float
    again: float
    processor: float
    health: float


def make_pack(folder: Path, items: int) -> Path:
    """Write a pack of made-up questions."""
    screens = folder / "screenqa"
    (screens / "answers_and_bboxes").mkdir(parents=True)
    (screens / "short_answers").mkdir()
    rows = [
        {"image_id": n // 2, "question": f"What is {n}?", "ground_truth": [f"the answer {n}"]}
        for n in range(items)
    ]
    (screens / "short_answers" / "test.json").write_text(json.dumps(rows))
    write_pack([Part(sdk.load(TASK, screens))], folder / "pack", name="perf", images=False)
    return folder / "pack"


# ---- an upload, from file to leaderboard


@contextmanager
def served(folder: Path, *more: str) -> Generator[tuple[str, int]]:
    """Serve an exam as its hosts do, with its log in a file; yield its address and process."""
    text = f'name = "perf"\npacks = ["{folder / "pack"}"]\nstore = "{folder / "exam.sqlite"}"\n'
    (folder / "exam.toml").write_text(f'{text}[[phases]]\nname = "main"\n')
    code = "from snellen.cli import main; main()"
    words = [sys.executable, "-c", code, "serve", str(folder / "exam.toml"), "--port", "0", *more]
    log = folder / "serve.log"
    with log.open("wb") as out, subprocess.Popen(words, stdout=out, stderr=out) as process:
        try:
            while not (
                found := re.search(r"serving on (http://127\.0\.0\.1:\d+)", log.read_text())
            ):
                assert process.poll() is None, log.read_text()
                time.sleep(0.05)
            yield found[1], process.pid
        finally:
            process.terminate()


def tokens_of(folder: Path, count: int, *scopes: Scope) -> list[str]:
    """Create tokens of one team in an exam's store."""
    database = open_store(folder / "exam.sqlite")
    held = Tokens(database)
    made = [held.create(f"{scopes[0]}{number}", scopes, team=TEAM) for number in range(count)]
    database.close()
    return made


class Memory:
    """The most memory that a process and its children held together, while a context lasts.

    A page that several of them share is counted once, in equal parts (PSS).
    """

    def __init__(self, process: int) -> None:
        self._process = process
        self._over = Event()
        self._thread = Thread(target=self._watch)
        self.mib = 0.0
        self.each: list[float] = []

    def __enter__(self) -> "Memory":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(0.05):
            each = [mib for pid in self._family() if (mib := self._held(pid))]
            if sum(each) > self.mib:
                self.mib, self.each = sum(each), each

    def _family(self) -> set[int]:
        found = {self._process}
        for task in Path(f"/proc/{self._process}/task").iterdir():
            with suppress(OSError):  # a thread that ended meanwhile
                found |= set(map(int, (task / "children").read_text().split()))
        return found

    def _held(self, pid: int) -> float:
        with suppress(OSError):  # a process that ended meanwhile
            text = Path(f"/proc/{pid}/smaps_rollup").read_text()
            if found := re.search(r"^Pss:\s+(\d+) kB", text, re.MULTILINE):
                return int(found[1]) / 1024
        return 0.0


def upload(folder: Path, items: int) -> None:
    """Upload an answer to each item, wait for the leaderboard and print how long it took."""
    file = folder / "answers.jsonl"
    with file.open("w") as out:
        for number in range(items):
            response = f"the answer {number}" if number % 3 else "something else"
            line = {"item_id": f"test/{number // 2}/{number % 2}", "response": response}
            out.write(json.dumps(line) + "\n")
    (token,) = tokens_of(folder, 1, Scope.ADMIN)
    with served(folder) as (url, process), sdk.Client(url, token=token) as client:
        first = next(iter(client.items()))
        assert first.id == "test/0/0", first.id
        with Memory(process) as memory:
            start = time.perf_counter()
            status = client.submit(file, name="perf").done()
            (row,) = client.leaderboard().rows
            took = time.perf_counter() - start
        assert status.scores[0].outcomes == {"answered": items}, status
        print(f"{items:,} answers ({file.stat().st_size / 1e6:.1f} MB): value {row.value:.4f}")
        print(f"  from file to leaderboard   {took:7.1f} s     target 20 (of 100,000)")
        each = ", ".join(f"{mib:.0f}" for mib in memory.each)
        print(f"  memory, most at any time   {memory.mib:7.0f} MiB   target 400 ({each})")


# ---- requests, beside the bare framework


class Loaded:
    """A server in a process of its own, and what its requests cost.

    Args:
        url: Its address.
        process: The number of its process.
        tokens: What its requests carry, in turn: a token may make 1,200 calls a minute.
    """

    def __init__(self, url: str, process: int, tokens: Sequence[str]) -> None:
        self._process = process
        self._headers = cycle([{"Authorization": f"Bearer {token}"} for token in tokens])
        self._http = httpx2.Client(base_url=url, timeout=60)
        self._number = 0

    def ask(self, path: str) -> bytes:
        """Return what a path answers."""
        return self._http.get(path, headers=next(self._headers)).raise_for_status().content

    def upload(self, path: str) -> bytes:
        """Upload 2 KB that were not uploaded before; return what is answered."""
        self._number += 1
        answer = f"{self._number:09}" + "x" * 1_960
        body = json.dumps({"item_id": "test/0/0", "response": answer}).encode()
        headers = {**next(self._headers), "Content-Type": "application/x-ndjson"}
        return self._http.post(path, content=body, headers=headers).raise_for_status().content

    def change(self) -> None:
        """Make a run a baseline and take that back, as an organizer: the leaderboard changes."""
        for on in (True, False):
            self._http.post(
                f"{EXAM}/submissions/sub_000001/baseline",
                json={"baseline": on},
                headers=next(self._headers),
            ).raise_for_status()

    def cost(self, path: str, calls: int) -> Cost:
        """Return what a request costs there."""
        ask = self.upload if path == UPLOADS else self.ask
        start, wall = self._seconds(), time.perf_counter()
        for _ in range(calls):
            ask(path)
        used, passed = self._seconds() - start, time.perf_counter() - wall
        return Cost(used / calls * 1e6, passed / calls * 1e6)

    def _seconds(self) -> float:
        # Linux's clock of another process, of all its threads: the ticks of /proc/PID/stat are
        # 10 ms long. See clock_getcpuclockid(3).
        return time.clock_gettime((~self._process << 3) | 2)


@contextmanager
def served_bare(
    folder: Path, bodies: Mapping[str, bytes], tokens: Sequence[str]
) -> Generator[Loaded]:
    """Serve the bare framework."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        # As our server does it: without, each answer waits 40 ms for a receipt.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        process = multiprocessing.get_context("spawn").Process(
            target=serve_bare, args=(listener, folder / "bare.sqlite", bodies), daemon=True
        )
        process.start()
        assert process.pid is not None
        try:
            loaded = Loaded(f"http://127.0.0.1:{port}", process.pid, tokens)
            # The socket is handed over once the process asks for it.
            loaded.ask(EXAM)
            yield loaded
        finally:
            process.kill()
            process.join()


def serve_bare(listener: socket.socket, store: Path, bodies: Mapping[str, bytes]) -> None:
    """Serve the bare framework, by the protocol of our own server."""
    http = protocol(connection_limit())
    config = uvicorn.Config(bare(store, bodies), http=http, log_config=None, access_log=False)
    asyncio.run(uvicorn.Server(config).serve(sockets=[listener]))


def bare(store: Path, bodies: Mapping[str, bytes]) -> FastAPI:
    """Return an application with the same parameters that answers with bytes and checks nothing.

    An upload is a row with its bytes, on disk before it is answered.
    """
    app = FastAPI(
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    database = sqlite3.connect(store, check_same_thread=False, isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=FULL")
    database.execute("CREATE TABLE uploads (id TEXT, at REAL, digest BLOB, body BLOB)")

    def keep(body: bytes) -> None:
        row = (secrets.token_hex(8), time.time(), sha256(body).digest(), zlib.compress(body, 1))
        database.execute("INSERT INTO uploads VALUES (?, ?, ?, ?)", row)

    @app.get("/v1/exams/{exam}")
    async def show_exam(request: Request, exam: str) -> Response:
        return Response(bodies[EXAM], media_type="application/json")

    @app.get("/v1/exams/{exam}/leaderboard")
    async def leaderboard(
        request: Request,
        exam: str,
        query: Annotated[BoardQuery, Query()],
        if_none_match: Annotated[str | None, Header()] = None,
    ) -> Response:
        return Response(bodies[BOARD], media_type="application/json")

    @app.get("/v1/exams/{exam}/submissions/{submission}")
    async def submission(
        request: Request,
        exam: str,
        submission: str,
        if_none_match: Annotated[str | None, Header()] = None,
    ) -> Response:
        return Response(bodies[STATUS], media_type="application/json")

    @app.post("/v1/exams/{exam}/submissions")
    async def upload(
        request: Request,
        exam: str,
        query: Annotated[UploadQuery, Query()],
        idempotency_key: Annotated[str | None, Header()] = None,
    ) -> Response:
        await asyncio.to_thread(keep, await request.body())
        return Response(bodies[UPLOADS], 201, media_type="application/json")

    return app


class Hosted:
    """A challenge over a made-up pack, with runs whose scores are generated."""

    def __init__(self, folder: Path) -> None:
        settings = Settings((folder / "pack",), folder / "exam.sqlite")
        self.host = open_exam(settings)
        file = ExamFile(name="perf", packs=("pack",), phases=(Phase(name="main", uploads=50),))
        digest = references_digest(settings)
        self.challenge = Challenge(file, self.host.service.exam, digest, self.host.database)
        self.tokens = Tokens(self.host.database)
        self.boards = Boards(self.challenge)
        access = Access(self.tokens, guarded=True, calls_a_minute=10**9)
        self.app = rest_app(Actions(self.challenge, self.boards, access))

    async def fill(self, runs: int, items: int, of_team: int = 1) -> None:
        """Write graded runs, each of another participant, but for the first ones of the team."""
        await self.challenge.begin()
        phase = self.challenge.phase(None)
        random = np.random.default_rng(7)
        groups = zlib.compress((np.arange(items) // 3).astype("<i4").tobytes())

        def work(connection: Connection) -> None:
            grading = queries.NEWEST.one(connection, {"f": self.challenge.phases.key(phase)}).id
            for number in range(runs):
                values = (random.random(items) < 0.4 + 0.4 * number / runs).astype("<f8")
                row = SubmissionRow(
                    id=f"sub_{number:06}", phase=self.challenge.phases.key(phase),
                    caller=TEAM if number < of_team else f"team{number}",
                    source=Source.UPLOAD, attempt=None, task=None, name=f"run {number}", link="",
                    form=".jsonl", digest=b"x" * 32, size=1, at=number, day="2026-01-01",
                )  # fmt: skip
                queries.add_submission(connection, row)
                job = JobRow(submission=row.id, grading=grading, state=JobState.GRADED, at=number)
                queries.ADD_JOB.run(connection, row_values(job))
                score = ScoreRow(
                    submission=row.id, grading=grading, task=TASK, part="all", metric="f1",
                    value=float(values.mean()), low=0.1, high=0.9, items=items,
                    outcomes=f'{{"answered": {items}}}', signature="x" * 120,
                    item_values=zlib.compress(values.tobytes()), item_groups=groups,
                )  # fmt: skip
                queries.ADD_SCORE.run(connection, row_values(score))

        await self.host.database.write(work)


def requests(folder: Path, rounds: int, calls: int) -> None:
    """Print what a request costs `snellen serve`, and the bare framework, in turn."""
    tokens = tokens_of(folder, 40, Scope.SUBMIT)
    with served(folder, "--workers", "0") as (url, process):
        ours = Loaded(url, process, tokens)
        bodies = {path: ours.ask(path) for path in (STATUS, BOARD, EXAM)}
        bodies[UPLOADS] = ours.upload(UPLOADS)
        with served_bare(folder, bodies, tokens) as other:
            found: dict[str, list[tuple[Cost, Cost]]] = {path: [] for path in TARGETS}
            for _ in range(rounds):
                for path, pairs in found.items():
                    pairs.append((ours.cost(path, calls), other.cost(path, calls)))
    print("processor time of a request; the ratio of the time until it is answered in brackets")
    print(f"{'request':<14} {'ours, us':>9} {'bare, us':>9} {'ratio':>7} {'':>8}  target")
    for path, pairs in found.items():
        name, target = TARGETS[path]
        mine, plain = (median(cost.processor for cost in each) for each in zip(*pairs, strict=True))
        ratio = median(one.processor / two.processor for one, two in pairs)
        waited = median(one.wall / two.wall for one, two in pairs)
        print(f"{name:<14} {mine:>9.0f} {plain:>9.0f} {ratio:>6.2f}x ({waited:>5.2f}x)  {target}x")


async def board(hosted: Hosted, runs: int) -> None:
    """Print how long a leaderboard of many runs takes, made anew and again."""
    phase = hosted.challenge.phase(None)
    times: list[float] = []
    for _ in range(6):
        start = time.perf_counter()
        kept = hosted.boards.board(phase)
        times.append((time.perf_counter() - start) * 1000)
        assert len(kept.board.rows) == runs
    print(f"leaderboard of {runs:,} runs: made {times[0]:,.0f} ms, warm {median(times[1:]):.2f} ms")
    print("  target: warm under 100 ms")


class Health:
    """The longest wait for `/health` while a context lasts, in milliseconds."""

    def __init__(self, url: str) -> None:
        self._http = httpx2.Client(base_url=url, timeout=60)
        self._over = Event()
        self._thread = Thread(target=self._ask)
        self.longest = 0.0

    def __enter__(self) -> "Health":
        self._http.get("/health")
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._http.close()

    def _ask(self) -> None:
        while not self._over.wait(0.01):
            start = time.perf_counter()
            self._http.get("/health").raise_for_status()
            self.longest = max(self.longest, (time.perf_counter() - start) * 1000)


def long_board(folder: Path, rounds: int) -> None:
    """Print how long requests about 5,000 participants take, after a change and again."""
    own, admin = (tokens_of(folder, 1, scope) for scope in (Scope.SUBMIT, Scope.ADMIN))
    with served(folder, "--workers", "0") as (url, process):
        team, boss = Loaded(url, process, own), Loaded(url, process, admin)
        print(f"{'seconds':<20} {'changed':>8} {'again':>8} {'CPU':>8}  target  /health, ms")
        for name, (path, exact, target) in LONG.items():
            found: list[LongCost] = []
            for _ in range(rounds):
                boss.change()
                time.sleep(HELD_MILLISECONDS / 1000)
                with Health(url) as health:
                    time.sleep(0.5)
                    asking = boss if exact else team
                    new, again = asking.cost(path, 1), asking.cost(path, 1)
                found.append(LongCost(new.wall, again.wall, new.processor, health.longest))
            new, again, used, waited = (median(each) for each in zip(*found, strict=True))
            goal = "" if target is None else target
            seconds = f"{new / 1e6:>8.2f} {again / 1e6:>8.3f} {used / 1e6:>8.2f}"
            print(f"{name:<20} {seconds}  {goal:>6}  {waited:>11.0f}")
        status = Path(f"/proc/{process}/status").read_text()
    most = int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) / 1024
    print(f"memory, most at any time: {most:.0f} MiB; targets: 400 MiB, /health 50 ms")


async def race(hosted: Hosted, racing: int) -> None:
    """Print how many of many uploads at once a quota of 50 takes."""
    token = hosted.tokens.create("racer", [Scope.SUBMIT])
    transport = httpx2.ASGITransport(hosted.app)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/x-ndjson"}
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
        sent = await asyncio.gather(
            *(
                http.post("/exams/perf/submissions", headers=headers, content=b'{"n": %d}' % n)
                for n in range(racing)
            )
        )
    taken = sum(each.status_code == 201 for each in sent)
    refused = sum(each.status_code == 429 for each in sent)
    print(f"{racing} racing uploads against a quota of 50: {taken} taken, {refused} refused")


async def filled(folder: Path, runs: int, items: int, of_team: int) -> None:
    """Make a pack and a store with graded runs."""
    make_pack(folder, items)
    hosted = Hosted(folder)
    await hosted.fill(runs, items, of_team)
    hosted.host.close()


async def inside(folder: Path, *, quick: bool) -> None:
    """Measure what needs no server of its own."""
    runs, items = (100, 200) if quick else (1000, 2000)
    make_pack(folder, items)
    hosted = Hosted(folder)
    await hosted.fill(runs, items)
    await board(hosted, runs)
    await race(hosted, 200)
    hosted.host.close()
    requests(folder, rounds=3 if quick else 9, calls=100 if quick else 300)


def main() -> None:
    """Measure in folders that are thrown away."""
    quick = options(__doc__ or "").quick
    items = 5_000 if quick else 100_000
    with tempfile.TemporaryDirectory() as folder:
        make_pack(Path(folder), items)
        upload(Path(folder), items)
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(inside(Path(folder), quick=quick))
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(filled(Path(folder), 600 if quick else 6_000, 400, 100 if quick else 1_000))
        long_board(Path(folder), rounds=1 if quick else 5)


if __name__ == "__main__":
    main()
