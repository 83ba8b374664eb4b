"""Read ScreenSpot-v2's and ScreenSpot-Pro's annotations.

The layouts are those of huggingface.co/datasets/OS-Copilot/ScreenSpot-v2 (three files, boxes as x,
y, width, height, no image sizes) and huggingface.co/datasets/likaixin/ScreenSpot-Pro
(`annotations/*.json`, boxes as left, top, right, bottom, `img_size`). All boxes are in pixels.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from snellen.grading.errors import DataError
from snellen.grading.metrics.boxes import Ltrb
from snellen.grading.models.geometry import Space
from snellen.tasks.benchmarks.grounding import GroundingRow, checked_rows
from snellen.tasks.benchmarks.screenspot.release import PRO_FOLDER, V2_FILES
from snellen.tasks.io.files import checked, contents
from snellen.tasks.io.images import is_inside
from snellen.tasks.io.json_text import read_json
from snellen.tasks.io.rows import Text, misfit

_Extent = Annotated[float, msgspec.Meta(ge=0, le=1e6)]
_Pixels = Annotated[float, msgspec.Meta(gt=0, le=1e6)]
_Kind = Literal["text", "icon"]


class _V2Row(msgspec.Struct):
    img_filename: Text
    bbox: tuple[float, float, _Extent, _Extent]
    instruction: Text
    data_type: _Kind
    data_source: str = ""


class _ProRow(msgspec.Struct):
    id: Text
    img_filename: Text
    bbox: Ltrb
    img_size: tuple[_Pixels, _Pixels]
    instruction: Text
    ui_type: _Kind
    application: str
    platform: str
    group: str
    instruction_cn: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Element(GroundingRow):
    """One element to point at.

    Attributes:
        chinese: The instruction in Chinese, where there is one.
    """

    chinese: str = ""


@dataclass(frozen=True, slots=True)
class Annotations:
    """The elements of some files, in order, and those files."""

    elements: tuple[Element, ...]
    files: tuple[Path, ...]


def read_v2(path: Path, platforms: Sequence[str]) -> Annotations:
    """Read ScreenSpot-v2.

    Args:
        path: The folder with `screenspot_mobile_v2.json` and its like, or one of these files.
        platforms: Which of them: mobile, desktop, web.

    Raises:
        DataError: A file can't be read, or a row is not as published.
    """
    elements: list[Element] = []
    files: list[Path] = []
    for platform in platforms:
        file = path if path.is_file() else path / V2_FILES[platform]
        if not file.is_file():
            raise _absent(path, V2_FILES[platform])
        rows = read_json(file).rows(list[_V2Row])
        found = (_from_v2(row, platform, number) for number, row in enumerate(rows))
        elements += _checked(file, found)
        files.append(file)
    return Annotations(tuple(elements), tuple(files))


def read_pro(path: Path) -> Annotations:
    """Read ScreenSpot-Pro.

    Args:
        path: The folder with `annotations`, that folder, or one file in it.

    Raises:
        DataError: A file can't be read, a row is not as published, or an id is there twice.
    """
    below = path / PRO_FOLDER if (path / PRO_FOLDER).is_dir() else path
    files = (path,) if path.is_file() else tuple(sorted(below.glob("*.json")))
    if not files:
        raise _absent(path, f"{PRO_FOLDER}/*.json")
    elements = tuple(
        element
        for file in files
        for element in _checked(file, map(_from_pro, read_json(file).rows(list[_ProRow])))
    )
    twice = [item for item, count in Counter(one.id for one in elements).items() if count > 1]
    if twice:
        raise DataError(
            f"the id {twice[0]!r} is there twice, so answers can't be told apart",
            file=str(below),
            field="id",
        )
    return Annotations(elements, files)


def _from_v2(row: _V2Row, platform: str, number: int) -> Element:
    x, y, width, height = row.bbox
    return Element(
        id=f"{platform}/{number}",
        image=row.img_filename,
        box=(x, y, x + width, y + height),
        instruction=row.instruction,
        tags={"platform": platform, "data_type": row.data_type, "data_source": row.data_source},
    )


def _from_pro(row: _ProRow) -> Element:
    return Element(
        id=row.id,
        image=row.img_filename,
        box=row.bbox,
        instruction=row.instruction,
        tags={
            "group": row.group,
            "data_type": row.ui_type,
            "application": row.application,
            "platform": row.platform,
        },
        size=row.img_size,
        chinese=row.instruction_cn,
    )


def _checked(file: Path, elements: Iterable[Element]) -> Iterator[Element]:
    for row, element in enumerate(checked_rows(elements, str(file), boxes_in=Space.PIXELS)):
        if not is_inside(element.image):
            what = f"item {element.id}: {element.image!r} is no path below the images"
            raise misfit(what, str(file), row, "img_filename")
        yield element


def _absent(folder: Path, name: str) -> DataError:
    checked(folder, "the published folder or one of its files")
    return DataError(
        f"there is no {name} in it ({contents(folder)}): is it a folder of another benchmark?",
        file=str(folder),
    )
