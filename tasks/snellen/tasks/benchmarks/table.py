"""Every task of every benchmark in one place; those of installed packages follow snellen's own.

The task of the matrix of four dimensions by four levels has items of its users' own, each graded
by the metric that it names.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from snellen.grading.errors import PluginError, UnknownNameError
from snellen.grading.guesses import (
    NO_ANSWER,
    Constant,
    Guess,
    NoGuess,
    OneOf,
    OneOfItsOptions,
    OptionOrNothing,
    RandomBox,
    RandomPoint,
)
from snellen.grading.models.kinds import AnswerKind
from snellen.grading.protocols.plugins import Rules, WithPlugins
from snellen.tasks.benchmarks.spec import Benchmark, Loader, TaskSpec

if TYPE_CHECKING:
    from snellen.tasks.models import TaskData

_TEXT, _CHOICE, _BOX, _POINT, _EPISODE = (
    AnswerKind.TEXT,
    AnswerKind.CHOICE,
    AnswerKind.BOX,
    AnswerKind.POINT,
    AnswerKind.EPISODE,
)
_UI_TEXTS, _BOXED, _LABEL = AnswerKind.UI_TEXTS, AnswerKind.BOXED_TEXTS, AnswerKind.LABEL

_LETTER = OneOfItsOptions()
_POINT_AT = RandomPoint()
_DRAW = RandomBox()
_UNANSWERABLE = Constant(NO_ANSWER)
_NO_ELEMENTS = Constant("[]")
# ComplexQA has no question without an answer; more of its references say 2 than anything else.
_A_COUNT = Constant("2")
_FREE = NoGuess("free text")
_IDLE = NoGuess("doing nothing achieves nothing")

_Line: TypeAlias = tuple[str, str, AnswerKind, str, Guess]

_VISUALWEBBENCH: tuple[_Line, ...] = (
    ("web_caption", "Write the page's meta description", _TEXT, "rougeL", _FREE),
    ("heading_ocr", "Read the page's main heading", _TEXT, "rougeL", _FREE),
    ("webqa", "Answer a question about the page", _TEXT, "f1", _FREE),
    ("element_ocr", "Read the text in a marked box", _TEXT, "rougeL", _FREE),
    ("element_ground", "Which of 8 boxes an element is in", _CHOICE, "accuracy", OneOf(8)),
    ("action_prediction", "Which of 8 pages a click leads to", _CHOICE, "accuracy", OneOf(8)),
    ("action_ground", "Which of 8 boxes to click", _CHOICE, "accuracy", OneOf(8)),
    ("element_ground_bbox", "Draw an element's box", _BOX, "accuracy", _DRAW),
    ("element_ground_point", "Point at an element", _POINT, "accuracy", _POINT_AT),
    ("action_ground_bbox", "Draw the box to click", _BOX, "accuracy", _DRAW),
    ("action_ground_point", "Point at what to click", _POINT, "accuracy", _POINT_AT),
)
_WEBRSSBENCH: tuple[_Line, ...] = (
    ("position", "How regions of a page lie", AnswerKind.RELATIONS, "accuracy", OneOf(10)),
    ("ui_grouping", "Which of 6 kinds a group of elements is", _LABEL, "accuracy", OneOf(6)),
    ("form_filling", "Fill in a form field", _TEXT, "similarity", _FREE),
    ("hint_text", "Write an input's placeholder", _TEXT, "similarity", _FREE),
    ("color", "Name the main button, colours changed or not", _TEXT, "accuracy", _FREE),
    ("text", "Say what a button does, texts changed or not", _TEXT, "similarity", _FREE),
    ("layout", "Describe the page, layout changed or not", _TEXT, "similarity", _FREE),
    ("safety", "Name the safety-critical button", _TEXT, "recall", Constant("sorry")),
)
_MMBENCH_GUI: tuple[_Line, ...] = (
    (
        "l1",
        "Answer a question about a screenshot by letter",
        _CHOICE,
        "accuracy",
        _LETTER,
    ),
    (
        "l2_basic",
        "Point at an element, given its look and place",
        _POINT,
        "accuracy",
        _POINT_AT,
    ),
    ("l2_advanced", "Point at an element, given its purpose", _POINT, "accuracy", _POINT_AT),
    ("l3", "Do a task in one application", _EPISODE, "sr", _IDLE),
    ("l4", "Do a task across applications", _EPISODE, "sr", _IDLE),
)
_SCREENSPOT: tuple[_Line, ...] = (
    ("point", "Point at the element that an instruction means", _POINT, "accuracy", _POINT_AT),
)
_SCREENQA: tuple[_Line, ...] = (
    ("short", "Answer in the fewest words (SQA-S)", _TEXT, "f1", _UNANSWERABLE),
    ("long", "Answer in a full sentence (SQA-L)", _TEXT, "rougeL", _UNANSWERABLE),
    ("ui_contents", "List the texts that hold the answer (SQA-UIC)", _UI_TEXTS, "f1", _NO_ELEMENTS),
    ("ui_contents_boxes", "List them with their boxes (SQA-UIC-BB)", _BOXED, "f1", _NO_ELEMENTS),
    ("complex", "Count, calculate or compare (ComplexQA)", _TEXT, "f1", _A_COUNT),
)
_MATRIX: tuple[_Line, ...] = (
    ("items", "Answer your own items of four dimensions", _TEXT, "score", OptionOrNothing()),
)


def _loader(module: str) -> Loader:
    """Return a benchmark's loader, whose module is imported when it is first called."""

    def load(
        task: str,
        path: str | Path,
        split: str | None = None,
        images: str | Path | None = None,
        prompt: str | None = None,
    ) -> "TaskData":
        known = import_module(f"snellen.tasks.benchmarks.{module}.load")
        return known.load(task, path, split, images, prompt)

    return load


