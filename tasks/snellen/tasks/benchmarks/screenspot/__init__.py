"""ScreenSpot, ScreenSpot-v2 and ScreenSpot-Pro: point at the element that an instruction means."""

from snellen.tasks.benchmarks.screenspot import release
from snellen.tasks.benchmarks.spec import Benchmark, late, pointing_task
from snellen.tasks.data.release import Signs

_V1, _V2, _PRO = "screenspot-v1/point", "screenspot-v2/point", "screenspot-pro/point"
_TITLE = "Point at the target of an instruction"
_SUMMARIES = late("snellen.tasks.benchmarks.screenspot.rules.tables:summaries")
_LOAD = late("snellen.tasks.benchmarks.screenspot.load:load")

BENCHMARKS = (
    Benchmark(
        name="screenspot-v1",
        tasks=(pointing_task(_V1, _TITLE),),
        load=_LOAD,
        place=release.V1_PLACE,
        releases=release.V1_RELEASES,
        signs=Signs(
            names=dict.fromkeys(release.V1_FILES.values(), _V1),
            by_row=release.v1_by_row,
            folders=("data/*.parquet", "*.parquet"),
        ),
    ),
    Benchmark(
        name="screenspot-v2",
        tasks=(pointing_task(_V2, _TITLE),),
        load=_LOAD,
        place=release.V2_PLACE,
        releases=release.V2_RELEASES,
        signs=Signs(
            names=dict.fromkeys((*release.V2_FILES.values(), *release.V2_COPIES.values()), _V2),
            by_row=release.v2_by_row,
        ),
        summaries=_SUMMARIES,
    ),
    Benchmark(
        name="screenspot-pro",
        tasks=(pointing_task(_PRO, _TITLE),),
        load=_LOAD,
        place=release.PRO_PLACE,
        releases=release.PRO_RELEASES,
        signs=Signs(
            by_row=release.pro_by_row,
            folders=(f"{release.PRO_FOLDER}/*.json",),
        ),
        summaries=_SUMMARIES,
    ),
)
