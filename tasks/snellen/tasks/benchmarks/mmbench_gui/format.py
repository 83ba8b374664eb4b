"""Read MMBench-GUI's annotations: the questions of L1 and the elements of L2.

The layout is the one that MMBench-GUI's DEVELOPMENT_GUIDANCE.md documents and its loaders read
(benchmarks/l1_content_understanding.py, benchmarks/l2_element_grounding.py): `L1_annotations.json`
and `L2_annotations.json` beside `offline_images/{platform}/{image_path}`.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Annotated, Generic, Literal, NamedTuple, TypeVar, cast

import msgspec

from snellen.grading.errors import DataError
from snellen.grading.metrics.boxes import Ltrb, box_fault
from snellen.grading.models.geometry import Size
from snellen.grading.protocols.golds import is_in_fractions, without_unknowns
from snellen.tasks.benchmarks.mmbench_gui.rules.online import PLATFORMS
from snellen.tasks.data.pins import read_bytes
from snellen.tasks.io.boxes import target_fault
from snellen.tasks.io.files import checked, contents
from snellen.tasks.io.images import ImageFiles, image_folder, is_inside
from snellen.tasks.io.json_text import JsonText, read_json
from snellen.tasks.io.rows import FETCH_AGAIN, Fault, Text, converted, fault_of

FOLDER = "MMBench-GUI"
"""The folder that the published download makes, and that both files are in."""

_Raw = TypeVar("_Raw")


class Place(NamedTuple):
    """Where a row stands, for messages: its file, its number from 0 and its `index`."""

    file: str
    row: int
    key: int | str | None

    def misfit(self, what: str, field: str) -> DataError:
        """Return the error that the row does not fit; `field` is the place in it."""
        return DataError(
            f"row {self.row + 1} (counted from 1), index {self.key!r}: {what}; {FETCH_AGAIN}",
            file=self.file,
            field=field,
        )


def rows_of(text: JsonText, name: str, shape: type[list[_Raw]]) -> list[_Raw]:
    """Return a file's rows.

    Args:
        text: The file.
        name: Its published name.
        shape: The type of all rows.

    Raises:
        DataError: It is no JSON, or a row is not of that type.
    """
    raw = text.rows(object)
    try:
        return converted(raw, shape)
    except msgspec.ValidationError as error:
        raise _row_error(fault_of(error, shape), raw, name, text.file) from None


def find(path: Path, name: str) -> Path:
    """Return the file of a name: the path itself if it is a file, else in it or one below.

    Raises:
        DataError: There is none.
    """
    if path.is_file():
        return path
    checked(path, f"the folder that holds {name}")
    for found in (path / name, path / FOLDER / name):
        if found.is_file():
            return found
    raise DataError(
        f"there is no {name} in it ({contents(path)}): is it a folder of another benchmark?",
        file=str(path),
    )


L1_FILE, L2_FILE = "L1_annotations.json", "L2_annotations.json"
EPISODE_FILES = {"l3": "L3_tasks.jsonl", "l4": "L4_tasks.jsonl"}
"""The lists of L3 and L4, in a layout of our own: no files of them are published."""
_OTHERS = MappingProxyType({"groups": L1_FILE, "bbox": L2_FILE})


def _row_error(fault: Fault, raw: object, name: str, file: str) -> DataError:
    what, row, field = fault
    if row is None or not isinstance(raw, list):
        return DataError(f"is not {name}: {what}", file=file)
    given = cast("list[object]", raw)[row]
    if not isinstance(given, dict):
        return DataError(f"row {row + 1} (counted from 1) is no object; {FETCH_AGAIN}", file=file)
    record = cast("dict[str, object]", given)
    for key, other in _OTHERS.items():
        if key in record and other != name:
            return DataError(f"its rows are those of {other}, not of {name}", file=file)
    index = record.get("index")
    place = Place(file, row, index if isinstance(index, int | str) else None)
    return place.misfit(what, field or "")


Difficulty = Literal["easy", "medium", "hard"]
DIFFICULTIES: tuple[Difficulty, ...] = ("easy", "medium", "hard")

FEWEST_OPTIONS, MOST_OPTIONS = 4, 6
"""How many options a question has (MMBench-GUI section 3.1)."""

_Pixels = Annotated[int, msgspec.Meta(gt=0, le=1_000_000)]
_Platform = Literal["os_windows", "os_mac", "os_linux", "os_ios", "os_android", "os_web"]


class _Group(msgspec.Struct):
    question: Text
    options: dict[str, str | int | float | None]
    answer: str
    difficulty: Difficulty


class _Screen(msgspec.Struct, kw_only=True):
    image_path: Text
    image_size: tuple[_Pixels, _Pixels]
    platform: _Platform
    app_name: str = ""
    # The published loaders number the rows themselves where all of L1 is read.
    index: int | Text | None = None


class _L1Row(_Screen, kw_only=True):
    groups: list[_Group]


class _L2Row(_Screen, kw_only=True):
    instruction: str
    bbox: Ltrb
    data_type: Literal["icon", "text"]
    grounding_type: Literal["basic", "advanced"]


_IN_COPIES = {
    "index": "id",
    "image_path": "img_filename",
    "image_size": "img_size",
    "app_name": "application",
    "data_type": "ui_type",
    "grounding_type": "group",
}


_L2Copy = msgspec.defstruct(
    "_L2Copy",
    [(field.name, field.type, field.default) for field in msgspec.structs.fields(_L2Row)],
    rename=_IN_COPIES,
    kw_only=True,
)
"""A row of a public copy, in the keys of ScreenSpot-Pro and with a box in pixels."""


@dataclass(frozen=True, slots=True)
class Shot:
    """One screenshot."""

    path: str  # below the folder of images, with its platform: `os_ios/9e30.png`
    platform: str  # as reports write it: `ios`
    app: str  # the application that it shows
    size: Size  # in pixels


@dataclass(frozen=True, slots=True)
class Question:
    """One question of L1.

    Attributes:
        id: The difficulty and the row's `index`, or its number from 0 where no row has one:
            `easy/17`.
        shot: The screenshot; three questions share it.
        difficulty: Which of the three it is.
        text: The question.
        options: Their texts, A first.
        answer: The right one's letter.
    """

    id: str
    shot: Shot
    difficulty: Difficulty
    text: str
    options: tuple[str, ...]
    answer: str


@dataclass(frozen=True, slots=True)
class Element:
    """One element of L2.

    Attributes:
        id: The kind of instruction and the row's `index`, as for a question: `basic/17`.
        shot: The screenshot.
        instruction: What to point at.
        box: Left, top, right, bottom as published: fractions of the image, or pixels; a side of
            -1 is unknown and counts as 0. In pixels it may reach outside the image.
        element: `icon` or `text`.
        kind: `basic` tells of the element's look and place, `advanced` of its purpose.
    """

    id: str
    shot: Shot
    instruction: str
    box: Ltrb
    element: Literal["icon", "text"]
    kind: Literal["basic", "advanced"]


_Row = TypeVar("_Row", Question, Element)
_Shown = TypeVar("_Shown", bound=_Screen)


@dataclass(frozen=True, slots=True)
class Annotations(Generic[_Row]):
    """All rows of one file, in file order."""

    path: Path  # the file
    sha256: str  # the digest of its bytes
    md5: str  # the same by the algorithm of the published download
    rows: tuple[_Row, ...]  # the questions or the elements


def read_questions(path: Path) -> Annotations[Question]:
    """Read every question of L1.

    Args:
        path: `L1_annotations.json`, or a folder that holds it.

    Raises:
        DataError: It can't be read, or a row is not as documented: an option too few, an answer
            beyond the options, a difficulty missing. One bad row stops the load.
    """
    return _read(path, L1_FILE, list[_L1Row], _questions)


def read_elements(path: Path) -> Annotations[Element]:
    """Read every element of L2, of both kinds of instruction.

    Args:
        path: `L2_annotations.json`, or a folder that holds it; or a copy in ScreenSpot-Pro's keys.

    Raises:
        DataError: It can't be read, or a row is not as documented, its box included.
    """
    copied = b'"img_filename"' in read_bytes(find(path, L2_FILE))
    shape = cast("type[_L2Row]", _L2Copy) if copied else _L2Row
    return _read(path, L2_FILE, list[shape], _elements)


def _questions(row: _L1Row, place: Place) -> list[Question]:
    shot = _shot(row, place)
    found = Counter(group.difficulty for group in row.groups)
    for difficulty in DIFFICULTIES:
        if found[difficulty] != 1:
            raise place.misfit(
                f"it has {found[difficulty]} questions of difficulty {difficulty!r}, not 1",
                "groups",
            )
    return [_question(group, shot, number, place) for number, group in enumerate(row.groups)]


def _question(group: _Group, shot: Shot, number: int, place: Place) -> Question:
    # The published code leaves out options that are null.
    given = {key: str(text) for key, text in group.options.items() if text is not None}
    field = f"groups[{number}].options"
    letters = "".join(sorted(given))
    item = f"{group.difficulty}/{place.key}"
    if not FEWEST_OPTIONS <= len(given) <= MOST_OPTIONS:
        raise place.misfit(
            f"the question {item} has {len(given)} options ({', '.join(sorted(given)) or 'none'}),"
            f" not {FEWEST_OPTIONS} to {MOST_OPTIONS}",
            field,
        )
    if letters != "ABCDEF"[: len(given)]:
        raise place.misfit(
            f"the options of {item} are lettered {', '.join(sorted(given))}, not A, B, C...", field
        )
    if group.answer not in given:
        raise place.misfit(
            f"the answer to {item} is {group.answer!r}, which is none of its options"
            f" {letters[0]} to {letters[-1]}",
            f"groups[{number}].answer",
        )
    return Question(
        id=item,
        shot=shot,
        difficulty=group.difficulty,
        text=group.question,
        options=tuple(given[letter] for letter in letters),
        answer=group.answer,
    )


def _elements(row: _L2Row, place: Place) -> list[Element]:
    shot = _shot(row, place)
    box = row.bbox
    known = without_unknowns(box)
    width, height = shot.size.width, shot.size.height
    fault = "" if is_in_fractions(known) else target_fault(known, (width, height))
    if fault := box_fault(known) or fault:
        raise place.misfit(fault, "bbox")
    return [
        Element(
            id=f"{row.grounding_type}/{row.index}",
            shot=shot,
            instruction=row.instruction,
            box=box,
            element=row.data_type,
            kind=row.grounding_type,
        )
    ]


def _shot(row: _Screen, place: Place) -> Shot:
    path = PurePosixPath(row.image_path)
    if not is_inside(row.image_path):
        raise place.misfit(f"{row.image_path!r} is no path below the images", "image_path")
    # The published loaders put the platform before the path; some copies have it there already.
    if path.parts[0] != row.platform:
        path = row.platform / path
    width, height = row.image_size
    return Shot(
        path=str(path),
        platform=PLATFORMS[row.platform],
        app=row.app_name,
        size=Size(width=float(width), height=float(height)),
    )


def _read(
    path: Path,
    name: str,
    shape: type[list[_Shown]],
    expand: Callable[[_Shown, Place], Sequence[_Row]],
) -> Annotations[_Row]:
    file = find(path, name)
    text = read_json(file)
    raw = rows_of(text, name, shape)
    rows: list[_Row] = []
    numbered = all(row.index is None for row in raw)
    for number, row in enumerate(raw):
        place = Place(text.file, number, number if numbered else row.index)
        if place.key is None:
            raise place.misfit("it has no index, and other rows have", "index")
        rows += expand(row, place)
    if not rows:
        raise DataError("holds no rows", file=text.file)
    _unique(rows, text.file)
    md5 = hashlib.md5(text.data, usedforsecurity=False).hexdigest()
    return Annotations(path=file, sha256=text.sha256, md5=md5, rows=tuple(rows))


def _unique(rows: Iterable[Question | Element], file: str) -> None:
    counts = Counter(row.id for row in rows)
    twice, count = counts.most_common(1)[0]
    if count > 1:
        raise DataError(
            f"the item {twice} is there {count} times, so answers can't be told apart;"
            f" {FETCH_AGAIN}",
            file=file,
            field="index",
        )


# The archive unpacks to the last one; the published loaders look for the first.
_BELOW = (
    "",
    "offline_images",
    f"{FOLDER}/offline_images",
    f"{FOLDER}-OfflineImages/offline_images",
)


def screenshots(
    annotations: Path, images: Path | None, rows: Sequence[Question | Element]
) -> ImageFiles | None:
    """Return what reads the screenshots of rows; None if there is no folder of images.

    Args:
        annotations: The file of annotations; images are looked for beside it.
        images: The folder that a caller means instead: it, or one below.
        rows: The rows.

    Raises:
        DataError: There is no such folder.
    """
    if images is None:
        root = _root(annotations.parent)
    else:
        root = _root(image_folder(images, "os_windows, os_mac, ...")) or images
    if root is None:
        return None

    def paths(index: int, _: str) -> Sequence[str]:
        return [rows[index].shot.path]

    return ImageFiles(root, paths, "image_path")


def _root(folder: Path) -> Path | None:
    for below in _BELOW:
        root = folder / below
        if any((root / platform).is_dir() for platform in PLATFORMS):
            return root
    return None
