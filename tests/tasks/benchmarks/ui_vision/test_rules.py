"""UI-Vision: what its own scorers made of the same answers."""

import numpy as np

from snellen.grading.grade import OUTCOMES, Answers, Columns, Grader
from snellen.grading.models.scores import Outcome
from snellen.grading.protocols.table import gold_shape, protocol_of


def graded(task: str, response: object, reference: object) -> Columns:
    shape = gold_shape(task)
    gold = shape.read(reference)
    grader = Grader.of(protocol_of(task, "official"), [gold], [shape.context(gold)])
    return grader.batch(Answers(np.zeros(1, dtype=np.int64), [0], [response]))


def test_an_answer_without_a_point_counts_as_wrong() -> None:
    found = graded("ui-vision/spatial", "there", [0.1, 0.1, 0.2, 0.2])
    assert OUTCOMES[found.outcomes[0]] is Outcome.UNPARSED
    assert found.values[0, 0] == 0
