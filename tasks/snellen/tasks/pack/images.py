"""The images of a pack: copied once each, and decoded, so that none fails in the middle of an exam.

Pillow is imported when an image is first looked at.
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
# Decoding ahead of these would only hold more images in memory.
_AHEAD = 2 * _THREADS
# What Pillow's decoders raise on damaged bytes.
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


class Damaged(NamedTuple):
    """An image that can't be decoded to its end."""

    name: str
    message: str


class Decoder:
    """Decodes images on a few threads, beside whoever reads them, and tells which are damaged."""

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

    def add(self, name: str, data: bytes) -> Iterator[Damaged]:
        """Take an image; yield those of the earlier ones that turned out damaged."""
        try:
            with _quiet():
                pixels, checksums = _open(data), _open(data)
        except _DAMAGE as error:
            yield Damaged(name, f"it is no image that can be read: {error}")
            return
        self._waiting.append((name, self._pool.submit(_fault, pixels, checksums)))
        yield from self._done(_AHEAD)

    def rest(self) -> Iterator[Damaged]:
        """Wait for all that were taken; yield those that turned out damaged."""
        yield from self._done(0)

    def _done(self, kept: int) -> Iterator[Damaged]:
        while len(self._waiting) > kept:
            name, found = self._waiting.popleft()
            if message := found.result():
                yield Damaged(name, message)


@dataclass(frozen=True, slots=True)
class Kept:
    """An image in the pack, and its size in pixels."""

    image: PackImage
    width: int
    height: int


class ImageStore:
    """Copies images into a folder, each once however many items show it."""

    def __init__(self, folder: Path, decoder: Decoder) -> None:
        self._folder = folder
        self._decoder = decoder
        self._kept: dict[str, Kept] = {}
        self._bytes: dict[str, int] = {}

    @property
    def files(self) -> Mapping[str, int]:
        """The files that were written, with their bytes."""
        return self._bytes

    def add(self, data: bytes, label: str) -> Kept:
        """Copy an image.

        Args:
            data: Its bytes.
            label: What messages call it.

        Raises:
            DataError: The bytes are no image; or an earlier one's turned out damaged.
        """
        digest = sha256(data).hexdigest()
        if digest not in self._kept:
            try:
                # What no client shows (BMP, TIFF) goes in as PNG, which loses nothing.
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
            self._kept[digest] = Kept(image, seen.width, seen.height)
        return self._kept[digest]

    def finish(self) -> None:
        """Wait until every image was decoded.

        Raises:
            DataError: One is damaged.
        """
        _refuse(self._decoder.rest())


def size_of(data: bytes) -> tuple[int, int] | None:
    """Return an image's width and height in pixels; None where it is none."""
    try:
        with _quiet(), _open(data) as image:
            return image.size
    except _DAMAGE:
        return None


def _refuse(damaged: Iterator[Damaged]) -> None:
    for one in damaged:
        raise DataError(f"{one.name}: {one.message}")


def _fault(pixels: "Image", checksums: "Image") -> str | None:
    """Decode an image; return what is wrong with it."""
    try:
        with pixels:
            if pixels.format == "JPEG":
                # A small picture is made of all the bytes, too, in a third of the time.
                pixels.draft(pixels.mode, (pixels.width // 8, pixels.height // 8))
            pixels.load()
        with checksums:
            # Checksums are read by this alone, and it leaves nothing to be loaded.
            checksums.verify()
    except _DAMAGE as error:
        return f"the image is damaged: {error}"
    return None


def _open(data: bytes) -> "Image":
    from PIL import Image, UnidentifiedImageError

    try:
        return Image.open(io.BytesIO(data))
    except UnidentifiedImageError:
        raise ValueError("no format that Pillow knows") from None
    except Image.DecompressionBombError as error:
        raise ValueError(str(error)) from None


@contextmanager
def _quiet() -> Generator[None]:
    """Keep back oddities that are none of ours, and what Pillow says of long pages.

    Not for use on several threads at once: warnings are the process's.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
