"""WebClick: point at what an instruction means, on pages and calendars."""

from snellen.grading.models.geometry import Space
from snellen.tasks.benchmarks.point_table import (
    Columns,
    PointPrompt,
    PointTable,
    pointing_benchmark,
)
from snellen.tasks.data.release import Place, Release
from snellen.tasks.prompts import Prompt

_PLACE = Place(
    "webclick",
    "huggingface.co",
    "Hcompany/WebClick",
    "Apache 2.0",
    tasks={"point": ("data/*.parquet", "test*.parquet", "*/test*.parquet")},
    images_inside=True,
)
_CLICK = Prompt(
    "snellen-webclick-click-1",
    "You see a screenshot. Click the one element of the user interface that the instruction means."
    " Reply with Click(x, y) alone, x from the left and y from the top, in pixels of the original"
    " image",
    "\n\nInstruction: {question}",
)
"""It asks for what the protocol `paper` reads."""
_TABLE = PointTable(
    task="webclick/point",
    title="Point at the target of an instruction on a page",
    layouts=(Columns(tags=("bucket",)),),
    files=("data/*.parquet", "*.parquet"),
    images_in="image",
    asked=(PointPrompt(_CLICK, Space.PIXELS, "Click(480, 661)"),),
    by=("bucket",),
)

BENCHMARKS = (pointing_benchmark((_TABLE,), _PLACE, (Release("2025", "webclick", "test", 1_639),)),)
