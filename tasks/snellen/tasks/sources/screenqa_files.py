"""Find the files of one ScreenQA split in whatever a user points at."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from snellen.grading.errors import DataError, UnknownNameError
from snellen.tasks.sources.screenqa_rows import LAYOUTS, Layout

DEFAULT_SPLIT = "test"

_PART = re.compile(r"^(?P<split>.+)-(?P<part>\d{5})-of-(?P<parts>\d{5})$")


@dataclass(frozen=True, slots=True)
class SplitFiles:
    """The files of one split, in order: one JSON file, or the parts of a parquet split."""

    split: str
    paths: tuple[Path, ...]

    @property
    def parquet(self) -> bool:
        """Whether they are parquet files."""
        return self.paths[0].suffix == ".parquet"

    @property
    def name(self) -> str:
        """The file; of several, the first."""
        return str(self.paths[0])


def find(layout: Layout, path: Path, split: str | None) -> SplitFiles:
    """Find one split's files.

    Args:
        layout: What the task reads.
        path: The repository's folder, its sub-folder, a mirror's folder, or one file.
        split: The split's name: a file's stem, or what precedes `-00000-of-00001`. None: `test`
            when there, else the only one.

    Raises:
        DataError: Nothing is there, the split is open, or one of its parts is missing.
        UnknownNameError: There is no such split.
    """
    if not path.exists():
        raise DataError(
            f"there is no such file or folder; give a copy of screen_qa, or {layout.mirror}",
            file=str(path),
        )
    found = _by_split(_files(layout, path))
    if not found:
        raise DataError(
            f"there is no {layout.folder}/*.json and no data/*.parquet in it", file=str(path)
        )
    files = _choose(found, split, path)
    _complete(files)
    return files


def _files(layout: Layout, path: Path) -> list[Path]:
    if path.is_file():
        _refuse_other(layout, path.resolve().parent)
        return [path]
    own = path / layout.folder
    if own.is_dir():
        return sorted(own.glob("*.json"))
    parquet = sorted(path.glob("data/*.parquet")) or sorted(path.glob("*.parquet"))
    if parquet:
        return parquet
    _refuse_other(layout, path.resolve())
    return sorted(path.glob("*.json"))


def _refuse_other(layout: Layout, folder: Path) -> None:
    """Refuse another task's folder: ComplexQA's files, say, would pass for short answers."""
    if folder.name != layout.folder and folder.name in {other.folder for other in LAYOUTS}:
        raise DataError(f"this task reads {layout.folder}, not {folder.name}", file=str(folder))


def _by_split(paths: Iterable[Path]) -> dict[str, SplitFiles]:
    found: dict[str, tuple[Path, ...]] = {}
    for path in paths:
        if path.suffix not in (".json", ".parquet"):
            raise DataError("expected a .json or a .parquet file", file=str(path))
        match = _PART.match(path.stem) if path.suffix == ".parquet" else None
        split = match["split"] if match else path.stem
        found[split] = (*found.get(split, ()), path)
    return {split: SplitFiles(split, parts) for split, parts in found.items()}


def _choose(found: dict[str, SplitFiles], split: str | None, path: Path) -> SplitFiles:
    if split is not None:
        if split not in found:
            raise UnknownNameError("split", split, found)
        return found[split]
    if DEFAULT_SPLIT in found:
        return found[DEFAULT_SPLIT]
    if len(found) > 1:
        raise DataError(f"give split=, one of: {', '.join(found)}", file=str(path))
    return next(iter(found.values()))


def _complete(files: SplitFiles) -> None:
    matches = [_PART.match(path.stem) for path in files.paths] if files.parquet else []
    numbers = [(int(match["part"]), int(match["parts"])) for match in matches if match]
    if not numbers:
        return
    parts = numbers[0][1]
    if numbers == [(part, parts) for part in range(parts)]:
        return
    raise DataError(
        f"the split {files.split!r} has {parts} parts, and here are only "
        f"{', '.join(path.name for path in files.paths)}; an image's questions can run on into "
        f"the next part, so give a folder with all of them (or rename one to grade it alone)",
        file=files.name,
    )
