"""RICO's screenshots in a folder: `{image_id}.jpg`, as RICO publishes them, or `.png`."""

from collections.abc import Sequence
from pathlib import Path

from snellen.tasks.io.images import ImageFiles, image_folder


def rico_images(folder: Path, image_ids: Sequence[str]) -> ImageFiles:
    """Return what reads the screenshots of questions.

    Raises:
        DataError: There is no such folder.
    """

    def paths(index: int, _: str) -> Sequence[str]:
        return [f"{image_ids[index]}{suffix}" for suffix in (".jpg", ".png")]

    return ImageFiles(image_folder(folder, "RICO's screenshots (`combined`)"), paths)
