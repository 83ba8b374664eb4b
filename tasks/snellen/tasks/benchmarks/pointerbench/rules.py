"""How PointerBench is scored: a point in the box; or a box that covers it and not much else.

Source: pointerbench, the three eval.py (2026-06-29).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from snellen.grading.coordinates import PIXELS, UNIT, CoordinateSpace
from snellen.grading.metrics.boxes import Ltrb, point_in_box
from snellen.grading.protocols import base, golds, pointing, spaces
from snellen.grading.protocols.golds import BoxOrPoint, GoldShape

SHEETS, TEXT, PRO = (f"pointerbench/{kind}" for kind in ("sheets", "text", "pro"))
_COVERAGE, _PRECISION = 0.90, 0.70


def _ordered(box: Sequence[float]) -> Ltrb:
    (left, right), (top, bottom) = sorted(box[::2]), sorted(box[1::2])
    return left, top, right, bottom


def _area(box: Ltrb) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def _covers(answer: Sequence[float], box: Ltrb) -> bool:
    """Whether nearly all of a box is in the answer, and most of the answer in the box."""
    given = _ordered(answer)
    common = _area(
        (max(given[0], box[0]), max(given[1], box[1]), min(given[2], box[2]), min(given[3], box[3]))
    )
    covered, precise = _area(box), _area(given)
    return bool(covered and precise) and (
        common / covered >= _COVERAGE and common / precise >= _PRECISION
    )


def _hit(*, middles: bool) -> base.Compare:
    """Return the hit; `middles` says whether the middle of a box answers what asks for a point."""

    def compare(answer: base.AnswerValue, gold: BoxOrPoint, _: object) -> tuple[float]:
        numbers, box = spaces.held(answer, gold)
        box = _ordered(box)
        if gold.boxed:
            return (float(len(numbers) == 4 and _covers(numbers, box)),)
        if len(numbers) == 4 and not middles:
            return (0.0,)
        x = sum(numbers[::2]) / len(numbers[::2])
        y = sum(numbers[1::2]) / len(numbers[1::2])
        return (float(point_in_box(x, y, box)),)

    return compare


def _read(protocol: base.Protocol, space: CoordinateSpace, *, by_form: bool = False) -> base.Parser:
    """Return a reader of a box, and where there is none of a point, as a protocol reads it."""
    boxes = spaces.our_boxes(space, by_form=by_form)

    def read(response: object, context: base.Context) -> base.Parsed:
        # Pixels stay what they are: a share may be exactly 0.90 in them.
        box = boxes(response, base.NO_CONTEXT)
        return protocol.parser.read(response, context) if box.answer is None else box

    return base.Parser(f"a box, else {protocol.parser.name}", read)


def _writes(space: CoordinateSpace) -> Callable[[BoxOrPoint], list[object]]:
    def write(gold: BoxOrPoint) -> list[object]:
        left, top, right, bottom = spaces.box_in(space, gold)
        if gold.boxed:
            return [[left, top, right, bottom]]
        return [[(left + right) / 2, (top + bottom) / 2]]

    return write


_NAME = "the point in the box; or a box with coverage >= 0.90 and precision >= 0.70"
_ANY, _STRICT = (spaces.point_metric(_NAME, _hit(middles=middles)) for middles in (True, False))
_ROBUST = pointing.robust_pointing(SHEETS)
_ADAPTED = pointing.points_of_adapters(SHEETS, PIXELS, "pointerbench eval.py (2026-06-29)")
_ALL = (
    replace(
        _ROBUST,
        parser=_read(_ROBUST, PIXELS, by_form=True),
        metric=_ANY,
        write=_writes(UNIT),
        special=f"{_ROBUST.special}; the middle of a box answers what asks for a point",
    ),
    replace(
        _ADAPTED,
        version=1,
        parser=_read(_ADAPTED, PIXELS),
        metric=_STRICT,
        write=_writes(PIXELS),
        special="a point or a box in pixels of the image; missing is wrong, and so is a box where a"
        " point is asked for",
    ),
    *(
        replace(one, parser=_read(one, space), metric=_ANY, write=_writes(space))
        for one, space in zip(pointing.declared_points(SHEETS), spaces.DECLARED, strict=True)
    ),
)

PROTOCOLS: Mapping[str, tuple[base.Protocol, ...]] = {
    task: tuple(replace(one, task=task) for one in _ALL) for task in (SHEETS, TEXT, PRO)
}
GOLDS: Mapping[str, GoldShape] = dict.fromkeys(PROTOCOLS, golds.BOX_OR_POINT)
