"""MMBench-GUI's screenshots in a folder: `offline_images/{platform}/{file}`."""

from collections.abc import Sequence
from pathlib import Path

from snellen.grading.protocols.mmbench_gui_online import PLATFORMS
from snellen.tasks.benchmarks.mmbench_gui.files import FOLDER
from snellen.tasks.benchmarks.mmbench_gui.format import Element, Question
from snellen.tasks.io.images import ImageFiles, image_folder

# The archive unpacks to the last one; the published loaders look for the first.
_BELOW = (
    "",
    "offline_images",
    f"{FOLDER}/offline_images",
    f"{FOLDER}-OfflineImages/offline_images",
)


def screenshots(
    annotations: Path, images: Path | None, rows: Sequence[Question | Element]
) -> ImageFiles | None:
    """Return what reads the screenshots of rows; None where there is no folder of images.

    Args:
        annotations: The file of annotations; images are looked for beside it.
        images: The folder that a caller means instead: it, or one below.
        rows: The rows.

    Raises:
        DataError: There is no such folder.
    """
    if images is None:
        root = _root(annotations.parent)
    else:
        root = _root(image_folder(images, "os_windows, os_mac, ...")) or images
    if root is None:
        return None

    def paths(index: int, _: str) -> Sequence[str]:
        return [rows[index].shot.path]

    return ImageFiles(root, paths, "image_path")


def _root(folder: Path) -> Path | None:
    for below in _BELOW:
        root = folder / below
        if any((root / platform).is_dir() for platform in PLATFORMS):
            return root
    return None
