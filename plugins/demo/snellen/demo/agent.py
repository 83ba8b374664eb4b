"""The agent: it takes an attempt's items, looks at their images, and answers or skips each.

In an application, it solves a task by words that the goal and the screen share: it opens the
application of the goal's noun, searches for the text that the goal quotes, opens the match and
presses the button whose label is the goal's verb.

The blind baseline is the agent's answers without the images. Its score shows how much of the exam
can be answered without looking.
"""

import asyncio
import io
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from string import ascii_uppercase
from types import MappingProxyType
from typing import Literal

import numpy as np
from rapidfuzz import fuzz

from snellen.demo.choices import options_of
from snellen.demo.findings import Finding, no_idea
from snellen.demo.ocr.pictures import Box, Line, Picture, Pixels, Reader
from snellen.demo.ocr.reader import Shelf
from snellen.demo.phrases import quoted
from snellen.demo.quotes import NO_ANSWER
from snellen.demo.skills import answer, row_for
from snellen.grading.errors import SnellenError
from snellen.sdk.exam import client
from snellen.sdk.exam.page import subject
from snellen.sdk.exam.taken import AttemptLog, Step

NAME = "snellen-baseline-1"
"""The agent's name; its number changes when its rules change."""

BLIND = f"{NAME} blind"

_ACTED = "episode"
# The maximum side and area of a view at full size, in pixels, by the server's defaults.
_SIDE = 1568
_AREA = 1_150_000


@dataclass(frozen=True, slots=True)
class Vision:
    """The agent's OCR."""

    reader: Reader  # reads text in images
    shelf: Shelf  # stores the text that was read
    jobs: int = 2  # the number of items that are processed at the same time


async def take(
    exam: client.ExamClient,
    vision: Vision | None,
    tasks: Sequence[str] = (),
    notify: Callable[[Step, int, int], None] | None = None,
    contexts: Literal["fresh", "continuous"] = "fresh",
) -> AttemptLog:
    """Take an exam and return its report.

    Each item is taken under its own client name, as one context per item.

    Args:
        exam: A connection to the exam.
        vision: The OCR; None: the agent guesses without the images.
        tasks: Tasks or benchmarks; empty: all that are offered.
        notify: Called after each step with the step, its number and the number of all steps.
        contexts: As in `ExamClient.start`.

    Raises:
        ExamRefusedError: The exam can't be taken.
    """
    model = BLIND if vision is None else NAME
    attempt = await exam.start(tasks, model=model, agent="baseline", contexts=contexts)
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
    attempt: client.ExamAttempt, item: str, vision: Vision | None, pool: ThreadPoolExecutor
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
        except client.ExamRefusedError as error:
            # The answer does not have the item's format: the item stays open, as if without one.
            finding, note = no_idea(finding.why), error.message
    seconds = time.perf_counter() - began
    return Step(question, finding.answer, finding.why, thumbnail, value, note, seconds)


async def _act(
    attempt: client.ExamAttempt, question: client.ExamItem, vision: Vision, pool: ThreadPoolExecutor
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


async def _look(attempt: client.ExamAttempt, question: client.ExamItem) -> dict[str, Pixels]:
    row = row_for(question)
    images = question.images if row is not None and row.every_image else question.images[:1]
    return {image.name: await _pixels(attempt, question, image) for image in images}


async def _pixels(
    attempt: client.ExamAttempt, question: client.ExamItem, image: client.ExamImage
) -> Pixels:
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
    question: client.ExamItem, pixels: Mapping[str, Pixels], vision: Vision
) -> tuple[Finding, bytes | None]:
    pictures: dict[str, Picture] = {
        name: vision.shelf.open(image, vision.reader) for name, image in pixels.items()
    }
    finding = answer(question, pictures)
    for picture in pictures.values():
        vision.shelf.keep(picture)
    first = next(iter(pictures.values()), None)
    return finding, None if first is None else first.thumbnail(finding.seen)


APPLICATIONS: Mapping[str, str] = MappingProxyType(
    {"message": "Mail", "note": "Notes", "file": "Files", "contact": "Contacts"}
)
"""The application for each noun of a goal."""

_SEARCH = "Search"
_ALIKE = 88.0


@dataclass(frozen=True, slots=True)
class Deed:
    """One action of a plan."""

    says: str = ""  # the text of the line to click; empty: no click
    begins: bool = False  # whether the line only has to begin with that text
    text: str = ""  # the text to type


