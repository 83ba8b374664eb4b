from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from snellen.grading.errors import MetricError
from snellen.grading.metrics.boxes import iou
from snellen.grading.metrics.ui_contents import BoxedText, ui_contents, ui_contents_boxes

texts = st.lists(st.sampled_from(["a", "b", "c"]), max_size=4)

# The example of BENCHMARKS 3.3.
PREDICTION: list[BoxedText] = [((0, 0, 13, 10), "OK"), ((-8, 0, 2.9, 10), "OK")]
REFERENCE: list[BoxedText] = [((0, 0, 10, 10), "OK"), ((10, 0, 20, 10), "OK")]
TENTH: BoxedText = ((0, 0, 1, 10), "OK")
WHOLE: BoxedText = ((0, 0, 10, 10), "OK")


NO_TEXTS: list[str] = []
NO_BOXES: list[BoxedText] = []


@pytest.mark.parametrize(
    ("prediction", "references", "expected"),
    [
        # BENCHMARKS 3.3, UIC
        (NO_TEXTS, [NO_TEXTS], (1, 1)),
        (NO_TEXTS, [["a"], NO_TEXTS], (1, 1)),
        (NO_TEXTS, [["a"]], (0, 0)),
        (["a"], [NO_TEXTS], (0, 0)),
        (["a"], [NO_TEXTS, NO_TEXTS], (0, 0)),
        (["b", "a"], [["a", "b"]], (0, 1)),
        (["1"], [["1", "1"]], (0, 2 / 3)),
        (["A"], [["a"]], (0, 0)),
        (["a", "b"], [["a", "b"]], (1, 1)),
        (["a"], [NO_TEXTS, ["a"]], (1, 1)),
        (["a", "b"], [["a", "x"], ["y"]], (0, 0.5)),
    ],
)
def test_ui_contents_as_published(
    prediction: list[str], references: list[list[str]], expected: tuple[float, float]
) -> None:
    assert ui_contents(prediction, references) == pytest.approx(expected, abs=1e-15)


def test_each_text_metric_takes_its_own_best_rater() -> None:
    score = ui_contents(["a", "b"], [["a", "b"], ["b", "a"]])
    assert score == (1, 1)
    assert ui_contents(["b", "a"], [["a", "b"], ["b"]]) == (0, 1)


def test_without_order_the_same_texts_are_exact() -> None:
    assert ui_contents(["b", "a"], [["a", "b"]], ordered=False).exact_match == 1
    assert ui_contents(["a", "a"], [["a"]], ordered=False).exact_match == 0


def test_texts_can_be_normalized() -> None:
    assert ui_contents(["OK"], [["ok"]], normalize=str.lower) == (1, 1)
    assert ui_contents(["OK"], [["ok"]]) == (0, 0)


def test_texts_without_a_rater_are_undefined() -> None:
    with pytest.raises(MetricError, match="at least one rater"):
        ui_contents(["a"], [])
    with pytest.raises(MetricError, match="at least one rater"):
        ui_contents_boxes([], [])


def published_texts(prediction: list[str], raters: list[list[str]]) -> tuple[float, float]:
    if not prediction:
        return (1, 1) if [] in raters else (0, 0)
    best = 0.0
    for rater in filter(None, raters):
        same = sum((Counter(prediction) & Counter(rater)).values())
        best = max(best, 2 * same / (len(prediction) + len(rater)))
    return float(prediction in raters), best


@given(texts, st.lists(texts, min_size=1, max_size=3))
def test_texts_agree_with_the_published_algorithm(
    prediction: list[str], raters: list[list[str]]
) -> None:
    assert ui_contents(prediction, raters) == pytest.approx(published_texts(prediction, raters))


@given(texts, st.lists(texts, min_size=1, max_size=3), texts)
def test_another_rater_never_lowers_a_score(
    prediction: list[str], raters: list[list[str]], another: list[str]
) -> None:
    before, after = ui_contents(prediction, raters), ui_contents(prediction, [*raters, another])
    assert before.exact_match <= after.exact_match
    assert before.f1 <= after.f1
    assert ui_contents(prediction, [*raters, prediction]) == (1, 1)