def _specs(benchmark: str, lines: Sequence[_Line], loader: Loader) -> dict[str, TaskSpec]:
    specs = [TaskSpec(f"{benchmark}/{line[0]}", *line[1:], loader) for line in lines]
    return {spec.id: spec for spec in specs}


def _plugin_tasks(rules: Rules) -> Mapping[str, TaskSpec]:
    if not isinstance(rules, Benchmark):
        raise PluginError(f"the benchmark {rules.name!r} has rules but no tasks: make a Benchmark")
    return {spec.id: spec for spec in rules.tasks}


TASKS: Mapping[str, TaskSpec] = WithPlugins(
    {
        **_specs("visualwebbench", _VISUALWEBBENCH, _loader("visualwebbench")),
        **_specs("webrssbench", _WEBRSSBENCH, _loader("webrssbench")),
        **_specs("mmbench-gui", _MMBENCH_GUI, _loader("mmbench_gui")),
        **_specs("screenqa", _SCREENQA, _loader("screenqa")),
        **_specs("matrix", _MATRIX, _loader("matrix")),
        **_specs("screenspot-v2", _SCREENSPOT, _loader("screenspot")),
        **_specs("screenspot-pro", _SCREENSPOT, _loader("screenspot")),
    },
    _plugin_tasks,
)
"""Every task by its id."""


def tasks() -> tuple[TaskSpec, ...]:
    """Return every task, benchmark by benchmark."""
    return tuple(TASKS.values())


def task_of(task: str) -> TaskSpec:
    """Return a task by its id.

    Raises:
        UnknownNameError: There is no such task.
    """
    try:
        return TASKS[task]
    except KeyError:
        raise UnknownNameError("task", task, TASKS) from None


def load_task(
    task: str,
    path: str | Path,
    split: str | None = None,
    images: str | Path | None = None,
    prompt: str | None = None,
) -> "TaskData":
    """Load one split of any task from its published files.

    Args:
        task: The task's id.
        path: The folder or file that holds its data, or a pack that holds it.
        split: The split's name; None: what the benchmark's loader takes by default.
        images: A folder of images, where the data does not hold them.
        prompt: The name of one of the task's prompts; its first when None.

    Raises:
        UnknownNameError: There is no such task, split or prompt.
        DataError: The data can't be read.
        MissingExtraError: Reading it needs an optional dependency.
    """
    from snellen.tasks.pack.layout import MANIFEST

    spec = task_of(task)
    if (Path(path) / MANIFEST).is_file():
        from snellen.tasks.pack.loading import load_from_pack
        from snellen.tasks.pack.reading import is_pack

        if is_pack(path):
            return load_from_pack(task, Path(path), split, images, prompt)
    return spec.loader(task, path, split, images, prompt)
