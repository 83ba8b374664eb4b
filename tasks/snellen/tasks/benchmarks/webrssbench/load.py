"""WebRSSBench's eight tasks: what is asked of a page, in which form, and against what.

Source: WebRSSBench (arXiv 2509.21782), §3 and its appendix. Its data is not published in any layout
that holds references, so pages and references come from snellen's own manifest. References of
positions may come from the boxes of the crops.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from pathlib import Path
from types import MappingProxyType

import msgspec

from snellen.grading.models.base import NO_JSON
from snellen.grading.models.items import AnswerFormat, AnswerKind, Image, Item
from snellen.grading.models.tags import TagColumn
from snellen.grading.protocols.base import Context, Gold
from snellen.tasks.benchmarks.declared import own
from snellen.tasks.benchmarks.loading import pin_of, task_in
from snellen.tasks.benchmarks.webrssbench.format import is_negative, read
from snellen.tasks.benchmarks.webrssbench.manifest import FILES
from snellen.tasks.benchmarks.webrssbench.rows import BENCHMARK, PAIRED, Question, Rows, images_in
from snellen.tasks.io.rows import SCREEN
from snellen.tasks.models import TaskData
from snellen.tasks.prompts import Prompt, prompt_of

_START = 200


def in_folder(path: Path) -> list[str]:
    """Return the tasks of a folder's manifest."""
    for name in FILES:
        if (path / name).is_file():
            return _named_in(path / name)
    return []


def by_name(path: Path) -> list[str]:
    """Return the tasks of a manifest under its own name."""
    return _named_in(path) if path.name in FILES else []


def by_row(path: Path, row: Mapping[str, object]) -> list[str]:
    """Return the tasks of a manifest under any name: by its format, or by a row of it.

    Of a long or broken one no row is read; its start has the format all the same.
    """
    known = "format" in row or {"task", "page"} <= row.keys() or (not row and _begins_so(path))
    return _named_in(path) if known else []


def _begins_so(path: Path) -> bool:
    with path.open("rb") as file:
        return b'"webrssbench/' in file.read(_START)


def _named_in(path: Path) -> list[str]:
    """Return the tasks that a manifest's rows name; all of them if it is broken."""
    every = list(TASKS)
    try:
        data = path.read_bytes()
        if path.suffix == ".jsonl":
            rows = [
                msgspec.json.decode(line, type=_ManifestRow) for line in data.splitlines() if line
            ]
        else:
            rows = msgspec.json.decode(data, type=_Manifest).rows
    except NO_JSON:
        return every
    named = {f"webrssbench/{row.task}" for row in rows}
    return [task for task in every if task in named] or every


class _ManifestRow(msgspec.Struct):
    task: str = ""


class _Manifest(msgspec.Struct):
    rows: list[_ManifestRow]


CLUSTER = "site"
"""The pages of one site hang together (a page's own questions do all the more)."""


@dataclass(frozen=True, slots=True)
class WebRSSBenchTask:
    """One of the eight tasks."""

    name: str  # its name without the benchmark's
    kind: AnswerKind  # the form of the answer
    example: str  # a made-up answer, one that is hardly any page's right one
    options: tuple[str, ...] = ()  # what there is to choose among; empty where nothing is


REGIONS = ("top bar", "left sidebar", "right sidebar", "main content", "bottom bar", "other")
"""The classes of UI grouping, by the names of WebRSSBench's main text."""

_TEXT = AnswerKind.TEXT

TASKS: Mapping[str, WebRSSBenchTask] = MappingProxyType(
    {
        f"{BENCHMARK}/{task.name}": task
        for task in (
            WebRSSBenchTask(
                "position",
                AnswerKind.RELATIONS,
                "crop_1 is at the [top-left] of crop_2",
            ),
            WebRSSBenchTask("ui_grouping", AnswerKind.LABEL, "other", REGIONS),
            WebRSSBenchTask("form_filling", _TEXT, "blue ceramic teapots"),
            WebRSSBenchTask("hint_text", _TEXT, "Search all recipes"),
            WebRSSBenchTask("color", _TEXT, "Explore the catalogue"),
            WebRSSBenchTask("text", _TEXT, "Plays the video from its beginning"),
            WebRSSBenchTask("layout", _TEXT, "The timetable of a ferry company."),
            WebRSSBenchTask("safety", _TEXT, "Empty the archive"),
        )
    }
)


