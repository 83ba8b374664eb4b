"""Read GUI Knowledge Bench: a file a question, and its images in a folder beside them.

Source: Shi et al., 2025; KendrickShi/GUI-Knowledge-Bench on the Hub, whose runner
(Kendrick-Stein/GUI_Knowledge_Bench_Official_Repo 378add4) lists the options as `option_text` and
`option_image_dir_list` do. The prompts of a row's `messages` have another order: they are not read.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from snellen.grading.errors import DataError, UnknownNameError
from snellen.grading.models.golds import Golds
from snellen.grading.models.items import AnswerFormat, AnswerKind, Image, Item
from snellen.grading.protocols.base import Context
from snellen.tasks.benchmarks.declared import own
from snellen.tasks.benchmarks.gui_knowledge.rules import (
    CHOICE,
    LETTERS,
    TASKS,
    WORD,
    WORDS,
    KnowledgeGold,
)
from snellen.tasks.benchmarks.loading import task_in
from snellen.tasks.data.pins import digest_of_files, pin
from snellen.tasks.io.files import DATA, checked, contents, format_of
from snellen.tasks.io.images import ImageFiles, image_folder, is_inside
from snellen.tasks.io.json_text import JsonText, read_json
from snellen.tasks.io.rows import SCREEN, Text
from snellen.tasks.models import TaskData
from snellen.tasks.prompts import Prompt, prompt_of

ALL = "all"
FOLDERS = ("KnowledgeBench", "Knowledge_Bench")
IMAGES = "Image"
TYPES: Mapping[str, str] = dict(
    zip(
        TASKS,
        ("InterfacePerception", "InteractionPrediction", "InstructionUnderstanding"),
        strict=True,
    )
)

_ASKS = {
    "ActionEffect": "This action is done on the first screenshot. Which of the other images shows"
    " the screen after it?\n",
    "ActionPrediction": "An action was done on the first screenshot, and the second one shows the"
    " screen after it. Which option is the action, or the parameter of the action that is named?\n",
    "GoalInterpretation": "Do the screenshots, in their order, show that this task was completed?"
    ' Answer "unknown" if they don\'t show enough.\n',
}
"""What is asked where a question's text is an action or a task alone."""

Kind = Literal["multiple_choice", "yes_or_no"]


class _Knowledge(msgspec.Struct):
    knowledge_type: Literal[
        "InterfacePerception", "InteractionPrediction", "InstructionUnderstanding"
    ]
    knowledge_sub_type: Text


class _Row(msgspec.Struct, kw_only=True):
    question_id: Text
    knowledge: _Knowledge
    question_type: Kind
    question_text: Text
    question_image_dir_list: tuple[Text, ...] | Text = ()
    option_text: tuple[str, ...] = ()
    option_image_dir_list: tuple[Text, ...] = ()
    os_type: str = ""
    app_type: str = ""
    groundtruth: str


class Question(NamedTuple):
    """A question: its row, its right answer, its options' texts, and its images by name."""

    row: _Row
    right: str
    options: tuple[str, ...]
    images: Mapping[str, str]

    @property
    def sub_type(self) -> str:
        """The sub type; of a predicted action, whether its type or its parameter is asked for."""
        name = self.row.knowledge.knowledge_sub_type
        named = self.row.question_text.partition(":")[0]
        return named if named.startswith(f"{name}-") else name


def in_folder(path: Path) -> tuple[str, ...]:
    """Return all tasks if a folder holds the folder of questions, or is it."""
    return TASKS if _home(path) else ()


def by_row(path: Path, row: Mapping[str, object]) -> Iterator[str]:
    """Yield the tasks of a file of questions: one object, or a list of them."""
    if {"question_id", "knowledge", "groundtruth"} <= row.keys():
        data = read_json(path).data
        found = [task for task, name in TYPES.items() if f'"{name}"'.encode() in data]
        yield from found or TASKS


