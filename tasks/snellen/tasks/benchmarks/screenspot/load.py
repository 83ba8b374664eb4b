"""ScreenSpot, ScreenSpot-v2 and ScreenSpot-Pro: point at the element that an instruction means.

Source: ScreenSpot (Cheng et al., 2024); OS-Atlas (Wu et al., 2024) for v2, which corrects it;
ScreenSpot-Pro (Li et al., 2025).

The layouts are those of huggingface.co/datasets/OS-Copilot/ScreenSpot-v2 (three files, boxes as x,
y, width, height, no image sizes) and huggingface.co/datasets/likaixin/ScreenSpot-Pro
(`annotations/*.json`, boxes as left, top, right, bottom, `img_size`). All boxes are in pixels.
Public copies of v2 that have corners and `img_size` (GUI-Actor's, MAI-UI's) are read as well. The
first ScreenSpot has v2's layout in SeeClick's three files, and in huggingface.co/datasets/
rootsautomation/ScreenSpot it is parquet with images, its boxes corners in fractions.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from snellen.grading.errors import DataError, UnknownNameError
from snellen.grading.metrics.boxes import Ltrb, box_fault
from snellen.grading.models.geometry import Space
from snellen.tasks.benchmarks.declared import own
from snellen.tasks.benchmarks.grounding import (
    COPIED,
    GroundingRow,
    Size,
    checked_rows,
    grounding_data,
    point_prompts,
)
from snellen.tasks.benchmarks.screenspot.rules import PRO, V1, V2
from snellen.tasks.benchmarks.screenspot.signs import (
    PLATFORMS,
    PRO_FOLDER,
    V1_COUNTS,
    V1_FILES,
    V2_COPIES,
    V2_COUNTS,
    V2_FILES,
    is_v2_copy,
    only_in_v1,
    v2_sizes,
)
from snellen.tasks.data.pins import digest_of_files, pin
from snellen.tasks.io.boxes import reaches_outside
from snellen.tasks.io.files import checked, contents, default_split, find_parquet, format_of
from snellen.tasks.io.images import ImageFiles, image_folder, is_inside
from snellen.tasks.io.json_text import JsonText, read_json
from snellen.tasks.io.parquet import ParquetImages, read_part
from snellen.tasks.io.rows import SCREEN, Text, misfit
from snellen.tasks.models import TaskData
from snellen.tasks.prompts import Prompt, prompt_of

ALL = "all"
# Where the archives of v2 and of Pro unpack to.
_IMAGE_FOLDERS = ("", "screenspotv2_image/", "screenspot_imgs/", "images/")

_CHINESE = "screenspot-snellen-unit-cn-1"

PROMPTS = (
    *point_prompts("snellen-screenspot"),
    Prompt(
        "screenspot-seeclick",
        "",
        "In this UI screenshot, what is the position of the element corresponding to the command"
        ' "{question}" (with point)?',
        source="SeeClick pretrain/screenspot_test.py",
    ),
    Prompt(
        "screenspot-lmms-eval",
        "Identify the UI element for the instruction and output exactly one click point as [x, y]"
        " in normalized coordinates within [0, 1]. Do not output a bounding box.\n",
        "Instruction: {question}",
        source="lmms-eval tasks/screenspot_v2/utils.py",
    ),
    Prompt(
        "screenspot-vlmevalkit",
        "You are a GUI agent. You are given a task and a screenshot of the screen. You need to"
        " perform pyautogui click/moveTo action to complete the task. The answer format is"
        " `pyautogui.click(x=?, y=?), x and y is necessary`\n",
        "Please complete the following tasks by clicking using `pyautogui.click`:\n{question}",
        source="VLMEvalKit vlmeval/dataset/GUI/screenspot.py (system and user message)",
    ),
)
"""How both can be asked; only the first two and lmms-eval's say what the numbers count."""

PRO_PROMPTS = (
    *PROMPTS,
    Prompt(
        _CHINESE,
        "这是一张屏幕截图。请指出指令所说的那个界面元素，只回答它的坐标 (x, y)："  # noqa: RUF001  # Chinese
        "以图像的宽和高为 1，取 0 到 1 之间的小数，至少四位。",  # noqa: RUF001  # Chinese
        "\n\n指令：{question}",  # noqa: RUF001  # Chinese
    ),
)
"""The last asks in Chinese, with `instruction_cn`."""

_SPACES = {
    "snellen-screenspot-unit-1": Space.UNIT,
    "snellen-screenspot-pixels-1": Space.PIXELS,
    "screenspot-lmms-eval": Space.UNIT,
    _CHINESE: Space.UNIT,
}


