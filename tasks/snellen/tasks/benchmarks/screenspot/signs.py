"""By what files of ScreenSpot, ScreenSpot-v2 and ScreenSpot-Pro are told apart."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

_V1 = "screenspot-v1/point"
PLATFORMS = ("mobile", "desktop", "web")
V1_FILES = {platform: f"screenspot_{platform}.json" for platform in PLATFORMS}
V2_FILES = {platform: f"screenspot_{platform}_v2.json" for platform in PLATFORMS}
V2_COPIES = {platform: f"screenspot_{platform}_v2_convert.json" for platform in V2_FILES}
"""The files of a public copy (MAI-UI's) in the keys of ScreenSpot-Pro."""

V1_COUNTS = frozenset({502, 436, 334})
"""The rows of the first ScreenSpot's three files, which v2 corrects."""
V2_COUNTS = frozenset({501, 437, 334})

PRO_FOLDER = "annotations"


def v2_by_row(file: Path, row: Mapping[str, object]) -> tuple[str, ...]:
    """Recognize v2's rows: as published, or copies of it with corners."""
    if not {"img_filename", "bbox"} <= row.keys() or v1_by_row(file, row):
        return ()
    published, corners = "data_type" in row, {"ui_type", "img_size"} <= row.keys()
    copied = corners and ("id" not in row or is_v2_copy(row.get("application")))
    return ("screenspot-v2/point",) if published or copied else ()


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
    return f"{application}.json" in V2_FILES.values()


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
