"""ShowDown's own check: x1 <= x <= x2 and y1 <= y <= y2 in pixels; no point is wrong."""

import numpy as np
import pytest

from snellen.grading.grade import Answers, Grader
from snellen.grading.protocols.base import Context
from snellen.grading.protocols.golds import ImageTarget
from snellen.grading.protocols.table import protocol_of

GOLD = ImageTarget((54.0, 244.0, 308.0, 487.0), (1470.0, 956.0))


@pytest.mark.parametrize(
    ("response", "value"),
    [
        ("(54, 244)", 1),
        ("(308, 487)", 1),
        ("(309, 487)", 0),
        ('{"action": "left_click", "coordinate": [100, 300]}', 1),
        ("I can't see it.", 0),
        # In pixels whatever its size, as an adapter would hand it over.
        ("(0.1, 0.3)", 0),
        ({"x": 0.1, "y": 0.3, "space": "unit"}, 1),
    ],
)
def test_a_point_in_pixels_in_the_box(response: object, value: float) -> None:
    context = Context(width=1470, height=956)
    grader = Grader.of(protocol_of("showdown/clicks", "official"), [GOLD], [context])
    found = grader.batch(Answers(np.array([0]), [0], [response]))
    assert found.values[0, 0] == value
