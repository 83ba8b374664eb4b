"""By what VisualWebBench's files are recognized: the names of its configurations."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from snellen.tasks.benchmarks.visualwebbench.load import TASKS
from snellen.tasks.io.files import DATA, stem_of


def in_folder(path: Path) -> Iterator[str]:
    """Yield the tasks whose configuration's files lie here or in its folder."""
    here = path.absolute().name
    names = {stem_of(file) for file in path.iterdir() if file.suffix in DATA}
    for task, spec in TASKS.items():
        config = spec.layout.config
        below = path if here == config else path / config
        if config in names or (below.is_dir() and _any_data(below)):
            yield task


def by_name(path: Path) -> list[str]:
    """Return the tasks whose configuration a file's folder, else its own name, is of."""
    return _of(path.absolute().parent.name) or _of(stem_of(path))


def by_row(_: Path, row: Mapping[str, object]) -> list[str]:
    """Return the tasks of the configuration that a row says it is of."""
    return _of(str(row.get("task_type", "")))


def _of(config: str) -> list[str]:
    return [task for task, spec in TASKS.items() if spec.layout.config == config]


def _any_data(folder: Path) -> bool:
    return any(file.suffix in DATA for file in folder.iterdir())