def load(
    task: str,
    path: str | Path,
    split: str | None = None,
    images: str | Path | None = None,
    prompt: str | None = None,
) -> TaskData:
    """Load ScreenSpot, ScreenSpot-v2 or ScreenSpot-Pro.

    Args:
        task: `screenspot-v1/point`, `screenspot-v2/point` or `screenspot-pro/point`.
        path: The published folder, or one of its files of annotations.
        split: v1 and v2: `mobile`, `desktop`, `web`, or `all`; Pro has `all` only. None: `all`,
            and of a folder that holds one platform's file alone that platform.
        images: The folder of screenshots; None: the one beside the annotations, if it is there.
            Rows of v1 and v2 do not say how large they are, so snellen has tables of the 730
            images of v2, and of 603 of the 615 of v1.
        prompt: The name of one of the task's prompts; its first when None.

    Raises:
        DataError: A file can't be read or a row is not as published.
        UnknownNameError: There is no such task, split or prompt.
    """
    if task not in (V1, V2, PRO):
        raise UnknownNameError("ScreenSpot task", task, (V1, V2, PRO))
    folder = Path(path)
    if split is not None and split not in ((ALL,) if task == PRO else (*PLATFORMS, ALL)):
        raise UnknownNameError(f"split of {task}", split, _splits(task, folder))
    split = split or _split_of(task, folder)
    asked = prompt_of(PRO_PROMPTS if task == PRO else PROMPTS, prompt)
    platforms = PLATFORMS if split == ALL else (split,)
    if task == PRO:
        found = read_pro(folder)
    elif task == V2:
        found = read_v2(folder, platforms)
    else:
        found = read_v1(folder, platforms)
    return _data(task, split, found, None if images is None else Path(images), asked)


def _split_of(task: str, path: Path) -> str:
    known = _splits(task, path)
    return ALL if ALL in known else default_split(known, path)


def _splits(task: str, path: Path) -> tuple[str, ...]:
    """Return the splits that can be loaded: of v1 and v2 those whose files are there."""
    if task == PRO:
        return (ALL,)
    if path.is_file():
        match = _NAMED.match(path.name)
        return (match[1] if match else ALL,)
    there = tuple(name for name in PLATFORMS if _file(task, path, name).is_file())
    return there if 0 < len(there) < len(PLATFORMS) else (*PLATFORMS, ALL)


def _file(task: str, path: Path, platform: str) -> Path:
    if task == V1:
        return path / V1_FILES[platform]
    copy = path / V2_COPIES[platform]
    return copy if copy.is_file() else path / V2_FILES[platform]


_NAMED = re.compile(rf"screenspot_({'|'.join(PLATFORMS)})(?:\W|_)")


_Extent = Annotated[float, msgspec.Meta(ge=0, le=1e6)]
_Pixels = Annotated[float, msgspec.Meta(gt=0, le=1e6)]
_Kind = Literal["text", "icon"]


class _V2Row(msgspec.Struct):
    img_filename: Text
    bbox: tuple[float, float, _Extent, _Extent]
    instruction: str
    data_type: _Kind
    data_source: str = ""
    img_size: tuple[_Pixels, _Pixels] | None = None


class _V1Row(msgspec.Struct):
    """A row of the first ScreenSpot in parquet; its box in fractions."""

    file_name: Text
    bbox: Ltrb
    instruction: str
    data_type: _Kind
    data_source: str = ""


class _V2Copy(msgspec.Struct):
    """A row of a public copy: corners, the image's size, and other keys."""

    img_filename: Text
    bbox: Ltrb
    instruction: str
    img_size: tuple[_Pixels, _Pixels]
    ui_type: _Kind
    platform: str = ""
    application: str = ""

    def published(self) -> _V2Row:
        """Return the row as it is published."""
        left, top, right, bottom = self.bbox
        return _V2Row(
            self.img_filename,
            (left, top, right - left, bottom - top),
            self.instruction,
            self.ui_type,
            "" if is_v2_copy(self.application) else self.platform,
            self.img_size,
        )


class _ProRow(msgspec.Struct):
    id: Text
    img_filename: Text
    bbox: Ltrb
    img_size: tuple[_Pixels, _Pixels]
    instruction: str
    ui_type: str
    application: str = ""
    platform: str = ""
    group: str = ""
    instruction_cn: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Element(GroundingRow):
    """One element to point at."""

    chinese: str = ""  # the instruction in Chinese, where there is one


@dataclass(frozen=True, slots=True)
class Annotations:
    """The elements of some files, in order, and those files.

    Attributes:
        elements: The elements.
        files: The files.
        copied: Whether they are a public copy in another layout than the published one.
        pictures: The screenshots, where they are inside the files.
    """

    elements: tuple[Element, ...]
    files: tuple[Path, ...]
    copied: bool = False
    pictures: Callable[[int, str], bytes] | None = None


