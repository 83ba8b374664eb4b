import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from snellen.grading.errors import MetricError
from snellen.grading.metrics.boxes import (
    Ltrb,
    count_matches,
    detection_f1,
    f1_of_matches,
    iou,
    iou_matrix,
    match_by_count,
    match_by_iou,
    point_in_box,
)

pytestmark = pytest.mark.compat

# The example of BENCHMARKS 3.3, y from 0 to 10.
PREDICTIONS: list[Ltrb] = [(0, 0, 13, 10), (-8, 0, 2.9, 10)]
REFERENCES: list[Ltrb] = [(0, 0, 10, 10), (10, 0, 20, 10)]

sides = st.integers(0, 8)


@st.composite
def boxes(draw: st.DrawFn) -> Ltrb:
    left, right = sorted([draw(sides), draw(sides)])
    top, bottom = sorted([draw(sides), draw(sides)])
    return left, top, right, bottom


@st.composite
def matrices(draw: st.DrawFn) -> NDArray[np.float64]:
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    cells = st.sampled_from([0.0, 0.05, 0.1, 0.2, 0.3, 0.37, 0.5, 0.77, 1.0])
    flat = draw(st.lists(cells, min_size=rows * columns, max_size=rows * columns))
    return np.array(flat).reshape(rows, columns)


def cells_covered(a: Ltrb) -> set[tuple[int, int]]:
    return {(x, y) for x in range(int(a[0]), int(a[2])) for y in range(int(a[1]), int(a[3]))}


def all_assignments(matrix: NDArray[np.float64]) -> list[list[tuple[int, int]]]:
    """Every way of giving each row of the shorter side its own partner."""
    rows, columns = int(matrix.shape[0]), int(matrix.shape[1])
    orders = list(permutations(range(max(rows, columns)), min(rows, columns)))
    if rows <= columns:
        return [list(enumerate(chosen)) for chosen in orders]
    return [[(r, c) for c, r in enumerate(chosen)] for chosen in orders]


@given(boxes(), boxes())
def test_iou_counts_the_cells_of_a_grid(a: Ltrb, b: Ltrb) -> None:
    union = cells_covered(a) | cells_covered(b)
    expected = len(cells_covered(a) & cells_covered(b)) / len(union) if union else 0.0
    assert iou(a, b) == pytest.approx(expected, abs=1e-15)


@given(boxes(), boxes())
def test_iou_is_symmetric_and_between_zero_and_one(a: Ltrb, b: Ltrb) -> None:
    assert iou(a, b) == iou(b, a)
    assert 0 <= iou(a, b) <= 1


def test_the_worked_ious() -> None:
    # BENCHMARKS 3.3: [[0.769, 0.150], [0.161, 0]]
    expected = [[0.769, 0.150], [0.161, 0]]
    assert iou_matrix(PREDICTIONS, REFERENCES) == pytest.approx(np.array(expected), abs=5e-4)
    assert iou(PREDICTIONS[0], REFERENCES[0]) == pytest.approx(0.769, abs=5e-4)


@pytest.mark.parametrize("flat", [(3, 3, 3, 9), (3, 3, 9, 3), (3, 3, 3, 3), (9, 3, 3, 9)])
def test_a_box_without_area_overlaps_nothing_not_even_itself(flat: Ltrb) -> None:
    # BENCHMARKS 3.3
    assert iou(flat, flat) == 0
    assert iou(flat, (0, 0, 10, 10)) == 0
    assert iou_matrix([flat], [flat]).tolist() == [[0]]


def test_boxes_that_only_touch_do_not_overlap() -> None:
    assert iou((0, 0, 5, 5), (5, 0, 10, 5)) == 0


def test_tiny_boxes_whose_areas_vanish_do_not_overlap() -> None:
    tiny = (0.0, 0.0, 1e-200, 1e-200)
    assert iou(tiny, tiny) == 0
    assert iou_matrix([tiny], [tiny]).tolist() == [[0]]


@pytest.mark.parametrize("side", [math.nan, math.inf, 1e200])
def test_iou_of_boxes_that_are_not_finite_is_undefined(side: float) -> None:
    odd = (0.0, 0.0, side, side)
    with pytest.raises(MetricError, match="finite"):
        iou(odd, (0, 0, 1, 1))
    with pytest.raises(MetricError, match="finite"):
        iou_matrix([odd], [(0, 0, 1, 1)])


@given(st.lists(boxes(), max_size=5), st.lists(boxes(), max_size=5))
def test_the_matrix_holds_every_iou(predictions: list[Ltrb], references: list[Ltrb]) -> None:
    matrix = iou_matrix(predictions, references)
    assert matrix.shape == (len(predictions), len(references))
    for i, a in enumerate(predictions):
        for j, b in enumerate(references):
            assert matrix[i, j] == iou(a, b)


def test_boxes_of_three_numbers_are_refused() -> None:
    with pytest.raises(MetricError, match=r"shape \(1, 3\)"):
        iou_matrix(np.zeros((1, 3)), REFERENCES)


