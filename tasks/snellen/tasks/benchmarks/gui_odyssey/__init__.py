"""GUI-Odyssey: the next action on a phone, in tasks across applications."""

from snellen.tasks.benchmarks.spec import Benchmark, late, step_task
from snellen.tasks.data.release import Place, Signs, row_sign

_HIGH, _LOW = "gui-odyssey/high", "gui-odyssey/low"
_BY = ("action", "category")

BENCHMARKS = (
    Benchmark(
        name="gui-odyssey",
        tasks=(
            step_task(_HIGH, "Give the next action across applications, given the goal", _BY),
            step_task(_LOW, "Give the next action across applications, given the step", _BY),
        ),
        load=late("snellen.tasks.benchmarks.gui_odyssey.load:load"),
        place=Place(
            "gui-odyssey",
            "huggingface.co",
            "hflqf88888/GUIOdyssey",
            "not stated",
            tasks={"high": ("annotations/*", "splits/*"), "low": ("annotations/*", "splits/*")},
            images=("screenshots/*",),
        ),
        signs=Signs(
            rows=(row_sign(_HIGH, "episode_id device_info task_info steps"),),
            folders=("annotations/*.json",),
            together=(_HIGH, _LOW),
        ),
    ),
)
