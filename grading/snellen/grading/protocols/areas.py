"""Protocols of pointing at an area: a box, a polygon, or nothing where nothing is there."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from snellen.grading.coordinates import UNIT, CoordinateSpace
from snellen.grading.metrics.boxes import point_in_polygon
from snellen.grading.protocols import base, golds, pointing, spaces
from snellen.grading.protocols.golds import AreaTarget

REFUSAL = "(-1, -1)"
_SPECIAL = (
    "; a point with both coordinates below 0 is a refusal; a box that is empty or inverted is never"
    " hit"
)


def is_refusal(point: Sequence[float]) -> bool:
    """Whether a point says that what is asked for is not there: both coordinates below 0."""
    return point[0] < 0 and point[1] < 0


def area_hit(answer: base.AnswerValue, gold: AreaTarget, _: object) -> tuple[float]:
    """Whether a point lies in an area, or refuses where there is none.

    A box has its edges, and is never hit if it is empty or inverted; a polygon goes by the even-odd
    rule. A polygon counts what its box counts.
    """
    if gold.refused:
        return (float(is_refusal(answer)),)
    (left, top, right, bottom) = gold.bbox
    if right <= left or bottom <= top:
        return (0.0,)
    return published_hit(answer, gold, None)


def published_hit(answer: base.AnswerValue, gold: AreaTarget, _: object) -> tuple[float]:
    """As `area_hit`, but a box without width or height is hit by a point on it."""
    if gold.refused:
        return (float(is_refusal(answer)),)
    if not gold.polygon:
        return spaces.point_hit(answer, gold, None)
    (x, y), box = spaces.held(answer, gold)
    across, down = (1.0, 1.0) if box == gold.bbox else gold.image_size or (1.0, 1.0)
    return (float(point_in_polygon(x * across, y * down, gold.polygon)),)


AREA_HIT = spaces.point_metric(
    "the point in the box or the polygon; below 0 where nothing is there", area_hit
)


def writes(
    form: str, refusal: str = REFUSAL, space: CoordinateSpace = UNIT
) -> Callable[[base.Gold], list[object]]:
    """Return how an area's middle, or a refusal, is written in a harness's form: {x} and {y}.

    Args:
        form: The form, such as `click({x}, {y})`.
        refusal: What is written where nothing is there.
        space: What the numbers count.
    """
    plain = pointing.writes(form, space)

    def write(gold: AreaTarget) -> list[object]:
        if gold.refused:
            return [refusal]
        x, y = golds.point_of_area(gold)
        return plain(golds.ImageTarget((x, y, x, y), gold.image_size))

    return write


def _refusing(parser: base.Parser) -> base.Parser:
    """Return a parser to which a refusal is no point outside the image."""

    def plain(parsed: base.Parsed) -> base.Parsed:
        if parsed.answer is None or not is_refusal(parsed.answer):
            return parsed
        return parsed._replace(note=parsed.note.removesuffix(base.OUTSIDE).removesuffix("; "))

    def read(response: object, context: base.Context) -> base.Parsed:
        return plain(parser.read(response, context))

    split = parser.split
    if split is None:
        return replace(parser, read=read)
    placed = split.place

    def place(found: object, context: base.Context) -> base.Parsed:
        return plain(placed(found, context))

    return replace(parser, read=read, split=split._replace(place=place))


def of_areas(protocol: base.Protocol, space: CoordinateSpace = UNIT) -> base.Protocol:
    """Return a protocol of points, of ours, for areas.

    Args:
        protocol: The protocol.
        space: What the numbers of an answer count that is written for it.
    """
    return replace(
        protocol,
        special=protocol.special + _SPECIAL,
        parser=_refusing(protocol.parser),
        metric=AREA_HIT,
        write=writes("({x}, {y})", space=space),
    )


def area_protocols(official: base.Protocol, *others: base.Protocol) -> tuple[base.Protocol, ...]:
    """Return the protocols of a task that asks for a point in an area, as `point_protocols`."""
    robust, *published = pointing.point_protocols(official, *others)
    declared = len(spaces.DECLARED)
    return (
        of_areas(robust),
        *(replace(one, parser=_refusing(one.parser)) for one in published[:-declared]),
        *map(of_areas, published[-declared:], spaces.DECLARED),
    )
