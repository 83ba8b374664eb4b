"""Read what WebRSSBench's published scripts write: folders of screenshots, without references.

| task | a page's folder holds |
|---|---|
| color, layout | `original.png`, `disturbed.png` |
| text | `annotated_before.png`, `annotated_after.png`, `analysis_result.json` |
| position | `random_crops_info.json`, `random_crops/original.png`, `random_crops/crop_N.png` |

Page folders lie anywhere below the path; `easy`, `medium` or `hard` among the names on the way is
their difficulty, and `partial`, `all` or `low_contrast` how their colors were changed (`partial`
otherwise, which is what the published script does).

Sources: annoy-worker/WebRSSBench at 421d87f: colorRobustness.py, layoutRobustness.py,
TextRobustness.py, position.py; and "1.choose and label.py" (c8b9b06), which was deleted later and
alone writes `relations.json`.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, TypeVar

import msgspec

from snellen.grading.errors import DataError
from snellen.tasks.benchmarks.webrssbench.positions import PageBox, label
from snellen.tasks.benchmarks.webrssbench.rows import (
    LEVELS,
    MODES,
    ImageFile,
    Question,
    QuestionSet,
    images_of,
    pair_of,
)
from snellen.tasks.io.files import DEFAULT_SPLIT
from snellen.tasks.io.json_text import read_json

_CROPS = "random_crops"
_CROPS_INFO = "random_crops_info.json"
_RELATIONS = "relations.json"
_TEXT_INFO = "analysis_result.json"

_T = TypeVar("_T")
_Fraction = Annotated[float, msgspec.Meta(ge=-1, le=2)]


class _Box(msgspec.Struct, frozen=True):
    """A box in fractions of the page; one may reach over its edges, but not by far."""

    x: _Fraction
    y: _Fraction
    width: Annotated[float, msgspec.Meta(ge=0, le=2)]
    height: Annotated[float, msgspec.Meta(ge=0, le=2)]


class _Crop(msgspec.Struct, frozen=True):
    id: Annotated[str, msgspec.Meta(min_length=1, pattern=r"^\w+$")]
    box: _Box


class _Relation(msgspec.Struct, frozen=True):
    """One ordered pair of `relations.json`: `relation` is `A left B`."""

    id: str
    vs: str
    relation: Annotated[str, msgspec.Meta(pattern=r"^A \S+ B$")]


class _TextPage(msgspec.Struct, frozen=True):
    selected_buttons: list[msgspec.Raw]


def read_folder(name: str, path: Path) -> QuestionSet:
    """Read all pages of one task that lie below a folder.

    Raises:
        DataError: There are none, or a page's file is not as the scripts write it.
    """
    layout = _LAYOUTS.get(name)
    if layout is None:
        raise DataError(
            f"the published scripts write no questions of the task {name!r}: give a folder with"
            " webrssbench.json or webrssbench.jsonl",
            file=str(path),
        )
    sign, others, read = layout
    folders = {found.parent for found in path.rglob(sign)}
    if not folders:
        raise DataError(
            f"holds neither webrssbench.json nor webrssbench.jsonl, and no folder with {sign} in"
            f" it, as the published script of the task {name!r} writes them",
            file=str(path),
        )
    halves = {
        # What belongs to the page lies one below it for position.
        found.parent.parent if found.parent.name == _CROPS else found.parent
        for other in others
        for found in path.rglob(other)
        if (found.parent.name == _CROPS) == (name == "position")
    }
    questions = [
        question
        for folder in sorted(folders | halves, key=_natural)
        for question in (
            read(path, folder) if folder in folders else [_incomplete(path, folder, sign)]
        )
    ]
    return QuestionSet(questions, path, path)


def _incomplete(root: Path, folder: Path, sign: str) -> Question:
    """Return a page that lacks the file by which its folder is known; it can't be asked about."""
    page = replace(_question(root, folder, "original.png"), mode=None)
    return replace(page, unresolved=f"its folder lacks {sign}", incomplete=True)


def _natural(folder: Path) -> list[tuple[int, str]]:
    """Order `easy/2` before `easy/10`."""
    parts = re.split(r"(\d+)", folder.as_posix())
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


