"""ScreenQA's published files: their rows, and reading one split from any layout.

The layout is documented in the README of github.com/google-research-datasets/screen_qa; the
Hugging Face mirrors hold the same references under `screen_id` instead of `image_id`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

import msgspec

from snellen.grading.errors import DataError
from snellen.grading.models.geometry import Space
from snellen.grading.models.golds import Golds
from snellen.grading.models.items import Image
from snellen.tasks.data.pins import digest_of_files
from snellen.tasks.io.files import SplitFiles, by_split, checked, choose
from snellen.tasks.io.json_text import read_json
from snellen.tasks.io.rows import (
    SCREEN,
    SPACE_NOTES,
    Pixels,
    Split,
    Text,
    collector_paused,
    misfit,
    space_of,
)

if TYPE_CHECKING:
    from snellen.tasks.io.images import ImageFiles


_Bounds = tuple[float, float, float, float]
_Truth = TypeVar("_Truth")


# gc=False: these hold no cycles, and a split has hundreds of thousands of them.
class FullAnswer(msgspec.Struct, gc=False):
    """One rater's full sentence."""

    full_answer: str


class ElementText(msgspec.Struct, gc=False):
    """What one UI element says."""

    text: str


class ElementBox(msgspec.Struct, gc=False):
    """What one UI element says, and its left, top, right and bottom."""

    text: str
    bounds: _Bounds


class ElementTexts(msgspec.Struct, gc=False):
    """One rater's UI elements, as texts."""

    ui_elements: list[ElementText]


class ElementBoxes(msgspec.Struct, gc=False):
    """One rater's UI elements, as texts and boxes."""

    ui_elements: list[ElementBox]


class JsonRow(msgspec.Struct, Generic[_Truth], gc=False):
    """One question of a JSON file; the first release does not state sizes."""

    image_id: Annotated[int, msgspec.Meta(ge=0)]
    question: Text
    ground_truth: _Truth
    image_width: Pixels | None = None
    image_height: Pixels | None = None


class MirrorRow(msgspec.Struct, Generic[_Truth], gc=False):
    """One question of a mirror's parquet file."""

    screen_id: Annotated[str, msgspec.Meta(pattern=r"^[0-9]+\Z")]
    question: Text
    ground_truth: _Truth


Texts = Annotated[list[str], msgspec.Meta(min_length=1)]
FullAnswers = Annotated[list[FullAnswer], msgspec.Meta(min_length=1)]
RaterTexts = Annotated[list[ElementTexts], msgspec.Meta(min_length=1)]
RaterBoxes = Annotated[list[ElementBoxes], msgspec.Meta(min_length=1)]


@dataclass(frozen=True, slots=True)
class Layout:
    """Where one task's references are published and what they look like there.

    The types leave out the fields that the task does not need: those are neither read nor
    checked.

    Attributes:
        folder: The folder of the repository.
        mirror: The Hugging Face mirror that holds the same references as parquet.
        truth: The msgspec type of one row's `ground_truth`.
        gold: From one row's `ground_truth` to the published shape of the task's reference.
        by_rater: Whether each element of `ground_truth` is one rater's.
        boxed: Whether the golds hold boxes.
    """

    folder: str
    mirror: str
    truth: Any
    gold: Callable[[Any], list[Any]]
    by_rater: bool = False
    boxed: bool = False

    @property
    def row(self) -> type[JsonRow[Any]]:
        """The type of a row of a JSON file."""
        return JsonRow[self.truth]

    @property
    def mirror_row(self) -> type[MirrorRow[Any]]:
        """The type of a row of a mirror's parquet file."""
        return MirrorRow[self.truth]


def _full_answers(raters: Sequence[FullAnswer]) -> list[str]:
    return [rater.full_answer for rater in raters]


def _texts(raters: Sequence[ElementTexts]) -> list[list[str]]:
    return [[element.text for element in rater.ui_elements] for rater in raters]


