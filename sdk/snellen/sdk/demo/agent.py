"""The agent: it takes an attempt's items, looks at their images, and answers or skips each."""

import asyncio
import io
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from snellen.grading.errors import SnellenError
from snellen.sdk.demo.acting import place, plan
from snellen.sdk.demo.blind import guess
from snellen.sdk.demo.findings import Finding, no_idea
from snellen.sdk.demo.skills import answer, row_for
from snellen.sdk.exam.client import (
    ExamAttempt,
    ExamClient,
    ExamImage,
    ExamItem,
    ExamRefusedError,
)
from snellen.sdk.ocr.pictures import Picture, Pixels, Reader
from snellen.sdk.ocr.reader import Shelf

NAME = "snellen-baseline-1"
"""The agent's name; its number changes when its rules change."""

BLIND = f"{NAME} blind"

_ACTED = "episode"
# The maximum side and area of a view at full size, in pixels, by the server's defaults.
_SIDE = 1568
_AREA = 1_150_000


@dataclass(frozen=True, slots=True)
class Step:
    """The agent's result for one item.

    Attributes:
        question: The item.
        finding: The answer, or the reason for none.
        thumbnail: The first image as a small WebP with the read text framed; None: not looked at.
        value: The score of the answer, 0..1, if the exam returns it at once.
        note: The reason why the exam refused the answer; empty if it did not.
        seconds: The duration, in seconds.
    """

    question: ExamItem
    finding: Finding
    thumbnail: bytes | None = field(default=None, repr=False)
    value: float | None = None
    note: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class AttemptLog:
    """A finished attempt: the exam's report and the agent's steps."""

    report: Mapping[str, Any]
    steps: Sequence[Step]


@dataclass(frozen=True, slots=True)
class Vision:
    """The agent's OCR.

    Attributes:
        reader: Reads text in images.
        shelf: Stores the text that was read.
        jobs: The number of items that are processed at the same time.
    """

    reader: Reader
    shelf: Shelf
    jobs: int = 2


async def take(
    exam: ExamClient,
    vision: Vision | None,
    tasks: Sequence[str] = (),
    notify: Callable[[Step, int, int], None] | None = None,
) -> AttemptLog:
    """Take an exam and return its report.

    Each item is taken under its own client name, as one context per item.

    Args:
        exam: A connection to the exam.
        vision: The OCR; None: the agent guesses without the images.
        tasks: Tasks or benchmarks; empty: all that are offered.
        notify: Called after each step with the step, its number and the number of all steps.

    Raises:
        ExamRefusedError: The exam can't be taken.
    """
    model = BLIND if vision is None else NAME
    attempt = await exam.start(tasks, model=model, agent="baseline")
    items = (await attempt.progress()).open
    steps: list[Step] = []
    jobs = 1 if vision is None else vision.jobs
    # While all jobs are busy, the views of the next item are fetched.
    gate = asyncio.Semaphore(jobs + 1)
    with ThreadPoolExecutor(jobs, thread_name_prefix="looking") as pool:

        async def work(item: str) -> None:
            async with gate:
                step = await _step(attempt, item, vision, pool)
            steps.append(step)
            if notify is not None:
                notify(step, len(steps), len(items))

        try:
            async with asyncio.TaskGroup() as group:
                for item in items:
                    group.create_task(work(item))
        except* SnellenError as errors:
            raise errors.exceptions[0] from None
    index = {item: number for number, item in enumerate(items)}
    steps.sort(key=lambda step: index[step.question.id])
    return AttemptLog(await attempt.finish(), steps)


async def _step(
    attempt: ExamAttempt, item: str, vision: Vision | None, pool: ThreadPoolExecutor
) -> Step:
    began = time.perf_counter()
    question = await attempt.item(item)
    thumbnail: bytes | None = None
    if vision is None:
        finding = guess(question)
    elif question.kind == _ACTED:
        finding, thumbnail = await _act(attempt, question, vision, pool)
    else:
        pixels = await _look(attempt, question)
        loop = asyncio.get_running_loop()
        finding, thumbnail = await loop.run_in_executor(
            pool, partial(_think, question, pixels, vision)
        )
    value, note = None, ""
    if finding.answer is not None:
        try:
            value = await attempt.submit(question, finding.answer)
        except ExamRefusedError as error:
            # The answer does not have the item's format: the item stays open, as if without one.
            finding, note = no_idea(finding.why), error.message
    return Step(question, finding, thumbnail, value, note, time.perf_counter() - began)


