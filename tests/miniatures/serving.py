"""Agents that take the sample exam: in memory, over standard input and output, over HTTP."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, Callable, Generator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hosted import NOON, Hosted
from mcp import Client
from mcp.types import CallToolResult, ImageContent, TextContent, TextResourceContents

from snellen.server.attempts.register import Clock
from snellen.server.challenge.service import Challenge
from snellen.server.exam.file import ExamFile, Phase
from snellen.server.exam.rules import Rules
from snellen.server.grading.exam import references_digest
from snellen.server.host import Host, LazyHost, open_exam
from snellen.server.mcp.server import ExamServer
from snellen.server.settings import Settings
from snellen.tasks.pack.read import open_pack, open_references
from snellen.tasks.samples import exam_folder

SECONDS = 60


@dataclass
class Agent:
    """A client of an exam, and the attempt that it works on."""

    client: Client
    attempt: str = ""

    async def result(self, tool: str, **arguments: object) -> CallToolResult:
        """Call a tool and return what came, as it came."""
        return await self.client.call_tool(tool, arguments)

    async def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Call a tool that must work and return its JSON."""
        result = await self.result(tool, **arguments)
        text = self.text(result)
        assert not result.is_error, text
        return json.loads(text)

    async def refused(self, tool: str, **arguments: object) -> str:
        """Call a tool that must refuse and return what it says."""
        result = await self.result(tool, **arguments)
        assert result.is_error
        assert [content.type for content in result.content] == ["text"]
        return self.text(result)

    async def start(self, **arguments: object) -> str:
        """Start an attempt and work on it from now on."""
        self.attempt = (await self.call("start_attempt", **arguments))["attempt"]
        return self.attempt

    async def item(self, **arguments: object) -> dict[str, Any]:
        """Get an item of the attempt."""
        return await self.call("get_item", attempt=self.attempt, **arguments)

    async def answer(self, item: str, answer: object, **arguments: object) -> dict[str, Any]:
        """Answer an item of the attempt."""
        return await self.call(
            "submit_answer", attempt=self.attempt, item=item, answer=answer, **arguments
        )

    async def finish(self, attempt: str | None = None) -> dict[str, Any]:
        """Finish an attempt, by default that of this agent, and return its whole report."""
        handle = attempt or self.attempt
        summary = await self.call("finish_attempt", attempt=handle)
        (page,) = (await self.client.read_resource(summary["details"])).contents
        assert isinstance(page, TextResourceContents)
        return json.loads(page.text)

    @staticmethod
    def text(result: CallToolResult) -> str:
        """Return the text of a result."""
        found = [content.text for content in result.content if isinstance(content, TextContent)]
        assert len(found) == 1
        return found[0]

    @staticmethod
    def images(result: CallToolResult) -> list[ImageContent]:
        """Return the images of a result."""
        return [content for content in result.content if isinstance(content, ImageContent)]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Return where the exam's store will be."""
    return tmp_path / "exam.sqlite"


class Cluster:
    """A PostgreSQL server of the tests' own, reached over a socket in its folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names = count(1)
        self._empty: list[str] = []

    def new_database(self) -> str:
        """Return the URL of an empty database."""
        if not self._empty:
            name = f"exam{next(self._names)}"
            self.run("psql", "-h", self._folder, "-qc", f"CREATE DATABASE {name}", "postgres")
            self._empty.append(f"postgresql:///{name}?host={self._folder}&user=postgres")
        return self._empty.pop()

    def give_back(self, url: str) -> None:
        """Empty a database for another test: a new one is a thousand files."""
        self.run("psql", "-q", "-d", url, "-c", _EMPTIED)
        self._empty.append(url)

    @contextmanager
    def frozen(self) -> Generator[None]:
        """Stop the server's processes where they are: none of them answers, and none is gone."""
        first = int((self._folder / "data" / "postmaster.pid").read_text().split()[0])
        others = subprocess.run(
            ["pgrep", "-P", str(first)], check=True, capture_output=True, text=True
        )
        processes = [first, *map(int, others.stdout.split())]
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        try:
            yield
        finally:
            for process in processes:
                os.kill(process, signal.SIGCONT)

    def start(self) -> None:
        """Start the server, and wait until it serves."""
        options = f"-k {self._folder} -c listen_addresses='' -c fsync=off"
        self.run("pg_ctl", "-w", "-o", options, "-l", self._folder / "log", "start")

    def stop(self) -> None:
        """Stop the server at once, whoever is connected."""
        self.run("pg_ctl", "-m", "immediate", "stop")

    def run(self, program: str, *arguments: object) -> None:
        """Run one of PostgreSQL's programs as a user that it accepts."""
        given = [str(argument) for argument in arguments]
        environment = {**os.environ, "PGDATA": str(self._folder / "data"), "PGUSER": "postgres"}
        subprocess.run(
            [*_AS_POSTGRES, str(_postgresql_programs() / program), *given],
            check=True,
            cwd="/",
            env=environment,
            stdout=subprocess.DEVNULL,
        )


