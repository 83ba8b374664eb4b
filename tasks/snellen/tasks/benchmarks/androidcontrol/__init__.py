"""AndroidControl: the next action on a phone's screen."""

from snellen.tasks.benchmarks.androidcontrol import release
from snellen.tasks.benchmarks.spec import Benchmark, late, step_task
from snellen.tasks.data.release import Signs, row_sign

_HIGH, _LOW = "androidcontrol/high", "androidcontrol/low"

BENCHMARKS = (
    Benchmark(
        name="androidcontrol",
        tasks=(
            step_task(_HIGH, "Give the next action on a phone, given the goal"),
            step_task(_LOW, "Give the next action on a phone, given the purpose of the step"),
        ),
        load=late("snellen.tasks.benchmarks.androidcontrol.load:load"),
        place=release.PLACE,
        releases=release.RELEASES,
        signs=Signs(
            names={release.FILE: _HIGH, release.UI_S1_FILE: _HIGH},
            together=(_HIGH, _LOW),
            rows=(
                row_sign(_HIGH, "episode step_check_pams"),
                row_sign(_HIGH, "episode_id goal is_successful steps"),
                row_sign(_HIGH, "episode_id step accessibility_tree"),
            ),
        ),
    ),
)
