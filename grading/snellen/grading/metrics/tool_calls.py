"""Scores of a tool call: its name, its arguments, and its validity under the tool's schema."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from snellen.grading.errors import MetricError
from snellen.grading.normalize import identity


@dataclass(frozen=True, slots=True)
class ToolCallScore:
    """The parts of a tool call's score; every number lies in 0..1."""

    name: float  # 1.0 if the tool's name is correct
    arguments: float  # F1 over the key-value pairs of the arguments; 0 for another tool
    exact: float  # 1.0 if the name and every argument are correct and no argument is added
    valid: float | None  # 1.0 if the arguments fit the tool's schema; None without a schema


def tool_call(
    prediction: Mapping[str, Any],
    reference: Mapping[str, Any],
    schema: Mapping[str, Any] | None = None,
    *,
    normalize: Callable[[str], str] = identity,
) -> ToolCallScore:
    """Compare a tool call with the correct one.

    Arguments are compared as JSON values: 1 equals 1.0 but not true or "1", arrays keep their
    order, objects do not. F1 is 2 * correct / (predicted + expected), and 1 if neither call has
    arguments.

    Args:
        prediction: The call: "name" and "arguments". If they are missing or of another type, the
            call is wrong.
        reference: The correct call, in the same form.
        schema: The JSON Schema of the tool's arguments.
        normalize: Applied to every string value before the comparison.

    Raises:
        MetricError: The reference is not a call, or the schema is not a JSON Schema.

    Source: the framework of four dimensions and four levels lists tool calls without a metric, so
    this is a decision.

    >>> tool_call({"name": "click", "arguments": {"x": 1.0}},
    ...           {"name": "click", "arguments": {"x": 1, "y": 2}})
    ToolCallScore(name=1.0, arguments=0.6666666666666666, exact=0.0, valid=None)
    """
    name, wanted = reference.get("name"), _arguments(reference)
    if not isinstance(name, str) or wanted is None:
        raise MetricError('the reference is not a tool call: it needs "name" and "arguments"')
    given = _arguments(prediction)
    valid = None if schema is None else _valid(given, schema)
    if prediction.get("name") != name:
        return ToolCallScore(name=0.0, arguments=0.0, exact=0.0, valid=valid)
    if given is None:
        return ToolCallScore(name=1.0, arguments=0.0, exact=0.0, valid=valid)
    right = sum(
        key in given and same_json(given[key], value, normalize=normalize)
        for key, value in wanted.items()
    )
    pairs = len(given) + len(wanted)
    return ToolCallScore(
        name=1.0,
        arguments=2 * right / pairs if pairs else 1.0,
        exact=float(right == len(wanted) == len(given)),
        valid=valid,
    )


def same_json(first: object, second: object, *, normalize: Callable[[str], str] = identity) -> bool:
    """Whether two JSON values are equal; true differs from 1, but 1 equals 1.0.

    >>> same_json([1, {"a": "b"}], [1.0, {"a": "b"}]), same_json(True, 1)
    (True, False)
    """
    # A stack instead of recursion: values can be nested more deeply than calls can.
    left: list[tuple[object, object]] = [(first, second)]
    while left:
        one, other = left.pop()
        if isinstance(one, str) and isinstance(other, str):
            if normalize(one) != normalize(other):
                return False
        elif isinstance(one, Mapping) and isinstance(other, Mapping):
            fields, others = cast("Mapping[str, object]", one), cast("Mapping[str, object]", other)
            if fields.keys() != others.keys():
                return False
            left.extend((field, others[key]) for key, field in fields.items())
        elif isinstance(one, list | tuple) and isinstance(other, list | tuple):
            elements, rest = cast("list[object]", one), cast("list[object]", other)
            if len(elements) != len(rest):
                return False
            left.extend(zip(elements, rest, strict=True))
        elif isinstance(one, bool) or isinstance(other, bool):
            if one is not other:
                return False
        elif isinstance(one, int | float) and isinstance(other, int | float):
            if one != other:
                return False
        elif one is not None or other is not None:
            return False
    return True


def _arguments(call: Mapping[str, Any]) -> Mapping[str, Any] | None:
    arguments = call.get("arguments")
    return cast("Mapping[str, Any]", arguments) if isinstance(arguments, Mapping) else None


def _valid(arguments: Mapping[str, Any] | None, schema: Mapping[str, Any]) -> float:
    """Return 1.0 if the arguments fit the schema; `$ref` is resolved only within the schema."""
    from jsonschema import SchemaError
    from jsonschema.validators import Draft202012Validator, validator_for
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    validator = validator_for(schema, default=Draft202012Validator)
    try:
        validator.check_schema(dict(schema))
        # The default registry would fetch unknown references from the network.
        checker = validator(dict(schema), registry=Registry())
        return float(arguments is not None and checker.is_valid(arguments))
    except (SchemaError, Unresolvable) as error:
        raise MetricError(f"the tool's schema is not a JSON Schema: {error}") from error
