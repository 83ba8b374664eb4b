"""VisualWebBench's published files: their rows, and reading one split from any layout.

Source: the data card of huggingface.co/datasets/visualwebbench/VisualWebBench. One configuration
holds one task; the box and point variants of the grounding tasks read the files of the task that
they are variants of.

`elem_desc` of element_ocr is the text to be read, so it is not read here: nothing that an agent
sees can be made of it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import msgspec

from snellen.grading.errors import DataError
from snellen.grading.metrics.boxes import box_fault
from snellen.grading.models.geometry import Space
from snellen.tasks.benchmarks.declared import own
from snellen.tasks.data.pins import digest_of_files
from snellen.tasks.io.boxes import outside_note, reaches_outside
from snellen.tasks.io.files import (
    DEFAULT_SPLIT,
    SplitFiles,
    by_split,
    checked,
    choose,
    contents,
    stem_of,
)
from snellen.tasks.io.images import ImageFiles, image_folder
from snellen.tasks.io.json_text import read_json
from snellen.tasks.io.parquet import GIVE_FOLDER, ParquetImages, read_part
from snellen.tasks.io.rows import SPACE_NOTES, Pixels, Split, Text, misfit, space_of

CONFIGS = tuple(one.role for one in own("visualwebbench").releases)
"""The published configurations, one a task."""

LETTERS = "ABCDEFGH"
"""The options' letters: the published code reads no others."""

Sides: TypeAlias = tuple[float, float, float, float]

_Place = Annotated[int, msgspec.Meta(ge=0)]
_OPTIONS = msgspec.Meta(min_length=2, max_length=len(LETTERS))


# gc=False: these hold no cycles.
class Row(msgspec.Struct, gc=False, kw_only=True):
    """What every row has."""

    id: Text  # the row's published id
    website: str | None = None  # the site that the screenshot is of
    task_type: str | None = None  # the configuration's name
    image_size: tuple[Pixels, Pixels] | None = None  # width and height in pixels
    image: Text | None = None  # the name of the image's file, in JSON
    raw_image: Text | None = None  # the same of the screenshot without marks


class TextRow(Row, gc=False, kw_only=True):
    """web_caption and heading_ocr."""

    answer: str


class QuestionRow(Row, gc=False, kw_only=True):
    """webqa."""

    question: str
    answer: Annotated[list[str], msgspec.Meta(min_length=1)]


class MarkedTextRow(Row, gc=False, kw_only=True):
    """element_ocr; `bbox` is in fractions of the image."""

    bbox: Sides
    answer: str


class DescriptionRow(Row, gc=False, kw_only=True):
    """element_ground, by letter: what the options are does not matter, only how many."""

    options: Annotated[list[object], _OPTIONS]
    elem_desc: str
    answer: _Place


class InstructionRow(Row, gc=False, kw_only=True):
    """action_ground, by letter."""

    options: Annotated[list[object], _OPTIONS]
    instruction: str
    answer: _Place


class ClickRow(Row, gc=False, kw_only=True):
    """action_prediction; `bbox` is in fractions of the image."""

    options: Annotated[list[str], _OPTIONS]
    bbox: Sides
    answer: _Place


class DescribedBoxRow(Row, gc=False, kw_only=True):
    """element_ground, by box or point."""

    options: Annotated[list[Sides], _OPTIONS]
    elem_desc: str
    answer: _Place


class InstructedBoxRow(Row, gc=False, kw_only=True):
    """action_ground, by box or point."""

    options: Annotated[list[Sides], _OPTIONS]
    instruction: str
    answer: _Place


@dataclass(frozen=True, slots=True)
class Layout:
    """Where one task's rows are published and what they look like there."""

    config: str  # the configuration
    row: type[Row]  # the type of its rows
    image: str = "image"  # the column of the screenshot that is shown
    boxed: bool = False  # whether the options are boxes that are answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows(Split):
    """One split's rows, in file order."""

    rows: Sequence[Any]


