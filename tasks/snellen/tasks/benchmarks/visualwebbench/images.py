"""VisualWebBench's screenshots in a folder."""

from collections.abc import Sequence
from pathlib import Path

from snellen.tasks.benchmarks.visualwebbench.format import Row
from snellen.tasks.io.images import ImageFiles, image_folder

_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")


def folder_images(folder: Path, column: str, rows: Sequence[Row]) -> ImageFiles:
    """Return what reads the screenshots of rows.

    A row that names its image's file is given that one; of the others, `column/id.png` (or .jpg,
    .jpeg, .webp) is looked for.

    Args:
        folder: Where the images are.
        column: `image`, or `raw_image` for screenshots without marks.
        rows: The rows.

    Raises:
        DataError: There is no such folder.
    """

    def paths(index: int, _: str) -> Sequence[str]:
        row = rows[index]
        given: str | None = getattr(row, column)
        return [given] if given else [f"{column}/{row.id}{suffix}" for suffix in _SUFFIXES]

    return ImageFiles(image_folder(folder, f"{column}/ID.png"), paths, column)
