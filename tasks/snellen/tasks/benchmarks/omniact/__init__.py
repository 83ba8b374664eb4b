"""OmniACT's single clicks: point at what a task on a desktop or a web page needs clicked."""

from snellen.grading.guesses import NoGuess
from snellen.grading.models.items import AnswerKind
from snellen.tasks.benchmarks.spec import Benchmark, TaskSpec, late
from snellen.tasks.data.release import Place, Signs

BENCHMARKS = (
    Benchmark(
        name="omniact",
        tasks=(
            TaskSpec(
                "omniact/click",
                "Point at the place to click for a task",
                AnswerKind.POINT,
                "action_score",
                NoGuess("a point beside its box has a part of the score"),
                ("platform",),
            ),
        ),
        load=late("snellen.tasks.benchmarks.omniact.load:load"),
        place=Place(
            "omniact",
            "huggingface.co",
            "Writer/omniact",
            "Apache 2.0",
            tasks={
                "click": ("test.json", "data/tasks/*", "data/metadata/*"),
            },
            images=("data/data/*",),
            note="its files of text features (ocr, icons, colors) are not fetched",
        ),
        signs=Signs(in_folder=late("snellen.tasks.benchmarks.omniact.load:recognize")),
    ),
)
