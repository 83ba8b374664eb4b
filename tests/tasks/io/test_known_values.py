from enum import StrEnum
from typing import Annotated, Literal

import msgspec
import pytest

from snellen.tasks.io.rows import fault_of, known_values, words_of


class Color(StrEnum):
    RED = "red"
    GREEN = "green"


class Leaf(msgspec.Struct, rename={"size": "how big"}):
    level: Literal["easy", "hard"] | None = None
    size: Annotated[Literal[1, 2], "of a leaf"] = 1


class Branch(msgspec.Struct):
    leaves: tuple[Leaf, ...] = ()
    pair: tuple[Leaf, Color] | None = None
    named: dict[Color, Leaf] = {}
    place: int | None = None


FAULTS: list[tuple[object, str, str]] = [
    ([{}, {"leaves": [{"level": "mean"}]}], "leaves[0].level", "easy, hard"),
    ([{"leaves": [{"how big": 3}]}], "leaves[0].how big", "1, 2"),
    ([{"pair": [{}, "blue"]}], "pair[1]", "red, green"),
    ([{"named": {"red": {"level": "mean"}}}], "named[...].level", "easy, hard"),
    ([{"named": {"blue": {}}}], "named", "red, green"),
]


@pytest.mark.parametrize(("given", "field", "known"), FAULTS)
def test_what_may_stand_at_a_place_is_in_the_message(
    given: list[object], field: str, known: str
) -> None:
    with pytest.raises(msgspec.ValidationError) as raised:
        msgspec.convert(given, list[Branch])
    fault = fault_of(raised.value, list[Branch])
    assert (fault.row, fault.field) == (len(given) - 1, field)
    assert fault.what.startswith("invalid enum value ")
    assert fault.what.endswith(f"; known: {known}")
    assert words_of(raised.value, list[Branch]) == f"{raised.value}; known: {known}"


def test_a_fault_of_another_kind_lists_nothing() -> None:
    with pytest.raises(msgspec.ValidationError) as raised:
        msgspec.convert([{"place": "here"}], list[Branch])
    fault = fault_of(raised.value, list[Branch])
    assert fault == ("expected `int | null`, got `str`", 0, "place")
    assert words_of(raised.value, list[Branch]) == str(raised.value)


def test_a_place_that_a_type_does_not_have_lists_nothing() -> None:
    assert known_values(Branch, "$.roots[0].level") == ()
    assert known_values(Branch, "$.place") == ()
    assert known_values(int, "$[2]") == ()
