"""UI-Vision: what its own scorers made of the same answers."""

import numpy as np
import pytest

from snellen.grading.grade import OUTCOMES, Answers, Columns, Grader
from snellen.grading.models.scores import Outcome
from snellen.grading.protocols.table import gold_shape, protocol_of


def graded(task: str, response: object, reference: object) -> Columns:
    shape = gold_shape(task)
    gold = shape.read(reference)
    grader = Grader.of(protocol_of(task, "official"), [gold], [shape.context(gold)])
    return grader.batch(Answers(np.zeros(1, dtype=np.int64), [0], [response]))


@pytest.mark.parametrize(
    ("answer", "expected"),
    [("(340, 300)", 1), ("(640, 320)", 0), ("[312.5, 277.8]", 1), ("(355, 300)", 0)],
)
def test_a_point_counts_thousandths(answer: str, expected: int) -> None:
    reference = {"bbox": [600, 300, 680, 340], "image_size": [1920, 1080]}
    assert graded("ui-vision/basic", answer, reference).values[0, 0] == expected


def test_an_answer_without_a_point_counts_as_wrong() -> None:
    found = graded("ui-vision/spatial", "there", [0.1, 0.1, 0.2, 0.2])
    assert OUTCOMES[found.outcomes[0]] is Outcome.UNPARSED
    assert found.values[0, 0] == 0


@pytest.mark.parametrize(
    ("box", "iou", "precision", "recall"),
    [
        ([0, 0, 100, 100], 1, 1, 1),
        ([0, 0, 50, 100], 0.5, 0.5, 1),
        ([0, 0, 100, 200], 0.5, 1, 0.5),
        ([100, 100, 0, 0], 0, 0, 0),
        (None, 0, 0, 0),
        ([50, 50, 150, 150], 0.1429, 0.25, 0.25),
        ([200, 200, 300, 300], 0, 0, 0),
    ],
)
def test_a_region_by_the_names_as_printed(
    box: list[int] | None, iou: float, precision: float, recall: float
) -> None:
    reference = {"bbox": [0, 0, 100, 100], "image_size": [1000, 1000]}
    found = graded("ui-vision/layout", "none" if box is None else str(box), reference)
    assert found.values[0].tolist() == pytest.approx([iou, precision, recall], abs=1e-4)