async def _act(
    attempt: ExamAttempt, question: ExamItem, vision: Vision, pool: ThreadPoolExecutor
) -> tuple[Finding, bytes | None]:
    """Do a task in its world, one screenshot at a time; stop if a text is not on the screen."""
    loop, screen, seen = asyncio.get_running_loop(), question.screenshot, None
    deeds, typed = plan(question.prompt), None
    if not deeds or screen is None:
        return no_idea("no rule acts by such a goal"), None
    for deed in deeds:
        if deed.text:
            screen, typed = (
                await attempt.act(question, action="type", text=deed.text) or screen,
                seen,
            )
            continue
        picture = Picture(_shown(screen), vision.reader)
        lines = await loop.run_in_executor(pool, picture.lines)
        seen = place(deed, lines, typed)
        if seen is None:
            return no_idea(f"{deed.says!r} is not on the screen"), picture.thumbnail()
        x, y = map(round, seen.center)
        screen = await attempt.act(question, action="left_click", coordinate=[x, y]) or screen
    said = ", ".join(deed.says for deed in deeds if deed.says)
    finding = Finding({"status": "done"}, f"clicked what the goal says: {said}", seen)
    return finding, Picture(_shown(screen), vision.reader).thumbnail(seen)


def _shown(data: bytes) -> Pixels:
    from PIL import Image

    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image.convert("RGB"))


async def _look(attempt: ExamAttempt, question: ExamItem) -> dict[str, Pixels]:
    row = row_for(question)
    images = question.images if row is not None and row.every_image else question.images[:1]
    return {image.name: await _pixels(attempt, question, image) for image in images}


async def _pixels(attempt: ExamAttempt, question: ExamItem, image: ExamImage) -> Pixels:
    """Return a whole image at full size; a large image is fetched in pieces."""
    width, height = image.width, image.height
    if width is None or height is None:
        small = await attempt.screenshot(question, image.name, max_side=64)
        # The view's id ends with "of WIDTHxHEIGHT at WIDTHxHEIGHT".
        size = small.view.rsplit(" of ", 1)[1].split(" at ")[0]
        width, height = map(int, size.split("x"))
    whole = np.zeros((height, width, 3), np.uint8)
    for left, top, right, bottom in pieces(width, height):
        region = [left, top, right, bottom]
        shown = await attempt.screenshot(question, image.name, region=region)
        whole[top:bottom, left:right] = _decoded(shown.data, (right - left, bottom - top))
    return whole


def pieces(width: int, height: int) -> list[tuple[int, int, int, int]]:
    """Split an image into regions that a view can show at full size.

    >>> pieces(1280, 1700)
    [(0, 0, 1280, 850), (0, 850, 1280, 1700)]
    """
    columns = -(-width // _SIDE)
    across = -(-width // columns)
    rows = max(-(-height // min(_SIDE, _AREA // across)), 1)
    down = -(-height // rows)
    return [
        (left, top, min(left + across, width), min(top + down, height))
        for top in range(0, height, down)
        for left in range(0, width, across)
    ]


def _decoded(data: bytes, size: tuple[int, int]) -> Pixels:
    from PIL import Image

    with Image.open(io.BytesIO(data)) as image:
        shown = image.convert("RGB")
    # A server with lower limits sends a smaller image, which is less sharp.
    return np.asarray(shown if shown.size == size else shown.resize(size))


def _think(
    question: ExamItem, pixels: Mapping[str, Pixels], vision: Vision
) -> tuple[Finding, bytes | None]:
    pictures: dict[str, Picture] = {
        name: vision.shelf.open(image, vision.reader) for name, image in pixels.items()
    }
    finding = answer(question, pictures)
    for picture in pictures.values():
        vision.shelf.keep(picture)
    first = next(iter(pictures.values()), None)
    return finding, None if first is None else first.thumbnail(finding.seen)
