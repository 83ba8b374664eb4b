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


def test_vlmevalkit_stops_on_a_crash() -> None:
    assert protocol_of(PRO, "vlmevalkit").denominator.stops_on_crash


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


HIT, MISS, ERROR = (1, Outcome.ANSWERED), (0, Outcome.ANSWERED), (0, Outcome.ERROR)


@pytest.mark.parametrize(
    ("protocol", "response", "found"),
    [
        ("robust", "(120, 216)", HIT),
        ("robust", "(120, 270)", MISS),
        ("robust", "(0.12, 0.27)", ERROR),
        ("screensuite", "click(120, 216)", HIT),
        ("screensuite", "click(151, 216)", MISS),
        ("official", "(0.12, 0.27)", ERROR),
        ("lmms-eval", "(0.12, 0.27)", ERROR),
        ("vlmevalkit", "x=0.12, y=0.27", ERROR),
        ("vlmevalkit", "x=120, y=270", ERROR),
    ],
)
def test_fractions_without_the_image_size_are_an_error_not_a_zero(
    protocol: str, response: str, found: tuple[float, Outcome]
) -> None:
    assert graded(V2, protocol, response, UNSIZED) == found


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