@pytest.mark.parametrize(
    ("prediction", "references", "expected"),
    [
        # BENCHMARKS 3.3, UIC-BB: the no-answer logic is that of UIC.
        (NO_BOXES, [NO_BOXES], (1, 1, 1)),
        (NO_BOXES, [[WHOLE], NO_BOXES], (1, 1, 1)),
        (NO_BOXES, [[WHOLE]], (0, 0, 0)),
        ([WHOLE], [NO_BOXES], (0, 0, 0)),
        # IoU exactly 0.1 counts.
        ([TENTH], [[WHOLE]], (1, 1, 1)),
        ([((0, 0, 0.999, 10), "OK")], [[WHOLE]], (0, 0, 0)),
        # The text counts for F1 and the exact match only.
        ([((0, 0, 10, 10), "ok")], [[WHOLE]], (1, 0, 0)),
        # A box without area never matches, not even itself.
        ([((5, 5, 5, 9), "OK")], [[((5, 5, 5, 9), "OK")]], (0, 0, 0)),
        # The largest sum of IoU misses the second match.
        (PREDICTION, [REFERENCE], (0.5, 0, 0.5)),
        # The exact match goes by position.
        (REFERENCE[::-1], [REFERENCE], (1, 0, 1)),
    ],
)
def test_boxed_contents_as_published(
    prediction: list[BoxedText],
    references: list[list[BoxedText]],
    expected: tuple[float, float, float],
) -> None:
    assert ui_contents_boxes(prediction, references) == expected


def test_matching_by_count_finds_both_matches() -> None:
    assert ui_contents_boxes(PREDICTION, [REFERENCE], matching="count") == (1, 0, 1)
    unordered = ui_contents_boxes(PREDICTION, [REFERENCE], matching="count", ordered=False)
    assert unordered == (1, 1, 1)


def test_the_unordered_exact_match_does_not_hang_on_the_matching() -> None:
    assert ui_contents_boxes(PREDICTION, [REFERENCE], ordered=False) == (0.5, 1, 0.5)


def test_the_ordered_exact_match_ignores_the_threshold() -> None:
    # BENCHMARKS 3.3: EM ignores a custom IoU threshold (always 0.1).
    assert ui_contents_boxes([TENTH], [[WHOLE]], iou_threshold=0.5) == (0, 1, 0)
    assert ui_contents_boxes([TENTH], [[WHOLE]], iou_threshold=0.5, ordered=False) == (0, 0, 0)
    thin: BoxedText = ((0, 0, 0.5, 10), "OK")
    assert ui_contents_boxes([thin], [[WHOLE]], iou_threshold=0.05) == (1, 0, 1)


def test_each_box_metric_takes_its_own_best_rater() -> None:
    other: list[BoxedText] = [((0, 0, 10, 10), "no"), ((50, 0, 60, 10), "no")]
    prediction: list[BoxedText] = [((0, 0, 10, 10), "OK"), ((50, 0, 60, 10), "?")]
    # The first rater's boxes all match, the second rater's text does.
    assert ui_contents_boxes(prediction, [other, [WHOLE]]) == pytest.approx((1, 0, 2 / 3))


def test_texts_of_boxes_can_be_normalized() -> None:
    small: BoxedText = ((0, 0, 10, 10), "ok")
    assert ui_contents_boxes([small], [[WHOLE]], normalize=str.casefold) == (1, 1, 1)


@pytest.mark.parametrize("threshold", [0.0, 1.5, float("nan")])
def test_a_box_threshold_out_of_range_is_refused(threshold: float) -> None:
    with pytest.raises(MetricError, match="over 0 and at most 1"):
        ui_contents_boxes([WHOLE], [[WHOLE]], iou_threshold=threshold)


@pytest.mark.parametrize("side", [float("nan"), float("inf")])
def test_a_box_that_is_not_finite_matches_nothing(side: float) -> None:
    assert ui_contents_boxes([((0, 0, side, 10), "OK")], [[WHOLE]]) == (0, 0, 0)


