"""Find the files of one VisualWebBench configuration in whatever a user points at."""

from collections.abc import Iterable
from pathlib import Path

from snellen.grading.errors import DataError
from snellen.tasks.benchmarks.visualwebbench.release import CONFIGS
from snellen.tasks.io.files import (
    DEFAULT_SPLIT,
    SplitFiles,
    by_split,
    checked,
    choose,
    contents,
    stem_of,
)

_SUFFIXES = (".parquet", ".json", ".jsonl")
_PUBLISHED = "visualwebbench/VisualWebBench"


def find(config: str, path: Path, split: str | None) -> SplitFiles:
    """Find one split's files.

    Args:
        config: The configuration, such as `web_caption`.
        path: A folder of configurations, the folder of one, a folder with one file or one set of
            parts a configuration (`web_caption.parquet`), or one file.
        split: The split's name; None: `test` when there, else the only one. A file named after
            its configuration is the split `test`.

    Raises:
        DataError: Nothing is there, the split is open or twice there, or a part is missing.
        UnknownNameError: There is no such split.
    """
    found = _files(config, checked(path, f"a copy of {_PUBLISHED}"))
    if not found:
        raise DataError(
            f"there is no {config}/*.parquet, {config}/*.json or {config}/*.jsonl in it, and no"
            f" {config}.parquet, .json or .jsonl ({contents(path)}); give a copy of {_PUBLISHED}",
            file=str(path),
        )
    return choose(found, split, path)


def _files(config: str, path: Path) -> dict[str, SplitFiles]:
    if path.is_file():
        if path.suffix not in _SUFFIXES:
            raise DataError("expected a .parquet, .json or .jsonl file", file=str(path))
        name = DEFAULT_SPLIT if stem_of(path) in CONFIGS else stem_of(path)
        return {name: SplitFiles(name, (path,))}
    # The name as given: in a hub cache the files themselves are links to elsewhere.
    here = path.absolute().name
    if (path / config).is_dir():
        return by_split(_data_files(path / config))
    if here != config and here in CONFIGS:
        raise DataError(f"this task reads {config}, not {here}", file=str(path))
    if here == config:
        return by_split(_data_files(path))
    named = tuple(file for file in _data_files(path) if stem_of(file) == config)
    return {DEFAULT_SPLIT: SplitFiles(DEFAULT_SPLIT, named)} if named else {}


def _data_files(folder: Path) -> Iterable[Path]:
    return sorted(file for file in folder.iterdir() if file.suffix in _SUFFIXES and file.is_file())
