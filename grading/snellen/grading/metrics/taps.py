"""Whether a tap is close to enlarged boxes or to the nodes of a screen."""

from collections.abc import Sequence
from math import hypot

from snellen.grading.metrics.boxes import Ltrb, point_in_box

Point = tuple[float, float]
_NEAREST = 5


def enlarged(box: Ltrb, factor: float) -> Ltrb:
    """Return a box enlarged about its center, by the published sums: edges depend on them.

    Args:
        box: Left, top, right, bottom.
        factor: The factor for width and height.

    Source: the check of InfiGUI-R1 d280ab8, after Qwen's for AndroidControl.

    >>> enlarged((0, 0, 10, 20), 1.5)
    (-2.5, -5.0, 12.5, 25.0)
    """
    left, top, right, bottom = box
    x, y = (left + right) / 2, (top + bottom) / 2
    across, down = (right - left) * factor / 2, (bottom - top) * factor / 2
    return x - across, y - down, x + across, y + down


def in_any(point: Point, boxes: Sequence[Ltrb]) -> bool:
    """Whether a point lies in one of the boxes, edges included, all in one space."""
    return any(point_in_box(*point, box) for box in boxes)


def pushed_in(box: Ltrb, factor: float) -> Ltrb:
    """Return a box in fractions of the screen, enlarged, with its origin at 0 or more.

    A negative origin is moved to 0 and the size is kept. Neither side exceeds 1.

    Source: AgentCPM-GUI acbaf50, the enlarging of `ui_positions`, from Google's for AITW.

    >>> pushed_in((0.0, 0.5, 0.5, 1.0), 1.5)
    (0.0, 0.375, 0.75, 1.125)
    """
    left, top, right, bottom = box
    width, height = right - left, bottom - top
    wide, high = min(1.0, factor * width), min(1.0, factor * height)
    left = max(0.0, left - (wide - width) / 2)
    top = max(0.0, top - (high - height) / 2)
    return left, top, left + wide, top + high


def in_nearest(point: Point, reference: Point, boxes: Sequence[Ltrb]) -> bool:
    """Whether a point lies in one of the five boxes whose centers are closest to the reference.

    The boxes need not contain the reference. Of boxes at the same distance the earlier counts.

    Source: AgentCPM-GUI acbaf50; guievalkit d5e954e.
    """

    def distance(box: Ltrb) -> float:
        return hypot((box[0] + box[2]) / 2 - reference[0], (box[1] + box[3]) / 2 - reference[1])

    return in_any(point, sorted(boxes, key=distance)[:_NEAREST])


def smallest_around(point: Point, boxes: Sequence[Ltrb]) -> int | None:
    """Return the index of the smallest box that contains a point, edges included, or None.

    Source: UGround 3a9b9f2, the evaluation of AndroidControl.
    """
    holding = [
        ((box[2] - box[0]) * (box[3] - box[1]), index)
        for index, box in enumerate(boxes)
        if point_in_box(*point, box)
    ]
    return min(holding)[1] if holding else None
