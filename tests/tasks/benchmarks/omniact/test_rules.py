"""The action score of single clicks, against the formula of the published code by hand."""

import numpy as np

from snellen.grading.grade import Answers, Grader
from snellen.grading.protocols.base import Context
from snellen.grading.protocols.golds import ImageTarget
from snellen.grading.protocols.table import protocol_of

# 30 wide and 40 high: its diagonal is 50.
GOLD = ImageTarget((100.0, 200.0, 130.0, 240.0), (1000.0, 500.0))


def score(protocol: str, response: str) -> list[float]:
    context = Context(width=1000, height=500)
    grader = Grader.of(protocol_of("omniact/click", protocol), [GOLD], [context])
    return list(map(float, grader.batch(Answers(np.array([0]), [0], [response])).values[0]))


def test_other_answers_are_read_under_the_other_protocols() -> None:
    assert score("robust", "(115, 220)") == [1, 1]
    assert score("pixels", "pyautogui.click(115,220)") == [1]
    assert score("thousand", "(115, 440)") == [1]
