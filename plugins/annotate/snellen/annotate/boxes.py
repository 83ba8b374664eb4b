"""The boxes that a rater chooses from, by item: of a file, or of the snapshots of a build."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import msgspec

from snellen.annotate.forms import Form, form_of
from snellen.grading.errors import DataError, InputError
from snellen.grading.metrics.boxes import Ltrb
from snellen.grading.models.base import NO_JSON
from snellen.tasks.pack.read import Pack

SNAPSHOT = "snapshot.json"
MOST = 400
"""The boxes of an item at most."""

_SMALLEST = 4.0
_LARGEST = 0.5
_HIDDEN = 0.5

Boxes = Mapping[tuple[str, str], Sequence[Ltrb]]
"""Task and item id to boxes [left, top, right, bottom], in pixels of the item's first image."""


class _Line(msgspec.Struct):
    task: str
    item_id: str
    elements: list[Ltrb]


def read_elements(path: Path, pack: Pack, tasks: Sequence[str]) -> Boxes:
    """Read the boxes of a pack's items: of a file of JSON lines, or of a build's folder.

    A line is `{"task", "item_id", "elements": [[left, top, right, bottom], ...]}`. Of a build the
    elements are those that its browser saw on the page that the item's id names, where a person
    would draw them: at least 4 pixels long and wide, at most half of the image, half of them
    visible, each box once.

    Raises:
        InputError: It can't be read, or has boxes for no item.
        DataError: A line is none, or names no item of the pack.
    """
    if path.is_dir():
        found = dict(_of_build(path, pack, tasks))
        if not found:
            raise InputError(
                "its snapshots are of no page that an item which asks for a place is of",
                file=str(path),
            )
        return found
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise InputError(f"can't be read: {error.strerror}", file=str(path)) from error
    boxes: dict[tuple[str, str], Sequence[Ltrb]] = {}
    for number, line in enumerate(lines, 1):
        try:
            said = msgspec.json.decode(line, type=_Line)
        except NO_JSON as error:
            raise DataError(f"it names no elements: {error}", file=str(path), line=number) from None
        if said.item_id not in pack.index.get(said.task, {}):
            raise DataError(
                f"the pack {pack.name} has no item {said.item_id!r} of {said.task!r}",
                file=str(path),
                line=number,
                field="item_id",
            )
        if len(said.elements) > MOST:
            raise DataError(
                f"an item has up to {MOST} elements", file=str(path), line=number, field="elements"
            )
        boxes[said.task, said.item_id] = _ordered(said.elements)
    if not boxes:
        raise InputError("it is empty", file=str(path))
    return boxes


def _of_build(
    folder: Path, pack: Pack, tasks: Sequence[str]
) -> Iterator[tuple[tuple[str, str], Sequence[Ltrb]]]:
    from snellen.build.screen.seen import seen
    from snellen.build.snapshots import Snapshot

    pages: dict[str, Sequence[Ltrb]] = {}
    for file in sorted(folder.rglob(SNAPSHOT)):
        snapshot = Snapshot(file.parent)
        screen = snapshot.screen
        limit = _LARGEST * screen.width * screen.height
        # Where a person would draw it: the shape that it draws, or the ink of its text.
        extents = (
            (element, seen(screen, element, snapshot.pixels))
            for element in screen.elements
            if element.covered < _HIDDEN
        )
        boxes = [element.box if extent is None else extent.box for element, extent in extents]
        pages[snapshot.id] = _ordered([box for box in dict.fromkeys(boxes) if _fits(box, limit)])
    for task in tasks:
        for item in pack.index[task]:
            line = pack.line(task, item)
            words = item.split("/")
            named = map("/".join, pairwise(words))
            page = next((each for each in named if each in pages), None)
            if page is not None and form_of(line.item) is Form.BOX:
                yield (task, item), pages[page]


def _fits(box: Ltrb, largest: float) -> bool:
    width, height = box[2] - box[0], box[3] - box[1]
    return min(width, height) >= _SMALLEST and width * height <= largest


def _ordered(boxes: Sequence[Ltrb]) -> Sequence[Ltrb]:
    """Put the smaller boxes last: they are drawn above the larger ones that they are in."""
    kept = [box for box in boxes if all(map(math.isfinite, box))]
    kept.sort(key=lambda box: -(box[2] - box[0]) * (box[3] - box[1]))
    return kept[-MOST:]
