"""How OSWorld-G is scored: a point in a box or a polygon, or a refusal where nothing is there.

Source: ports of the dataset's own evaluation that agree, and the harnesses that run it. They
differ in what numbers count, in what stands for a refusal, and in what they make of a polygon.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import isnan, nan

import numpy as np

from snellen.grading.coordinates import PIXELS, THOUSAND, UNIT, CoordinateSpace
from snellen.grading.metrics.boxes import Ltrb, point_in_box, point_in_polygon
from snellen.grading.parse.responses import as_python_text
from snellen.grading.pointing.points import ReadPoint, plain_point
from snellen.grading.pointing.screenspot import lmms_eval_point, vlmevalkit_point
from snellen.grading.protocols import areas, base, golds
from snellen.grading.protocols.areas import is_refusal
from snellen.grading.protocols.golds import AreaTarget, GoldShape
from snellen.grading.protocols.pointing import OurPoint, our_split, ours, pointed, takes_declared
from snellen.grading.protocols.spaces import DECLARED, DISTANCE_OF_PIXELS

ORIGINAL, REFINED = "osworld-g/original", "osworld-g/refined"
_NO_SIZE = "the image's size is needed to bring an answer into pixels"
_Point = tuple[float, float]
_NO_POINT = (nan, nan)
_Scale = Callable[[ReadPoint, base.Context], base.Parsed]

# ---- from an answer to a point in pixels -------------------------------------------------------


def _parser(name: str, read: Callable[[str], ReadPoint | None], scale: _Scale) -> base.Parser:
    def find(response: object, _: base.Context) -> ReadPoint | None:
        text = as_python_text(response)
        return None if text is None else read(text)

    unit = scale.__name__.strip("_").replace("_", " ").removeprefix("as ")
    return pointed(name, base.Split(unit, find, scale))


def _as_pixels(point: ReadPoint, _: base.Context) -> base.Parsed:
    return base.Parsed((point.x, point.y))


def _times(x: float, y: float, context: base.Context, whole: float) -> base.Parsed:
    if not context.width or not context.height:
        return base.unparsed(_NO_SIZE)
    return base.Parsed((x / whole * context.width, y / whole * context.height))


def _fractions_or_pixels(point: ReadPoint, context: base.Context) -> base.Parsed:
    if 0 <= point.x <= 1 and 0 <= point.y <= 1:
        return _times(point.x, point.y, context, 1)
    return base.Parsed((point.x, point.y))


def _thousandths(point: ReadPoint, context: base.Context) -> base.Parsed:
    return _times(point.x, point.y, context, 1000)


# ---- from a point to a hit ---------------------------------------------------------------------


def _in_area(point: _Point, gold: AreaTarget) -> bool:
    if gold.polygon:
        return point_in_polygon(*point, gold.polygon)
    return point_in_box(*point, _in_pixels(gold))


def _in_pixels(gold: AreaTarget) -> Ltrb:
    if not golds.is_in_fractions(gold.bbox):
        return gold.bbox
    if gold.image_size is None:
        raise base.UnjudgeableError(_NO_SIZE)
    (left, top, right, bottom), (width, height) = gold.bbox, gold.image_size
    return left * width, top * height, right * width, bottom * height


def _hit(answer: _Point, gold: AreaTarget) -> bool:
    return is_refusal(answer) if gold.refused else _in_area(answer, gold)


def _boxed_polygons(answer: _Point, gold: AreaTarget) -> bool:
    """As `_hit`, but a polygon of four numbers is a box."""
    if not gold.refused and len(gold.polygon) == 4:
        (ax, ay, bx, by) = gold.polygon
        return point_in_box(*answer, (min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)))
    return _hit(answer, gold)


def _first_vertices(answer: _Point, gold: AreaTarget) -> bool:
    """As `_hit`, in fractions; a polygon is the box of its first two corners.

    The refusal is (0, 0).
    """
    if gold.refused:
        return answer == (0, 0)
    left, top, right, bottom = gold.polygon[:4] or _in_pixels(gold)
    width, height = gold.image_size or (1, 1)
    across = left / width <= answer[0] / width <= right / width
    return across and top / height <= answer[1] / height <= bottom / height


def _point_or_none(response: object, _: base.Context) -> base.Parsed:
    text = as_python_text(response)
    point = None if text is None else plain_point(text)
    return base.Parsed(_NO_POINT if point is None else (point.x, point.y))


def _found(answer: _Point, gold: AreaTarget) -> bool:
    """As `_hit`, but an answer without a point is the refusal."""
    if gold.refused or isnan(answer[0]):
        return gold.refused and isnan(answer[0])
    return _in_area(answer, gold)


def _metric(name: str, hit: Callable[[_Point, AreaTarget], bool]) -> base.Metric:
    def compare(answer: base.AnswerValue, gold: base.Gold, _: object) -> Sequence[float]:
        return (float(hit(answer, gold)),)

    return base.pairwise(name, ("accuracy",), "accuracy", compare, (DISTANCE_OF_PIXELS,))


def _boxes_alone(items: Sequence[base.Gold], values: base.FloatArray) -> base.BoolArray:
    return np.array([[not gold.refused and not gold.polygon] for gold in items])[
        :, [0] * values.shape[1]
    ]


def _shown_targets(items: Sequence[base.Gold], values: base.FloatArray) -> base.BoolArray:
    return np.array([[not gold.refused] for gold in items])[:, [0] * values.shape[1]]


# ---- the protocols -----------------------------------------------------------------------------

_OFFICIAL = base.Protocol(
    ORIGINAL,
    "official",
    1,
    "OSWorld-G's evaluation, as three ports of it agree",
    "a point in pixels, or the center of a box; polygons by the even-odd rule; "
    "a refusal is a point with both coordinates below 0",
    _parser(
        "the point that a reader would take, in pixels",
        plain_point,
        _as_pixels,
    ),
    base.AS_IS,
    _metric("the point in the box or the polygon; below 0 where nothing is there", _hit),
)


def _in_space(space: CoordinateSpace, point: OurPoint, context: base.Context) -> base.Parsed:
    """Return a point in pixels of the image; below 0 it is a refusal in every space."""
    image = (context.width, context.height) if context.width and context.height else None
    extent = space.extent(image, point.view)
    if space is PIXELS:
        return base.Parsed((point.x, point.y))
    if extent is None or image is None:
        return base.unparsed(_NO_SIZE)
    return base.Parsed((point.x / extent[0] * image[0], point.y / extent[1] * image[1]))


def _ours(name: str, space: CoordinateSpace | None) -> base.Parser:
    """Make our parser of a point; without a space it goes by the numbers' form."""

    def place(found: OurPoint | ReadPoint, context: base.Context) -> base.Parsed:
        point = found if isinstance(found, OurPoint) else ours(found)
        counted = point.space or space
        if counted is None:
            whole = point.x.is_integer() and point.y.is_integer()
            inside = 0 <= point.x <= 1 and 0 <= point.y <= 1
            counted = UNIT if inside and not whole else PIXELS
        return _in_space(counted, point, context)._replace(note=point.note)

    return pointed(name, our_split("by its form" if space is None else space.words, place))


