"""Rules on points and boxes: near misses. Readings in other spaces are in `spaces`."""

from collections.abc import Iterator, Sequence
from typing import cast

from snellen.grading.failures.clues import Failure
from snellen.grading.failures.tags import FailureTag
from snellen.grading.metrics.boxes import Ltrb, point_in_box
from snellen.grading.protocols.golds import ImageTarget, Target, known_box, unit_target
from snellen.grading.protocols.spaces import InPixels


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
