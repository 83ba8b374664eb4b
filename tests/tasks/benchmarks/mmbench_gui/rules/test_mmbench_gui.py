"""MMBench-GUI's protocols: letters and points; episodes have their own file."""

from typing import Any

import numpy as np
import pytest

from snellen import sdk
from snellen.grading.errors import DataError
from snellen.grading.grade import Answers, Grader
from snellen.grading.models.reports import MetricValue
from snellen.grading.models.scores import Outcome, Score
from snellen.grading.protocols.table import PROTOCOLS, gold_shape, protocol_of
from snellen.grading.tally import Tally

L1, L2, L3 = "mmbench-gui/l1", "mmbench-gui/l2_basic", "mmbench-gui/l3"


def score(task: str, response: object, reference: object, protocol: str = "official") -> Score:
    return sdk.score(task, response=response, reference=reference, protocol=protocol)


def test_the_two_halves_of_a_level_share_their_protocols() -> None:
    for one, other in ((L2, "mmbench-gui/l2_advanced"), (L3, "mmbench-gui/l4")):
        pairs = zip(PROTOCOLS[one], PROTOCOLS[other], strict=True)
        assert all((a.id, a.metric, b.task) == (b.id, b.metric, other) for a, b in pairs)


# ---- L1 ----------------------------------------------------------------------------------------


def test_the_robust_letter_is_read_in_text_and_in_an_objects_answer() -> None:
    assert score(L1, "The answer is not clear. Option C", "C", "robust").value == 1
    assert score(L1, {"thought": "A, B?", "answer": "C"}, "C", "robust").value == 1
    assert score(L1, {"letter": "C"}, "C", "robust").note == "expected text, got dict"


@pytest.mark.parametrize("task", [L1, L2])
def test_what_python_can_not_write_is_unparsed(task: str) -> None:
    nested: list[Any] = []
    nested.append(10**5000)
    read = protocol_of(task).parser.read(nested, gold_shape(task).context(_gold(task)))
    assert read.outcome is Outcome.UNPARSED


def _gold(task: str) -> Any:
    return gold_shape(task).read("A" if task == L1 else [0, 0, 1, 1])


# ---- L2 ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("response", "x", "y"),
    [
        ("(0.5, 0.3)", 0.5, 0.3),
        ("x=0.5, y=0.3", 0.5, 0.3),
        ("<point>123 456</point>", 123, 456),
        ("click(x=100, y=200)", 100, 200),
        ('{"point_2d":[100,200]}', 100, 200),
        ("[0.1,0.2,0.3,0.4]", 0.1, 0.2),
        ("Step 1, 2 ... (0.2,0.4)", 1, 2),
        ("(1,920, 1,080)", 1, 920),
        ("1. (0.2, 0.4)", 0.2, 0.4),
        # JSON is read as Python writes it.
        ({"point_2d": [100, 200]}, 100, 200),
        ([100, 200], 100, 200),
        ([[0.5, 0.3]], 0.5, 0.3),
    ],
)
def test_the_first_two_numbers_are_the_point(response: object, x: float, y: float) -> None:
    # BENCHMARKS 4.2, both tables; pixels when either exceeds 1.
    width, height = 2000, 1000
    pixels = x > 1 or y > 1
    reference = box([0, 0, 9, 9], width, height)
    answer = sdk.read(L2, response=response, reference=reference, protocol="official").answer
    assert answer == ((x / width, y / height) if pixels else (x, y))


def test_pixels_can_not_be_read_without_the_size_of_the_image() -> None:
    found = score(L2, "(512, 300)", [0, 0, 1, 1])
    assert (found.outcome, found.value) == (Outcome.ERROR, 0)
    assert "needs image_size in the reference" in found.note


def box(sides: list[float], width: float = 100, height: float = 50) -> dict[str, object]:
    return {"bbox": sides, "image_size": [width, height]}


def test_a_box_in_pixels_is_divided_by_the_size_and_its_edges_count() -> None:
    assert score(L2, "(10, 20)", box([10, 20, 30, 40])).value == 1
    assert score(L2, "(0.3, 0.8)", box([10, 20, 30, 40])).value == 1
    assert score(L2, "(31, 20)", box([10, 20, 30, 40])).value == 0


def test_minus_one_is_zero_where_the_box_is_in_pixels() -> None:
    # It makes the box one in pixels: (0, 0, 0.5, 0.5) of a pixel.
    assert score(L2, "(0, 0)", box([-1, 0, 0.5, 0.5])).value == 1
    assert score(L2, "(0.3, 0.3)", box([-1, 0, 0.5, 0.5])).value == 0
    assert score(L2, "(0, 0)", box([-1, -1, -1, -1])).value == 1


@pytest.mark.parametrize("sides", [[-2, 0, 10, 10], [-0.5, 0, 10, 10], [0, 0, 101, 10]])
def test_a_box_that_leaves_the_image_ends_the_published_run(sides: list[float]) -> None:
    found = score(L2, "(0, 0)", box(sides))
    assert (found.value, found.crashed) == (0, True)
    chosen, shape = protocol_of(L2, "official"), gold_shape(L2)
    golds = [shape.read(box(sides)), shape.read(box([0, 0, 100, 50]))]
    tally = Tally(chosen, golds)
    answers = Answers(np.arange(2), [0, 0], ["(0, 0)", "(0, 0)"])
    tally.add(answers, Grader.of(chosen, golds).batch(answers))
    assert tally.metrics(1)["accuracy"] == MetricValue(
        value=0.5, value_answered=0.5, as_published=None
    )


@pytest.mark.parametrize(
    ("reference", "text"),
    [
        ([10, 20, 30, 40], "a side outside 0..1 is in pixels: write"),
        ([-1, 0.2, 0.3, 0.4], "a side outside 0..1 is in pixels: write"),
        ({"bbox": [10, 20, 30, 40]}, "image_size: \\[width, height\\]"),
        (box([0, 0, 1, 1], 0), r"Expected `float` > 0.0 - at `\$.image_size\[0\]`"),
        (box([0, 0, 1, 1], 5, -3), r"Expected `float` > 0.0 - at `\$.image_size\[1\]`"),
        (box([0, 0, 1, 1], 5, float("inf")), r"at `\$.image_size\[1\]`"),
        ({"bbox": [0, 0, 1, 1], "image_size": [5]}, "image_size"),
        ([0.5, 0, 0.2, 1], "inverted"),
        (box([9, 0, -1, 5]), "inverted"),
        ([0, 0, float("nan"), 1], "no finite number"),
    ],
)
def test_a_target_that_can_not_be_used_says_what_to_do(reference: object, text: str) -> None:
    with pytest.raises(DataError, match=text):
        score(L2, "(0, 0)", reference)
