"""The content of a contact sheet: pictures with boxes, prompt, options, reference, tags.

`preview_pages` makes pages of it. Boxes are left, top, right, bottom in fractions of the image.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

import msgspec

from snellen.grading.errors import DataError
from snellen.grading.metrics.boxes import Ltrb
from snellen.grading.models.geometry import Space
from snellen.grading.models.items import Image
from snellen.grading.protocols.base import Gold, Protocol
from snellen.grading.protocols.golds import Target, sized, unit_target
from snellen.grading.protocols.table import gold_shape, protocol_of
from snellen.tasks.benchmarks.matrix.rules.golds import MatrixGold, PlaceSettings, unit_box
from snellen.tasks.pack.format import PackItem
from snellen.tasks.pack.read import Pack, References


class Mark(NamedTuple):
    """A box drawn over a picture."""

    box: Ltrb  # left, top, right, bottom in 0..1 of the image
    label: str  # the text of the box
    kind: str = "reference"  # `reference`, or `record` for a box of the item's record


class CardImage(NamedTuple):
    """A picture of an item."""

    name: str  # its name in the item
    digest: str
    width: int | None  # the original width in pixels; None if unknown
    height: int | None  # likewise
    marks: tuple[Mark, ...]  # the boxes drawn over it


class Card(NamedTuple):
    """The displayed data of one item."""

    task: str  # the task's id
    item: str  # the item's id
    prompt: str
    form: str  # the form of the answer
    options: tuple[str, ...]  # the options' texts
    images: tuple[CardImage, ...]  # the pictures
    references: tuple[str, ...]  # the correct answers as text; empty if they can't be read
    tags: Mapping[str, str]  # the tags by name
    record: str  # the record as JSON; empty if there is none
    pair: str | None  # the shared name of the two items of a pair


def card(pack: Pack, references: References | None, index: int) -> Card:
    """Return the displayed data of an item.

    Args:
        pack: The pack.
        references: Its references; None if they can't be read or must not be shown.
        index: The item's index in the pack.

    Raises:
        DataError: The line can't be read.
    """
    line = pack.lines[index]
    item = line.item
    tags, record, right = dict(item.tags), None, tuple[str, ...]()
    marks: tuple[Mark, ...] = ()
    if references is not None:
        gold = references.golds[item.task][item.id]
        protocol = protocol_of(item.task, pack.task(item.task).protocol)
        right = tuple(map(_text, responses_of(protocol, gold, line)))
        marks = reference_marks(gold, line)
        for name, column in references.tags[item.task].items():
            if item.id in column:
                tags[name] = column[item.id]
        record = references.records.get(item.task, {}).get(item.id)
        marks += _record_marks(record, item.images[0]) if item.images else ()
    return Card(
        task=item.task,
        item=item.id,
        prompt=item.prompt,
        form=item.answer_format.kind.value,
        options=item.answer_format.options,
        images=tuple(
            _shown(line, image, marks if number == 0 else ())
            for number, image in enumerate(item.images)
        ),
        references=right,
        tags=dict(sorted(tags.items())),
        record="" if record is None else json.dumps(record, ensure_ascii=False, indent=1),
        pair=line.pair,
    )


def responses_of(protocol: Protocol, gold: Gold, line: PackItem) -> Sequence[object]:
    """Return the correct answers for a reference, in the protocol's form."""
    write = protocol.write or gold_shape(protocol.task).responses
    return write(sized(gold, line.context))


def reference_marks(gold: Gold, line: PackItem) -> tuple[Mark, ...]:
    """Return the boxes of a reference in the item's first picture; empty if it has no position."""
    item = line.item
    if isinstance(gold, Target):
        box = unit_target(gold, line.context)
        return () if box is None else (Mark(box, "reference"),)
    if isinstance(gold, MatrixGold) and gold.metric in ("point", "box"):
        try:
            settings = msgspec.convert(gold.settings, PlaceSettings)
            return (Mark(unit_box(gold, settings), "reference"),)
        except (DataError, msgspec.ValidationError):
            return ()
    if item.answer_format.kind == "boxed_texts" and item.images:
        return tuple(
            Mark(placed, text)
            for rater in cast("Sequence[Sequence[tuple[Ltrb, str]]]", gold)
            for box, text in rater
            if (placed := _in_unit(box, item.answer_format.space, item.images[0]))
        )
    return ()


def _in_unit(box: Ltrb, space: Space | None, image: Image) -> Ltrb | None:
    if space is Space.UNIT:
        return box
    if not (image.width and image.height):
        return None
    left, top, right, bottom = box
    return left / image.width, top / image.height, right / image.width, bottom / image.height


def _record_marks(record: object, image: Image) -> tuple[Mark, ...]:
    """Return the field `box` of a record, in pixels, as a mark; empty if there is none."""
    if not isinstance(record, Mapping):
        return ()
    box = cast("Mapping[str, Any]", record).get("box")
    try:
        placed = _in_unit(msgspec.convert(box, Ltrb), Space.PIXELS, image)
    except msgspec.ValidationError:
        return ()
    return () if placed is None else (Mark(placed, "record", "record"),)


def _shown(line: PackItem, image: Image, marks: tuple[Mark, ...]) -> CardImage:
    where = line.images[image.name]
    return CardImage(
        name=image.name,
        digest=where.sha256,
        width=image.width,
        height=image.height,
        marks=marks,
    )


def _text(response: object) -> str:
    return response if isinstance(response, str) else json.dumps(response, ensure_ascii=False)
