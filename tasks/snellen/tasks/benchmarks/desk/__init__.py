"""The desk: tasks in snellen's own applications, in the manner of MMBench-GUI's L3 and L4."""

from snellen.grading.guesses import Idle
from snellen.grading.models.items import AnswerKind
from snellen.tasks.benchmarks.spec import Benchmark, TaskSpec, late
from snellen.tasks.data.release import Signs, row_sign

_L3, _L4 = "desk/l3", "desk/l4"
_BY = ("apps", "difficulty", "template", "feasible")
_GRADED = (AnswerKind.EPISODE, "sr", Idle(), _BY)

BENCHMARKS = (
    Benchmark(
        name="desk",
        tasks=(
            TaskSpec(_L3, "Do a task in one of snellen's applications", *_GRADED, ("action", "L3")),
            TaskSpec(_L4, "Do a task across snellen's applications", *_GRADED, ("action", "L4")),
        ),
        load=late("snellen.tasks.benchmarks.desk.load:load"),
        signs=Signs(rows=(row_sign(_L3, "id task goal state gold tags"),)),
        summaries=late("snellen.grading.protocols.worlds.tables:summaries"),
    ),
)