_EMPTIED = """
SET client_min_messages TO warning;
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid();
DROP SCHEMA public CASCADE;
CREATE SCHEMA public;
"""

# PostgreSQL refuses to run as root.
_AS_POSTGRES = ("runuser", "-u", "postgres", "--") if os.getuid() == 0 else ()


def _postgresql_programs() -> Path:
    found = shutil.which("initdb")
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return Path(found or folders[-1]).resolve().parent


def missing_postgresql() -> str | None:
    """Say why no PostgreSQL server can be started, or return None when one can."""
    if shutil.which("initdb") is None and not list(Path("/usr/lib/postgresql").glob("*/bin")):
        return "there is no initdb: install PostgreSQL's server"
    if find_spec("psycopg") is None:
        return "psycopg is not installed: pip install 'snellen[postgres]'"
    if _AS_POSTGRES and subprocess.run([*_AS_POSTGRES, "true"], capture_output=True).returncode:
        return "PostgreSQL does not run as root, and there is no user postgres to run it as"
    return None


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """Return a PostgreSQL server of the tests' own, or skip the test."""
    reason = missing_postgresql()
    if reason:
        pytest.skip(f"postgresql: {reason}")
    # A socket's path has a hundred characters at most, so it is not pytest's folder.
    folder = Path(tempfile.mkdtemp(prefix="snellen-"))
    if _AS_POSTGRES:
        shutil.chown(folder, "postgres")
    found = Cluster(folder)
    try:
        found.run("initdb", "--auth=trust", "--username=postgres", "--no-sync")
        found.start()
        yield found
        found.stop()
    finally:
        shutil.rmtree(folder)


@pytest.fixture
def postgresql(cluster: Cluster) -> Iterator[Callable[[], str]]:
    """Return a function that returns the URL of an empty PostgreSQL database."""
    held: list[str] = []

    def database() -> str:
        held.append(cluster.new_database())
        return held[-1]

    yield database
    for url in held:
        cluster.give_back(url)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def either_store(request: pytest.FixtureRequest, store: Path) -> str:
    """Return an empty store's name: a SQLite file, then a PostgreSQL database."""
    return str(store) if request.param == "sqlite" else request.getfixturevalue("postgresql")()


@pytest.fixture
def opening(store: Path) -> Callable[..., LazyHost]:
    """Return a function that offers the sample by some rules."""

    def offer(**rules: object) -> LazyHost:
        settings = Settings((exam_folder("wireframes"),), store, Rules.model_validate(rules))
        return LazyHost(lambda: open_exam(settings))

    return offer


NEWEST = "2026-07-28"


@pytest.fixture(params=[NEWEST, "legacy"])
def era(request: pytest.FixtureRequest) -> str:
    """Return each of the two ways in which clients speak the protocol."""
    return request.param


@pytest.fixture
def exam(opening: Callable[..., LazyHost]) -> Callable[..., Any]:
    """Return a function that lets an agent take the sample in memory, by some rules."""
    return _exam(opening, NEWEST)


@pytest.fixture
def exam_of_era(opening: Callable[..., LazyHost], era: str) -> Callable[..., Any]:
    """Return the same function, once for each era: for tests of what the eras differ in."""
    return _exam(opening, era)


def _exam(opening: Callable[..., LazyHost], era: str) -> Callable[..., Any]:
    @asynccontextmanager
    async def take(**rules: object) -> AsyncGenerator[Agent]:
        offered = opening(**rules)
        try:
            async with Client(ExamServer(offered).server, mode=era) as client:
                yield Agent(client)
        finally:
            await offered.close()

    return take


