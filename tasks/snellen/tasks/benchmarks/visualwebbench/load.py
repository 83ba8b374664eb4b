"""VisualWebBench's seven tasks, and the box and point variants of its two grounding tasks.

Source: VisualWebBench (Liu et al., 2024), its repository and its data card. What an agent may not
see stays out of its items: the candidates of the box and point variants, and the site, which the
published prompts do not tell and which answers some of the questions. Reports group by the site.

The paper counts 101 items of action_ground and the published data holds 103: see
docs/visualwebbench.md.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from snellen.grading.models.geometry import Space
from snellen.grading.models.golds import Golds
from snellen.grading.models.items import AnswerFormat, AnswerKind, Image, Item
from snellen.grading.models.tags import TagColumn
from snellen.grading.protocols.base import Context
from snellen.grading.protocols.golds import Target
from snellen.tasks.benchmarks.declared import own
from snellen.tasks.benchmarks.loading import pin_of, space_hint, task_in
from snellen.tasks.benchmarks.visualwebbench.format import (
    LETTERS,
    ClickRow,
    DescribedBoxRow,
    DescriptionRow,
    InstructedBoxRow,
    InstructionRow,
    Layout,
    MarkedTextRow,
    QuestionRow,
    Row,
    Rows,
    TextRow,
    folder_images,
    read,
)
from snellen.tasks.io.files import DATA, stem_of
from snellen.tasks.io.rows import SCREEN
from snellen.tasks.models import TaskData
from snellen.tasks.prompts import Prompt, prompt_of


def in_folder(path: Path) -> Iterator[str]:
    """Yield the tasks whose configuration's files lie here or in its folder."""
    here = path.absolute().name
    names = {stem_of(file) for file in path.iterdir() if file.suffix in DATA}
    for task, spec in TASKS.items():
        config = spec.layout.config
        below = path if here == config else path / config
        if config in names or (below.is_dir() and _any_data(below)):
            yield task


def by_name(path: Path) -> list[str]:
    """Return the tasks whose configuration a file's folder, else its own name, is of."""
    return _of(path.absolute().parent.name) or _of(stem_of(path))


def by_row(_: Path, row: Mapping[str, object]) -> list[str]:
    """Return the tasks of the configuration that a row says it is of."""
    return _of(str(row.get("task_type", "")))


def _of(config: str) -> list[str]:
    return [task for task, spec in TASKS.items() if spec.layout.config == config]


def _any_data(folder: Path) -> bool:
    return any(file.suffix in DATA for file in folder.iterdir())


_BENCHMARK = "visualwebbench"


@dataclass(frozen=True, slots=True)
class VisualWebBenchTask:
    """One of the eleven tasks."""

    layout: Layout  # where its rows are published and their form there
    kind: AnswerKind  # the form of the answer
    example: str  # a made-up answer
    gold: Callable[[Any], Any]  # from a row to the reference in its published shape


def _answer(row: TextRow | QuestionRow | MarkedTextRow | DescriptionRow) -> object:
    return row.answer


def _target(row: DescribedBoxRow | InstructedBoxRow) -> Target:
    return Target(bbox=row.options[row.answer], image_size=row.image_size)


def _spoken(layout: Layout, example: str) -> VisualWebBenchTask:
    return VisualWebBenchTask(layout, AnswerKind.TEXT, example, _answer)


def _chosen(config: str, row: type[Row]) -> VisualWebBenchTask:
    return VisualWebBenchTask(Layout(config, row), AnswerKind.CHOICE, "C", _answer)


def _drawn(config: str, row: type[Row], kind: AnswerKind, example: str) -> VisualWebBenchTask:
    layout = Layout(config, row, image="raw_image", boxed=True)
    return VisualWebBenchTask(layout, kind, example, _target)


_BOX, _POINT = "[120, 340, 260, 380]", "[190, 360]"
_UNIT_EXAMPLES = {_BOX: "[0.12, 0.34, 0.26, 0.38]", _POINT: "[0.19, 0.36]"}

TASKS: Mapping[str, VisualWebBenchTask] = MappingProxyType(
    {
        f"{_BENCHMARK}/{name}": task
        for name, task in {
            "web_caption": _spoken(
                Layout("web_caption", TextRow), "Shoes for every season, delivered to your door."
            ),
            "heading_ocr": _spoken(Layout("heading_ocr", TextRow), "Our spring collection"),
            "webqa": VisualWebBenchTask(
                Layout("webqa", QuestionRow), AnswerKind.TEXT, "7:30 PM", _answer
            ),
            "element_ocr": _spoken(
                Layout("element_ocr", MarkedTextRow), "The text in the box is: Sign up today"
            ),
            "element_ground": _chosen("element_ground", DescriptionRow),
            "action_prediction": _chosen("action_prediction", ClickRow),
            "action_ground": _chosen("action_ground", InstructionRow),
            "element_ground_bbox": _drawn("element_ground", DescribedBoxRow, AnswerKind.BOX, _BOX),
            "action_ground_bbox": _drawn("action_ground", InstructedBoxRow, AnswerKind.BOX, _BOX),
            "element_ground_point": _drawn(
                "element_ground", DescribedBoxRow, AnswerKind.POINT, _POINT
            ),
            "action_ground_point": _drawn(
                "action_ground", InstructedBoxRow, AnswerKind.POINT, _POINT
            ),
        }.items()
    }
)