def plan(prompt: str) -> Sequence[Deed]:
    """Return the actions for a goal, in order; none if no rule matches the goal.

    >>> [deed.says or deed.text for deed in plan("Task: Pin this note: “Gift for Omar”.")]
    ['Notes', 'Search', 'Gift for Omar', 'Search', 'Gift for Omar', 'Pin']
    """
    return tuple(_deeds(subject(prompt)))


def place(deed: Deed, lines: Sequence[Line], typed: Box | None = None) -> Box | None:
    """Return the box of the line that an action clicks; None: it is not on the screen.

    Of several lines it is the most similar one, and of equally similar ones the first. With
    `begins` it is the first line that begins with the text and is longer.

    Args:
        deed: The action.
        lines: The lines on the screen.
        typed: The box in which text was typed; it contains the same text, so it is not a match.
    """
    wanted = deed.says.casefold()
    fits: list[tuple[float, int]] = []
    for number, line in enumerate(lines):
        if typed is not None and line.box.shared(typed):
            continue
        text = line.text.casefold()
        longer = len(text) > len(wanted) + 1
        if deed.begins and (not longer or not text.startswith(wanted)):
            continue
        likeness = 100.0 if deed.begins else fuzz.ratio(text, wanted)
        if likeness >= _ALIKE:
            fits.append((-likeness, number))
    return lines[min(fits)[1]].box if fits else None


def _deeds(goal: str) -> Iterator[Deed]:
    names = quoted(goal)
    noun = next((noun for noun in APPLICATIONS if re.search(rf"\b{noun}\b", goal)), None)
    if noun is None or len(names) != 1:
        return
    yield Deed(APPLICATIONS[noun])
    yield Deed(_SEARCH, begins=True)
    yield Deed(text=names[0])
    yield Deed(_SEARCH)
    yield Deed(names[0])
    yield Deed(goal.split()[0])


_BY_TASK: Mapping[str, str] = {
    "webrssbench/ui_grouping": "main content",
    "webrssbench/safety": "sorry",
    "webrssbench/color": "Submit",
    "webrssbench/text": "Submits the form",
    "webrssbench/layout": "The page presents an organization and what it offers.",
    "webrssbench/form_filling": "Jane Doe",
    "webrssbench/hint_text": "Enter your name",
    "visualwebbench/web_caption": "The official website: products, services and contact.",
    "visualwebbench/heading_ocr": "Welcome",
    "visualwebbench/webqa": "Yes",
    "screenqa/complex": "2",
}


def guess(question: client.ExamItem) -> Finding:
    """Answer a question without looking at an image."""
    if question.task in _BY_TASK:
        return _guessed(_BY_TASK[question.task])
    if NO_ANSWER in question.prompt:
        return _guessed(NO_ANSWER)
    form = _BY_FORM.get(question.kind)
    return form(question) if form is not None else no_idea("nothing can be said without looking")


def _longest(question: client.ExamItem) -> Finding:
    options = options_of(question)
    longest = max(range(len(options)), key=lambda place: len(options[place]), default=0)
    return _guessed(ascii_uppercase[longest])


def _middle(question: client.ExamItem) -> Finding:
    return _guessed(f"({', '.join(_sides(question, (0.5, 0.5)))})")


def _half(question: client.ExamItem) -> Finding:
    return _guessed(f"[{', '.join(_sides(question, (0.25, 0.25, 0.75, 0.75)))}]")


def _sides(question: client.ExamItem, parts: tuple[float, ...]) -> list[str]:
    image = question.images[0]
    match question.space:
        case "pixels":
            sides = (image.width or 1280, image.height or 1000)
        case "thousand":
            sides = (1000, 1000)
        case _:
            sides = (1, 1)
    return [f"{part * sides[place % 2]:g}" for place, part in enumerate(parts)]


def _all_left(question: client.ExamItem) -> Finding:
    names = sorted(image.name for image in question.images[1:])
    said = [f"{one} is at the [left] of {other}" for one, other in combinations(names, 2)]
    return _guessed("\n".join(said)) if said else no_idea("there is nothing to compare")


_BY_FORM: Mapping[str, Callable[[client.ExamItem], Finding]] = {
    "choice": _longest,
    "point": _middle,
    "box": _half,
    "relations": _all_left,
    "ui_texts": lambda _: _guessed("[]"),
    "boxed_texts": lambda _: _guessed("[]"),
}


def _guessed(answer: str) -> Finding:
    return Finding(answer, "guessed without looking")
