from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.errors import DataError
from snellen.grading.grade import OUTCOMES, Answers, Grader
from snellen.grading.models.scores import Outcome
from snellen.grading.protocols.base import NO_CONTEXT, Context
from snellen.grading.protocols.golds import ImageTarget
from snellen.grading.protocols.table import gold_shape, protocol_of, protocols_of
from snellen.tasks.benchmarks.screenspot.rules import PRO, V2

# 50 x 40 pixels at (100, 200) of 1000 x 800: 0.1..0.15 and 0.25..0.3.
TARGET = ImageTarget((100, 200, 150, 240), (1000, 800))
CORNER = ImageTarget((0, 0, 20, 20), (1000, 800))
UNSIZED = ImageTarget((100, 200, 150, 240))


def graded(
    task: str, protocol: str, response: object, gold: ImageTarget = TARGET
) -> tuple[float, Outcome]:
    size = gold.image_size
    context = NO_CONTEXT if size is None else Context(width=size[0], height=size[1])
    answers = Answers(np.zeros(1, dtype=np.int64), [0], [response])
    columns = Grader.of(protocol_of(task, protocol), [gold], [context]).batch(answers)
    return float(columns.values[0, 0]), OUTCOMES[int(columns.outcomes[0])]


def hit(task: str, protocol: str, response: object, gold: ImageTarget = TARGET) -> float:
    return graded(task, protocol, response, gold)[0]


def test_the_protocols_of_both() -> None:
    declared = ["unit", "pixels", "thousand"]
    v2 = ["robust", "official", "lmms-eval", "vlmevalkit", "screensuite", *declared]
    pro = ["robust", "official", "lmms-eval", "vlmevalkit", "evalscope", "screensuite", *declared]
    assert [one.id for one in protocols_of(V2)] == v2
    assert [one.id for one in protocols_of(PRO)] == pro
    assert all(one.task == task for task in (V2, PRO) for one in protocols_of(task))


def test_an_answer_without_a_point_hits_the_corner_under_vlmevalkit_alone() -> None:
    for task in (V2, PRO):
        hits = [one.id for one in protocols_of(task) if hit(task, one.id, "I can't see it", CORNER)]
        assert hits == ["vlmevalkit"]


@given(
    x=st.integers(2, 900),
    y=st.integers(2, 700),
    width=st.integers(1, 99),
    height=st.integers(1, 99),
    data=st.data(),
)
def test_vlmevalkit_agrees_with_whole_pixels(
    x: int, y: int, width: int, height: int, data: st.DataObject
) -> None:
    px = data.draw(st.integers(max(2, x - 2), x + width + 2))
    py = data.draw(st.integers(max(2, y - 2), y + height + 2))
    gold = ImageTarget((x, y, x + width, y + height), (1000, 800))
    # Division by one size keeps the order, so the pixels themselves are a second witness.
    expected = x <= px < x + width and y <= py < y + height
    assert hit(V2, "vlmevalkit", f"x={px}, y={py}", gold) == expected
    inclusive = x <= px <= x + width and y <= py <= y + height
    assert hit(PRO, "lmms-eval", f"[{px}, {py}]", gold) == inclusive
    assert hit(PRO, "pixels", f"[{px}, {py}]", gold) == inclusive


def test_vlmevalkit_stops_at_a_box_outside_the_image() -> None:
    gold = ImageTarget((990, 10, 1010, 20), (1000, 800))
    protocol = protocol_of(PRO, "vlmevalkit")
    answers = Answers(np.zeros(1, dtype=np.int64), [0], ["x=1, y=2"])
    columns = Grader.of(protocol, [gold], [Context(width=1000, height=800)]).batch(answers)
    assert columns.crashed.tolist() == [True]
    assert protocol.denominator.stops_on_crash


def columns_of(task: str, gold: ImageTarget, response: str) -> tuple[float, bool]:
    answers = Answers(np.zeros(1, dtype=np.int64), [0], [response])
    grader = Grader.of(protocol_of(task, "vlmevalkit"), [gold], [Context(width=1000, height=800)])
    columns = grader.batch(answers)
    return float(columns.values[0, 0]), bool(columns.crashed[0])


