"""The files of one split among those that a user points at."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from snellen.grading.errors import DataError, UnknownNameError
from snellen.tasks.data.pins import GZIP

DEFAULT_SPLIT = "test"
DATA = (".json", ".jsonl", ".csv", ".parquet")
"""How the names of files of rows end; each may be compressed and end with `.gz` after it."""

_PART = re.compile(r"^(?P<name>.+)-(?P<part>\d{5})-of-(?P<parts>\d{5})$")
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class SplitFiles:
    """The files of one split, in order: one of JSON, or the parts of a parquet split."""

    split: str
    paths: tuple[Path, ...]

    @property
    def parquet(self) -> bool:
        """Whether they are parquet files."""
        return format_of(self.paths[0]) == ".parquet"

    @property
    def name(self) -> str:
        """The file; of several, the folder that they are in."""
        return str(self.paths[0] if len(self.paths) == 1 else self.paths[0].parent)


def checked(path: Path, give: str) -> Path:
    """Return a path that is there.

    Raises:
        DataError: It is not; the message says what to give.
    """
    if not path.exists():
        raise DataError(f"there is no such file or folder; give {give}", file=str(path))
    return path


def contents(folder: Path) -> str:
    """Say what a folder holds, for the message that it is not what was looked for."""
    names = sorted(entry.name for entry in folder.iterdir())
    more = ", ..." if len(names) > _SHOWN else ""
    return f"it holds {', '.join(names[:_SHOWN])}{more}" if names else "it is empty"


def stem_of(file: Path) -> str:
    """Return a file's name without its ending, and without the number of its part.

    >>> stem_of(Path("test-00000-of-00002.parquet")), stem_of(Path("webqa.json"))
    ('test', 'webqa')
    """
    stem = file.name.removesuffix(GZIP).removesuffix(format_of(file))
    part = _PART.match(stem) if format_of(file) == ".parquet" else None
    return part["name"] if part else stem


def format_of(file: Path) -> str:
    """Return how a file's name ends, without the ending of what is compressed.

    >>> format_of(Path("data.csv.gz")), format_of(Path("data.json"))
    ('.csv', '.json')
    """
    return Path(file.name.removesuffix(GZIP)).suffix


def find_parquet(path: Path, split: str | None, published: str) -> SplitFiles:
    """Return one split's parquet files, as a hub's repository has them: here or in `data`.

    Args:
        path: The repository's folder, its folder `data`, or one file.
        split: The split's name; None: `test` when there, else the only one.
        published: The repository, for the message that nothing is there.

    Raises:
        DataError: Nothing is there, the split is open, or one of its parts is missing.
        UnknownNameError: There is no such split.
    """
    files = find_files(path, ("data/*.parquet", "*.parquet"), published)
    return choose(by_split(files), split, path)


def find_files(path: Path, patterns: Sequence[str], published: str) -> list[Path]:
    """Return a file, or those of a folder that the first of some patterns finds there.

    Args:
        path: A folder or a file.
        patterns: Patterns below the folder; a file may be compressed (`.gz`).
        published: The repository, for the message that nothing is there.

    Raises:
        DataError: Nothing is there.
    """
    checked(path, f"a copy of {published}")
    if path.is_file():
        return [path]
    for pattern in patterns:
        if files := sorted(path.glob(pattern)) or sorted(path.glob(pattern + GZIP)):
            return files
    raise DataError(
        f"there is no {patterns[0]} in it ({contents(path)}); give a copy of {published}",
        file=str(path),
    )


def by_split(files: Iterable[Path]) -> dict[str, SplitFiles]:
    """Return files by the splits that they are named after."""
    found: dict[str, tuple[Path, ...]] = {}
    for file in files:
        found[stem_of(file)] = (*found.get(stem_of(file), ()), file)
    return {split: SplitFiles(split, parts) for split, parts in found.items()}


def choose(found: Mapping[str, SplitFiles], split: str | None, path: Path) -> SplitFiles:
    """Return one split's files.

    Args:
        found: Files by split.
        split: The split's name; None: `test` when there, else the only one.
        path: Where they were found.

    Raises:
        DataError: The split is open or there twice, or one of its parts is missing.
        UnknownNameError: There is no such split.
    """
    if split is not None and split not in found:
        raise UnknownNameError("split", split, found)
    files = found[default_split(found, path) if split is None else split]
    _check_parts(files)
    return files


def default_split(known: Collection[str], path: Path) -> str:
    """Return `test` when there, else the only split.

    Raises:
        DataError: There are several others.
    """
    if DEFAULT_SPLIT in known:
        return DEFAULT_SPLIT
    if len(known) > 1:
        raise DataError(f"give split=, one of: {', '.join(known)}", file=str(path))
    return next(iter(known))


def _check_parts(files: SplitFiles) -> None:
    names = ", ".join(path.name for path in files.paths)
    stems = [path.name.removesuffix(GZIP).removesuffix(".parquet") for path in files.paths]
    parts = [_PART.match(stem) if files.parquet else None for stem in stems]
    numbers = [(int(part["part"]), int(part["parts"])) for part in parts if part]
    if len(parts) > 1 and len(numbers) < len(parts):
        raise DataError(
            f"the split {files.split!r} is there more than once: {names}; give one of them",
            file=files.name,
        )
    if not numbers or numbers == [(part, numbers[0][1]) for part in range(numbers[0][1])]:
        return
    raise DataError(
        f"the split {files.split!r} has {numbers[0][1]} parts, and here are only {names}; what is"
        " asked of an image may run on into the next part, so give a folder with all of them (or"
        " rename one to grade it alone)",
        file=files.name,
    )
