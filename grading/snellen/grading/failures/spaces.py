"""Near misses, and readings of coordinates in other spaces: fractions, hundredths, pixels, a view.

Each reading is written in the protocol's form and in the space of its answers, and passed to the
protocol's own parser. So the protocol decides whether it is a hit.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, cast

from msgspec.structs import replace

from snellen.grading.actions.declaring import undeclared
from snellen.grading.coordinates import HUNDRED, PIXELS, THOUSAND, UNIT, VIEW
from snellen.grading.errors import MetricError
from snellen.grading.failures.clues import Failure
from snellen.grading.failures.tags import FailureTag
from snellen.grading.metrics.boxes import Ltrb, point_in_box
from snellen.grading.metrics.ui_contents import BoxedText
from snellen.grading.models.geometry import Size
from snellen.grading.parse.responses import as_python_text
from snellen.grading.pointing.points import box_four_numbers, robust_box, robust_point
from snellen.grading.protocols.base import Gold
from snellen.grading.protocols.golds import (
    ImageTarget,
    Target,
    is_in_fractions,
    known_box,
    unit_target,
)
from snellen.grading.protocols.spaces import InPixels


class Respaced(NamedTuple):
    """A response rewritten from another space."""

    rank: int  # a lower rank is more likely; only readings of the lowest rank that scores count
    tags: tuple[FailureTag, ...]  # the tags if it scores
    response: object  # the input of the protocol's parser; None if it can't be written


_FILLED = 0.01
_ENDLESS = 1e9

AS_WRITTEN, IN_A_SPACE, REARRANGED, BOTH = range(4)
"""The ranks: another form of the same numbers, another space, another order, and both."""


_SPACES = {
    UNIT: FailureTag.SPACE_UNIT,
    HUNDRED: FailureTag.SPACE_HUNDRED,
    THOUSAND: FailureTag.SPACE_THOUSAND,
    PIXELS: FailureTag.SPACE_PIXELS,
    VIEW: FailureTag.SPACE_VIEW,
}


_Write = Callable[[Sequence[float]], object]


class _Numbers(NamedTuple):
    """Coordinates, alternating x and y, and the frame in which to read them.

    Attributes:
        given: The numbers as written.
        rearranged: The same numbers in other orders or meanings, each with its tag.
        size: The size of the original image, if known.
        view: The size of the image that the model saw, if known.
        pixels: Whether `write` takes pixels, not fractions.
        write: Makes a response of numbers in the reference's space; returns None if it can't.
        repeat: Makes a response of unchanged numbers, in any space; None if small numbers would be
            read as the top left corner.
    """

    given: Sequence[float]
    rearranged: Sequence[tuple[FailureTag, Sequence[float]]]
    size: Size | None
    view: Size | None
    pixels: bool
    write: _Write
    repeat: _Write


def respaced_point(failure: Failure) -> Iterator[Respaced]:
    """Yield the readings of a point, with x and y as written and swapped."""
    text = as_python_text(undeclared(failure.response))
    found = None if text is None else robust_point(text)
    if found is not None:
        swapped = (FailureTag.SWAPPED, (found.y, found.x))
        yield from _of_target(failure, (found.x, found.y), [swapped])


def respaced_box(failure: Failure) -> Iterator[Respaced]:
    """Yield the readings of a box, as written and with its numbers in other orders."""
    text = as_python_text(undeclared(failure.response))
    found = None if text is None else box_four_numbers(text) or robust_box(text)
    if found is not None:
        yield from _of_target(failure, found.ltrb, _box_orders([found.ltrb]))


def respaced_elements(failure: Failure) -> Iterator[Respaced]:
    """Yield the readings of a list of texts with boxes, with all boxes read in the same way."""
    elements = cast("Sequence[BoxedText]", failure.answer or ())
    if not elements:
        return
    texts = [text for _, text in elements]

    def write(sides: Sequence[float]) -> object:
        return [[list(sides[4 * index :][:4]), text] for index, text in enumerate(texts)]

    numbers = _Numbers(
        given=[side for box, _ in elements for side in box],
        rearranged=_box_orders([box for box, _ in elements]),
        size=_size(failure.context.width, failure.context.height),
        view=failure.clues.view,
        pixels=not all(is_in_fractions(box) for rater in failure.gold for box, _ in rater),
        write=write,
        repeat=write,
    )
    yield from _readings(numbers)


def _of_target(
    failure: Failure,
    given: Sequence[float],
    rearranged: Sequence[tuple[FailureTag, Sequence[float]]],
) -> Iterator[Respaced]:
    gold, context = cast("Target", failure.gold), failure.context
    size = _size(*(gold.image_size or (context.width, context.height)))
    pixels = not is_in_fractions(gold.bbox)
    if failure.write is None:
        # MMBench-GUI takes fractions, independent of the reference's space.
        pixels = pixels and not isinstance(gold, ImageTarget)
        write, form = _written, _Form("", fractions=not pixels)
    else:
        write = _as_the_protocol_writes(failure.write, gold, size)
        form = _form(write, len(given))

    def repeat(sides: Sequence[float]) -> object:
        return form.repeat(sides) if form.fractions or max(given) > 1 else None

    numbers = _Numbers(
        given=given,
        rearranged=rearranged,
        size=size,
        view=failure.clues.view,
        pixels=pixels,
        write=write,
        repeat=repeat,
    )
    yield Respaced(AS_WRITTEN, (FailureTag.FORMAT,), repeat(given))
    yield from _readings(numbers)


def _as_the_protocol_writes(
    write: Callable[[Gold], Sequence[object]], gold: Target, size: Size | None
) -> _Write:
    """Return the function that writes a point or box of the reference's space as an answer."""

    def written(sides: Sequence[float]) -> object:
        left, top, *_ = sides
        *_, right, bottom = sides
        extent = None if size is None else (size.width, size.height)
        try:
            target = replace(gold, bbox=(left, top, right, bottom), image_size=extent)
            return next(iter(write(target)), None)
        except MetricError:
            # Pixels of an image of unknown size can't be written.
            return None

    return written