_ROBUST = replace(
    _OFFICIAL,
    id="robust",
    version=3,
    source="ours",
    special="like `official`, in any format; in the unit that the answer or its format declares, "
    "else fractions if both numbers are within 0..1 and one is not an integer",
    parser=_ours("the point that a reader would take, in its declared space", None),
)
_DECLARED = tuple(
    replace(
        _OFFICIAL,
        id=space.id,
        source="ours",
        special=f"every point is in {space.words}, unless the answer declares its unit",
        parser=_ours(f"a point in {space.words}", space),
        write=areas.writes("({x}, {y})", areas.REFUSAL, space),
    )
    for space in DECLARED
)
_LMMS_EVAL = replace(
    _OFFICIAL,
    id="lmms-eval",
    source="lmms-eval 75571cf, osworld_g",
    special="fractions if both numbers are within 0..1, else pixels; thousandths score "
    "almost nothing; a polygon of four numbers is a box",
    parser=_parser(
        "lmms-eval's: the first pair that it finds", lmms_eval_point, _fractions_or_pixels
    ),
    metric=_metric("as `official`; four numbers of a polygon are a box", _boxed_polygons),
)
_VLMEVALKIT = replace(
    _OFFICIAL,
    id="vlmevalkit",
    source="VLMEvalKit e8e78f0, OSWorld_G",
    special="requires `x=.., y=..` in thousandths, anything else is the point (0, 0); "
    "only boxes: polygons and refusals are not in its data",
    parser=_parser("VLMEvalKit's `x=.., y=..`", vlmevalkit_point, _thousandths),
    denominator=base.Denominator("the items that ask for a box", keep=_boxes_alone),
    write=areas.writes("x={x}, y={y}", "x=0, y=0", THOUSAND),
)
_MAIUI = replace(
    _OFFICIAL,
    id="maiui",
    version=2,
    source="MAI-UI 4dd07b9",
    special="a polygon is the box of its first two corners; a refusal is exactly (0, 0)",
    metric=_metric("the point in the box of the first four numbers", _first_vertices),
    write=areas.writes("({x}, {y})", "(0, 0)", PIXELS),
)
_OLMO_EVAL = replace(
    _OFFICIAL,
    id="olmo-eval",
    source="olmo-eval 8ab875e",
    special="a refusal is an answer without a point; a point with a coordinate below 0 "
    "is outside the image and not a refusal",
    parser=base.Parser("the point that a reader would take, in pixels, or none", _point_or_none),
    metric=_metric("the point in the box or the polygon; no point where nothing is there", _found),
    write=areas.writes("({x}, {y})", "It is not there.", PIXELS),
)
_WITHOUT_REFUSALS = replace(
    _OFFICIAL,
    id="official-510",
    source="OSWorld-G's evaluation over the set that its mirrors hold",
    special="like `official`, only over the 510 items with a target, as in the mirrors",
    denominator=base.Denominator("the items that have a target", keep=_shown_targets),
)

_PUBLISHED = (_OFFICIAL, _LMMS_EVAL, _VLMEVALKIT, _MAIUI, _OLMO_EVAL, _WITHOUT_REFUSALS)
_WRITE = areas.writes("({x}, {y})", areas.REFUSAL, PIXELS)
_READY = [takes_declared(one, None if one.write else _WRITE) for one in _PUBLISHED]
_ALL = (_ROBUST, *_READY, *_DECLARED)
PROTOCOLS: Mapping[str, tuple[base.Protocol, ...]] = {
    task: tuple(replace(one, task=task) for one in _ALL) for task in (ORIGINAL, REFINED)
}
GOLDS: Mapping[str, GoldShape] = {ORIGINAL: golds.TARGET_AREA, REFINED: golds.TARGET_AREA}
