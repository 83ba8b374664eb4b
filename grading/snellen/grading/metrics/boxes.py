"""Overlap of boxes, points in boxes, and the matching of two sets of boxes.

Boxes are numbers in the order left, top, right, bottom. Both sides of a comparison must be in the
same coordinate space; this is not checked. Every threshold compares with >=.
"""

from collections import Counter
from collections.abc import Sequence
from math import isfinite
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from snellen.grading.errors import MetricError

Ltrb: TypeAlias = tuple[float, float, float, float]
"""A box: left, top, right, bottom."""

Matching: TypeAlias = Literal["iou", "count"]
"""What an assignment of predicted boxes to reference boxes maximises."""

Edge: TypeAlias = tuple[int, int, float]
"""A pair that may be matched: index of the prediction, index of the reference, IoU."""

# Two assignments whose sums differ by less are a tie, which the published solver must break.
_TIE = 1e-9


class Match(NamedTuple):
    """A predicted box matched to a reference box, each as an index into its own list."""

    prediction: int
    reference: int
    iou: float


def box_fault(box: Ltrb) -> str:
    """Describe the fault of a box: a side that is not finite, or inverted sides; empty if none.

    >>> box_fault((0, 0, 10, 5)), box_fault((10, 0, 0, 5))
    ('', 'a box is inverted (left, top, right, bottom): [10, 0, 0, 5]')
    """
    left, top, right, bottom = box
    if not all(map(isfinite, box)):
        return f"a box has a side that is no finite number: {list(box)}"
    if right < left or bottom < top:
        return f"a box is inverted (left, top, right, bottom): {list(box)}"
    return ""


def iou(a: Ltrb, b: Ltrb) -> float:
    """Intersection over union of two boxes, 0..1.

    A box without area or with inverted sides overlaps nothing, not even itself, as in the published
    code (screen_qa code/metrics.py, `iou`).

    Raises:
        MetricError: A side is NaN or infinite, or so large that an area is infinite.

    >>> iou((0, 0, 10, 10), (0, 0, 13, 10))
    0.7692307692307693
    """
    left, top, right, bottom = a
    left2, top2, right2, bottom2 = b
    area, area2 = (right - left) * (bottom - top), (right2 - left2) * (bottom2 - top2)
    if not isfinite(area + area2):
        raise MetricError(f"boxes must be finite, not {a} and {b}")
    width = min(right, right2) - max(left, left2)
    height = min(bottom, bottom2) - max(top, top2)
    if width <= 0 or height <= 0:
        return 0.0
    overlap = width * height
    # A product of tiny sides can be 0 although neither side is.
    return overlap / (area + area2 - overlap) if overlap > 0 else 0.0


def point_in_box(x: float, y: float, box: Ltrb) -> bool:
    """Whether a point lies in a box, edges included.

    Source: VisualWebBench utils/eval_utils.py (point variants); MMBench-GUI
    benchmarks/l2_element_grounding.py.

    >>> point_in_box(10, 5, (0, 0, 10, 5)), point_in_box(10.1, 5, (0, 0, 10, 5))
    (True, False)
    """
    left, top, right, bottom = box
    return left <= x <= right and top <= y <= bottom


def point_in_polygon(x: float, y: float, corners: Sequence[float]) -> bool:
    """Whether a point lies in a polygon by the even-odd rule; only left and top edges are inside.

    Args:
        x: The point's x.
        y: The point's y.
        corners: x, y, x, y, ... of the polygon's corners, in the point's space.

    Source: OSWorld-G; three ports of its evaluation agree.

    >>> point_in_polygon(3, 3, (0, 0, 9, 0, 0, 9)), point_in_polygon(8, 8, (0, 0, 9, 0, 0, 9))
    (True, False)
    """
    inside = False
    points = list(zip(corners[::2], corners[1::2], strict=True))
    for (ax, ay), (bx, by) in zip(points, [points[-1], *points[:-1]], strict=True):
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            inside = not inside
    return inside


