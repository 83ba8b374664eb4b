"""MiniWoB++: short tasks on 130 pages, each of which grades itself."""

from snellen.grading.guesses import NullAgents
from snellen.grading.models.items import AnswerKind
from snellen.tasks.benchmarks.spec import Benchmark, TaskSpec, late
from snellen.tasks.data.release import Signs, row_sign

_TASK = "miniwob/episode"
_HERE = "snellen.tasks.benchmarks.miniwob"

BENCHMARKS = (
    Benchmark(
        name="miniwob",
        tasks=(
            TaskSpec(
                _TASK,
                "Do a short task on a page, by mouse and keyboard",
                AnswerKind.EPISODE,
                "sr",
                NullAgents(late(f"{_HERE}.null_agents:played")),
                ("page",),
                ("action", "L3"),
            ),
        ),
        load=late(f"{_HERE}.load:load"),
        signs=Signs(rows=(row_sign(_TASK, "id page seed time goal limit"),)),
        summaries=late("snellen.grading.protocols.worlds.tables:summaries"),
    ),
)
