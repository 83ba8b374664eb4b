"""What boxes that are right answers have to be, whichever benchmark they are from.

One rule for all loaders: what can't be an answer in any reading is refused with its row, and a box
that reaches outside its image is kept and counted in a note, for published data may hold such.
"""

from collections.abc import Sequence

from snellen.grading.metrics.boxes import Ltrb, box_fault
from snellen.grading.protocols.golds import is_in_fractions

_FEWEST_PIXELS = 2
"""A target in pixels reaches further than this from the image's corner, and fractions do not."""


def target_fault(box: Ltrb, size: tuple[float, float] | None) -> str:
    """Say why a box in pixels can't be a target, or nothing.

    Args:
        box: Left, top, right, bottom.
        size: Width and height of the image, where the box's own row says them; None: not known,
            or known from elsewhere, so that it may be another image's.

    >>> target_fault((10, 10, 30, 20), (100, 50)), target_fault((90, 40, 120, 60), (100, 50))
    ('', '')
    >>> target_fault((0.9, 0.9, 1.2, 1.1), (100, 50))[-53:]
    'neither fractions of the image, 0 to 1, nor in pixels'
    >>> target_fault((120, 10, 130, 20), (100, 50))
    'the box [120, 10, 130, 20] lies outside the image of 100 x 50'
    """
    if fault := box_fault(box):
        return fault
    if max(box) <= _FEWEST_PIXELS and not all(float(side).is_integer() for side in box):
        return f"the box {list(box)} is neither fractions of the image, 0 to 1, nor in pixels"
    if size is not None:
        width, height = size
        left, top, right, bottom = box
        if left > width or top > height or right < 0 or bottom < 0:
            return f"the box {list(box)} lies outside the image of {width:g} x {height:g}"
    return ""


def reaches_outside(box: Ltrb, size: tuple[float, float] | None) -> bool:
    """Whether a box leaves its image: in fractions never, in pixels by more than rounding up.

    >>> [reaches_outside(box, (100, 50)) for box in ((0, 0, 101, 51), (-5, 0, 10, 10))]
    [False, True]
    """
    if size is None or is_in_fractions(box):
        return False
    left, top, right, bottom = box
    width, height = size
    # A box that ends with the image may be rounded up to the next pixel.
    return left < 0 or top < 0 or right > width + 1 or bottom > height + 1


def outside_note(ids: Sequence[str]) -> str:
    """Count the items whose box reaches outside its image; nothing where none does.

    >>> outside_note(["web/0", "web/7"])
    "2 right boxes reach outside their images ('web/0', ...)"
    """
    if not ids:
        return ""
    what = "box reaches outside its image" if len(ids) == 1 else "boxes reach outside their images"
    return f"{len(ids)} right {what} ({ids[0]!r}, ...)"
