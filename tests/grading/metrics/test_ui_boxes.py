import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from snellen.grading.errors import MetricError
from snellen.grading.metrics.boxes import Matching
from snellen.grading.metrics.ui_boxes import UiBoxesReferences
from snellen.grading.metrics.ui_contents import BoxedText, ui_contents_boxes

Elements = list[BoxedText]
OK: BoxedText = ((0, 0, 10, 10), "OK")


def published(prediction: Elements, raters: list[Elements], threshold: float) -> list[float]:
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


def plain_f1(prediction: Elements, rater: Elements, threshold: float, *, by_text: bool) -> float:
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


def plain_exact(prediction: Elements, rater: Elements) -> float:
    pairs = list(zip(prediction, rater, strict=False))
    same = all(a[1] == b[1] and plain_iou(a[0], b[0]) >= 0.1 for a, b in pairs)
    return float(len(prediction) == len(rater) and same)


def plain_iou(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    overlap = max(0, min(a[2], b[2]) - max(a[0], b[0])) * max(0, min(a[3], b[3]) - max(a[1], b[1]))
    if overlap == 0:
        return 0
    return overlap / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - overlap)


def as_rows(columns: tuple[NDArray[np.float64], ...]) -> list[list[float]]:
    return np.stack(columns, axis=1).tolist()


# Small whole numbers: boxes compete, sums of IoU tie, sides vanish or are inverted.
numbers = st.integers(0, 6)
elements = st.tuples(st.tuples(numbers, numbers, numbers, numbers), st.sampled_from("ab"))
lists = st.lists(elements, max_size=6)
items = st.lists(st.tuples(lists, st.lists(lists, min_size=1, max_size=3)), max_size=5)


@pytest.mark.slow
@given(items, st.sampled_from([0.05, 0.1, 0.5]))
def test_all_forms_agree_with_the_published_algorithm(
    given_items: list[tuple[Elements, list[Elements]]], threshold: float
) -> None:
    predictions = [prediction for prediction, _ in given_items]
    gold = UiBoxesReferences.prepare([item for _, item in given_items], iou_threshold=threshold)
    expected = [published(*item, threshold) for item in given_items]
    assert len(gold) == len(given_items)
    single = [list(gold.score(place, each)) for place, each in enumerate(predictions)]
    assert single == expected
    assert as_rows(gold.score_lists(predictions)) == expected


@pytest.mark.slow
@given(items, st.sampled_from(["iou", "count"]), st.booleans(), st.sampled_from([0.1, 0.4]))
def test_columns_agree_with_lists_under_every_option(
    given_items: list[tuple[Elements, list[Elements]]],
    matching: Matching,
    ordered: bool,
    threshold: float,
) -> None:
    gold = UiBoxesReferences.prepare(
        [item for _, item in given_items],
        iou_threshold=threshold,
        matching=matching,
        ordered=ordered,
    )
    expected = [
        list(ui_contents_boxes(*item, iou_threshold=threshold, matching=matching, ordered=ordered))
        for item in given_items
    ]
    assert as_rows(gold.score_lists([prediction for prediction, _ in given_items])) == expected


@pytest.mark.slow
def test_many_blocks_score_as_one() -> None:
    rng = random.Random(5)

    def some(most: int) -> Elements:
        return [
            (
                (x := rng.random() * 90, y := rng.random() * 90, x + rng.random() * 40, y + 20),
                rng.choice("abc"),
            )
            for _ in range(rng.randrange(most))
        ]

    raters = [[some(25) for _ in range(rng.randint(1, 3))] for _ in range(400)]
    predictions = [some(25) for _ in raters]
    got = UiBoxesReferences.prepare(raters).score_lists(predictions)
    expected = [published(*pair, 0.1) for pair in zip(predictions, raters, strict=True)]
    np.testing.assert_allclose(np.stack(got, axis=1), expected, rtol=0, atol=1e-12)


def test_predictions_can_name_their_items() -> None:
    gold = UiBoxesReferences.prepare([[[OK]], [[]]])
    got = gold.score_lists([[], [OK], [OK]], items=np.array([1, 0, 1]))
    assert got.f1.tolist() == [1, 1, 0]


def test_texts_can_be_numbered_beforehand() -> None:
    gold = UiBoxesReferences.prepare([[[OK]]], normalize=str.lower)
    ids = gold.text_ids(["ok", "OK", "no"])
    assert ids[0] == ids[1] != -1
    assert ids[2] == -1
    got = gold.score_columns(np.array([0, 1]), np.array([OK[0]], dtype=np.float64), ids[:1])
    assert as_rows(got) == [[1, 1, 1]]


def test_no_predictions_give_empty_columns() -> None:
    got = UiBoxesReferences.prepare([]).score_lists([])
    assert [len(column) for column in got] == [0, 0, 0]


def test_boxes_that_are_not_finite_match_nothing() -> None:
    gold = UiBoxesReferences.prepare([[[OK]]] * 2)
    odd: list[Elements] = [[((0, 0, float("nan"), 10), "OK")], [((0, 0, float("inf"), 10), "OK")]]
    assert as_rows(gold.score_lists(odd)) == [[0, 0, 0], [0, 0, 0]]


def test_an_item_without_raters_is_refused() -> None:
    with pytest.raises(MetricError, match="item 1 has no rater"):
        UiBoxesReferences.prepare([[[OK]], []])


def test_a_threshold_out_of_range_is_refused() -> None:
    with pytest.raises(MetricError, match="over 0 and at most 1"):
        UiBoxesReferences.prepare([[[OK]]], iou_threshold=0)


@pytest.mark.parametrize(
    ("offsets", "shape", "texts", "items", "message"),
    [
        ([0, 1], (1, 3), ["OK"], None, "rows of four numbers"),
        ([0, 1], (1, 4), [], None, "1 boxes, but 0 texts"),
        ([0, 2], (1, 4), ["OK"], None, "offsets must rise from 0 to 1"),
        ([1, 1], (1, 4), ["OK"], None, "offsets must rise from 0 to 1"),
        ([], (0, 4), [], None, "offsets must rise from 0 to 0"),
        ([0, 1], (1, 4), ["OK"], [0, 0], "1 predictions, but 2 items"),
        ([0, 1], (1, 4), ["OK"], [1], "numbered from 0 to 0"),
        ([0, 1], (1, 4), ["OK"], [-1], "numbered from 0 to 0"),
    ],
)
def test_columns_that_do_not_fit_together_are_refused(
    offsets: list[int],
    shape: tuple[int, int],
    texts: list[str],
    items: list[int] | None,
    message: str,
) -> None:
    gold = UiBoxesReferences.prepare([[[OK]]])
    places = None if items is None else np.array(items)
    with pytest.raises(MetricError, match=message):
        gold.score_columns(np.array(offsets), np.zeros(shape), texts, places)


def test_several_threads_get_the_same_scores() -> None:
    gold = UiBoxesReferences.prepare([[[OK]]] * 50)
    predictions: list[Elements] = [[OK]] * 50
    with ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(gold.score_lists, [predictions] * 8))
    assert [run.f1.sum() for run in runs] == [50] * 8
