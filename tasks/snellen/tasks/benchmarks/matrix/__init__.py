"""The matrix of four dimensions by four levels.

Its one task has items of its users' own, each graded by the metric that it names.
"""

from snellen.grading.guesses import OptionOrNothing
from snellen.grading.models.items import AnswerKind
from snellen.tasks.benchmarks.spec import Benchmark, TaskSpec, late
from snellen.tasks.data.release import Signs, row_sign

BENCHMARKS = (
    Benchmark(
        name="matrix",
        tasks=(
            TaskSpec(
                "matrix/items",
                "Answer your own items of four dimensions",
                AnswerKind.TEXT,
                "score",
                OptionOrNothing(),
            ),
        ),
        load=late("snellen.tasks.benchmarks.matrix.load:load"),
        signs=Signs(
            names={"items.jsonl": "matrix/items"},
            rows=(row_sign("matrix/items", "dimension level metric"),),
        ),
    ),
)