def read_v1(path: Path, platforms: Sequence[str]) -> Annotations:
    """Read the first ScreenSpot.

    Args:
        path: The folder with `screenspot_mobile.json` and its like, one with parquet files, or one
            file.
        platforms: Which of them: mobile, desktop, web.

    Raises:
        DataError: A file can't be read, or a row is not as published.
        MissingExtraError: It is parquet, and pyarrow is not installed.
    """
    patterns = ("data/*.parquet", "*.parquet")
    parquet = path.is_file() and format_of(path) == ".parquet"
    if parquet or (path.is_dir() and any(any(path.glob(each)) for each in patterns)):
        return _read_parquet(path, platforms)
    return _read(V1, path, platforms)


def _read_parquet(path: Path, platforms: Sequence[str]) -> Annotations:
    files = find_parquet(path, None, "rootsautomation/ScreenSpot")
    reads = "file_name, bbox, instruction, data_type, data_source"
    parts = [read_part(file, _V1Row, reads) for file in files.paths]
    rows = [row for part in parts for row in part.rows]
    counted = Counter[str]()
    elements: list[Element] = []
    indexes: list[int] = []
    for index, row in enumerate(rows):
        platform = _platform(row.file_name)
        if platform in platforms or platform == ALL:
            elements.append(_from_parquet(row, platform, counted[platform]))
            indexes.append(index)
        counted[platform] += 1
    found = _checked(files.paths[0], elements, "file_name", Space.UNIT)
    inside = ParquetImages(parts, "image") if "image" in parts[0].columns else None
    return Annotations(
        tuple(found),
        files.paths,
        copied=True,
        pictures=inside and (lambda number, name: inside(indexes[number], name)),
    )


def _from_parquet(row: _V1Row, platform: str, number: int) -> Element:
    return Element(
        id=f"{platform}/{number}",
        image=row.file_name,
        box=row.bbox,
        instruction=row.instruction,
        size=v2_sizes().get(row.file_name) or only_in_v1().get(row.file_name),
        tags={"platform": platform, "data_type": row.data_type, "data_source": row.data_source},
    )


def read_v2(path: Path, platforms: Sequence[str]) -> Annotations:
    """Read ScreenSpot-v2.

    Args:
        path: The folder with `screenspot_mobile_v2.json` and its like, or one file.
        platforms: Which of them: mobile, desktop, web.

    Raises:
        DataError: A file can't be read, or a row is not as published.
    """
    return _read(V2, path, platforms)


def _read(task: str, path: Path, platforms: Sequence[str]) -> Annotations:
    elements: list[Element] = []
    files: list[Path] = []
    copied = False
    for platform in platforms if path.is_dir() else platforms[:1]:
        file = path if path.is_file() else _file(task, path, platform)
        if not file.is_file():
            raise _absent(path, (V1_FILES if task == V1 else V2_FILES)[platform])
        text = read_json(file)
        rows = _copied_rows(text) if task == V2 else []
        copied = copied or bool(rows)
        rows = rows or _published_rows(text, task)
        # A file under a name of its own may hold rows of several platforms.
        named = [platform] * len(rows) if len(platforms) == 1 or path.is_dir() else _platforms(rows)
        counted = Counter[str]()
        found: list[Element] = []
        for name, row in zip(named, rows, strict=True):
            found.append(_from_v2(row, name, counted[name]))
            counted[name] += 1
        elements += _checked(file, found)
        files.append(file)
    return Annotations(tuple(elements), tuple(files), copied)


_PREFIXES = {"mobile": "mobile", "pc": "desktop", "web": "web"}
_FEW = 20


def _platforms(rows: Sequence[_V2Row]) -> list[str]:
    return [_platform(row.img_filename) for row in rows]


def _platform(image: str) -> str:
    return _PREFIXES.get(image.partition("_")[0], ALL)


def _copied_rows(text: JsonText) -> list[_V2Row]:
    """Return the rows of a public copy with corners; none if it is not one."""
    first = text.rows(list[dict[str, Any]])[:1]
    if not first or "data_type" in first[0] or not {"ui_type", "img_size"} <= first[0].keys():
        return []
    rows = text.rows(list[_V2Copy])
    for number, row in enumerate(rows):
        if fault := box_fault(row.bbox):
            raise misfit(fault, text.file, number, "bbox")
    return [row.published() for row in rows]


