"""RapidOCR as a reader, and its results on disk, by the image's digest.

Its wheel contains its models: nothing is downloaded, and no data leaves the machine. They read
Latin scripts, Chinese and Japanese, but not Arabic or Devanagari.
"""

import os
import secrets
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

import msgspec
import numpy as np

from snellen.demo.ocr.pictures import Box, Picture, Pixels, PlainNotes, Reader, Reading
from snellen.grading.errors import MissingExtraError

EXTRA = "demo"
"""The extra that installs RapidOCR and onnxruntime."""

# One line per run of the model and no additional threads need the least work in total; two images
# at the same time keep two cores busy. Short lines need no padding to 320 columns.
_SETTINGS: dict[str, Any] = {
    "Global.log_level": "critical",
    "Global.max_side_len": 4000,
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
    "Det.limit_side_len": 64,
    "Rec.rec_batch_num": 1,
    "Rec.rec_img_shape": [3, 48, 64],
}
_LEAST = 4
# An exam asks about a page repeatedly, but not consecutively, so many lines are cached.
_REMEMBERED = 4096


class RapidReader:
    """RapidOCR: a detector of lines and a recognizer. Each thread has its own models.

    Raises:
        MissingExtraError: RapidOCR or onnxruntime is not installed.
    """

    def __init__(self) -> None:
        try:
            import_module("onnxruntime")
            import rapidocr
        except ImportError as error:
            raise MissingExtraError("reading screenshots (OCR)", EXTRA) from error
        self._new: Any = rapidocr.RapidOCR
        self._here = threading.local()
        self._read: dict[bytes, Reading] = {}
        self.name = f"rapidocr {version('rapidocr')} {sorted(_SETTINGS.items())}"

    def find(self, pixels: Pixels) -> Sequence[Box]:
        """Return the boxes of lines of text."""
        if min(pixels.shape[:2]) < _LEAST:
            return []
        found = self._engine()(_bgr(pixels), use_det=True, use_cls=False, use_rec=False)
        corners = getattr(found, "boxes", None)
        if corners is None:
            return []
        return [
            Box(*map(float, (*np.min(four, axis=0), *np.max(four, axis=0))))
            for four in cast("list[Any]", corners)
        ]

    def read(self, pixels: Pixels) -> Reading:
        """Read an image of one line; results for the same pixels are cached."""
        if min(pixels.shape[:2]) < _LEAST:
            return Reading("", 0.0)
        key = sha256(f"{pixels.shape}".encode() + np.ascontiguousarray(pixels).tobytes()).digest()
        known = self._read.get(key)
        if known is None:
            said = self._engine()(_bgr(pixels), use_det=False, use_cls=False, use_rec=True)
            texts, scores = getattr(said, "txts", None), getattr(said, "scores", None)
            known = Reading(str(texts[0]), float(scores[0])) if texts and scores else Reading("", 0)
            self._read[key] = known
            if len(self._read) > _REMEMBERED:
                self._read.pop(next(iter(self._read)), None)
        return known

    def _engine(self) -> Callable[..., object]:
        if not hasattr(self._here, "engine"):
            self._here.engine = self._new(params=dict(_SETTINGS))
        return self._here.engine


class _OcrResult(msgspec.Struct, frozen=True):
    boxes: list[Box]
    readings: list[tuple[Box, str, float]]


@dataclass(frozen=True, slots=True)
class Shelf:
    """Stored OCR results: one file per image, named by the digest of the reader and the pixels."""

    folder: Path | None  # the folder; None: nothing is stored
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def open(self, pixels: Pixels, reader: Reader) -> Picture:
        """Return a picture with its stored results."""
        picture = Picture(pixels, reader)
        with suppress(OSError, msgspec.DecodeError):
            if (path := self._path(picture)) is not None:
                kept = msgspec.json.decode(path.read_bytes(), type=_OcrResult)
                readings = {box: Reading(text, sure) for box, text, sure in kept.readings}
                picture.notes = PlainNotes(kept.boxes, readings)
        return picture

    def keep(self, picture: Picture) -> None:
        """Store the results of a picture. If the folder is not writable, nothing is stored."""
        path, boxes = self._path(picture), picture.notes.boxes
        if path is None or boxes is None:
            return
        readings = [(box, one.text, one.sure) for box, one in picture.notes.readings.items()]
        data = msgspec.json.encode(_OcrResult(boxes, readings))
        beside = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        with suppress(OSError), self._lock:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                beside.write_bytes(data)
                beside.replace(path)
            finally:
                beside.unlink(missing_ok=True)

    def _path(self, picture: Picture) -> Path | None:
        if self.folder is None:
            return None
        name = getattr(picture.reader, "name", type(picture.reader).__name__)
        digest = sha256(f"{name}|{picture.pixels.shape}|".encode() + picture.pixels.tobytes())
        return self.folder / f"{digest.hexdigest()}.json"


def cache_folder() -> Path:
    """Return the folder of OCR results, in `$SNELLEN_HOME` or the user's cache folder."""
    from platformdirs import user_cache_path

    named = os.environ.get("SNELLEN_HOME")
    return (Path(named) if named else user_cache_path("snellen", appauthor=False)) / "ocr"


def _bgr(pixels: Pixels) -> Pixels:
    return np.ascontiguousarray(pixels[:, :, ::-1])
