"""The action score of single clicks, against the formula of the published code by hand."""

from math import hypot

import numpy as np
import pytest

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


@pytest.mark.parametrize(
    ("response", "value"),
    [
        ("pyautogui.click(115.0,220.0)", [1, 1]),
        ("pyautogui.click(100, 240)", [1, 1]),
        ("import pyautogui\npyautogui.click(115, 220)", [1, 1]),
        ("pyautogui.click(180,220)", [0.5, 0]),
        ("pyautogui.click(160,280)", [0.5, 0]),
        ("pyautogui.click(115,190)", [50 / 60, 0]),
        # Coordinates that are no numbers are the point (0, 0).
        ('pyautogui.click("the menu")', [50 / (50 + hypot(100, 200)), 0]),
        ("pyautogui.click(115)", [50 / (50 + hypot(100, 200)), 0]),
        # Another action, or another number of them, is not the reference's sequence.
        ("pyautogui.rightClick(115,220)", [0, 0]),
        ("pyautogui.click(115,220)\npyautogui.write('a')", [0, 0]),
        ("(115, 220)", [0, 0]),
        ("", [0, 0]),
    ],
)
def test_a_point_beside_its_box_has_a_part_of_the_score(response: str, value: list[float]) -> None:
    assert score("official", response) == pytest.approx(value)


def test_other_answers_are_read_under_the_other_protocols() -> None:
    assert score("robust", "(115, 220)") == [1, 1]
    assert score("pixels", "pyautogui.click(115,220)") == [1]
    assert score("thousand", "(115, 440)") == [1]
