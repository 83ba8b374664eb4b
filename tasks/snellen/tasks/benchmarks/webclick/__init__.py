"""WebClick: point at what an instruction means, on pages and calendars."""

from snellen.tasks.benchmarks.spec import Benchmark, late, pointing_task
from snellen.tasks.data.release import Place, Release, Signs, row_sign

_POINT = "webclick/point"
RELEASES = (Release("2025", "webclick", "test", 1_639),)

BENCHMARKS = (
    Benchmark(
        name="webclick",
        tasks=(pointing_task(_POINT, "Point at what an instruction on a page means", ("bucket",)),),
        load=late("snellen.tasks.benchmarks.webclick.load:load"),
        place=Place(
            "webclick",
            "huggingface.co",
            "Hcompany/WebClick",
            "Apache 2.0",
            tasks={"point": ("data/*.parquet", "test*.parquet", "*/test*.parquet")},
            images_inside=True,
        ),
        releases=RELEASES,
        signs=Signs(
            rows=(row_sign(_POINT, "image instruction bbox bucket"),),
            folders=("data/*.parquet", "*.parquet"),
        ),
    ),
)
