"""By what files of ScreenSpot, ScreenSpot-v2 and ScreenSpot-Pro are told apart."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from snellen.grading.errors import DataError
from snellen.grading.metrics.boxes import box_fault
from snellen.tasks.io.boxes import reaches_outside

if TYPE_CHECKING:
    from snellen.tasks.benchmarks.grounding import GroundingRow

_V1, _V2 = "screenspot-v1/point", "screenspot-v2/point"
_V2_FILES = ("screenspot_mobile_v2", "screenspot_desktop_v2", "screenspot_web_v2")

_V1_COUNTS = frozenset({502, 436, 334})
"""The rows of the first ScreenSpot's three files, which v2 corrects."""
_V2_COUNTS = frozenset({501, 437, 334})
_FEW = 20


def v2_by_row(file: Path, row: Mapping[str, object]) -> tuple[str, ...]:
    """Recognize v2's rows: as published, or copies of it with corners."""
    if not {"img_filename", "bbox"} <= row.keys() or v1_by_row(file, row):
        return ()
    published, corners = "data_type" in row, {"ui_type", "img_size"} <= row.keys()
    copied = corners and ("id" not in row or is_v2_copy(row.get("application")))
    return (_V2,) if published or copied else ()


def pro_by_row(file: Path, row: Mapping[str, object]) -> tuple[str, ...]:
    """Recognize Pro's rows, of which a copy of v2 has the keys."""
    if not {"img_filename", "bbox", "ui_type"} <= row.keys() or v2_by_row(file, row):
        return ()
    name, group = str(row["img_filename"]), str(row.get("group"))
    if name.startswith("frames/") or group in ("implicit", "explicit"):
        # A copy of ShowDown's clicks in Pro's keys, or UI-I2E-Bench.
        return ()
    if row.get("application") == "osworld-g" or name.startswith("os_"):
        # OSWorld-G and MMBench-GUI's L2 in the same keys.
        return ()
    return ("screenspot-pro/point",)


def is_v2_copy(application: object) -> bool:
    """Whether what stands as a row's application is the name of one of v2's files."""
    return application in _V2_FILES


def v1_by_row(file: Path, row: Mapping[str, object]) -> tuple[str, ...]:
    """Recognize the first ScreenSpot by its images, or as the Hub has it in parquet."""
    if {"file_name", "bbox", "instruction", "data_type", "data_source"} <= row.keys():
        return (_V1,)
    if not {"img_filename", "bbox", "data_type"} <= row.keys() or not file.is_file():
        return ()
    # Rows of v2 have the same fields.
    text = file.read_bytes()
    return (_V1,) if any(name.encode() in text for name in only_in_v1()) else ()


@cache
def v2_sizes() -> Mapping[str, tuple[float, float]]:
    """Return the width and height of v2's images by their names; the file says where from."""
    return {name: size for name, size in _sizes("v2_sizes.txt").items() if size}


@cache
def only_in_v1() -> Mapping[str, tuple[float, float] | None]:
    """Return the images that v2 does not have by their names; None: the size is not known."""
    return _sizes("v1_sizes.txt")


def _sizes(file: str) -> Mapping[str, tuple[float, float] | None]:
    folder = files("snellen.tasks.benchmarks.screenspot")
    sizes: dict[str, tuple[float, float] | None] = {}
    for line in folder.joinpath(file).read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            width, height, *names = line.split()
            size = None if width == "-" else (float(width), float(height))
            sizes |= dict.fromkeys(names, size)
    return sizes


def size_of(image: str) -> tuple[float, float] | None:
    """Return the width and height of an image of v1 or v2 by its name, where it is known."""
    return v2_sizes().get(image) or only_in_v1().get(image)


def refuse(task: str, file: str, rows: Sequence["GroundingRow"]) -> None:
    """Refuse rows of v1 as v2 and of v2 as v1, and corners where an extent is published.

    Raises:
        DataError: They are such.
    """
    there = [row.image in v2_sizes() for row in rows]
    if task == _V2 and len(rows) in _V1_COUNTS and any(there) and not all(there):
        raise DataError(
            f"these are the rows of the first ScreenSpot, not of ScreenSpot-v2: row"
            f" {there.index(False) + 1} has an image that v2 does not have. v2 corrects them; load"
            f" them as {_V1}",
            file=file,
            field="img_filename",
        )
    if task == _V1 and len(rows) in _V2_COUNTS and all(there):
        raise DataError(
            f"these are the rows of ScreenSpot-v2, not of the first ScreenSpot: load them as {_V2}",
            file=file,
            field="img_filename",
        )
    outside = [number for number, row in enumerate(rows, 1) if reaches_outside(row.box, row.size)]
    if len(rows) >= _FEW and outside and not any(_in_no_order(row) for row in rows):
        raise DataError(
            "boxes are left, top, right, bottom here, and x, y, width, height as published:"
            f" row {outside[0]} would reach outside its image",
            file=file,
            field="bbox",
        )


def _in_no_order(row: "GroundingRow") -> bool:
    """Whether what was read as x, y, width, height are no corners."""
    left, top, right, bottom = row.box
    return bool(box_fault((left, top, right - left, bottom - top)))


def refuse_v2(task: str, file: str, rows: Sequence["GroundingRow"]) -> None:
    """Refuse rows of v2 in Pro's keys.

    Raises:
        DataError: They are such.
    """
    if any(is_v2_copy(row.tags["application"]) for row in rows):
        raise DataError(
            f"these are rows of ScreenSpot-v2 in the keys of ScreenSpot-Pro: load them as {_V2}",
            file=file,
            field="application",
        )
