"""A demonstration: an exam served here, taken by the baseline agent with images and without.

The exam's side of it, which server to start with which sample, is here; the agent's side is
`agent.take`, which is given a connection and no path of a pack.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from snellen.grading.errors import InputError, MissingExtraError
from snellen.sdk.demo.agent import NAME, AttemptLog, Step, Vision, take
from snellen.sdk.exam.client import ExamClient
from snellen.sdk.ocr.reader import EXTRA, RapidReader, Shelf, cache_folder
from snellen.tasks.memory import return_freed_memory

ITEMS = 70
"""How many items a demonstration takes by default."""

EPISODES = ("mail-delete", "notes-pin")
"""Templates of interactive tasks, one easy task of each."""

_LEAST = 2
"""Items of a task: fewer could not hold a pair, the same page before and after a change."""


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """What exam is taken, and how.

    Attributes:
        pack: The folder of a pack; None: the sample that ships.
        items: About how many items, shared out evenly among the tasks; None: all.
        seed: Draws the sample and orders it.
        key: The file of the key of a pack that is sealed.
        url: An exam that is served already; then it decides what is asked.
        token: What that server asks for.
        jobs: How many items are looked at at a time.
        blind: Whether it is taken without the images, too.
        cache: Where readings are kept; None: nowhere.
    """

    pack: Path | None = None
    items: int | None = ITEMS
    seed: int = 0
    key: Path | None = None
    url: str | None = None
    token: str | None = field(default=None, repr=False)
    jobs: int = 2
    blind: bool = True
    cache: Path | None = field(default_factory=cache_folder)

    @property
    def acts(self) -> bool:
        """Whether interactive tasks are added: to the sample that ships, and to no other exam."""
        return self.pack is None and self.url is None


@dataclass(frozen=True, slots=True)
class Row:
    """One task: what the agent scored with the images and without, and what chance scores.

    Attributes:
        task: The task's id.
        items: How many items were asked.
        answered: How many the agent had an idea about.
        metric: What the values are; empty where answers are graded elsewhere.
        value: What the agent scored over all items, 0..1.
        low: The lower end of its 95 % interval.
        high: The upper end.
        blind: What it scored without the images.
        chance: What choosing at random scores, where that is known.
    """

    task: str
    items: int
    answered: int
    metric: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    blind: float | None = None
    chance: float | None = None


@dataclass(frozen=True, slots=True)
class Demo:
    """A demonstration that was given.

    Attributes:
        taken: The attempt with the images.
        blind: The one without the images, if there was one.
        seconds: How long both took.
        left_out: Why no task was acted in, in a sentence; empty: some were, or none was meant to.
    """

    taken: AttemptLog
    blind: AttemptLog | None
    seconds: float
    left_out: str = ""

    @property
    def rows(self) -> Sequence[Row]:
        """The tasks, in the report's order."""
        blind: dict[str, Any] = {}
        if self.blind is not None:
            blind = {task["task"]: task for task in self.blind.report["tasks"]}
        return [_row(task, blind.get(task["task"])) for task in self.taken.report["tasks"]]

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON: both reports, and what the agent said to each item and why."""
        return {
            "agent": NAME,
            "seconds": round(self.seconds, 1),
            "report": dict(self.taken.report),
            "blind_report": None if self.blind is None else dict(self.blind.report),
            "steps": [_step(step) for step in self.taken.steps],
        }


def run_demo(options: DemoOptions, notify: Callable[[Step, int, int], None] | None = None) -> Demo:
    """Have the baseline agent take an exam.

    Args:
        options: What exam is taken, and how.
        notify: Called after each item that was looked at.

    Raises:
        MissingExtraError: RapidOCR or Jinja is not installed.
        InputError: There is no such pack, or the exam refuses the agent.
        ExamUnreachableError: The exam's server can't be reached.
    """
    # Before a server is started: a missing extra is reported at once.
    if find_spec("jinja2") is None:
        raise MissingExtraError("the page of a demonstration", EXTRA)
    return_freed_memory()
    vision = Vision(RapidReader(), Shelf(options.cache), options.jobs)
    return asyncio.run(_run(options, vision, notify))


def sample_size(counts: Sequence[int], items: int) -> int:
    """Return how many items of each task make about so many in all.

    Args:
        counts: How many items each task has.
        items: How many are wanted; a task gives two all the same, if it has them.

    >>> sample_size([100, 100, 4], 24)
    10
    >>> sample_size([50] * 40, 70)
    2
    """
    size = _LEAST
    while size < max(counts, default=0) and sum(min(size + 1, one) for one in counts) <= items:
        size += 1
    return size


async def _run(
    options: DemoOptions, vision: Vision, notify: Callable[[Step, int, int], None] | None
) -> Demo:
    began = time.perf_counter()
    left_out = _no_browser() if options.acts else ""
    async with _connected(options, acts=options.acts and not left_out) as exam:
        taken = await take(exam, vision, notify=notify)
        blind = await take(exam, None) if options.blind else None
    return Demo(taken, blind, time.perf_counter() - began, left_out)


def _no_browser() -> str:
    """Say why no task can be acted in; empty: it can."""
    from snellen.tasks.environments.browser import Browser

    try:
        Browser()
    except (InputError, MissingExtraError) as error:
        return f"No interactive task was taken: {error}."
    return ""


def make_episodes(folder: Path, seed: int) -> None:
    """Make a pack of two easy tasks on the desk; the seed draws their worlds."""
    from snellen.tasks.benchmarks.desk.load import L3, write_rows
    from snellen.tasks.benchmarks.table import load_task
    from snellen.tasks.environments.desk.making import rows_of
    from snellen.tasks.environments.desk.templates.table import TEMPLATES
    from snellen.tasks.pack.write import Part, write_pack

    tasks = [TEMPLATES[name].make(seed, "easy") for name in EPISODES]
    with TemporaryDirectory(prefix="snellen-") as rows:
        file = write_rows(rows_of(tasks), Path(rows))
        write_pack([Part(load_task(L3, file))], folder, name="desk")


@asynccontextmanager
async def _connected(options: DemoOptions, *, acts: bool) -> AsyncGenerator[ExamClient]:
    if options.url is not None:
        async with ExamClient.connect(options.url, options.token) as exam:
            yield exam
        return
    with TemporaryDirectory(prefix="snellen-demo-") as folder:
        store = str(Path(folder) / "exam.sqlite")
        packs: list[str] = []
        if acts:
            make_episodes(Path(folder) / "desk", options.seed)
            packs = [str(Path(folder) / "desk")]
        command = [*packs, *_server_options(options), "--store", store]
        async with ExamClient.launch(command) as exam:
            yield exam


def _server_options(options: DemoOptions) -> list[str]:
    from snellen.tasks.pack.read import open_pack
    from snellen.tasks.samples import sample_exam

    folder = options.pack or sample_exam()
    counts = [task.items for task in open_pack(folder).manifest.tasks]
    if not counts:
        raise InputError("the pack has no items", file=str(folder))
    # Practice: what an answer is worth is reported at once, for the page that shows each step.
    # Options stay in their order, so that the same seed is the same demonstration.
    server = [str(folder.resolve()), "--mode", "practice", "--seed", str(options.seed)]
    server.append("--keep-options")
    if options.items is not None:
        server += ["--sample", str(sample_size(counts, options.items))]
    if options.key is not None:
        server += ["--key", str(options.key.resolve())]
    return server


def _row(seen: Mapping[str, Any], blind: Mapping[str, Any] | None) -> Row:
    interval: dict[str, float] = seen.get("interval") or {}
    return Row(
        task=seen["task"],
        items=seen["items"],
        answered=seen["answered"],
        metric=seen.get("metric") or "",
        value=seen.get("value"),
        low=interval.get("low"),
        high=interval.get("high"),
        blind=None if blind is None else blind.get("value"),
        chance=seen.get("chance"),
    )


def _step(step: Step) -> dict[str, Any]:
    return {
        "item": step.question.id,
        "task": step.question.task,
        "prompt": step.question.prompt,
        "answer": step.finding.answer,
        "why": step.finding.why,
        "value": step.value,
        "note": step.note,
        "seconds": round(step.seconds, 2),
    }
