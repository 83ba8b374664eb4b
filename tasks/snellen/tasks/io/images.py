"""Images that lie in a folder, read when they are asked for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from os.path import isfile
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple

from snellen.grading.errors import DataError

LFS_POINTER = b"version https://git-lfs"
"""What a file begins with that Git LFS has not fetched."""
PNG, _PNG_END = b"\x89PNG\r\n\x1a\n", b"IEND"


@dataclass(frozen=True, slots=True)
class ImageFiles:
    """The images of a split's items, as files: what `TaskData.load_image` takes.

    Attributes:
        folder: What the paths start from.
        paths: From an item's index and an image's name to where the file may be, the likeliest
            place first.
        field: What messages call the field that names an image.
    """

    folder: Path
    paths: Callable[[int, str], Sequence[str]]
    field: str | None = None

    def file(self, index: int, name: str) -> Path:
        """Return the file of an image: the first that is there, else the likeliest."""
        files = [self.folder / path for path in self.paths(index, name)]
        return next((file for file in files if isfile(file)), files[0])

    def read(self, index: int, name: str) -> bytes:
        """Return the bytes of an image's file, whatever they are.

        Raises:
            DataError: There is no such file, it can't be read, or it would lie outside the folder.
        """
        file, paths = self.file(index, name), self.paths(index, name)
        # What an agent is shown is sent to others.
        if not all(map(is_inside, paths)):
            raise self._error(f"{paths[0]!r} is not inside the folder of images", file)
        try:
            return file.read_bytes()
        except FileNotFoundError:
            raise self._error(f"there is no {' or '.join(paths)} in its folder", file) from None
        except (OSError, ValueError) as error:
            reason = (error.strerror if isinstance(error, OSError) else "") or str(error)
            raise self._error(f"can't be read: {reason}", file) from None

    def __call__(self, index: int, name: str) -> bytes:
        """Return the bytes of an image.

        Raises:
            DataError: What `read` raises, or it was not fetched, or only in part.
        """
        data = self.read(index, name)
        if fault := unfetched(data):
            raise self._error(fault, self.file(index, name))
        return data

    def _error(self, what: str, file: Path) -> DataError:
        return DataError(what, file=str(file), field=self.field)


def image_folder(folder: Path, holding: str) -> Path:
    """Return a folder of images.

    Args:
        folder: The folder.
        holding: What such a folder holds, for the message.

    Raises:
        DataError: There is none.
    """
    if not folder.is_dir():
        raise DataError(
            f"there is no such folder of images; give one that holds {holding}", file=str(folder)
        )
    return folder


def is_inside(path: str) -> bool:
    """Say whether a path leads from a folder to somewhere in it, the same on every system.

    >>> [is_inside(path) for path in ("a/b.png", "../b.png", "/b.png", "C:b.png")]
    [True, False, False, False]
    """
    parts = PurePosixPath(path).parts
    # Windows divides at a backslash, too, and what stands before a colon may be a drive.
    windows = "\\" in path or any(part[1:2] == ":" for part in parts)
    outside = path.startswith("/") or ".." in parts or windows or "\0" in path
    return bool(parts) and not outside


class PixelSize(NamedTuple):
    """How large an image is, in pixels."""

    width: int
    height: int


def size_of(file: Path | BinaryIO) -> PixelSize | None:
    """Return an image's size by its header; None if there is no file, or no image in it.

    Nothing is raised: whoever asks for the image gets what is wrong with it.
    """
    from PIL import Image

    try:
        with Image.open(file) as image:
            return PixelSize(image.width, image.height)
    except Exception:  # noqa: BLE001  # a decoder may raise anything on damaged bytes
        return None


def size_in(images: Callable[[int, str], bytes], index: int, name: str = "") -> PixelSize | None:
    """Return the size of one of a split's images; None where it is not there, or is none."""
    if isinstance(images, ImageFiles):
        # Of a file the header alone is read.
        return size_of(images.file(index, name))
    try:
        return size_of(BytesIO(images(index, name)))
    except DataError:
        return None


def unfetched(data: bytes) -> str:
    """Say how an image's bytes show that it was not fetched whole; nothing where they do not."""
    if not data:
        return "is empty; fetch it again"
    if data.startswith(LFS_POINTER):
        return "is a Git LFS pointer; run git lfs pull"
    # A PNG ends with the chunk IEND; what follows it in the file, viewers pass over.
    if data.startswith(PNG) and data.rfind(_PNG_END) < 0:
        return "was cut off; fetch it again"
    return ""
