"""Read a user's own items of the matrix: a file of JSON Lines, with images beside it.

The format is snellen's own (docs/matrix.md), after the sample record of the framework of four
dimensions and four levels. It is read strictly: what is misspelt, missing, twice there or could
never be answered right stops the load, all bad lines are listed, and nothing is loaded by half.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from snellen.grading.errors import DataError, UnknownNameError, where
from snellen.grading.protocols.grid import DIMENSIONS as NAMES
from snellen.tasks.benchmarks.matrix.rules import checked
from snellen.tasks.benchmarks.matrix.rules.golds import MatrixGold
from snellen.tasks.io.files import checked as existing
from snellen.tasks.io.files import contents
from snellen.tasks.io.images import is_inside
from snellen.tasks.io.json_text import JsonText, read_json
from snellen.tasks.io.rows import SCREEN, Text, converted, fault_of

ITEMS = "items.jsonl"

DIMENSIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    dict(
        zip(
            NAMES,
            (
                ("object_recognition", "ocr", "spatial_relation"),
                ("captioning", "vqa", "chart"),
                ("multi_step", "consistency", "counterfactual"),
                ("tool_call", "code", "decisions"),
            ),
            strict=True,
        )
    )
)
"""The four dimensions, and the three tasks of each."""

LEVELS: Mapping[str, str] = MappingProxyType(
    {
        "L1": "single modality",
        "L2": "image and text",
        "L3": "reasoning across modalities",
        "L4": "several steps",
    }
)
"""The four levels."""

OWN_TAGS = ("dimension", "level", "task", "metric", "group", "letter")
"""The tags that snellen gives items; a user's own are called otherwise."""

_TASKS = {task: dimension for dimension, tasks in DIMENSIONS.items() for task in tasks}
_MOST_SHOWN = 10


class _Row(msgspec.Struct, forbid_unknown_fields=True, rename={"passing": "pass"}):
    id: Text
    dimension: str
    level: int | str
    task: str
    question: Text
    metric: str
    answer: Any
    images: list[Text] | dict[Text, Text] = []
    options: list[str] = []
    settings: dict[str, Any] = {}
    passing: Any = None
    group: Text | None = None
    tags: dict[Text, Text] = {}


FIELDS: tuple[str, ...] = _Row.__struct_encode_fields__
"""The fields of a record."""


@dataclass(frozen=True, slots=True)
class MatrixItem:
    """One item, as its line says it."""

    id: str  # its name, unique in the file
    dimension: str  # one of `DIMENSIONS`
    level: str  # one of `LEVELS`
    task: str  # one of the dimension's tasks
    question: str  # what is asked
    images: Mapping[str, str]  # from the images' names to their paths below the folder, in order
    gold: MatrixGold  # what is right, and by which metric
    group: str  # what it hangs together with: as given, else its first image, else itself
    tags: Mapping[str, str]  # the user's own


@dataclass(frozen=True, slots=True)
class MatrixFile:
    """A file of items, in its order, the digest of its bytes, and the folder of the images."""

    path: Path
    folder: Path
    sha256: str
    items: tuple[MatrixItem, ...]


def read_items(path: Path, images: Path | None = None) -> MatrixFile:
    """Read a file of items.

    Args:
        path: The file, or the folder that holds it as `items.jsonl`.
        images: The folder that the images' paths start from; None: the file's own.

    Raises:
        DataError: It can't be read, or lines of it can't be used: the first ten are listed, each
            with its line and field.
        MissingExtraError: The metric of an item needs an optional dependency.
    """
    text = read_json(_file(path))
    folder = images or Path(text.file).parent
    items: dict[str, MatrixItem] = {}
    lines: dict[str, int | None] = {}
    faults: list[DataError] = []
    for line in text.lines:
        try:
            item = _item(line, folder)
            if item.id in items:
                first = f"the item {item.id!r} is in line {lines[item.id]} too"
                raise line.error(first, "id")
        except DataError as fault:
            faults.append(fault)
            continue
        items[item.id], lines[item.id] = item, line.line
    if faults:
        raise _all_of(faults, text)
    if not items:
        raise text.error("holds no items")
    return MatrixFile(Path(text.file), folder, text.sha256, tuple(items.values()))