@pytest.mark.parametrize(
    ("x", "y", "inside"),
    [
        # BENCHMARKS 2.2: inclusive on all four sides.
        (1, 2, True),
        (5, 2, True),
        (1, 7, True),
        (5, 7, True),
        (3, 4, True),
        (0.999, 4, False),
        (5.001, 4, False),
        (3, 1.999, False),
        (3, 7.001, False),
        (math.nan, 4, False),
    ],
)
def test_all_four_sides_belong_to_the_box(x: float, y: float, inside: bool) -> None:
    assert point_in_box(x, y, (1, 2, 5, 7)) is inside


def test_a_point_box_holds_its_point() -> None:
    assert point_in_box(3, 3, (3, 3, 3, 3))


def test_the_published_matching_misses_the_larger_one() -> None:
    # BENCHMARKS 3.3: official F1 0.5, two valid matches exist (F1 1.0).
    assert detection_f1(PREDICTIONS, REFERENCES, iou_threshold=0.1) == 0.5
    assert detection_f1(PREDICTIONS, REFERENCES, iou_threshold=0.1, matching="count") == 1.0


def test_a_threshold_is_reached_with_equality() -> None:
    # BENCHMARKS 9.5: >= for IoU 0.5 and 0.1.
    half, tenth = (0, 0, 5, 10), (0, 0, 1, 10)
    whole = [(0, 0, 10, 10)]
    assert detection_f1([half], whole, iou_threshold=0.5) == 1
    assert detection_f1([tenth], whole, iou_threshold=0.1) == 1
    assert detection_f1([tenth], whole, iou_threshold=math.nextafter(0.1, 1)) == 0


@pytest.mark.parametrize("threshold", [0, -0.1, 1.01, math.nan])
def test_a_threshold_must_be_over_zero_and_at_most_one(threshold: float) -> None:
    # BENCHMARKS 3.3: at threshold 0 every pair would match.
    with pytest.raises(MetricError, match="over 0 and at most 1"):
        detection_f1(PREDICTIONS, REFERENCES, iou_threshold=threshold)
    for match in (match_by_iou, match_by_count):
        with pytest.raises(MetricError, match="over 0 and at most 1"):
            match(np.ones((1, 1)), threshold)


@pytest.mark.parametrize("matrix", [np.ones(3), np.array([[np.nan]]), np.array([[1.5]])])
def test_a_matrix_that_holds_no_ious_is_refused(matrix: NDArray[np.float64]) -> None:
    with pytest.raises(MetricError, match="IoU matrix"):
        match_by_iou(matrix, 0.5)


def test_empty_lists_agree_and_one_empty_list_does_not() -> None:
    assert detection_f1([], [], iou_threshold=0.1) == 1
    assert detection_f1(PREDICTIONS, [], iou_threshold=0.1) == 0
    assert detection_f1([], REFERENCES, iou_threshold=0.1) == 0


def test_f1_of_no_match_is_zero() -> None:
    assert f1_of_matches(0, 3, 4) == 0
    assert f1_of_matches(2, 2, 4) == pytest.approx(2 / 3)


@given(matrices(), st.sampled_from([0.1, 0.3, 1.0]))
def test_matching_by_iou_finds_the_largest_sum(
    matrix: NDArray[np.float64], threshold: float
) -> None:
    kept = np.where(matrix >= threshold, matrix, 0)
    best = max(sum(kept[pair] for pair in chosen) for chosen in all_assignments(kept))
    matches = match_by_iou(matrix, threshold)
    assert sum(match.iou for match in matches) == pytest.approx(best, abs=1e-12)
    assert all(match.iou == matrix[match.prediction, match.reference] for match in matches)
    assert all(match.iou >= threshold for match in matches)


@given(matrices(), st.sampled_from([0.1, 0.3, 1.0]))
def test_matching_by_count_finds_the_most_and_then_the_largest_sum(
    matrix: NDArray[np.float64], threshold: float
) -> None:
    kept = np.where(matrix >= threshold, matrix, 0)
    ways = [[kept[pair] for pair in chosen if kept[pair] > 0] for chosen in all_assignments(kept)]
    count, total = max((len(way), sum(way)) for way in ways)
    matches = match_by_count(matrix, threshold)
    assert len(matches) == count
    assert sum(match.iou for match in matches) == pytest.approx(total, abs=1e-12)
    assert len(matches) >= len(match_by_iou(matrix, threshold))


@given(matrices())
def test_matches_are_one_to_one_and_in_order(matrix: NDArray[np.float64]) -> None:
    for matches in (match_by_iou(matrix, 0.1), match_by_count(matrix, 0.1)):
        predictions = [match.prediction for match in matches]
        assert predictions == sorted(set(predictions))
        assert len({match.reference for match in matches}) == len(matches)


@given(matrices())
def test_counting_agrees_with_matching(matrix: NDArray[np.float64]) -> None:
    kept = np.where(matrix >= 0.1, matrix, 0)
    edges = [(int(i), int(j), float(kept[i, j])) for i, j in np.argwhere(kept)]
    rows, columns = matrix.shape[0], matrix.shape[1]
    assert count_matches(edges, (rows, columns), "iou") == len(match_by_iou(matrix, 0.1))
    assert count_matches(edges, (rows, columns), "count") == len(match_by_count(matrix, 0.1))
