"""The images of a pack: each is copied once and decoded, so that none fails during an exam.

Pillow is imported when the first image is read.
"""

import io
import os
import struct
import warnings
import zlib
from collections import deque
from collections.abc import Generator, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple

from snellen.grading.errors import DataError
from snellen.tasks.pack.format import PackImage
from snellen.tasks.views import view

if TYPE_CHECKING:
    from PIL.Image import Image

_ENDINGS = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp", "image/gif": "gif"}
_THREADS = max(1, min(4, os.cpu_count() or 1))
# Decoding further ahead would only keep more images in memory.
_AHEAD = 2 * _THREADS
# The errors of Pillow's decoders for damaged bytes.
_DAMAGE = (
    OSError,
    SyntaxError,
    ValueError,
    EOFError,
    ArithmeticError,
    LookupError,
    struct.error,
    zlib.error,
)


class DamagedImage(NamedTuple):
    """An image that can't be decoded completely."""

    name: str
    message: str


class Decoder:
    """Decodes images on a few threads, in parallel to reading them, and reports damaged ones."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_THREADS, "decode")
        self._waiting: deque[tuple[str, Future[str | None]]] = deque()

    def __enter__(self) -> "Decoder":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def add(self, name: str, data: bytes) -> Iterator[DamagedImage]:
        """Add an image; yield the earlier ones that are damaged."""
        try:
            with _quiet():
                pixels, checksums = _open(data), _open(data)
        except _DAMAGE as error:
            yield DamagedImage(name, f"it can't be read as an image: {error}")
            return
        self._waiting.append((name, self._pool.submit(_fault, pixels, checksums)))
        yield from self._done(_AHEAD)

    def rest(self) -> Iterator[DamagedImage]:
        """Wait for all images; yield those that are damaged."""
        yield from self._done(0)

    def _done(self, kept: int) -> Iterator[DamagedImage]:
        while len(self._waiting) > kept:
            name, result = self._waiting.popleft()
            if message := result.result():
                yield DamagedImage(name, message)


@dataclass(frozen=True, slots=True)
class StoredImage:
    """An image in the pack, and its size in pixels."""

    image: PackImage
    width: int
    height: int


class ImageStore:
    """Copies images into a folder, each once even if several items show it."""

    def __init__(self, folder: Path, decoder: Decoder) -> None:
        self._folder = folder
        self._decoder = decoder
        self._kept: dict[str, StoredImage] = {}
        self._bytes: dict[str, int] = {}

    @property
    def files(self) -> Mapping[str, int]:
        """The written files, with their sizes in bytes."""
        return self._bytes

    def add(self, data: bytes, label: str) -> StoredImage:
        """Copy an image.

        Args:
            data: Its bytes.
            label: The name of the image in messages.

        Raises:
            DataError: The bytes are not an image, or an earlier image is damaged.
        """
        digest = sha256(data).hexdigest()
        if digest not in self._kept:
            try:
                # Formats that clients can't show (BMP, TIFF) are stored as PNG, which is lossless.
                seen = view(data)
            except DataError as error:
                raise DataError(f"{label}: {error.message}") from None
            _refuse(self._decoder.add(label, seen.data))
            kept = digest if seen.data is data else sha256(seen.data).hexdigest()
            name = f"{kept[:2]}/{kept[2:34]}.{_ENDINGS[seen.media_type]}"
            if name not in self._bytes:
                target = self._folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(seen.data)
                self._bytes[name] = len(seen.data)
            image = PackImage(file=name, sha256=kept, bytes=len(seen.data))
            self._kept[digest] = StoredImage(image, seen.width, seen.height)
        return self._kept[digest]

    def finish(self) -> None:
        """Wait until every image is decoded.

        Raises:
            DataError: An image is damaged.
        """
        _refuse(self._decoder.rest())


def size_of(data: bytes) -> tuple[int, int] | None:
    """Return an image's width and height in pixels; None if it is not an image."""
    try:
        with _quiet(), _open(data) as image:
            return image.size
    except _DAMAGE:
        return None


def _refuse(damaged: Iterator[DamagedImage]) -> None:
    for image in damaged:
        raise DataError(f"{image.name}: {image.message}")


def _fault(pixels: "Image", checksums: "Image") -> str | None:
    """Decode an image; return its fault, if any."""
    try:
        with pixels:
            if pixels.format == "JPEG":
                # A reduced picture needs all the bytes as well, in a third of the time.
                pixels.draft(pixels.mode, (pixels.width // 8, pixels.height // 8))
            pixels.load()
        with checksums:
            # Only this reads checksums, and afterwards nothing can be loaded.
            checksums.verify()
    except _DAMAGE as error:
        return f"the image is damaged: {error}"
    return None


def _open(data: bytes) -> "Image":
    from PIL import Image, UnidentifiedImageError

    try:
        return Image.open(io.BytesIO(data))
    except UnidentifiedImageError:
        raise ValueError("Pillow does not know its format") from None
    except Image.DecompressionBombError as error:
        raise ValueError(str(error)) from None


@contextmanager
def _quiet() -> Generator[None]:
    """Suppress warnings about unusual images and Pillow's warning about long pages.

    Must not run on several threads at once: warning filters belong to the process.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