def load(
    task: str,
    path: str | Path,
    split: str | None = None,
    images: str | Path | None = None,
    prompt: str | None = None,
) -> TaskData:
    """Load one split of one WebRSSBench task.

    Args:
        task: `webrssbench/` and one of position, ui_grouping, form_filling, hint_text, color,
            text, layout, safety.
        path: A folder with `webrssbench.json` or `.jsonl`, or such a file.
        split: The split's name; None: `test` when there, else the only one. Of a position split
            `test`, `test-pairs` asks about two crops at a time; of a safety split,
            `test-positives` has the pages with a dangerous button only, as the paper has.
        images: What the images' paths start from; the data's own folder when None.
        prompt: The name of one of the task's prompts; its first when None.

    Raises:
        DataError: The data can't be read, a row is not as documented, or no question has a
            reference. Where only some have none, these are left out: `pin.note` counts them and
            `left_out` lists them.
        UnknownNameError: There is no such task, split or prompt.
    """
    spec, asked = _asked(task, prompt)
    rows = read(spec.name, Path(path), split)
    return _data(task, spec, asked, rows, images)


def _asked(task: str, prompt: str | None) -> tuple[WebRSSBenchTask, Prompt]:
    spec = task_in(TASKS, task, "WebRSSBench")
    return spec, prompt_of(own(BENCHMARK).prompts[task], prompt)


def _data(
    task: str, spec: WebRSSBenchTask, asked: Prompt, rows: Rows, images: str | Path | None
) -> TaskData:
    builder = _Builder(task, spec, asked, rows)
    return TaskData(
        task=task,
        split=rows.split,
        ids=rows.ids,
        golds=rows.golds,
        pin=pin_of(rows),
        build_item=builder.item,
        load_image=images_in(rows.folder if images is None else Path(images), rows.questions),
        contexts=[_context(question) for question in rows.questions],
        tags=_tags(spec.name, rows),
        cluster=CLUSTER,
        left_out=rows.left_out,
    )


def _context(question: Question) -> Context:
    screen = question.images[SCREEN]
    names = tuple(sorted(question.crops))
    return Context(width=screen.width, height=screen.height, names=names)


def _tags(name: str, rows: Rows) -> dict[str, TagColumn]:
    """Return what the items can be grouped by, without the tags that none of them has."""
    questions, golds = rows.questions, rows.golds
    columns: dict[str, TagColumn] = {
        "page": [question.page for question in questions],
        CLUSTER: [question.site for question in questions],
        "difficulty": [question.difficulty for question in questions],
        "element": [question.element for question in questions],
        "state": [question.state for question in questions],
        "mode": [question.mode for question in questions],
        "reference_from": [question.source or None for question in questions],
    }
    if name in PAIRED:
        columns["pair"] = [question.base for question in questions]
    if name == "position":
        columns["pairs"] = [str(comb(len(question.crops), 2)) for question in questions]
    if name == "ui_grouping":
        columns["region"] = [str(gold) for gold in golds]
    if name == "safety":
        columns["dangerous"] = ["no" if is_negative(_accepted(gold)) else "yes" for gold in golds]
    return {
        tag: column for tag, column in columns.items() if any(value is not None for value in column)
    }


def _accepted(gold: Gold) -> Sequence[str]:
    return gold


@dataclass(frozen=True, slots=True)
class _Builder:
    task: str
    spec: WebRSSBenchTask
    prompt: Prompt
    rows: Rows

    def item(self, index: int) -> Item:
        question, spec = self.rows.questions[index], self.spec
        return Item(
            id=question.item_id,
            task=self.task,
            prompt=self.prompt.ask(", ".join(question.crops)),
            images=tuple(
                Image(name=name, width=image.width, height=image.height)
                for name, image in question.images.items()
            ),
            answer_format=AnswerFormat(kind=spec.kind, example=spec.example, options=spec.options),
            tags={"page": question.page, "prompt": self.prompt.name},
        )
