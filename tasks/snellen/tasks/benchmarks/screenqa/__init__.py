"""ScreenQA: questions about screens of mobile apps."""

from snellen.grading.guesses import NO_ANSWER, Constant
from snellen.grading.models.items import AnswerKind
from snellen.tasks.benchmarks.screenqa.release import PLACE, RELEASES
from snellen.tasks.benchmarks.spec import Benchmark, TaskSpec, late
from snellen.tasks.data.release import Signs

_HERE = "snellen.tasks.benchmarks.screenqa"
_TEXT, _UI_TEXTS, _BOXED = AnswerKind.TEXT, AnswerKind.UI_TEXTS, AnswerKind.BOXED_TEXTS
_UNANSWERABLE, _NO_ELEMENTS = Constant(NO_ANSWER), Constant("[]")
# ComplexQA has no question without an answer; more of its references say 2 than anything else.
_A_COUNT = Constant("2")

BENCHMARKS = (
    Benchmark(
        name="screenqa",
        tasks=(
            TaskSpec(
                "screenqa/short",
                "Answer in the fewest words (SQA-S)",
                _TEXT,
                "f1",
                _UNANSWERABLE,
            ),
            TaskSpec(
                "screenqa/long",
                "Answer in a full sentence (SQA-L)",
                _TEXT,
                "rougeL",
                _UNANSWERABLE,
            ),
            TaskSpec(
                "screenqa/ui_contents",
                "List the texts that hold the answer (SQA-UIC)",
                _UI_TEXTS,
                "f1",
                _NO_ELEMENTS,
            ),
            TaskSpec(
                "screenqa/ui_contents_boxes",
                "List them with their boxes (SQA-UIC-BB)",
                _BOXED,
                "f1",
                _NO_ELEMENTS,
            ),
            TaskSpec(
                "screenqa/complex",
                "Count, calculate or compare (ComplexQA)",
                _TEXT,
                "f1",
                _A_COUNT,
            ),
        ),
        load=late(f"{_HERE}.load:load"),
        place=PLACE,
        releases=RELEASES,
        signs=Signs(
            in_folder=late(f"{_HERE}.signs:in_folder"),
            by_name=late(f"{_HERE}.signs:by_name"),
            by_row=late(f"{_HERE}.signs:by_row"),
        ),
    ),
)
