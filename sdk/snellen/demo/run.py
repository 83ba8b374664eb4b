"""A demonstration: the baseline agent takes a local exam with and without images.

This module starts the server with a sample. The agent's side is `agent.take`, which gets a
connection and no path of a pack.
"""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from snellen.demo.agent import NAME, AttemptLog, Step, Vision, take
from snellen.demo.ocr.reader import EXTRA, RapidReader, Shelf, cache_folder
from snellen.grading.errors import InputError, MissingExtraError
from snellen.sdk.exam.client import ExamClient
from snellen.tasks.memory import return_freed_memory
from snellen.tasks.samples import DEFAULT, exam_folder, is_generated

_LEAST = 2
"""The minimum number of items of a task: a pair, the same page before and after a change."""


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """The options of a demonstration.

    Attributes:
        pack: The folder of a pack, or the name of an included exam.
        items: The approximate number of items, distributed evenly among the tasks; None: all.
        seed: The seed of the sample and its order.
        key: The file with the key of a sealed pack.
        url: The URL of a running exam server, which then selects the items.
        token: The token for that server.
        jobs: The number of items that are processed at the same time.
        blind: Whether the exam is also taken without the images.
        cache: The folder for OCR results; None: they are not stored.
        contexts: `continuous` takes the items of an agent that sees several in one context.
    """

    pack: Path = Path(DEFAULT)
    items: int | None = None
    seed: int = 0
    key: Path | None = None
    url: str | None = None
    token: str | None = field(default=None, repr=False)
    jobs: int = 2
    blind: bool = True
    cache: Path | None = field(default_factory=cache_folder)
    contexts: Literal["fresh", "continuous"] = "fresh"


@dataclass(frozen=True, slots=True)
class Row:
    """The scores of a task: the agent with the images and without, and chance.

    Attributes:
        task: The task's id.
        items: The number of items.
        answered: The number of items that the agent answered.
        metric: The metric of the values; empty if answers are graded elsewhere.
        value: The agent's score over all items, 0..1.
        low: The lower end of its 95 % interval.
        high: The upper end.
        blind: The agent's score without the images.
        chance: The score of a random choice, if known.
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
    """The result of a demonstration.

    Attributes:
        taken: The attempt with the images.
        blind: The attempt without the images; None: there was none.
        seconds: The duration of both, in seconds.
        agent: The agent's name.
    """

    taken: AttemptLog
    blind: AttemptLog | None
    seconds: float
    agent: str = NAME

    @property
    def rows(self) -> Sequence[Row]:
        """The tasks, in the report's order."""
        blind: dict[str, Any] = {}
        if self.blind is not None:
            blind = {task["task"]: task for task in self.blind.report["tasks"]}
        return [_row(task, blind.get(task["task"])) for task in self.taken.report["tasks"]]

    def as_json(self) -> dict[str, Any]:
        """Return both reports, and the agent's answer and reason for each item, as JSON."""
        return {
            "agent": self.agent,
            "seconds": round(self.seconds, 1),
            "report": dict(self.taken.report),
            "blind_report": None if self.blind is None else dict(self.blind.report),
            "steps": [_step(step) for step in self.taken.steps],
        }


def run_demo(options: DemoOptions, notify: Callable[[Step, int, int], None] | None = None) -> Demo:
    """Let the baseline agent take an exam.

    Args:
        options: The options.
        notify: Called after each item of the attempt with images.

    Raises:
        MissingExtraError: RapidOCR or Jinja is not installed.
        InputError: The pack does not exist, or the exam refuses the agent.
        ExamUnreachableError: The exam's server can't be reached.
    """
    # Checked before the server starts, so that a missing extra is reported at once.
    if find_spec("jinja2") is None:
        raise MissingExtraError("the page of a demonstration", EXTRA)
    return_freed_memory()
    vision = Vision(RapidReader(), Shelf(options.cache), options.jobs)
    return asyncio.run(_run(options, vision, notify))


def sample_size(counts: Sequence[int], items: int) -> int:
    """Return the number of items per task for an approximate total.

    Args:
        counts: The number of items of each task.
        items: The approximate total. The result is at least 2, even if the total is then larger; a
            task with fewer items gives all of them.

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
    async with _connected(options) as exam:
        taken = await take(exam, vision, notify=notify, contexts=options.contexts)
        blind = await take(exam, None, contexts=options.contexts) if options.blind else None
    return Demo(taken, blind, time.perf_counter() - began)


@asynccontextmanager
async def _connected(options: DemoOptions) -> AsyncGenerator[ExamClient]:
    if options.url is not None:
        async with ExamClient.connect(options.url, options.token) as exam:
            yield exam
        return
    with TemporaryDirectory(prefix="snellen-demo-") as folder:
        store = str(Path(folder) / "exam.sqlite")
        exam = Path(folder) / "exam.toml"
        exam.write_text(exam_file(options), encoding="utf-8")
        command = [str(exam), "--store", store]
        if options.key is not None:
            command += ["--key", str(options.key.resolve())]
        async with ExamClient.launch(command) as exam:
            yield exam


def exam_file(options: DemoOptions) -> str:
    """Return the exam file of a demonstration.

    Raises:
        InputError: There is no such exam.
    """
    pack = str(options.pack)
    if not is_generated(pack):
        pack = str(exam_folder(options.pack).resolve())
    # Practice mode returns the score of each answer at once, for the page of steps. Options are not
    # shuffled, so that the same seed gives the same demonstration.
    lines = ['name = "demo"', f"packs = {json.dumps([pack], ensure_ascii=False)}", "[rules]"]
    lines += ['mode = "practice"', f"seed = {options.seed}", "shuffle_options = false"]
    if options.items is not None:
        lines.append(f"sample = {sample_size(_counts(options.pack), options.items)}")
    return "\n".join(lines)


def _counts(pack: Path) -> Sequence[int]:
    from snellen.tasks.pack.read import read_manifest

    if is_generated(str(pack)):
        raise InputError(f"{pack} is generated at its start: take all of its items")
    counts = [task.items for task in read_manifest(exam_folder(pack)).tasks]
    if not counts:
        raise InputError("the pack has no items", file=str(pack))
    return counts


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
