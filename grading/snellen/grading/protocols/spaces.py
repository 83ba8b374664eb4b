"""Protocols that state what coordinates count: fractions, pixels or thousandths of the image.

The published graders guess ("a value over 1 must be pixels") or never ask. These don't: the space
is the protocol's, as the prompt stated it, and the point or box is the one that a reader would take
for the answer. Percent says what it counts, so it is read as such under each of them.
"""

from collections.abc import Callable, Sequence
from math import hypot, inf, nan
from typing import NamedTuple

from snellen.grading.actions.declaring import SPACES, declared
from snellen.grading.coordinates import PIXELS, THOUSAND, UNIT, CoordinateSpace, Extent
from snellen.grading.errors import InputError, MetricError
from snellen.grading.metrics.boxes import Ltrb, iou, point_in_box
from snellen.grading.parse.envelope import opened
from snellen.grading.parse.final_answers import CUT_OFF, without_reasoning
from snellen.grading.parse.responses import as_python_text
from snellen.grading.pointing.points import box_four_numbers, robust_box
from snellen.grading.protocols.base import (
    AS_IS,
    OUTSIDE,
    AnswerValue,
    Compare,
    Context,
    Gold,
    Measure,
    Metric,
    Parsed,
    Parser,
    Protocol,
    PublishedCrashError,
    UnjudgeableError,
    pairwise,
    unparsed,
)
from snellen.grading.protocols.golds import Target, is_in_fractions, known_box, unit_target

DECLARED = (UNIT, PIXELS, THOUSAND)


class InPixels(tuple[float, ...]):
    """A point or box in pixels of an image of unknown size; any other answer is in fractions."""

    __slots__ = ()


NOWHERE = (nan, nan)
"""A point in no box: what a published code that checks its references first compares an answer as
that it can't read."""


class Held(NamedTuple):
    """An answer's numbers and the target's box, both in one space."""

    numbers: Sequence[float]
    box: Ltrb


def declared_boxes(task: str) -> tuple[Protocol, ...]:
    """Make the protocols `unit`, `pixels` and `thousand` of a task that asks for a box."""
    return tuple(
        declared_protocol(
            task, space, "box", Parser(f"a box in {space.words}", our_boxes(space)), BOX_IN_IMAGE
        )
        for space in DECLARED
    )


def robust_boxing(task: str) -> Protocol:
    """Return the protocol `robust` of a task that asks for a box in any space."""
    return Protocol(
        task,
        "robust",
        3,
        "ours",
        "reads the box that a human reader would identify, in any format; in the unit that the "
        "answer or its format declares, else fractions if it lies in 0..1, else pixels",
        Parser(
            "the box that a reader would take, in its declared space",
            our_boxes(PIXELS, by_form=True),
        ),
        AS_IS,
        BOX_IN_IMAGE,
    )


def unit_box(gold: Target) -> Ltrb:
    """Return a target's box in fractions of the image, which it may leave.

    Raises:
        UnjudgeableError: It is in pixels, and the reference does not say the image's size.
    """
    box = unit_target(gold)
    if box is None:
        raise UnjudgeableError(
            "a box in pixels needs image_size beside it in the reference to be held against"
            " fractions: load the data with its images"
        )
    return box


def held(answer: AnswerValue, gold: Target) -> Held:
    """Bring an answer and its target into one space: fractions, or pixels where they suffice.

    Raises:
        UnjudgeableError: One is in pixels and the other is not, and the image's size is unknown.
    """
    if isinstance(answer, InPixels) and not is_in_fractions(gold.bbox):
        return Held(answer, known_box(gold))
    return Held(in_fractions(answer, gold), unit_box(gold))


def in_fractions(answer: AnswerValue, gold: Target) -> Sequence[float]:
    """Return an answer in fractions of its target's image.

    Raises:
        UnjudgeableError: It is in pixels, and the image's size is unknown.
    """
    if not isinstance(answer, InPixels):
        return answer
    if gold.image_size is None:
        raise UnjudgeableError(
            "an answer in pixels needs image_size in the reference to be held against fractions:"
            " load the data with its images"
        )
    return _divided(answer, gold.image_size)


def box_in(space: CoordinateSpace, gold: Target) -> Ltrb:
    """Return a target's box in a space, as an answer would count it.

    Raises:
        UnjudgeableError: It is in pixels of an unknown number, and the space does not count them.
    """
    if space is PIXELS and not is_in_fractions(gold.bbox):
        return known_box(gold)
    left, top, right, bottom = unit_box(gold)
    # Nobody can point in pixels of an unknown size; what is given instead is not judged.
    width, height = space.extent(gold.image_size) or (1.0, 1.0)
    return left * width, top * height, right * width, bottom * height


def placed(parsed: Parsed, extent: Extent = (1.0, 1.0)) -> Parsed:
    """Note it where a point, or the whole of a box, lies outside the image.

    Args:
        parsed: What was read; in pixels of an image of unknown size only what is above or left of
            it is known to be outside.
        extent: What the whole image measures in the answer's space.
    """
    if parsed.answer is None:
        return parsed
    numbers: Sequence[float] = parsed.answer
    wide, high = (inf, inf) if isinstance(numbers, InPixels) else extent
    # The ends of a box may be exchanged, and a point is a box of one place.
    x, y, right, bottom = (*numbers, *numbers)[:4]
    if (0 <= x <= wide or 0 <= right <= wide or (x < 0) != (right < 0)) and (
        0 <= y <= high or 0 <= bottom <= high or (y < 0) != (bottom < 0)
    ):
        return parsed
    return parsed._replace(note="; ".join(filter(None, (parsed.note, OUTSIDE))))


