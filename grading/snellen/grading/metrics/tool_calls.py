"""Scores of a tool call: its name, its arguments, and its validity under the tool's schema."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from snellen.grading.errors import MetricError
from snellen.grading.normalize import identity


@dataclass(frozen=True, slots=True)
class ToolCallScore:
    """The parts of a tool call's score; every number lies in 0..1.

    Attributes:
        name: 1.0 if the tool's name is right.
        arguments: F1 over the key-value pairs of the arguments; 0 for another tool.
        exact: 1.0 if the name and every argument are right and no argument is added.
        valid: 1.0 if the arguments fit the tool's schema; None without a schema.
    """

    name: float
    arguments: float
    exact: float
    valid: float | None


def tool_call(
    prediction: Mapping[str, Any],
    reference: Mapping[str, Any],
    schema: Mapping[str, Any] | None = None,
    *,
    normalize: Callable[[str], str] = identity,
) -> ToolCallScore:
    """Compare a tool call with the correct one.

    Arguments are compared as JSON values: 1 equals 1.0 but not true or "1", arrays keep their
    order, objects do not. F1 is 2 * right / (given + wanted), and 1 where neither call has any
    argument.

    Args:
        prediction: The call: "name" and "arguments". Where they are missing or of another type,
            the call is wrong.
        reference: The right call, in the same form.
        schema: The JSON Schema of the tool's arguments.
        normalize: What is done to every string value before it is compared.

    Raises:
        MetricError: The reference is no call, or the schema is no JSON Schema.

    Source: the framework of four dimensions and four levels names tool calls and no metric for
    them, so this is a decision.

    >>> tool_call({"name": "click", "arguments": {"x": 1.0}},
    ...           {"name": "click", "arguments": {"x": 1, "y": 2}})
    ToolCallScore(name=1.0, arguments=0.6666666666666666, exact=0.0, valid=None)
    """
    name, wanted = reference.get("name"), _arguments(reference)
    if not isinstance(name, str) or wanted is None:
        raise MetricError('the reference is no tool call: it needs "name" and "arguments"')
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
    """Tell whether two JSON values are equal, true and 1 being different and 1 and 1.0 the same.

    >>> same_json([1, {"a": "b"}], [1.0, {"a": "b"}]), same_json(True, 1)
    (True, False)
    """
    # A list of what is left to compare, not recursion: values may be nested deeper than calls.
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
    """Return 1.0 if the arguments fit the schema; references are looked up within it only."""
    from jsonschema import SchemaError
    from jsonschema.validators import Draft202012Validator, validator_for
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    validator = validator_for(schema, default=Draft202012Validator)
    try:
        validator.check_schema(dict(schema))
        # A registry of its own, because the default one fetches what it does not know.
        checker = validator(dict(schema), registry=Registry())
        return float(arguments is not None and checker.is_valid(arguments))
    except (SchemaError, Unresolvable) as error:
        raise MetricError(f"the tool's schema is no JSON Schema: {error}") from error