@pytest.fixture
def agent_of() -> Callable[[Client], Agent]:
    """Return what makes an agent of a client."""
    return Agent


@pytest.fixture(scope="session")
def golds() -> Mapping[str, str]:
    """Return an answer to each question of the sample that its reference holds."""
    folder = exam_folder("wireframes")
    lines = (folder / "references.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    gold = {record["item_id"]: record["gold"][0] for record in records if "item_id" in record}
    items = map(json.loads, (folder / "items.jsonl").read_text(encoding="utf-8").splitlines())
    return {item["item"]["prompt"]: gold[item["item"]["id"]] for item in items}


SERVE = [sys.executable, "-c", "from snellen.cli import main; main()", "serve"]


def environment_of(home: Path) -> dict[str, str]:
    """Return the environment of a server of its own, which finds this code and a home."""
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry),
        "SNELLEN_HOME": str(home),
        "SNELLEN_PACK_KEY": "",
        "PYTHONUNBUFFERED": "1",
    }


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return the environment of a server of its own."""
    return environment_of(tmp_path / "home")


@dataclass
class Served:
    """A server of its own: its address, and all that it wrote once it is stopped."""

    process: subprocess.Popen[str]
    url: str
    said: list[str]

    def stop(self) -> str:
        """Ask it to stop and return what it wrote to standard error."""
        self.process.terminate()
        _, rest = self.process.communicate(timeout=SECONDS)
        self.said.append(rest)
        return "".join(self.said)


@contextmanager
def serving(environment: Mapping[str, str]) -> Generator[Callable[..., Served]]:
    """Start servers; they are gone at the end."""
    started: list[subprocess.Popen[str]] = []

    def start(*options: str, descriptors: tuple[int, int] | None = None) -> Served:
        def limited() -> None:
            import resource

            assert descriptors is not None
            resource.setrlimit(resource.RLIMIT_NOFILE, descriptors)

        process = subprocess.Popen(
            [*SERVE, "--port", "0", *options],
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=None if descriptors is None else limited,
        )
        started.append(process)
        assert process.stderr is not None
        said: list[str] = []
        for line in process.stderr:
            said.append(line)
            if line.startswith("serving on "):
                return Served(process, line.removeprefix("serving on ").strip(), said)
        raise AssertionError(f"the server did not start: {''.join(said)}")

    try:
        yield start
    finally:
        for process in started:
            process.kill()
            process.wait()
            if process.stderr is not None:
                process.stderr.close()


@pytest.fixture
def serve(environment: dict[str, str]) -> Iterator[Callable[..., Served]]:
    """Return a function that starts `snellen serve` with some options."""
    with serving(environment) as start:
        yield start


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a server that several tests knock at."""
    home = tmp_path_factory.mktemp("shared")
    with serving(environment_of(home)) as start:
        yield start()


TASK = "screenqa/short"


@pytest.fixture(scope="session")
def right() -> dict[str, str]:
    """Return a right answer to each item of the sample."""
    pack = open_pack(exam_folder("wireframes"))
    golds = open_references(pack).golds[TASK]
    return {item: golds[item][0] for item in pack.index[TASK]}


@pytest.fixture
def hosted(either_store: str) -> Iterator[Callable[..., Hosted]]:
    """Return a function that opens a challenge over an included exam, by some rules of its phase.

    Further settings of the exam file are in `exam`.
    """
    opened: list[Host] = []

    def start(
        *phases: Phase,
        pack: str = "wireframes",
        exam: Mapping[str, object] | None = None,
        **rules: object,
    ) -> Hosted:
        settings = Settings((exam_folder(pack),), either_store)
        host = open_exam(settings)
        opened.append(host)
        time = [NOON]
        one = Phase.model_validate({"name": "main", **rules})
        named = {"name": "sample", "packs": (str(exam_folder(pack)),)}
        file = ExamFile.model_validate({**named, "phases": phases or (one,), **(exam or {})})
        challenge = Challenge(
            file,
            host.service.exam,
            references_digest(settings),
            host.database,
            Clock(now=lambda: time[0]),
        )
        return Hosted(settings, host, challenge, time)

    yield start
    for host in opened:
        host.close()


@pytest.fixture
def place(tmp_path: Path) -> str:
    """Return a folder for uploads."""
    return str(tmp_path / "files")
