"""Two exams of every task that differ in gold alone, made of published data that does."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from miniatures import twin

from snellen.grading.models.items import AnswerKind
from snellen.grading.protocols.base import NO_CONTEXT
from snellen.grading.protocols.golds import sized
from snellen.grading.protocols.names import OWN
from snellen.grading.protocols.table import gold_shape, protocol_of
from snellen.tasks.benchmarks.table import TASKS, load_task
from snellen.tasks.models import TaskData
from snellen.tasks.pack.seal import write_key
from snellen.tasks.pack.write import Part, write_pack


@dataclass(frozen=True)
class ExamFiles:
    """An exam on disk.

    Attributes:
        packs: Its packs, sealed.
        key: The file of their key.
        markers: Every text that a reference of it holds.
        right: Task to `key_of` a prompt to an answer that is right.
        data: The published data that it was made of, by task.
    """

    packs: Sequence[Path]
    key: Path
    markers: Sequence[str]
    right: Mapping[str, Mapping[str, Any]]
    data: Mapping[str, TaskData]


def key_of(prompt: str) -> str:
    """Return what is the same of a prompt in whatever order its options stand."""
    return "".join(sorted(prompt))


def make(folder: Path, which: int) -> ExamFiles:
    """Make one of the two exams from its published data, sealed."""
    markers: list[str] = []
    for benchmark in OWN:
        markers += twin(benchmark, folder / "data" / benchmark, which)
    # What is played in a browser is answered here by its record, as any other item;
    # tests/server/episodes and plugins/worlds/tests/served have the proof for what is acted in.
    loaded = {task: replace(load(task, folder / "data"), worlds=()) for task in TASKS}
    key = folder / "exam.key"
    words = write_key(key)
    parts = [Part(data) for data in loaded.values()]
    screens = [part for part in parts if part.data.task.startswith("screen")]
    pages = [part for part in parts if part not in screens]
    write_pack(screens, folder / "screens", name="screens", key=words)
    write_pack(pages, folder / "pages", name="pages", key=words)
    right: dict[str, dict[str, Any]] = {}
    for task, data in loaded.items():
        found = right.setdefault(task, {})
        for item in data.ids:
            found[key_of(data.item(item).prompt)] = said_of(data, item)
    return ExamFiles([folder / "screens", folder / "pages"], key, markers, right, loaded)


def load(task: str, data: Path) -> TaskData:
    """Load a task of the published data."""
    # What is asked of a text is the answer to where it is.
    folder = data / {"cagui/bbox2text": "cagui/texts"}.get(task, task.partition("/")[0])
    images = {"screenqa": folder / "images", "visualwebbench": folder}.get(folder.name)
    return load_task(task, folder, images=images)


def said_of(loaded: TaskData, item: str) -> Any:
    """Return an answer that is right."""
    asked = loaded.item(item).answer_format
    place = loaded.index[item]
    gold, context = loaded.golds[place], loaded.contexts[place] if loaded.contexts else NO_CONTEXT
    write = protocol_of(loaded.task).write or gold_shape(loaded.task).responses
    answer = next(iter(write(sized(gold, context))))
    if asked.kind is AnswerKind.CHOICE and "A" not in asked.options:
        return {"option": asked.options["ABCDEFGH".index(str(answer))]}
    return answer


@pytest.fixture(scope="session")
def exams(tmp_path_factory: pytest.TempPathFactory) -> Sequence[ExamFiles]:
    """Return two exams that differ in gold alone."""
    folder = tmp_path_factory.mktemp("custody")
    return [make(folder / name, which) for which, name in enumerate(("one", "other"))]