def check(layout: Layout, rows: Sequence[Any], file: str) -> None:
    """Refuse rows of another configuration, and answers that no option is for.

    Args:
        layout: What the task reads.
        rows: The rows of one file.
        file: The file.

    Raises:
        DataError: There are none, or one does not fit; it names the row, its id and the field.
    """
    if not rows:
        raise DataError("holds no rows", file=file)
    for index, row in enumerate(rows):
        if row.task_type is not None and row.task_type != layout.config:
            what = f"this task reads {layout.config}, and the row's task_type is {row.task_type!r}"
            raise _misfit(what, file, index, row, "task_type")
        options: Sequence[Any] | None = getattr(row, "options", None)
        if options is None:
            continue
        if row.answer >= len(options):
            what = f"the answer {row.answer} is beyond the {len(options)} options, counted from 0"
            raise _misfit(what, file, index, row, "answer")
        if layout.boxed and (fault := box_fault(options[row.answer])):
            raise _misfit(fault, file, index, row, "options")


def _misfit(what: str, file: str, index: int, row: Row, field: str) -> DataError:
    return misfit(f"item {row.id!r}: {what}", file, index, field)


def space_in(layout: Layout, rows: Iterable[Any]) -> Space | None:
    """Return what the options' sides count; None where options are no answers."""
    if not layout.boxed:
        return None
    return space_of(side for row in rows for box in row.options for side in box)


def note_of(rows: Sequence[Any], space: Space | None) -> str:
    """Say what is not as published or had to be decided, in sentences; nothing where all is."""
    notes = [SPACE_NOTES[space]] if space else []
    outside = [row.id for row in rows if space is Space.PIXELS and _reaches_outside(row)]
    notes += [note for note in (outside_note(outside),) if note]
    odd = [row.id for row in rows if len(getattr(row, "options", LETTERS)) != len(LETTERS)]
    notes += _counted(odd, f"item has not {len(LETTERS)} options", f"items have not {len(LETTERS)}")
    blank = [row.id for row in rows if not _asked(row).strip()]
    notes += _counted(blank, "item asks nothing", "items ask nothing")
    repeated = [one for one, count in Counter(row.id for row in rows).items() if count > 1]
    notes += _counted(repeated, "id stands there twice or more", "ids stand there twice or more")
    return "; ".join(notes)


def _counted(ids: Sequence[str], one: str, several: str) -> list[str]:
    return [f"{len(ids)} {one if len(ids) == 1 else several} ({ids[0]!r}, ...)"] if ids else []


def _asked(row: Row) -> str:
    """Return what a row asks in words of its own; what all rows ask alike where it has none."""
    for name in ("question", "elem_desc", "instruction"):
        if hasattr(row, name):
            return getattr(row, name)
    return "the same of all"


def _reaches_outside(row: DescribedBoxRow | InstructedBoxRow) -> bool:
    if row.image_size is None:
        return False
    left, top, right, bottom = row.options[row.answer]
    return reaches_outside((left, top, right, bottom), row.image_size)


def item_ids(split: str, rows: Iterable[Row]) -> list[str]:
    """Return `split/id`; an id that stands there again is numbered, so that no row is lost.

    >>> item_ids("test", [Row(id="webqa_1"), Row(id="webqa_2"), Row(id="webqa_1")])
    ['test/webqa_1', 'test/webqa_2', 'test/webqa_1/1']
    """
    taken: dict[str, None] = {}
    for row in rows:
        name, number = f"{split}/{row.id}", 0
        while name in taken:
            number += 1
            name = f"{split}/{row.id}/{number}"
        taken[name] = None
    return list(taken)


_SUFFIXES = (".parquet", ".json", ".jsonl")
_PUBLISHED = "visualwebbench/VisualWebBench"


def find(config: str, path: Path, split: str | None) -> SplitFiles:
    """Find one split's files.

    Args:
        config: The configuration, such as `web_caption`.
        path: A folder of configurations, the folder of one, a folder with one file or one set of
            parts a configuration (`web_caption.parquet`), or one file.
        split: The split's name; None: `test` when there, else the only one. A file named after
            its configuration is the split `test`.

    Raises:
        DataError: Nothing is there, the split is open or twice there, or a part is missing.
        UnknownNameError: There is no such split.
    """
    found = _files(config, checked(path, f"a copy of {_PUBLISHED}"))
    if not found:
        raise DataError(
            f"there is no {config}/*.parquet, {config}/*.json or {config}/*.jsonl in it, and no"
            f" {config}.parquet, .json or .jsonl ({contents(path)}); give a copy of {_PUBLISHED}",
            file=str(path),
        )
    return choose(found, split, path)


