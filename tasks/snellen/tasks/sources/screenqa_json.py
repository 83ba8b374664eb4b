"""Read ScreenQA's JSON files, as Google Research publishes them."""

import hashlib
from pathlib import Path
from typing import Any

import msgspec

from snellen.grading.errors import DataError
from snellen.grading.models.geometry import Space
from snellen.tasks.sources.screenqa_files import SplitFiles
from snellen.tasks.sources.screenqa_rows import (
    FETCH_AGAIN,
    JsonRow,
    Layout,
    Rows,
    check_boxes,
    row_error,
    screen,
)

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read(layout: Layout, files: SplitFiles) -> Rows:
    """Read one split.

    Raises:
        DataError: The file can't be read, or a row is not as documented.
    """
    file = files.name
    data = _bytes(files.paths[0])
    rows = _decode(layout, data, file)
    if not rows:
        raise DataError("holds no questions", file=file)
    golds = [layout.gold(row.ground_truth) for row in rows]
    if layout.boxed:
        check_boxes(golds, file)
    return Rows(
        role=layout.folder,
        split=files.split,
        path=file,
        sha256=hashlib.sha256(data).hexdigest(),
        image_ids=[str(row.image_id) for row in rows],
        questions=[row.question for row in rows],
        golds=golds,
        images=[screen(row.image_width, row.image_height) for row in rows],
        space=Space.PIXELS if layout.boxed else None,
    )


def _decode(layout: Layout, data: bytes, file: str) -> list[JsonRow[Any]]:
    try:
        return msgspec.json.decode(data.removeprefix(_BYTE_ORDER_MARK), type=layout.rows)
    except msgspec.ValidationError as error:
        raise row_error(error, file) from None
    except UnicodeDecodeError as error:
        raise DataError(f"is not UTF-8 ({error.reason}); fetch it again", file=file) from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise DataError(f"is no whole JSON file: {error}; {FETCH_AGAIN}", file=file) from None


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"can't be read: {error.strerror}", file=str(path)) from None