def _file(path: Path) -> Path:
    if existing(path, f"a folder that holds {ITEMS}, or the file").is_file():
        return path
    file = path / ITEMS
    if not file.is_file():
        raise DataError(f"there is no {ITEMS} in it ({contents(path)})", file=str(path))
    return file


def _all_of(faults: Sequence[DataError], text: JsonText) -> DataError:
    if len(faults) == 1:
        return faults[0]
    shown = [f"{where(None, one.line, one.field)}{one.message}" for one in faults[:_MOST_SHOWN]]
    if len(faults) > _MOST_SHOWN:
        shown.append(f"and {len(faults) - _MOST_SHOWN} more")
    return text.error(f"{len(faults)} lines can't be used:\n" + "\n".join(shown))


def _item(line: JsonText, folder: Path) -> MatrixItem:
    row = _row(line)
    try:
        level = _level(row.level)
        _check_place(row)
        images = _images(row, folder)
        _check_tags(row.tags)
        gold = checked(_gold(row))
    except DataError as error:
        raise line.error(f"the item {row.id!r}: {error.message}", error.field) from None
    group = row.group or next(iter(images.values()), row.id)
    return MatrixItem(
        row.id, row.dimension, level, row.task, row.question, images, gold, group, row.tags
    )


def _row(line: JsonText) -> _Row:
    raw = line.decode(dict[str, Any], "expected an object, one item a line")
    for name in raw:
        if name not in FIELDS:
            close = get_close_matches(name, FIELDS, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(FIELDS)}"
            raise line.error(f"an item has no field {name!r}; {hint}", name)
    try:
        row = converted(raw, _Row)
    except msgspec.ValidationError as error:
        fault = fault_of(error, _Row)
        raise line.error(fault.what, fault.field) from None
    if row.id != row.id.strip():
        raise line.error(f"{row.id!r} has space around it", "id")
    return row


def _gold(row: _Row) -> MatrixGold:
    raw = {
        "metric": row.metric,
        "answer": row.answer,
        "options": row.options,
        "settings": row.settings,
        "pass": row.passing,
    }
    try:
        return msgspec.convert(raw, MatrixGold)
    except msgspec.ValidationError as error:
        fault = fault_of(error, MatrixGold)
        raise DataError(fault.what, field=fault.field) from None


def _level(given: int | str) -> str:
    level = f"L{given}" if isinstance(given, int) else given
    if level not in LEVELS:
        raise DataError(f"expected 1 to 4, or L1 to L4, not {given!r}", field="level")
    return level


def _check_place(row: _Row) -> None:
    if row.dimension not in DIMENSIONS:
        raise _unknown("dimension", row.dimension, DIMENSIONS)
    if row.task not in _TASKS:
        raise _unknown("task", row.task, _TASKS)
    if row.task not in DIMENSIONS[row.dimension]:
        raise DataError(
            f"{row.task} is a task of {_TASKS[row.task]}, not of {row.dimension}, which has"
            f" {', '.join(DIMENSIONS[row.dimension])}; put what else you group by in tags",
            field="task",
        )


def _unknown(field: str, name: str, known: Mapping[str, object]) -> DataError:
    return DataError(UnknownNameError(field, name, known).message, field=field)


def _images(row: _Row, folder: Path) -> Mapping[str, str]:
    """Name the images: as given, else `screen` for one and `image_1`, `image_2`... for several."""
    if isinstance(row.images, dict):
        images = row.images
    elif len(row.images) == 1:
        images = {SCREEN: row.images[0]}
    else:
        images = {f"image_{index}": path for index, path in enumerate(row.images, 1)}
    for path in images.values():
        # What an item shows is sent to others; a link leads out of a folder, too.
        if not is_inside(path) or not (folder / path).resolve().is_relative_to(folder.resolve()):
            raise DataError(f"{path!r} is no path below the folder of the images", field="images")
    return images


def _check_tags(tags: Mapping[str, str]) -> None:
    for name in tags:
        if name in (*OWN_TAGS, "item", "prompt"):
            raise DataError(f"the tag {name!r} is snellen's own; call it otherwise", field="tags")
