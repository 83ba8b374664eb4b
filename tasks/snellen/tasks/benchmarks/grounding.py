"""What every benchmark has in common whose items ask for a point in an element's box."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from snellen.grading.errors import DataError
from snellen.grading.metrics.boxes import Ltrb, box_fault
from snellen.grading.models.geometry import Space
from snellen.grading.models.golds import Golds
from snellen.grading.models.items import AnswerFormat, AnswerKind, Image, Item
from snellen.grading.models.reports import DataPin
from snellen.grading.protocols.base import Context, Gold
from snellen.grading.protocols.golds import ImageTarget, is_in_fractions, without_unknowns
from snellen.tasks.io.boxes import outside_note, reaches_outside, target_fault
from snellen.tasks.io.images import size_in
from snellen.tasks.io.rows import SCREEN, misfit
from snellen.tasks.models import TaskData
from snellen.tasks.prompts import Prompt

Size = tuple[float, float]

COPIED = "a public copy, in another layout than the published files"

EXAMPLES = {
    Space.UNIT: "(0.2500, 0.6125)",
    Space.PIXELS: "(480, 661)",
    Space.THOUSAND: "(250, 612)",
}
"""A made-up answer in each space that a prompt may ask for."""


_BOX_EXAMPLE = '{"bbox": [120, 80, 640, 300]}'
_POINT = (
    "You see a screenshot. Point at the one element of the user interface that the instruction"
    " means. Reply with the point (x, y) alone, x from the left and y from the top,"
)


_ASKED = (Space.UNIT, Space.PIXELS, Space.THOUSAND)


def point_prompts(
    name: str, spaces: Sequence[Space] = (Space.UNIT, Space.PIXELS)
) -> tuple[Prompt, ...]:
    """Return the prompts that ask for a point, in each of some spaces.

    Args:
        name: What the names begin with, such as `snellen-screenspot`.
        spaces: Fractions, pixels or thousandths of the image. The first is what the task's default
            protocol reads: an agent that answers as it was asked is read as it meant.
    """
    asked = (
        Prompt(
            f"{name}-unit-1",
            f"{_POINT} in fractions of the image's width and height from 0 to 1, with at least four"
            " decimals.",
            "\n\nInstruction: {question}",
        ),
        Prompt(
            f"{name}-pixels-1",
            f"{_POINT} in pixels of the original image",
            "\n\nInstruction: {question}",
        ),
        Prompt(
            f"{name}-thousand-1",
            f"{_POINT} in thousandths of the image's width and height from 0 to 1000.",
            "\n\nInstruction: {question}",
        ),
    )
    by_space = dict[Space, Prompt](zip(_ASKED, asked, strict=True))
    return tuple(by_space[space] for space in spaces)


def asked_space(prompt: Prompt) -> Space | None:
    """Return what one of `point_prompts` says that coordinates count; None: it is none of them."""
    named = {f"-{space}-1": space for space in _ASKED}
    return next((named[end] for end in named if prompt.name.endswith(end)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundingRow:
    """One element to point at.

    Attributes:
        id: The item's id.
        instruction: What to point at.
        box: Left, top, right, bottom, in fractions of the image or in its pixels.
        image: Its screenshot: the rows that name the same one are a cluster.
        size: Width and height of the screenshot in pixels, where they are known.
        tags: What it can be grouped by; an empty text is none.
        boxed: Whether its box is asked for, in a task that otherwise asks for points.
        others: Its instruction in other words, by their columns.
    """

    id: str
    instruction: str
    box: Ltrb
    image: str = ""
    size: Size | None = None
    tags: dict[str, str] = field(default_factory=dict[str, str])
    boxed: bool = False
    others: dict[str, str] = field(default_factory=dict[str, str])

    def target(self, size: Size | None) -> Gold:
        """Return the reference, in an image of this size."""
        return ImageTarget(self.box, size)


_Row = TypeVar("_Row", bound=GroundingRow)


def grounding_data(
    task: str,
    split: str,
    rows: Sequence[GroundingRow],
    *,
    pin: DataPin,
    prompt: Prompt,
    asked_in: Space | None,
    images: Callable[[int, str], bytes] | None,
    question: Callable[[int], str] | None = None,
    example: str = "",
    shown: Sequence[str] = ("platform",),
    kind: AnswerKind = AnswerKind.POINT,
) -> TaskData:
    """Return a split of a task that asks for a point, from its rows.

    Args:
        task: The task's id.
        split: The split's name.
        rows: Its elements, as `checked_rows` lets them pass.
        pin: Which release it is; a note is added of boxes that reach outside their images, and
            of empty instructions.
        prompt: How it is asked. One that asks for pixels ends before the image's size.
        asked_in: What the prompt says that coordinates count; None: it does not say.
        images: The bytes of a row's screenshot, whatever its name. The size of one whose row does
            not say it is read of it.
        question: The question of a row by its index; None: its instruction.
        example: A made-up answer; by default one in the space that is asked in.
        shown: The tags that an agent is shown with an item.
        kind: Whether a point is asked for, a box, or the text in the box.

    Raises:
        DataError: There are no rows.
    """
    if not rows:
        raise DataError("holds no rows", file=pin.path)
    sizes = _sizes(rows, images)
    outside = outside_note(
        [
            row.id
            for row, size in zip(rows, sizes, strict=True)
            if reaches_outside(without_unknowns(row.box), size)
        ]
    )
    # An item is one though nobody wrote what it asks for: published denominators count it.
    unasked = [row.id for row in rows if not row.instruction.strip()]
    empty = f"without an instruction: {len(unasked)} ({unasked[0]!r}, ...)" if unasked else ""
    note = "; ".join(filter(None, (pin.note, outside, empty)))

    def item(index: int) -> Item:
        row, size = rows[index], sizes[index]
        hint = ""
        if asked_in is Space.PIXELS and not prompt.instruction.endswith("."):
            hint = f", which is {size[0]:g} x {size[1]:g}." if size else "."
        width, height = (int(size[0]), int(size[1])) if size else (None, None)
        return Item(
            id=row.id,
            task=task,
            prompt=prompt.ask(question(index) if question else row.instruction, hint=hint),
            images=(Image(name=SCREEN, width=width, height=height),),
            answer_format=AnswerFormat(
                kind=AnswerKind.BOX if row.boxed else kind,
                example=_BOX_EXAMPLE if row.boxed else example or EXAMPLES[asked_in or Space.UNIT],
                space=asked_in,
            ),
            tags={
                **{tag: row.tags[tag] for tag in shown if tag in row.tags},
                "prompt": prompt.name,
            },
        )

    return TaskData(
        task=task,
        split=split,
        ids=[row.id for row in rows],
        golds=Golds([row.target(size) for row, size in zip(rows, sizes, strict=True)]),
        pin=pin.model_copy(update={"note": note}),
        build_item=item,
        load_image=images,
        contexts=[Context(width=size[0], height=size[1]) if size else Context() for size in sizes],
        tags={
            **{tag: [row.tags[tag] or None for row in rows] for tag in rows[0].tags},
            **({"image": [row.image for row in rows]} if rows[0].image else {}),
        },
        cluster="image" if rows[0].image else None,
    )


def checked_rows(
    rows: Iterable[_Row],
    file: str,
    *,
    boxes_in: Space,
    field: str = "bbox",
    passed: Callable[[_Row], bool] = lambda _: False,
) -> Iterator[_Row]:
    """Yield the rows of one file whose boxes can be right answers.

    Args:
        rows: Its rows, in order.
        file: The file, for messages.
        boxes_in: What its boxes count, fractions or pixels.
        field: The field that holds them.
        passed: Whether a row has no box to look at.

    Raises:
        DataError: A box can't be an answer; it names the row and its item.
    """
    for index, row in enumerate(rows):
        if not passed(row) and (fault := _fault(row, boxes_in)):
            raise misfit(f"item {row.id}: {fault}", file, index, field)
        yield row


def _sizes(
    rows: Sequence[GroundingRow], images: Callable[[int, str], bytes] | None
) -> list[Size | None]:
    """Return each row's size, or its image's, of which those that rows share are read once."""
    measured: dict[str, Size | None] = {}
    for index, row in enumerate(rows):
        if row.size is None and images is not None and _shared(row, index) not in measured:
            measured[_shared(row, index)] = size_in(images, index, SCREEN)
    return [row.size or measured.get(_shared(row, index)) for index, row in enumerate(rows)]


def _shared(row: GroundingRow, index: int) -> str:
    return row.image or f"row {index}"


def _fault(row: GroundingRow, boxes_in: Space) -> str:
    fractions = is_in_fractions(row.box)
    if boxes_in is Space.UNIT:
        outside = f"the box {list(row.box)} reaches out of 0..1, and boxes are in fractions here"
        return box_fault(row.box) or ("" if fractions else outside)
    if fractions:
        return f"the box {list(row.box)} lies within 0..1, and boxes are in pixels here"
    return target_fault(row.box, row.size)
