"""MMBench-GUI: questions on screenshots, pointing at elements, and episodes, in four levels."""

from snellen.grading.guesses import NoGuess, OneOfItsOptions
from snellen.grading.models.items import AnswerKind
from snellen.tasks.benchmarks.mmbench_gui.release import PLACE, RELEASES
from snellen.tasks.benchmarks.spec import Benchmark, TaskSpec, late, pointing_task
from snellen.tasks.data.release import Signs, row_sign

_HERE = "snellen.tasks.benchmarks.mmbench_gui"
_IDLE = NoGuess("doing nothing achieves nothing")

BENCHMARKS = (
    Benchmark(
        name="mmbench-gui",
        tasks=(
            TaskSpec(
                "mmbench-gui/l1",
                "Answer a question about a screenshot by letter",
                AnswerKind.CHOICE,
                "accuracy",
                OneOfItsOptions(),
            ),
            pointing_task("mmbench-gui/l2_basic", "Point at an element, given its look and place"),
            pointing_task("mmbench-gui/l2_advanced", "Point at an element, given its purpose"),
            TaskSpec(
                "mmbench-gui/l3", "Do a task in one application", AnswerKind.EPISODE, "sr", _IDLE
            ),
            TaskSpec(
                "mmbench-gui/l4", "Do a task across applications", AnswerKind.EPISODE, "sr", _IDLE
            ),
        ),
        load=late(f"{_HERE}.load:load"),
        place=PLACE,
        releases=RELEASES,
        signs=Signs(
            rows=(row_sign("mmbench-gui/l1", "image_path groups"),),
            in_folder=late(f"{_HERE}.signs:in_folder"),
            by_name=late(f"{_HERE}.signs:by_name"),
            by_row=late(f"{_HERE}.signs:by_row"),
        ),
        summaries=late("snellen.tasks.benchmarks.mmbench_gui.rules.tables:summaries"),
    ),
)