# Tuples of atoms, unlike lists, drop out of the garbage collector's rounds.
def _boxes(raters: Sequence[ElementBoxes]) -> list[list[tuple[_Bounds, str]]]:
    return [[(element.bounds, element.text) for element in rater.ui_elements] for rater in raters]


def _same(texts: list[str]) -> list[str]:
    return texts


_ANSWERS = ("answers_and_bboxes", "RICO-ScreenQA")

SHORT = Layout("short_answers", "RICO-ScreenQA-Short", Texts, _same)
COMPLEX = Layout("complex_qa", "RICO-ScreenQA-Complex", Texts, _same)
LONG = Layout(*_ANSWERS, FullAnswers, _full_answers, by_rater=True)
UI_CONTENTS = Layout(*_ANSWERS, RaterTexts, _texts, by_rater=True)
UI_CONTENTS_BOXES = Layout(*_ANSWERS, RaterBoxes, _boxes, by_rater=True, boxed=True)
LAYOUTS = (SHORT, COMPLEX, LONG, UI_CONTENTS, UI_CONTENTS_BOXES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows(Split):
    """One split as columns, in file order."""

    image_ids: Sequence[str]  # RICO's number of each question's screenshot, in decimal
    questions: Sequence[str]
    golds: Golds  # the references in their published shape
    images: Sequence[Image]  # what is known of each screenshot; questions on one share it


@lru_cache(maxsize=256)
def screen(width: int | None = None, height: int | None = None) -> Image:
    """Return the one image of an item; a split has but a few sizes, so they are shared."""
    return Image(name=SCREEN, width=width, height=height)


def check_boxes(golds: Iterable[Sequence[Any]], file: str) -> None:
    """Refuse boxes whose sides are out of order.

    Raises:
        DataError: A box ends before it begins, or has a side that is no number.
    """
    for row, raters in enumerate(golds):
        for elements in raters:
            for bounds, _ in elements:
                left, top, right, bottom = bounds
                if not (-inf < left <= right < inf and -inf < top <= bottom < inf):
                    raise misfit(
                        f"the box {list(bounds)} is not [left, top, right, bottom] in order",
                        file,
                        row,
                        "ground_truth.ui_elements.bounds",
                    )


def item_ids(split: str, image_ids: Iterable[str]) -> list[str]:
    """Return `split/image/number`, the number counting an image's questions from 0.

    >>> item_ids("test", ["5", "5", "10"])
    ['test/5/0', 'test/5/1', 'test/10/0']
    """
    asked: dict[str, int] = {}
    ids: list[str] = []
    for image_id in image_ids:
        number = asked.get(image_id, 0)
        asked[image_id] = number + 1
        ids.append(f"{split}/{image_id}/{number}")
    return ids


def find(layout: Layout, path: Path, split: str | None) -> SplitFiles:
    """Find one split's files.

    Args:
        layout: What the task reads.
        path: The repository's folder, its sub-folder, a mirror's folder, or one file.
        split: The split's name: a file's stem, or what precedes `-00000-of-00001`. None: `test`
            when there, else the only one.

    Raises:
        DataError: Nothing is there, the split is open, or one of its parts is missing.
        UnknownNameError: There is no such split.
    """
    found = by_split(_files(layout, checked(path, f"a copy of screen_qa, or {layout.mirror}")))
    if not found:
        raise DataError(
            f"there is no {layout.folder}/*.json and no data/*.parquet in it", file=str(path)
        )
    return choose(found, split, path)


def _files(layout: Layout, path: Path) -> list[Path]:
    if path.is_file():
        _refuse_other(layout, path.resolve().parent)
        if path.suffix not in (".json", ".parquet"):
            raise DataError("expected a .json or a .parquet file", file=str(path))
        return [path]
    own = path / layout.folder
    if own.is_dir():
        return sorted(own.glob("*.json"))
    parquet = sorted(path.glob("data/*.parquet")) or sorted(path.glob("*.parquet"))
    if parquet:
        return parquet
    _refuse_other(layout, path.resolve())
    return sorted(path.glob("*.json"))


def _refuse_other(layout: Layout, folder: Path) -> None:
    """Refuse another task's folder: ComplexQA's files, say, would pass for short answers."""
    if folder.name != layout.folder and folder.name in {other.folder for other in LAYOUTS}:
        raise DataError(f"this task reads {layout.folder}, not {folder.name}", file=str(folder))


def rico_images(folder: Path, image_ids: Sequence[str]) -> "ImageFiles":
    """Return what reads the screenshots of questions.

    Raises:
        DataError: There is no such folder.
    """
    from snellen.tasks.io.images import ImageFiles, image_folder

    def paths(index: int, _: str) -> Sequence[str]:
        return [f"{image_ids[index]}{suffix}" for suffix in (".jpg", ".png")]

    return ImageFiles(image_folder(folder, "RICO's screenshots (`combined`)"), paths)


def _from_json(layout: Layout, files: SplitFiles) -> Rows:
    """Read one split.

    Raises:
        DataError: The file can't be read, or a row is not as documented.
    """
    text = read_json(files.paths[0])
    rows: list[JsonRow[Any]] = text.rows(list[layout.row])
    if not rows:
        raise DataError("holds no questions", file=text.file)
    golds = [layout.gold(row.ground_truth) for row in rows]
    if layout.boxed:
        check_boxes(golds, text.file)
    image_ids = [str(row.image_id) for row in rows]
    return Rows(
        role=layout.folder,
        split=files.split,
        path=text.file,
        sha256=text.sha256,
        ids=item_ids(files.split, image_ids),
        image_ids=image_ids,
        questions=[row.question for row in rows],
        golds=Golds(golds),
        images=[screen(row.image_width, row.image_height) for row in rows],
        space=Space.PIXELS if layout.boxed else None,
    )


_IMAGE = "image"


def _from_parquet(layout: Layout, files: SplitFiles) -> Rows:
    """Read one split, all its parts, without the images.

    Boxes count pixels or fractions: the mirrors do not say. If every side of the split lies in
    0..1 they are fractions, else pixels; the note says which.

    Raises:
        DataError: A file can't be read, or a row is not as documented.
        MissingExtraError: pyarrow is not installed.
    """
    from snellen.tasks.io.parquet import ParquetImages, read_part

    parts = [read_part(path, layout.mirror_row, layout.mirror) for path in files.paths]
    golds: list[list[Any]] = []
    for part in parts:
        of_part = [layout.gold(row.ground_truth) for row in part.rows]
        if layout.boxed:
            check_boxes(of_part, str(part.path))
        golds += of_part
    if not golds:
        raise DataError("holds no questions", file=files.name)
    space = None
    if layout.boxed:
        elements = (element for raters in golds for rater in raters for element in rater)
        space = space_of(side for bounds, _ in elements for side in bounds)
    image_ids = [row.screen_id for part in parts for row in part.rows]
    shown = all(_IMAGE in part.columns for part in parts)
    return Rows(
        role=layout.mirror,
        split=files.split,
        path=files.name,
        sha256=digest_of_files(files.paths),
        ids=item_ids(files.split, image_ids),
        image_ids=image_ids,
        questions=[row.question for part in parts for row in part.rows],
        golds=Golds(golds),
        images=[screen()] * len(golds),
        space=space,
        note=SPACE_NOTES[space] if space else "",
        load_image=ParquetImages(parts, _IMAGE) if shown else None,
    )


def read(layout: Layout, path: Path, split: str | None = None) -> Rows:
    """Read what one task needs of one split.

    Args:
        layout: What the task reads, one of `LAYOUTS`.
        path: A copy of the repository, one of its folders, a Hugging Face mirror, or one file.
        split: The split's name; None: `test` when there, else the only one.

    Raises:
        DataError: It can't be read; references are never guessed.
        UnknownNameError: There is no such split.
        MissingExtraError: It is parquet and pyarrow is not installed.
    """
    files = find(layout, path, split)
    with collector_paused():
        return (_from_parquet if files.parquet else _from_json)(layout, files)
