"""Points and boxes outside the image: noted by whatever reads them, and counted by a report."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen import sdk
from snellen.grading.protocols.base import OUTSIDE, Context, Parsed
from snellen.grading.protocols.spaces import InPixels, placed
from snellen.grading.protocols.table import protocol_of

SIZED = Context(width=1000, height=500)

ASKED = [
    ("mmbench-gui/l2_basic", "official"),
    ("mmbench-gui/l2_advanced", "robust"),
    ("mmbench-gui/l2_basic", "unit"),
    ("mmbench-gui/l2_basic", "pixels"),
    ("mmbench-gui/l2_basic", "thousand"),
    ("screenspot-v2/point", "official"),
    ("screenspot-v2/point", "lmms-eval"),
    ("screenspot-v2/point", "robust"),
    ("screenspot-pro/point", "lmms-eval"),
    ("screenspot-pro/point", "evalscope"),
    ("visualwebbench/element_ground_point", "official"),
    ("visualwebbench/element_ground_point", "robust"),
]


@pytest.mark.parametrize(("task", "protocol"), ASKED)
@pytest.mark.parametrize("response", ["(1500, 200)", "(3, 99999)"])
def test_every_protocol_notes_a_point_outside_the_image(
    task: str, protocol: str, response: str
) -> None:
    found = protocol_of(task, protocol).parser.read(response, SIZED)
    assert found.answer is not None
    assert found.note.endswith(OUTSIDE)


@pytest.mark.parametrize(("task", "protocol"), ASKED)
def test_no_protocol_notes_a_point_inside_it_or_on_its_edge(task: str, protocol: str) -> None:
    parser = protocol_of(task, protocol).parser
    for response in ("(0.4, 0.3)", "(0, 0)", "(1, 1)"):
        assert OUTSIDE not in parser.read(response, SIZED).note


@pytest.mark.parametrize("protocol", ["official", "robust", "unit", "pixels", "thousand"])
def test_a_box_is_outside_only_if_all_of_it_is(protocol: str) -> None:
    parser = protocol_of("visualwebbench/element_ground_bbox", protocol).parser
    assert OUTSIDE in parser.read("[5000, 5000, 6000, 6000]", SIZED).note
    assert OUTSIDE not in parser.read("[0, 0, 6000, 6000]", SIZED).note
    assert OUTSIDE not in parser.read("[0.1, 0.1, 0.2, 0.2]", SIZED).note


def test_of_an_image_of_unknown_size_only_what_is_left_or_above_is_outside() -> None:
    for numbers, outside in (((9e9, 9e9), False), ((-1.0, 5.0), True), ((5.0, -1.0), True)):
        assert (OUTSIDE in placed(Parsed(InPixels(numbers))).note) is outside
    parser = protocol_of("visualwebbench/element_ground_point", "official").parser
    assert OUTSIDE not in parser.read([9e9, 9e9], Context()).note
    assert OUTSIDE in parser.read([-5, 20], Context()).note


def test_a_matrix_point_outside_is_noted_beside_what_was_asked_for() -> None:
    read = protocol_of("matrix/items").parser.read
    found = read("(1.5, 0.5)", Context(form="point"))
    assert found.note.startswith("outside 0..1")
    assert found.note.endswith(OUTSIDE)
    # A box that begins in the image may be right.
    found = read("[0.5, 0.5, 1.1, 1.0]", Context(form="box"))
    assert found.note.startswith("outside 0..1")
    assert OUTSIDE not in found.note


def test_a_report_says_how_many_can_not_be_right() -> None:
    target = {"bbox": [0.4, 0.4, 0.6, 0.6], "image_size": [1000, 500]}
    report = sdk.grade(
        [
            {"item_id": "a", "response": "(0.5, 0.5)"},
            {"item_id": "b", "response": "(4000, 200)"},
            {"item_id": "c", "response": "(500, 900)"},
        ],
        task="mmbench-gui/l2_basic",
        references=dict.fromkeys("abc", target),
    )
    assert f"2 answers can't be right: each {OUTSIDE}" in report.input.warnings
    notes = {one.item_id: one.note for one in report.scores}
    assert (OUTSIDE in notes["a"], OUTSIDE in notes["b"]) == (False, True)


@given(st.lists(st.floats(-3, 3), min_size=4, max_size=4), st.sampled_from([2, 4]))
def test_outside_is_what_no_place_of_the_image_is_in(sides: list[float], count: int) -> None:
    numbers = sides[:count]
    x, y = (sorted((numbers[place], numbers[place - 2])) for place in (0, 1))
    overlaps = all(low <= 1 and high >= 0 for low, high in (x, y))
    assert (OUTSIDE not in placed(Parsed(tuple(numbers))).note) is overlaps
