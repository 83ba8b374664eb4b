"""OSWorld-G: point at what a desktop screenshot shows, or say that it is not there."""

from snellen.tasks.benchmarks.spec import Benchmark, late, pointing_task
from snellen.tasks.data.release import Place, Release, Signs, row_sign

_ORIGINAL, _REFINED = "osworld-g/original", "osworld-g/refined"
FILES = {_ORIGINAL: "OSWorld-G.json", _REFINED: "OSWorld-G_refined.json"}
RELEASES = tuple(Release("2025", "osworld-g", split, 564) for split in ("original", "refined"))

BENCHMARKS = (
    Benchmark(
        name="osworld-g",
        tasks=(
            pointing_task(_ORIGINAL, "Point at a target on a desktop, or refuse", ("kind",)),
            pointing_task(
                _REFINED, "Point at a target on a desktop, refined wording, or refuse", ("kind",)
            ),
        ),
        load=late("snellen.tasks.benchmarks.osworld_g.load:load"),
        place=Place(
            "osworld-g",
            "github.com",
            "xlang-ai/OSWorld-G",
            "not stated",
            tasks={
                "original": (f"benchmark/{FILES[_ORIGINAL]}",),
                "refined": (f"benchmark/{FILES[_REFINED]}",),
            },
            always=("README.md", "benchmark/classification_result.json"),
            images=("benchmark/images/*",),
            revision="daa6bd8e0e629f0917ad2984df930bf0bd967540",
        ),
        releases=RELEASES,
        signs=Signs(
            names={name: task for task, name in FILES.items()},
            rows=(row_sign(_ORIGINAL, "box_type box_coordinates instruction"),),
            folders=("benchmark/*.json",),
        ),
    ),
)
