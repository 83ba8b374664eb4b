"""By what ScreenQA's files are recognized: the names of their folders, and the form of a row."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

from snellen.tasks.benchmarks.screenqa.format import COMPLEX, SHORT
from snellen.tasks.benchmarks.screenqa.load import TASKS
from snellen.tasks.io.files import stem_of


def in_folder(path: Path) -> Iterator[str]:
    """Yield the tasks whose folder of the repository this is, or is in this."""
    for task, spec in TASKS.items():
        folder = spec.layout.folder
        own = path.absolute().name == folder and any(path.glob("*.json"))
        if own or any((path / folder).glob("*.json")):
            yield task


def by_name(path: Path) -> list[str]:
    """Return the tasks that a file's folder, else its own name, is of."""
    for name in (path.absolute().parent.name, stem_of(path)):
        if found := [task for task, spec in TASKS.items() if spec.layout.folder == name]:
            return found
    return []


def by_row(_: Path, row: Mapping[str, object]) -> list[str]:
    """Return the tasks that can be of a row: nested references are not those of short answers."""
    if "format" in row or not {"question", "ground_truth"} <= row.keys():
        return []
    nested = _holds_objects(row["ground_truth"])
    return [
        task
        for task, spec in TASKS.items()
        if spec.layout is not COMPLEX and (spec.layout is SHORT) != nested
    ]


def _holds_objects(value: object) -> bool:
    if isinstance(value, list):
        return any(isinstance(one, dict) for one in cast("list[object]", value))
    return "struct" in str(value)
