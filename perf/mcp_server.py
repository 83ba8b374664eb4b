"""The exam over MCP against a bare server of the same SDK: what its rules and its store cost.

Both answer with the same bytes, over the same transport, by turns. CPU is the server's own, user
and system, as the kernel counts it; of several rounds the best.
Crops of large pages are timed by `screenshots.py`.
"""

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from _mcp_load import Load, run_agents
from _mcp_wire import BARE, SNELLEN, Http, Stdio, Wire, call, free_port, processor
from _timing import options
from PIL import Image

from snellen import sdk
from snellen.tasks.pack.write import Part, write_pack

SEED = 20240601
ITEMS = 24
WIDTH = 46
LARGE = 720_000
UNTOUCHED, READ, SUBMIT, COLD, RATE, TAIL = 1.3, 2.0, 3.0, 1.3, 0.9, 5.0


class Line(NamedTuple):
    """One line of the table; `most` says that the target is a ceiling, else it is a floor."""

    work: str
    ours: str
    bare: str
    ratio: float
    target: float
    most: bool = True

    @property
    def reached(self) -> bool:
        """Whether the target is reached."""
        return self.ratio <= self.target if self.most else self.ratio >= self.target


class Pair(NamedTuple):
    """Our server and the bare one, and what to name in calls."""

    ours: Wire
    bare: Wire
    attempt: str
    item: str
    large: str


