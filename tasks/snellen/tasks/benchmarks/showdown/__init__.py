"""ShowDown clicks: point at what a person clicked in an application of macOS."""

from collections.abc import Mapping
from pathlib import Path

from snellen.grading.models.geometry import Space
from snellen.tasks.benchmarks.point_table import Columns, PointTable, pointing_benchmark
from snellen.tasks.data.release import Place, Release, Signs, row_sign

_CLICKS = "showdown/clicks"
_TABLE = PointTable(
    task=_CLICKS,
    title="Point at the element that a person clicked on a desktop",
    layouts=(
        Columns(
            id="id",
            image="image",
            box=("x1", "y1", "x2", "y2"),
            space=Space.PIXELS,
            size=("width", "height"),
        ),
        # UI-Ins' copy, in the keys of ScreenSpot-Pro.
        Columns(id="id", image="img_filename", space=Space.PIXELS, size="img_size"),
    ),
    files=(
        "showdown-clicks-dev/data.csv",
        "data/showdown-clicks-dev/data.csv",
        "data.csv",
        "showdown*.json",
    ),
    split="dev",
    spaces=(Space.PIXELS, Space.UNIT),
)


def _copied(_: Path, row: Mapping[str, object]) -> tuple[str, ...]:
    keys = {"id", "img_filename", "bbox", "img_size"}
    frames = keys <= row.keys() and str(row["img_filename"]).startswith("frames/")
    return (_CLICKS,) if frames else ()


BENCHMARKS = (
    pointing_benchmark(
        (_TABLE,),
        Place(
            "showdown",
            "huggingface.co",
            "generalagents/showdown-clicks",
            "MIT",
            tasks={"clicks": ("showdown-clicks-dev/data.csv",)},
            images=("showdown-clicks-dev/frames/*",),
        ),
        (Release("2025-03", "showdown", "dev", 557),),
        Signs(
            rows=(row_sign(_CLICKS, "id image instruction x1 y1 x2 y2"),),
            folders=_TABLE.files,
            by_row=_copied,
        ),
    ),
)