def load(
    task: str,
    path: str | Path,
    split: str | None = None,
    images: str | Path | None = None,
    prompt: str | None = None,
) -> TaskData:
    """Load one split of one VisualWebBench task.

    Args:
        task: `visualwebbench/` and one of the seven tasks' names, or `element_ground` or
            `action_ground` with `_bbox` or `_point`.
        path: A copy of the Hugging Face data set (a folder a configuration), the folder of one
            configuration, a folder with `web_caption.parquet` (or .json, .jsonl) and the like, or
            one file.
        split: The split's name; None: `test`, the only one that is published.
        images: A folder of screenshots, `image/ID.png` and `raw_image/ID.png` (or .jpg, .jpeg,
            .webp); without it the images inside parquet files are used, or those beside JSON.
        prompt: The name of one of the task's prompts; its first when None.

    Raises:
        DataError: A file can't be read or a row is not as documented: references are never
            guessed, so a single bad row stops the load.
        UnknownNameError: There is no such task, split or prompt.
        MissingExtraError: The data is parquet and pyarrow is not installed.
    """
    spec = task_in(TASKS, task, "VisualWebBench")
    benchmark = own(_BENCHMARK)
    asked = prompt_of(benchmark.prompts[task], prompt)
    rows = read(spec.layout, Path(path), split)
    load_image = rows.load_image
    if images is not None:
        load_image = folder_images(Path(images), spec.layout.image, rows.rows)
    builder = _Builder(task, spec, asked, rows)
    tags = _tags(rows.rows)
    return TaskData(
        task=task,
        split=rows.split,
        ids=rows.ids,
        golds=Golds([spec.gold(row) for row in rows.rows]),
        pin=pin_of(rows, benchmark.releases),
        build_item=builder.item,
        load_image=load_image,
        contexts=[_context(row) for row in rows.rows],
        tags=tags,
        cluster="website" if "website" in tags else None,
    )


def _context(row: Row) -> Context:
    options: Sequence[object] | None = getattr(row, "options", None)
    width, height = row.image_size or (None, None)
    return Context(options=None if options is None else len(options), width=width, height=height)


def _tags(rows: Sequence[Any]) -> dict[str, TagColumn]:
    tags: dict[str, TagColumn] = {}
    if any(row.website for row in rows):
        tags["website"] = [row.website or None for row in rows]
    if isinstance(rows[0], QuestionRow):
        tags["accepted_answers"] = [str(len(row.answer)) for row in rows]
    if hasattr(rows[0], "options"):
        tags["options"] = [str(len(row.options)) for row in rows]
        tags["right_option"] = [LETTERS[row.answer] for row in rows]
    return tags


@dataclass(frozen=True, slots=True)
class _Builder:
    task: str
    spec: VisualWebBenchTask
    prompt: Prompt
    rows: Rows

    def item(self, index: int) -> Item:
        row, spec = self.rows.rows[index], self.spec
        width, height = row.image_size or (None, None)
        chosen = spec.kind is AnswerKind.CHOICE
        unit = self.rows.space is Space.UNIT
        return Item(
            id=self.rows.ids[index],
            task=self.task,
            prompt=_fill(self.prompt, _shown(row, self.rows.space)),
            images=(Image(name=SCREEN, width=width, height=height),),
            answer_format=AnswerFormat(
                kind=spec.kind,
                example=_UNIT_EXAMPLES[spec.example] if unit else spec.example,
                options=_options(row) if chosen else (),
                space=self.rows.space,
            ),
            tags={"prompt": self.prompt.name},
        )


def _options(row: DescriptionRow | InstructionRow | ClickRow) -> tuple[str, ...]:
    """Return what is chosen from: texts, where the prompt tells them, or letters in the image."""
    if isinstance(row, ClickRow):
        return tuple(row.options)
    return tuple(LETTERS[: len(row.options)])


def _shown(row: Row, space: Space | None) -> dict[str, str]:
    """Return what prompts may tell of a row, by placeholder."""
    shown = {
        name: getattr(row, name)
        for name in ("question", "elem_desc", "instruction")
        if hasattr(row, name)
    }
    if "elem_desc" in shown:
        shown["element_desc"] = shown["elem_desc"]
    if isinstance(row, MarkedTextRow | ClickRow):
        shown["bbox"] = f"[{', '.join(f'{side:.3f}' for side in row.bbox)}]"
        # The published prompts hold Python's way of writing a list.
        shown["bbox_ratio"] = repr(list(row.bbox))
    if isinstance(row, ClickRow):
        shown["options"] = _lettered(row.options)
        shown["choices_text"] = repr(row.options)
    if isinstance(row, DescriptionRow | InstructionRow):
        shown["letters"] = f"A to {LETTERS[len(row.options) - 1]}"
    if space is not None:
        shown["space"] = space_hint(space, *(row.image_size or (None, None)))
    return shown


_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


def _fill(prompt: Prompt, values: Mapping[str, str]) -> str:
    """Put an item's texts into a prompt; braces in these texts are only braces.

    >>> _fill(Prompt("x", "Q: {question}"), {"question": "what is {bbox}?"})
    'Q: what is {bbox}?'
    """
    return _PLACEHOLDER.sub(lambda found: values[found[1]], prompt.instruction)


def _lettered(options: Sequence[str]) -> str:
    """Write options one a line, each with its letter; line breaks in an option become spaces.

    >>> print(_lettered(["Home", "About us"]))
    A. Home
    B. About us
    """
    lettered = zip(LETTERS, options, strict=False)
    return "\n".join(f"{letter}. {' '.join(option.split())}" for letter, option in lettered)
