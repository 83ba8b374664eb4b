"""The parts of a tool call's score."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.errors import MetricError
from snellen.grading.metrics.tool_calls import ToolCallScore, same_json, tool_call
from snellen.grading.normalize import lower_strip

SCHEMA = {
    "type": "object",
    "properties": {"x": {"type": "integer"}, "mode": {"enum": ["fast", "slow"]}},
    "required": ["x"],
    "additionalProperties": False,
}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=6,
)
ARGUMENTS = st.dictionaries(st.sampled_from("wxyz"), VALUES)


def call(name: str = "click", **arguments: Any) -> dict[str, Any]:
    """Write a call."""
    return {"name": name, "arguments": arguments}


def test_the_right_call_scores_one() -> None:
    score = tool_call(call(x=3, mode="fast"), call(x=3, mode="fast"), SCHEMA)
    assert score == ToolCallScore(name=1.0, arguments=1.0, exact=1.0, valid=1.0)


def test_a_call_without_arguments_scores_one_against_itself() -> None:
    assert tool_call(call(), call()) == ToolCallScore(1.0, 1.0, 1.0, None)


def test_another_tool_has_no_right_arguments() -> None:
    assert tool_call(call("tap", x=3), call(x=3)) == ToolCallScore(0.0, 0.0, 0.0, None)


@pytest.mark.parametrize(
    ("prediction", "f1"),
    [
        (call(x=1, y=2), 1.0),
        (call(x=1), 2 / 3),
        (call(x=1, y=3), 1 / 2),
        (call(x=1, y=2, z=3), 4 / 5),
        (call(), 0.0),
        (call(z=1), 0.0),
    ],
)
def test_arguments_score_the_f1_of_their_pairs(prediction: dict[str, Any], f1: float) -> None:
    score = tool_call(prediction, call(x=1, y=2))
    assert score.arguments == pytest.approx(f1, abs=1e-15)
    assert score.exact == float(f1 == 1)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        (True, True, True),
        (1, "1", False),
        (None, None, True),
        (None, 0, False),
        (None, "", False),
        ("a", "A", False),
        ([1, 2], [1.0, 2.0], True),
        ([1, 2], [2, 1], False),
        ([1], [1, 1], False),
        ([1], [True], False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {"a": 1, "b": None}, False),
        ({}, [], False),
        ("ab", ["a", "b"], False),
        (2**53 + 1, float(2**53), False),
    ],
)
def test_values_are_compared_as_json(first: object, second: object, same: bool) -> None:
    assert same_json(first, second) is same
    assert same_json(second, first) is same


def test_strings_are_normalized_only_when_asked() -> None:
    assert tool_call(call(text=" Milk"), call(text="milk")).arguments == 0
    assert tool_call(call(text=[" Milk"]), call(text=["milk"]), normalize=lower_strip).exact == 1


@pytest.mark.parametrize(
    ("arguments", "valid"),
    [
        ({"x": 3}, 1.0),
        ({"x": 3.0}, 1.0),
        ({"x": "3"}, 0.0),
        ({"x": True}, 0.0),
        ({}, 0.0),
        ({"x": 3, "mode": "fastest"}, 0.0),
        ({"x": 3, "y": 1}, 0.0),
        ([], 0.0),
        (None, 0.0),
    ],
)
def test_arguments_fit_the_schema_or_not(arguments: object, valid: float) -> None:
    score = tool_call({"name": "click", "arguments": arguments}, call(x=9), SCHEMA)
    assert score.valid == valid


@pytest.mark.parametrize("prediction", [{}, {"name": None}, {"name": "click", "arguments": "x=3"}])
def test_a_malformed_call_is_wrong(prediction: dict[str, Any]) -> None:
    score = tool_call(prediction, call(x=3))
    assert (score.arguments, score.exact) == (0.0, 0.0)


@pytest.mark.parametrize("reference", [{}, {"name": "click"}, {"name": 1, "arguments": {}}])
def test_a_malformed_reference_has_no_score(reference: dict[str, Any]) -> None:
    with pytest.raises(MetricError, match="the reference is not a tool call"):
        tool_call(call(), reference)


@pytest.mark.parametrize(
    "schema",
    [{"type": "objekt"}, {"$ref": "https://example.com/schema.json"}, {"$ref": "#/$defs/none"}],
)
def test_a_schema_that_can_not_be_used_is_a_fault(schema: dict[str, Any]) -> None:
    with pytest.raises(MetricError, match="schema is not a JSON Schema"):
        tool_call(call(), call(), schema)


def test_references_within_the_schema_are_followed() -> None:
    schema = {"$defs": {"n": {"type": "integer"}}, "properties": {"x": {"$ref": "#/$defs/n"}}}
    assert tool_call(call(x=1), call(x=1), schema).valid == 1.0
    assert tool_call(call(x="1"), call(x=1), schema).valid == 0.0


def test_values_nested_deeper_than_calls_are_compared() -> None:
    deep: list[Any] = []
    other: list[Any] = []
    for _ in range(10_000):
        deep, other = [deep], [other]
    assert same_json(deep, other)
    assert not same_json(deep, [other])


@given(ARGUMENTS, ARGUMENTS)
def test_scores_stay_in_range_and_swapping_changes_nothing(
    first: dict[str, Any], second: dict[str, Any]
) -> None:
    one, other = (
        {"name": "f", "arguments": first},
        {"name": "f", "arguments": second},
    )
    score = tool_call(one, other)
    assert 0 <= score.arguments <= 1
    assert score == tool_call(other, one)
    assert score.exact == float(score.arguments == 1)


@given(VALUES, VALUES)
def test_values_are_the_same_when_their_json_is(first: object, second: object) -> None:
    written = [json.dumps(value, sort_keys=True) for value in (first, second)]
    assert same_json(first, second) == (written[0] == written[1])