def main() -> None:
    """Check that both say the same, then time them."""
    flags = options(__doc__ or "")
    rounds = flags.rounds or (3 if flags.quick else 9)
    calls = 30 if flags.quick else 100
    print(f"{'work':<{WIDTH}}  {'ours':>9}  {'bare':>9}  {'ratio':>6}  {'target':>7}")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        make_pack(folder)
        for transport in ("stdio", "http"):
            with servers(folder, transport) as pair:
                check(pair)
                for line in cpu_lines(pair, transport, rounds, calls):
                    show(line)
                show(image_line(pair, transport, rounds, calls // 2))
        show(cold_start(folder, rounds))
        for line in under_load(folder, 16 if flags.quick else 64, 2 if flags.quick else 8):
            show(line)


# ---- the two servers ---------------------------------------------------------------------------


def make_pack(folder: Path) -> None:
    """Write a pack of a few questions about small screens, and one about a large picture."""
    draw = np.random.default_rng(SEED)
    data, images = folder / "data", folder / "screens"
    (data / "answers_and_bboxes").mkdir(parents=True)
    (data / "short_answers").mkdir()
    images.mkdir()
    rows = [
        {"image_id": number, "question": f"What is {number}?", "ground_truth": [str(number)]}
        for number in range(ITEMS)
    ]
    (data / "short_answers" / "test.json").write_text(json.dumps(rows), "utf-8")
    for number in range(ITEMS):
        pixels = np.full((640, 360, 3), 245, np.uint8)
        pixels[20 + 20 * number : 36 + 20 * number, 10:350] = (30, 90, 160)
        Image.fromarray(pixels).save(images / f"{number}.png")
    # Noise in so many rows that the file has the size.
    pixels = np.full((1200, 900, 3), 245, np.uint8)
    pixels[: LARGE // 2700] = draw.integers(0, 256, (LARGE // 2700, 900, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(images / "0.png")
    short = sdk.load("screenqa/short", data, images=images)
    write_pack([Part(short)], folder / "pack", name="perf")


@contextmanager
def servers(folder: Path, transport: str) -> Generator[Pair]:
    """Start both, the bare one with what ours answers."""
    store = folder / f"{transport}.sqlite"
    exam = folder / "exam.toml"
    exam.write_text('name = "perf"\npacks = ["pack"]\n[rules]\nsubmissions = 1000000\n')
    options = [str(exam), "--store", str(store)]
    making = [sys.executable, *SNELLEN, "token", "create", "perf", "--store", str(store)]
    token = subprocess.run(making, check=True, capture_output=True, text=True).stdout.strip()
    command = [*SNELLEN, "mcp" if transport == "stdio" else "serve", *options]
    with closing(connect(command, transport, token)) as ours:
        yield from _pair(folder, transport, ours)


def _pair(folder: Path, transport: str, ours: Wire) -> Generator[Pair]:
    """Start the bare server with what ours answers."""
    attempt = json.loads(call(ours, "start_attempt")[0]["text"])["attempt"]
    items: dict[str, str] = {}
    for _ in range(ITEMS):
        told = json.loads(call(ours, "get_item", attempt=attempt)[0]["text"])
        items[told["prompt"]] = told["item"]
        call(ours, "submit_answer", attempt=attempt, item=told["item"], answer="first")
    large = next(item for prompt, item in items.items() if "What is 0?" in prompt)
    item = next(item for prompt, item in items.items() if "What is 3?" in prompt)
    contents = {
        "list_benchmarks": call(ours, "list_benchmarks"),
        "list_items": call(ours, "list_items", attempt=attempt),
        "get_item": call(ours, "get_item", attempt=attempt, item=item),
        "get_screenshot": call(ours, "get_screenshot", attempt=attempt, item=item),
        "large": call(ours, "get_screenshot", attempt=attempt, item=large, format="png"),
        "submit_answer": call(ours, "submit_answer", attempt=attempt, item=item, answer="0"),
    }
    said = folder / "contents.json"
    said.write_text(json.dumps(contents), "utf-8")
    with closing(connect([*BARE, transport, str(said)], transport)) as bare:
        yield Pair(ours, bare, attempt, item, large)


def connect(arguments: list[str], transport: str, token: str = "") -> Wire:
    """Start a server; over HTTP on a free port."""
    if transport == "stdio":
        return Stdio(arguments)
    port = free_port()
    if "serve" in arguments:
        return Http([*arguments, "--port", str(port)], port, token)
    return Http([*arguments[:-1], str(port), arguments[-1]], port)


def check(pair: Pair) -> None:
    """Stop if the two do not answer alike."""
    for tool, arguments in works(pair).values():
        mine, theirs = (call(wire, tool, **arguments()) for wire in (pair.ours, pair.bare))
        if [part["type"] for part in mine] != [part["type"] for part in theirs]:
            raise SystemExit(f"{tool}: the answers differ")
        if mine[1:] != theirs[1:]:
            raise SystemExit(f"{tool}: the images differ")


# ---- what is measured --------------------------------------------------------------------------


def works(pair: Pair) -> dict[str, tuple[str, Callable[[], dict[str, Any]]]]:
    """Return the tools that are called, with their arguments; each answer is another."""
    numbers = count()
    mine = {"attempt": pair.attempt}
    one = {**mine, "item": pair.item}
    return {
        "no store: list_benchmarks": ("list_benchmarks", dict),
        "a read: get_screenshot": ("get_screenshot", lambda: one),
        "a read: list_items": ("list_items", lambda: mine),
        "a write: get_item": ("get_item", lambda: one),
        "submit_answer": ("submit_answer", lambda: {**one, "answer": f"answer {next(numbers)}"}),
    }


def cpu_lines(pair: Pair, transport: str, rounds: int, calls: int) -> Iterator[Line]:
    """Compare the CPU of a call, tool by tool."""
    targets = {"no": UNTOUCHED, "a": READ, "submit_answer": SUBMIT}

    def listed(wire: Wire) -> None:
        wire.ask("tools/list")

    yield _compared(f"{transport}, no store: tools/list", pair, listed, rounds, calls, UNTOUCHED)
    for work, (tool, arguments) in works(pair).items():

        def once(wire: Wire, tool: str = tool, arguments: Any = arguments) -> None:  # noqa: ANN401  # a function
            call(wire, tool, **arguments())

        target = SUBMIT if "write" in work else targets[work.split()[0]]
        yield _compared(f"{transport}, {work}", pair, once, rounds, calls, target)


def _compared(
    work: str, pair: Pair, once: Callable[[Wire], None], rounds: int, calls: int, target: float
) -> Line:
    spent: tuple[list[float], list[float]] = ([], [])
    for number in range(rounds + 1):
        for wire, kept in zip((pair.ours, pair.bare), spent, strict=True):
            before = processor(wire.process)
            for _ in range(calls):
                once(wire)
            if number:
                kept.append((processor(wire.process) - before) / calls)
    # Whatever else the machine does can only add to what a call costs: the best round counts.
    mine, theirs = (min(kept) for kept in spent)
    return Line(work, f"{mine * 1e3:.2f} ms", f"{theirs * 1e3:.2f} ms", mine / theirs, target)


def image_line(pair: Pair, transport: str, rounds: int, calls: int) -> Line:
    """Compare how many times a second a large view comes, from the cache."""
    arguments = {"attempt": pair.attempt, "item": pair.large, "format": "png"}
    seconds: tuple[list[float], list[float]] = ([], [])
    size = 0
    for number in range(rounds + 1):
        for wire, kept in zip((pair.ours, pair.bare), seconds, strict=True):
            start = time.perf_counter()
            for _ in range(calls):
                size = len(call(wire, "get_screenshot", **arguments)[1]["data"]) * 3 // 4
            if number:
                kept.append((time.perf_counter() - start) / calls)
    ratio = statistics.median(theirs / mine for mine, theirs in zip(*seconds, strict=True))
    ours, bare = (f"{1 / statistics.median(kept):.0f} /s" for kept in seconds)
    return Line(f"{transport}, a view of {size:,} bytes", ours, bare, ratio, RATE, most=False)


def cold_start(folder: Path, rounds: int) -> Line:
    """Compare the time from the start of the process to its list of tools."""
    store = folder / "cold.sqlite"
    commands = (
        [*SNELLEN, "mcp", str(folder / "pack"), "--store", str(store)],
        [*BARE, "stdio", str(folder / "contents.json")],
    )
    seconds: tuple[list[float], list[float]] = ([], [])
    for number in range(rounds + 1):
        for command, kept in zip(commands, seconds, strict=True):
            start = time.perf_counter()
            wire = Stdio(command)
            wire.ask("tools/list")
            if number:
                kept.append(time.perf_counter() - start)
            wire.close()
    ratio = statistics.median(mine / theirs for mine, theirs in zip(*seconds, strict=True))
    ours, bare = (f"{statistics.median(kept) * 1e3:.0f} ms" for kept in seconds)
    return Line("cold start to tools/list, stdio", ours, bare, ratio, COLD)


def under_load(folder: Path, agents: int, items: int) -> Iterator[Line]:
    """Let many agents take the exam at once, each over a connection of its own."""
    port = free_port()
    store = folder / "load.sqlite"
    wire = Http(
        [*SNELLEN, "serve", str(folder / "pack"), "--store", str(store), "--port", str(port)], port
    )
    try:
        before, start = processor(wire.process), time.perf_counter()
        load: Load = asyncio.run(run_agents(port, agents, items))
        seconds, spent = time.perf_counter() - start, processor(wire.process) - before
    finally:
        wire.close()
    calls = sum(map(len, load.seconds.values()))
    print(
        f"{agents} agents at once: {calls} calls in {seconds:.1f} s, {calls / seconds:.0f} /s,"
        f" {spent / calls * 1e3:.2f} ms of the server's CPU a call, {len(load.errors)} errors;"
        " p99 is held against p50"
    )
    for error in load.errors[:3]:
        print(f"  {error}")
    for tool, taken in load.seconds.items():
        middle = statistics.median(taken)
        tail = statistics.quantiles(taken, n=100)[98]
        work = f"{agents} agents, {tool}, p99 and p50"
        yield Line(work, f"{tail * 1e3:.0f} ms", f"{middle * 1e3:.0f} ms", tail / middle, TAIL)


def show(line: Line) -> None:
    """Print a line of the table."""
    target = f"{'<=' if line.most else '>='} {line.target:g}x"
    print(
        f"{line.work:<{WIDTH}}  {line.ours:>9}  {line.bare:>9}  {line.ratio:>5.2f}x"
        f"  {target:>7}  {'reached' if line.reached else 'missed'}",
        flush=True,
    )


if __name__ == "__main__":
    main()