class _Form(NamedTuple):
    """The form of a protocol's answers."""

    sample: str  # an answer in this form; empty if any form with readable numbers is accepted
    fractions: bool  # whether the protocol reads numbers up to 1 as fractions

    def repeat(self, numbers: Sequence[float]) -> str:
        """Write numbers in the form, in any space."""
        if not self.sample:
            return _written(numbers)
        texts = iter(f"{number:.9f}" for number in numbers)
        return _NUMBER.sub(lambda _: next(texts), self.sample)


_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_PROBE = (0.25, 0.5, 0.75, 1.0)


def _form(write: _Write, count: int) -> _Form:
    """Derive a protocol's form from the text that it writes for a known place."""
    sample = write(_PROBE[:count])
    found = [float(number) for number in _NUMBER.findall(str(sample))]
    text = sample if isinstance(sample, str) and len(found) == count else ""
    return _Form(text, fractions=found == list(_PROBE[:count]))


def _box_orders(boxes: Sequence[Ltrb]) -> list[tuple[FailureTag, Sequence[float]]]:
    swapped = [side for left, top, right, bottom in boxes for side in (top, left, bottom, right)]
    sized = [side for x, y, width, height in boxes for side in (x, y, x + width, y + height)]
    orders: list[tuple[FailureTag, Sequence[float]]] = [
        (FailureTag.SWAPPED, swapped),
        (FailureTag.SIZED_BOX, sized),
    ]
    if any(left > right or top > bottom for left, top, right, bottom in boxes):
        ordered = [side for box in boxes for side in _ordered(box)]
        orders.append((FailureTag.CORNERS, ordered))
    return orders


def _ordered(box: Ltrb) -> Ltrb:
    left, top, right, bottom = box
    return min(left, right), min(top, bottom), max(left, right), max(top, bottom)


def _readings(numbers: _Numbers) -> Iterator[Respaced]:
    for tag, sides in _in_spaces(numbers, numbers.given):
        yield Respaced(IN_A_SPACE, (tag,), numbers.write(sides))
    for how, other in numbers.rearranged:
        yield Respaced(REARRANGED, (how,), numbers.repeat(other))
        for tag, sides in _in_spaces(numbers, other):
            yield Respaced(BOTH, (how, tag), numbers.write(sides))


def is_same_place(answer: object, other: object) -> bool:
    """Whether two answers are equal, or equal points or boxes except for rounding."""
    if answer == other or not (isinstance(answer, tuple) and isinstance(other, tuple)):
        return answer == other
    numbers, others = cast("tuple[object, ...]", answer), cast("tuple[object, ...]", other)
    return len(numbers) == len(others) and all(
        isinstance(one, float)
        and isinstance(two, float)
        and math.isclose(one, two, rel_tol=1e-9, abs_tol=1e-8)
        for one, two in zip(numbers, others, strict=True)
    )


def _in_spaces(
    numbers: _Numbers, sides: Sequence[float]
) -> Iterator[tuple[FailureTag, Sequence[float]]]:
    """Yield the numbers of each space that they fit, converted to the space that `write` takes.

    Numbers up to 1 are only read as fractions. A space is skipped if the numbers fill at most a
    hundredth of its extent, because small numbers would always lie in the top left corner.
    """
    width = height = 1.0
    if numbers.pixels:
        if numbers.size is None:
            return
        width, height = numbers.size.width, numbers.size.height
    image = None if numbers.size is None else (numbers.size.width, numbers.size.height)
    for space, tag in _SPACES.items():
        extent = space.extent(image, numbers.view)
        if extent is None:
            continue
        unit = [side / extent[index % 2] for index, side in enumerate(sides)]
        if not all(0 <= side <= 1 for side in unit):
            continue
        if space is UNIT or (max(sides) > 1 and max(unit) > _FILLED):
            yield tag, [side * (height if index % 2 else width) for index, side in enumerate(unit)]


def _written(numbers: Sequence[float]) -> str:
    """Write numbers in a form that every protocol's parser reads: in brackets, no exponents."""
    return f"({', '.join(f'{number:.9f}' for number in numbers)})"


def _size(width: float | None, height: float | None) -> Size | None:
    if not width or not height or not (0 < width < _ENDLESS and 0 < height < _ENDLESS):
        return None
    return Size(width=float(width), height=float(height))


def place_tags(failure: Failure) -> Iterator[FailureTag]:
    """Tag a point, or a box by its center, that misses by at most the target's own size."""
    if failure.answer is None:
        return
    gold = cast("Target", failure.gold)
    # VisualWebBench's own protocols keep the space; all others read fractions of the image.
    as_is = failure.write is None and not isinstance(gold, ImageTarget)
    if as_is or isinstance(failure.answer, InPixels):
        target = known_box(gold)
    else:
        target = unit_target(gold, failure.context)
    if target is not None and is_near(failure.answer, target):
        yield FailureTag.NEAR_TARGET


def is_near(numbers: Sequence[float], target: Ltrb) -> bool:
    """Whether a point, or a box's center, misses by at most the target's own size."""
    # A point is a box with one corner: its own center.
    x, y = (a / 2 + b / 2 for a, b in zip(numbers[:2], numbers[-2:], strict=True))
    left, top, right, bottom = target
    width, height = right - left, bottom - top
    return point_in_box(x, y, (left - width, top - height, right + width, bottom + height))
