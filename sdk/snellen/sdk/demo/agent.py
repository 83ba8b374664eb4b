"""The agent: it takes an attempt's items, looks at their images, answers or says it has no idea."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from snellen.sdk.demo.exams import Attempt, ExamRefusedError, Question, start
from snellen.sdk.demo.guessing import guess
from snellen.sdk.demo.saying import Said, no_idea
from snellen.sdk.demo.skills import answer, row_for
from snellen.sdk.ocr.pictures import Picture, Pixels, Reader
from snellen.sdk.ocr.reader import Shelf

if TYPE_CHECKING:
    from mcp import Client

NAME = "snellen-baseline-1"
"""What the agent calls itself; another number when its rules change."""

BLIND = f"{NAME} blind"


@dataclass(frozen=True, slots=True)
class Step:
    """What the agent did about one question.

    Attributes:
        question: The question.
        said: Its answer, or that it has none.
        thumbnail: The first image as a small WebP with what it read marked, where it looked.
        value: What the answer was worth, 0..1, where the exam says it at once.
        note: Why the exam did not take the answer, where it did not.
        seconds: How long it took.
    """

    question: Question
    said: Said
    thumbnail: bytes | None = field(default=None, repr=False)
    value: float | None = None
    note: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Taken:
    """An attempt that was taken: the exam's report of it, and what was done step by step."""

    report: Mapping[str, Any]
    steps: Sequence[Step]


@dataclass(frozen=True, slots=True)
class Eyes:
    """What the agent looks with.

    Attributes:
        reader: Reads text.
        shelf: Keeps what was read.
        jobs: How many questions are looked at at a time.
    """

    reader: Reader
    shelf: Shelf
    jobs: int = 2


async def take(
    client: "Client",
    eyes: Eyes | None,
    tasks: Sequence[str] = (),
    told: Callable[[Step, int, int], None] | None = None,
) -> Taken:
    """Take an exam and return its report.

    Each question is taken under a name of its own, so that none is answered with another in mind.

    Args:
        client: A connection to the exam.
        eyes: What to look with; None: the agent guesses without the images.
        tasks: Tasks or benchmarks; all that is offered when empty.
        told: Called after each step with it, its number and the number of all.

    Raises:
        ExamRefusedError: The exam can't be taken.
    """
    attempt = await start(client, tasks, BLIND if eyes is None else NAME)
    items = await attempt.open_items()
    steps: list[Step] = []
    jobs = 1 if eyes is None else eyes.jobs
    # Views are fetched for one question more than are looked at.
    gate = asyncio.Semaphore(jobs + 1)
    with ThreadPoolExecutor(jobs, thread_name_prefix="looking") as pool:

        async def one(item: str) -> None:
            async with gate:
                step = await _step(attempt, item, eyes, pool)
            steps.append(step)
            if told is not None:
                told(step, len(steps), len(items))

        async with asyncio.TaskGroup() as group:
            for item in items:
                group.create_task(one(item))
    place = {item: number for number, item in enumerate(items)}
    steps.sort(key=lambda step: place[step.question.id])
    return Taken(await attempt.finish(), steps)


async def _step(attempt: Attempt, item: str, eyes: Eyes | None, pool: ThreadPoolExecutor) -> Step:
    began = time.perf_counter()
    question = await attempt.question(item)
    shown: bytes | None = None
    if eyes is None:
        said = guess(question)
    else:
        pixels = await _look(attempt, question)
        loop = asyncio.get_running_loop()
        said, shown = await loop.run_in_executor(pool, partial(_think, question, pixels, eyes))
    value, note = None, ""
    if said.answer is not None:
        try:
            value = await attempt.answer(question, said.answer)
        except ExamRefusedError as error:
            # The answer is not in the item's form: the item stays open, as without an idea.
            said, note = no_idea(said.why), error.message
    return Step(question, said, shown, value, note, time.perf_counter() - began)


async def _look(attempt: Attempt, question: Question) -> dict[str, Pixels]:
    row = row_for(question)
    wanted = question.images if row is not None and row.every_image else question.images[:1]
    return {image.name: await attempt.pixels(question, image) for image in wanted}


def _think(
    question: Question, pixels: Mapping[str, Pixels], eyes: Eyes
) -> tuple[Said, bytes | None]:
    pictures: dict[str, Picture] = {
        name: eyes.shelf.open(found, eyes.reader) for name, found in pixels.items()
    }
    said = answer(question, pictures)
    for picture in pictures.values():
        eyes.shelf.keep(picture)
    shown = next(iter(pictures.values()), None)
    return said, None if shown is None else shown.thumbnail(said.seen)