def _question(
    root: Path, folder: Path, screen: str, crops: Mapping[str, str] | None = None
) -> Question:
    """Return what is asked about a page; paths are relative to the page's folder."""
    relative = folder.relative_to(root)
    page = relative.as_posix() if relative.parts else folder.resolve().name
    names = (root.resolve().name, *relative.parts)
    images = {name: ImageFile((relative / path).as_posix()) for name, path in (crops or {}).items()}
    return Question(
        base=page,
        page=page,
        site=page,
        split=DEFAULT_SPLIT,
        images=images_of(ImageFile((relative / screen).as_posix()), images),
        place=str(folder),
        difficulty=next((name for name in names if name in LEVELS), None),
        mode=next((name for name in names if name in MODES), None),
    )


def _after(root: Path, folder: Path, name: str) -> ImageFile:
    return ImageFile((folder.relative_to(root) / name).as_posix())


def _color(root: Path, folder: Path) -> list[Question]:
    page = _question(root, folder, "original.png")
    return pair_of(page, {page.mode or "partial": _after(root, folder, "disturbed.png")})


def _layout(root: Path, folder: Path) -> list[Question]:
    page = replace(_question(root, folder, "original.png"), mode=None)
    return pair_of(page, {None: _after(root, folder, "disturbed.png")})


def _text(root: Path, folder: Path) -> list[Question]:
    page = replace(_question(root, folder, "annotated_before.png"), mode=None)
    marked = len(_decoded(folder / _TEXT_INFO, _TextPage).selected_buttons)
    if marked != 1:
        raise DataError(
            f"marks {marked} buttons; a question is about one",
            file=str(folder / _TEXT_INFO),
            field="selected_buttons",
        )
    return pair_of(page, {None: _after(root, folder, "annotated_after.png")})


def _position(root: Path, folder: Path) -> list[Question]:
    crops = {
        f"crop_{crop.id}": PageBox(crop.box.x, crop.box.y, crop.box.width, crop.box.height)
        for crop in _decoded(folder / _CROPS_INFO, list[_Crop])
    }
    files = {name: f"{_CROPS}/{name}.png" for name in crops}
    # The deleted script calls the page `layout.png`.
    layout = folder / _CROPS / "layout.png"
    screen = "layout.png" if layout.is_file() else "original.png"
    page = replace(_question(root, folder, f"{_CROPS}/{screen}", files), mode=None)
    if len(crops) < 2:
        lacks = f"it has {len(crops)} crop{'' if len(crops) == 1 else 's'}, and a pair takes two"
        return [replace(page, unresolved=lacks, incomplete=True)]
    if (folder / _RELATIONS).is_file():
        return [replace(page, value=_published(folder / _RELATIONS, crops), source=_RELATIONS)]
    return [replace(page, value=label(crops, "centers"), source="boxes")]


def _published(file: Path, crops: Iterable[str]) -> dict[str, str]:
    """Return the labels of `relations.json`, each pair's in the order of strings."""
    relations: dict[str, str] = {}
    for row in _decoded(file, list[_Relation]):
        first, second = f"crop_{row.id}", f"crop_{row.vs}"
        unknown = {first, second}.difference(crops)
        if unknown:
            raise DataError(
                f"relates {min(unknown)}, which is no crop of {_CROPS_INFO}", file=str(file)
            )
        if first < second:
            relations[f"{first}|{second}"] = row.relation.split()[1]
    return relations


def _decoded(file: Path, type_: type[_T]) -> _T:
    return read_json(file).decode(type_, "is not as the published script writes it")


_Read = Callable[[Path, Path], list[Question]]
_LAYOUTS: Mapping[str, tuple[str, tuple[str, ...], _Read]] = MappingProxyType(
    {
        "color": ("disturbed.png", ("original.png",), _color),
        "layout": ("disturbed.png", ("original.png",), _layout),
        "text": ("annotated_after.png", ("annotated_before.png", _TEXT_INFO), _text),
        "position": (_CROPS_INFO, ("crop_1.png", "original.png", "layout.png"), _position),
    }
)
"""By task: the file by which a page's folder is known, others of it, and what reads it."""
