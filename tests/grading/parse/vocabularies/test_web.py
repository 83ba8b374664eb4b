"""ShowUI's three fields: the first beginning that any end fits, and the nearest end."""

import pytest

from snellen.grading.parse.vocabularies.web import showui_fields

PLACE = "'position': [0.1, 0.2]"


@pytest.mark.parametrize(
    ("text", "action", "value"),
    [
        (f"{{'action': 'CLICK', 'value': None, {PLACE}}}", "CLICK", None),
        (f"{{'action': 'TYPE', 'value': '', {PLACE}}}", "TYPE", ""),
        (f"{{'action': 'TYPE', 'value': 'None', {PLACE}}}", "TYPE", "None"),
        (f"{{'action': 'TYPE', 'value': 'it's', {PLACE}}}", "TYPE", "it's"),
        (f"{{'action':'A','value':'x',\n {PLACE}}}", "A", "x"),
        (f"'action': 'X' 'action': 'A', 'value': 'x', {PLACE}", "X' 'action': 'A", "x"),
        (f"'action': 'X'\n'action': 'A', 'value': 'x', {PLACE}", "A", "x"),
        (f"'action': 'A', 'value': 'x', 'value': 'y', {PLACE}", "A", "x', 'value': 'y"),
    ],
)
def test_the_fields_stand_one_after_the_other(text: str, action: str, value: str | None) -> None:
    """ShowUI 21ed7cb, `pred2json`."""
    assert showui_fields(text) == (action, value, (0.1, 0.2))


def test_a_position_may_be_none() -> None:
    """ShowUI 21ed7cb, `pred2json`."""
    assert showui_fields("'action': 'A', 'value': None, 'position': None").position is None


@pytest.mark.parametrize(
    "text",
    [
        "I would click.",
        f"'action': 'A', {PLACE}, 'value': None",
        f"'action': 'A\n', 'value': None, {PLACE}",
        f"'action': 'A', 'value': 'a\nb', {PLACE}",
        "'action': 'A', 'value': None, 'position': [-1, 2]",
        "'action': 'A', 'value': None, 'position': [1.2.3, 2]",
    ],
)
def test_what_does_not_fit_is_no_answer(text: str) -> None:
    """ShowUI 21ed7cb, `pred2json` raises."""
    with pytest.raises(ValueError, match=r"order|float"):
        showui_fields(text)