def iou_matrix(
    predictions: Sequence[Ltrb] | NDArray[np.float64],
    references: Sequence[Ltrb] | NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the `iou` of every prediction (n x 4) with every reference (m x 4): an n x m matrix.

    Raises:
        MetricError: The arrays have another shape, or hold numbers that `iou` does not accept.
    """
    a, b = _box_array(predictions), _box_array(references)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        areas = (a[:, 2] - a[:, 0]) * (a[:, 3] - a[:, 1])
        areas2 = (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1])
        if not np.isfinite(areas[:, None] + areas2[None, :]).all():
            raise MetricError("boxes must be finite")
        width = np.minimum(a[:, None, 2], b[None, :, 2]) - np.maximum(a[:, None, 0], b[None, :, 0])
        height = np.minimum(a[:, None, 3], b[None, :, 3]) - np.maximum(a[:, None, 1], b[None, :, 1])
        overlap = np.where((width > 0) & (height > 0), width * height, 0.0)
        union = areas[:, None] + areas2[None, :] - overlap
        return np.where(overlap > 0, overlap / union, 0.0)


def match_by_iou(matrix: NDArray[np.float64], threshold: float) -> tuple[Match, ...]:
    """Match boxes one to one with the largest sum of IoU, as published.

    IoUs below the threshold become 0 first. The largest sum does not always give the largest number
    of matches; `match_by_count` does.

    Args:
        matrix: IoU of every prediction (rows) with every reference (columns), 0..1.
        threshold: Smallest IoU that counts, over 0 and up to 1.

    Returns:
        The matches that reach the threshold, in the order of the predictions.

    Raises:
        MetricError: The threshold or the matrix is out of range.

    Source: screen_qa code/metrics.py, `uic_bb_f1_score`.

    >>> len(match_by_iou(np.array([[0.769, 0.150], [0.161, 0.0]]), 0.1))
    1
    """
    kept = _thresholded(matrix, threshold)
    return _matches(kept, kept)


def match_by_count(matrix: NDArray[np.float64], threshold: float) -> tuple[Match, ...]:
    """Match as many boxes as possible one to one; ties go to the largest sum of IoU.

    Args:
        matrix: IoU of every prediction (rows) with every reference (columns), 0..1.
        threshold: Smallest IoU that counts, over 0 and up to 1.

    Returns:
        The matches, in the order of the predictions.

    Raises:
        MetricError: The threshold or the matrix is out of range.

    >>> len(match_by_count(np.array([[0.769, 0.150], [0.161, 0.0]]), 0.1))
    2
    """
    kept = _thresholded(matrix, threshold)
    # One more match outweighs any loss of IoU.
    bonus = min(kept.shape) + 1
    return _matches(kept, np.where(kept > 0, kept + bonus, 0.0))


def detection_f1(
    predictions: Sequence[Ltrb] | NDArray[np.float64],
    references: Sequence[Ltrb] | NDArray[np.float64],
    *,
    iou_threshold: float,
    matching: Matching = "iou",
) -> float:
    """F1 of detected boxes, 0..1; two empty lists score 1, one empty list scores 0.

    Raises:
        MetricError: The threshold is not in 0..1, or is 0; or a box is not finite.

    Source: screen_qa code/metrics.py, `uic_bb_f1_score`, which is `matching="iou"`.
    """
    check_threshold(iou_threshold)
    if len(predictions) == 0 or len(references) == 0:
        return float(len(predictions) == len(references))
    match = match_by_iou if matching == "iou" else match_by_count
    matches = match(iou_matrix(predictions, references), iou_threshold)
    return f1_of_matches(len(matches), len(predictions), len(references))


def f1_of_matches(matches: int, predictions: int, references: int) -> float:
    """Harmonic mean of precision and recall, 0 without a match, rounded as published."""
    if matches == 0:
        return 0.0
    precision, recall = matches / predictions, matches / references
    return 2 * precision * recall / (precision + recall)


def count_matches(edges: Sequence[Edge], shape: tuple[int, int], matching: Matching) -> int:
    """Count the matches of the best assignment of the pairs that reach the threshold.

    Boxes rarely have two candidates. If no pair shares both of its boxes with other pairs, each
    cluster of pairs is a star and gives one match. If one such pair connects two stars, its IoU is
    compared with that of the two pairs that it excludes. Only the rest goes to the solver. Ties go
    there too, because the published number then depends on that solver.

    Args:
        edges: Every pair whose IoU reaches the threshold, each once.
        shape: The number of predictions and the number of references.
        matching: The quantity to maximize: the sum of IoU (as published) or the number of matches.
    """
    if len({edge[0] for edge in edges}) == len({edge[1] for edge in edges}) == len(edges):
        return len(edges)
    rows = Counter([edge[0] for edge in edges])
    columns = Counter([edge[1] for edge in edges])
    shared = [edge for edge in edges if rows[edge[0]] > 1 and columns[edge[1]] > 1]
    # Boxes minus pairs is the number of clusters if each cluster is a tree.
    clusters = len(rows) + len(columns) - len(edges)
    if not shared:
        return clusters
    if len(shared) == len({edge[0] for edge in shared}) == len({edge[1] for edge in shared}):
        extra = [_two_beat_one(edge, edges, matching) for edge in shared]
        if None not in extra:
            return clusters + sum(map(bool, extra))
    elif len(edges) == 4 and len(rows) == len(columns) == 2:
        return 2
    return _solve_count(edges, shape, matching)


def check_threshold(threshold: float) -> None:
    """Raise MetricError unless the threshold is greater than 0 and at most 1.

    At 0 every pair of boxes would match, even boxes that do not touch.
    """
    if not 0 < threshold <= 1:
        raise MetricError(f"an IoU threshold must be over 0 and at most 1, not {threshold}")


def _two_beat_one(middle: Edge, edges: Sequence[Edge], matching: Matching) -> bool | None:
    """Whether the best pairs on both sides of the middle pair beat it together; None for a tie."""
    if matching == "count":
        return True
    row, column, weight = middle
    beside = max(value for i, j, value in edges if i == row and j != column)
    above = max(value for i, j, value in edges if j == column and i != row)
    gain = beside + above - weight
    return None if abs(gain) < _TIE else gain > 0


def _solve_count(edges: Sequence[Edge], shape: tuple[int, int], matching: Matching) -> int:
    # The solver's choice among ties depends on the matrix's shape, so empty rows stay.
    matrix = np.zeros(shape)
    for row, column, value in edges:
        matrix[row, column] = value if matching == "iou" else 1.0
    rows, columns = _assign(matrix)
    return int(np.count_nonzero(matrix[rows, columns]))


def _matches(kept: NDArray[np.float64], weights: NDArray[np.float64]) -> tuple[Match, ...]:
    rows, columns = np.nonzero(kept)
    if len(np.unique(rows)) < len(rows) or len(np.unique(columns)) < len(columns):
        rows, columns = _assign(weights)
    return tuple(
        Match(int(row), int(column), float(kept[row, column]))
        for row, column in zip(rows, columns, strict=True)
        if kept[row, column] > 0
    )


def _assign(weights: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    from scipy.optimize import linear_sum_assignment

    return linear_sum_assignment(weights, maximize=True)


def _thresholded(matrix: NDArray[np.float64], threshold: float) -> NDArray[np.float64]:
    check_threshold(threshold)
    values = np.asarray(matrix, dtype=np.float64)
    if values.ndim != 2:
        raise MetricError(f"an IoU matrix has two dimensions, not {values.ndim}")
    if not ((values >= 0) & (values <= 1)).all():
        raise MetricError("an IoU matrix holds numbers from 0 to 1 only")
    return np.where(values >= threshold, values, 0.0)


def _box_array(boxes: Sequence[Ltrb] | NDArray[np.float64]) -> NDArray[np.float64]:
    array = np.asarray(boxes, dtype=np.float64)
    if array.size == 0:
        return array.reshape(0, 4)
    if array.ndim != 2 or array.shape[1] != 4:
        raise MetricError(f"boxes come as rows of four numbers, not in the shape {array.shape}")
    return array
