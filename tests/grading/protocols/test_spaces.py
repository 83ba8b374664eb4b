"""Protocols that are told the space: the same points score alike, each under its own."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.ceiling import attainable_maximum
from snellen.grading.coordinates import PIXELS, THOUSAND, UNIT, CoordinateSpace
from snellen.grading.grade import CODES, Answers, Grader
from snellen.grading.metrics.boxes import iou
from snellen.grading.models.scores import Outcome
from snellen.grading.protocols.base import Protocol, UnjudgeableError
from snellen.grading.protocols.golds import ImageTarget, Target, unit_target
from snellen.grading.protocols.pointing import declared_points
from snellen.grading.protocols.spaces import box_in, declared_boxes, unit_box
from snellen.grading.protocols.table import gold_shape, protocol_of

L2 = "mmbench-gui/l2_basic"
BOX = "visualwebbench/element_ground_bbox"
WIDTH, HEIGHT = 2560.0, 1440.0
EXTENTS = {"unit": (1.0, 1.0), "pixels": (WIDTH, HEIGHT), "thousand": (1000.0, 1000.0)}
GOLD = ImageTarget((0.4, 0.2, 0.5, 0.3), (WIDTH, HEIGHT))


def value(protocol: Protocol, response: object, gold: Target = GOLD) -> float:
    context = gold_shape(protocol.task).context(gold)
    grader = Grader.of(protocol, [gold], [context])
    return float(grader.batch(Answers(np.zeros(1, np.int64), [0], [response])).values[0, 0])


@given(x=st.floats(0, 1), y=st.floats(0, 1))
def test_the_same_point_scores_alike_in_every_space_under_its_own_protocol(
    x: float, y: float
) -> None:
    inside = 0.401 < x < 0.499 and 0.201 < y < 0.299
    outside = not (0.399 < x < 0.501 and 0.199 < y < 0.301)
    for name, (across, down) in EXTENTS.items():
        found = value(protocol_of(L2, name), f"({x * across:.6f}, {y * down:.6f})")
        if inside or outside:
            assert found == float(inside), name


def test_pixels_of_an_image_of_unknown_size_are_no_answers_fault() -> None:
    gold = ImageTarget((0.4, 0.2, 0.5, 0.3))
    protocol = protocol_of(L2, "pixels")
    grader = Grader.of(protocol, [gold], [gold_shape(L2).context(gold)])
    columns = grader.batch(Answers(np.zeros(1, np.int64), [0], ["(1152, 360)"]))
    assert columns.outcomes.tolist() == [CODES[Outcome.ERROR]]
    assert columns.notes[0] == (
        "an answer in pixels needs image_size in the reference to be held against fractions:"
        " load the data with its images"
    )


def test_a_target_in_pixels_is_compared_in_fractions() -> None:
    gold = Target((1024, 288, 1280, 432), (WIDTH, HEIGHT))
    assert unit_box(gold) == pytest.approx((0.4, 0.2, 0.5, 0.3))
    with pytest.raises(UnjudgeableError, match="needs image_size"):
        unit_box(Target((1024, 288, 1280, 432)))


def test_a_box_with_an_unknown_side_is_in_pixels_whatever_its_other_sides_are() -> None:
    gold = ImageTarget((-1.0, 0.2, 0.5, 0.6), (100.0, 100.0))
    assert unit_box(gold) == unit_target(gold) == pytest.approx((0.0, 0.002, 0.005, 0.006))
    # As the official protocol has it.
    assert value(protocol_of(L2), "(0.001, 0.004)", gold) == 1.0
    assert value(protocol_of(L2), "(0.1, 0.4)", gold) == 0.0
    assert unit_target(ImageTarget(gold.bbox)) is None
    assert unit_target(Target((-1.0, 20.0, 50.0, 60.0), (100.0, 100.0))) == (-0.01, 0.2, 0.5, 0.6)


@pytest.mark.parametrize(
    ("space", "expected"),
    [(UNIT, (0.1, 0.4, 0.3, 0.8)), (PIXELS, (10, 20, 30, 40)), (THOUSAND, (100, 400, 300, 800))],
)
def test_a_targets_box_in_each_space(space: CoordinateSpace, expected: tuple[float, ...]) -> None:
    gold = Target((10, 20, 30, 40), (100, 50))
    assert box_in(space, gold) == pytest.approx(expected)
    assert box_in(space, Target((0.1, 0.4, 0.3, 0.8), (100, 50))) == pytest.approx(expected)
    if space is PIXELS:
        assert box_in(space, Target(gold.bbox)) == gold.bbox
    else:
        with pytest.raises(UnjudgeableError):
            box_in(space, Target(gold.bbox))


@given(
    box=st.tuples(st.floats(0, 0.9), st.floats(0, 0.9), st.floats(0.01, 0.5), st.floats(0.01, 0.5))
)
def test_boxes_reach_an_iou_of_a_half_alike_in_every_space(
    box: tuple[float, float, float, float],
) -> None:
    left, top, width, height = box
    own = (left, top, left + width, top + height)
    expected = iou(own, GOLD.bbox)
    for protocol in declared_boxes(BOX):
        across, down = EXTENTS[protocol.id]
        sides = [side * (down if place % 2 else across) for place, side in enumerate(own)]
        found = value(protocol, sides, Target(GOLD.bbox, GOLD.image_size))
        if abs(expected - 0.5) > 1e-6:
            assert found == float(expected >= 0.5)


@pytest.mark.parametrize("make", [declared_points, declared_boxes])
@pytest.mark.parametrize("gold", [GOLD, Target((1024, 288, 1280, 432), (WIDTH, HEIGHT))])
def test_a_reference_written_in_the_space_scores_the_maximum(
    make: Callable[[str], tuple[Protocol, ...]], gold: Target
) -> None:
    shape = gold_shape(L2)
    for protocol in make(L2):
        found = attainable_maximum(protocol, shape.responses, [gold], [shape.context(gold)])
        assert (found.best, found.below) == (1.0, ())