def best_of_all(prediction: list[BoxedText], rater: list[BoxedText]) -> int:
    """The most elements that can be paired, by trying every order."""
    longer, shorter = sorted([prediction, rater], key=len, reverse=True)
    return max(
        sum(
            text == text2 and iou(box, box2) >= 0.1
            for (box, text), (box2, text2) in zip(chosen, shorter, strict=True)
        )
        for chosen in permutations(longer, len(shorter))
    )


numbers = st.integers(0, 6)
elements = st.tuples(
    st.tuples(numbers, numbers, st.integers(3, 9), st.integers(3, 9)), st.sampled_from(["a", "b"])
)


@given(st.lists(elements, min_size=1, max_size=4), st.lists(elements, min_size=1, max_size=4))
def test_matching_by_count_agrees_with_trying_every_order(
    prediction: list[BoxedText], rater: list[BoxedText]
) -> None:
    score = ui_contents_boxes(prediction, [rater], matching="count", ordered=False)
    most = best_of_all(prediction, rater)
    assert score.f1 == pytest.approx(2 * most / (len(prediction) + len(rater)))
    assert score.exact_match == float(most == len(prediction) == len(rater))


def published(
    prediction: list[BoxedText], raters: list[list[BoxedText]], threshold: float
) -> list[float]:
    """The published algorithm in the plainest form."""
    if not prediction:
        return [1.0 if [] in raters else 0.0] * 3
    filled = [rater for rater in raters if rater]
    if not filled:
        return [0.0] * 3
    return [
        max(plain_f1(prediction, rater, threshold, by_text=False) for rater in filled),
        max(plain_exact(prediction, rater) for rater in filled),
        max(plain_f1(prediction, rater, threshold, by_text=True) for rater in filled),
    ]


def plain_f1(
    prediction: list[BoxedText], rater: list[BoxedText], threshold: float, *, by_text: bool
) -> float:
    matrix = np.zeros((len(prediction), len(rater)))
    for i, (box, text) in enumerate(prediction):
        for j, (box2, text2) in enumerate(rater):
            value = 0.0 if by_text and text != text2 else plain_iou(box, box2)
            matrix[i, j] = value if value >= threshold else 0.0
    rows, columns = linear_sum_assignment(-matrix)
    found = int((matrix[rows, columns] >= threshold).sum())
    if not found:
        return 0.0
    precision, recall = found / len(prediction), found / len(rater)
    return 2 * precision * recall / (precision + recall)


def plain_exact(prediction: list[BoxedText], rater: list[BoxedText]) -> float:
    pairs = list(zip(prediction, rater, strict=False))
    same = all(a[1] == b[1] and plain_iou(a[0], b[0]) >= 0.1 for a, b in pairs)
    return float(len(prediction) == len(rater) and same)


def plain_iou(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    overlap = max(0, min(a[2], b[2]) - max(a[0], b[0])) * max(0, min(a[3], b[3]) - max(a[1], b[1]))
    if overlap == 0:
        return 0
    return overlap / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - overlap)


# Small whole numbers: boxes compete, sums of IoU tie, sides vanish or are inverted.
numbers = st.integers(0, 6)
one_element = st.tuples(st.tuples(numbers, numbers, numbers, numbers), st.sampled_from("ab"))
lists = st.lists(one_element, max_size=6)
items = st.lists(st.tuples(lists, st.lists(lists, min_size=1, max_size=3)), max_size=5)


@pytest.mark.slow
@given(items, st.sampled_from([0.05, 0.1, 0.5]))
def test_boxed_contents_agree_with_the_published_algorithm(
    given_items: list[tuple[list[BoxedText], list[list[BoxedText]]]], threshold: float
) -> None:
    for prediction, raters in given_items:
        made = ui_contents_boxes(prediction, raters, iou_threshold=threshold)
        assert list(made) == published(prediction, raters, threshold)
