"""How UI-Vision is scored: points in elements, and boxes of regions.

Source: UI-Vision 2b79355, whose scorers are published for both kinds of grounding.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from snellen.grading.coordinates import THOUSAND
from snellen.grading.metrics.boxes import Ltrb
from snellen.grading.parse.responses import as_python_text
from snellen.grading.pointing.points import ReadPoint, box_four_numbers, plain_point, robust_box
from snellen.grading.protocols import base, golds, pointing
from snellen.grading.protocols.golds import GoldShape
from snellen.grading.protocols.spaces import declared_boxes, held, our_boxes, placed, robust_boxing

BASIC, FUNCTIONAL, SPATIAL = (f"ui-vision/{kind}" for kind in ("basic", "functional", "spatial"))
LAYOUT = "ui-vision/layout"


def _by_thousand(point: ReadPoint, _: base.Context) -> base.Parsed:
    return base.Parsed((point.x / 1000, point.y / 1000))


def _read_box(response: object, _: base.Context) -> base.Parsed:
    text = as_python_text(response)
    box = None if text is None else box_four_numbers(text) or robust_box(text, plainly=True)
    if box is None:
        return base.unparsed("no box in it")
    return placed(base.Parsed(tuple(side / 1000 for side in box.ltrb)))


def _overlap(answer: base.AnswerValue, gold: base.Gold, _: object) -> Sequence[float]:
    """Return IoU, precision and recall as printed: the names of the last two are exchanged."""
    numbers, box = held(answer, gold)
    left, top, right, bottom = numbers
    given = (left, top, right, bottom)
    area, reference = _area(given), _area(box)
    if area <= 0 or reference <= 0 or right <= left or bottom <= top:
        return 0.0, 0.0, 0.0
    common = _area((max(left, box[0]), max(top, box[1]), min(right, box[2]), min(bottom, box[3])))
    return common / (area + reference - common), common / reference, common / area


def _area(box: Ltrb) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def _written_box(gold: golds.Target) -> list[object]:
    left, top, right, bottom = golds.unit_target(gold) or gold.bbox
    return [[1000 * side for side in (left, top, right, bottom)]]


_ELEMENT = base.Protocol(
    BASIC,
    "official",
    1,
    "UI-Vision 2b79355, element grounding; the reading of thousandths that most of its adapters do",
    "a point in thousandths in the box, including edges; an unreadable answer is wrong",
    pointing.point_parser(
        "the point that a reader would take, in thousandths",
        plain_point,
        _by_thousand,
    ),
    base.AS_IS,
    pointing.POINT_HIT,
    write=pointing.writes("({x}, {y})", THOUSAND),
)
_LAYOUT = base.Protocol(
    LAYOUT,
    "official",
    1,
    "UI-Vision 2b79355, layout grounding",
    "the mean IoU; its precision is the covered share of the reference, and its"
    " recall that of the answer; an inverted box scores 0",
    base.Parser("a box in thousandths", _read_box),
    base.AS_IS,
    base.pairwise(
        "IoU, with precision and recall exchanged",
        ("iou", "precision", "recall"),
        "iou",
        _overlap,
    ),
    write=_written_box,
)
_ROBUST = replace(
    pointing.robust_pointing(BASIC),
    special="like `official`, in any format; in the unit that the answer or its format declares,"
    " else fractions if it has decimals in 0..1, thousandths up to 1000, else pixels",
    parser=pointing.our_points(
        "the point that a reader would take, in its declared space",
        pointing.thousandths_by_form,
        "by its form",
    ),
)
_ROBUST_LAYOUT = replace(
    robust_boxing(LAYOUT),
    special="like `official`, in any format; in the unit that the answer or its format declares,"
    " else fractions if the box lies in 0..1, else thousandths",
    parser=base.Parser(
        "the box that a reader would take, in its declared space",
        our_boxes(THOUSAND, by_form=True),
    ),
    metric=_LAYOUT.metric,
    write=_written_box,
)

PROTOCOLS: Mapping[str, tuple[base.Protocol, ...]] = {
    **{
        task: (
            replace(_ROBUST, task=task),
            pointing.takes_declared(replace(_ELEMENT, task=task)),
            *pointing.declared_points(task),
        )
        for task in (BASIC, FUNCTIONAL, SPATIAL)
    },
    LAYOUT: (_ROBUST_LAYOUT, _LAYOUT, *declared_boxes(LAYOUT)),
}
GOLDS: Mapping[str, GoldShape] = {
    **dict.fromkeys((BASIC, FUNCTIONAL, SPATIAL), golds.TARGET_IN_IMAGE),
    LAYOUT: golds.TARGET_BOX,
}
