"""What is wrong with the images that a task's items show.

Pillow is imported when an image is first looked at.
"""

import io
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

from snellen.grading.errors import DataError
from snellen.grading.models.items import Image
from snellen.tasks.io.images import PNG, ImageFiles, unfetched
from snellen.tasks.models import TaskData

Load: TypeAlias = Callable[[int, str], bytes]
"""The bytes of an image, by its item's index and its name."""


class ImageProblem(StrEnum):
    """What can be wrong with an image."""

    MISSING = "missing"
    """Its bytes can't be had: no such file, an unreadable one, or none in the row."""
    NO_IMAGE = "no image"
    """The bytes are no image."""
    DAMAGED = "damaged"
    """It is an image that can't be decoded to its end."""
    TOO_LARGE = "too large"
    """It would unfold to more pixels than Pillow takes for harmless; it was not decoded."""
    OTHER_SIZE = "other size"
    """It has another size than the data says, so that coordinates would not fit."""


@dataclass(frozen=True, slots=True)
class ImageFault:
    """One image that can't be shown, or not as the data says."""

    item: str  # the id of the first item that shows it
    image: str  # what that item calls it
    problem: ImageProblem  # what is wrong
    message: str  # the same in a sentence, with what to do
    file: str | None  # its file; the file or the folder of the data where that holds the images
    items: int = 1  # how many items show it


def image_faults(data: TaskData, *, decode: bool = True) -> Iterator[ImageFault]:
    """Look at the images of all items, and yield what is wrong, in the order of the items.

    A file that several items show is looked at once. No more than two images are held at a time,
    beside one row group where the data is parquet.
    A JPEG whose middle is damaged can pass: its decoder makes pixels of anything.

    Args:
        data: A split of any task.
        decode: Whether to decode every image whole, which takes up to a quarter of a second each;
            else only their headers are read, which finds what is missing, what is no image, and
            sizes.

    Raises:
        DataError: The items show images and the data came without.
    """
    if data.load_image is not None:
        return _faults(data, data.load_image, decode)
    if any(data.build_item(index).images for index in range(len(data))):
        raise DataError(f"{data.task} was loaded without images; give images=FOLDER")
    return iter(())


class _Finding(NamedTuple):
    problem: ImageProblem
    message: str


@dataclass(slots=True)
class _ImageUse:
    """An image, the first item that shows it, and how many do."""

    index: int
    image: Image
    file: Path | None = None
    items: int = 1


def _faults(data: TaskData, load: Load, decode: bool) -> Iterator[ImageFault]:
    # What was fetched in part is distinguished from what is not there.
    read = load.read if isinstance(load, ImageFiles) else load
    # Questions on one screenshot follow one another, and some data repeats its bytes for each.
    look = lru_cache(maxsize=1)(_look)
    for shown in _shown(data, load):
        image, held_in = shown.image, shown.file or data.pin.path
        try:
            found = look(read(shown.index, image.name), image.width, image.height, decode)
        except DataError as error:
            found = _Finding(ImageProblem.MISSING, error.message)
            held_in = error.file or held_in
        if found:
            file = None if held_in is None else str(held_in)
            yield ImageFault(data.ids[shown.index], image.name, *found, file, shown.items)


def _shown(data: TaskData, load: Load) -> Iterable[_ImageUse]:
    """Return what the items show, each file once for each size that items say it has."""
    items = ((index, data.build_item(index).images) for index in range(len(data)))
    if not isinstance(load, ImageFiles):
        return (_ImageUse(index, image) for index, images in items for image in images)
    shown: dict[tuple[Path, int | None, int | None], _ImageUse] = {}
    for index, images in items:
        by_key = {(load.file(index, one.name), one.width, one.height): one for one in images}
        for key, image in by_key.items():
            if key in shown:
                shown[key].items += 1
            else:
                shown[key] = _ImageUse(index, image, key[0])
    return shown.values()


def _look(data: bytes, width: int | None, height: int | None, decode: bool) -> _Finding | None:
    """Return what is wrong with an image's bytes, given the size that it should have."""
    from PIL import Image as Pillow
    from PIL import UnidentifiedImageError

    if fault := unfetched(data):
        problem = ImageProblem.DAMAGED if data.startswith(PNG) else ImageProblem.NO_IMAGE
        return _Finding(problem, f"it {fault}")
    try:
        with warnings.catch_warnings():
            # Oddities that are none of ours, and long pages, which Pillow warns of by their size.
            warnings.simplefilter("ignore")
            with Pillow.open(io.BytesIO(data)) as image:
                size = image.size
                if decode:
                    image.load()
            if decode:
                # Checksums are read by this alone, and it leaves nothing to be loaded.
                with Pillow.open(io.BytesIO(data)) as image:
                    image.verify()
    except UnidentifiedImageError:
        what = f"these {len(data):,} bytes are no image that Pillow knows; fetch it again"
        return _Finding(ImageProblem.NO_IMAGE, what)
    except Pillow.DecompressionBombError as error:
        return _Finding(ImageProblem.TOO_LARGE, f"it was not decoded: {error}")
    except Exception as error:  # noqa: BLE001  # a decoder may raise anything on damaged bytes
        return _Finding(ImageProblem.DAMAGED, f"it can't be decoded: {error}; fetch it again")
    if (width, height) in ((None, None), size):
        return None
    what = f"it is {size[0]} x {size[1]} pixels, and the data says {width} x {height}"
    return _Finding(ImageProblem.OTHER_SIZE, what)
