"""The functions, files and returns of five walks through the code, counted under a profiler.

    a   grade a file of answers, with loaded data
    b1  submit an answer over MCP, to the row on disk
    b2  finish the attempt, to its report
    c1  upload a file of answers over REST
    c2  a worker's step, without the process that grades
    c3  read the leaderboard over REST
    e   one click in the desk over MCP

Each walk is the first of its kind in a process of its own. Counted are snellen's functions on all
threads, without lambdas; imports that happen on the way are left out. A return is a call of another
file's function, if the walk was in that file before. What runs in the background can add a few.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
ANSWERS, DATA = ROOT / "examples/answers.jsonl", ROOT / "examples/screen_qa"
TASK = "screenqa/short"
_PART = f"{os.sep}snellen{os.sep}"


class Counts(NamedTuple):
    """What a walk goes through."""

    functions: int
    files: int
    returns: int


@dataclass
class Walk:
    """Counts what runs while `counting`."""

    counting: bool = False
    functions: set[CodeType] = field(default_factory=set[CodeType])
    files: set[str] = field(default_factory=set[str])
    returns: set[tuple[CodeType, CodeType]] = field(default_factory=set[tuple[CodeType, CodeType]])
    _importing: dict[int, int] = field(default_factory=dict[int, int])

    def begin(self) -> None:
        """Watch this thread and those that start from now on."""
        threading.setprofile(self._see)
        sys.setprofile(self._see)

    @contextmanager
    def counted(self) -> Generator[None]:
        """Count what runs meanwhile."""
        self.counting = True
        try:
            yield
        finally:
            self.counting = False

    @property
    def counts(self) -> Counts:
        """What was counted."""
        return Counts(len(self.functions), len(self.files), len(self.returns))

    def _see(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event not in ("call", "return"):
            return
        thread = threading.get_ident()
        if not code.co_flags & CO_OPTIMIZED:  # the body of a module or of a class
            now = self._importing.get(thread, 0) + (1 if event == "call" else -1)
            self._importing[thread] = max(now, 0)
        elif event == "call" and self.counting and not self._importing.get(thread):
            self._enter(frame, code)

    def _enter(self, frame: FrameType, code: CodeType) -> None:
        # Comprehensions are functions in some versions of Python only.
        if not _is_ours(code) or code.co_name.startswith("<"):
            return
        caller = frame.f_back
        while caller is not None and not _is_ours(caller.f_code):
            caller = caller.f_back
        leaves = caller is not None and caller.f_code.co_filename != code.co_filename
        if caller is not None and leaves and code.co_filename in self.files:
            self.returns.add((caller.f_code, code))
        self.functions.add(code)
        self.files.add(code.co_filename)


def _is_ours(code: CodeType) -> bool:
    return _PART in code.co_filename and "site-packages" not in code.co_filename


async def grade(walk: Walk, _: Path) -> None:
    """Grade a file of eight answers."""
    from snellen import sdk

    data = sdk.load(TASK, DATA)
    with walk.counted():
        sdk.grade(ANSWERS, task=TASK, data=data)


async def submit(walk: Walk, room: Path) -> None:
    """Submit an answer."""
    async with _attempt(room) as call:
        item = await call("get_item")
        with walk.counted():
            await call("submit_answer", item=item["item"], answer="12")


async def finish(walk: Walk, room: Path) -> None:
    """Finish an attempt with one answer."""
    async with _attempt(room) as call:
        item = await call("get_item")
        await call("submit_answer", item=item["item"], answer="12")
        with walk.counted():
            await call("finish_attempt")


async def click(walk: Walk, room: Path) -> None:
    """Click on the screen of an item of the desk."""
    from snellen.worlds.packs import make_episode_pack

    make_episode_pack("desk", room / "desk", seed=3, count=1)
    async with _attempt(room, room / "desk") as call:
        item = await call("get_item")
        with walk.counted():
            await call("act", item=item["item"], action="left_click", coordinate=[400, 300])


@asynccontextmanager
async def _attempt(room: Path, pack: Path | None = None) -> AsyncGenerator[Callable[..., Any]]:
    """Start an attempt at a pack in memory, and yield what calls a tool for it."""
    from mcp import Client
    from mcp.types import TextContent

    from snellen.server.host import LazyHost, open_exam
    from snellen.server.mcp import server
    from snellen.server.settings import Settings
    from snellen.tasks.samples import exam_folder

    # The timer that writes traces would run in some walks and not in others.
    server.FLUSH_SECONDS = 3600.0
    settings = Settings((pack or exam_folder("wireframes"),), room / "exam.sqlite")
    host = LazyHost(lambda: open_exam(settings), interactive=pack is not None)
    async with Client(server.ExamServer(host).server) as client:

        async def call(tool: str, **given: object) -> dict[str, Any]:
            result = await client.call_tool(tool, {**attempt, **given})
            text = next(part.text for part in result.content if isinstance(part, TextContent))
            if result.is_error:
                raise RuntimeError(text)
            return json.loads(text)

        attempt: dict[str, object] = {}
        attempt = {"attempt": (await call("start_attempt"))["attempt"]}
        yield call
    await host.close()


async def upload(walk: Walk, room: Path) -> None:
    """Upload a file of answers."""
    async with _hosted(room) as hosted:
        with walk.counted():
            await hosted.upload()


async def work(walk: Walk, room: Path) -> None:
    """Have an upload graded."""
    async with _hosted(room) as hosted:
        await hosted.upload()
        with walk.counted():
            await hosted.work()


async def leaderboard(walk: Walk, room: Path) -> None:
    """Read the leaderboard with one row."""
    async with _hosted(room) as hosted:
        await hosted.upload()
        await hosted.work()
        with walk.counted():
            await hosted.ask("GET", "leaderboard")


class _Hosted(NamedTuple):
    """A hosted exam: what calls its REST API, and what grades one upload."""

    ask: Callable[..., Any]
    work: Callable[[], Any]

    async def upload(self) -> None:
        line = json.dumps({"item_id": "0", "response": "12"})
        await self.ask("POST", "submissions", content=line)


@asynccontextmanager
async def _hosted(room: Path) -> AsyncGenerator[_Hosted]:
    import httpx2

    from snellen.server.challenge.boards import Boards
    from snellen.server.challenge.workers import Worker
    from snellen.server.host import open_challenge, open_exam
    from snellen.server.http.actions import Actions
    from snellen.server.http.api.access import Access
    from snellen.server.http.api.api import rest_app
    from snellen.server.http.auth import Tokens
    from snellen.server.settings import Settings
    from snellen.server.store.tables.exams import Scope
    from snellen.tasks.samples import exam_folder

    settings = Settings((exam_folder("wireframes"),), room / "exam.sqlite")
    host = open_exam(settings)
    challenge = open_challenge(settings, host)
    await challenge.begin()
    tokens = Tokens(host.database)
    headers = {
        "Authorization": f"Bearer {tokens.create('ada', [Scope.SUBMIT])}",
        "Content-Type": "application/x-ndjson",
    }
    app = rest_app(Actions(challenge, Boards(challenge), Access(tokens, guarded=True)))
    worker = Worker(challenge, settings)
    exam = f"http://exam/exams/{challenge.file.name}"
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), headers=headers) as http:

        async def ask(method: str, path: str, **more: Any) -> None:  # noqa: ANN401  # httpx2's
            (await http.request(method, f"{exam}/{path}", **more)).raise_for_status()

        async def step() -> None:
            if not await asyncio.to_thread(worker.step):
                raise RuntimeError("nothing waits to be graded")

        yield _Hosted(ask, step)
    worker.close()
    host.close()


WALKS: Mapping[str, Callable[[Walk, Path], Any]] = {
    "a": grade,
    "b1": submit,
    "b2": finish,
    "c1": upload,
    "c2": work,
    "c3": leaderboard,
    "e": click,
}
"""The walks that are measured, by the letters of the list above."""


def measure(name: str) -> Counts:
    """Return what a walk goes through, in a process of its own.

    Raises:
        RuntimeError: The walk fails.
    """
    done = subprocess.run(
        [sys.executable, __file__, name, "--here"], check=False, capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(f"walk {name} fails:\n{done.stderr}")
    return Counts(*json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    """Print a line a walk."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("walks", nargs="*", help="the walks; by default all")
    parser.add_argument("--here", action="store_true", help="walk in this process, print JSON")
    parser.add_argument("--quick", action="store_true", help="the first walk only")
    given = parser.parse_args()
    names: list[str] = given.walks or list(WALKS)[: 1 if given.quick else None]
    if given.here:
        walk = Walk()
        with tempfile.TemporaryDirectory(prefix="snellen-") as room:
            os.environ["SNELLEN_HOME"] = room
            walk.begin()
            asyncio.run(WALKS[names[0]](walk, Path(room)))
        print(json.dumps(walk.counts))
        return
    print(f"{'walk':<52}{'functions':>10}{'files':>7}{'returns':>9}")
    for name in names:
        counts = measure(name)
        title = f"{name:<3} {WALKS[name].__doc__}"
        print(f"{title:<52}{counts.functions:>10}{counts.files:>7}{counts.returns:>9}")


if __name__ == "__main__":
    main()
