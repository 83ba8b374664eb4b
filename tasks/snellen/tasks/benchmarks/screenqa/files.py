"""Find the files of one ScreenQA split in whatever a user points at."""

from pathlib import Path

from snellen.grading.errors import DataError
from snellen.tasks.benchmarks.screenqa.format import LAYOUTS, Layout
from snellen.tasks.io.files import SplitFiles, by_split, checked, choose


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
    found = by_split(_files(layout, checked(path, f"a copy of screen_qa, or {layout.mirror}")))
    if not found:
        raise DataError(
            f"there is no {layout.folder}/*.json and no data/*.parquet in it", file=str(path)
        )
    return choose(found, split, path)


def _files(layout: Layout, path: Path) -> list[Path]:
    if path.is_file():
        _refuse_other(layout, path.resolve().parent)
        if path.suffix not in (".json", ".parquet"):
            raise DataError("expected a .json or a .parquet file", file=str(path))
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
