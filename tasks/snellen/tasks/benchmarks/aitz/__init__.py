"""AITZ (Android in the Zoo): the next action on a phone, with annotated thoughts."""

from snellen.tasks.benchmarks.spec import Benchmark, late, step_task
from snellen.tasks.data.release import Release, Signs, row_sign

_HIGH = "aitz/high"
_BY = ("action", "subset")
SUBSETS = ("general", "google_apps", "install", "web_shopping")
BELOW = ("test", "android_in_the_zoo/test")
RELEASES = (Release("2024", "aitz", "test", 4_724),)

BENCHMARKS = (
    Benchmark(
        name="aitz",
        tasks=(step_task(_HIGH, "Give the next action on a phone, given the goal", _BY),),
        load=late("snellen.tasks.benchmarks.aitz.load:load"),
        releases=RELEASES,
        signs=Signs(
            rows=(row_sign(_HIGH, "episode_id step_id result_action_type coat_action_desc"),),
            folders=tuple(
                f"{folder}{subset}/*/*.json"
                for folder in ("", "test/", "*/test/")
                for subset in SUBSETS
            ),
        ),
    ),
)
