"""A pack of several forms of answers, and its tasks with references."""

from collections.abc import Callable
from pathlib import Path

import pytest

from snellen.tasks.models import TaskData
from snellen.tasks.pack.read import Pack, open_pack, open_references, task_data
from snellen.tasks.samples import exam_folder


@pytest.fixture(scope="session")
def exam() -> Pack:
    """Return the exam of the demonstration, which has every form of answer."""
    return open_pack(exam_folder("sample-full"))


@pytest.fixture(scope="session")
def data_of(exam: Pack) -> Callable[[str], TaskData]:
    """Return a function that loads a task of it with its references."""
    references = open_references(exam)
    return lambda task: task_data(exam, references, task)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return where a new pack is written."""
    return tmp_path / "new"
