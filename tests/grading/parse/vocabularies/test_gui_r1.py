"""GUI-R1's list: which pair of numbers is the point."""

import pytest

from snellen.grading.models.actions import ActionType
from snellen.grading.parse.vocabularies.gui_r1 import GUI_R1, listed


@pytest.mark.parametrize(
    ("inside", "point"),
    [
        ("{[1, 2]} {[3, 4]}", (3, 4)),
        ("{[1, 2] [3, 4]", (0, 0)),
        ("{[1,\n2] }", (1, 2)),
        ("{[1, 2]\n\n }", (1, 2)),
        ("{[1, 2] x\n}", (0, 0)),
        ("[9, 9]}\n{[1, 2]}\n{[3, 4]}", (1, 2)),
        ("{\n[1, 2]}", (0, 0)),
        ("{[1, 2, 3], [4, 5]}", (4, 5)),
        ("{[-1, 2]}", (0, 0)),
        ("{[٣, 4]}", (3, 4)),
        ("{[" + "9" * 5000 + ", 2]}", (0, 0)),
    ],
)
def test_the_point_is_the_last_pair_of_the_first_line_that_has_one_in_braces(
    inside: str, point: tuple[int, int]
) -> None:
    """GUI-R1 d43eea2, `extract_coord`: no point of its pattern matches the end of a line."""
    assert listed(f"<answer>{inside}</answer>").point == point


def test_an_action_that_there_is_not_keeps_its_point() -> None:
    """GUI-R1 d43eea2: names are compared, and the point is read by itself."""
    action = GUI_R1.read("<answer>[{'action':'Click','point':[978,448]}]</answer>")
    assert action is not None
    assert (action.type, action.point) == (ActionType.UNKNOWN, (978, 448))


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        ("{'input_text': 'it's'}", "it"),
        ("{'input_text':'x'}", "x"),
        ("{'input_text': 'a\nb'}", "no input text"),
        ("{'input_text': \"x\"}", "no input text"),
        ("{}", "no input text"),
    ],
)
def test_the_text_ends_at_the_next_quote_of_its_line(inside: str, text: str) -> None:
    """GUI-R1 d43eea2, `extract_input_text`."""
    assert listed(f"<answer>{inside}</answer>").text == text
