"""What is published of ScreenSpot-v2 and ScreenSpot-Pro, and where."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

from snellen.tasks.data.release import Place, Release

V2_FILES = {platform: f"screenspot_{platform}_v2.json" for platform in ("mobile", "desktop", "web")}
V2_COPIES = {platform: f"screenspot_{platform}_v2_convert.json" for platform in V2_FILES}
"""The files of a public copy (MAI-UI's) in the keys of ScreenSpot-Pro."""

V1_COUNTS = frozenset({502, 436, 334})
"""The rows of the first ScreenSpot's three files, which v2 corrects."""

PRO_FOLDER = "annotations"

V2_RELEASES = tuple(
    Release("v2", "screenspot-v2", split, count)
    for split, count in (("all", 1_272), ("mobile", 501), ("desktop", 334), ("web", 437))
)
PRO_RELEASES = (Release("2025-01", "screenspot-pro", "all", 1_581),)

V2_PLACE = Place(
    "screenspot-v2",
    "huggingface.co",
    "OS-Copilot/ScreenSpot-v2",
    "Apache 2.0",
    tasks={"point": ("screenspot_*_v2.json",)},
    images=("screenspotv2_image.*",),
    revision="5efbb1f1b5463a575f2eb7bc30fe29e49c15f93c",
)
PRO_PLACE = Place(
    "screenspot-pro",
    "huggingface.co",
    "likaixin/ScreenSpot-Pro",
    "MIT",
    tasks={"point": (f"{PRO_FOLDER}/*",)},
    images=("images/*",),
    revision="210e78d3844251110bff86c95835ebd37a6930fa",
)


def v2_by_row(_: Path, row: Mapping[str, object]) -> tuple[str, ...]:
    """Recognize v2's rows: as published, or copies of it with corners."""
    if not {"img_filename", "bbox"} <= row.keys():
        return ()
    published, corners = "data_type" in row, {"ui_type", "img_size"} <= row.keys()
    copied = corners and ("id" not in row or is_v2_copy(row.get("application")))
    return ("screenspot-v2/point",) if published or copied else ()


def pro_by_row(_: Path, row: Mapping[str, object]) -> tuple[str, ...]:
    """Recognize Pro's rows, of which a copy of v2 has the keys."""
    if not {"img_filename", "bbox", "ui_type"} <= row.keys() or v2_by_row(_, row):
        return ()
    return ("screenspot-pro/point",)


def is_v2_copy(application: object) -> bool:
    """Whether what stands as a row's application is the name of one of v2's files."""
    return f"{application}.json" in V2_FILES.values()


@cache
def v2_sizes() -> Mapping[str, tuple[float, float]]:
    """Return the width and height of v2's images by their names; the file says where from."""
    text = (
        files("snellen.tasks.benchmarks.screenspot")
        .joinpath("v2_sizes.txt")
        .read_text(encoding="utf-8")
    )
    sizes: dict[str, tuple[float, float]] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            width, height, *names = line.split()
            sizes |= dict.fromkeys(names, (float(width), float(height)))
    return sizes
