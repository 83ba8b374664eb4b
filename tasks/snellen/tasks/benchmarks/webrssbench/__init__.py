"""WebRSSBench: how regions of a page lie, what elements are for, and whether changes mislead."""

from snellen.grading.guesses import Constant, NoGuess, OneOf
from snellen.grading.models.items import AnswerKind
from snellen.tasks.benchmarks.spec import Benchmark, TaskSpec, late
from snellen.tasks.data.release import IMAGES, Place, Signs

_HERE = "snellen.tasks.benchmarks.webrssbench"
_TEXT, _FREE = AnswerKind.TEXT, NoGuess("free text")

_LINES = (
    ("position", "Relate regions of a page", AnswerKind.RELATIONS, "accuracy", OneOf(10)),
    (
        "ui_grouping",
        "Choose one of 6 kinds for a group of elements",
        AnswerKind.LABEL,
        "accuracy",
        OneOf(6),
    ),
    ("form_filling", "Fill in a form field", _TEXT, "similarity", _FREE),
    ("hint_text", "Write an input's placeholder", _TEXT, "similarity", _FREE),
    ("color", "Name the main button, colors changed or not", _TEXT, "accuracy", _FREE),
    ("text", "Say what a button does, texts changed or not", _TEXT, "similarity", _FREE),
    ("layout", "Describe the page, layout changed or not", _TEXT, "similarity", _FREE),
    ("safety", "Name the safety-critical button", _TEXT, "recall", Constant("sorry")),
)

BENCHMARKS = (
    Benchmark(
        name="webrssbench",
        tasks=tuple(TaskSpec(f"webrssbench/{line[0]}", *line[1:]) for line in _LINES),
        load=late(f"{_HERE}.load:load"),
        place=Place(
            "webrssbench",
            "huggingface.co",
            "annoy-worker/WebRSSBench",
            "none is stated",
            always=("*",),
            images=IMAGES,
            note="how this repository is laid out was not known when snellen was written: what"
            " `snellen fetch --check` says of the folder is what can be read of it",
        ),
        signs=Signs(
            in_folder=late(f"{_HERE}.load:in_folder"),
            by_name=late(f"{_HERE}.load:by_name"),
            by_row=late(f"{_HERE}.load:by_row"),
        ),
        summaries=late("snellen.tasks.benchmarks.webrssbench.rules.tables:summaries"),
    ),
)
