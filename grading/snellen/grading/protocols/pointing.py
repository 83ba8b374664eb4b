"""The parts of which protocols of pointing are made, for every benchmark that asks for a point.

The reading and the space are apart: harnesses read a point in their own ways and then disagree on
what its numbers count.
"""

import re
from collections.abc import Callable

from snellen.grading.coordinates import UNIT, CoordinateSpace
from snellen.grading.models.geometry import Space
from snellen.grading.parse.coordinates import ReadPoint, robust_point
from snellen.grading.parse.responses import as_python_text
from snellen.grading.protocols.base import (
    AS_IS,
    Context,
    Gold,
    Parsed,
    Parser,
    Protocol,
    pairwise,
    unparsed,
)
from snellen.grading.protocols.golds import Target
from snellen.grading.protocols.spaces import (
    NOWHERE,
    InPixels,
    box_in,
    placed,
    point_hit,
)

POINT_HIT = pairwise("the point in the box, edges included", ("accuracy",), "accuracy", point_hit)

Scale = Callable[[ReadPoint, Context], Parsed]
"""What a point's numbers count, given what is known of the item: a point in fractions, or in pixels
of an image of unknown size."""


def point_parser(name: str, read: Callable[[str], ReadPoint | None], scale: Scale) -> Parser:
    """Make a parser of a point.

    Args:
        name: What protocol tables call it.
        read: Finds the point in a text.
        scale: Says what its numbers count: `fractions`, `pixels`, `pixels_above_one`.
    """

    def parse(response: object, context: Context) -> Parsed:
        text = as_python_text(response)
        point = None if text is None else read(text)
        if point is None:
            return unparsed("no point in it", compared=NOWHERE)
        return placed(scale(point, context))

    return Parser(name, parse)


def fractions(point: ReadPoint, _: Context) -> Parsed:
    """Take a point's numbers for fractions of the image."""
    return Parsed((point.x, point.y))


def pixels(point: ReadPoint, context: Context) -> Parsed:
    """Take a point's numbers for pixels of the image."""
    if not context.width or not context.height:
        return Parsed(InPixels((point.x, point.y)))
    return Parsed((point.x / context.width, point.y / context.height))


def pixels_above_one(point: ReadPoint, context: Context) -> Parsed:
    """Take a point's numbers for pixels when either exceeds 1, else for fractions."""
    if point.x > 1 or point.y > 1:
        parsed = pixels(point, context)
        return parsed._replace(note=parsed.note or "read as pixels because a number exceeds 1")
    return fractions(point, context)


def writes(form: str, space: CoordinateSpace = UNIT) -> Callable[[Gold], list[object]]:
    """Return how a target's middle is written in a harness's form: {x} and {y}.

    Args:
        form: The form, such as `click({x}, {y})`.
        space: What the numbers count in it.
    """

    def write(gold: Target) -> list[object]:
        left, top, right, bottom = box_in(space, gold)
        x, y = (left + right) / 2, (top + bottom) / 2
        return [form.format(x=f"{x:.9f}", y=f"{y:.9f}")]

    return write


_DECLARED = re.compile(r"[\"']space[\"']\s{0,4}:\s{0,4}[\"'](unit|pixels|thousand|view)[\"']")


def _read_declared(response: object, context: Context) -> Parsed:
    text = as_python_text(response)
    point = None if text is None else robust_point(text)
    if text is None or point is None:
        return unparsed("no point in it")
    named = _DECLARED.findall(text[-1000:])
    space = point.space or (Space(named[-1]) if named else None)
    guess = ""
    if space is None:
        inside = 0 <= point.x <= 1 and 0 <= point.y <= 1
        whole = point.x.is_integer() and point.y.is_integer()
        space = Space.UNIT if inside and not whole else Space.PIXELS
        guess = f"taken for {'fractions' if space is Space.UNIT else 'pixels of the image'}"
    if space is Space.VIEW:
        return unparsed("pixels of a view whose size it does not say")
    if space is Space.PIXELS:
        return placed(pixels(point, context)._replace(note=guess))
    extent = 1000 if space is Space.THOUSAND else 1
    return placed(Parsed((point.x / extent, point.y / extent), None, guess))


_READER = Parser("the point that a reader would take, in its declared space", _read_declared)
_HIT = pairwise(
    "the point in the box, edges included, in fractions or in pixels",
    ("accuracy",),
    "accuracy",
    point_hit,
)


def robust_pointing(task: str) -> Protocol:
    """Return the protocol `robust` of a task that asks for a point in any space."""
    return Protocol(
        task,
        "robust",
        1,
        "ours",
        "reads the point that a human reader would identify; in the unit that the "
        'answer declares (percent, or "space" in JSON), else fractions if it has '
        "decimals in 0..1, else pixels",
        _READER,
        AS_IS,
        _HIT,
        write=writes("({x}, {y})"),
    )