def _files(config: str, path: Path) -> dict[str, SplitFiles]:
    if path.is_file():
        if path.suffix not in _SUFFIXES:
            raise DataError("expected a .parquet, .json or .jsonl file", file=str(path))
        name = DEFAULT_SPLIT if stem_of(path) in CONFIGS else stem_of(path)
        return {name: SplitFiles(name, (path,))}
    # The name as given: in a hub cache the files themselves are links to elsewhere.
    here = path.absolute().name
    if (path / config).is_dir():
        return by_split(_data_files(path / config))
    if here != config and here in CONFIGS:
        raise DataError(f"this task reads {config}, not {here}", file=str(path))
    if here == config:
        return by_split(_data_files(path))
    named = tuple(file for file in _data_files(path) if stem_of(file) == config)
    return {DEFAULT_SPLIT: SplitFiles(DEFAULT_SPLIT, named)} if named else {}


def _data_files(folder: Path) -> Iterable[Path]:
    return sorted(file for file in folder.iterdir() if file.suffix in _SUFFIXES and file.is_file())


_IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")


def folder_images(folder: Path, column: str, rows: Sequence[Row]) -> ImageFiles:
    """Return what reads the screenshots of rows.

    A row that names its image's file is given that one; of the others, `column/id.png` (or .jpg,
    .jpeg, .webp) is looked for.

    Args:
        folder: Where the images are.
        column: `image`, or `raw_image` for screenshots without marks.
        rows: The rows.

    Raises:
        DataError: There is no such folder.
    """

    def paths(index: int, _: str) -> Sequence[str]:
        row = rows[index]
        given: str | None = getattr(row, column)
        return [given] if given else [f"{column}/{row.id}{suffix}" for suffix in _IMAGE_SUFFIXES]

    return ImageFiles(image_folder(folder, f"{column}/ID.png"), paths, column)


def _from_json(layout: Layout, files: SplitFiles) -> Rows:
    """Read one split; its images are looked for beside the file.

    Raises:
        DataError: The file can't be read, or a row is not as documented.
    """
    path = files.paths[0]
    text = read_json(path)
    if path.suffix == ".jsonl":
        rows = [line.rows(layout.row) for line in text.lines]
    else:
        rows = text.rows(list[layout.row])
    check(layout, rows, text.file)
    space = space_in(layout, rows)
    return Rows(
        # Not the published files: their checksums are those of parquet.
        role=f"{layout.config}{path.suffix}",
        split=files.split,
        path=text.file,
        sha256=text.sha256,
        ids=item_ids(files.split, rows),
        rows=rows,
        load_image=folder_images(path.parent, layout.image, rows),
        space=space,
        note=note_of(rows, space),
    )


# In JSON these are the names of files; here they hold the images.
_IMAGES = ("image", "raw_image")


def _from_parquet(layout: Layout, files: SplitFiles) -> Rows:
    """Read one split, all its parts, without the images.

    Raises:
        DataError: A file can't be read, or a row is not as documented.
        MissingExtraError: pyarrow is not installed.
    """
    parts = [read_part(path, layout.row, layout.config, _IMAGES) for path in files.paths]
    for part in parts:
        check(layout, part.rows, str(part.path))
    rows: list[Any] = [row for part in parts for row in part.rows]
    space = space_in(layout, rows)
    shown = all(layout.image in part.columns for part in parts)
    return Rows(
        role=layout.config,
        split=files.split,
        path=files.name,
        sha256=digest_of_files(files.paths),
        ids=item_ids(files.split, rows),
        rows=rows,
        load_image=ParquetImages(parts, layout.image) if shown else _no_column(layout, files),
        space=space,
        note=note_of(rows, space),
    )


def _no_column(layout: Layout, files: SplitFiles) -> Callable[[int, str], bytes] | None:
    if layout.image == "image":
        return None

    def refuse(_: int, __: str) -> bytes:
        raise DataError(
            f"there is no column {layout.image!r}, and the other image shows the candidates;"
            f" {GIVE_FOLDER} with {layout.image}/ID.png",
            file=files.name,
            field=layout.image,
        )

    return refuse


def read(layout: Layout, path: Path, split: str | None = None) -> Rows:
    """Read what one task needs of one split.

    Args:
        layout: What the task reads.
        path: A copy of the Hugging Face data set, one of its folders, a folder of files named
            after the configurations, or one file.
        split: The split's name; None: `test` when there, else the only one.

    Raises:
        DataError: It can't be read; references are never guessed.
        UnknownNameError: There is no such split.
        MissingExtraError: It is parquet and pyarrow is not installed.
    """
    files = find(layout.config, path, split)
    return (_from_parquet if files.parquet else _from_json)(layout, files)
