"""What the exam's store costs: processor time a call, beside bare sqlite3 that writes as much.

usage: python perf/store.py [--quick]

Both ways commit to the same disk with WAL and synchronous=FULL. Targets are of an unloaded machine.
"""

import asyncio
import json
import sqlite3
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from statistics import median

from _timing import options

from snellen import sdk
from snellen.server.attempts.models import Caller, CallTrace
from snellen.server.attempts.service import Service
from snellen.server.exam.rules import Mode, Rules
from snellen.server.exam.spec import Exam
from snellen.server.store.schema import open_store
from snellen.tasks.pack.read import open_pack
from snellen.tasks.pack.write import Part, write_pack

ME = Caller()


def make_pack(folder: Path, items: int) -> Path:
    """Write a pack of made-up questions."""
    screens = folder / "screenqa"
    (screens / "answers_and_bboxes").mkdir(parents=True)
    (screens / "short_answers").mkdir()
    rows = [
        {"image_id": n // 2, "question": f"What is {n}?", "ground_truth": [str(n)]}
        for n in range(items)
    ]
    (screens / "short_answers" / "test.json").write_text(json.dumps(rows))
    part = Part(sdk.load("screenqa/short", screens))
    write_pack([part], folder / "pack", name="perf", images=False)
    return folder / "pack"


def bare(file: Path) -> Callable[[int], None]:
    """Return a commit of one answer by sqlite3 alone: an insert and two updates."""
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE answers (place INTEGER PRIMARY KEY, response TEXT)")
    connection.execute("CREATE TABLE items (place INTEGER PRIMARY KEY, answered INTEGER)")
    connection.execute("CREATE TABLE attempts (id INTEGER PRIMARY KEY, answered INTEGER)")

    def commit(number: int) -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO answers VALUES (?, 'x')", (number,))
        connection.execute("UPDATE items SET answered = 1 WHERE place = ?", (number,))
        connection.execute("UPDATE attempts SET answered = answered + 1 WHERE id = 1")
        connection.execute("COMMIT")

    return commit


class Loads:
    """One call of each kind, on one attempt."""

    def __init__(self, service: Service, handle: str, names: Iterator[str]) -> None:
        self.service = service
        self.handle = handle
        self.names = names
        self.held: list[str] = []

    async def read(self) -> None:
        """Find the attempt and the item that is held; keep a trace."""
        attempt = self.service.attempt(self.handle, ME.name)
        self.service.held(attempt, ME, self.held[0])
        self.service.trace(attempt, CallTrace("get_screenshot", 900, 0, 80_000, 1_000))

    async def lease(self) -> None:
        """Find the attempt and lease the next item."""
        attempt = self.service.attempt(self.handle, ME.name)
        lease = await self.service.lease(attempt, ME, next(self.names))
        self.held.append(lease.item.opaque)

    async def submit(self) -> None:
        """Find the attempt and answer an item."""
        attempt = self.service.attempt(self.handle, ME.name)
        await self.service.submit(attempt, ME, self.held.pop(), "an answer")


async def cost(calls: int, work: Callable[[], Awaitable[None]]) -> float:
    """Return the processor time of a call, in milliseconds."""
    start = time.process_time()
    for _ in range(calls):
        await work()
    return (time.process_time() - start) / calls * 1000


async def run(folder: Path, rounds: int, calls: int) -> None:
    """Measure alternately and print the medians."""
    pack = open_pack(make_pack(folder, rounds * calls + 1))
    database = open_store(folder / "exam.sqlite")
    service = Service(Exam([pack], Rules(mode=Mode.DEFERRED)), database)
    started = await service.start(ME)
    attempt = started.attempt
    places = service.exam.items(attempt.tasks, attempt.secret)
    loads = Loads(service, started.handle, (place.opaque for place in places))
    await loads.lease()
    commit = bare(folder / "bare.sqlite")
    found: dict[str, list[float]] = {"read": [], "lease": [], "submit": [], "bare commit": []}
    for number in range(rounds):
        first = iter(range(number * calls, (number + 1) * calls))

        async def alone(numbers: Iterator[int] = first) -> None:
            commit(next(numbers))

        found["bare commit"].append(await cost(calls, alone))
        found["lease"].append(await cost(calls, loads.lease))
        found["read"].append(await cost(calls, loads.read))
        found["submit"].append(await cost(calls, loads.submit))
        await service.flush()
    database.close()
    targets = {"read": "0.6 (with its trace)", "submit": "1.2"}
    print(f"{'call':<12} {'ms of CPU':>10} {'x bare commit':>14}   target, ms")
    for name, values in found.items():
        ratio = median(values) / median(found["bare commit"])
        print(f"{name:<12} {median(values):>10.3f} {ratio:>13.1f}x   {targets.get(name, '')}")


def main() -> None:
    """Measure in a folder that is thrown away."""
    quick = options(__doc__ or "").quick
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder), rounds=2 if quick else 7, calls=100 if quick else 300))


if __name__ == "__main__":
    main()
