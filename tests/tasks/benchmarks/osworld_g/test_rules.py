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


@pytest.mark.parametrize(
    ("answer", "lmms", "vlmevalkit"),
    [
        ("[640, 320]", 1, 0),
        ("[680, 340]", 1, 0),
        ("x=333, y=296", 0, 1),
        ("[0.333, 0.296]", 1, 0),
        ("Step 1, 2: click (640, 320)", 1, 0),
        ("[600,300,680,340]", 1, 0),
        ("<bbox>600 300 680 340</bbox>", 1, 0),
        ("[-1, -1]", 0, 0),
    ],
)
def test_a_box_under_two_harnesses(answer: str, lmms: int, vlmevalkit: int) -> None:
    assert (hit("lmms-eval", answer, BOX), hit("vlmevalkit", answer, BOX)) == (lmms, vlmevalkit)


@pytest.mark.parametrize(
    ("point", "expected"),
    [
        ([640, 320], 1),
        ([680, 340], 1),
        ([600, 300], 1),
        ([681, 340], 0),
        ([-1, -1], 0),
    ],
)
def test_a_box_has_its_edges_under_the_official_rule(point: list[int], expected: int) -> None:
    assert hit("official", point, BOX) == expected


@pytest.mark.parametrize(
    ("point", "expected"),
    [
        ([200, 250], 0),
        ([150, 150], 1),
        ([200, 100], 1),
        ([100, 150], 1),
        ([300, 150], 0),
    ],
)
def test_a_polygon_has_its_left_and_top_edges(point: list[int], expected: int) -> None:
    assert hit("official", point, POLYGON) == hit("lmms-eval", point, POLYGON) == expected


def test_four_numbers_of_a_polygon_are_a_box_to_lmms_eval_alone() -> None:
    four = SHAPE.read(
        {"bbox": [600, 300, 680, 340], "polygon": [600, 300, 680, 340], "image_size": SIZE}
    )
    assert (hit("official", [640, 320], four), hit("lmms-eval", [640, 320], four)) == (0, 1)


@pytest.mark.parametrize(
    ("answer", "official", "lmms", "maiui"),
    [
        ("[-1, -1]", 1, 1, 0),
        ("The element does not exist", 0, 0, 0),
        ("[-1, 5]", 0, 0, 0),
        ("[0, 0]", 0, 0, 1),
    ],
)
def test_what_counts_as_a_refusal(answer: str, official: int, lmms: int, maiui: int) -> None:
    found = [hit(protocol, answer, REFUSAL) for protocol in ("official", "lmms-eval", "maiui")]
    assert found == [official, lmms, maiui]


@pytest.mark.parametrize(
    ("answer", "refusal", "box"),
    [("It is not there.", 1, 0), ("[-1, -1]", 0, 0), ("[640, 320]", 0, 1)],
)
def test_an_answer_without_a_point_is_olmo_evals_refusal(
    answer: str, refusal: int, box: int
) -> None:
    found = [hit("olmo-eval", answer, gold) for gold in (REFUSAL, BOX)]
    assert found == [refusal, box]


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