def declared_protocol(
    task: str, space: CoordinateSpace, what: str, parser: Parser, metric: Metric
) -> Protocol:
    """Make the protocol of a task that states what its answers count, named after the space."""
    return Protocol(
        task,
        space.id,
        3,
        "ours",
        f"every {what} is in {space.words}, unless the answer declares its unit",
        parser,
        AS_IS,
        metric,
        write=_writer(space, what),
    )


def our_boxes(
    space: CoordinateSpace, *, by_form: bool = False
) -> Callable[[object, Context], Parsed]:
    """Return our reader of boxes.

    Args:
        space: What the numbers of a box count whose answer declares nothing.
        by_form: Whether numbers within 0..1 are fractions in any case.
    """

    def parse(response: object, context: Context) -> Parsed:
        try:
            said = declared(response)
        except InputError as error:
            return unparsed(str(error))
        text = without_thoughts(said.response)
        box = None if text is None else box_four_numbers(text) or robust_box(text)
        if box is None:
            return unparsed(CUT_OFF if text is None else "no box in it")
        counted = said.counts or (said.format.counts(box[:2]) if said.format else None)
        fractions = by_form and all(0 <= side <= 1 for side in box.ltrb)
        if box.space is not None:
            counted = SPACES[box.space.value]
        elif counted is None:
            counted = UNIT if fractions else space
        extent = counted.extent(_image(context), said.view)
        if extent is None:
            return placed(Parsed(InPixels(box.ltrb)))
        return placed(Parsed(_divided(box.ltrb, extent)))

    return parse


def without_thoughts(response: object) -> str | None:
    """Return a response as text, out of its API's object and without thoughts; None if none."""
    api = opened(response)
    if api is not None:
        response = api.text
    return without_reasoning(response) if isinstance(response, str) else as_python_text(response)


def _image(context: Context) -> Extent | None:
    return (context.width, context.height) if context.width and context.height else None


def _divided(numbers: Sequence[float], extent: Extent) -> tuple[float, ...]:
    return tuple(number / extent[index % 2] for index, number in enumerate(numbers))


def _writer(space: CoordinateSpace, what: str) -> Callable[[Gold], Sequence[object]]:
    """Return how a target is written as an answer in the space."""

    def write(gold: Target) -> Sequence[object]:
        box = box_in(space, gold)
        return [list(box if what == "box" else ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2))]

    return write


def point_hit(answer: AnswerValue, gold: Gold, _: object) -> tuple[float]:
    """Whether a point lies in its target, edges included."""
    try:
        (x, y), box = held(answer, gold)
        return (float(point_in_box(x, y, box)),)
    except TypeError:
        # What a published parser hands on to be compared may be no numbers.
        raise PublishedCrashError from None


def distance(answer: AnswerValue, gold: Gold) -> float | None:
    """Return how far a point is from the middle of its target's box, in pixels of the image.

    As ShowDown and others report it. None where the image's size is needed and unknown, where the
    answer is no point, or where there is nothing to point at.
    """
    if getattr(gold, "refused", False):
        return None
    in_pixels, size = isinstance(answer, InPixels), gold.image_size
    box, scaled = known_box(gold), is_in_fractions(gold.bbox)
    if size is None and (scaled or not in_pixels):
        return None
    width, height = size or (1.0, 1.0)
    x, y = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
    if scaled:
        x, y = x * width, y * height
    try:
        left, top = answer
        if not in_pixels:
            left, top = left * width, top * height
        return hypot(left - x, top - y)
    except (TypeError, ValueError, OverflowError):
        return None


def _of_pixels(answer: AnswerValue, gold: Gold) -> float | None:
    # Both below 0 is how OSWorld-G writes that nothing is there.
    return None if answer[0] < 0 and answer[1] < 0 else distance(InPixels(answer), gold)


DISTANCE = Measure("distance", "px", "lower", "points on images of known size", distance)
DISTANCE_OF_PIXELS = DISTANCE._replace(of=_of_pixels)
"""The same, of points that are always in pixels."""


def point_metric(name: str, compare: Compare = point_hit) -> Metric:
    """Make a metric of points: whether one is right, and how far it is from the target's middle."""
    return pairwise(name, ("accuracy",), "accuracy", compare, (DISTANCE,))


def _box_hit(answer: AnswerValue, gold: Gold, _: object) -> tuple[float, float]:
    (left, top, right, bottom), box = held(answer, gold)
    if (left, top, right, bottom) == box:
        # Also where the reference has no area, or one that no float can hold.
        return 1.0, 1.0
    try:
        overlap = iou((left, top, right, bottom), box)
    except MetricError:
        # A box whose area no float can hold; a response must not end a grade.
        overlap = 0.0
    return float(overlap >= _LEAST), overlap


_LEAST = 0.5
POINT_IN_IMAGE = point_metric("the point in the box, edges included, as fractions of the image")
BOX_IN_IMAGE = pairwise(
    "IoU >= 0.5 of fractions of the image", ("accuracy", "iou"), "accuracy", _box_hit
)
