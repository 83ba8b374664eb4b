"""TiddlyWiki: tasks in a real application, a wiki in one file."""

from snellen.grading.guesses import Idle
from snellen.grading.models.items import AnswerKind
from snellen.tasks.benchmarks.spec import Benchmark, TaskSpec, late
from snellen.tasks.data.release import Signs, row_sign

_TASK = "tiddlywiki/l3"

BENCHMARKS = (
    Benchmark(
        name="tiddlywiki",
        tasks=(
            TaskSpec(
                _TASK,
                "Do a task in a wiki",
                AnswerKind.EPISODE,
                "sr",
                Idle(),
                ("difficulty", "template", "feasible"),
                ("action", "L3"),
            ),
        ),
        load=late("snellen.tasks.benchmarks.tiddlywiki.load:load"),
        signs=Signs(rows=(row_sign(_TASK, "id goal tiddlers wiki gold tags"),)),
        summaries=late("snellen.grading.protocols.worlds.tables:summaries"),
    ),
)