def test_vlmevalkits_minus_one_is_zero() -> None:
    # Without height at the top: y + h - 1 is -1, which counts as 0. So too for the left edge.
    top, left = ImageTarget((10, 0, 50, 0), (1000, 800)), ImageTarget((0, 10, 0, 50), (1000, 800))
    assert columns_of(V2, top, "x=0.02, y=0.0") == (1, False)
    assert columns_of(V2, top, "x=0.02, y=0.01") == (0, False)
    assert columns_of(V2, left, "x=0, y=0.02") == (1, False)
    # One pixel further down nothing is -1, and the box is inverted: no point is in it.
    assert columns_of(V2, ImageTarget((10, 1, 50, 1), (1000, 800)), "x=20, y=1") == (0, False)


def test_vlmevalkit_stops_before_it_reads_the_answer() -> None:
    outside = ImageTarget((990, 10, 1010, 20), (1000, 800))
    for task in (V2, PRO):
        assert columns_of(task, outside, "x=1.2.3, y=2") == (0, True)
        assert columns_of(task, TARGET, "x=1.2.3, y=2") == (0, False)


def test_evalscopes_pixels_are_above_a_thousand() -> None:
    gold = ImageTarget((3000, 100, 3100, 200), (3840, 2160))
    assert hit(PRO, "evalscope", "Answer: [3050, 150]", gold) == 1
    assert hit(PRO, "evalscope", "Answer: [794, 69]", gold) == 1


def test_lmms_evals_pixels_never_hit_in_v2() -> None:
    assert hit(V2, "lmms-eval", "[120, 216]") == 0
    assert hit(PRO, "lmms-eval", "[120, 216]") == 1


def test_robust_says_what_it_took_the_numbers_for() -> None:
    read = protocol_of(V2, "robust").parser.read
    context = Context(width=1000, height=800)
    assert read("(0.5, 0.25)", context).note == "taken for fractions"
    assert read("(1, 1)", context).note == "taken for pixels of the image"
    assert read('{"x": 1, "y": 1, "space": "pixels"}', context).note == ""
    view = read('{"x": 1, "y": 1, "space": "view"}', context)
    assert (view.outcome, view.note) == (
        Outcome.UNPARSED,
        "pixels of a view whose size it does not say",
    )


def test_pixels_need_no_image_size_and_fractions_are_an_error_not_a_zero() -> None:
    assert graded(V2, "robust", "(120, 216)", UNSIZED) == (1, Outcome.ANSWERED)
    assert graded(V2, "robust", "(120, 270)", UNSIZED) == (0, Outcome.ANSWERED)
    assert graded(V2, "robust", "(0.12, 0.27)", UNSIZED) == (0, Outcome.ERROR)


@pytest.mark.parametrize(
    ("protocol", "response"),
    [
        ("official", "(0.12, 0.27)"),
        ("lmms-eval", "(0.12, 0.27)"),
        ("vlmevalkit", "x=0.12, y=0.27"),
        ("vlmevalkit", "x=120, y=270"),
    ],
)
def test_a_published_protocol_without_the_image_size_is_an_error_not_a_zero(
    protocol: str, response: str
) -> None:
    assert graded(V2, protocol, response, UNSIZED) == (0, Outcome.ERROR)


def test_screensuites_pixels_need_no_image_size() -> None:
    assert graded(V2, "screensuite", "click(120, 216)", UNSIZED) == (1, Outcome.ANSWERED)
    assert graded(V2, "screensuite", "click(151, 216)", UNSIZED) == (0, Outcome.ANSWERED)


@pytest.mark.parametrize("task", [V2, PRO])
def test_a_reference_in_pixels_needs_its_size(task: str) -> None:
    with pytest.raises(DataError, match="image_size"):
        gold_shape(task).read([100, 200, 150, 240])
    read = gold_shape(task).read({"bbox": [100, 200, 150, 240], "image_size": [1000, 800]})
    assert read == TARGET


RESPONSES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@pytest.mark.parametrize("task", [V2, PRO])
@given(response=RESPONSES)
def test_no_response_raises(task: str, response: Any) -> None:
    for protocol in protocols_of(task):
        assert hit(task, protocol.id, response) in (0, 1)
