from typing import Annotated, Any

import msgspec
import pytest

from snellen.grading.models.geometry import Space
from snellen.tasks.io.rows import SPACE_NOTES, Fault, Pixels, Text, fault_of, row_error, space_of


class Row(msgspec.Struct):
    name: Text
    size: tuple[Pixels, Pixels] = (1, 1)
    boxes: list[Annotated[float, msgspec.Meta(ge=0)]] = []
    after: dict[Text, int] = {}


def found(value: object, type_: Any = list[Row]) -> msgspec.ValidationError:
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert(value, type_)
    return caught.value


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ({}, Fault("expected `array`, got `object`", None, None)),
        ([{"name": "a"}, 5], Fault("expected `object`, got `int`", 1, None)),
        ([{"name": ""}], Fault("expected `str` of length >= 1", 0, "name")),
        ([{"name": "a"}, {}], Fault("object missing required field `name`", 1, None)),
        ([{"name": "a", "size": [1, 0]}], Fault("expected `int` >= 1", 0, "size[1]")),
        ([{"name": "a", "boxes": [1, -1]}], Fault("expected `float` >= 0.0", 0, "boxes[1]")),
        ([{"name": "a", "after": {"": 1}}], Fault("expected `str` of length >= 1", 0, "after")),
        (
            [{"name": "a", "after": {"x": "y"}}],
            Fault("expected `int`, got `str`", 0, "after[...]"),
        ),
    ],
)
def test_a_fault_has_its_row_and_its_field(rows: object, fault: Fault) -> None:
    assert fault_of(found(rows), list[Row]) == fault


def test_a_single_rows_fault_has_no_row() -> None:
    fault = fault_of(found({"name": 1}, Row), Row)
    assert fault == Fault("expected `str`, got `int`", None, "name")


def test_the_error_counts_rows_from_1_and_says_what_to_do() -> None:
    error = row_error(found([{"name": "a"}, {"name": 1}]), "test.json", list[Row])
    assert str(error) == (
        "test.json, field 'name': row 2 (counted from 1): expected `str`, got `int`;"
        " references can't be guessed: fix that row or fetch the file again"
    )


@pytest.mark.parametrize(
    ("sides", "space"),
    [
        ([0, 0.5, 1], Space.UNIT),
        ([], Space.UNIT),
        ([0.5, 1.001], Space.PIXELS),
        ([-0.1, 0.5], Space.PIXELS),
        ([0.5, float("nan")], Space.PIXELS),
    ],
)
def test_boxes_are_fractions_when_no_side_of_them_says_otherwise(
    sides: list[float], space: Space
) -> None:
    assert space_of(sides) is space
    assert space_of(iter(sides)) is space
    assert "every side" in SPACE_NOTES[space]
