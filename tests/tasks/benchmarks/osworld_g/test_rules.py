"""OSWorld-G under every implementation: what their own code made of the same answers."""

import numpy as np
import pytest

from snellen.grading.errors import DataError
from snellen.grading.grade import Answers, Grader
from snellen.grading.protocols.base import Gold
from snellen.grading.protocols.table import gold_shape, protocol_of
from snellen.grading.tally import Tally

TASK = "osworld-g/original"
SHAPE = gold_shape(TASK)
SIZE = [1920, 1080]
BOX = SHAPE.read({"bbox": [600, 300, 680, 340], "image_size": SIZE})
CORNERS = [100, 100, 300, 100, 300, 300, 200, 180, 100, 300]
POLYGON = SHAPE.read({"bbox": [100, 100, 300, 300], "polygon": CORNERS, "image_size": SIZE})
REFUSAL = SHAPE.read({"bbox": [0, 0, 0, 0], "refused": True, "image_size": SIZE})
CORNER = SHAPE.read({"bbox": [0, 0, 60, 40], "image_size": SIZE})


def hit(protocol: str, response: object, gold: Gold) -> float:
    grader = Grader.of(protocol_of(TASK, protocol), [gold], [SHAPE.context(gold)])
    given = Answers(np.zeros(1, dtype=np.int64), [0], [response])
    return float(grader.batch(given).values[0, 0])


def test_four_numbers_of_a_polygon_are_a_box_to_lmms_eval_alone() -> None:
    four = SHAPE.read(
        {"bbox": [600, 300, 680, 340], "polygon": [600, 300, 680, 340], "image_size": SIZE}
    )
    assert (hit("official", [640, 320], four), hit("lmms-eval", [640, 320], four)) == (0, 1)


def test_prose_hits_the_corner_under_vlmevalkit_alone() -> None:
    found = [
        hit(protocol, "I can't see it", CORNER)
        for protocol in ("official", "lmms-eval", "vlmevalkit", "maiui")
    ]
    assert found == [0, 0, 1, 0]


@pytest.mark.parametrize(("protocol", "printed"), [("official", 0.5), ("official-510", 2 / 3)])
def test_refusals_are_in_or_out_of_the_mean(protocol: str, printed: float) -> None:
    golds = [BOX, BOX, POLYGON, REFUSAL]
    answers = ["[640, 320]", "[640, 320]", "[0, 0]", "[640, 320]"]
    rule = protocol_of(TASK, protocol)
    tally = Tally(rule, golds)
    given = Answers(np.arange(4), [0] * 4, answers)
    tally.add(given, Grader.of(rule, golds).batch(given))
    metric = tally.metrics(1)["accuracy"]
    assert (metric.value, metric.as_published) == (0.5, pytest.approx(printed))


@pytest.mark.parametrize("polygon", [[1], [1, 2], [1, 2, 3]])
def test_a_polygon_of_odd_numbers_is_refused(polygon: list[int]) -> None:
    with pytest.raises(DataError, match="polygon"):
        SHAPE.read({"bbox": [1, 2, 3, 4], "polygon": polygon, "image_size": SIZE})
