"""The desk: tasks in snellen's own applications, in the manner of MMBench-GUI's L3 and L4."""

from snellen.grading.guesses import Idle
from snellen.grading.models.items import AnswerKind
from snellen.tasks.benchmarks.spec import Benchmark, TaskSpec, late
from snellen.tasks.data.release import Signs, row_sign

_BY = ("apps", "difficulty", "template", "feasible")

BENCHMARKS = (
    Benchmark(
        name="desk",
        tasks=(
            TaskSpec(
                "desk/l3",
                "Do a task in one of snellen's applications",
                AnswerKind.EPISODE,
                "sr",
                Idle(),
                _BY,
                ("action", "L3"),
            ),
            TaskSpec(
                "desk/l4",
                "Do a task across snellen's applications",
                AnswerKind.EPISODE,
                "sr",
                Idle(),
                _BY,
                ("action", "L4"),
            ),
        ),
        load=late("snellen.tasks.benchmarks.desk.load:load"),
        signs=Signs(rows=(row_sign("desk/l3", "id task goal state gold tags"),)),
    ),
)
