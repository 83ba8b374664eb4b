"""Multimodal-Mind2Web: the next operation on a page, and the element that it is for."""

from snellen.tasks.benchmarks.spec import Benchmark, late, step_task
from snellen.tasks.data.release import Place, Release, Signs, row_sign

_COUNTS = {"task": 1_339, "website": 1_019, "domain": 4_060}
_TITLES = {
    "task": "Give the next operation on a page, of tasks like those trained on",
    "website": "Give the next operation on a page, of other websites",
    "domain": "Give the next operation on a page, of other domains",
}
RELEASES = tuple(Release("2024", "mind2web", f"test_{kind}", n) for kind, n in _COUNTS.items())
PUBLISHED = "osunlp/Multimodal-Mind2Web"

BENCHMARKS = (
    Benchmark(
        name="mind2web",
        tasks=tuple(
            step_task(f"mind2web/{kind}", title, ("action", "domain"))
            for kind, title in _TITLES.items()
        ),
        load=late("snellen.tasks.benchmarks.mind2web.load:load"),
        place=Place(
            "mind2web",
            "huggingface.co",
            PUBLISHED,
            "OpenRAIL",
            tasks={
                kind: (f"data/test_{kind}-*.parquet", f"test_{kind}-*.parquet") for kind in _COUNTS
            },
            images_inside=True,
        ),
        releases=RELEASES,
        signs=Signs(
            rows=(row_sign("mind2web/task", "annotation_id action_uid pos_candidates"),),
            folders=("data/test_*.parquet",),
        ),
    ),
)