def load(
    task: str,
    path: str | Path,
    split: str | None = None,
    images: str | Path | None = None,
    prompt: str | None = None,
) -> TaskData:
    """Load the questions of one type of knowledge, ordered by their files' paths.

    Args:
        task: `gui-knowledge/` and one of perception, prediction, instruction.
        path: A folder that holds `KnowledgeBench`, in which each file has one question or a list
            of them; or one such file.
        split: There is one, `all`.
        images: The folder of images; None: `Image` beside the questions, if it is there.
        prompt: The name of one of the task's prompts; its first when None.

    Raises:
        DataError: A file can't be read, a question is not as published, or there is none.
        UnknownNameError: There is no such task, split or prompt.
    """
    wanted = task_in(TYPES, task, "GUI Knowledge Bench")
    if split not in (None, ALL):
        raise UnknownNameError(f"split of {task}", split, (ALL,))
    chosen = prompt_of(own("gui-knowledge").prompts[task], prompt)
    root, files = _files(Path(path))
    rows: dict[str, Question] = {}
    read: list[Path] = []
    for file in files:
        text = read_json(file)
        held = [row for row in _rows(text) if row.knowledge.knowledge_type == wanted]
        for row in held:
            if row.question_id in rows:
                raise text.error(f"the question {row.question_id!r} is there twice", "question_id")
            rows[row.question_id] = _question(row, text)
        read += [file] if held else []
    if not rows:
        raise DataError(f"there is no question of the type {wanted} in it", file=str(path))
    questions = list(rows.values())
    folder = root if images is None else image_folder(Path(images), "the questions' images")
    there = images is not None or (root / IMAGES).is_dir()
    return TaskData(
        task=task,
        split=ALL,
        ids=list(rows),
        golds=Golds([KnowledgeGold(one.right, one.row.question_type) for one in questions]),
        pin=pin(wanted, ALL, path, digest_of_files(read), len(rows)),
        build_item=lambda index: _item(task, questions[index], chosen),
        load_image=ImageFiles(
            folder,
            lambda index, name: [
                f"{below}{questions[index].images[name]}" for below in (f"{IMAGES}/", "")
            ],
            "question_image_dir_list",
        )
        if there
        else None,
        contexts=[_context(one) for one in questions],
        tags={
            "knowledge_sub_type": [one.sub_type for one in questions],
            "os_type": [one.row.os_type or None for one in questions],
            "question_type": [one.row.question_type for one in questions],
            "app_type": [one.row.app_type or None for one in questions],
        },
    )


def _home(path: Path) -> Path | None:
    """Return the folder of questions: a path itself, or one in it."""
    places = (*((path / name) for name in FOLDERS), path)
    return next((each for each in places if each.name in FOLDERS and each.is_dir()), None)


def _files(path: Path) -> tuple[Path, list[Path]]:
    """Return the folder that images are below, and the files of questions."""
    if checked(path, "the folder that holds KnowledgeBench").is_file():
        return path.parent, [path]
    home = _home(path)
    if home is None:
        raise DataError(
            f"there is no {FOLDERS[0]} in it ({contents(path)}); give a copy of"
            " KendrickShi/GUI-Knowledge-Bench",
            file=str(path),
        )
    files = (file for file in home.rglob("*.json*") if format_of(file) in DATA)
    return home.parent, sorted(files)


def _rows(text: JsonText) -> list[_Row]:
    alone = ".json" in Path(text.file).suffixes and text.data.lstrip()[:1] == b"{"
    return [text.rows(_Row)] if alone else text.rows(list[_Row])


def _question(row: _Row, text: JsonText) -> Question:
    def misfit(what: str, field: str) -> DataError:
        return text.error(f"question {row.question_id!r}: {what}", field)

    shown = row.question_image_dir_list
    shown = (shown,) if isinstance(shown, str) else shown
    names = [SCREEN] if len(shown) == 1 else [f"screen_{n}" for n in range(1, len(shown) + 1)]
    pictures = row.option_image_dir_list
    images = dict(zip(names, shown, strict=True))
    images |= {f"option_{chr(ord('a') + n)}": name for n, name in enumerate(pictures)}
    for name in images.values():
        if not is_inside(name):
            raise misfit(f"{name!r} is no path below the images", "question_image_dir_list")
    right = row.groundtruth.strip()
    if row.question_type == WORD:
        options, right = WORDS, right.lower()
    else:
        options = row.option_text or LETTERS[: len(pictures)]
        right = right.upper()
    if not options or len(options) > len(LETTERS):
        raise misfit(f"it has {len(options)} options, not 1 to {len(LETTERS)}", "option_text")
    if right not in (WORDS if row.question_type == WORD else LETTERS[: len(options)]):
        raise misfit(f"{row.groundtruth!r} is none of its options", "groundtruth")
    return Question(row, right, tuple(options), images)


def _context(question: Question) -> Context:
    texts = question.row.option_text if question.row.question_type == CHOICE else ()
    return Context(
        options=len(question.options), form=question.row.question_type, texts=tuple(texts)
    )


def _item(task: str, question: Question, prompt: Prompt) -> Item:
    row = question.row
    asked = _ASKS.get(row.knowledge.knowledge_sub_type, "") + row.question_text
    if row.question_type == WORD:
        lines = ["The answer is one word: yes, no or unknown."]
    else:
        options = row.option_text or [
            f"the image option_{letter.lower()}" for letter in question.options
        ]
        lettered = zip(LETTERS, options, strict=False)
        lines = ["Options:", *(f"{letter}. {text}" for letter, text in lettered), ""]
        lines.append("The answer is the letter of the right option alone.")
    return Item(
        id=row.question_id,
        task=task,
        prompt=prompt.ask("\n".join([asked, *lines])),
        images=tuple(Image(name=name) for name in question.images),
        answer_format=AnswerFormat(
            kind=AnswerKind.LABEL if row.question_type == WORD else AnswerKind.CHOICE,
            example="no" if row.question_type == WORD else "B",
            options=question.options,
        ),
        tags={
            "knowledge_sub_type": question.sub_type,
            "os_type": row.os_type,
            "question_type": row.question_type,
            "prompt": prompt.name,
        },
    )
