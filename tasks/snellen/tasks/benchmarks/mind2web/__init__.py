"""Multimodal-Mind2Web: the next operation on a page, and the element that it is for."""

from pathlib import Path

from snellen.tasks.benchmarks.spec import Benchmark, late, step_task
from snellen.tasks.data.release import Place, Release, Signs, row_sign
from snellen.tasks.io.files import stem_of

_COUNTS = {"task": 1_339, "website": 1_019, "domain": 4_060}
_TITLES = {
    "task": "Give the next operation on a page, on new tasks of known websites",
    "website": "Give the next operation on a page, on new websites",
    "domain": "Give the next operation on a page, on new domains",
}
RELEASES = tuple(Release("2024", "mind2web", f"test_{kind}", n) for kind, n in _COUNTS.items())
PUBLISHED = "osunlp/Multimodal-Mind2Web"


def _by_name(path: Path) -> tuple[str, ...]:
    kind = stem_of(path).removeprefix("test_")
    named = path.suffix == ".parquet" and stem_of(path) == f"test_{kind}" and kind in _COUNTS
    return (f"mind2web/{kind}",) if named else ()


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
            folders=("data/test_*.parquet", "test_*.parquet"),
            by_name=_by_name,
        ),
    ),
)
