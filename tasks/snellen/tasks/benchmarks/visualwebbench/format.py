"""What VisualWebBench's files hold, whichever container they come in.

Source: the data card of huggingface.co/datasets/visualwebbench/VisualWebBench. One configuration
holds one task; the box and point variants of the grounding tasks read the files of the task that
they are variants of.

`elem_desc` of element_ocr is the text to be read, so it is not read here: nothing that an agent
sees can be made of it.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

import msgspec

from snellen.grading.errors import DataError
from snellen.grading.metrics.boxes import box_fault
from snellen.grading.models.geometry import Space
from snellen.tasks.io.boxes import outside_note, reaches_outside
from snellen.tasks.io.rows import SPACE_NOTES, Pixels, Split, Text, misfit, space_of

LETTERS = "ABCDEFGH"
"""The options' letters: the published code reads no others."""

Sides: TypeAlias = tuple[float, float, float, float]

_Place = Annotated[int, msgspec.Meta(ge=0)]
_OPTIONS = msgspec.Meta(min_length=2, max_length=len(LETTERS))


# gc=False: these hold no cycles.
class Row(msgspec.Struct, gc=False, kw_only=True):
    """What every row has.

    Attributes:
        id: The row's published id.
        website: The site that the screenshot is of.
        task_type: The configuration's name.
        image_size: Width and height in pixels.
        image: The name of the image's file, in JSON.
        raw_image: The same of the screenshot without marks.
    """

    id: Text
    website: str | None = None
    task_type: str | None = None
    image_size: tuple[Pixels, Pixels] | None = None
    image: Text | None = None
    raw_image: Text | None = None


class TextRow(Row, gc=False, kw_only=True):
    """web_caption and heading_ocr."""

    answer: str


class QuestionRow(Row, gc=False, kw_only=True):
    """webqa."""

    question: str
    answer: Annotated[list[str], msgspec.Meta(min_length=1)]


class MarkedTextRow(Row, gc=False, kw_only=True):
    """element_ocr; `bbox` is in fractions of the image."""

    bbox: Sides
    answer: str


class DescriptionRow(Row, gc=False, kw_only=True):
    """element_ground, by letter: what the options are does not matter, only how many."""

    options: Annotated[list[object], _OPTIONS]
    elem_desc: str
    answer: _Place


class InstructionRow(Row, gc=False, kw_only=True):
    """action_ground, by letter."""

    options: Annotated[list[object], _OPTIONS]
    instruction: str
    answer: _Place


class ClickRow(Row, gc=False, kw_only=True):
    """action_prediction; `bbox` is in fractions of the image."""

    options: Annotated[list[str], _OPTIONS]
    bbox: Sides
    answer: _Place


class DescribedBoxRow(Row, gc=False, kw_only=True):
    """element_ground, by box or point."""

    options: Annotated[list[Sides], _OPTIONS]
    elem_desc: str
    answer: _Place


class InstructedBoxRow(Row, gc=False, kw_only=True):
    """action_ground, by box or point."""

    options: Annotated[list[Sides], _OPTIONS]
    instruction: str
    answer: _Place


@dataclass(frozen=True, slots=True)
class Layout:
    """Where one task's rows are published and what they look like there.

    Attributes:
        config: The configuration.
        row: The type of its rows.
        image: The column of the screenshot that is shown.
        boxed: Whether the options are boxes that are answers.
    """

    config: str
    row: type[Row]
    image: str = "image"
    boxed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows(Split):
    """One split's rows, in file order."""

    rows: Sequence[Any]


def check(layout: Layout, rows: Sequence[Any], file: str) -> None:
    """Refuse rows of another configuration, and answers that no option is for.

    Args:
        layout: What the task reads.
        rows: The rows of one file.
        file: The file.

    Raises:
        DataError: There are none, or one does not fit; it names the row, its id and the field.
    """
    if not rows:
        raise DataError("holds no rows", file=file)
    for index, row in enumerate(rows):
        if row.task_type is not None and row.task_type != layout.config:
            what = f"this task reads {layout.config}, and the row's task_type is {row.task_type!r}"
            raise _misfit(what, file, index, row, "task_type")
        options: Sequence[Any] | None = getattr(row, "options", None)
        if options is None:
            continue
        if row.answer >= len(options):
            what = f"the answer {row.answer} is beyond the {len(options)} options, counted from 0"
            raise _misfit(what, file, index, row, "answer")
        if layout.boxed and (fault := box_fault(options[row.answer])):
            raise _misfit(fault, file, index, row, "options")


def _misfit(what: str, file: str, index: int, row: Row, field: str) -> DataError:
    return misfit(f"item {row.id!r}: {what}", file, index, field)


def space_in(layout: Layout, rows: Iterable[Any]) -> Space | None:
    """Return what the options' sides count; None where options are no answers."""
    if not layout.boxed:
        return None
    return space_of(side for row in rows for box in row.options for side in box)


def note_of(rows: Sequence[Any], space: Space | None) -> str:
    """Say what is not as published or had to be decided, in sentences; nothing where all is."""
    notes = [SPACE_NOTES[space]] if space else []
    outside = [row.id for row in rows if space is Space.PIXELS and _reaches_outside(row)]
    notes += [note for note in (outside_note(outside),) if note]
    odd = [row.id for row in rows if len(getattr(row, "options", LETTERS)) != len(LETTERS)]
    notes += _counted(odd, f"item has not {len(LETTERS)} options", f"items have not {len(LETTERS)}")
    blank = [row.id for row in rows if not _asked(row).strip()]
    notes += _counted(blank, "item asks nothing", "items ask nothing")
    repeated = [one for one, count in Counter(row.id for row in rows).items() if count > 1]
    notes += _counted(repeated, "id stands there twice or more", "ids stand there twice or more")
    return "; ".join(notes)


def _counted(ids: Sequence[str], one: str, several: str) -> list[str]:
    return [f"{len(ids)} {one if len(ids) == 1 else several} ({ids[0]!r}, ...)"] if ids else []


def _asked(row: Row) -> str:
    """Return what a row asks in words of its own; what all rows ask alike where it has none."""
    for name in ("question", "elem_desc", "instruction"):
        if hasattr(row, name):
            return getattr(row, name)
    return "the same of all"


def _reaches_outside(row: DescribedBoxRow | InstructedBoxRow) -> bool:
    if row.image_size is None:
        return False
    left, top, right, bottom = row.options[row.answer]
    return reaches_outside((left, top, right, bottom), row.image_size)


def item_ids(split: str, rows: Iterable[Row]) -> list[str]:
    """Return `split/id`; an id that stands there again is numbered, so that no row is lost.

    >>> item_ids("test", [Row(id="webqa_1"), Row(id="webqa_2"), Row(id="webqa_1")])
    ['test/webqa_1', 'test/webqa_2', 'test/webqa_1/1']
    """
    taken: dict[str, None] = {}
    for row in rows:
        name, number = f"{split}/{row.id}", 0
        while name in taken:
            number += 1
            name = f"{split}/{row.id}/{number}"
        taken[name] = None
    return list(taken)
