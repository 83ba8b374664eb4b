"""Servers, workers and graders are killed at random while files are uploaded, and the store fails.

Every upload that was acknowledged is there once and graded once, with a score that no other file
has; nothing is stuck, and the leaderboard has all of them. Two servers and two workers share
PostgreSQL; on SQLite one server does everything. SNELLEN_KILLS sets how often; a hundred take some
minutes.
"""

import asyncio
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from typing import TypeVar

import pytest
from hosted import as_lines
from sqlalchemy import select

from snellen.sdk.hosted.client import AsyncClient, HostedError, HostedUnreachableError
from snellen.server.http.auth import Tokens
from snellen.server.store.schema import open_store
from snellen.server.store.tables.endpoint import jobs, keys, quotas, scores, submissions
from snellen.server.store.tables.exams import Scope
from snellen.tasks.hosted import JobState, SubmissionStatus
from snellen.tasks.samples import exam_folder

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(1500)]

BROKEN = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid();
"""
T = TypeVar("T")
KILLS = int(os.environ.get("SNELLEN_KILLS", "12"))
SEED = int(os.environ.get("SNELLEN_KILL_SEED", "1"))
CALLERS = ("ada", "bob", "eve")
PROGRAM = [sys.executable, "-c", "from snellen.cli import main; main()"]
EXAM = """
name = "sample"
packs = ["{pack}"]
store = "{store}"
[[phases]]
name = "main"
counts = "all"
"""


def unlike(right: Mapping[str, str], number: int) -> tuple[str, float]:
    """Return a file of answers, and its score, which no file with another number has.

    One item is answered with its reference and `number` words more, the others are wrong: F1 of r
    words and n more is 2r / (2r + n).
    """
    item, reference = next(iter(right.items()))
    words = len(reference.split())
    said = " ".join([reference, *(f"zz{word}" for word in range(number))])
    lines = as_lines({**dict.fromkeys(right, "qq"), item: said})
    return lines, 2 * words / (2 * words + number) / len(right)


def children(process: int) -> list[int]:
    """Return the processes that a process started: of a worker, its graders."""
    found = subprocess.run(["pgrep", "-P", str(process)], capture_output=True, text=True)
    return [int(line) for line in found.stdout.split()]


def held_by_another(file: Path, seconds: float) -> None:
    """Keep a SQLite store locked, as a backup or an editor would."""
    connection = sqlite3.connect(file, timeout=60)
    connection.execute("BEGIN IMMEDIATE")
    time.sleep(seconds)
    connection.close()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


@dataclass
class Programs:
    """Programs that are killed, each started again at once."""

    commands: list[list[str]]
    environment: Mapping[str, str]
    log: Path
    random: Random
    running: list[subprocess.Popen[bytes]] = field(default_factory=list[subprocess.Popen[bytes]])

    def start(self, command: list[str]) -> subprocess.Popen[bytes]:
        """Start a program; what it says is kept."""
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [*PROGRAM, *command], env=self.environment, stdout=log, stderr=log
            )

    def __enter__(self) -> "Programs":
        self.running = [self.start(command) for command in self.commands]
        return self

    def __exit__(self, *_: object) -> None:
        for program in self.running:
            program.kill()
            program.wait()

    def kill(self, number: int) -> None:
        """Kill one, or only what it started, and start it again."""
        graders = children(self.running[number].pid)
        if graders and self.random.random() < 0.3:
            os.kill(self.random.choice(graders), signal.SIGKILL)
            return
        self.running[number].kill()
        assert self.running[number].wait() == -9, "it had ended before it was killed"
        self.running[number] = self.start(self.commands[number])


async def reach(
    clients: Sequence[AsyncClient], random: Random, work: Callable[[AsyncClient], Awaitable[T]]
) -> T:
    """Ask now one server and now the other, until one that is up answers."""
    while True:
        try:
            return await work(random.choice(clients))
        except HostedUnreachableError:
            continue
        except HostedError as error:
            if error.status != 503:
                raise


async def outcome(client: AsyncClient, submission: str) -> SubmissionStatus:
    """Wait until a submission is done, and return how it ended."""
    return await (await client.submission(submission)).done()


async def test_no_upload_is_lost_or_graded_twice_or_stuck_or_has_the_result_of_another(
    either_store: str,
    request: pytest.FixtureRequest,
    environment: dict[str, str],
    tmp_path: Path,
    right: Mapping[str, str],
) -> None:
    store, random = either_store, Random(SEED)
    shared = store.startswith("postgresql")

    def fail() -> None:
        if shared:
            cluster = request.getfixturevalue("cluster")
            cluster.run("psql", "-q", "-d", store, "-c", BROKEN)
        else:
            held_by_another(Path(store), random.uniform(0, 8))

    database = open_store(store)
    held = Tokens(database)
    tokens = [held.create(name, [Scope.SUBMIT]) for name in CALLERS]
    exam = tmp_path / "exam.toml"
    exam.write_text(EXAM.format(pack=exam_folder("wireframes"), store=store))
    ports = [free_port() for _ in range(2 if shared else 1)]
    workers = ["--workers", "0"] if shared else []
    commands = [
        *(["serve", str(exam), *workers, "--port", str(port)] for port in ports),
        *(["worker", str(exam)] for _ in ports if shared),
    ]
    # How many uploads may begin, and the ids of those that were acknowledged.
    allowed, taken = asyncio.Semaphore(0), asyncio.Queue[str]()
    acknowledged: list[str] = []
    numbers, expected = count(1), dict[str, float]()

    async def keep_uploading(number: int) -> None:
        own = Random(f"{SEED} {number}")
        file = tmp_path / f"{number}.jsonl"
        clients = [
            AsyncClient(f"http://127.0.0.1:{port}", token=tokens[number], exam="sample")
            for port in ports
        ]
        try:
            while True:
                await allowed.acquire()
                lines, value = unlike(right, next(numbers))
                file.write_text(lines)
                upload = partial(AsyncClient.submit, file=file, key=uuid.uuid4().hex)
                submission = (await reach(clients, own, upload)).id
                expected[submission] = value
                await taken.put(submission)
        finally:
            for client in clients:
                await client.close()

    with Programs(commands, environment, tmp_path / "log", random) as programs:
        callers = [asyncio.create_task(keep_uploading(n)) for n in range(len(CALLERS))]
        begun, failing = 0, None
        for _ in range(KILLS):
            # Some of these uploads are under way when a program is killed.
            uploads = random.randint(1, 3)
            for _ in range(uploads):
                allowed.release()
            begun += uploads
            acknowledged += [await taken.get() for _ in range(random.randint(0, uploads))]
            if random.random() < 0.2 and (failing is None or failing.done()):
                failing = asyncio.create_task(asyncio.to_thread(fail))
            await asyncio.to_thread(programs.kill, random.randrange(len(commands)))
        acknowledged += [await taken.get() for _ in range(begun - len(acknowledged))]
        if failing is not None:
            await failing
        for caller in callers:
            caller.cancel()
        await asyncio.gather(*callers, return_exceptions=True)
        boss = held.create("boss", [Scope.ORGANIZE])
        clients = [AsyncClient(f"http://127.0.0.1:{port}", token=boss) for port in ports]
        for submission in acknowledged:
            found = await reach(clients, random, partial(outcome, submission=submission))
            assert found.state == JobState.GRADED, found.error
        rows = (await reach(clients, random, AsyncClient.leaderboard)).rows
        for client in clients:
            await client.close()

    assert len({*acknowledged}) == len(acknowledged) == begun
    read = database.read
    kept = read(lambda c: c.execute(select(submissions.c.id)).scalars().all())
    assert sorted(kept) == sorted(acknowledged), "lost, or kept twice"
    assert len(read(lambda c: c.execute(select(keys)).all())) == begun
    columns = scores.c.submission, scores.c.value
    graded = [(row.submission, row.value) for row in read(lambda c: c.execute(select(*columns)))]
    assert len(graded) == begun, "graded twice, or not at all"
    assert dict(graded) == pytest.approx(expected), "of another file"
    states = Counter(read(lambda c: c.execute(select(jobs.c.state)).scalars().all()))
    assert states == {JobState.GRADED: begun}
    used = read(lambda c: c.execute(select(quotas.c.used).where(quotas.c.day == "")).scalars())
    assert sum(used) == begun
    assert sorted(row.submission for row in rows) == sorted(kept)
    database.close()