def _published_rows(text: JsonText, task: str) -> list[_V2Row]:
    rows = text.rows(list[_V2Row])
    there = [row.img_filename in v2_sizes() for row in rows]
    if task == V2 and len(rows) in V1_COUNTS and any(there) and not all(there):
        raise text.error(
            f"these are the rows of the first ScreenSpot, not of ScreenSpot-v2: row"
            f" {there.index(False) + 1} has an image that v2 does not have. v2 corrects them; load"
            f" them as {V1}",
            "img_filename",
        )
    if task == V1 and len(rows) in V2_COUNTS and all(there):
        raise text.error(
            f"these are the rows of ScreenSpot-v2, not of the first ScreenSpot: load them as {V2}",
            "img_filename",
        )
    if len(rows) >= _FEW and not any(box_fault(row.bbox) for row in rows):
        outside = [number for number, row in enumerate(rows) if _leaves(row)]
        if outside:
            raise text.error(
                "boxes are left, top, right, bottom here, and x, y, width, height as published:"
                f" row {outside[0] + 1} would reach outside its image",
                "bbox",
            )
    return rows


def _leaves(row: _V2Row) -> bool:
    x, y, width, height = row.bbox
    return reaches_outside((x, y, x + width, y + height), _size(row))


def _size(row: _V2Row) -> Size | None:
    name = row.img_filename
    return row.img_size or v2_sizes().get(name) or only_in_v1().get(name)


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
        element for file in files for element in _checked(file, map(_from_pro, _pro_rows(file)))
    )
    twice = [item for item, count in Counter(one.id for one in elements).items() if count > 1]
    if twice:
        raise DataError(
            f"the id {twice[0]!r} is there twice, so answers can't be told apart",
            file=str(below),
            field="id",
        )
    return Annotations(elements, files)


def _pro_rows(file: Path) -> list[_ProRow]:
    text = read_json(file)
    rows = text.rows(list[_ProRow])
    if any(is_v2_copy(row.application) for row in rows):
        raise text.error(
            "these are rows of ScreenSpot-v2 in the keys of ScreenSpot-Pro: load them as"
            " screenspot-v2/point",
            "application",
        )
    return rows


def _from_v2(row: _V2Row, platform: str, number: int) -> Element:
    x, y, width, height = row.bbox
    return Element(
        id=f"{platform}/{number}",
        image=row.img_filename,
        box=(x, y, x + width, y + height),
        instruction=row.instruction,
        size=_size(row),
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


def _checked(
    file: Path,
    elements: Iterable[Element],
    field: str = "img_filename",
    space: Space = Space.PIXELS,
) -> Iterator[Element]:
    for row, element in enumerate(checked_rows(elements, str(file), boxes_in=space)):
        if not is_inside(element.image):
            what = f"item {element.id}: {element.image!r} is no path below the images"
            raise misfit(what, str(file), row, field)
        yield element


def _absent(folder: Path, name: str) -> DataError:
    checked(folder, "the published folder or one of its files")
    return DataError(
        f"there is no {name} in it ({contents(folder)}): is it a folder of another benchmark?",
        file=str(folder),
    )


_COPIED = "a public copy with corners and sizes, in another layout than the published files"


def _data(
    task: str, split: str, found: Annotations, images: Path | None, prompt: Prompt
) -> TaskData:
    elements, folder = found.elements, found.files[0].parent
    if not elements:
        raise DataError("holds no rows", file=str(found.files[0]))
    beside = folder.parent if task == PRO else folder
    root = beside if images is None else image_folder(images, "the screenshots")
    files = ImageFiles(root, _paths(elements), "img_filename")
    there = images is not None or any(
        files.file(index, SCREEN).is_file() for index in range(len(elements))
    )
    benchmark = task.partition("/")[0]
    releases = () if found.copied else own(task.partition("/")[0]).releases
    known = pin(benchmark, split, folder, digest_of_files(found.files), len(elements), releases)
    if found.copied:
        known = known.model_copy(
            update={"note": f"{len(elements):,} questions; {_COPIED if task == V2 else COPIED}"}
        )
    return grounding_data(
        task,
        split,
        elements,
        pin=known,
        prompt=prompt,
        asked_in=_SPACES.get(prompt.name),
        images=files if there else found.pictures,
        question=(lambda index: _chinese(elements[index])) if prompt.name == _CHINESE else None,
    )


def _chinese(element: Element) -> str:
    if not element.chinese:
        raise DataError(f"the item {element.id} has no instruction_cn", field="instruction_cn")
    return element.chinese


def _paths(elements: Sequence[Element]) -> Callable[[int, str], Sequence[str]]:
    def paths(index: int, name: str) -> Sequence[str]:
        if name != SCREEN:
            raise DataError(f"there is no image {name!r}, only {SCREEN!r}")
        return [f"{folder}{elements[index].image}" for folder in _IMAGE_FOLDERS]

    return paths
