"""A demonstration: the baseline agent takes a local exam with and without images.

This module starts the server with a sample. The agent's side is `agent.take`, which gets a
connection and no path of a pack.
"""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from snellen.demo.agent import NAME, Vision, take
from snellen.demo.ocr.reader import EXTRA, RapidReader, Shelf, cache_folder
from snellen.grading.errors import InputError, MissingExtraError
from snellen.sdk.exam.client import ExamClient
from snellen.sdk.exam.taken import Step, TakenExam
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


def run_demo(
    options: DemoOptions, notify: Callable[[Step, int, int], None] | None = None
) -> TakenExam:
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
) -> TakenExam:
    began = time.perf_counter()
    async with _connected(options) as exam:
        taken = await take(exam, vision, notify=notify, contexts=options.contexts)
        blind = await take(exam, None, contexts=options.contexts) if options.blind else None
    return TakenExam(taken, blind, time.perf_counter() - began, NAME, baseline=True)


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
