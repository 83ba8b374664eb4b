"""RICO's screenshots in a folder: `{image_id}.jpg`, as RICO publishes them, or `.png`."""

from collections.abc import Callable, Sequence
from pathlib import Path

from snellen.grading.errors import DataError

_SUFFIXES = (".jpg", ".png")


def folder_images(folder: Path, image_ids: Sequence[str]) -> Callable[[int], bytes]:
    """Return what reads the screenshot of one question, by its index.

    Raises:
        DataError: There is no such folder; later, on reading: the screenshot is not in it.
    """
    if not folder.is_dir():
        raise DataError(
            "there is no such folder of images; give RICO's `combined` folder", file=str(folder)
        )

    def load(index: int) -> bytes:
        paths = [folder / f"{image_ids[index]}{suffix}" for suffix in _SUFFIXES]
        for path in paths:
            try:
                return path.read_bytes()
            except FileNotFoundError:
                continue
            except OSError as error:
                raise DataError(f"can't be read: {error.strerror}", file=str(path)) from None
        tried = " or ".join(path.name for path in paths)
        raise DataError(f"there is no {tried} in it", file=str(folder))

    return load
