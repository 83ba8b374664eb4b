"""VisualWebBench: what is on a web page, where it is, and what a click does."""

from snellen.grading.guesses import Guess, NoGuess, OneOf, RandomBox
from snellen.grading.models.items import AnswerKind
from snellen.tasks.benchmarks.spec import Benchmark, TaskSpec, late, pointing_task
from snellen.tasks.benchmarks.visualwebbench.release import PLACE, RELEASES
from snellen.tasks.data.release import Signs, row_sign

_HERE = "snellen.tasks.benchmarks.visualwebbench"
_FREE = NoGuess("free text")


def _text(name: str, title: str, primary: str = "rougeL", guess: Guess = _FREE) -> TaskSpec:
    return TaskSpec(f"visualwebbench/{name}", title, AnswerKind.TEXT, primary, guess)


def _letter(name: str, title: str) -> TaskSpec:
    return TaskSpec(f"visualwebbench/{name}", title, AnswerKind.CHOICE, "accuracy", OneOf(8))


def _box(name: str, title: str) -> TaskSpec:
    return TaskSpec(f"visualwebbench/{name}", title, AnswerKind.BOX, "accuracy", RandomBox())


BENCHMARKS = (
    Benchmark(
        name="visualwebbench",
        tasks=(
            _text("web_caption", "Write the page's meta description"),
            _text("heading_ocr", "Read the page's main heading"),
            _text("webqa", "Answer a question about the page", "f1"),
            _text("element_ocr", "Read the text in a marked box"),
            _letter("element_ground", "Choose one of 8 boxes for an element"),
            _letter("action_prediction", "Choose one of 8 pages to which a click leads"),
            _letter("action_ground", "Choose one of 8 boxes to click"),
            _box("element_ground_bbox", "Draw an element's box"),
            pointing_task("visualwebbench/element_ground_point", "Point at an element"),
            _box("action_ground_bbox", "Draw the box to click"),
            pointing_task("visualwebbench/action_ground_point", "Point at what to click"),
        ),
        load=late(f"{_HERE}.load:load"),
        place=PLACE,
        releases=RELEASES,
        signs=Signs(
            rows=(
                row_sign("visualwebbench/action_prediction", "id options bbox answer"),
                *(
                    row_sign(
                        f"visualwebbench/element_ground{form}",
                        "id options elem_desc answer",
                        "bbox",
                    )
                    for form in ("", "_bbox", "_point")
                ),
                *(
                    row_sign(f"visualwebbench/action_ground{form}", "id options instruction answer")
                    for form in ("", "_bbox", "_point")
                ),
                row_sign("visualwebbench/element_ocr", "id bbox answer", "options"),
                row_sign("visualwebbench/webqa", "id question answer", "options"),
            ),
            in_folder=late(f"{_HERE}.load:in_folder"),
            by_name=late(f"{_HERE}.load:by_name"),
            by_row=late(f"{_HERE}.load:by_row"),
        ),
        summaries=late("snellen.tasks.benchmarks.visualwebbench.rules.average:summaries"),
    ),
)
